import Testing

@testable import GraphModel

@Suite("Pairs of types in predicates")
struct PredicateTypePairTests {
    /// A row with a field of each type, among them fields of a table and JSON numbers.
    private final class FieldRow: EvaluationRow {
        private let arena = EvaluationArena()
        private let fields: [(name: String, value: EvaluatedValue)]

        init() {
            let arena = arena
            func text(_ text: String) -> EvaluatedValue { .text(arena.store(text.utf8)) }
            func untyped(_ text: String) -> EvaluatedValue { .untypedText(arena.store(text.utf8)) }
            fields = [
                ("yes", .boolean(true)), ("no", .boolean(false)), ("three", .integer(3)),
                ("title", text("Apfel")), ("date", .date(86_400)), ("far", .date(1e300)),
                ("infinite", .double(.infinity)), ("cYes", untyped("yes")), ("cNo", untyped("no")),
                ("cFive", untyped("five")), ("cLong", untyped(String(repeating: "x", count: 61))),
                ("jSeconds", .number(arena.store("86400".utf8))),
                ("jOne", .number(arena.store("1.0".utf8))),
                ("uuid", .uuid(arena.store([UInt8](repeating: 0x11, count: 16)))),
                ("key", .binary(arena.store([UInt8](repeating: 0x11, count: 16)))),
                ("data", .binary(arena.store([1, 2, 3]))),
                ("decimal", .decimal(arena.store("0.1234567890123456789".utf8))),
                ("nines", .decimal(arena.store(String(repeating: "9", count: 38).utf8))),
                ("unknownType", text("Nope")), ("transformable", text("Transformable")),
            ]
        }

        func slot(_ keys: [String]) -> Int? {
            fields.firstIndex { $0.name == keys.joined(separator: ".") }
        }

        func value(at slot: Int) -> EvaluatedValue { fields[slot].value }
    }

    private func test(_ format: String) throws -> Bool {
        let row = FieldRow()
        let compiled = try CompiledPredicate(
            GraphPredicate(format: format), variables: ["text": .string("a five b")],
            lists: ["list": ["a", "b"]], slotOf: row.slot)
        return try compiled.evaluate(row)
    }

    private func value(_ format: String) throws -> GraphValue {
        let row = FieldRow()
        let compiled = try CompiledExpression(GraphExpression(format: format), slotOf: row.slot)
        // The bytes of the value belong to the row.
        return try withExtendedLifetime(row) { try GraphValue(compiled.evaluate(row)) }
    }

    @Test(
        "compares the fields of a table as the type of the other side",
        arguments: [
            ("yes == cYes", true), ("yes == cNo", false), ("no == cNo", true), ("no < cYes", true),
            ("cNo == NO", true), ("cNo == YES", false), ("cNo < yes", true),
            ("date < '2001-01-05'", true), ("'2001-01-05' > date", true),
            ("date > '2001-01-05'", false), ("data == data", true), ("data == key", false),
            ("title MATCHES nil", false), ("title.length == 5", true), ("cFive IN $text", true),
            ("title IN $text", false), ("title IN $list", false),
            ("three IN {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}", true),
            ("three IN {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}", false),
            // Beyond 2⁵³, doubles cannot represent every integer.
            ("9007199254740994 == 9007199254740994.0", true),
            ("9007199254740993 == 9007199254740994.0", false),
            ("9007199254740993 > -1e30", true), ("9007199254740993 < 1e30", true),
        ])
    func comparesFields(format: String, expected: Bool) throws {
        #expect(try test(format) == expected)
    }

    @Test(
        "cast keeps the value in every type that has an equal",
        arguments: [
            ("cast(yes, 'Boolean')", GraphValue.boolean(true)),
            ("cast(0, 'Boolean')", .boolean(false)), ("cast(cNo, 'Boolean')", .boolean(false)),
            ("cast(no, 'String')", .string("false")), ("cast(yes, 'String')", .string("true")),
            ("cast(jSeconds, 'Date')", .date(secondsSinceReference: 86_400)),
            ("cast(date, 'Date')", .date(secondsSinceReference: 86_400)),
            ("cast(uuid, 'UUID')", .uuid([UInt8](repeating: 0x11, count: 16))),
            ("cast(key, 'UUID')", .uuid([UInt8](repeating: 0x11, count: 16))),
            ("cast(data, 'Binary')", .binary([1, 2, 3])),
            ("cast(uuid, 'Binary')", .binary([UInt8](repeating: 0x11, count: 16))),
            ("cast(decimal, 'Decimal')", .decimal("0.1234567890123456789")),
            ("jSeconds", .integer(86_400)), ("jOne", .double(1)),
        ])
    func casts(format: String, expected: GraphValue) throws {
        #expect(try value(format) == expected)
    }

    @Test(
        "cast fails for a value that has no equal in the type",
        arguments: [
            ("cast(cFive, 'Integer 64')", EvaluationError.uncastable("'five'", type: "Integer 64")),
            (
                "cast(cLong, 'Integer 64')",
                .uncastable("'\(String(repeating: "x", count: 60))…'", type: "Integer 64")
            ),
            ("cast('1e300', 'Float')", .uncastable("'1e300'", type: "Float")),
            ("cast(yes, 'Date')", .uncastable("'true'", type: "Date")),
            ("cast(three, 'UUID')", .uncastable("'3'", type: "UUID")),
            ("cast(data, 'UUID')", .uncastable("'AQID'", type: "UUID")),
            ("cast(three, 'Binary')", .uncastable("'3'", type: "Binary")),
            ("cast(infinite, 'String')", .uncastable("a number", type: "String")),
            ("cast(far, 'String')", .uncastable("a date", type: "String")),
            // The name of the type is a value of the record here.
            ("cast(title, unknownType)", .uncastable("text", type: "Nope")),
            ("cast(title, transformable)", .uncastable("'Apfel'", type: "Transformable")),
        ])
    func rejectsCasts(format: String, expected: EvaluationError) {
        #expect(throws: expected) { try value(format) }
    }

    @Test(
        "operators and functions fail for values of other types",
        arguments: [
            ("data IN $list", EvaluationError.incomparable("binary data", "text")),
            ("title + decimal == 1", .wrongKind(needed: "A number", found: "text")),
            ("format(far, 'yyyy') == 'x'", .overflow),
            ("1.5 ** 2 == 1", .wrongKind(needed: "A whole number", found: "a fraction")),
            ("~jOne == 1", .wrongKind(needed: "A whole number", found: "a fraction")),
        ])
    func rejectsOperands(format: String, expected: EvaluationError) {
        #expect(throws: expected) { try test(format) }
    }

    @Test("a decimal divided by zero is nil, as any other number")
    func dividesByZero() throws {
        #expect(try value("decimal / 0") == .null)
        #expect(try value("decimal / 0.0") == .null)
    }

    /// A row whose text and pattern depend on its number.
    private final class PatternRow: EvaluationRow {
        private let arena = EvaluationArena()
        private let number: Int
        private let pattern: String

        init(_ number: Int, pattern: String) {
            self.number = number
            self.pattern = pattern
        }

        func value(at slot: Int) -> EvaluatedValue {
            slot == 0 ? .text(arena.store("\(number)x".utf8)) : .text(arena.store(pattern.utf8))
        }
    }

    @Test("more patterns from records than the cache holds have the same results each time")
    func dynamicPatterns() throws {
        let matches = try CompiledPredicate(GraphPredicate(format: "text MATCHES pattern")) {
            $0 == ["text"] ? 0 : 1
        }
        let written = try CompiledExpression(
            GraphExpression(format: "format(cast(86400, 'Date'), pattern)")
        ) { _ in 1 }
        for number in [0, 0] + Array(0..<40) + [0] {
            #expect(try matches.evaluate(PatternRow(number, pattern: "\(number).")))
            #expect(try !matches.evaluate(PatternRow(number, pattern: "\(number)y")))
            let row = PatternRow(number, pattern: "yyyy' \(number)'")
            #expect(try GraphValue(written.evaluate(row)) == .string("2001 \(number)"))
        }
        let error = #expect(throws: EvaluationError.self) {
            try written.evaluate(PatternRow(0, pattern: "QQ"))
        }
        guard case .invalidPattern(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description == reason)
    }
}
