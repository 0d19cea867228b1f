import Testing

@testable import GraphModel

@Suite("Functions of predicates")
struct PredicateEvaluationFunctionTests {
    private static let record: GraphRecord = [
        "nothing": nil, "text": "a😀é\u{301}", "number": 7, "half": 0.5, "flag": true,
        "date": .value(.date(secondsSinceReference: 86_400.25)),
        "uuid": .value(.uuid((0..<16).map { UInt8($0) })), "data": .value(.binary([1, 2, 3])),
        "dns": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    ]

    private func value(_ format: String) throws -> GraphValue {
        try GraphExpression(format: format).value(with: Self.record, now: 90_000)
    }

    @Test(
        "text functions compute texts from texts",
        arguments: [
            // The UTF-16 units of the text: a, two units of 😀, é, and the combining mark.
            ("substring(text, 0, 1)", GraphValue.string("a")),
            ("substring(text, 1, 2)", .string("😀")),
            ("substring(text, 1, 1)", .string("")), ("substring(text, 2, 2)", .string("é")),
            ("substring(text, 3)", .string("é\u{301}")), ("substring(text, 4)", .string("\u{301}")),
            ("substring(text, 5)", .string("")), ("substring(text, 99, 9)", .string("")),
            ("substring(text, -1, 2)", .string("a")),
            ("substring(text, -5)", .string("a😀é\u{301}")),
            ("substring(text, 0, -1)", .string("")), ("substring(text, 0, 0)", .string("")),
            ("substring(text, 9223372036854775807, 9223372036854775807)", .string("")),
            ("substring(text, -9223372036854775807, 9223372036854775807)", .string("")),
            ("substring(text, 1.0, 2.0)", .string("😀")),
            ("substring('', 0, 5)", .string("")), ("substring('a\0b', 1, 1)", .string("\0")),
            ("replace('aaa', 'aa', 'b')", .string("ba")),
            ("replace('abc', '', 'x')", .string("abc")),
            ("replace('abc', 'b', '')", .string("ac")),
            ("replace('abab', 'ab', 'abab')", .string("abababab")),
            ("replace(text, '😀', '-')", .string("a-é\u{301}")),
            ("lowercase('ÀBCΣ')", .string("àbcσ")),
            ("uppercase('straße')", .string("STRASSE")), ("lowercase('ABC-1')", .string("abc-1")),
            ("trim('\\t x \\n')", .string("x")), ("trim('  ')", .string("")),
        ] as [(String, GraphValue)])
    func makeText(format: String, expected: GraphValue) throws {
        #expect(try value(format) == expected)
    }

    @Test(
        "functions compute values of other types",
        arguments: [
            ("length(text)", GraphValue.integer(5)), ("length('')", .integer(0)),
            ("date('29.02.2024', 'dd.MM.yyyy')", .date(secondsSinceReference: 730_857_600)),
            ("format(date, 'yyyy-MM-dd HH:mm:ss.SSS')", .string("2001-01-02 00:00:00.250")),
            ("format(date, \"d/M/yy 'at' h a X\")", .string("2/1/01 at 12 AM Z")),
            ("format(today(), 'y-M-d')", .string("2001-1-2")),
            ("format(now(), 'y-M-d H:m')", .string("2001-1-2 1:0")),
            ("format(date('2024-02-29', 'yyyy-MM-dd'), 'dd.MM.yyyy')", .string("29.02.2024")),
            (
                "cast(uuid5(cast(dns, 'UUID'), 'python.org'), 'String')",
                .string("886313E1-3B8A-5372-9B90-0C9AEE199E5D")
            ),
            (
                "uuid5(dns, 'python.org')",
                .uuid([
                    0x88, 0x63, 0x13, 0xE1, 0x3B, 0x8A, 0x53, 0x72, 0x9B, 0x90, 0x0C, 0x9A, 0xEE,
                    0x19,
                    0x9E, 0x5D,
                ])
            ),
            (
                "sha256('abc')",
                .string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            ),
            (
                "sha256('')",
                .string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            ),
            (
                "sha256(data)",
                .string("039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
            ),
            ("cast('42', 'Integer 64')", .integer(42)),
            ("cast('1e3', 'Integer 16')", .integer(1000)),
            ("cast(half, 'String')", .string("0.5")), ("cast(number, 'Double')", .double(7)),
            ("cast(7.0, 'Integer 32')", .integer(7)), ("cast('yes', 'Boolean')", .boolean(true)),
            ("cast(flag, 'Integer 16')", .integer(1)), ("cast(flag, 'String')", .string("true")),
            ("cast(1, 'Boolean')", .boolean(true)),
            ("cast(date, 'String')", .string("2001-01-02T00:00:00.25Z")),
            ("cast('2001-01-02', 'Date')", .date(secondsSinceReference: 86_400)),
            ("cast(uuid, 'String')", .string("00010203-0405-0607-0809-0A0B0C0D0E0F")),
            ("cast('00010203-0405-0607-0809-0a0b0c0d0e0f', 'UUID') == uuid", .null),
            ("cast(data, 'String')", .string("AQID")),
            ("cast('AQID', 'Binary')", .binary([1, 2, 3])),
            ("cast(0.1, 'Float')", .double(Double(Float(0.1)))), ("abs(-half)", .double(0.5)),
            ("round(-0.5)", .double(-1)), ("round(2.5)", .double(3)),
            ("floor(number)", .integer(7)),
            ("coalesce(nothing, nil, number)", .integer(7)), ("coalesce(nothing)", .null),
        ] as [(String, GraphValue)])
    func makeValues(format: String, expected: GraphValue) throws {
        if format.contains("==") {
            #expect(try GraphPredicate(format: format).evaluate(with: Self.record))
        } else {
            #expect(try value(format) == expected)
        }
    }

    @Test(
        "functions return nil for nil",
        arguments: [
            "lowercase(nothing)", "uppercase(nothing)", "trim(nothing)", "length(nothing)",
            "abs(nothing)", "floor(nothing)", "ceiling(nothing)", "round(nothing)",
            "substring(nothing, 0)", "substring(text, nothing)", "substring(text, 0, nothing)",
            "replace(nothing, 'a', 'b')", "replace(text, nothing, 'b')",
            "replace(text, 'a', nothing)",
            "join(split(text, ','), nothing)", "date(nothing, 'yyyy')", "date(text, nothing)",
            "format(nothing, 'yyyy')", "format(date, nothing)", "uuid5(nothing, 'a')",
            "uuid5(dns, nothing)", "sha256(nothing)", "cast(nothing, 'Integer 64')",
            "coalesce(nothing, nil)", "nothing + 1", "-nothing",
        ])
    func giveNil(format: String) throws {
        #expect(try value(format) == .null)
    }

    @Test(
        "functions fail if there is no value",
        arguments: [
            ("date('x', 'yyyy')", EvaluationError.notADate("x")),
            ("date('2001-02-30', 'yyyy-MM-dd')", .notADate("2001-02-30")),
            ("format(text, 'yyyy')", .notADate("a😀é\u{301}")),
            ("uuid5('x', 'a')", .notAUUID("x")),
            ("uuid5(number, 'a')", .wrongKind(needed: "A UUID", found: "a number")),
            ("cast('x', 'Integer 64')", .uncastable("'x'", type: "Integer 64")),
            ("cast('40000', 'Integer 16')", .uncastable("'40000'", type: "Integer 16")),
            ("cast(1.5, 'Integer 64')", .uncastable("'1.5'", type: "Integer 64")),
            ("cast(9007199254740993, 'Double')", .uncastable("'9007199254740993'", type: "Double")),
            ("cast(2, 'Boolean')", .uncastable("'2'", type: "Boolean")),
            ("cast('x', 'UUID')", .uncastable("'x'", type: "UUID")),
            ("cast('?', 'Binary')", .uncastable("'?'", type: "Binary")),
            ("cast('x', 'Date')", .uncastable("'x'", type: "Date")),
            ("substring(text, 0.5)", .wrongKind(needed: "A whole number", found: "a fraction")),
            ("length(number)", .wrongKind(needed: "Text", found: "a number")),
            ("sha256(number)", .wrongKind(needed: "Text", found: "a number")),
            ("join({1}, ',')", .wrongKind(needed: "Text", found: "a number")),
            ("abs(-9223372036854775807 - 1)", .overflow),
        ])
    func fail(format: String, expected: EvaluationError) {
        #expect(throws: expected) { try value(format) }
    }

    @Test("uuid() returns a new UUID on each call")
    func makeUUIDs() throws {
        guard case .uuid(let one) = try value("uuid()"), case .uuid(let other) = try value("uuid()")
        else {
            Issue.record("no UUID")
            return
        }
        #expect(one != other)
        #expect(one.count == 16 && one[6] >> 4 == 4 && one[8] >> 6 == 2)
    }
}
