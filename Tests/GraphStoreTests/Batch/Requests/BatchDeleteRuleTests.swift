import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// What a batch delete does with the objects that stay, beyond the delete rules.
@Suite("Batch delete and the remaining objects") struct BatchDeleteRuleTests {
    private func delete(
        _ entity: String, _ predicate: String? = nil, rules: BatchDeleteRules = .enforce,
        in store: TestStore
    ) throws -> (BatchDeleteResult, StoreChange) {
        let context = store.container.newContext()
        var request = BatchDeleteRequest(
            entityName: entity, predicate: try predicate.map { try GraphPredicate(format: $0) })
        request.rules = rules
        let result = try context.write(request)
        return (result, try context.save().change)
    }

    /// Returns the message of a deletion that is refused; `nil` if it is not.
    private func refusal(_ entity: String, _ predicate: String, in store: TestStore) -> String? {
        storeError { _ = try delete(entity, predicate, in: store) }?.message
    }

    /// Inserts rows by SQL, and raises the counters of the keys.
    private func fill(_ store: TestStore, _ sql: String) throws {
        let connection = try store.foreign()
        try connection.execute(sql)
        for entity in store.container.schema.entities where entity.superNumber == 0 {
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT ifnull(max(Z_PK), 0) FROM \(entity.table))"
                    + " WHERE Z_ENT = \(entity.number)")
        }
    }

    private func findings(_ store: TestStore) throws -> [String] {
        try PersistentContainer.verify(at: store.path, .full).findings.map(\.description)
    }

    @Test("names the first objects that would lose a required object")
    func names() throws {
        try withStore(
            """
            A: { relationships: { bs: { to: B, many: true, inverse: a } } }
            B: { relationships: { a: { to: A, inverse: bs, optional: false } } }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
                INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) SELECT i, 2, 1, 1 FROM n
                """)
            #expect(
                refusal("A", "TRUEPREDICATE", in: store)
                    == "7 objects of B would lose their required 'a' (objects 1, 2, 3, 4, 5, …);"
                    + " delete them too, or make 'a' optional")
        }
    }

    // MARK: Relationships without an inverse

    /// Message 1 (Reply 2), Team 3, User 4 (Admin 5).
    private static func messages(_ option: String = "") -> String {
        """
        Message: { relationships: { sender: { to: User\(option) } } }
        Reply: { parent: Message }
        Team: { relationships: { users: { to: User, many: true, inverse: team, delete: cascade } } }
        User:
          attributes: { name: String }
          relationships: { team: { to: Team, inverse: users } }
        Admin: { parent: User }
        """
    }

    private func fillMessages(_ store: TestStore) throws {
        try fill(
            store,
            """
            INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1);
            INSERT INTO ZUSER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZTEAM) VALUES
                (1, 4, 1, 'a', NULL), (2, 5, 1, 'b', NULL), (3, 4, 1, 'c', 1);
            INSERT INTO ZMESSAGE (Z_PK, Z_ENT, Z_OPT, ZSENDER, Z4_SENDER) VALUES
                (1, 1, 1, 1, 4), (2, 2, 1, 2, 5), (3, 1, 1, 3, 4), (4, 1, 1, 2, 5)
            """)
    }

    private static let senders = "SELECT Z_PK, ZSENDER, Z4_SENDER, Z_OPT FROM ZMESSAGE ORDER BY 1"

    @Test("clears links to deleted objects that have no inverse")
    func oneWayLinks() throws {
        try withStore(Self.messages()) { store in
            try fillMessages(store)
            let (result, change) = try delete("User", "name IN {'a', 'b'}", in: store)
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 2, deleted: 2, denied: 0, cascaded: [:], nullified: 3))
            #expect(change.deleted.ranges == [4: [1...1], 5: [2...2]])
            #expect(change.updated.ranges == [1: [1...1, 4...4], 2: [2...2]])
            try store.expect(Self.senders, ["1|-|-|2", "2|-|-|2", "3|3|4|1", "4|-|-|2"])
            #expect(try findings(store) == [])
            // The same for objects that a cascade deletes.
            let (cascade, _) = try delete("Team", in: store)
            #expect(
                cascade
                    == BatchDeleteResult(
                        matched: 1, deleted: 1, denied: 0, cascaded: ["User": 1], nullified: 1))
            try store.expect(Self.senders, ["1|-|-|2", "2|-|-|2", "3|-|-|2", "4|-|-|2"])
            #expect(try findings(store) == [])
        }
    }

    @Test("leaves links without an inverse if the request or a context ignores them")
    func keptOneWayLinks() throws {
        let before = ["1|1|4|1", "2|2|5|1", "3|3|4|1", "4|2|5|1"]
        try withStore(Self.messages()) { store in
            try fillMessages(store)
            let (result, _) = try delete("User", "name == 'a'", rules: .ignore, in: store)
            #expect(result.nullified == 0)
            try store.expect(Self.senders, before)
            let context = store.context()
            var request = FetchRequest<ManagedObject>(entityName: "User")
            request.predicate = try GraphPredicate(format: "name == 'b'")
            context.delete(try #require(try context.fetch(request).first))
            try context.save()
            try store.expect(Self.senders, before)
            #expect(
                try findings(store) == ["Message.sender: 3 links lead nowhere (objects 1, 2, 4)"])
        }
    }

    @Test("fails if a required link without an inverse would be cleared")
    func requiredOneWayLinks() throws {
        try withStore(Self.messages(", optional: false")) { store in
            try fillMessages(store)
            #expect(
                refusal("User", "name == 'b'", in: store)
                    == "2 objects of Message would lose their required 'sender' (objects 2, 4);"
                    + " delete them too, or make 'sender' optional")
            #expect(
                refusal("Team", "TRUEPREDICATE", in: store)
                    == "1 object of Message would lose its required 'sender' (object 3);"
                    + " delete it too, or make 'sender' optional")
            try store.expect(Self.senders, ["1|1|4|1", "2|2|5|1", "3|3|4|1", "4|2|5|1"])
        }
    }

    @Test("clears links within one table, but not those of deleted objects")
    func oneWayLinksInOneTable() throws {
        try withStore(
            "Node: { attributes: { name: String }, relationships: { next: { to: Node } } }"
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZNODE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZNEXT) VALUES
                    (1, 1, 1, 'a', 2), (2, 1, 1, 'b', 3), (3, 1, 1, 'c', 4), (4, 1, 1, 'd', 4)
                """)
            let (result, change) = try delete("Node", "name IN {'b', 'c'}", in: store)
            #expect(result.nullified == 1)
            #expect(change.updated.ranges == [1: [1...1]])
            try store.expect(
                "SELECT Z_PK, ZNEXT, Z_OPT FROM ZNODE ORDER BY 1", ["1|-|2", "4|4|1"])
        }
    }
}
