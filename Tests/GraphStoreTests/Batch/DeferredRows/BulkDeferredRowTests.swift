import GraphModel
import GraphStore
import SQLite
import Testing

private func plan(
    _ relationships: [String] = ["parent"], missing: BulkPlan.MissingPolicy = .reject,
    many: BulkPlan.ManyPolicy = .replace, duplicates: BulkPlan.DuplicatePolicy = .last
) -> BulkPlan {
    BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "title", "slug"],
        links: relationships.map {
            .init(
                relationship: $0, destination: "Task", attribute: "id", missing: missing,
                many: many)
        }, duplicates: duplicates)
}

/// Returns a record: number, title, slug, and then its links.
private func task(
    _ id: Int64, _ title: TestValue = "t", _ slug: TestValue = nil, _ links: TestValue...
) -> [TestValue] {
    LinkedTasks.record(id, title, slug, links)
}

private let parents =
    "SELECT t.ZID, t.ZTITLE, p.ZID FROM ZTASK t LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT ORDER BY 1"

@Suite("Bulk links between rows of the same load", .serialized) struct BulkDeferredRowTests {
    private static let ways: [(batchSize: Int, saveEvery: Int, keyMemory: Int)] = [
        (1, 1, 192 << 20), (2, 4, 192 << 20), (1000, 1000, 192 << 20), (3, 3, 0),
    ]

    /// Loads the records in several ways, each into its own store.
    private func check(
        _ plan: BulkPlan, before: [[TestValue]] = [], _ records: [[TestValue]], counts: String,
        rejects: [String] = [], query: String = parents, _ rows: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for way in Self.ways {
            try withStore(LinkedTasks.entities, sourceLocation: sourceLocation) { store in
                if !before.isEmpty { try store.container.load(plan, before) }
                let outcome = try store.container.load(
                    plan, records, batchSize: way.batchSize, saveEvery: way.saveEvery,
                    keyMemoryBytes: way.keyMemory)
                #expect(outcome.counts == counts, "\(way)", sourceLocation: sourceLocation)
                #expect(outcome.rejectedCodes == rejects, "\(way)", sourceLocation: sourceLocation)
                try store.expect(query, rows, sourceLocation: sourceLocation)
                try store.expect(
                    "SELECT count(*) FROM ZTASK WHERE ZPARENT NOT NULL AND ZPARENT NOT IN"
                        + " (SELECT Z_PK FROM ZTASK)", ["0"], sourceLocation: sourceLocation)
            }
        }
    }

    private static let parentBySlug = BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "title", "slug"],
        links: [.init(relationship: "parent", destination: "Task", attribute: "slug")])

    @Test func resolvesLinksToLaterRecordsByANonKeyAttribute() throws {
        try check(
            Self.parentBySlug,
            [
                task(1, "a", "s1", "s2"), task(2, "b", "s2", "s3"), task(3, "c", "s3", "s4"),
                task(4, "d", "s4", nil),
            ],
            counts: "4 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|2", "2|b|3", "3|c|4", "4|d|-"])
    }

    @Test func linksToTheRowThatCurrentlyHasTheAttribute() throws {
        try check(
            Self.parentBySlug,
            [
                task(1, "a", "s1", nil), task(2, "b", "s2", "s1"), task(1, "a", "s9", nil),
                task(4, "d", "s1", nil), task(3, "c", "s3", "s1"),
            ],
            counts: "4 new, 0 changed, 0 same, 1 superseded, 0 rejected",
            ["1|a|-", "2|b|1", "3|c|4", "4|d|-"])
    }

    @Test func resolvesLinksToLaterRecords() throws {
        try check(
            plan(), [task(2, "b", nil, 1), task(1, "a", nil, nil), task(3, "c", nil, 2)],
            counts: "3 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|-", "2|b|1", "3|c|2"])
    }

    @Test func resolvesChainsInAnyOrder() throws {
        let chain = (1...6).map { task($0, "t", nil, $0 == 1 ? nil : .integer($0 - 1)) }
        let expected = (1...6).map { "\($0)|t|" + ($0 == 1 ? "-" : "\($0 - 1)") }
        for records in [chain, chain.reversed(), [3, 1, 5, 0, 4, 2].map { chain[$0] }] {
            try check(
                plan(), records, counts: "6 new, 0 changed, 0 same, 0 superseded, 0 rejected",
                expected)
        }
    }

    @Test func resolvesCycles() throws {
        try check(
            plan(),
            [
                task(1, "a", nil, 2), task(2, "b", nil, 3), task(3, "c", nil, 1),
                task(4, "d", nil, 4), task(5, "e", nil, 3),
            ], counts: "5 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|2", "2|b|3", "3|c|1", "4|d|4", "5|e|3"])
    }

    @Test(arguments: [BulkPlan.DuplicatePolicy.first, .reject])
    func resolvesCyclesUnderOtherDuplicatePolicies(duplicates: BulkPlan.DuplicatePolicy) throws {
        try check(
            plan(duplicates: duplicates), [task(1, "a", nil, 2), task(2, "b", nil, 1)],
            counts: "2 new, 0 changed, 0 same, 0 superseded, 0 rejected", ["1|a|2", "2|b|1"])
    }

    @Test func resolvesTheCycleBeforeARowThatDependsOnIt() throws {
        // 10 needs its parent, which is deferred on itself through 21.
        let entities = """
            Row:
              attributes: { id: { type: Integer 32, optional: false } }
              relationships:
                parent: { to: Row, inverse: children, optional: false }
                children: { to: Row, many: true, inverse: parent }
                friend: { to: Row, inverse: friends }
                friends: { to: Row, many: true, inverse: friend }
              unique: [[id]]
            """
        let plan = BulkPlan(
            entity: "Row", key: ["id"], attributes: ["id"],
            links: ["parent", "friend"].map {
                .init(relationship: $0, destination: "Row", attribute: "id")
            })
        for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
            try withStore(entities) { store in
                try store.foreign().execute(
                    "INSERT INTO ZROW (Z_PK, Z_ENT, Z_OPT, ZID, ZPARENT) VALUES (1, 1, 1, 1, 1);"
                        + " UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 1")
                let records: [[TestValue]] = [[10, 20, nil], [20, 1, 21], [21, 1, 20]]
                let outcome = try store.container.load(plan, order.map { records[$0] })
                #expect(outcome.rejectedCodes == [], "\(order)")
                try store.expect(
                    "SELECT t.ZID, p.ZID, f.ZID FROM ZROW t JOIN ZROW p ON p.Z_PK = t.ZPARENT"
                        + " LEFT JOIN ZROW f ON f.Z_PK = t.ZFRIEND ORDER BY 1",
                    ["1|1|-", "10|20|-", "20|1|21", "21|1|20"])
            }
        }
    }

    @Test func rejectsEveryRowOfACycleWithAMissingTarget() throws {
        try check(
            plan(["parent", "next"]),
            [
                task(1, "a", nil, 2, nil), task(2, "b", nil, 1, 99), task(3, "c", nil, 1, nil),
                task(4, "d", nil, nil, nil),
            ], counts: "1 new, 0 changed, 0 same, 0 superseded, 3 rejected",
            rejects: ["1 link", "2 link", "3 link"], ["4|d|-"])
    }

    @Test func rejectsEveryRowOfACycleIfOneIsRejected() throws {
        // 2 fails for its own reason; then 1, 3, and 5 refer to missing objects.
        try check(
            plan(), before: [task(9, "old", "taken", nil), task(8, "old", nil, nil)],
            [
                task(1, "a", nil, 2), task(2, "b", "taken", 3), task(3, "c", nil, 1),
                task(5, "e", nil, 1), task(8, "new", nil, 1), task(6, "f", nil, 7),
                task(7, "g", nil, 6),
            ], counts: "2 new, 0 changed, 0 same, 0 superseded, 5 rejected",
            rejects: ["1 link", "2 link", "3 link", "4 link", "5 link"],
            ["6|f|7", "7|g|6", "8|old|-", "9|old|-"])
    }

    @Test func omitsMissingLinksUnderTheNullPolicy() throws {
        try check(
            plan(missing: .null),
            [task(1, "a", nil, 99), task(2, "b", nil, 1), task(3, "c", nil, 3)],
            counts: "3 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|-", "2|b|1", "3|c|3"])
    }

    @Test func rejectsChainsWithAMissingEnd() throws {
        let chain = (1...40).map { task($0, "t", nil, .integer($0 - 1)) }
        try check(
            plan(), chain.reversed() + [task(50, "x", nil, nil)],
            counts: "1 new, 0 changed, 0 same, 0 superseded, 40 rejected",
            rejects: (1...40).map { "\($0) link" }, ["50|x|-"])
    }

    @Test func keepsTheOrderOfRecordsWithOneKey() throws {
        try check(
            plan(),
            [
                task(1, "first", nil, 2), task(1, "second", nil, nil),
                task(1, "third", nil, .absent),
                task(2, "b", nil, nil),
            ], counts: "2 new, 0 changed, 0 same, 2 superseded, 0 rejected",
            ["1|third|-", "2|b|-"])
    }

    @Test func closingACycleKeepsTheValuesOfLaterRecords() throws {
        try check(
            plan(),
            [
                task(1, "first", nil, 2), task(1, "second", nil, .absent), task(2, "b", nil, 1),
                task(3, "c", nil, 4), task(3, "c", nil, nil), task(4, "d", nil, 3),
            ], counts: "4 new, 0 changed, 0 same, 2 superseded, 0 rejected",
            ["1|second|2", "2|b|1", "3|c|-", "4|d|3"])
    }

    @Test func createsTheTargetAtOnceUnderTheCreatePolicy() throws {
        for batchSize in [1, 1000] {
            try withStore(
                """
                Node:
                  attributes: { id: String, title: String }
                  relationships:
                    up: { to: Node, inverse: down }
                    down: { to: Node, many: true, inverse: up }
                  unique: [[id]]
                """
            ) { store in
                let plan = BulkPlan(
                    entity: "Node", key: ["id"], attributes: ["id", "title"],
                    links: [
                        .init(
                            relationship: "up", destination: "Node", attribute: "id",
                            missing: .create)
                    ])
                let outcome = try store.container.load(
                    plan, [["a", "A", "b"], ["b", "B", "c"], ["d", "D", "d"]],
                    batchSize: batchSize)
                #expect(
                    outcome.counts
                        == "1 new, 2 changed, 0 same, 0 superseded, 0 rejected, 3 targets")
                try store.expect(
                    "SELECT n.ZID, n.ZTITLE, u.ZID FROM ZNODE n LEFT JOIN ZNODE u"
                        + " ON u.Z_PK = n.ZUP ORDER BY 1",
                    ["a|A|b", "b|B|c", "c|-|-", "d|D|d"])
            }
        }
    }

    @Test func fillsToManyLinksWithLaterRows() throws {
        try check(
            plan(["blockers"]),
            [
                task(1, "a", nil, [2, 3, 1]), task(2, "b", nil, [1]), task(3, "c", nil, []),
                task(4, "d", nil, [1, 99]),
            ], counts: "3 new, 0 changed, 0 same, 0 superseded, 1 rejected", rejects: ["4 link"],
            query: """
                SELECT a.ZID, b.ZID FROM Z_1BLOCKERS JOIN ZTASK a ON a.Z_PK = Z_1BLOCKED \
                JOIN ZTASK b ON b.Z_PK = Z_1BLOCKERS ORDER BY 1, 2
                """, ["1|1", "1|2", "1|3", "2|1"])
    }

    @Test func resolvesOrRejectsThousandsOfDeferredRows() throws {
        try withStore(LinkedTasks.entities) { store in
            let count: Int64 = 6000
            let records = (1...count).map { id in
                // One third are in pairs, one third never resolve, and one third form one long
                // backward chain.
                switch id % 3 {
                case 0: task(id, "t", nil, .integer(id % 6 == 0 ? id - 3 : id + 3))
                case 1: task(id, "t", nil, .integer(-id))
                default: task(id, "t", nil, id + 3 > count ? nil : .integer(id + 3))
                }
            }
            let outcome = try store.container.load(plan(), records)
            #expect(outcome.counts == "4000 new, 0 changed, 0 same, 0 superseded, 2000 rejected")
        }
    }
}
