import GraphModel
import GraphStore
import Testing

/// Rules over attributes of all types, in loads that write only some of them, and in saves.
@Suite("Rules over attributes of all types") struct BulkRuleTests {
    /// A rule that compares an attribute of the record with one that only the row has.
    struct Comparison: Sendable {
        var type: String
        var sign: String
        var stored: TestValue
        var good: TestValue
        var bad: TestValue
    }

    private static let id: [UInt8] = Array(1...16)
    private static let comparisons = [
        Comparison(type: "Integer 32", sign: "<=", stored: 5, good: 5, bad: 6),
        Comparison(type: "Double", sign: "<=", stored: 5, good: 4, bad: 6),
        Comparison(type: "Double", sign: "<=", stored: 5.5, good: 5.25, bad: 5.75),
        Comparison(
            type: "Decimal", sign: "<=", stored: "5.5", good: "5.00000000000000000001",
            bad: "5.6"),
        Comparison(type: "Date", sign: "<=", stored: 5.5, good: 5.25, bad: 6),
        Comparison(type: "Boolean", sign: "==", stored: 1, good: 1, bad: 0),
        Comparison(type: "String", sign: "==", stored: "a", good: "a", bad: "b"),
        Comparison(
            type: "UUID", sign: "==", stored: .blob(id), good: .blob(id),
            bad: .blob(id.reversed())),
        Comparison(
            type: "Binary", sign: "==", stored: .blob([1]), good: .blob([1]), bad: .blob([2])),
    ]

    @Test("a rule reads an attribute that the load does not write", arguments: comparisons)
    func stored(_ comparison: Comparison) throws {
        try withStore(
            """
            Thing:
              attributes:
                id: { type: Integer 32, optional: false }
                low: \(comparison.type)
                high: \(comparison.type)
              unique: [[id]]
              validate:
                - { rule: "low == nil OR low \(comparison.sign) high", message: "too high" }
            """
        ) { store in
            let rows = "SELECT ZID, ZLOW, ZHIGH FROM ZTHING ORDER BY 1"
            try store.container.load(
                BulkPlan(entity: "Thing", key: ["id"], attributes: ["id", "high"]),
                [[1, comparison.stored], [2, comparison.stored]])
            let low = BulkPlan(entity: "Thing", key: ["id"], attributes: ["id", "low"])
            let good = try store.container.load(low, [[1, comparison.good], [2, nil]])
            #expect(good.counts == "0 new, 1 changed, 1 same, 0 superseded, 0 rejected")
            let before = try store.lines(rows)
            let bad = try store.container.load(low, [[1, comparison.bad], [2, comparison.bad]])
            #expect(bad.rejectedCodes == ["1 validate", "2 validate"])
            #expect(bad.rejects.map(\.message) == ["too high", "too high"])
            try store.expect(rows, before)
        }
    }

    @Test(
        "a rule takes the default of an attribute that the load does not write",
        arguments: [
            ("Integer 32", "5", 5, 6), ("Double", "5.5", 5, 6), ("Boolean", "true", 1, 0),
        ] as [(String, String, TestValue, TestValue)])
    func defaults(type: String, value: String, good: TestValue, bad: TestValue) throws {
        let sign = type == "Boolean" ? "==" : "<="
        try withStore(
            """
            Thing:
              attributes:
                id: { type: Integer 32, optional: false }
                low: \(type)
                high: { type: \(type), default: \(value) }
              unique: [[id]]
              validate: [{ rule: "low == nil OR low \(sign) high", message: "too high" }]
            """
        ) { store in
            let outcome = try store.container.load(
                BulkPlan(entity: "Thing", key: ["id"], attributes: ["id", "low"]),
                [[1, good], [2, bad], [3, nil]])
            #expect(outcome.rejects.map { "\($0.token) \($0.message)" } == ["2 too high"])
            try store.expect("SELECT ZID FROM ZTHING ORDER BY 1", ["1", "3"])
        }
    }

    @Test(
        "a reject for a taken value shows it as its type does",
        arguments: [
            ("Boolean", 1, "true"), ("Boolean", 0, "false"), ("Integer 16", -3, "-3"),
            ("Double", 2.5, "2.5"), ("Date", 0, "2001-01-01T00:00:00Z"), ("String", "a", "'a'"),
        ] as [(String, TestValue, String)])
    func takenValues(type: String, value: TestValue, text: String) throws {
        try withStore(
            """
            Thing:
              attributes: { id: { type: Integer 32, optional: false }, value: \(type) }
              unique: [[id], [value]]
            """
        ) { store in
            let outcome = try store.container.load(
                BulkPlan(entity: "Thing", key: ["id"], attributes: ["id", "value"]),
                [[1, value], [2, value], [3, nil]])
            #expect(
                outcome.rejects.map { "\($0.token) \($0.code): \($0.message)" }
                    == ["2 unique: Another Thing has value \(text)"])
            try store.expect("SELECT ZID FROM ZTHING ORDER BY 1", ["1", "3"])
        }
    }

    @Test("finds every fault of a record, except those that depend on a value that it refuses")
    func allFaults() throws {
        try withStore(
            """
            Thing:
              attributes:
                id: { type: Integer 32, optional: false }
                low: Integer 16
                high: { type: Integer 16, default: 5 }
                note: { type: String, optional: false }
                code: String
              unique: [[id], [code]]
              validate:
                - { rule: "low == nil OR low <= high", message: "too high" }
                - { rule: "high > 1 OR code == nil", message: "too low" }
            """
        ) { store in
            func plan(_ attributes: [String]) -> BulkPlan {
                BulkPlan(entity: "Thing", key: ["id"], attributes: attributes)
            }
            let all = ["id", "low", "note", "code"]
            try store.container.load(
                plan(all + ["high"]), [[1, 1, "n", "k", 5], [2, 1, "n", nil, 1]])
            func faults(
                _ attributes: [String], _ record: [TestValue], but refused: Set<Int> = []
            ) throws -> [String] {
                let context = store.container.newContext()
                let writer = try context.bulkWriter(for: plan(attributes))
                let batch = RowBatch(width: attributes.count)
                batch.add(record)
                defer { context.rollback() }
                return try writer.faults(of: batch, 0, but: refused).map {
                    "\($0.code) \($0.property ?? "-"): \($0.message)"
                }
            }
            let null = "required note: 'note' is required and null here"
            let lacking = "required note: 'note' is required and the record lacks it"
            let taken = "unique code: Another Thing has code 'k'"
            #expect(try faults(all, [3, 9, nil, "k"]) == [null, "validate -: too high", taken])
            #expect(try faults(all, [3, 9, nil, "k"], but: [1]) == [null, taken])
            #expect(try faults(all, [3, 9, .absent, "z"]) == [lacking, "validate -: too high"])
            #expect(try faults(["id", "low"], [3, 4]) == [lacking])
            // The row has a note, and its own `high`.
            #expect(
                try faults(all, [2, 2, .absent, "k"])
                    == ["validate -: too high", "validate -: too low", taken])
            // Without a key, the row is unknown.
            #expect(try faults(all, [.absent, 9, nil, "k"]) == [null])
            try store.expect("SELECT ZID FROM ZTHING ORDER BY 1", ["1", "2"])
        }
    }

    @Test(
        "a save checks a rule over attributes of every type",
        arguments: [
            ("Date", .real(5.5), .real(5.25), .real(5.75)),
            ("Double", .real(5.5), .real(5.25), .real(5.75)),
            ("UUID", .blob(id), .blob(id), .blob(id.reversed())),
            ("Binary", .blob([1]), .blob([1]), .blob([1, 2])),
        ] as [(String, StoredValue, StoredValue, StoredValue)])
    func saves(type: String, high: StoredValue, good: StoredValue, bad: StoredValue) throws {
        let sign = type == "UUID" || type == "Binary" ? "==" : "<="
        try withStore(
            """
            Thing:
              attributes: { id: { type: Integer 32, optional: false }, low: \(type), high: \(type) }
              unique: [[id]]
              validate: [{ rule: "low == nil OR low \(sign) high", message: "too high" }]
            """
        ) { store in
            for (number, low) in [good, bad].enumerated() {
                let context = store.container.newContext()
                let thing = try context.insert("Thing")
                try thing.setValue(.attribute(.integer(Int64(number))), forKey: "id")
                try thing.setValue(.attribute(low), forKey: "low")
                try thing.setValue(.attribute(high), forKey: "high")
                let error = storeError { try context.save() }
                #expect(error?.code == (number == 0 ? nil : .validation))
                context.rollback()
            }
            try store.expect("SELECT ZID FROM ZTHING", ["0"])
        }
    }
}
