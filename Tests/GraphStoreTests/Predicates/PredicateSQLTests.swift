import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

private let items = """
    Base:
      abstract: true
      attributes: { key: { type: Integer 32, optional: false } }
      unique: [[key]]
    Item:
      parent: Base
      attributes:
        i: Integer 32
        j: Integer 16
        b: Boolean
        d: Double
        m: Decimal
        t: Date
        s: String
        u: String
        id: UUID
      relationships:
        owner: { to: Item, inverse: items }
        items: { to: Item, many: true, inverse: owner }
      indexes: { byS: [s], byI: [i] }
    Other: { parent: Base, attributes: { i: Integer 32 } }
    """

private let attributes = ["key", "i", "j", "b", "d", "m", "t", "s", "u", "id"]
private let plan = BulkPlan(
    entity: "Item", key: ["key"], attributes: attributes,
    links: [.init(relationship: "owner", destination: "Item", attribute: "key")])

/// A row for the evaluator, with its owner and the owner's owner.
private struct ItemRow: EvaluationRow {
    let values: [[TestValue]]
    let slots: [[String]]

    func value(at slot: Int) -> EvaluatedValue {
        let path = slots[slot]
        let depth = path.count - 1
        guard depth < values.count, let name = path.last,
            let position = attributes.firstIndex(of: name)
        else { return .null }
        switch values[depth][position] {
        case .null, .absent, .list: return .null
        case .integer(let value) where name == "b": return .boolean(value == 1)
        case .integer(let value): return .integer(value)
        case .real(let value) where name == "t": return .date(value)
        case .real(let value): return .double(value)
        case .text(let text): return .text(Bytes.kept(Array(text.utf8)))
        case .blob(let bytes): return .uuid(Bytes.kept(bytes))
        }
    }
}

/// Bytes that are never freed.
private enum Bytes {
    static func kept(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return UnsafeBufferPointer(copy)
    }
}

private struct ItemGenerator {
    var random: SeededGenerator

    mutating func record(_ key: Int64, owners: Int64) -> [TestValue] {
        func maybe(_ value: TestValue) -> TestValue { random.chance(25) ? nil : value }
        let number = TestValue.integer(Int64(random.pick(5)) - 1)
        return [
            .integer(key), maybe(number), maybe(.integer(Int64(random.pick(3)))),
            maybe(.integer(Int64(random.pick(2)))), maybe(.real(Double(random.pick(6)) / 2)),
            maybe(.real(Double(random.pick(6)) / 2)), maybe(.real(Double(random.pick(5)) / 2)),
            maybe(.text(text())), maybe(.text(text())),
            maybe(.blob(Array(repeating: UInt8(random.pick(2)), count: 16))),
            random.chance(30) || owners == 0 ? nil : .integer(Int64(random.pick(Int(owners))) + 1),
        ]
    }

    mutating func text() -> String {
        let parts = ["a", "b", "é", "e\u{301}", "\0", "😀", "\u{10FFFF}", "\u{D7FF}", "%", "_"]
        return (0..<random.pick(4)).map { _ in random.pick(parts) }.joined()
    }

    mutating func path(_ names: [String]) -> String {
        let owner = random.chance(20) ? random.chance(30) ? "owner.owner." : "owner." : ""
        return owner + random.pick(names)
    }

    mutating func number(depth: Int = 1) -> String {
        switch random.pick(depth > 0 ? 5 : 3) {
        case 0: "\(random.pick(5) - 1)"
        case 1: "\(Double(random.pick(5)) / 2)"
        case 2: path(["i", "j", "d", "m", "key"])
        case 3:
            "(\(number(depth: depth - 1)) \(random.pick(["+", "-", "*", "/"])) \(number(depth: depth - 1)))"
        default: path(["m", "d", "i"])
        }
    }

    mutating func quoted() -> String {
        GraphExpression.constant(.string(text())).description
    }

    mutating func comparison() -> String {
        let op = random.pick(["==", "!=", "<", "<=", ">", ">="])
        switch random.pick(11) {
        case 0, 1: return "\(number()) \(op) \(number())"
        case 2:
            return
                "\(path(["i", "d", "m", "s", "t", "b", "id"])) \(random.pick(["==", "!=", "<=", ">="])) nil"
        case 3:
            return "\(path(["b"])) \(random.pick(["==", "!="])) \(random.pick(["YES", "NO", "b"]))"
        case 4:
            return "\(path(["s", "u"])) \(op) \(random.chance(50) ? quoted() : path(["s", "u"]))"
        case 5, 6:
            let op = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH"])
            return "\(path(["s", "u"])) \(op) \(random.chance(70) ? quoted() : path(["s", "u"]))"
        case 7:
            let elements = (0..<random.pick(4)).map { _ in random.chance(20) ? "nil" : number() }
            return "\(path(["i", "d", "m"])) IN {\(elements.joined(separator: ", "))}"
        case 8: return "\(number()) BETWEEN {\(number()), \(number())}"
        case 9:
            let elements = (0..<random.pick(3)).map { _ in random.chance(20) ? "nil" : quoted() }
            return "\(path(["s", "u"])) IN {\(elements.joined(separator: ", "))}"
        default:
            return "\(path(["i", "s"])) == \(path(["i", "j"]))".contains("s ==")
                ? "\(path(["s"])) == \(path(["u"]))"
                : "\(path(["i"])) \(op) \(path(["j", "d", "m"]))"
        }
    }

    mutating func predicate(depth: Int) -> String {
        guard depth > 0 else { return comparison() }
        switch random.pick(5) {
        case 0: return "NOT (\(predicate(depth: depth - 1)))"
        case 1: return "(\(predicate(depth: depth - 1)) AND \(predicate(depth: depth - 1)))"
        case 2: return "(\(predicate(depth: depth - 1)) OR \(predicate(depth: depth - 1)))"
        default: return comparison()
        }
    }
}

@Suite("rows 80–85, 90, 92: predicates in SQL") struct PredicateSQLTests {
    private func keys(
        _ format: String, in store: TestStore, variables: [String: GraphValue] = [:]
    ) throws -> [Int64] {
        let cursor = try store.container.newContext().cursor(
            RowRequest(
                entityName: "Item", predicate: try GraphPredicate(format: format),
                variables: variables, order: [GraphSortDescriptor(["key"])], fields: [["key"]]))
        return try cursor.integers()
    }

    @Test("the SQL of each predicate function returns the result of its documented example")
    func functionExamples() throws {
        try withItems { store in
            let all = try keys("TRUEPREDICATE", in: store)
            for function in PredicateFunction.all {
                guard let result = function.exampleResult else { continue }
                #expect(try keys("\(function.example) == \(result)", in: store) == all)
            }
        }
    }

    @Test func sqlAgreesWithTheEvaluator() throws {
        let model = try model(items)
        for seed in UInt64(1)...8 {
            var generator = ItemGenerator(random: SeededGenerator(seed: seed))
            try withStore(model) { store in
                let records = (1...24).map { generator.record($0, owners: $0 - 1) }
                try store.container.load(plan, records)
                let byKey = Dictionary(
                    uniqueKeysWithValues: records.map { ($0[0], Array($0)) })
                for number in 0..<120 {
                    let format = generator.predicate(depth: 3)
                    let predicate: GraphPredicate
                    do {
                        predicate = try GraphPredicate(format: format)
                            .resolved(for: "Item", in: model)
                    } catch {
                        Issue.record("seed \(seed), predicate \(number): \(format): \(error)")
                        continue
                    }
                    var slots: [[String]] = []
                    let compiled = try CompiledPredicate(predicate) { path in
                        slots.append(path)
                        return slots.count - 1
                    }
                    var expected: [Int64] = []
                    for record in records {
                        var chain = [record]
                        while let last = chain.last, let owner = byKey[last[10]] {
                            chain.append(owner)
                        }
                        if try compiled.evaluate(ItemRow(values: chain, slots: slots)),
                            case .integer(let key) = record[0]
                        {
                            expected.append(key)
                        }
                    }
                    let found = try keys(format, in: store)
                    if found != expected {
                        Issue.record(
                            "seed \(seed), predicate \(number): \(format): SQL \(found), memory \(expected)"
                        )
                    }
                }
            }
        }
    }

    private func withItems(_ body: (TestStore) throws -> Void) throws {
        try withStore(items) { store in
            try store.container.load(
                plan,
                [
                    [1, 5, 1, 1, 0.5, 0.5, .real(0), "milk", "m", nil, nil],
                    [2, nil, nil, nil, nil, nil, nil, nil, nil, nil, 1],
                    [3, -3, 2, 0, 2.5, 5.0, .real(86_400), "Milk 1%", "1%", nil, 2],
                ])
            try body(store)
        }
    }

    @Test(
        "predicates in SQL select the expected objects",
        arguments: [
            ("i == nil", [2]), ("i != 5", [2, 3]), ("NOT (i == 5)", [2, 3]), ("NOT (i != 5)", [1]),
            ("i < 5", [3]), ("NOT (i < 5)", [1, 2]), ("NOT (i >= 5)", [2, 3]), ("i <= nil", [2]),
            ("i >= j", [1, 2]), ("i IN {nil, 5}", [1, 2]), ("i IN {5}", [1]), ("i IN {}", []),
            ("NOT (i IN {5})", [2, 3]), ("NOT (i IN {})", [1, 2, 3]), ("nil IN {i}", [2]),
            ("5 IN {i, j}", [1]), ("i BETWEEN {-3, 5}", [1, 3]), ("i BETWEEN {nil, 5}", []),
            ("NOT (i BETWEEN {0, 9})", [2, 3]), ("s CONTAINS 'ilk'", [1, 3]),
            ("s CONTAINS ''", []), ("NOT (s CONTAINS '')", [1, 2, 3]), ("s CONTAINS nil", []),
            ("s BEGINSWITH 'mi'", [1]), ("s BEGINSWITH ''", []),
            ("NOT (s BEGINSWITH 'mi')", [2, 3]),
            ("s ENDSWITH u", [3]), ("s ENDSWITH '%'", [3]), ("s BEGINSWITH u", [1]),
            ("owner == nil", [1]), ("owner.i == 5", [2]), ("owner.i == nil", [1, 3]),
            ("owner.owner.s == 'milk'", [3]), ("NOT (owner.i == 5)", [1, 3]),
            ("b == YES", [1]), ("b != YES", [2, 3]), ("b == NO", [3]),
            ("-i == 3", [3]), ("i / 2 == 2", [1]), ("i / 2 == -1", [3]),
            ("i / 0 == nil", [1, 2, 3]),
            ("m / 2 == 2.5", [3]),
            ("t == '1970-01-01T00:00:00Z' OR t < '2001-01-01T00:00:01Z'", [1]),
            ("(i == 5 OR i == nil) AND NOT (s == 'milk')", [2]), ("TRUEPREDICATE", [1, 2, 3]),
            ("NOT TRUEPREDICATE", []),
        ] as [(String, [Int64])])
    func selectAsRuled(format: String, expected: [Int64]) throws {
        try withItems { store in
            let found = try keys(format, in: store)
            #expect(found == expected)
        }
    }

    @Test(
        "an element of a list keeps its type",
        arguments: [
            ("{flag, other}[n] == YES", [1, 3]), ("{flag, other}[n] == NO", [2]),
            ("{one, two}[n] == one", [1]), ("{old, new}[n] == new", [2, 3]),
            ("{day, nil}[n] == day", [1]), ("{n, 7}[n] == 7", [2, 3]),
            ("old == $bytes", [1, 2, 3]), ("new == $bytes", []),
        ] as [(String, [Int64])])
    func elementsOfLists(format: String, expected: [Int64]) throws {
        let entities = """
            Item:
              attributes:
                key: { type: Integer 32, optional: false }
                n: Integer 16
                flag: Boolean
                other: Boolean
                one: UUID
                two: UUID
                old: Binary
                new: Binary
                day: Date
              unique: [[key]]
            """
        try withStore(entities) { store in
            let ids = [1, 2].map { TestValue.blob(Array(repeating: UInt8($0), count: 16)) }
            let values: [TestValue] = [ids[0], ids[1], .blob([1]), .blob([2]), .real(5)]
            try store.container.load(
                BulkPlan(
                    entity: "Item", key: ["key"],
                    attributes: [
                        "key", "n", "flag", "other", "one", "two", "old", "new", "day",
                    ]),
                [[1, 0, 1, 0] + values, [2, 1, 1, 0] + values, [3, 1, 0, 1] + values])
            let variables = ["bytes": GraphValue.binary([1])]
            #expect(try keys(format, in: store, variables: variables) == expected)
        }
    }

    @Test(
        "a long string is found as a short one is",
        arguments: [
            ("s CONTAINS $part", [1, 5]), ("NOT (s CONTAINS $part)", [2, 3, 4]),
            ("s CONTAINS[c] $part", [1, 2, 5]), ("s CONTAINS[cd] $part", [1, 2, 5]),
        ] as [(String, [Int64])])
    func longStrings(format: String, expected: [Int64]) throws {
        let part = String(repeating: "ab", count: 20)
        try withStore(items) { store in
            let texts: [TestValue] = [
                .text("--\(part)--"), .text(part.uppercased()), .text(String(part.dropLast())), nil,
                .text("é" + part),
            ]
            try store.container.load(
                BulkPlan(entity: "Item", key: ["key"], attributes: ["key", "s"]),
                texts.enumerated().map { [.integer(Int64($0 + 1)), $1] })
            #expect(try keys(format, in: store, variables: ["part": .string(part)]) == expected)
        }
    }

    @Test func bindsVariablesAsValues() throws {
        try withItems { store in
            let hostile = try keys(
                "s == $x", in: store, variables: ["x": .string("' OR 1=1 --")])
            let found = try keys("s == $x", in: store, variables: ["x": .string("milk")])
            #expect(hostile == [])
            #expect(found == [1])
        }
    }

    @Test(
        "comparisons in SQL use the index of the attribute",
        arguments: [
            ("s BEGINSWITH 'mi'", "ZS>? AND ZS<?", "Z_Item_s"),
            ("s LIKE 'mi*'", "ZS>? AND ZS<?", "Z_Item_s"),
            ("s LIKE 'mi?k*'", "ZS>? AND ZS<?", "Z_Item_s"),
            ("s == 'milk'", "ZS=?", "Z_Item_s"),
            ("i == 5", "ZI=?", "Z_Item_i"), ("i > 5", "ZI>?", "Z_Item_i"),
            ("i IN {1, 2}", "ZI=?", "Z_Item_i"),
            ("i BETWEEN {1, 2}", "ZI>? AND ZI<?", "Z_Item_i"),
            ("key == 1", "ZKEY=?", "Z_Base_UNIQUE_key"),
        ])
    func useIndexes(format: String, terms: String, index: String) throws {
        let model = try model(items)
        try withStore(model) { store in
            let predicate = try GraphPredicate(format: format).resolved(for: "Item", in: model)
            let entity = try #require(store.container.schema.entity(named: "Item"))
            var select = try EntitySelect(
                entity, where: predicate, in: store.container.schema)
            select.clauses.columns = [SQLFragment("t.Z_PK")]
            let plan = try lines(
                "EXPLAIN QUERY PLAN " + select.statement.sql,
                on: Connection(path: store.path, mode: .readOnly))
            #expect(plan.count == 1)
            #expect(
                plan[0].hasSuffix("SEARCH t USING INDEX \(index) (\(terms))"), "\(plan)")
        }
    }

    @Test(arguments: ["title == 1", "items == 1", "i == 'x'", "items.i == 1", "ANY i == 1"])
    func rejectsInvalidPredicates(format: String) throws {
        try withItems { store in
            #expect(throws: (any Error).self) { try keys(format, in: store) }
        }
    }
}
