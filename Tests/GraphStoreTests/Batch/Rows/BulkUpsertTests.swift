import GraphModel
import GraphStore
import SQLite
import Testing

private let people = """
    Person:
      attributes:
        id: { type: Integer 32, optional: false }
        name: String
        email: String
        rank: { type: Integer 16, default: 1 }
      unique: [[id], [email]]
      indexes:
        byName: [name]
    """
private let plan = BulkPlan(entity: "Person", key: ["id"], attributes: ["id", "name", "email"])

@Suite("Bulk upsert") struct BulkUpsertTests {
    @Test func insertsUpdatesAndSkipsUnchangedRecords() throws {
        try withStore(people) { store in
            let first = try store.container.load(
                plan, [[1, "Ada", "a"], [2, "Bob", "b"], [3, "Cyd", nil]])
            #expect(first.counts == "3 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            let second = try store.container.load(
                plan, [[1, "Ada", "a"], [2, "Rob", "b"], [3, nil, .absent], [4, "Dan", nil]])
            #expect(second.counts == "1 new, 2 changed, 1 same, 0 superseded, 0 rejected")
            try store.expect(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZID, ZNAME, ZEMAIL, ZRANK FROM ZPERSON ORDER BY ZID",
                [
                    "1|1|1|1|Ada|a|1", "2|1|2|2|Rob|b|1", "3|1|2|3|-|-|1", "4|1|1|4|Dan|-|1",
                ])
            try store.expect("SELECT Z_MAX FROM Z_PRIMARYKEY", ["4"])
        }
    }

    @Test func touchesOnlyMappedColumns() throws {
        try withStore(people) { store in
            try store.container.load(plan, [[1, "Ada", "a"]])
            try store.foreign().execute("UPDATE ZPERSON SET ZRANK = 9")
            let names = BulkPlan(entity: "Person", key: ["id"], attributes: ["id", "name"])
            try store.container.load(names, [[1, "Eve"]])
            try store.expect("SELECT ZNAME, ZEMAIL, ZRANK FROM ZPERSON", ["Eve|a|9"])
        }
    }

    @Test func writesNothingTheSecondTime() throws {
        try withStore(people) { store in
            let records: [[TestValue]] = (0..<3000).map { [.integer($0), "n", .text("e\($0)")] }
            try store.container.load(plan, records)
            let before = try store.lines("SELECT * FROM ZPERSON")
            let again = try store.container.load(plan, records, saveEvery: 1000)
            #expect(again.counts == "0 new, 0 changed, 3000 same, 0 superseded, 0 rejected")
            #expect(again.changes == Array(repeating: StoreChange(), count: 4))
            try store.expect("SELECT * FROM ZPERSON", before)
        }
    }

    @Test(arguments: [1, 2, 7, 1000], [1, 3, 1000])
    func countsEachKeyByItsNetChange(batchSize: Int, saveEvery: Int) throws {
        try withStore(people) { store in
            try store.container.load(plan, [[1, "Ada", "a"], [2, "Bob", "b"], [3, "Cyd", "c"]])
            let outcome = try store.container.load(
                plan,
                [
                    [1, "X", .absent], [1, "Ada", .absent],  // restored: same
                    [2, "Bob", "b"], [2, "Rob", .absent],  // changed
                    [3, "Cyd", .absent], [3, "Y", .absent], [3, "Z", .absent],  // changed
                    [4, "Dan", nil], [4, nil, "d"], [4, "Dan", nil],  // new
                ], batchSize: batchSize, saveEvery: saveEvery)
            #expect(outcome.counts == "1 new, 2 changed, 1 same, 6 superseded, 0 rejected")
            try store.expect(
                "SELECT ZID, ZNAME, ZEMAIL FROM ZPERSON ORDER BY ZID",
                ["1|Ada|a", "2|Rob|b", "3|Z|c", "4|Dan|-"])
            // A restored row also gets its old version back, unless it was saved in between.
            let isSavedBetween = batchSize == 1 && saveEvery == 1
            try store.expect(
                "SELECT Z_OPT FROM ZPERSON WHERE ZID = 1", [isSavedBetween ? "3" : "1"])
        }
    }

    @Test(arguments: [1, 1000])
    func keepsTheFirstOfARepeatedKey(batchSize: Int) throws {
        try withStore(people) { store in
            var first = plan
            first.duplicates = .first
            let outcome = try store.container.load(
                first, [[1, "Ada", "a"], [1, "Eve", "e"], [2, "Bob", nil], [1, "Una", nil]],
                batchSize: batchSize)
            #expect(outcome.counts == "2 new, 0 changed, 0 same, 2 superseded, 0 rejected")
            try store.expect("SELECT ZID, ZNAME, ZEMAIL FROM ZPERSON", ["1|Ada|a", "2|Bob|-"])
        }
    }

    @Test(arguments: [1, 1000])
    func rejectsARepeatedKey(batchSize: Int) throws {
        try withStore(people) { store in
            var reject = plan
            reject.duplicates = .reject
            let outcome = try store.container.load(
                reject, [[1, "Ada", "a"], [1, "Eve", "e"], [2, "Bob", nil], [2, "Bob", nil]],
                batchSize: batchSize)
            #expect(outcome.counts == "2 new, 0 changed, 0 same, 0 superseded, 2 rejected")
            #expect(outcome.rejectedCodes == ["2 duplicate", "4 duplicate"])
            try store.expect("SELECT ZID, ZNAME, ZEMAIL FROM ZPERSON", ["1|Ada|a", "2|Bob|-"])
        }
    }

    @Test func rejectsARecordWithoutItsKey() throws {
        try withStore(people) { store in
            let outcome = try store.container.load(plan, [[nil, "Ada"], [.absent, "Bob"], [3]])
            #expect(outcome.rejectedCodes == ["1 key", "2 key"])
            try store.expect("SELECT ZID FROM ZPERSON", ["3"])
        }
    }

    @Test func rejectsRecordsWithoutARequiredProperty() throws {
        try withStore(
            """
            Box:
              attributes:
                id: { type: Integer 32, optional: false }
                label: { type: String, optional: false }
                size: { type: Integer 16, optional: false, default: 3 }
              relationships:
                shelf: { to: Shelf, inverse: boxes, optional: false }
              unique: [[id]]
            Shelf:
              attributes: { code: { type: String, optional: false } }
              relationships:
                boxes: { to: Box, many: true, inverse: shelf, delete: cascade }
              unique: [[code]]
            """
        ) { store in
            let shelves = BulkPlan(entity: "Shelf", key: ["code"], attributes: ["code"])
            try store.container.load(shelves, [["s"]])
            let boxes = BulkPlan(
                entity: "Box", key: ["id"], attributes: ["id", "label", "size"],
                links: [.init(relationship: "shelf", destination: "Shelf", attribute: "code")])
            let outcome = try store.container.load(
                boxes,
                [
                    [1, "one", .absent, "s"], [2, nil, 1, "s"], [3, .absent, 1, "s"],
                    [4, "four", nil, "s"], [5, "five", 1, nil], [6, "six", 1, .absent],
                    [1, .absent, 9, .absent], [1, nil, .absent, .absent],
                ])
            #expect(
                outcome.rejects.map { "\($0.token) \($0.code) \($0.property ?? "-")" } == [
                    "2 required label", "3 required label", "4 required size", "5 required shelf",
                    "6 required shelf", "8 required label",
                ])
            #expect(outcome.counts == "1 new, 0 changed, 0 same, 1 superseded, 6 rejected")
            try store.expect("SELECT ZID, ZLABEL, ZSIZE, ZSHELF FROM ZBOX", ["1|one|9|1"])
        }
    }

    @Test(arguments: [1, 3, 40])
    func rejectsOnlyRecordsThatBreakAnotherConstraint(batchSize: Int) throws {
        try withStore(people) { store in
            try store.container.load(plan, [[1000, "Old", "e5"]])
            let records: [[TestValue]] = (0..<40).map {
                [.integer($0), "n", .text($0 == 20 ? "e3" : "e\($0)")]
            }
            let outcome = try store.container.load(plan, records, batchSize: batchSize)
            #expect(outcome.counts == "38 new, 0 changed, 0 same, 0 superseded, 2 rejected")
            #expect(outcome.rejectedCodes == ["6 unique", "21 unique"])
            try store.expect(
                "SELECT count(*), sum(ZID = 5), sum(ZID = 20) FROM ZPERSON", ["39|0|0"])
            #expect(outcome.changes.reduce(0) { $0 + $1.inserted.count } == 38)
        }
    }

    @Test func rejectsAnUpdateThatBreaksAnotherConstraint() throws {
        try withStore(people) { store in
            try store.container.load(plan, [[1, "Ada", "a"], [2, "Bob", "b"]])
            let outcome = try store.container.load(
                plan, [[2, "Rob", "a"], [1, "Eve", .absent], [2, "Ron", .absent]])
            #expect(outcome.rejectedCodes == ["1 unique"])
            #expect(outcome.counts == "0 new, 2 changed, 0 same, 0 superseded, 1 rejected")
            try store.expect(
                "SELECT ZID, ZNAME, ZEMAIL, Z_OPT FROM ZPERSON", ["1|Eve|a|2", "2|Ron|b|2"])
        }
    }

    @Test(arguments: [1, 2, 1000])
    func rejectsRecordsWhileTheirUniqueValueIsTaken(batchSize: Int) throws {
        try withStore(people) { store in
            try store.container.load(plan, [[1, "Ada", "a"], [2, "Bob", "b"]])
            let outcome = try store.container.load(
                plan,
                [
                    [3, "Cyd", "c"], [1, "Ada", "c"],  // just taken
                    [4, "Dan", "b"], [2, "Bob", "d"],  // not free yet
                    [5, "Eve", "b"],  // free by now
                ], batchSize: batchSize)
            #expect(outcome.rejectedCodes == ["2 unique", "3 unique"])
            try store.expect(
                "SELECT ZID, ZEMAIL FROM ZPERSON ORDER BY ZID", ["1|a", "2|d", "3|c", "5|b"])
        }
    }

    @Test func acceptsAKeyAgainAfterItsFirstRecordWasRejected() throws {
        try withStore(people) { store in
            try store.container.load(plan, [[1, "Ada", "a"]])
            var reject = plan
            reject.duplicates = .reject
            let outcome = try store.container.load(reject, [[2, "Bob", "a"], [2, "Bob", "b"]])
            #expect(outcome.rejectedCodes == ["1 unique"])
            try store.expect("SELECT ZID, ZEMAIL FROM ZPERSON", ["1|a", "2|b"])
        }
    }

    @Test func findsACompositeKey() throws {
        try withStore(
            """
            Price:
              attributes: { shop: String, day: Date, amount: Double }
              unique: [[shop, day]]
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Price", key: ["shop", "day"], attributes: ["amount", "day", "shop"])
            try store.container.load(
                plan, [[1.5, .real(0), "a"], [2.5, .real(0.5), "a"], [3.5, .real(0), "b"]])
            let outcome = try store.container.load(
                plan,
                [[4.5, .real(0.5), "a"], [3.5, 0, "b"], [5.5, .real(1), "b"], [1, nil, "a"]])
            #expect(outcome.counts == "1 new, 1 changed, 1 same, 0 superseded, 1 rejected")
            try store.expect(
                "SELECT ZSHOP, ZDAY, ZAMOUNT FROM ZPRICE ORDER BY 1, 2",
                ["a|0|1.5", "a|0.5|4.5", "b|0|3.5", "b|1|5.5"])
        }
    }

    @Test(
        "finds keys of every type",
        arguments: [
            ("Integer 64", [TestValue.integer(.min), .integer(.max), 0]),
            ("String", ["", "a\0b", "é", "e\u{301}", "😀"]),
            ("UUID", [.blob(Array(repeating: 0, count: 16)), .blob(Array(0..<16))]),
            ("Date", [.real(0), .real(0.25), .real(-1.5), .real(1e9)]),
            ("Double", [0.5, -0.5, 3.0]),
        ] as [(String, [TestValue])])
    func findsKeysOfEveryType(type: String, keys: [TestValue]) throws {
        try withStore(
            """
            Thing:
              attributes: { key: \(type), value: Integer 16 }
              unique: [[key]]
            """
        ) { store in
            let plan = BulkPlan(entity: "Thing", key: ["key"], attributes: ["key", "value"])
            let records = keys.map { [$0, 1] }
            let first = try store.container.load(plan, records + records, batchSize: 2)
            #expect(first.tally.inserted == keys.count)
            #expect(first.tally.superseded == keys.count)
            let second = try store.container.load(plan, records.map { [$0[0], 2] } + records)
            #expect(second.tally.unchanged == keys.count)
            #expect(second.tally.superseded == keys.count)
            try store.expect("SELECT count(*) FROM ZTHING", ["\(keys.count)"])
        }
    }

    @Test func failsIfThePlanDoesNotFitTheModel() throws {
        let store = try TestStore(people)
        let plans = [
            BulkPlan(entity: "Nobody", key: ["id"], attributes: ["id"]),
            BulkPlan(entity: "Person", key: ["id"], attributes: ["name"]),
            BulkPlan(entity: "Person", key: ["id"], attributes: ["id", "nothing"]),
            BulkPlan(
                entity: "Person", key: ["id"], attributes: ["id"],
                links: [.init(relationship: "boss", destination: "Person", attribute: "id")]),
        ]
        for plan in plans {
            let context = store.container.newContext()
            let error = storeError { _ = try context.bulkWriter(for: plan) }
            #expect(error?.code == .invalidRequest)
            #expect(!context.hasChanges)
        }
    }
}

@Suite("Bulk upsert in an entity hierarchy") struct BulkFamilyTests {
    private let family = """
        Item:
          abstract: true
          attributes: { code: String, size: { type: Integer 16, default: 2 } }
          unique: [[code]]
        Book: { parent: Item, attributes: { title: String } }
        Film: { parent: Item, attributes: { title: String } }
        Novel: { parent: Book, attributes: { author: String } }
        """

    @Test func rejectsTheKeyOfAnotherEntity() throws {
        try withStore(family) { store in
            let books = BulkPlan(entity: "Book", key: ["code"], attributes: ["code", "title"])
            let films = BulkPlan(entity: "Film", key: ["code"], attributes: ["code", "title"])
            try store.container.load(books, [["a", "A"]])
            for keyMemory in [192 << 20, 0] {
                let outcome = try store.container.load(
                    films, [["a", "F"], ["f", "F"]], keyMemoryBytes: keyMemory)
                #expect(outcome.rejectedCodes == ["1 unique"])
                #expect(
                    outcome.rejects.map(\.message) == ["The key belongs to an object of Book"])
            }
            try store.expect(
                "SELECT Z_ENT, ZCODE, ZTITLE, ZTITLE1, ZSIZE FROM ZITEM",
                ["2|a|A|-|2", "4|f|-|F|2"])
        }
    }

    @Test func failsIfThePlanCreatesObjectsOfAnAbstractEntity() throws {
        let store = try TestStore(
            family + "\nShelf:\n  attributes: { name: String }\n  relationships:"
                + " { top: { to: Item } }\n  unique: [[name]]")
        let plans = [
            BulkPlan(entity: "Item", key: ["code"], attributes: ["code"]),
            BulkPlan(
                entity: "Shelf", key: ["name"], attributes: ["name"],
                links: [
                    .init(
                        relationship: "top", destination: "Item", attribute: "code",
                        missing: .create)
                ]),
        ]
        for plan in plans {
            let context = store.container.newContext()
            let error = storeError { _ = try context.bulkWriter(for: plan) }
            #expect(error?.code == .invalidRequest)
            #expect(!context.hasChanges)
        }
    }

    @Test func updatesAnObjectOfASubentity() throws {
        try withStore(family) { store in
            let novels = BulkPlan(entity: "Novel", key: ["code"], attributes: ["code", "author"])
            let books = BulkPlan(entity: "Book", key: ["code"], attributes: ["code", "title"])
            try store.container.load(novels, [["n", "Joyce"]])
            let outcome = try store.container.load(books, [["n", "Ulysses"]])
            #expect(outcome.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            #expect(
                outcome.changes.map(\.updated.ids) == [
                    [ManagedObjectID(entityNumber: 3, primaryKey: 1)]
                ])
            try store.expect(
                "SELECT Z_ENT, ZCODE, ZTITLE, ZAUTHOR FROM ZITEM", ["3|n|Ulysses|Joyce"])
        }
    }
}
