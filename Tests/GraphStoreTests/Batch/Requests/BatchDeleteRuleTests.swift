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

    // MARK: Minimum counts

    private static func boxes(_ rule: String = "nullify") -> String {
        """
        Box:
          relationships:
            items: { to: Item, many: true, inverse: box, count: 2..3, optional: false, delete: cascade }
        Item:
          attributes: { name: String }
          relationships: { box: { to: Box, inverse: items, delete: \(rule) } }
        """
    }

    private func fillBoxes(_ store: TestStore) throws {
        try fill(
            store,
            """
            INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBOX) VALUES (1, 2, 1, 'a', 1),
                (2, 2, 1, 'b', 1), (3, 2, 1, 'c', 2), (4, 2, 1, 'd', 2), (5, 2, 1, 'e', 2)
            """)
    }

    @Test("fails if an object would keep fewer objects than its minimum")
    func minimum() throws {
        try withStore(Self.boxes()) { store in
            try fillBoxes(store)
            #expect(
                refusal("Item", "name == 'a'", in: store)
                    == "1 object of Box would have fewer than 2 objects in 'items' (object 1);"
                    + " delete it too, or lower the minimum count")
            #expect(
                refusal("Item", "TRUEPREDICATE", in: store)
                    == "2 objects of Box would have fewer than 2 objects in 'items' (objects 1, 2);"
                    + " delete them too, or lower the minimum count")
            #expect(try delete("Item", "name == 'c'", in: store).0.deleted == 1)
            // The owner is deleted, too.
            #expect(try delete("Box", "ANY items.name == 'a'", in: store).0.deleted == 1)
            try store.expect("SELECT Z_PK, ZBOX FROM ZITEM ORDER BY 1", ["4|2", "5|2"])
            #expect(try findings(store) == [])
        }
    }

    @Test("a save fails if a deletion leaves too few objects to an object that is not in memory")
    func minimumInContext() throws {
        try withStore(Self.boxes()) { store in
            try fillBoxes(store)
            let context = store.context()
            var request = FetchRequest<ManagedObject>(entityName: "Item")
            request.predicate = try GraphPredicate(format: "name == 'a'")
            context.delete(try #require(try context.fetch(request).first))
            let failures = storeError { _ = try context.save() }?.validationError?.failures
            #expect(
                failures?.map(\.description)
                    == ["'items' must have 2 objects at least, and has 1 [1580, Box p1]"])
        }
    }

    @Test("deletes below a minimum if the rules are ignored or do nothing")
    func ignoredMinimum() throws {
        for (rule, rules) in [("nullify", BatchDeleteRules.ignore), ("no action", .enforce)] {
            try withStore(Self.boxes(rule)) { store in
                try fillBoxes(store)
                let (result, _) = try delete(
                    "Item", "name IN {'a', 'c', 'd'}", rules: rules, in: store)
                #expect(result.deleted == 3)
            }
        }
    }

    @Test("an optional relationship with a minimum may become empty")
    func optionalMinimum() throws {
        try withStore(
            """
            Tag:
              attributes: { name: String }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
            Task: { relationships: { tags: { to: Tag, many: true, inverse: tasks, count: 2..3 } } }
            """
        ) { store in
            let context = store.context()
            let tags = try ["a", "b"].map { name in
                let tag = try context.insert("Tag")
                tag[.string("name")] = name
                return tag
            }
            try context.insert("Task")[.toMany("tags")] = tags
            try context.save()
            #expect(
                refusal("Tag", "name == 'a'", in: store)
                    == "1 object of Task would have fewer than 2 objects in 'tags' (object 1);"
                    + " delete it too, or lower the minimum count")
            #expect(try delete("Tag", in: store).0.deleted == 2)
            #expect(try findings(store) == [])
        }
    }
}
