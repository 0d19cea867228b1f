import Testing

@testable import Pipelines

/// The values that each attribute type accepts and rejects.
@Suite("Casts")
struct CastTests {
    static let model = """
        model: 1
        entities:
          All:
            attributes:
              id: { type: String, optional: false }
              small: Integer 16
              middle: Integer 32
              large: Integer 64
              price: Decimal
              ratio: Double
              share: Float
              title: String
              flag: Boolean
              day: Date
              data: Binary
              code: UUID
              link: URI
              tree: { type: Transformable, transformer: json }
            unique: [[id]]
        """

    struct Case: Sendable, CustomTestStringConvertible {
        var attribute: String
        /// The JSON of the field, and the column's value as SQL.
        var good: [(String, String)]
        /// The JSON of the field, and the message of the reject.
        var bad: [(String, String)]
        var testDescription: String { attribute }
    }

    static let integer = [
        ("1.9", "1.9"), ("\"007\"", "'007'"), ("\"1.0\"", "'1.0'"), ("\"+1\"", "'+1'"),
        ("\" 1\"", "' 1'"), ("\"\"", "''"), ("true", "true"), ("[1]", "[1]"),
        ("{\"a\":1}", "{\"a\":1}"), ("\"0x10\"", "'0x10'"), ("\"-\"", "'-'"),
        ("9223372036854775808", "9223372036854775808"), ("1e300", "1e300"),
    ]

    static func refused(_ attribute: String, _ wanted: String, _ shown: [(String, String)])
        -> [(String, String)]
    {
        shown.map { ($0.0, "'\(attribute)' takes \(wanted), not \($0.1)") }
    }

    static let cases = [
        Case(
            attribute: "small",
            good: [
                ("-32768", "-32768"), ("32767", "32767"), ("\"12\"", "12"), ("1.0", "1"),
                ("1e2", "100"), ("\"-0\"", "0"), ("0", "0"),
            ],
            bad: refused(
                "small", "a whole number that fits Integer 16",
                integer + [("32768", "32768"), ("-32769", "-32769")])),
        Case(
            attribute: "middle",
            good: [("2147483647", "2147483647"), ("\"-2147483648\"", "-2147483648")],
            bad: refused(
                "middle", "a whole number that fits Integer 32",
                integer + [("2147483648", "2147483648")])),
        Case(
            attribute: "large",
            good: [
                ("9223372036854775807", "9223372036854775807"),
                ("\"-9223372036854775808\"", "-9223372036854775808"), ("1.5e1", "15"),
            ],
            bad: refused("large", "a whole number that fits Integer 64", integer)),
        Case(
            attribute: "ratio",
            good: [
                ("1", "1.0"), ("0.1", "0.1"), ("\"-2.5e-3\"", "-0.0025"), ("1e300", "1.0e+300"),
            ],
            bad: refused(
                "ratio", "a number",
                [
                    ("1e309", "1e309"), ("\"NaN\"", "'NaN'"), ("\"1,5\"", "'1,5'"),
                    ("\"\"", "''"), ("false", "false"), ("\".5\"", "'.5'"), ("\"01\"", "'01'"),
                ])),
        Case(
            attribute: "share",
            good: [("0.5", "0.5"), ("\"16777217\"", "16777216.0")],
            bad: [
                ("1e39", "'share' takes a number that fits Float, not 1e39"),
                ("\"x\"", "'share' takes a number, not 'x'"),
            ]),
        Case(
            attribute: "price",
            good: [
                ("1.10", "1.1"), ("\"-0.01\"", "-0.01"), ("12", "12"),
                ("123456789.25", "123456789.25"),
            ],
            bad: [
                ("\"1,5\"", "'price' takes a decimal number, not '1,5'"),
                (
                    "12345678901234567890.5",
                    "'price' takes a decimal number of at most 15 to 17 digits, "
                        + "not 12345678901234567890.5"
                ),
                ("true", "'price' takes a decimal number, not true"),
            ]),
        Case(
            attribute: "flag",
            good: [
                ("true", "1"), ("false", "0"), ("1", "1"), ("0", "0"), ("\"YES\"", "1"),
                ("\"no\"", "0"), ("\"True\"", "1"), ("\"0\"", "0"),
            ],
            bad: refused(
                "flag", "true or false",
                [
                    ("2", "2"), ("\"on\"", "'on'"), ("\"\"", "''"), ("[]", "[]"),
                    ("1.0", "1.0"), ("\"t\"", "'t'"),
                ])),
        Case(
            attribute: "title",
            good: [
                ("\"a\"", "'a'"), ("\"\"", "''"), ("1.50", "'1.50'"),
                ("\"\\u00e9\\n\"", "'é\n'"), ("12345678901234567890", "'12345678901234567890'"),
            ],
            bad: refused(
                "title", "text",
                [("true", "true"), ("[]", "[]"), ("{\"a\": 1}", "{\"a\": 1}")])),
        Case(
            attribute: "code",
            good: [
                ("\"00112233-4455-6677-8899-aabbccddeeff\"", "X'00112233445566778899AABBCCDDEEFF'"),
                ("\"00112233-4455-6677-8899-AABBCCDDEEFF\"", "X'00112233445566778899AABBCCDDEEFF'"),
            ],
            bad: refused(
                "code", "a UUID with hyphens",
                [
                    ("\"00112233445566778899aabbccddeeff\"", "'00112233445566778899aabbccddeeff'"),
                    ("1", "1"), ("\"\"", "''"),
                ])),
        Case(
            attribute: "link",
            good: [
                ("\"https://example.org/ü\"", "'https://example.org/ü'"), ("\"urn:x\"", "'urn:x'"),
            ],
            bad: refused(
                "link", "a URI with a scheme, such as https://example.org",
                [
                    ("\"example.org\"", "'example.org'"), ("\"1a:b\"", "'1a:b'"),
                    ("\":x\"", "':x'"), ("5", "5"),
                ])),
        Case(
            attribute: "data",
            good: [("\"\"", "X''"), ("\"AAEC/w==\"", "X'000102FF'")],
            bad: refused(
                "data", "base64", [("\"AAE\"", "'AAE'"), ("\"!\"", "'!'"), ("1", "1")])),
        Case(
            attribute: "tree",
            good: [
                ("{\"a\": [1, 2.50]}", "X'\(hex("{\"a\": [1, 2.50]}"))'"),
                ("[]", "X'5B5D'"), ("true", "X'\(hex("true"))'"), ("1.0", "X'\(hex("1.0"))'"),
                ("\"x\\\"\\u0001\"", "X'\(hex("\"x\\\"\\u0001\""))'"),
                ("\"x\\n\\u000b\"", "X'\(hex("\"x\\n\\u000b\""))'"),
            ], bad: []),
        Case(
            attribute: "day",
            good: [
                ("\"2001-01-01\"", "0"), ("\"2001-01-01T00:00:01Z\"", "1"),
                ("\"2001-01-01T01:00:00+01:00\"", "0"),
                ("\"2001-01-01T00:00:00.25\"", "0.25"), ("\"2000-12-31T23:59:59Z\"", "-1"),
            ],
            bad: refused(
                "day", "an ISO 8601 date such as 2026-11-20 (or say `date:` with its pattern)",
                [("0", "0"), ("\"\"", "''"), ("\"03/04/2024\"", "'03/04/2024'")])
                + refused(
                    "day", "an ISO 8601 date such as 2026-11-20 (or say `date: dd.MM.yyyy`)",
                    [("\"01.02.2024\"", "'01.02.2024'")]) + [
                    ("\"2024-13-01\"", "'day' is '2024-13-01', and there is no such day"),
                    (
                        "\"2024-02-30T10:00:00Z\"",
                        "'day' is '2024-02-30T10:00:00Z', and there is no such day"
                    ),
                ]),
    ]

    static func hex(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    @Test("casts values that fit, and rejects the others with a reason", arguments: cases)
    func casts(_ example: Case) throws {
        let folder = try Workspace()
        let values = example.good.map(\.0) + example.bad.map(\.0)
        let lines = values.enumerated().map { index, json in
            "{\"id\":\"\(index + 10)\",\"\(example.attribute)\":\(json)}"
        }
        try folder.write("all.ndjson", lines.joined(separator: "\n"))
        let run = try folder.run(
            model: Self.model, "- { import: all.ndjson, into: All }",
            top: "rejects: { allow: 100 }")
        #expect(run.text == "")
        let column = "Z" + example.attribute.uppercased()
        let stored = try folder.rows("SELECT quote(\(column)) FROM ZALL ORDER BY ZID")
        #expect(stored == example.good.map(\.1))
        #expect(
            try folder.reasons() == example.bad.map { "cast \(example.attribute): \($0.1)" })
        guard !example.bad.isEmpty else { return }
        #expect(
            try folder.rejects()["import-all.all.ndjson"]
                == lines.dropFirst(example.good.count).map { $0 + "\n" }.joined())
    }

    @Test("rounds a float once, from a number, text, or a constant")
    func floats() throws {
        let folder = try Workspace()
        let text = "1.00000005960464477539062500001"
        try folder.write(
            "a.ndjson", "{\"id\":\"1\",\"share\":\(text)}\n{\"id\":\"2\",\"share\":\"\(text)\"}\n")
        try folder.write("b.ndjson", "{\"id\":\"3\"}\n")
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: All }
            - { import: b.ndjson, into: All, set: { share: { const: \(text) } } }
            """)
        #expect(run.text == "")
        #expect(
            // One bit of a `Float` above 1.
            try folder.rows("SELECT ZID, (ZSHARE - 1) * 8388608 = 1 FROM ZALL ORDER BY ZID")
                == ["1|1", "2|1", "3|1"])
    }

    @Test("rejects a far date whose fraction would change, or rounds it if asked")
    func distantDates() throws {
        let folder = try Workspace()
        try folder.write(
            "a.ndjson",
            """
            {"id":"1","day":"2500-06-01T00:00:00.123456Z"}
            {"id":"2","day":"2500-06-01T00:00:00.123455Z"}
            {"id":"3","day":"9999-12-31T23:59:59.999999Z"}
            {"id":"4","day":"9999-12-31T23:59:59.999Z"}
            """)
        try folder.write("b.ndjson", #"{"id":"5","day":"2500-06-01 00:00:00,123456"}"#)
        let export = "- { export: All, fields: [day, id], order: id, to: out.ndjson }"
        let strict = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: All }
            - import: b.ndjson
              into: All
              set: { day: { date: "yyyy-MM-dd HH:mm:ss,SSSSSS" } }
            \(export)
            """, top: "rejects: { allow: 2 }")
        #expect(strict.text == "")
        let reasons = try folder.reasons()
        #expect(
            reasons
                == Self.refused(
                    "day",
                    "a date whose fraction of a second is kept, to the microsecond from 1729 to "
                        + "2272 (`cast: lossy` rounds)",
                    [
                        ("", "'2500-06-01T00:00:00.123456Z'"),
                        ("", "'9999-12-31T23:59:59.999999Z'"),
                        ("", "'2500-06-01 00:00:00,123456'"),
                    ]
                ).map { "cast day: \($0.1)" })
        let kept = """
            {"day":"2500-06-01T00:00:00.123455Z","id":"2"}
            {"day":"9999-12-31T23:59:59.999Z","id":"4"}

            """
        #expect(try folder.text("out.ndjson") == kept)
        let lossy = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: All, set: { day: { cast: lossy } } }
            \(export)
            """)
        #expect(lossy.text == "")
        let rounded = """
            {"day":"2500-06-01T00:00:00.123455Z","id":"1"}
            {"day":"2500-06-01T00:00:00.123455Z","id":"2"}
            {"day":"9999-12-31T23:59:59.99997Z","id":"3"}
            {"day":"9999-12-31T23:59:59.999Z","id":"4"}

            """
        #expect(try folder.text("out.ndjson") == rounded)
    }

    @Test(
        "a fraction of a second is not rounded into the next day",
        arguments: ["", ", set: { day: { cast: lossy } }"])
    func lastMoment(set: String) throws {
        let folder = try Workspace()
        try folder.write(
            "a.ndjson",
            """
            {"id":"1","day":"2026-01-31T23:59:59.999999999Z"}
            {"id":"2","day":"2026-01-31T23:59:59.9999999Z"}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: All\(set) }
            - { export: All, fields: [day, id], order: id, to: out.ndjson }
            """)
        #expect(run.text == "")
        #expect(
            try folder.text("out.ndjson") == """
                {"day":"2026-01-31T23:59:59.9999999Z","id":"1"}
                {"day":"2026-01-31T23:59:59.9999999Z","id":"2"}

                """)
    }

    @Test("the reason of a reject gives its line, column, and byte in NDJSON")
    func placeInLines() throws {
        let folder = try Workspace()
        try folder.write(
            "all.ndjson",
            "{\"id\":\"a\"}\n{\"id\":\"b\", \"title\":\"ü\", \"small\": \"x\"}\n")
        _ = try folder.run(
            model: Self.model, "- { import: all.ndjson, into: All }",
            top: "rejects: { allow: 1 }")
        let files = try folder.rejects()
        #expect(
            files == [
                "import-all.all.ndjson": "{\"id\":\"b\", \"title\":\"ü\", \"small\": \"x\"}\n",
                "import-all.all.ndjson.why.ndjson": """
                {"byte":46,"code":"cast","column":36,"detail":"cast","field":"small",\
                "file":"all.ndjson","line":2,"message":"'small' takes a whole number that \
                fits Integer 16, not 'x'","others":[],"record":2,"run":"RUN","value":"x"}

                """,
            ])
    }

    @Test("casts CSV text by the same rules")
    func table() throws {
        let folder = try Workspace()
        try folder.write(
            "all.csv",
            #"""
            id,small,flag,day,tree,title
            a,1,yes,2001-01-02,"{""k"": [1]}",007
            b,,,,,
            c,"",,,,""
            d,7.5,,,,
            e,,,,x,
            f,,,,"""x""",
            """#)
        let run = try folder.run(
            model: Self.model, "- { import: all.csv, into: All }", top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(
            try folder.rows(
                "SELECT ZID, ZSMALL, ZFLAG, ZDAY, CAST(ZTREE AS TEXT), ZTITLE FROM ZALL"
                    + " ORDER BY ZID")
                == [
                    "a|1|1|86400|{\"k\": [1]}|007", "b|NULL|NULL|NULL|NULL|NULL",
                    "f|NULL|NULL|NULL|\"x\"|NULL",
                ])
        #expect(
            try folder.reasons() == [
                "cast small: 'small' takes a whole number that fits Integer 16, not ''",
                "cast small: 'small' takes a whole number that fits Integer 16, not '7.5'",
                "cast tree: 'tree' takes JSON text (or say `split:` to make a list), not 'x'",
            ])
        #expect(
            try folder.rejects()["import-all.all.csv"]
                == "id,small,flag,day,tree,title\nc,\"\",,,,\"\"\nd,7.5,,,,\ne,,,,x,\n")
    }
}
