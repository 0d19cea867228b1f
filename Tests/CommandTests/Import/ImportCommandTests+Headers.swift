import Foundation
import Testing

/// The start of a table: no header and no record is lost to a guess.
extension ImportCommandTests {
    @Test(
        "skips lines above the header even if they contain delimiters",
        arguments: [
            (
                "Konto;U\nZeitraum;x - y\n\nday;text;amount;cur\n01.11.2026;abc;-1.234,50;EUR\n"
                    + "24.11.2026;d;3,00;EUR\n", 3, ";", 2
            ),
            (
                "Account|7\nFrom|x\n\nday|note|amount\n2026-11-01|a, b|1.50\n"
                    + "2026-11-02|b, c|3.00\n2026-11-03|c, d|4.10\n", 3, "|", 3
            ),
            (
                "Konto;Um\nZeit;01.11.2026 - 30.11.2026\n\nday;sum;cur\n"
                    + "08.11.2026;\"1; 478,77\";EUR\n16.11.2026;\"-1; 2\";EUR\n", 3, ";", 2
            ),
            ("Konto;123\nid;name;v\n1;a;1,5\n2;b;2,5\n3;c;3,5\n", 1, ";", 3),
            ("Konto;U\nZeit;x\n\nid;name;v\n1;a;1\n2;b;2\n", 3, ";", 2),
        ])
    func wideLinesAbove(text: String, skip: Int, delimiter: String, count: Int) throws {
        try write("b.csv", text)
        let result = try etl("import", "b.csv", "--into", "b.sqlite")
        #expect(result.status == 0)
        let lines = skip == 1 ? "1 line of b.csv is" : "\(skip) lines of b.csv are"
        #expect(
            result.standardOutput.contains(
                "\nThe first \(lines) above the header, and \(skip == 1 ? "is" : "are") skipped\n"),
            "\(result)")
        #expect(result.standardOutput.contains(": \(count) read, \(count) inserted\n"), "\(result)")
        let spec = try cron("infer", "b.csv").standardOutput
        #expect(spec.contains("      skip: \(skip)  # guessed: lines above the header\n"))
        #expect(spec.contains("      delimiter: \"\(delimiter)\"  # guessed\n"))
    }

    @Test(
        "an uncertain header fails with 65 and writes nothing",
        arguments: [
            "name\n\nLang, Ada\nIto, Ben\nRoux, Cleo\n",
            "Report\n\nfirst,last\nAda,Lang\nBen,Ito\n",
            "name,city\nAda,Bern\nBen,Basel,abc\nCleo,Rom,4\nDan,Ulm,5\n",
        ])
    func uncertainHeader(text: String) throws {
        try write("n.csv", text)
        for command in [["import", "n.csv", "--into", "n.sqlite"], ["infer", "n.csv"]] {
            let result = try Tool.etl(command, in: folder.path)
            #expect(result.status == 65)
            #expect(
                result.standardError == """
                    n.csv: error: Line 3 may be the header, or a record below the first line [csv.uncertain-header]
                      fix: if it is the header, delete the lines above it, or set `read.skip: 2` and `read.delimiter: ","` in a spec; if line 1 is, enclose fields that contain the delimiter in quotes

                    """)
        }
        #expect(try names() == ["n.csv"])
    }

    @Test(
        "a table fails if most records do not fit its first line",
        arguments: [
            (
                "id;name\n1;a;b\n2;c;d\n3;e;f\n", "2 names, and the records have 3 fields",
                "name column 3 in the header"
            ),
            (
                "id,name\n1,a,x,y\n2,b,x,y\n", "2 names, and the records have 4 fields",
                "name columns 3 to 4 in the header"
            ),
            (
                "t\n1,2\n3,4\n", "1 name, and the records have 2 fields",
                "name column 2 in the header; if line 1 is not the header, delete the lines above it"
            ),
        ])
    func misfits(text: String, widths: String, fix: String) throws {
        try write("n.csv", text)
        let result = try cron("import", "n.csv", "--into", "n.sqlite")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                n.csv: error: The header has \(widths) [csv.uncertain-header]
                  fix: \(fix)

                """)
        #expect(try names() == ["n.csv"])
    }

    @Test("a file without a header for an entity of the store fails with the names of its columns")
    func noHeaderForEntity() throws {
        try write("m.csv", "id,n,d\n1,a,5\n2,b,4\n")
        #expect(try cron("import", "m.csv", "--into", "m.sqlite") == .silentSuccess)
        try write("m.csv", "4,a,5\n5,b,4\n")
        for flags in [[], ["--no-header"], ["--entity", "M"]] {
            #expect(
                try Tool.etl(["import", "m.csv", "--into", "m.sqlite"] + flags, in: folder.path)
                    == ToolResult(
                        status: 64,
                        standardError: """
                            error: m.csv has no header, so no column is a property of M [import.key]
                              fix: add a first line with the names of its columns, which are properties of M: id, n, d; or give --header if the first line has them

                            """))
        }
    }

    @Test("bytes that are not UTF-8 in a header or in the only record name --encoding as the fix")
    func wrongEncoding() throws {
        let fix =
            "  fix: name the encoding with --encoding windows-1252, latin1, or utf-16; else convert"
            + " the file to UTF-8\n"
        let bytes = { (text: String) in Data(text.unicodeScalars.map { UInt8($0.value) }) }
        let file = URL(fileURLWithPath: "\(folder.path)/h.csv")
        try bytes("id,Größe\n1,a\n").write(to: file)
        #expect(
            try cron("import", "h.csv", "--into", "h.sqlite", "--encoding", "utf-8")
                == ToolResult(
                    status: 65,
                    standardError: """
                        h.csv:1:6: error: The header cannot be read: The text is not valid UTF-8 [csv.header]
                          in: byte 5

                        """ + fix))
        try bytes("id,n\n1,ä\n").write(to: file)
        #expect(
            try cron("import", "h.csv", "--into", "h.sqlite", "--encoding", "utf-8")
                == ToolResult(
                    status: 65,
                    standardError: """
                        h.csv:2:3: warning: The text is not valid UTF-8 [csv.invalid-utf8]
                          in: record 1, byte 7

                        """ + fix + """
                            h.csv:2:3: error: None of 1 record can be read. The first: The text is not valid UTF-8 [csv.invalid-utf8] [infer.empty]
                              in: record 1, byte 7

                            """ + fix))
    }

    @Test("finds the delimiter despite one short record")
    func shortRecord() throws {
        try write("n.csv", "id;name;price\n1;a;2\n2;b\n3;c;4\n")
        let result = try cron("infer", "n.csv")
        #expect(result.standardOutput.contains("      delimiter: \";\"  # guessed\n"))
        #expect(result.standardError.contains("[csv.too-few-fields]"))
    }

    @Test(
        "skips comments anywhere in a table",
        arguments: [
            "# tool\n# two\nid,name\n1,a\n# x\n2,b\n3,c\n", "id,name\n1,a\n# x\n2,b\n3,c\n",
            "# made, by x\nid,name\n1,a\n2,b\n3,c\n", "# a\n\nid,name\n1,a\n2,b\n# y, z, u\n3,c\n",
        ])
    func comments(text: String) throws {
        try write("c.csv", text)
        #expect(
            try etl("import", "c.csv", "--into", "c.sqlite").standardOutput == """
                C from c.csv: key id; name String
                Lines of c.csv that begin with # are comments
                Imported into c.sqlite (new): 3 read, 3 inserted
                Next: etl fetch c.sqlite C

                """)
    }

    @Test(
        "keeps a record that begins like a comment",
        arguments: [
            ("# made by x\nchannel,topic\n#general,a\n#random,b\n", "2", true),
            ("#id,name\n1,a\n#2,b\n3,c\n", "3", false),
            (
                "# made by x\nid,name\n" + (1...30000).map { "\($0),some text\n" }.joined()
                    + "#5,late\n", "30,001", true
            ),
        ])
    func recordsLikeComments(text: String, count: String, hasTitle: Bool) throws {
        try write("c.csv", text)
        let result = try etl("import", "c.csv", "--into", "c.sqlite")
        #expect(result.standardOutput.contains(": \(count) read, \(count) inserted\n"), "\(result)")
        #expect(
            result.standardOutput.contains(
                "The first 1 line of c.csv is above the header, and is skipped\n") == hasTitle,
            "\(result)")
    }

    @Test(
        "finds delimiters of several bytes",
        arguments: ["||", "<>", "::", "~|~", "£", "^"], ["\n", "\r\n"])
    func longDelimiters(delimiter: String, end: String) throws {
        let table = [
            ["id", "name", "price"], ["1", "a", "2.5"], ["2", "b|x", "3"], ["3", "", "4"],
        ]
        try write(
            "d.csv", table.map { $0.joined(separator: delimiter) + end }.joined())
        #expect(
            try etl("import", "d.csv", "--into", "d.sqlite").standardOutput == """
                D from d.csv: key id; name String, price Decimal
                Read d.csv with delimiter '\(delimiter)'
                Imported into d.sqlite (new): 3 read, 3 inserted
                Next: etl fetch d.sqlite D

                """)
        #expect(try rows("SELECT ZNAME FROM ZD WHERE ZID = 2", in: "d.sqlite") == ["b|x"])
        #expect(
            try cron("infer", "d.csv").standardOutput.contains(
                "      delimiter: \"\(delimiter)\"  # guessed\n"))
    }

    @Test("reports a guessed encoding and an unusual delimiter")
    func guessedForm() throws {
        for name in ["a.csv", "b.csv"] {
            let text = Data("id;name\n1;M".utf8) + [0xFC] + Data("ller\n2;Ito\n".utf8)
            try text.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        #expect(
            try etl("import", "a.csv", "b.csv", "--into", "a.sqlite").standardOutput == """
                A from a.csv: key id; name String
                B from b.csv: key id; name String
                Read a.csv, b.csv with delimiter ';' and encoding windows-1252 (--encoding names another one)
                Imported into a.sqlite (new): 4 read, 4 inserted
                Next: etl fetch a.sqlite A

                """)
        #expect(
            try etl("import", "a.csv", "--into", "b.sqlite", "--encoding", "latin1")
                .standardOutput.contains("\nRead a.csv with delimiter ';'\n"))
        try write("t.tsv", "id\tname\n1\ta\n2\tb\n")
        #expect(
            try etl("import", "t.tsv", "--into", "t.sqlite").standardOutput.hasPrefix(
                "T from t.tsv: key id; name String\nImported"))
        try write("t.csv", "id\tname\n1\ta\n2\tb\n")
        #expect(
            try etl("import", "t.csv", "--into", "t.sqlite").standardOutput.hasPrefix(
                "T from t.csv: key id; name String\nRead t.csv with delimiter tab\n"))
    }

    @Test("a header that begins with # is not a comment")
    func headerLikeComment() throws {
        try write("c.csv", "#id,name\n1,a\n# note\n2,b\n")
        let result = try cron("infer", "c.csv")
        #expect(!result.standardOutput.contains("comment:"), "\(result)")
        #expect(!result.standardOutput.contains("header: false"), "\(result)")
        #expect(result.standardError.contains("c.csv:3:1: warning: The record has 1 field where"))
    }

    @Test(
        "a later import of a file without records warns and exits with 0",
        arguments: ["", "[]", "{\"data\": []}", "{\"next\": null, \"data\": []}"])
    func nothingLater(text: String) throws {
        try write("data.json", text)
        func told(_ status: Int32, _ severity: String) -> ToolResult {
            ToolResult(
                status: status,
                standardError: """
                    data.json: \(severity): The file has no record [infer.empty]
                      fix: use a file with records

                    """)
        }
        #expect(
            try cron("import", "data.json", "--into", "d.sqlite")
                == told(65, "error"))
        try write("data.json", "[{\"id\":1}]")
        #expect(try cron("import", "data.json", "--into", "d.sqlite") == .silentSuccess)
        try write("data.json", text)
        #expect(
            try cron("import", "data.json", "--into", "d.sqlite")
                == told(0, "warning"))
        #expect(
            try cron("import", "data.json", "--into", "d.sqlite", "--quiet") == .silentSuccess)
        #expect(
            try etl("import", "data.json", "--into", "d.sqlite").standardOutput
                == "Imported into d.sqlite: 0 read\n")
        // Each run that could read its file has a report.
        let reports = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/runs")
        #expect(reports.count { $0.hasPrefix("import-data-") && $0.hasSuffix(".json") } == 4)
        #expect(
            try cron("import", "data.json", "--into", "d.sqlite", "--entity", "Other")
                == told(65, "error"))
        #expect(try rows("SELECT ZID FROM ZDATA", in: "d.sqlite") == ["1"])
    }

    @Test("a later import fails if one file is empty and no record of the other can be read")
    func nothingReadableLater() throws {
        try write("a.json", "[{\"id\":1}]")
        #expect(try cron("import", "a.json", "--into", "a.sqlite") == .silentSuccess)
        try write("a.json", "[]")
        try write("b.ndjson", "{\"id\":\n")
        #expect(
            try cron("import", "a.json", "b.ndjson", "--into", "a.sqlite", "--entity", "A").status
                == 65)
    }

    @Test(
        "records without a field are refused, alone and for a store",
        arguments: [
            ("[{}]", "The only record has no field"), ("[{},{}]", "None of 2 records has a field"),
            (#"{"next": null, "data": [{}, {}]}"#, "None of 2 records has a field"),
        ])
    func noFields(text: String, message: String) throws {
        try write("data.json", text)
        let refusal = ToolResult(
            status: 65,
            standardError: """
                data.json: error: \(message) [infer.empty]
                  fix: use a file whose records have fields

                """)
        #expect(try cron("infer", "data.json") == refusal)
        #expect(try cron("import", "data.json", "--into", "d.sqlite") == refusal)
        try write("data.json", "[{\"id\":1}]")
        #expect(try cron("import", "data.json", "--into", "d.sqlite") == .silentSuccess)
        try write("data.json", text)
        #expect(try cron("import", "data.json", "--into", "d.sqlite") == refusal)
        #expect(try rows("SELECT ZID FROM ZDATA", in: "d.sqlite") == ["1"])
    }

    @Test("empty objects are records, and empty arrays in an array are not")
    func emptyItems() throws {
        try write("o.json", "{\"x\": 1, \"data\": [{}, {\"id\": 1}]}")
        #expect(try cron("infer", "o.json").standardOutput.contains("$.data[*]"))
        try write("a.json", "{\"data\": [[], []]}")
        #expect(!(try cron("infer", "a.json").standardOutput.contains("$.data[*]")))
    }
}
