import GraphModel
import GraphStore
import Testing

@Suite("Cycles in a bulk load") struct BulkCycleTests {
    private static let nodes = """
        Node:
          attributes: { id: String }
          relationships:
            next: { to: Node, inverse: previous }
            previous: { to: Node, many: true, inverse: next }
            up: { to: Node, inverse: down }
            down: { to: Node, many: true, inverse: up }
          unique: [[id]]
        """
    private static let plan = BulkPlan(
        entity: "Node", key: ["id"], attributes: ["id"],
        links: [
            .init(relationship: "next", destination: "Node", attribute: "id"),
            .init(relationship: "up", destination: "Node", attribute: "id", missing: .create),
        ])
    private static let rows = """
        SELECT n.ZID, x.ZID, u.ZID FROM ZNODE n LEFT JOIN ZNODE x ON x.Z_PK = n.ZNEXT \
        LEFT JOIN ZNODE u ON u.Z_PK = n.ZUP ORDER BY 1
        """

    @Test("counts a row created by a link as updated if the last link of its cycle changes it")
    func countsWhatTheLastLinkChanges() throws {
        for batchSize in [1, 3, 1000] {
            try withStore(Self.nodes) { store in
                // Row c is written when the first cycle is unwound. It creates d before d's own
                // record, which only sets a link to e, a later record.
                let outcome = try store.container.load(
                    Self.plan,
                    [
                        ["a", "b", nil], ["b", "a", nil], ["c", "a", "d"], ["d", "e", .absent],
                        ["e", "d", nil],
                    ], batchSize: batchSize)
                #expect(
                    outcome.counts
                        == "4 new, 1 changed, 0 same, 0 superseded, 0 rejected, 1 targets")
                try store.expect(Self.rows, ["a|b|-", "b|a|-", "c|a|d", "d|e|-", "e|d|-"])
            }
        }
    }

    @Test("counts a row created by a link as updated if a later record changes it")
    func countsWhatLaterRecordsChange() throws {
        for batchSize in [1, 1000] {
            try withStore(Self.nodes) { store in
                let outcome = try store.container.load(
                    Self.plan,
                    [["a", nil, "b"], ["b", nil, .absent], ["b", "a", .absent]],
                    batchSize: batchSize)
                #expect(
                    outcome.counts
                        == "1 new, 1 changed, 0 same, 1 superseded, 0 rejected, 1 targets")
                try store.expect(Self.rows, ["a|-|b", "b|a|-"])
            }
        }
    }

    /// A cycle that is rolled back drops its deferred links, and the positions where its rows'
    /// links would have been; the next cycle finds them.
    @Test func rollingBackACycleKeepsTheLinksOfOtherRows() throws {
        let model = """
            Task:
              attributes: { id: String, code: String }
              relationships:
                parent: { to: Task, inverse: children }
                children: { to: Task, many: true, inverse: parent }
                blocker: { to: Task, inverse: blocked }
                blocked: { to: Task, many: true, inverse: blocker }
                tags: { to: Tag, many: true, inverse: tasks }
              unique: [[id], [code]]
            Tag:
              attributes: { name: String }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
              unique: [[name]]
            """
        let plan = BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id", "code"],
            links: [
                .init(
                    relationship: "parent", destination: "Task", attribute: "id", missing: .create),
                .init(relationship: "blocker", destination: "Task", attribute: "id"),
                .init(
                    relationship: "tags", destination: "Tag", attribute: "name", missing: .create),
            ])
        let cycles = (1...20).flatMap { number -> [[TestValue]] in
            let (one, other) = (TestValue.text("A\(number)"), TestValue.text("B\(number)"))
            return [
                [one, nil, nil, other, ["a", "b", "c"]], [other, nil, nil, one, ["a", "b", "c"]],
            ]
        }
        let records: [[TestValue]] =
            [
                ["D", "dup", nil, nil, ["q"]], ["R1", nil, "T", "T", .absent],
                ["T", nil, nil, "R1", ["a", "b"]],
            ] + cycles
            + [["X1", nil, nil, "X2", ["a"]], ["X2", "dup", nil, "X1", ["a"]]]
        for batchSize in [1, 7, 1000] {
            try withStore(model) { store in
                let outcome = try store.container.load(plan, records, batchSize: batchSize)
                #expect(outcome.rejectedCodes == ["44 link", "45 link"])
                try store.expect(
                    "SELECT ZID, (SELECT group_concat(ZNAME) FROM Z_1TASKS JOIN ZTAG g"
                        + " ON g.Z_PK = Z_1TAGS WHERE Z_2TASKS = t.Z_PK)"
                        + " FROM ZTASK t WHERE ZID IN ('D', 'R1', 'T', 'A1', 'B20') ORDER BY 1",
                    ["A1|a,b,c", "B20|a,b,c", "D|q", "R1|-", "T|a,b"])
                try store.checkIntegrity()
            }
        }
    }
}
