import Foundation
import Testing

/// Records that have one key, and objects in lists.
extension ImportCommandTests {
    private func writeCategories(_ last: String) throws {
        try write("categories.csv", "id,name\n1,Home\n2,Work\n" + last)
        try write("tasks.csv", "id,title,category\n1,a,1\n2,b,2\n3,c,2\n")
    }

    @Test("an exact duplicate of a record does not change the key or the links")
    func exactRepeat() throws {
        try writeCategories("2,Work\n")
        let files = ["categories.csv", "tasks.csv", "--into", "s.sqlite", "-v"]
        #expect(
            try Tool.etl(["import"] + files, in: folder.path)
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Categories from categories.csv: key id; name String
                        Tasks from tasks.csv: key id; title String; category → Categories
                        Imported into s.sqlite (new): 6 read, 5 inserted, 1 superseded
                        Next: etl fetch s.sqlite Categories

                        """,
                    standardError: """
                        categories.csv:4:1: warning: 1 record repeats another one exactly and becomes \
                        the same object [infer.repeated-record]
                          in: record 3, byte 22
                          fix: if each one is a separate object, add a column that distinguishes them

                        """))
        // Later imports use the key of the store.
        #expect(
            try Tool.etl(["import"] + files, in: folder.path)
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Categories from categories.csv: key id; name String
                        Tasks from tasks.csv: key id; title String; category → Categories
                        Imported into s.sqlite: 6 read, 5 unchanged, 1 superseded

                        """))
        let model = try etl("infer", "categories.csv").standardOutput
        #expect(
            model.contains(
                "        unique: [[id]]  # guessed: unique in 3 records, but for 1 that repeats another"
                    + " one\n"), "\(model)")
    }

    @Test("the key tolerates exact duplicates of one in a hundred records")
    func fewRepeats() throws {
        let rows = (1...1000).map { "\($0),n\($0)\n" }
        func write(_ repeats: Int) throws {
            try self.write(
                "things.ndjson",
                (rows + rows.prefix(repeats)).map { row in
                    let parts = row.dropLast().split(separator: ",")
                    return "{\"id\":\(parts[0]),\"n\":\"\(parts[1])\"}\n"
                }.joined())
        }
        try write(10)
        #expect(
            try cron("import", "things.ndjson", "--into", "few.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        things.ndjson:1001:1: warning: 10 records repeat another one exactly and become \
                        the same object [infer.repeated-record]
                          in: record 1001, byte 21786
                          fix: if each one is a separate object, add a column that distinguishes them

                        """))
        try write(11)
        #expect(
            try etl("import", "things.ndjson", "--into", "many.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Things from things.ndjson: no key found, so identified by all columns; id Integer 64, n String
                        Imported into many.sqlite (new): 1,011 read, 1,011 inserted
                        Next: etl fetch many.sqlite Things

                        """,
                    standardError: """
                        things.ndjson:1001:1: warning: id is not the key of Things: records 1 and 1001 \
                        have the same one, and too many records repeat others [infer.no-key]
                          in: record 1001, byte 21786
                          fix: correct one of them and import into a new store; or import into a new \
                        store with --key id, and the last record of each id counts

                        """))
    }

    @Test("an id whose records differ is not the key, and a warning names two of them")
    func differentRepeat() throws {
        try writeCategories("2,Play\n")
        #expect(
            try etl("import", "categories.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Categories from categories.csv: key id + name
                        Imported into s.sqlite (new): 3 read, 3 inserted
                        Next: etl fetch s.sqlite Categories

                        """,
                    standardError: """
                        categories.csv:4:1: warning: id is not the key of Categories: records 2 and 3 have \
                        the same one and differ [infer.no-key]
                          in: record 3, byte 22
                          fix: correct one of them and import into a new store; or import into a new \
                        store with --key id, and the last record of each id counts

                        """))
    }

    @Test("equal records stay separate if no column is named like a key")
    func repeatsWithoutKey() throws {
        try write("log.csv", "day,what\n2026-01-01,run\n2026-01-02,run\n2026-01-02,run\n")
        #expect(
            try etl("import", "log.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Log from log.csv: no key found, so identified by all columns; day Date, what String
                        Imported into s.sqlite (new): 3 read, 3 inserted
                        Next: etl fetch s.sqlite Log

                        """))
    }

    @Test("a table without a key can be imported twice with an escape character")
    func rowKeysWithEscape() throws {
        try write("e.csv", "day,what\nMo,\"a \\\" b\"\nTu,c\nTu,c\n")
        for count in [
            "(new): 3 read, 3 inserted\nNext: etl fetch e.sqlite E\n", ": 3 read, 3 unchanged\n",
        ] {
            let result = try etl("import", "e.csv", "--into", "e.sqlite", "--escape", "\\")
            #expect(result.status == 0, "\(result.standardError)")
            #expect(
                result.standardOutput.hasSuffix(
                    "Imported into e.sqlite \(count)".replacing(" :", with: ":")),
                "\(result.standardOutput)")
        }
    }

    @Test("imports of several files accept a --key that only some of them have")
    func toldKeyOfSeveralFiles() throws {
        try write("a.csv", "id,n\n1,a\n")
        try write("c.csv", "code,n\n1,a\n")
        func imported(_ last: String) -> ToolResult {
            ToolResult(
                status: 0,
                standardOutput: """
                    A from a.csv: key id; n String
                    C from c.csv: key code; n String
                    Imported into s.sqlite\(last)

                    """)
        }
        let command = ["import", "a.csv", "c.csv", "--into", "s.sqlite", "--key", "id", "-v"]
        #expect(
            try Tool.etl(command, in: folder.path)
                == imported(" (new): 2 read, 2 inserted\nNext: etl fetch s.sqlite A"))
        #expect(
            try Tool.etl(command, in: folder.path) == imported(": 2 read, 2 unchanged"))
        // One file alone must have the column.
        #expect(
            try etl("import", "c.csv", "--into", "s.sqlite", "--key", "id")
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: No record has the field 'id' [infer.known]
                          fix: write it as the files do: code, n

                        """))
    }

    private static let order = """
        [{"id":1,"n":"a","items":[{"sku":"p","qty":1},{"sku":"q","qty":2}]},
         {"id":2,"n":"b","items":[{"sku":"p","qty":3}]}]
        """

    @Test("counts objects in lists, even if no record changes")
    func nestedCounts() throws {
        func imported(_ changes: (String, String)...) throws -> String {
            var text = Self.order
            for (old, new) in changes { text = text.replacing(old, with: new) }
            try write("orders.json", text)
            let result = try etl("import", "orders.json", "--into", "s.sqlite")
            #expect(result.status == 0 && result.standardError == "", "\(result)")
            let lines = result.standardOutput.split(separator: "\n").map(String.init)
            #expect(lines.first == "Orders from orders.json: key id; n String; items → Items")
            return lines.dropFirst().joined(separator: "\n")
        }
        #expect(
            try imported() == """
                Imported into s.sqlite (new): 2 read, 2 inserted; Items: 3 inserted
                Next: etl fetch s.sqlite Orders
                """)
        #expect(try imported() == "Imported into s.sqlite: 2 read, 2 unchanged")
        #expect(
            try imported((#""qty":2"#, #""qty":5"#))
                == "Imported into s.sqlite: 2 read, 2 unchanged; Items: 1 updated")
        let more = (#""qty":3}"#, #""qty":3},{"sku":"z","qty":9}"#)
        #expect(
            try imported(more)
                == "Imported into s.sqlite: 2 read, 1 updated, 1 unchanged; Items: 1 inserted, 1 updated"
        )
        let twice = (#"{"sku":"z""#, #"{"sku":"z","qty":8},{"sku":"z""#)
        #expect(
            try imported(more, twice)
                == "Imported into s.sqlite: 2 read, 2 unchanged, 1 nested object superseded")
        #expect(
            try rows(
                "SELECT o.ZID, i.ZSKU, i.ZQTY FROM ZITEMS i JOIN ZORDERS o ON i.ZORDERS = o.Z_PK"
                    + " ORDER BY 1, 2", in: "s.sqlite")
                == ["1|p|1", "1|q|2", "2|p|3", "2|z|9"])
    }

    @Test("the line and the report of a run count objects in lists")
    func nestedCountsOfRuns() throws {
        try write("orders.json", Self.order)
        #expect(try etl("infer", "orders.json", "--output", ".").status == 0)
        #expect(try etl("run", "pipeline.yaml").status == 0)
        try write("orders.json", Self.order.replacing(#""qty":2"#, with: #""qty":5"#))
        let second = try Tool.etl(["run", "pipeline.yaml", "-v"], in: folder.path)
        let line = second.standardError.split(separator: "\n").first {
            $0.contains("import orders:")
        }
        #expect(
            line?.contains("import orders: 2 read, 2 unchanged; Items: 1 updated (") == true,
            "\(second)")
        let report = try Tool.etl(["report", "runs"], in: folder.path)
        #expect(
            report.standardOutput.contains("2 read, 2 unchanged, Items: 1 updated"), "\(report)")
    }
}
