import Testing

@testable import Pipelines

/// The long form of `set` and `by`: expressions, defaults, cleaning, and formats.
@Suite("Field mapping")
struct FieldMappingTests {
    static let model = """
        model: 1
        entities:
          Item:
            attributes:
              id: { type: String, optional: false }
              text: String
              count: Integer 32
              price: Decimal
              ratio: Double
              flag: Boolean
              at: Date
              uid: UUID
              raw: Binary
              words: { type: Transformable, transformer: json }
            relationships:
              tags: { to: Tag, many: true, inverse: items }
            unique: [[id]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { items: { to: Item, many: true, inverse: tags } }
            unique: [[name]]
        """

    /// Returns the column of each item after an import of the lines, and the reasons of the
    /// rejects.
    private func column(
        _ name: String, _ mapping: String, _ lines: String, file: String = "items.ndjson",
        read: String = ""
    ) throws -> [String] {
        let folder = try Workspace()
        try folder.write(file, lines)
        let run = try folder.run(
            model: Self.model,
            """
            - import: items
              read: { files: \(file)\(read) }
              into: Item
              set: { \(mapping) }
            """, top: "rejects: { allow: 100% }")
        #expect(run.text == "")
        return try folder.rows("SELECT \(name) FROM ZITEM ORDER BY ZID") + folder.reasons()
    }

    @Test("an expression computes a value, which is cast like a field")
    func expressions() throws {
        #expect(
            try column(
                "ZTEXT || ' ' || ZCOUNT",
                #"text: { expr: "coalesce(title, uppercase(nick))" }, "#
                    + #"count: { expr: "a.b * 2 + length(nick)" }"#,
                """
                {"id":"1","title":"x","nick":"ann","a":{"b":3}}
                {"id":"2","nick":"bob","a":{"b":5}}
                {"id":"3","nick":"eve","a":{"b":9223372036854775807}}
                {"id":"4","nick":"eve","a":{"b":1.25}}
                {"id":"5","nick":7,"a":{"b":1}}
                """) == [
                    "x 9", "BOB 13",
                    "expr count: The result of the arithmetic is too large",
                    "cast count: 'count' takes a whole number that fits Integer 32, not 5.5",
                    "expr text: Text is needed, not a number",
                ])
    }

    @Test("an expression can give a date, a UUID, a Boolean, null, or JSON")
    func expressionKinds() throws {
        #expect(
            try column(
                "ZAT || ' ' || hex(ZUID) || ' ' || ZFLAG || ' ' || ZWORDS",
                #"at: { expr: "date(on, 'dd.MM.yyyy')" }, "#
                    + #"uid: { expr: "uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', host)" }, "#
                    + #"flag: { expr: "ternary(n > 1, true, false)" }, words: { expr: "n + 1" }"#,
                #"{"id":"1","on":"02.01.2001","host":"www.example.com","n":2}"#
            ) == ["86400 2ED6657DE927568B95E12665A8AEA6A2 1 3"])
        #expect(
            try column("ZTEXT", #"text: { expr: "nothing", need: true }"#, #"{"id":"1"}"#)
                == ["required text: 'text' is required, and its `expr` gives null"])
    }

    @Test("an expression reads columns of a table, and converts text to numbers")
    func expressionOverTable() throws {
        #expect(
            try column(
                "ZCOUNT", #"count: { expr: "n * 10" }"#, "id,n\n1,4\n2,x\n", file: "items.csv")
                == ["40", "expr count: 'x' is not a number"])
    }

    @Test("a default replaces an absent field and null, and in tables an empty field")
    func defaults() throws {
        #expect(
            try column(
                "ZTEXT || ' ' || ZCOUNT || ' ' || ZAT",
                #"text: { default: none }, count: { from: n, default: 7 }, "#
                    + #"at: { default: "2001-01-02" }"#,
                """
                {"id":"1","text":"a","n":1,"at":"2001-01-01"}
                {"id":"2","text":null,"n":null,"at":null}
                {"id":"3"}
                {"id":"4","text":"","n":0}
                """) == ["a 1 0", "none 7 86400", "none 7 86400", " 0 86400"])
        #expect(
            try column(
                "ZCOUNT", "count: { default: 7 }", "id,count\n1,\n2,3\n", file: "items.csv")
                == ["7", "3"])
    }

    @Test(
        "cleans text step by step before the cast",
        arguments: [
            ("trim", "\\u00a0 Ä b\\t", "Ä b"),
            ("lower", "STRASSE ÄÉ", "strasse äé"),
            ("upper", "straße", "STRASSE"),
            ("nfc", "A\\u0308", "Ä"),
            ("collapse", " a \\t\\n b\\u2003c", " a b c"),
            ("[trim, collapse, upper]", "  a   b ", "A B"),
            ("[]", " a ", " a "),
        ])
    func cleaning(_ steps: String, _ text: String, _ wanted: String) throws {
        #expect(
            try column("ZTEXT", "text: { clean: \(steps) }", #"{"id":"1","text":"\#(text)"}"#)
                == [wanted])
    }

    @Test("cleans text before it becomes a number, is mapped, or is split into a list")
    func cleaningBeforeCasts() throws {
        #expect(
            try column(
                "ZCOUNT || ' ' || ZFLAG || ' ' || ZWORDS",
                #"count: { clean: trim }, flag: { from: f, clean: [trim, lower], "#
                    + #"map: { on: true, off: false } }, "#
                    + #"words: { from: w, split: "|", clean: [trim, lower] }"#,
                "id,count,f,w\n1, 5 , ON,A | b\"c|\n2,6 ,Off ,\n3,7,x,X\n", file: "items.csv",
                read: ", quote: none"
            ) == [
                #"5 1 ["a","b\"c",""]"#, "NULL",
                "cast f: 'flag' takes a text in its `map` ('on', 'off'), not 'x'",
            ])
    }

    @Test(
        "reads numbers with other decimal and thousands separators",
        arguments: [
            ("{ decimal: \",\", thousands: \".\" }", "1.234.567,5", "1234567.5"),
            ("{ decimal: \",\" }", "-0,25", "-0.25"),
            ("{ thousands: \" \" }", "12 345", "12345.0"),
            ("{ thousands: \"'\" }", "1'000.5", "1000.5"),
            ("{ thousands: \",\" }", "999", "999.0"),
        ])
    func numberForms(_ form: String, _ text: String, _ wanted: String) throws {
        #expect(
            try column("ZRATIO", "ratio: { number: \(form) }", #"{"id":"1","ratio":"\#(text)"}"#)
                == [wanted])
    }

    @Test(
        "rejects a number in another form",
        arguments: [
            "1.23,5", "1.2345", "1234.567,0", ".123", "1,2,3", "1.234.56", "1e", "1.", "1,000.5",
        ])
    func badNumberForms(_ text: String) throws {
        #expect(
            try column(
                "ZRATIO", #"ratio: { number: { decimal: ",", thousands: "." } }"#,
                #"{"id":"1","ratio":"\#(text)"}"#)
                == ["cast ratio: 'ratio' takes a number with a decimal comma, not \(text)"])
    }

    @Test("reads dates as seconds or milliseconds since 1970, and in another time zone")
    func dates() throws {
        #expect(
            try column(
                "ZAT", "at: { number: seconds }",
                """
                {"id":"1","at":978307200}
                {"id":"2","at":"978307201.5"}
                {"id":"3","at":"2001-01-01"}
                {"id":"4","at":253402300799}
                {"id":"5","at":1700000000123}
                """) == [
                    "0", "1.5", "252423993599",
                    "cast at: 'at' takes a number of seconds since 1970, not '2001-01-01'",
                    "cast at: 'at' takes seconds since 1970, up to the year 9999 (milliseconds "
                        + "need `number: milliseconds`), not 1700000000123",
                ])
        #expect(
            try column("ZAT", "at: { number: milliseconds }", #"{"id":"1","at":978307200250}"#)
                == ["0.25"])
        #expect(
            try column(
                "ZAT", #"at: { zone: "+02:00" }"#,
                """
                {"id":"1","at":"2001-01-01T02:00:00"}
                {"id":"2","at":"2001-01-01T02:00:00Z"}
                {"id":"3","at":"2001-01-01"}
                """) == ["0", "7200", "-7200"])
        #expect(
            try column(
                "ZAT", #"at: { zone: "-03:30", date: "yyyy-MM-dd HH:mm" }"#,
                #"{"id":"1","at":"2001-01-01 00:00"}"#) == ["12600"])
    }

    @Test(
        "a fraction of a number of seconds is not rounded into the next second",
        arguments: [
            ("seconds", "1769903999.999999999", 791_596_799),
            ("milliseconds", "1769903999999.9999999", 791_596_799),
            ("seconds", "-0.000000000001", -978_307_201),
        ])
    func lastMoments(_ unit: String, _ number: String, _ second: Int) throws {
        let found = try column(
            "ZAT > \(second) AND ZAT < \(second + 1)", "at: { number: \(unit) }",
            #"{"id":"1","at":\#(number)}"#)
        #expect(found == ["1"])
    }

    @Test(
        "a lossy cast coerces values that a lossless cast rejects",
        arguments: [
            ("count", #"" +007 ""#, "7"), ("count", "1.9", "1"), ("count", #""-1.9e0""#, "-1"),
            ("count", #""5.0""#, "5"), ("count", #""1e2""#, "100"),
            ("count", #""-32.0e1""#, "-320"), ("count", #""5.9""#, "5"),
            ("ratio", #"" 01.50""#, "1.5"),
            ("price", "0.12345678901234567890", "0.123456789012346"),
            ("flag", #""Y""#, "1"), ("flag", #""off""#, "0"), ("flag", "3", "1"),
            ("text", "true", "true"), ("text", #"{"a": 1}"#, #"{"a": 1}"#),
            (
                "hex(ZUID)", #""{6ba7b8109dad11d180b400c04fd430c8}""#,
                "6BA7B8109DAD11D180B400C04FD430C8"
            ),
        ])
    func lossy(_ name: String, _ json: String, _ wanted: String) throws {
        let attribute = name.hasPrefix("hex") ? "uid" : name
        let column = name.hasPrefix("hex") ? name : "Z\(name.uppercased())"
        let line = #"{"id":"1","\#(attribute)":\#(json)}"#
        #expect(try self.column(column, "\(attribute): { cast: lossy }", line) == [wanted])
        let strict = try self.column(column, "\(attribute): { cast: lossless }", line)
        #expect(strict.first?.hasPrefix("cast \(attribute): ") == true, "\(strict)")
    }

    @Test(
        "a lossy cast does not invent values",
        arguments: [
            ("count", #""x""#), ("count", "1e10"), ("count", #""1e10""#),
            ("flag", #""maybe""#), ("uid", #""6ba7""#),
        ])
    func lossyRejects(_ name: String, _ json: String) throws {
        let found = try column(
            "Z\(name.uppercased())", "\(name): { cast: lossy }", #"{"id":"1","\#(name)":\#(json)}"#)
        #expect(found.first?.hasPrefix("cast \(name): ") == true, "\(found)")
    }

    @Test("link keys accept the same mappings as fields")
    func links() throws {
        let folder = try Workspace()
        try folder.write(
            "items.ndjson",
            """
            {"id":"1","t":" A |b|| c"}
            {"id":"2","t":null}
            {"id":"3","t":"  "}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: items.ndjson
              into: Item
              link:
                tags:
                  by: { name: { from: t, split: "|", clean: [trim, lower], default: none } }
                  missing: create
            """)
        #expect(run.text == "")
        #expect(
            run.lines == ["import import-items: 3 read, 3 inserted, 4 link targets created"])
        #expect(
            try folder.rows("SELECT ZNAME FROM ZTAG ORDER BY ZNAME") == ["a", "b", "c", "none"])
        #expect(
            try column("ZID", #"text: { expr: "1" }"#, #"{"id":"1"}"#) == ["1"])
    }
}
