import Foundation
import Testing

/// Decisions that an import makes by the content of files, and the flags that override them.
extension ImportCommandTests {
    private func output(_ arguments: String..., input: String) throws -> ToolResult {
        try write("input", input)
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try Tool.run(
            "sh", ["-c", "'\(Tool.etlPath)' \(words) < input"], in: folder.path)
    }

    @Test("--escape sets the escape character of a table")
    func escape() throws {
        try write("notes.csv", #"id,name\#n1,"a \"b\" c"\#n2,x\,y\#n"#)
        #expect(
            try etl("import", "notes.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 65,
                    standardError: #"""
                        notes.csv:2:8: warning: Text follows a closing quote [csv.text-after-quote]
                          in: record 1, byte 15
                          fix: double the quotes inside the field, set `read.escape: "\\"` if a backslash is before each, or set `quote: none` on this input
                        notes.csv:3:1: warning: The record has 3 fields where the header has 2 [csv.too-many-fields]
                          in: record 2, byte 22
                          fix: enclose fields that contain the delimiter in quotes
                        notes.csv:2:8: error: None of 2 records can be read. The first: Text follows a closing quote [csv.text-after-quote] [infer.empty]
                          in: record 1, byte 15
                          fix: double the quotes inside the field; if a backslash is before each, add --escape '\'

                        """#))
        for last in [
            " (new): 2 read, 2 inserted\nNext: etl fetch s.sqlite Notes", ": 2 read, 2 unchanged",
        ] {
            #expect(
                try etl("import", "notes.csv", "--into", "s.sqlite", "--escape", "\\")
                    == ToolResult(
                        status: 0,
                        standardOutput: """
                            Notes from notes.csv: key id; name String
                            Imported into s.sqlite\(last)

                            """))
        }
        #expect(
            try rows("SELECT ZNAME FROM ZNOTES ORDER BY ZID", in: "s.sqlite") == [
                #"a "b" c"#, "x,y",
            ])
        #expect(
            try cron("infer", "notes.csv", "--escape", "\\").standardOutput.hasSuffix(
                """
                  - import: notes
                    read:
                      files: notes.csv
                      as: csv
                      escape: "\\\\"
                    into: Notes
                    key: id

                """))
    }

    @Test("a store keeps the escape character of the first import, unless --escape names another")
    func keptEscape() throws {
        try write("notes.csv", #"id,name\#n1,"a \"b\" c"\#n2,x\,y\#n"#)
        #expect(
            try cron("import", "notes.csv", "--into", "s.sqlite", "--escape", "\\")
                == .silentSuccess)
        #expect(
            try etl("import", "notes.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Notes from notes.csv: key id; name String
                        Imported into s.sqlite: 2 read, 2 unchanged

                        """))
        try write("notes.csv", #"id,name\#n3,c\\d\#n"#)
        #expect(try cron("import", "notes.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try rows("SELECT ZNAME FROM ZNOTES WHERE ZID = 3", in: "s.sqlite") == [#"c\d"#])
        #expect(
            try cron("import", "notes.csv", "--into", "s.sqlite", "--escape", "")
                == .silentSuccess)
        #expect(
            try rows("SELECT ZNAME FROM ZNOTES WHERE ZID = 3", in: "s.sqlite") == [#"c\\d"#])
        // An entity that a later import adds has its own escape character.
        try write("more.csv", #"id,text\#n1,a^,b\#n"#)
        #expect(
            try cron("import", "more.csv", "--into", "s.sqlite", "--escape", "^").status == 0)
        #expect(try cron("import", "more.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try rows("SELECT ZTEXT FROM ZMORE", in: "s.sqlite") == ["a,b"])
    }

    @Test("reports why no record of a JSON file can be read")
    func unreadableJSON() throws {
        try write("a.ndjson", "{\"id\":\n{\"x\"\n")
        let result = try cron("infer", "a.ndjson")
        #expect(result.status == 65)
        #expect(
            result.standardError.contains("error: None of 2 records can be read. The first: "),
            "\(result)")
    }

    @Test("the spec marks guesses, but no values that flags have set")
    func toldDialect() throws {
        try write("t.csv", "1,NIL,NULL\n2,5,7\n")
        func read(_ flags: String...) throws -> String {
            let text = try Tool.etl(["infer", "t.csv"] + flags, in: folder.path).standardOutput
            let start = try #require(text.firstRange(of: "      as: csv\n"))
            let end = try #require(text.firstRange(of: "    into: T\n"))
            return String(text[start.upperBound..<end.lowerBound])
        }
        #expect(
            try read("--no-header", "--null", "NIL", "--encoding", "latin1") == """
                      encoding: latin1
                      header: false
                      columns: [column1, column2, column3]
                      null: ["", NIL]

                """)
        #expect(
            try read() == """
                      header: false  # guessed: the first row holds values
                      columns: [column1, column2, column3]
                      null-in: { column3: ["NULL"] }  # guessed

                """)
    }

    @Test("a table on standard input needs no --as if its rows are uniform")
    func tableOfStandardInput() throws {
        #expect(
            try output("import", "-", "--into", "s.sqlite", "-v", input: "id\tname\n1\ta\n2\tb\n")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Record from standard input: key id; name String
                        Imported into s.sqlite (new): 2 read, 2 inserted
                        Next: etl fetch s.sqlite Record

                        """))
        #expect(
            try output("infer", "-", input: "id,name\n1,a\n").standardOutput.contains(
                "      as: csv\n"))
        for text in ["Hello, world\n", "id\n1\n", "Dear all,\nI write, as you, too, know.\n"] {
            #expect(
                try output("infer", "-", input: text)
                    == ToolResult(
                        status: 78,
                        standardError: """
                            standard input: error: Neither the name nor the first byte identifies the \
                            format [input.ambiguous-format]
                              fix: name the format with --as csv, tsv, json, or ndjson

                            """), "\(text)")
        }
    }

    @Test("warns that a file that contains only two keys may be a join table")
    func joinTableAlone() throws {
        try write("PlaylistTrack.csv", "PlaylistId,TrackId\n1,1\n1,2\n1,3\n2,1\n2,2\n2,3\n")
        #expect(
            try etl("import", "PlaylistTrack.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        PlaylistTrack from PlaylistTrack.csv: key playlistId + trackId
                        Imported into s.sqlite (new): 6 read, 6 inserted
                        Next: etl fetch s.sqlite PlaylistTrack

                        """,
                    standardError: """
                        PlaylistTrack.csv: warning: PlaylistTrack holds only the keys of Playlist and \
                        Track, so it may be a join table; imported alone, its records become objects \
                        [import.join-table]
                          fix: import it together with the files of Playlist and Track into a new store, to get a relationship

                        """))
    }

    @Test(
        "recognizes milliseconds since 1970 only by the name of the column",
        arguments: [
            ("ms", "1700000000000", "ms: { from: ms, number: milliseconds }"),
            (
                "timestamp_ms", "1700000000000",
                "timestampMs: { from: timestamp_ms, number: milliseconds }"
            ),
            ("ms", "170", nil), ("s", "1700000000", nil),
        ])
    func milliseconds(name: String, value: String, mapping: String?) throws {
        try write("t.csv", "id,\(name)\n1,\(value)\n2,\(value)\n")
        let spec = try cron("infer", "t.csv").standardOutput
        #expect(spec.contains("number:") == (mapping != nil), "\(spec)")
        if let mapping { #expect(spec.contains("      \(mapping)\n"), "\(spec)") }
    }

    @Test("--html in a missing folder names the command that creates the folder")
    func pageInMissingFolder() throws {
        try write("t.csv", "id\n1\n")
        #expect(
            try cron("infer", "t.csv", "--html", "no/such/t.html")
                == ToolResult(
                    status: 73,
                    standardError: """
                        no/such/t.html: error: The folder of the file does not exist [file.write]
                          fix: check the path, or create the folder: `mkdir -p no/such`

                        """))
    }

    @Test("an archive or an old workbook fails with the command that reads it")
    func archives() throws {
        try write("t.csv", "id\n1\n")
        for command in ["tar cf a.tar t.csv", "tar czf a.tar.gz t.csv"] {
            let packed = try Tool.run("sh", ["-c", command], in: folder.path)
            #expect(packed.status == 0)
        }
        try Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0, 0]).write(
            to: URL(fileURLWithPath: "\(folder.path)/a.xls"))
        for (file, what, fix) in [
            (
                "a.tar", "a tar archive",
                "unpack it: `tar -xOf a.tar | etl import - --into s.sqlite --entity A --as FORMAT`, with the "
                    + "name of a file in it if it has several; FORMAT is csv, tsv, json, or ndjson"
            ),
            (
                "a.tar.gz", "a tar archive",
                "unpack it: `tar -xOf a.tar.gz | etl import - --into s.sqlite --entity A --as FORMAT`, with "
                    + "the name of a file in it if it has several; FORMAT is csv, tsv, json, or ndjson"
            ),
            (
                "a.xls", "an Excel workbook of the old kind",
                "save the sheet as CSV, or convert it: `xls2csv a.xls | etl import - --into s.sqlite "
                    + "--entity A --as csv`"
            ),
        ] {
            #expect(
                try cron("import", file, "--into", "s.sqlite")
                    == ToolResult(
                        status: 65,
                        standardError: """
                            \(file): error: The file starts like \(what), which etl does not \
                            read [input.foreign-format]
                              fix: \(fix)

                            """))
        }
    }

    @Test("importing CSV exports into a new store makes the same objects and links")
    func exportedListsInNewStore() throws {
        try write("tags.json", #"[{"name":"red"},{"name":"a|b"},{"name":"x"}]"#)
        try write("users.json", #"[{"id":7,"mail":"a@b"},{"id":8,"mail":"c@d"}]"#)
        try write(
            "tasks.json",
            #"[{"id":1,"user":7,"tags":["red","a|b"]},{"id":2,"user":7,"tags":[]},"#
                + #"{"id":3,"user":8,"tags":["red","x"]}]"#)
        #expect(
            try etl("import", "tags.json", "users.json", "tasks.json", "--into", "s.sqlite").status
                == 0)
        try write(
            "e.yaml",
            """
            etl: 1
            store: { at: s.sqlite }
            stages:
              - { export: Tasks, to: out/Tasks.csv }
              - { export: Users, to: out/Users.csv }
              - { export: Tags, to: out/Tags.csv }
            """)
        #expect(try etl("run", "e.yaml").status == 0)
        #expect(
            try etl(
                "import", "out/Tasks.csv", "out/Users.csv", "out/Tags.csv", "--into", "n.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Users from Users.csv: key id; mail String
                        Tags from Tags.csv: key name
                        Tasks from Tasks.csv: key id; tags → Tags, user → Users
                        Imported into n.sqlite (new): 8 read, 8 inserted
                        Next: etl fetch n.sqlite Users

                        """))
        func objects(_ store: String) throws -> [String] {
            try ["Tasks", "Users", "Tags"].map {
                try etl("fetch", store, $0, "--format", "ndjson").standardOutput
            }
        }
        #expect(try objects("n.sqlite") == objects("s.sqlite"))
    }

    @Test("a CSV export contains to-many links, and importing it restores them")
    func exportedLists() throws {
        try write("tags.json", #"[{"name":"red"},{"name":"a|b"},{"name":"x"}]"#)
        try write(
            "tasks.json",
            #"[{"id":1,"tags":["red","a|b"]},{"id":2,"tags":[]},{"id":3,"tags":["x"]}]"#)
        #expect(try etl("import", "tags.json", "tasks.json", "--into", "s.sqlite").status == 0)
        try write(
            "e.yaml",
            """
            etl: 1
            store: { at: s.sqlite }
            stages:
              - { export: Tasks, to: out/Tasks.csv }
              - { export: Tags, to: out/Tags.csv }
            """)
        #expect(try etl("run", "e.yaml").status == 0)
        func text(_ file: String) throws -> String {
            try String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8)
        }
        #expect(try text("out/Tasks.csv") == "id,tags\n1,a\\|b|red\n2,\n3,x\n")
        #expect(try text("out/Tags.csv") == "name,tasks\na|b,1\nred,1\nx,3\n")
        func links(_ store: String) throws -> String {
            try etl("fetch", store, "Tasks", "--fields", "id,tags", "--format", "csv")
                .standardOutput
        }
        #expect(
            try etl("import", "out/Tasks.csv", "out/Tags.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Tasks from Tasks.csv: key id
                        Tags from Tags.csv: key name; tasks → Tasks
                        Imported into s.sqlite: 6 read, 6 unchanged

                        """))
        // Other links replace the existing ones.
        try write("out/Tasks.csv", "id,tags\n1,red\n2,a\\|b|x\n3,\n")
        #expect(
            try etl("import", "out/Tasks.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Tasks from Tasks.csv: key id; tags → Tags
                        Imported into s.sqlite: 3 read, 3 updated

                        """))
        #expect(try links("s.sqlite") == "id,tags\n1,red\n2,a\\|b|x\n3,\n")
        // A spec imports the exports into another store.
        try write(
            "i.yaml",
            """
            etl: 1
            store:
              at: new.sqlite
              open: create
              model:
                model: 1
                entities:
                  Tags:
                    attributes: { name: String }
                    relationships: { tasks: { to: Tasks, many: true, inverse: tags } }
                    unique: [[name]]
                  Tasks:
                    attributes: { id: Integer 64 }
                    relationships: { tags: { to: Tags, many: true, inverse: tasks } }
                    unique: [[id]]
            stages:
              - { import: tags, read: { files: out/Tags.csv }, into: Tags, key: name, set-only: true, set: { name: name } }
              - import: tasks
                read: { files: out/Tasks.csv }
                into: Tasks
                key: id
                link: { tags: { by: { name: { from: tags, split: "|" } } } }
            """)
        #expect(try Tool.etl(["run", "i.yaml"], in: folder.path) == .silentSuccess)
        #expect(try links("new.sqlite") == "id,tags\n1,red\n2,a\\|b|x\n3,\n")
    }
}
