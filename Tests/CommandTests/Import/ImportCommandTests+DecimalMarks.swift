import Testing

/// Later files whose numbers may have another decimal mark than the first one.
extension ImportCommandTests {
    /// Imports a table whose prices have a decimal comma.
    private func importFirst(_ text: String = "id;price\n1;1.234,50\n2;2,75\n") throws {
        try write("p.csv", text)
        #expect(try cron("import", "p.csv", "--into", "s.sqlite") == .silentSuccess)
    }

    private func prices() throws -> [String] {
        try cron("fetch", "s.sqlite", "P").standardOutput
            .split(separator: "\n").map(String.init)
    }

    /// Imports a later table, and checks the warning about one of its numbers, and the prices.
    ///
    /// - Parameters:
    ///   - reading: The part of the warning after the place of the number.
    ///   - fix: The fix of the warning.
    private func expectWarning(
        _ table: String, about number: String, _ reading: String, fix: String,
        prices expected: [String]
    ) throws {
        try write("p.csv", table)
        #expect(
            try etl("import", "p.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        P from p.csv: key id; price Decimal
                        Read p.csv with delimiter ';'
                        Imported into s.sqlite: 2 read, 2 updated

                        """,
                    standardError: """
                        p.csv: warning: \(number) is read as \(reading) [import.decimal-mark]
                          fix: \(fix)

                        """))
        #expect(try prices() == expected)
    }

    @Test("a column with a number that needs a decimal comma is read as the first import read it")
    func keptComma() throws {
        try importFirst()
        try write("p.csv", "id;price\n1;1.125\n2;2,5\n")
        #expect(try cron("import", "p.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try prices() == [#"{"id":1,"price":1125}"#, #"{"id":2,"price":2.5}"#])
    }

    @Test("a column with a number that needs a decimal point is read with it, with a warning")
    func provenPoint() throws {
        try importFirst()
        try expectWarning(
            "id;price\n1;1.125\n2;2.5\n", about: "'1.125' in price (p.csv:2)",
            """
            1.125, because '2.5' (p.csv:3) needs a decimal point; the first import had a decimal \
            comma
            """, fix: "if the point groups thousands in this file, remove it",
            prices: [#"{"id":1,"price":1.125}"#, #"{"id":2,"price":2.5}"#])
        // Without a number that could be either, there is no doubt.
        try write("p.csv", "id;price\n1;1.25\n2;1,234.5\n")
        #expect(try cron("import", "p.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try prices() == [#"{"id":1,"price":1.25}"#, #"{"id":2,"price":1234.5}"#])
    }

    @Test("a column whose numbers prove no decimal mark is read as the first, with a warning")
    func openMark() throws {
        try importFirst()
        try expectWarning(
            "id;price\n1;7\n2;2.250\n", about: "'2.250' in price (p.csv:3)",
            """
            2250, because the first import had a decimal comma, and no number of the column needs \
            another
            """, fix: "if the point is the decimal mark in this file, write a comma",
            prices: [#"{"id":1,"price":7}"#, #"{"id":2,"price":2250}"#])
        // A decimal comma is unambiguous.
        try write("p.csv", "id;price\n1;7\n2;2,250\n")
        #expect(try cron("import", "p.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try prices() == [#"{"id":1,"price":7}"#, #"{"id":2,"price":2.25}"#])
    }

    @Test("the other columns of a file may show its decimal mark")
    func otherColumns() throws {
        let table = "id;price;size\n1;1.234;1,5\n2;2.500;2,25\n"
        try importFirst(table)
        #expect(try cron("import", "p.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(
            try prices() == [
                #"{"id":1,"price":1234,"size":1.5}"#, #"{"id":2,"price":2500,"size":2.25}"#,
            ])
    }

    @Test("a column with both decimal marks and a number that could have either fails")
    func bothMarks() throws {
        try importFirst()
        try write("p.csv", "id;price\n1;1.125\n2;2.25\n3;7\n4;1,5\n")
        #expect(
            try etl("import", "p.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 65,
                    standardError: """
                        error: '1.125' in price (p.csv:2) may be 1125 or 1.125, because '1,5' (p.csv:5) needs a decimal comma, and '2.25' (p.csv:3) needs a decimal point; nothing was imported [import.decimal-mark]
                          fix: write all numbers of the column with a decimal comma, as in the first import

                        """))
        #expect(try prices() == [#"{"id":1,"price":1234.5}"#, #"{"id":2,"price":2.75}"#])
    }

    @Test("a later file may have larger numbers, with groups of digits")
    func laterGroups() throws {
        try importFirst("id;price\n1;2,75\n")
        try write("p.csv", "id;price\n1;1.234,50\n2;12.345.678\n")
        #expect(try cron("import", "p.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try prices() == [#"{"id":1,"price":1234.5}"#, #"{"id":2,"price":12345678}"#])
    }
}
