import GraphModel
import GraphStore
import TestSeeds
import Testing

private let entities = """
    Driver:
      attributes: { name: String }
      relationships:
        car: { to: Car, inverse: driver }
        friend: { to: Driver, inverse: friend }
        boxes: { to: Box, many: true, inverse: driver }
        steps: { to: Step, many: true, ordered: true, inverse: driver }
      unique: [[name]]
    Car:
      attributes: { plate: String }
      relationships: { driver: { to: Driver, inverse: car } }
      unique: [[plate]]
    Truck: { parent: Car }
    Box:
      attributes: { label: String }
      relationships: { driver: { to: Driver, inverse: boxes } }
      unique: [[label]]
    Step:
      attributes: { number: Integer 16 }
      relationships: { driver: { to: Driver, inverse: steps } }
      unique: [[number]]
    """

private let everything = [
    "SELECT ZNAME, ZCAR, ZFRIEND, Z_OPT FROM ZDRIVER ORDER BY 1",
    "SELECT ZPLATE, ZDRIVER, Z_OPT FROM ZCAR ORDER BY 1",
    "SELECT ZLABEL, ZDRIVER, Z_OPT FROM ZBOX ORDER BY 1",
    "SELECT ZNUMBER, ZDRIVER, Z_FOK_DRIVER, Z_OPT FROM ZSTEP ORDER BY 1",
]

private func withoutVersions(_ tables: [[String]]) -> [[Substring]] {
    tables.map { $0.map { $0[..<($0.lastIndex(of: "|") ?? $0.endIndex)] } }
}

/// Returns the plan of a driver's record: name, car, friend, boxes, steps.
private func plan(_ links: [String] = ["car", "friend", "boxes", "steps"]) -> BulkPlan {
    let destinations = [
        "car": ("Car", "plate"), "friend": ("Driver", "name"), "boxes": ("Box", "label"),
        "steps": ("Step", "number"),
    ]
    return BulkPlan(
        entity: "Driver", key: ["name"], attributes: ["name"],
        links: links.compactMap { name in
            destinations[name].map { destination, attribute in
                .init(
                    relationship: name, destination: destination, attribute: attribute,
                    missing: name == "friend" ? .null : .create)
            }
        })
}

@Suite("Bulk records that link the same object") struct BulkRivalTests {
    @Test(
        arguments: [
            ("car", [["a", "x"], ["b", "x"], ["c", "y"]], 2),
            ("boxes", [["a", ["p", "q"]], ["b", ["q", "r"]], ["c", []]], 3),
            ("steps", [["a", [3, 1, 2]], ["b", [2, 4, 1]], ["c", [5]]], 5),
        ] as [(String, [[TestValue]], Int)])
    func countsNoChangesIfTheSameRecordsAreLoadedAgain(
        link: String, records: [[TestValue]], targets: Int
    ) throws {
        try withStore(entities) { store in
            let first = try store.container.load(plan([link]), records)
            #expect(
                first.counts == "3 new, 0 changed, 0 same, 0 superseded, 0 rejected, "
                    + "\(targets) targets")
            var rows = try everything.map { try store.lines($0) }
            let driver = try store.integer("SELECT DISTINCT Z_ENT FROM ZDRIVER")
            for saveEvery in [1, 2, .max] {
                let again = try store.container.load(
                    plan([link]), records, batchSize: 1, saveEvery: saveEvery)
                #expect(again.counts == "0 new, 0 changed, 3 same, 0 superseded, 0 rejected")
                let now = try everything.map { try store.lines($0) }
                if saveEvery == .max {
                    #expect(now == rows)
                } else {
                    // A save's changes increment versions, and the next save does not restore them.
                    #expect(withoutVersions(now) == withoutVersions(rows))
                    rows = now
                }
                if saveEvery == .max {
                    let drivers = again.changes[0].updated.ids.filter { $0.entityNumber == driver }
                    #expect(drivers == [])
                }
            }
        }
    }

    @Test func countsOwnersThatLoseAnObjectOnlyIfTheyHaveARecord() throws {
        try withStore(entities) { store in
            try store.container.load(plan(["car"]), [["a", "x"], ["b", "y"]])
            let swapped = try store.container.load(plan(["car"]), [["b", "x"], ["a", "y"]])
            #expect(swapped.counts == "0 new, 2 changed, 0 same, 0 superseded, 0 rejected")
            let taken = try store.container.load(plan(["car"]), [["b", "y"]])
            #expect(taken.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            let given = try store.container.load(plan(["car"]), [["a", nil], ["b", "y"]])
            #expect(given.counts == "0 new, 0 changed, 2 same, 0 superseded, 0 rejected")
        }
    }

    @Test(arguments: [1, 100])
    func changeThatIsUndoneBeforeTheSaveIsNotReported(batchSize: Int) throws {
        let item = """
            Item:
              attributes: { id: Integer 32, title: String }
              unique: [[id]]
            """
        let store = try TestStore(model(item), history: HistoryOptions())
        let plan = BulkPlan(entity: "Item", key: ["id"], attributes: ["id", "title"])
        let records: [[TestValue]] = [[1, "a"], [2, "b"], [1, "c"]]
        try store.container.load(plan, records)
        let history = try store.integer("SELECT count(*) FROM ACHANGE")
        let again = try store.container.load(plan, records, batchSize: batchSize)
        #expect(again.counts == "0 new, 0 changed, 2 same, 1 superseded, 0 rejected")
        #expect(again.changes == [StoreChange()])
        #expect(try store.integer("SELECT count(*) FROM ACHANGE") == history)
        try store.expect("SELECT ZTITLE, Z_OPT FROM ZITEM ORDER BY ZID", ["c|1", "b|1"])
        // With a save in between, both saves have changed the row.
        let twice = try store.container.load(plan, records, batchSize: 1, saveEvery: 1)
        #expect(twice.changes.map(\.updated.ids.count) == [1, 0, 1, 0])
        try store.checkIntegrity()
    }

    @Test func linkingTwoFriendsCountsBothAsChanged() throws {
        try withStore(entities) { store in
            try store.container.load(plan(["friend"]), [["a", nil], ["b", nil]])
            let joined = try store.container.load(plan(["friend"]), [["a", "b"], ["b", "a"]])
            #expect(joined.counts == "0 new, 2 changed, 0 same, 0 superseded, 0 rejected")
            let again = try store.container.load(plan(["friend"]), [["a", "b"], ["b", "a"]])
            #expect(again.counts == "0 new, 0 changed, 2 same, 0 superseded, 0 rejected")
        }
    }

    @Test func skippedRowStaysSkippedIfAnotherRecordTakesItsObject() throws {
        try withStore(entities) { store in
            try store.container.load(plan(["car"]), [["a", "x"]])
            var skipping = plan(["car"])
            skipping.found = .skip
            let outcome = try store.container.load(skipping, [["a", "z"], ["b", "x"]])
            #expect(outcome.counts == "1 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            #expect(outcome.tally.skipped == 1)
        }
    }

    @Test func resumingAfterEachSaveGivesTheSameResult() throws {
        try withStore(entities) { store in
            let records: [[TestValue]] = [
                ["a", "x", nil, ["p", "q"], [1, 2]], ["b", "x", "a", ["q"], [2, 1]],
                ["c", "y", "a", ["p"], [3]],
            ]
            try store.container.load(plan(), records)
            let rows = try everything.map { try store.lines($0) }
            let beginning = store.container.newContext()
            try beginning.beginProgressNotes()
            try beginning.save()
            var tally = BulkTally()
            for (number, record) in records.enumerated() {
                // A new process each time, which reads the notes of the previous one.
                let context = store.container.newContext()
                let writer = try context.bulkWriter(for: plan(), isResumable: true)
                let batch = RowBatch(width: plan().width)
                batch.add(record)
                try writer.apply(batch, firstToken: Int64(number + 1))
                if number == records.count - 1 { try writer.finish() }
                try writer.flush()
                try writer.noteState()
                try context.save()
                tally = writer.tally
            }
            #expect(tally.updated == 0)
            #expect(tally.unchanged == 3)
            let now = try everything.map { try store.lines($0) }
            #expect(withoutVersions(now) == withoutVersions(rows))
        }
    }

    @Test(arguments: UInt64(1)...60)
    func secondLoadOfRandomRecordsUpdatesNothing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func some<T>(_ values: [T]) -> T {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        func list(_ values: [TestValue]) -> TestValue {
            .list(
                Array(values.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
            )
        }
        let names: [TestValue] = ["a", "b", "c", "d"]
        let records: [[TestValue]] = (0..<Int.random(in: 2...9, using: &random)).map { _ in
            [
                some(names), some(["x", "y", "z", nil, .absent]), some(names + [nil, .absent]),
                some([list(["p", "q", "r"]), .absent]), some([list([1, 2, 3, 4]), .absent]),
            ]
        }
        try withStore(entities) { store in
            try store.container.load(plan(), names.map { [$0] })
            try store.container.load(plan(), records)
            let rows = try everything.map { try store.lines($0) }
            let again = try store.container.load(
                plan(), records, batchSize: 1, saveEvery: Int.random(in: 1...4, using: &random))
            #expect(again.tally.updated == 0, "seed \(seed): \(records)")
            #expect(again.tally.inserted == 0, "seed \(seed)")
            let now = try everything.map { try store.lines($0) }
            #expect(
                withoutVersions(now) == withoutVersions(rows), "seed \(seed): \(records)")
        }
    }
}
