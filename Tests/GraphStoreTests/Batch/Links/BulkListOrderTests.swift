import GraphModel
import GraphStore
import SQLite
import Testing

/// Records that set both ends of an ordered relationship in one load.
@Suite("Bulk lists whose objects name their owner") struct BulkListOrderTests {
    private static let entities = """
        Node:
          attributes: { name: { type: String, optional: false } }
          relationships:
            kids: { to: Node, many: true, ordered: true, inverse: boss }
            boss: { to: Node, inverse: kids }
            favorites: { to: Node, many: true, ordered: true, inverse: folders }
            folders: { to: Node, many: true, inverse: favorites }
          unique: [[name]]
        """

    /// A relationship with a list, and how an object names its owner `b`.
    struct Ends: Sendable, CustomTestStringConvertible {
        var list: String
        var inverse: String
        var owner: TestValue
        var nothing: TestValue
        var testDescription: String { list }

        static let all = [
            Ends(list: "kids", inverse: "boss", owner: "b", nothing: nil),
            Ends(list: "favorites", inverse: "folders", owner: ["b"], nothing: []),
        ]

        var plan: BulkPlan {
            BulkPlan(
                entity: "Node", key: ["name"], attributes: ["name"],
                links: [inverse, list].map {
                    .init(relationship: $0, destination: "Node", attribute: "name")
                })
        }

        /// Returns the names in the list of `b`.
        func names(in store: TestStore) throws -> [String] {
            let context = store.context()
            defer { withExtendedLifetime(context) {} }
            var request = FetchRequest<ManagedObject>(entityName: "Node")
            request.predicate = try GraphPredicate(format: "name == 'b'")
            let owner = try #require(try context.fetch(request).first)
            return owner[.toMany(list)].map { $0[.string("name")] ?? "?" }
        }
    }

    private static func orders(of records: [[TestValue]]) -> [[[TestValue]]] {
        guard records.count > 1 else { return [records] }
        return records.indices.flatMap { index in
            var others = records
            let first = others.remove(at: index)
            return orders(of: others).map { [first] + $0 }
        }
    }

    private func expectNoFaults(in store: TestStore, _ order: [[TestValue]]) throws {
        let findings = try PersistentContainer.verify(at: store.path, .full).findings
        #expect(findings.map(\.description) == [], "\(order)")
    }

    @Test("the owner's list decides the order, in any sequence of the records", arguments: Ends.all)
    func list(_ ends: Ends) throws {
        let records: [[TestValue]] = [
            ["b", ends.nothing, ["x", "y", "z"]], ["x", ends.owner, []], ["y", ends.owner, []],
            ["z", ends.owner, []],
        ]
        for order in Self.orders(of: records) {
            try withStore(Self.entities) { store in
                let first = try store.container.load(ends.plan, order)
                #expect(first.counts == "4 new, 0 changed, 0 same, 0 superseded, 0 rejected")
                #expect(try ends.names(in: store) == ["x", "y", "z"], "\(order)")
                try expectNoFaults(in: store, order)
                let again = try store.container.load(ends.plan, order)
                #expect(
                    again.counts == "0 new, 0 changed, 4 same, 0 superseded, 0 rejected",
                    "\(order)")
            }
        }
    }

    @Test("objects that later records add or move follow the list or leave it", arguments: Ends.all)
    func laterRecords(_ ends: Ends) throws {
        // 'y' leaves the list, 'w' comes to it, and 'x' and 'z' name the owner that they have.
        let records: [[TestValue]] = [
            ["b", ends.nothing, ["z", "y", "x"]], ["x", ends.owner, []], ["y", ends.nothing, []],
            ["w", ends.owner, []], ["z", ends.owner, []],
        ]
        try withStore(Self.entities) { store in
            try store.container.load(ends.plan, records)
            #expect(try ends.names(in: store) == ["z", "x", "w"])
            try expectNoFaults(in: store, records)
        }
        // The same if all objects exist, and no record is deferred.
        try withStore(Self.entities) { store in
            try store.container.load(
                BulkPlan(entity: "Node", key: ["name"], attributes: ["name"]),
                ["b", "x", "y", "z", "w"].map { [$0] })
            try store.container.load(ends.plan, records)
            #expect(try ends.names(in: store) == ["z", "x", "w"])
        }
    }

    @Test("a list separates objects that a damaged store has in one place")
    func samePlace() throws {
        let ends = Ends.all[0]
        try withStore(Self.entities) { store in
            let records: [[TestValue]] = [
                ["x", nil, []], ["y", nil, []], ["b", nil, ["x", "y"]],
            ]
            try store.container.load(ends.plan, records)
            try store.foreign().execute("UPDATE ZNODE SET Z_FOK_BOSS = 1024 WHERE ZNAME = 'y'")
            try store.container.load(ends.plan, [["b", nil, ["x", "y"]]])
            try store.expect(
                "SELECT ZNAME, Z_FOK_BOSS FROM ZNODE WHERE ZBOSS IS NOT NULL ORDER BY 1",
                ["x|1024", "y|2048"])
        }
    }
}
