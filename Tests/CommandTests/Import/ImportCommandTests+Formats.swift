import Foundation
import Testing

/// Later imports of files that changed: row keys, dates, and numbers are read as before, and losses
/// are reported.
extension ImportCommandTests {
    private func said(_ lines: String..., error: String = "", status: Int32 = 0) -> ToolResult {
        ToolResult(
            status: status, standardOutput: lines.map { $0 + "\n" }.joined(), standardError: error)
    }

    // MARK: Row keys

    private static let hash = "97cdb430a33b8c3d41062f5479f3c3b5dd339cdad21eb83becc48aad39e61446"

    @Test("adding a column to a file without a key updates the same rows")
    func rowKeysOfTheFirstColumns() throws {
        try write("r.csv", "day,what\n2026-01-01,a\n2026-01-01,a\n")
        #expect(
            try etl("import", "r.csv", "--into", "r.sqlite")
                == said(
                    "R from r.csv: no key found, so identified by all columns; day Date, what String",
                    "Imported into r.sqlite (new): 2 read, 2 inserted",
                    "Next: etl fetch r.sqlite R"))
        let day = #""day":"2026-01-01T00:00:00Z""#
        let rows = ["", "-2"].map { ending in
            #"{"rowKey":""# + Self.hash + ending + "\"," + day + #","what":"a"}"#
        }
        #expect(try objects("r.sqlite", "R") == rows)
        try write("r.csv", "day,more,what\n2026-01-01,q,a\n2026-01-01,,a\n")
        let line = "R from r.csv: no key found, so identified by the columns of the first import"
        #expect(
            try etl("import", "r.csv", "--into", "r.sqlite")
                == said(
                    "\(line); day Date, what String",
                    "Imported into r.sqlite: 2 read, 2 unchanged",
                    error: """
                        r.csv: warning: R has no property for more, which is skipped [import.skipped-columns]
                          fix: add it to the store's model with --add-columns

                        """))
        #expect(try objects("r.sqlite", "R") == rows)
        #expect(
            try etl("import", "r.csv", "--into", "r.sqlite", "--add-columns")
                == said(
                    "\(line); day Date, more String, what String",
                    "New in the store's model: R.more String",
                    "The old store is r.sqlite.bak-v1",
                    "Imported into r.sqlite: 2 read, 1 updated, 1 unchanged"))
        #expect(
            try objects("r.sqlite", "R") == [
                rows[0].replacing(day, with: day + #","more":"q""#),
                rows[1].replacing(day, with: day + #","more":null"#),
            ])
    }

    @Test("fails if a file lacks a column of the row key, since its rows would be duplicates")
    func rowKeyWithoutAColumn() throws {
        try write("r.csv", "day,what\n2026-01-01,a\n2026-01-01,a\n")
        #expect(try cron("import", "r.csv", "--into", "r.sqlite") == .silentSuccess)
        let before = try objects("r.sqlite", "R")
        try write("r.csv", "day,more\n2026-01-01,a\n")
        #expect(
            try cron("import", "r.csv", "--into", "r.sqlite")
                == ToolResult(
                    status: 78,
                    standardError: """
                        error: r.csv lacks 'what', and all columns of the first import identify the objects of R, so each row would be added again [import.row-key]
                          fix: add the missing columns to the file, or import into a new store

                        """))
        #expect(try objects("r.sqlite", "R") == before)
    }

    @Test("JSON records keep their row keys if fields are added or optional ones are missing")
    func rowKeysOfJSON() throws {
        try write(
            "j.ndjson",
            """
            {"a":1,"o":{"x":1,"y":"q"}}
            {"a":1,"o":{"x":1,"y":"q"}}
            {"o":{"x":2,"y":"w"}}

            """)
        #expect(try cron("import", "j.ndjson", "--into", "j.sqlite") == .silentSuccess)
        let before = try objects("j.sqlite", "J")
        #expect(before.count == 3)
        try write(
            "j.ndjson",
            """
            {"a":1,"n":5,"o":{"z":7,"x":1,"y":"q"}}
            {"o":{"x":1,"y":"q"},"a":1}
            {"o":{"x":2,"y":"w"}}

            """)
        #expect(
            try etl("import", "j.ndjson", "--into", "j.sqlite").standardOutput.hasSuffix(
                "Imported into j.sqlite: 3 read, 3 unchanged\n"))
        try write("j.ndjson", #"{"o":{"x":2,"y":"w"}}"# + "\n")
        #expect(
            try etl("import", "j.ndjson", "--into", "j.sqlite").standardOutput.hasSuffix(
                "Imported into j.sqlite: 1 read, 1 unchanged\n"))
        #expect(try objects("j.sqlite", "J") == before)
        try write("j.ndjson", #"{"a":1}"# + "\n")
        #expect(
            try cron("import", "j.ndjson", "--into", "j.sqlite")
                == ToolResult(
                    status: 78,
                    standardError: """
                        error: j.ndjson lacks 'o.x', 'o.y', and all columns of the first import identify the objects of J, so each row would be added again [import.row-key]
                          fix: add the missing columns to the file, or import into a new store

                        """))
    }

    // MARK: Formats

    private func writeForms() throws {
        try write(
            "d.csv",
            """
            id,d,n,created_at
            1,13/02/2026,"1,5",1767225600000
            2,14/02/2026,"1.002,25",1767225600000

            """)
        #expect(try cron("import", "d.csv", "--into", "d.sqlite") == .silentSuccess)
    }

    @Test("reads ambiguous dates and numbers as the first import did")
    func formatsOfTheFirstImport() throws {
        try writeForms()
        try write("d.csv", "id,d,n,created_at\n3,01/02/2026,1.234,1000\n")
        let line = "D from d.csv: key id; d Date, n Decimal, createdAt Date"
        #expect(
            try etl("import", "d.csv", "--into", "d.sqlite")
                == said(
                    line, "Imported into d.sqlite: 1 read, 1 inserted",
                    error: """
                        d.csv: warning: '1.234' in n (d.csv:2) is read as 1234, because the first import had a decimal comma, and no number of the column needs another [import.decimal-mark]
                          fix: if the point is the decimal mark in this file, write a comma

                        """))
        let all = [
            #"{"id":1,"createdAt":"2026-01-01T00:00:00Z","d":"2026-02-13T00:00:00Z","n":1.5}"#,
            #"{"id":2,"createdAt":"2026-01-01T00:00:00Z","d":"2026-02-14T00:00:00Z","n":1002.25}"#,
            #"{"id":3,"createdAt":"1970-01-01T00:00:01Z","d":"2026-02-01T00:00:00Z","n":1234}"#,
        ]
        #expect(try objects("d.sqlite", "D") == all)
        // The format of the store's own export is unambiguous.
        for format in ["csv", "ndjson"] {
            let export = try cron("fetch", "d.sqlite", "D", "--format", format)
            try write("D.\(format)", export.standardOutput)
            #expect(
                try etl("import", "D.\(format)", "--into", "d.sqlite").standardOutput.hasSuffix(
                    "Imported into d.sqlite: 3 read, 3 unchanged\n"))
        }
        #expect(try objects("d.sqlite", "D") == all)
    }

    @Test("rejects a value that does not fit the format of the first import")
    func valueOfAnotherFormat() throws {
        try writeForms()
        let before = try objects("d.sqlite", "D")
        try write("d.csv", "id,d\n3,01/22/2026\n")
        let result = try cron("import", "d.csv", "--into", "d.sqlite")
        #expect(result.status == 65)
        #expect(
            result.standardError.hasPrefix(
                """
                d.csv:2:3: error: 'd' is '01/22/2026', and there is no such day [cast]
                  in: record 1, field 'd', byte 7
                error: 1 of 1 record was rejected; none is allowed [rejects.too-many]

                """), "\(result)")
        #expect(try objects("d.sqlite", "D") == before)
    }

    @Test("ambiguous dates name the --type flag that sets their pattern")
    func flagOfDates() throws {
        try write("days.csv", "id,d\n1,2024-12-25\n")
        #expect(try cron("import", "days.csv", "--into", "d.sqlite") == .silentSuccess)
        try write("days.csv", "id,d\n2,02/03/2024\n")
        let refused = try cron("import", "days.csv", "--into", "d.sqlite")
        #expect(refused.status == 65)
        #expect(refused.standardOutput == "")
        #expect(
            refused.standardError.hasPrefix(
                """
                days.csv: warning: Days.d: the day and the month cannot be distinguished, so its dates \
                are not read [import.open-dates]
                  fix: add --type 'd=Date dd/MM/yyyy' or --type 'd=Date MM/dd/yyyy'

                """), "\(refused)")
        #expect(
            try cron(
                "import", "days.csv", "--into", "d.sqlite", "-q", "--type", "d=Date dd/MM/yyyy")
                == .silentSuccess)
        let first = #"{"id":1,"d":"2024-12-25T00:00:00Z"}"#
        #expect(
            try objects("d.sqlite", "Days") == [first, #"{"id":2,"d":"2024-03-02T00:00:00Z"}"#])
        // A new store keeps the pattern.
        #expect(
            try cron("import", "days.csv", "--into", "e.sqlite", "--type", "d=date MM/dd/yyyy")
                == .silentSuccess)
        #expect(try cron("import", "days.csv", "--into", "e.sqlite") == .silentSuccess)
        #expect(try objects("e.sqlite", "Days") == [#"{"id":2,"d":"2024-02-03T00:00:00Z"}"#])
        let wrong = try cron("import", "days.csv", "--into", "e.sqlite", "--type", "d=Date xx")
        #expect(wrong.status == 64)
        #expect(
            wrong.standardError.contains(
                "'xx' is not a pattern of dates, such as dd/MM/yyyy"))
    }

    // MARK: Losses

    @Test("reports duplicate keys in objects once, with the first location")
    func duplicateKeys() throws {
        try write(
            "k.ndjson",
            """
            {"id":1,"a":1}
            {"id":2,"a":1,"a":2}
            {"id":3,"o":{"x":1,"x":2},"a":3,"a":4}

            """)
        #expect(
            try cron("import", "k.ndjson", "--into", "k.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        k.ndjson:2:1: warning: 2 records have a key twice in one object, first here; the last value counts [import.duplicate-keys]
                          in: record 2, byte 15
                          fix: correct the file, or reject these records with `on: { duplicate-key: reject }` in a spec

                        """))
        #expect(
            try objects("k.sqlite", "K") == [
                #"{"id":1,"a":1,"oX":null}"#, #"{"id":2,"a":2,"oX":null}"#,
                #"{"id":3,"a":4,"oX":2}"#,
            ])
    }
}
