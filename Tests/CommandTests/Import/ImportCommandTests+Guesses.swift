import Foundation
import Testing

/// Guesses of an import without a spec about files that repeat others, totals below a table,
/// delimiters, and daily files.
extension ImportCommandTests {
    private static let users = #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#
    private static let posts = #"[{"id":1,"userId":1},{"id":2,"userId":2}]"#

    @Test("a document with the records of other files fills the same entities")
    func twins() throws {
        try write("users.json", Self.users)
        try write("posts.json", Self.posts)
        try write("db.json", #"{"users":\#(Self.users),"posts":\#(Self.posts)}"#)
        let imports = """
            Users from db.json: key id; name String
            Users from users.json: key id; name String
            Posts from db.json: key id; user → Users
            Posts from posts.json: key id; user → Users

            """
        #expect(
            try etl("import", "*.json", "--into", "t.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: imports + """
                        Users: several files have the same id, and the record of the last one counts (--key names other columns)
                        Posts: several files have the same id, and the record of the last one counts (--key names other columns)
                        Imported into t.sqlite (new): 8 read, 4 inserted, 4 unchanged
                        Next: etl fetch t.sqlite Users

                        """))
        #expect(
            try etl("import", "*.json", "--into", "t.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: imports + "Imported into t.sqlite: 8 read, 8 unchanged\n"))
        #expect(
            try rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY 1", in: "t.sqlite")
                == ["Posts", "Users"])
    }

    @Test("a document with one array fills the entity that is named like the array")
    func twinOfOneArray() throws {
        try write("users.json", Self.users)
        try write("db.json", #"{"users":[{"id":2,"name":"Bobby"},{"id":3,"name":"Cy"}]}"#)
        #expect(
            try cron("import", "users.json", "db.json", "--into", "t.sqlite") == .silentSuccess)
        #expect(
            try rows("SELECT ZID, ZNAME FROM ZUSERS ORDER BY 1", in: "t.sqlite")
                == ["1|Ann", "2|Bobby", "3|Cy"])
        let spec = try cron("infer", "users.json", "db.json")
        #expect(
            spec.standardOutput.hasSuffix(
                """
                stages:
                  - import: users
                    read:
                      files: users.json
                      as: json
                    into: Users
                    key: id
                  - import: users2
                    read:
                      files: db.json
                      as: json
                      at: "$.users[*]"  # guessed: values outside these records are not imported
                    into: Users
                    key: id

                """), "\(spec)")
    }

    @Test("records with other fields get a separate entity")
    func otherFields() throws {
        try write("users.json", Self.users)
        try write("db.json", #"{"users":[{"login":"ann","age":3}],"posts":\#(Self.posts)}"#)
        #expect(try cron("import", "users.json", "db.json", "--into", "t.sqlite").status == 0)
        #expect(
            try rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY 1", in: "t.sqlite")
                == ["Posts", "Users", "Users2"])
    }

    @Test(
        "skips a title even if a line of totals ends the table, and rejects that line",
        arguments: ["Sales report\n", "Sales report,,\n", "Sales report,,\n,,\n"])
    func footer(title: String) throws {
        try write("s.csv", title + "id,name,amount\n1,a,5\n2,b,6\n3,c,1\nTotal: 12\n")
        let lines = title.split(separator: "\n").count
        let result = try cron("import", "s.csv", "--into", "s.sqlite")
        let run = try #require(try names().contains("rejects") ? names(in: "rejects").first : nil)
        #expect(
            result
                == ToolResult(
                    status: 65,
                    standardError: """
                        s.csv:\(5 + lines):1: error: The record has 1 field where the header has 3 [csv.too-few-fields]
                          in: record 4, byte \(title.utf8.count + 33)
                          fix: complete the record, or delete the line if it has totals
                        error: 1 of 4 records was rejected; none is allowed [rejects.too-many]
                          fix: correct the file and import it again, or allow rejects with --allow-rejects; the records are in rejects/\(run)
                        note: 4 read, 3 inserted, 1 rejected; s.sqlite has these objects, and the next import continues after them [import.saved]

                        """))
        #expect(
            try rows("SELECT ZID, ZNAME, ZAMOUNT FROM ZS ORDER BY 1", in: "s.sqlite")
                == ["1|a|5", "2|b|6", "3|c|1"])
        #expect(
            try rows("SELECT count(*) FROM Z_PRIMARYKEY", in: "s.sqlite") == ["1"])
        let spec = try cron("infer", "s.csv").standardOutput
        #expect(
            spec.contains("      skip: \(lines)  # guessed: lines above the header\n"), "\(spec)")
    }

    @Test("an uncertain header above a line of totals fails with a fix")
    func uncertainAboveFooter() throws {
        try write("s.csv", "Sales report\nid,name,city\nx,a,Bern\ny,b,Rom\nTotal: 2\n")
        for command in [["import", "s.csv", "--into", "s.sqlite"], ["infer", "s.csv"]] {
            #expect(
                try Tool.etl(command, in: folder.path)
                    == ToolResult(
                        status: 65,
                        standardError: """
                            s.csv: error: Line 2 may be the header, or a record below the first line [csv.uncertain-header]
                              fix: if it is the header, delete the lines above it, or set `read.skip: 1` and `read.delimiter: ","` in a spec; if line 1 is, enclose fields that contain the delimiter in quotes

                            """))
        }
    }

    @Test("a first line with one name is the header if the next line is a record")
    func oneNameInHeader() throws {
        try write("s.csv", "country,,\nFrance,Paris,big\nItaly,Rome,big\n")
        #expect(
            try cron("import", "s.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        s.csv: warning: The header has no names for 2 columns, which are called column2, column3 [infer.no-name]
                          fix: name the columns in the first line

                        """))
        #expect(try rows("SELECT count(*) FROM ZS", in: "s.sqlite") == ["2"])
    }

    @Test(
        "warns if a table has one column and a character may be its delimiter",
        arguments: [
            ("id:name:sum\n1:a:5\n2:b:6\n", ":", "1|a|5"),
            ("id^name\n1^a\n2^b^c\n3^d\n4^e\n", "^", "1|a"),
            ("id@name\n1@a\n2@b\n", "@", "1|a"),
            ("id sum\n1 5\n2 6\n", " ", "1|5"),
        ])
    func likelyDelimiter(text: String, sign: String, row: String) throws {
        try write("t.csv", text)
        let told = """
            t.csv: warning: The table has one column, and '\(sign)' may separate its fields [infer.one-column]
              fix: if it does, write the line `sep=\(sign)` above the header, or set `read.delimiter: "\(sign)"` in a spec

            """
        #expect(
            try cron("import", "t.csv", "--into", "t.sqlite")
                == ToolResult(status: 0, standardError: told))
        #expect(try cron("infer", "t.csv").standardError == told)
        // With the line that the fix suggests.
        try write("t.csv", "sep=\(sign)\n" + text)
        let allowed = try cron(
            "import", "t.csv", "--into", "fixed.sqlite", "--allow-rejects", "1")
        #expect(allowed.status == 0 && !allowed.standardError.contains("infer."), "\(allowed)")
        let columns =
            row.contains("|a|") ? "ZID, ZNAME, ZSUM" : sign == " " ? "ZID, ZSUM" : "ZID, ZNAME"
        #expect(
            try rows("SELECT \(columns) FROM ZT ORDER BY 1 LIMIT 1", in: "fixed.sqlite") == [row])
    }

    @Test(
        "a table that has only one column gives no warning",
        arguments: [
            "url\nhttp://a\nhttp://b\n", "First name\nAnn Smith\nBob Jones\n",
            "time\n12:30\n9:15\n",
        ])
    func oneColumn(text: String) throws {
        try write("t.csv", text)
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
    }

    @Test("warns if the key of a dated file lacks the day, so that another day overwrites it")
    func oneDay() throws {
        let name = "sales-2026-01-01.csv"
        func told(_ fix: String) -> String {
            """
            \(name): warning: The name of the file has a date, and the key is sku without it, so that the file of another day overwrites these objects [infer.one-day]
              fix: if each day has its own objects, \(fix)

            """
        }
        try write(name, "sku,sold\na,1\nb,2\n")
        let expected = told("add a column with the day, and name both in --key")
        #expect(
            try cron("import", name, "--into", "plain.sqlite")
                == ToolResult(status: 0, standardError: expected))
        // The next file uses the key of the store.
        try write("sales-2026-01-02.csv", "sku,sold\na,1\nb,2\n")
        #expect(
            try cron("import", "sales-2026-01-02.csv", "--into", "plain.sqlite") == .silentSuccess)
        try write(name, "sku,day,sold\na,2026-01-01,1\nb,2026-01-01,2\n")
        #expect(try cron("infer", name).standardError == told("add --key sku,day"))
        #expect(
            try cron("import", name, "--into", "d.sqlite", "--key", "sku,day") == .silentSuccess)
        try write("sales-2026-01-02.csv", "sku,day,sold\na,2026-01-02,4\n")
        #expect(try cron("import", "sales-2026-01-02.csv", "--into", "d.sqlite") == .silentSuccess)
        #expect(
            try rows("SELECT ZSKU, ZSOLD FROM ZSALES ORDER BY Z_PK", in: "d.sqlite")
                == ["a|1", "b|2", "a|4"])
        // An ID identifies one object, whatever the day.
        try write("users-2026-01-01.csv", "id,name,at\n1,x,2026-01-01\n2,y,2026-01-01\n")
        #expect(
            try cron("import", "users-2026-01-01.csv", "--into", "u.sqlite") == .silentSuccess)
    }

    private func names(in child: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(child)").sorted()
    }

    @Test(
        "blank input exits with 65 like an empty file", arguments: ["", "\n", "  ", "\n \t\r\n"])
    func blank(text: String) throws {
        try write("b.txt", text)
        func told(_ file: String) -> ToolResult {
            ToolResult(
                status: 65,
                standardError: """
                    \(file): error: The file has no record [infer.empty]
                      fix: use a file with records

                    """)
        }
        for command in [["infer"], ["import", "--into", "b.sqlite", "--entity", "B"]] {
            let arguments = [command[0], "-"] + command.dropFirst()
            #expect(
                try Tool.etl(Array(arguments), in: folder.path, input: text)
                    == told("standard input"))
            #expect(
                try Tool.etl([command[0], "b.txt"] + command.dropFirst(), in: folder.path)
                    == told("b.txt"))
        }
        #expect(try names() == ["b.txt"])
    }

    @Test("messages name standard input instead of its temporary copy")
    func standardInput() throws {
        func infer(_ text: String, _ flags: String...) throws -> ToolResult {
            try Tool.etl(["infer", "-"] + flags, in: folder.path, input: text)
        }
        #expect(
            try infer("id\n1\n")
                == ToolResult(
                    status: 78,
                    standardError: """
                        standard input: error: Neither the name nor the first byte identifies the format [input.ambiguous-format]
                          fix: name the format with --as csv, tsv, json, or ndjson

                        """))
        #expect(
            try infer("{\"id\":1}\n{\"id\":\n").standardError == """
                standard input:2:7: warning: The JSON value is not complete [json.incomplete]
                  in: record 2, byte 15
                  fix: write each record on one line, or set `read.as: json`

                """)
        #expect(
            try infer("id\n", "--as", "csv").standardError == """
                standard input: error: The file has a header and no record, so the types of its columns are not known [infer.empty]
                  fix: use a file with records; if its first line is one, give --no-header

                """)
        #expect(
            try infer("id,\n1,2\n", "--as", "csv").standardError == """
                standard input: warning: The header has no name for a column, which is called column2 [infer.no-name]
                  fix: name the columns in the first line

                """)
    }
}
