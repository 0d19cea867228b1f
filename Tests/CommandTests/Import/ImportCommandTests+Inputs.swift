import Foundation
import Testing

/// Files from practice: the result of an import without a spec, and its messages.
extension ImportCommandTests {
    private func warning(_ lines: String) -> ToolResult {
        ToolResult(status: 0, standardError: lines + "\n")
    }

    private func failure(_ status: Int32, _ lines: String) -> ToolResult {
        ToolResult(status: status, standardError: lines + "\n")
    }

    @Test("reports values outside the records of a document")
    func valuesOutsideRecords() throws {
        try write(
            "w.json",
            #"{"meta": "x", "page": {"next": null, "total": 2}, "tags": ["a"], "none": [], "items": [{"id":1},{"id":2}]}"#
        )
        #expect(
            try cron("import", "w.json", "--into", "w.sqlite")
                == warning(
                    """
                    w.json: warning: Values outside the records of $.items[*] are not imported: meta, page.total, tags [infer.left-out]
                      fix: to import them, too, write a spec with an import of this file that has `at: $`
                    """))
        #expect(try rows("SELECT count(*) FROM ZW", in: "w.sqlite") == ["2"])
        try write("all.json", #"{"a": [{"id":1}], "b": [{"id":2}], "none": null}"#)
        #expect(try cron("import", "all.json", "--into", "all.sqlite") == .silentSuccess)
    }

    @Test("names a column whose header is blank, unless the column is empty")
    func columnsWithoutName() throws {
        try write("n.csv", "id,,name\n1,x,Ann\n2,y,Bob\n")
        let told = warning(
            """
            n.csv: warning: The header has no name for a column, which is called column2 [infer.no-name]
              fix: name the columns in the first line
            """)
        for _ in 0..<2 { #expect(try cron("import", "n.csv", "--into", "n.sqlite") == told) }
        #expect(
            try rows("SELECT ZID, ZCOLUMN2, ZNAME FROM ZN", in: "n.sqlite")
                == ["1|x|Ann", "2|y|Bob"])
        try write("e.csv", "id,name,\n1,Ann,\n2,Bob,\n")
        #expect(try cron("import", "e.csv", "--into", "e.sqlite") == .silentSuccess)
        #expect(try rows("SELECT ZID, ZNAME FROM ZE", in: "e.sqlite") == ["1|Ann", "2|Bob"])
    }

    @Test("Excel's `sep=` line sets the delimiter", arguments: ["\n", "\r\n", "\r"])
    func separatorLine(end: String) throws {
        for (sign, first) in [(";", "sep=;"), (",", "\"sep=,\""), ("|", "sep=|")] {
            let lines = [first, "id\(sign)name", "1\(sign)Ann", "2\(sign)Bob", ""]
            try write("s.csv", lines.joined(separator: end))
            let store = "s\(sign == ";" ? 1 : sign == "," ? 2 : 3).sqlite"
            #expect(try cron("import", "s.csv", "--into", store) == .silentSuccess)
            #expect(try rows("SELECT ZID, ZNAME FROM ZS", in: store) == ["1|Ann", "2|Bob"])
        }
        try write(
            "run.yaml",
            """
            etl: 1
            store: { at: r.sqlite, model: model.yaml, open: create }
            stages: [{ import: s.csv, into: S, set: { id: id, name: name } }]
            """)
        try write(
            "model.yaml",
            "model: 1\nentities: { S: { attributes: { id: Integer 64, name: String }, unique: [[id]] } }\n"
        )
        try write("s.csv", ["sep=;", "id;name", "1;Ann", ""].joined(separator: end))
        let result = try cron("run", "run.yaml")
        #expect(result.status == 78)
        #expect(
            result.standardError.contains(
                "  fix: the first line names the delimiter for Excel: set `read.skip: 1` and `read.delimiter: \";\"`\n"
            ), "\(result.standardError)")
    }

    @Test("numbers repeated column names instead of reading the header as values")
    func repeatedNames() throws {
        try write("d.csv", "id,name,name\n1,x,Ann\n2,y,Bob\n")
        let told = warning(
            """
            d.csv: warning: The header has a name more than once (name), so its columns are called id, name, name2 [infer.repeated-names]
              fix: give each column in the first line a different name
            """)
        for flags in [[], ["--key", "id"], ["--header"]] {
            #expect(
                try Tool.etl(
                    ["import", "d.csv", "--into", "d\(flags.count).sqlite"] + flags,
                    in: folder.path) == told)
            #expect(
                try rows("SELECT ZID, ZNAME, ZNAME2 FROM ZD", in: "d\(flags.count).sqlite")
                    == ["1|x|Ann", "2|y|Bob"])
        }
    }

    @Test("reports the column names of a table without a header")
    func noHeader() throws {
        try write("n.csv", "1,Ann\n2,Bob\n")
        #expect(
            try etl("import", "n.csv", "--into", "n.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        N from n.csv: key column1; column2 String
                        No header in n.csv, so its columns are column1, column2 (--header takes their names from the first row)
                        Imported into n.sqlite (new): 2 read, 2 inserted
                        Next: etl fetch n.sqlite N

                        """))
        #expect(
            try cron("import", "n.csv", "--into", "m.sqlite", "--key", "id")
                == failure(
                    64,
                    """
                    error: No record has the field 'id' [infer.known]
                      fix: the first row of n.csv is read as values; if it names the columns, add --header
                    """))
    }

    @Test("reports the one value that makes a column text")
    func oneBadValue() throws {
        var text = "id,day,written,size,price,word\n"
        for day in 1...9 {
            text += "\(day),2026-01-0\(day),1\(day).12.2025,\(day),\"\(day),5\",w\(day)\n"
        }
        text += "10,2026-13-45,31.02.2025,many,-,w\n11,2026-01-02,31.12.2025,7,\"1,25\",w\n"
        try write("b.csv", text)
        let result = try etl("import", "b.csv", "--into", "b.sqlite")
        let warnings = [
            ("day", "'2026-13-45' (b.csv:11) is not a date"),
            ("written", "'31.02.2025' (b.csv:11) is not a date"),
            ("size", "'many' (b.csv:11) is not a number"),
        ].map { name, reason in
            """
            b.csv: warning: B.\(name): kept as text: \(reason), and 10 other values are \
            [import.kept-as-text]
              fix: correct or remove such values, and import into a new store; or give --type \
            \(name)=TYPE there to reject these records

            """
        }
        #expect(
            result.standardError == warnings.joined() + """
                b.csv: warning: Read as null: '-' in price (1 row, the first at b.csv:11) [import.null]
                  fix: name the texts without a value with --null TEXT; --null '' is for none

                """)
        #expect(
            result.standardOutput == """
                B from b.csv: key id; day String, written String, size String, price Decimal, word String
                Imported into b.sqlite (new): 11 read, 11 inserted
                Next: etl fetch b.sqlite B

                """)
        let inferred = try cron("infer", "b.csv").standardOutput
        #expect(
            inferred.contains(
                "day: String  # kept as text: '2026-13-45' (b.csv:11) is not a date, and 10 other values are\n"
            ), "\(inferred)")
    }

    @Test("reads an ambiguous thousands separator by the other columns, or warns")
    func thousands() throws {
        try write("g.csv", "id;sum;size\n1;1.234;1,5\n2;2.500;2,25\n")
        #expect(try cron("import", "g.csv", "--into", "g.sqlite") == .silentSuccess)
        #expect(
            try rows("SELECT ZID, ZSUM, ZSIZE FROM ZG", in: "g.sqlite")
                == ["1|1234|1.5", "2|2500|2.25"])
        try write("h.csv", "id;sum\n1;1.234\n2;2.500\n")
        #expect(
            try cron("import", "h.csv", "--into", "h.sqlite")
                == warning(
                    """
                    h.csv: warning: The point in the numbers of sum may separate decimals or group thousands; it is read as the decimal separator [infer.open-number]
                      fix: if it groups thousands, set `number: { thousands: "." }` in a spec, as `etl infer FILE --output DIR` writes it
                    """))
        try write("m.csv", "id;sum\n1;1.234.567\n2;2.500.000\n")
        #expect(try cron("import", "m.csv", "--into", "m.sqlite") == .silentSuccess)
        #expect(try rows("SELECT ZSUM FROM ZM", in: "m.sqlite") == ["1234567", "2500000"])
        try write("p.csv", "id,sum,size\n1,\"1,234\",1.5\n2,\"2,500\",2.25\n")
        #expect(try cron("import", "p.csv", "--into", "p.sqlite") == .silentSuccess)
        #expect(try rows("SELECT ZSUM FROM ZP", in: "p.sqlite") == ["1234", "2500"])
    }

    @Test("reads a later file by the types of the store, not by its own values")
    func laterFiles() throws {
        try write("f.csv", "id;flag;day;n\n1;Y;31.12.2025;1,5\n2;N;02.01.2026;2,25\n")
        #expect(try cron("import", "f.csv", "--into", "f.sqlite") == .silentSuccess)
        try write("f.csv", "id;flag;day;n\n3;Y;31.12.2025;1,5\n4;Y;01.02.2026;3\n")
        #expect(try cron("import", "f.csv", "--into", "f.sqlite") == .silentSuccess)
        try write(
            "f.csv", "id;flag;day;n\n5;N;31.12.2025;1,5\n6;maybe;31.02.2026;x\n7;N;01.02.2026;2,5\n"
        )
        let result = try cron("import", "f.csv", "--into", "f.sqlite", "--allow-rejects", "1")
        #expect(result == .silentSuccess)
        #expect(
            try rows("SELECT ZID, ZFLAG, ZN FROM ZF ORDER BY 1", in: "f.sqlite")
                == ["1|1|1.5", "2|0|2.25", "3|1|1.5", "4|1|3", "5|0|1.5", "7|0|2.5"])
    }

    @Test("nested objects use the key that the store has for them")
    func keysOfStore() throws {
        try write(
            "o.ndjson",
            """
            {"id":1,"items":[{"id":1,"n":1},{"id":2,"n":1}]}
            {"id":2,"items":[{"id":3,"n":1}]}

            """)
        #expect(try cron("import", "o.ndjson", "--into", "o.sqlite") == .silentSuccess)
        // Without the store, these objects would be identified within their owner.
        try write(
            "o.ndjson",
            """
            {"id":3,"items":[{"id":1,"n":5},{"id":4,"n":6}]}
            {"id":4,"items":[{"id":5,"n":7}]}
            {"id":5,"items":[]}

            """)
        #expect(try cron("import", "o.ndjson", "--into", "o.sqlite") == .silentSuccess)
        #expect(
            try rows("SELECT ZID, ZN FROM ZITEMS ORDER BY 1", in: "o.sqlite")
                == ["1|5", "2|1", "3|1", "4|6", "5|7"])
        try write("o.ndjson", "{\"id\":6,\"items\":[{\"n\":5},{\"n\":6}]}\n")
        #expect(
            try cron("import", "o.ndjson", "--into", "o.sqlite")
                == warning(
                    """
                    o.ndjson: warning: The objects in items lack the key that O of the store has for them, and are skipped [import.skipped-columns]
                      fix: add the fields of the key to the file
                    """))
        try write("o.ndjson", "{\"id\":6,\"items\":[]}\n")
        #expect(try cron("import", "o.ndjson", "--into", "o.sqlite") == .silentSuccess)
    }

    @Test("--quiet hides skipped columns, but the report lists them")
    func skippedColumns() throws {
        try write("q.csv", "id,name\n1,a\n")
        for _ in 0..<2 {
            #expect(try cron("import", "q.csv", "--into", "q.sqlite") == .silentSuccess)
        }
        try write("q.csv", "id,name,color\n1,a,red\n")
        #expect(try cron("import", "q.csv", "--into", "q.sqlite", "--quiet") == .silentSuccess)
        let report = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path + "/runs")
                .filter { $0.hasSuffix(".json") }.sorted().last)
        let text = try Tool.contents("\(folder.path)/runs/\(report)")
        #expect(text.contains("Q has no property for color, which is skipped"))
        // A column without values loses no data.
        try write("q.csv", "id,name,color\n1,a,\n")
        #expect(try cron("import", "q.csv", "--into", "q.sqlite") == .silentSuccess)
    }

    @Test("if the reject files were deleted, the error names the fix")
    func removedRejects() throws {
        try write("r.csv", "id,n\n1,a\n")
        #expect(try cron("import", "r.csv", "--into", "r.sqlite") == .silentSuccess)
        try write("r.csv", "id,n\n1,a\n9,\"x\"y\n")
        func masked(_ result: ToolResult) -> String {
            result.standardError.replacing(#/-[0-9]{8}T[0-9]{6}Z-[0-9]+/#, with: "")
        }
        let note =
            "note: 2 read, 1 unchanged, 1 rejected; no object of r.sqlite was changed [import.saved]"
        let first = """
            r.csv:3:6: error: Text follows a closing quote [csv.text-after-quote]
              in: record 2, byte 14
              fix: double the quotes inside the field; if a backslash is before each, add --escape '\\'
            error: 1 of 2 records was rejected; none is allowed [rejects.too-many]
              fix: correct the file and import it again, or allow rejects with --allow-rejects; the records are in rejects/import-r
            \(note)

            """
        #expect(masked(try cron("import", "r.csv", "--into", "r.sqlite")) == first)
        try FileManager.default.removeItem(atPath: folder.path + "/rejects")
        #expect(
            masked(try cron("import", "r.csv", "--into", "r.sqlite")) == """
                error: 1 of 2 records was rejected; none is allowed [rejects.too-many]
                  fix: the records were in rejects/import-r, and are no longer there: read the input again with --restart, or allow rejects with --allow-rejects
                \(note)

                """)
        #expect(masked(try cron("import", "r.csv", "--into", "r.sqlite", "--restart")) == first)
    }

    private static let foreign: [(String, [UInt8], String)] = [
        (
            "d.ndjson.zst", [0x28, 0xB5, 0x2F, 0xFD],
            "unpack it: `zstd -dc d.ndjson.zst | etl import - --into s.sqlite --entity D --as ndjson`"
        ),
        (
            "d.csv.xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
            "unpack it: `xz -dc d.csv.xz | etl import - --into s.sqlite --entity D --as csv`"
        ),
        (
            "my d.zip", [0x50, 0x4B, 3, 4],
            "unpack it: `unzip -p 'my d.zip' | etl import - --into s.sqlite --entity MyD --as FORMAT`, with the name of a file in it if it has several; FORMAT is csv, tsv, json, or ndjson"
        ),
        (
            "d.xlsx", [0x50, 0x4B, 3, 4],
            "save the sheet as CSV, or convert it: `xlsx2csv d.xlsx | etl import - --into s.sqlite --entity D --as csv`"
        ),
        (
            "d.parquet", Array("PAR1".utf8) + [0x15],
            "convert it: `duckdb -c 'COPY '\\''d.parquet'\\'' TO '\\''/dev/stdout'\\'' (FORMAT json)' | etl import - --into s.sqlite --entity D --as ndjson`"
        ),
    ]

    @Test(
        "a format that etl does not read fails with the command that converts it",
        arguments: foreign)
    func foreignFormats(name: String, bytes: [UInt8], fix: String) throws {
        try Data(bytes + Array(repeating: 0, count: 32)).write(
            to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        let result = try cron("import", name, "--into", "s.sqlite")
        #expect(result.status == 65)
        #expect(result.standardError.hasSuffix("\n  fix: \(fix)\n"), "\(result.standardError)")
    }

    @Test("a URL fails with the command that fetches it")
    func urls() throws {
        #expect(
            try cron("import", "https://example.org/a.csv", "--into", "s.sqlite")
                == failure(
                    66,
                    """
                    https://example.org/a.csv: error: etl does not read https:// [input.url]
                      fix: fetch it: `curl -fsSL https://example.org/a.csv | etl import - --into s.sqlite --entity A --as csv`
                    """))
        #expect(
            try cron("infer", "s3://b/t.ndjson")
                == failure(
                    66,
                    """
                    s3://b/t.ndjson: error: etl does not read s3:// [input.url]
                      fix: fetch it: `aws s3 cp s3://b/t.ndjson - | etl infer - --entity T --as ndjson`
                    """))
    }

    @Test("a table with only a header, imported alone, needs a store that has its columns")
    func headerAlone() throws {
        try write("h.csv", "id,name\n")
        #expect(
            try cron("import", "h.csv", "--into", "h.sqlite")
                == failure(
                    65,
                    """
                    h.csv: error: The file has a header and no record, so the types of its columns are not known [infer.empty]
                      fix: use a file with records; if its first line is one, give --no-header
                    """))
        try write("t.csv", "id\n1\n")
        #expect(
            try etl("import", "h.csv", "t.csv", "--into", "t.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        H from h.csv: key id; name String
                        T from t.csv: key id
                        H: the file has no record, so types are guessed by the names of its columns
                        Imported into t.sqlite (new): 1 read, 1 inserted
                        Next: etl fetch t.sqlite H

                        """))
        try write("h.csv", "id,name\n1,Ann\n")
        #expect(try cron("import", "h.csv", "--into", "h.sqlite") == .silentSuccess)
        try write("h.csv", "id,name\n")
        #expect(
            try etl("import", "h.csv", "--into", "h.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        H from h.csv: key id; name String
                        Imported into h.sqlite: 0 read

                        """,
                    standardError: """
                        h.csv: warning: The file has no record [infer.empty]
                          fix: use a file with records

                        """))
    }

    @Test("a file that is not a store, table, or document fails with a fix")
    func wrongFiles() throws {
        try write("t.csv", "id,n\n1,a\n")
        #expect(
            try cron("import", "t.csv", "--into", "t.csv")
                == failure(
                    74,
                    """
                    error: t.csv is not an SQLite file, or is damaged [store.corrupt]
                      fix: name a store or a new file with --into; if it was a store, see `etl verify t.csv`
                    """))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/in", withIntermediateDirectories: true)
        #expect(
            try cron("import", "in", "--into", "t.sqlite")
                == failure(
                    74,
                    """
                    in: error: The file cannot be read: Is a directory [input.unreadable]
                      fix: name the files in it, such as in/*.csv
                    """))
        try write("d.json", "{\"items\":[{\"id\":1},{\"id\":2]}")
        #expect(
            try cron("import", "d.json", "--into", "t.sqlite")
                == failure(
                    65,
                    """
                    d.json:1:27: error: This is not JSON: a byte does not belong here [json.structure]
                      in: record 2, byte 26
                      fix: correct the document; nothing was imported
                    """))
        #expect(try names() == ["d.json", "in", "t.csv"])
    }

    @Test("reports a change of the store's model without a terminal")
    func modelChanges() throws {
        try write("t.csv", "id\n1\n")
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("people.csv", "id\n1\n")
        #expect(
            try cron("import", "people.csv", "--into", "t.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        New in the store's model: People
                        The old store is t.sqlite.bak-v1

                        """))
    }

    @Test("adds many columns in one step")
    func manyColumns() throws {
        let names = (1...500).map { "c\($0)" }
        try write("w.csv", "id\n1\n")
        #expect(try cron("import", "w.csv", "--into", "w.sqlite") == .silentSuccess)
        let values = names.map { "v" + $0 }
        try write(
            "w.csv",
            "id,\(names.joined(separator: ","))\n1,\(values.joined(separator: ","))\n")
        let result = try cron("import", "w.csv", "--into", "w.sqlite", "--add-columns")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(
            try rows("SELECT ZC1, ZC250, ZC500 FROM ZW", in: "w.sqlite") == ["vc1|vc250|vc500"])
    }

    @Test("creates the folder of the store, but no folder above it")
    func folderOfStore() throws {
        try write("t.csv", "id\n1\n")
        #expect(
            try cron("import", "t.csv", "--into", "a/b/t.sqlite")
                == failure(
                    73,
                    """
                    a/b/t.sqlite: error: The folder of the store, and the one above, do not exist [import.folder]
                      fix: check the path, or create the folder: `mkdir -p a/b`
                    """))
        #expect(try names() == ["t.csv"])
        #expect(try cron("import", "t.csv", "--into", "a/t.sqlite") == .silentSuccess)
    }

    @Test("a signal deletes the temporary copy of standard input", arguments: ["TERM", "INT"])
    func copyOfStandardInput(signal: String) throws {
        // The test may run in the background job of a script, which ignores SIGINT.
        let script = """
            import os, signal, subprocess, sys, time
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ["TMPDIR"] = os.getcwd() + "/tmp"
            os.mkdir("tmp")
            etl = subprocess.Popen([sys.argv[1], "import", "-", "--as", "csv", "--into", "s.sqlite"],
                                   stdin=subprocess.PIPE)
            etl.stdin.write(b"id,n\\n" + b"1,a\\n" * 100000)
            etl.stdin.flush()
            while not os.listdir("tmp"): time.sleep(0.01)
            etl.send_signal(getattr(signal, "SIG" + sys.argv[2]))
            print(etl.wait(), os.listdir("tmp"))
            """
        let result = try Tool.run(
            "python3", ["-c", script, Tool.etlPath, signal], in: folder.path)
        #expect(result.standardOutput == "\(signal == "TERM" ? 143 : 130) []\n", "\(result)")
    }
}
