import GraphModel
import GraphStore
import SQLite
import Testing

@Suite("Columns of bulk loads") struct BulkColumnTests {
    /// There are more sets of columns than statements that write only some columns.
    @Test("records that set any of their attributes change no other")
    func sets() throws {
        let names = (0..<7).map { "a\($0)" }
        let attributes = names.map { "\($0): Integer 32" }.joined(separator: ", ")
        try withStore(
            """
            Thing:
              attributes: { id: { type: Integer 32, optional: false }, \(attributes) }
              unique: [[id]]
            """
        ) { store in
            let plan = BulkPlan(entity: "Thing", key: ["id"], attributes: ["id"] + names)
            func records(_ value: TestValue, but other: TestValue) -> [[TestValue]] {
                (0..<128).map { id -> [TestValue] in
                    [.integer(Int64(id))] + names.indices.map { id >> $0 & 1 == 1 ? value : other }
                }
            }
            try store.container.load(plan, records(0, but: 0))
            let outcome = try store.container.load(plan, records(1, but: .absent))
            #expect(outcome.counts == "0 new, 127 changed, 1 same, 0 superseded, 0 rejected")
            let sum = names.indices.map { "\(1 << $0) * ZA\($0)" }.joined(separator: " + ")
            try store.expect("SELECT count(*) FROM ZTHING WHERE \(sum) = ZID", ["128"])
            try store.expect(
                "SELECT Z_OPT, count(*) FROM ZTHING GROUP BY 1 ORDER BY 1", ["1|1", "2|127"])
        }
    }

    @Test("a record of more than a megabyte between small ones")
    func large() throws {
        try withStore("Thing: { attributes: { id: Integer 32, text: String }, unique: [[id]] }") {
            store in
            let plan = BulkPlan(entity: "Thing", key: ["id"], attributes: ["id", "text"])
            let text = String(repeating: "x", count: 3 << 20)
            let outcome = try store.container.load(
                plan, [[1, "a"], [2, .text(text)], [3, "c"]], batchSize: 1)
            #expect(outcome.counts == "3 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(
                "SELECT ZID, length(ZTEXT), substr(ZTEXT, 1, 1) FROM ZTHING ORDER BY 1",
                ["1|1|a", "2|\(3 << 20)|x", "3|1|c"])
        }
    }

    @Test(
        "rejects a record that breaks a constraint of another program",
        arguments: [
            ("ZNAME", "Another object has name 'a'"),
            ("Z_ENT", "Another object has these values: UNIQUE constraint failed: ZTASK.Z_ENT"),
        ])
    func foreignConstraint(column: String, message: String) throws {
        try withStore(
            """
            Task:
              attributes: { id: Integer 32, name: String }
              relationships: { related: { to: Task, many: true, inverse: related } }
              unique: [[id]]
            """
        ) { store in
            try store.foreign().execute("CREATE UNIQUE INDEX foreign_index ON ZTASK (\(column))")
            let plan = BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id", "name"],
                links: [.init(relationship: "related", destination: "Task", attribute: "id")])
            let outcome = try store.container.load(
                plan, [[1, "a", []], [2, "a", [1]], [3, "a", [2]]])
            #expect(outcome.rejectedCodes == ["2 unique", "3 link"])
            let messages = outcome.rejects.filter { $0.token == 2 }.map(\.message)
            #expect(messages.count == 1 && messages[0].hasPrefix(message), "\(messages)")
            try store.expect("SELECT ZID FROM ZTASK", ["1"])
            try store.expect("SELECT count(*) FROM Z_1RELATED", ["0"])
        }
    }

    @Test("rejects a record whose row belongs to an entity that the model does not have")
    func unknownEntity() throws {
        let store = try TestStore(
            "Thing: { attributes: { id: Integer 32, text: String }, unique: [[id]] }")
        let plan = BulkPlan(entity: "Thing", key: ["id"], attributes: ["id", "text"])
        try store.container.load(plan, [[1, "a"], [2, "b"]])
        try store.foreign().execute("UPDATE ZTHING SET Z_ENT = 9 WHERE ZID = 2")
        let outcome = try store.container.load(plan, [[1, "x"], [2, "y"]])
        #expect(
            outcome.rejects.map { "\($0.token) \($0.code): \($0.message)" }
                == ["2 unique: The key belongs to an object of another entity"])
        try store.expect("SELECT ZID, ZTEXT FROM ZTHING ORDER BY 1", ["1|x", "2|b"])
    }

    @Test("fails if the plan names properties that cannot be written or found")
    func unfitPlans() throws {
        let store = try TestStore(
            """
            Task:
              attributes:
                id: Integer 32
                name: String
                lower: { type: String, derived: "lowercase:(name)" }
              relationships: { owner: { to: Person, inverse: tasks } }
              unique: [[id]]
            Person:
              attributes: { name: String }
              relationships:
                tasks: { to: Task, many: true, inverse: owner }
                home: { to: Place, inverse: residents }
              unique: [[name]]
            Place:
              attributes: { name: String }
              relationships: { residents: { to: Person, many: true, inverse: home } }
            """)
        func plan(_ key: [BulkPlan.KeyPart], _ missing: BulkPlan.MissingPolicy) -> BulkPlan {
            BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id"],
                links: [
                    .init(relationship: "owner", destination: "Person", key: key, missing: missing)
                ])
        }
        let place = BulkPlan.KeyPart("nowhere", to: "Place", by: [BulkPlan.KeyPart("name")])
        let unfit: [(plan: BulkPlan, message: String)] = [
            (
                BulkPlan(entity: "Task", key: ["id"], attributes: ["id", "lower"]),
                "'Task.lower' is derived, so no record can set it"
            ),
            (plan([BulkPlan.KeyPart("nothing")], .reject), "There is no 'Person' with nothing"),
            (plan([place], .reject), "There is no 'Person' with nowhere"),
            (
                plan([BulkPlan.KeyPart(ObjectNumber.explicitKey)], .create),
                "`missing: create` cannot make a 'Person' of a given number"
            ),
        ]
        for (plan, message) in unfit {
            let context = store.container.newContext()
            let error = storeError { _ = try context.bulkWriter(for: plan) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message == message)
            #expect(!context.hasChanges)
        }
    }

    private static func items(_ more: String = "") -> String {
        """
        Item:
          attributes: { name: String, size: Integer 32 }
          relationships:
            label: { to: Label, inverse: item }
            notes: { to: Note, many: true, inverse: item }
          unique: [[name]]\(more)
        Label:
          attributes: { text: String }
          relationships: { item: { to: Item, inverse: label } }
          unique: [[text]]
        Note:
          attributes: { id: Integer 32 }
          relationships: { item: { to: Item, inverse: notes } }
          unique: [[id]]
        """
    }

    @Test("fails if a key needs a relationship that only rows of another table store")
    func unstoredKeys() throws {
        let store = try TestStore(model(Self.items()), without: ["ZITEM.ZLABEL"])
        let label = BulkPlan.KeyPart("label", to: "Label", by: [BulkPlan.KeyPart("text")])
        let notes = BulkPlan(
            entity: "Note", key: ["id"], attributes: ["id"],
            links: [.init(relationship: "item", destination: "Item", key: [label])])
        var item = BulkPlan.Link(relationship: "item", destination: "Item", attribute: "name")
        item.nested = BulkPlan(entity: "Item", key: ["name", "label"], attributes: ["name"])
        item.nested?.owner = "label"
        let labels = BulkPlan(entity: "Label", key: ["text"], attributes: ["text"], links: [item])
        for (plan, message) in [
            (
                notes,
                "'Item.label' cannot be part of a key in this store, which keeps the relationship"
                    + " on its other side only; use other properties"
            ),
            (
                labels,
                "'Item.label' has no column in this store, so it cannot be part of a key; use other"
                    + " properties"
            ),
        ] {
            let context = store.container.newContext()
            let error = storeError { _ = try context.bulkWriter(for: plan) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message == message)
            #expect(!context.hasChanges)
        }
    }

    @Test(
        "a rule reads a relationship that only rows of another table store",
        arguments: [[], ["ZITEM.ZLABEL"], ["ZLABEL.ZITEM"]])
    func ruleOverUnstoredLink(dropped: [String]) throws {
        let rule = "\n  validate: [{ rule: \"label != nil\", message: \"no label\" }]"
        let store = try TestStore(model(Self.items(rule)), without: dropped)
        try store.container.load(
            BulkPlan(entity: "Label", key: ["text"], attributes: ["text"]), [["x"]])
        let plan = BulkPlan(entity: "Item", key: ["name"], attributes: ["name", "size"])
        var linked = plan
        linked.links = [.init(relationship: "label", destination: "Label", attribute: "text")]
        let first = try store.container.load(linked, [["a", 1, "x"], ["b", 1, nil]])
        #expect(first.counts == "1 new, 0 changed, 0 same, 0 superseded, 1 rejected")
        // The second load does not write the relationship.
        let second = try store.container.load(plan, [["a", 2], ["c", 2]])
        #expect(second.counts == "0 new, 1 changed, 0 same, 0 superseded, 1 rejected")
        #expect((first.rejects + second.rejects).map(\.message) == ["no label", "no label"])
        try store.expect("SELECT ZNAME, ZSIZE FROM ZITEM", ["a|2"])
        try store.checkIntegrity()
    }
}
