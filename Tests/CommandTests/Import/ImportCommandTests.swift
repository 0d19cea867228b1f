import AppStoreFixtures
import Foundation
import Testing

@Suite("etl import") struct ImportCommandTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }

    /// Runs `etl` with `-v`, so that imports print their decisions as on a terminal.
    func etl(_ arguments: String...) throws -> ToolResult {
        let isShown = arguments.first == "import" && !arguments.contains { $0.hasSuffix("q") }
        let says = isShown && !arguments.contains("--quiet")
        return try Tool.etl(arguments + (says ? ["-v"] : []), in: folder.path)
    }

    /// Runs `etl` as cron does, without a terminal.
    func cron(_ arguments: String...) throws -> ToolResult {
        try Tool.etl(arguments, in: folder.path)
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func rows(_ query: String, in store: String = "tasks.sqlite") throws -> [String] {
        try Tool.sqlite("\(folder.path)/\(store)", query)
    }

    private static let tasks = """
        id,title,due,done
        1,Write,2026-01-05,yes
        2,Read,2026-01-06,no
        3,Sleep,,no

        """

    private static let decision =
        "Tasks from tasks.csv: key id; title String, due Date, done Boolean\n"

    @Test func aSecondImportChangesNothing() throws {
        try write("tasks.csv", Self.tasks)
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: Self.decision + """
                        Imported into tasks.sqlite (new): 3 read, 3 inserted
                        Next: etl fetch tasks.sqlite Tasks

                        """))
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: Self.decision + """
                        Imported into tasks.sqlite: 3 read, 3 unchanged

                        """))
        #expect(
            try names() == ["runs", "tasks.csv", "tasks.sqlite", "tasks.sqlite.etl-lock"])
        #expect(
            try rows("SELECT ZID, ZTITLE, ZDONE FROM ZTASKS") == [
                "1|Write|1", "2|Read|0", "3|Sleep|0",
            ])
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--quiet") == .silentSuccess)
    }

    @Test func unknownColumnsAreSkippedOrAdded() throws {
        try write("tasks.csv", "id,title\n1,Write\n")
        #expect(try etl("import", "tasks.csv", "--into", "tasks.sqlite", "-q") == .silentSuccess)
        try write("tasks.csv", "id,title,color,size\n1,Write,red,3\n2,Read,blue,4\n")
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Tasks from tasks.csv: key id; title String
                        Imported into tasks.sqlite: 2 read, 1 inserted, 1 unchanged

                        """,
                    standardError: """
                        tasks.csv: warning: Tasks has no properties for color, size, which are skipped [import.skipped-columns]
                          fix: add them to the store's model with --add-columns

                        """))
        let added = """
            Tasks from tasks.csv: key id; title String, color String, size Integer 64
            New in the store's model: Tasks.color String, Tasks.size Integer 64

            """
        let before = try rows("SELECT * FROM ZTASKS ORDER BY 1")
        let plan = try etl(
            "import", "tasks.csv", "--into", "tasks.sqlite", "--add-columns", "--dry-run")
        #expect(
            plan
                == ToolResult(
                    status: 0, standardOutput: added + "Tasks: 2 updated (color 2, size 2)\n"))
        #expect(try rows("SELECT * FROM ZTASKS ORDER BY 1") == before)
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--add-columns")
                == ToolResult(
                    status: 0,
                    standardOutput: added + """
                        The old store is tasks.sqlite.bak-v1
                        Imported into tasks.sqlite: 2 read, 2 updated

                        """))
        #expect(try rows("SELECT ZCOLOR, ZSIZE FROM ZTASKS") == ["red|3", "blue|4"])
        #expect(try rows("SELECT count(*) FROM ZTASKS", in: "tasks.sqlite.bak-v1") == ["2"])
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--add-columns").standardOutput
                == """
                Tasks from tasks.csv: key id; title String, color String, size Integer 64
                Imported into tasks.sqlite: 2 read, 2 unchanged

                """)
        #expect(!(try names().contains("tasks.sqlite.bak-v2")))
    }

    @Test func fileOfANewEntityAddsTheEntityToTheModel() throws {
        try write("tasks.csv", "id,title\n1,Write\n")
        try write("people.csv", "id,name\n7,Ada\n")
        #expect(try etl("import", "tasks.csv", "--into", "tasks.sqlite", "-q") == .silentSuccess)
        #expect(
            try etl("import", "people.csv", "--entity", "Person", "--into", "tasks.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Person from people.csv: key id; name String
                        New in the store's model: Person
                        The old store is tasks.sqlite.bak-v1
                        Imported into tasks.sqlite: 1 read, 1 inserted

                        """))
        #expect(
            try rows("SELECT ZNAME FROM ZPERSON; SELECT ZTITLE FROM ZTASKS") == ["Ada", "Write"])
    }

    /// A file that is imported later links to the objects of earlier files.
    @Test func laterFileLinksToObjectsOfTheStore() throws {
        try write("Artist.csv", "ArtistId,Name\n1,AC/DC\n2,Accept\n")
        try write("Album.csv", "AlbumId,Title,ArtistId\n1,Rock,1\n2,Balls,2\n")
        let both = try etl("import", "Artist.csv", "Album.csv", "--into", "music.sqlite")
        #expect(
            both
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Artist from Artist.csv: key artistId; name String
                        Album from Album.csv: key albumId; title String; artist → Artist
                        Imported into music.sqlite (new): 4 read, 4 inserted
                        Next: etl fetch music.sqlite Artist

                        """))
        try write("Album.csv", "AlbumId,Title,ArtistId\n3,Wild,2\n2,Balls,1\n")
        #expect(
            try etl("import", "Album.csv", "--into", "music.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Album from Album.csv: key albumId; title String; artist → Artist
                        Imported into music.sqlite: 2 read, 1 inserted, 1 updated

                        """))
        #expect(
            try rows(
                "SELECT a.ZALBUMID, b.ZNAME FROM ZALBUM a JOIN ZARTIST b ON b.Z_PK = a.ZARTIST ORDER BY 1",
                in: "music.sqlite") == ["1|AC/DC", "2|AC/DC", "3|Accept"])
    }

    @Test func requiresAKeyIfTheEntityHasNone() throws {
        try write(
            "model.yaml",
            "model: 1\nentities: { Task: { attributes: { id: Integer 64, title: String } } }\n")
        try write(
            "seed.yaml",
            """
            etl: 1
            store: { at: tasks.sqlite, open: create, model: model.yaml }
            stages: [{ update: none, entity: Task, where: ALL, set: { title: title } }]
            """)
        #expect(try etl("seed", "seed.yaml") == .silentSuccess)
        try write("tasks.csv", "id,title\n1,Write\n2,Read\n")
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite")
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: Task has no key in tasks.sqlite, so a second import would add its objects again [import.key]
                          fix: name the columns that identify a record with --key: id, title

                        """))
        for expected in ["2 inserted", "2 unchanged"] {
            #expect(
                try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--key", "id")
                    == ToolResult(
                        status: 0,
                        standardOutput: """
                            Task from tasks.csv: key id; title String
                            Imported into tasks.sqlite: 2 read, \(expected)

                            """))
        }
        let wrong = try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--key", "code")
        #expect(
            wrong
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: No record has the field 'code' [infer.known]
                          fix: write it as the files do: id, title

                        """))
    }

    @Test func standardInputIsInferredAndImported() throws {
        try write("tasks.csv", Self.tasks)
        func pipe() throws -> ToolResult {
            try Tool.run(
                "sh",
                [
                    "-c",
                    "cat tasks.csv | '\(Tool.etlPath)' import - -v --as csv --entity Task --into out/tasks.sqlite",
                ], in: folder.path)
        }
        let decision = Self.decision.replacing(
            "Tasks from tasks.csv", with: "Task from standard input")
        #expect(
            try pipe()
                == ToolResult(
                    status: 0,
                    standardOutput: decision + """
                        The folder out is new
                        Imported into out/tasks.sqlite (new): 3 read, 3 inserted
                        Next: etl fetch out/tasks.sqlite Task

                        """))
        #expect(
            try pipe()
                == ToolResult(
                    status: 0,
                    standardOutput: decision + """
                        Imported into out/tasks.sqlite: 3 read, 3 unchanged

                        """))
        #expect(try names() == ["out", "tasks.csv"])
    }

    @Test func recordsWithoutKeyAreIdentifiedByAllColumns() throws {
        try write("log.csv", "day,what\n2026-01-01,a\n2026-01-01,a\n2026-01-01,b\n")
        let line =
            "Log from log.csv: no key found, so identified by all columns; day Date, what String\n"
        let counts = [
            " (new): 3 read, 3 inserted\nNext: etl fetch log.sqlite Log\n",
            ": 3 read, 3 unchanged\n",
        ]
        for count in counts {
            #expect(
                try etl("import", "log.csv", "--into", "log.sqlite")
                    == ToolResult(
                        status: 0, standardOutput: line + "Imported into log.sqlite" + count))
        }
        // In this file, a single column would be a key.
        try write("log.csv", "id,what,day\n1,c,2026-01-02\n2,d,2026-01-02\n")
        #expect(
            try etl("import", "log.csv", "--into", "log.sqlite", "--add-columns")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Log from log.csv: no key found, so identified by the columns of the first import; id Integer 64, what String, day Date
                        New in the store's model: Log.id Integer 64
                        The old store is log.sqlite.bak-v1
                        Imported into log.sqlite: 2 read, 2 inserted

                        """))
    }

    @Test func aDocumentOfSeveralArraysIsReadFromStandardInput() throws {
        try write(
            "all.json",
            #"{"users":[{"id":1},{"id":2}],"orders":[{"id":7,"user":2,"items":[{"id":1,"n":3}]}]}"#)
        for count in [
            " (new): 3 read, 3 inserted; Items: 1 inserted\nNext: etl fetch all.sqlite Users\n",
            ": 3 read, 3 unchanged\n",
        ] {
            #expect(
                try Tool.run(
                    "sh",
                    [
                        "-c",
                        "cat all.json | '\(Tool.etlPath)' import - -v --as json --into all.sqlite",
                    ],
                    in: folder.path)
                    == ToolResult(
                        status: 0,
                        standardOutput: """
                            Users from standard input: key id
                            Orders from standard input: key id; items → Items, user → Users
                            Imported into all.sqlite
                            """ + count))
        }
        // A column of nested objects is added, too.
        try write("all.json", #"{"orders":[{"id":7,"user":2,"items":[{"id":1,"n":3,"c":"red"}]}]}"#)
        #expect(
            try etl(
                "import", "all.json", "--entity", "Orders", "--into", "all.sqlite", "--add-columns")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Orders from all.json: key id; items → Items, user → Users
                        New in the store's model: Items.c String
                        The old store is all.sqlite.bak-v1
                        Imported into all.sqlite: 1 read, 1 unchanged; Items: 1 updated

                        """))
        #expect(
            try etl("fetch", "all.sqlite", "Items", "--fields", "id,n,c", "--format", "ndjson")
                == ToolResult(status: 0, standardOutput: #"{"id":1,"n":3,"c":"red"}"# + "\n"))
    }

    @Test func aDryRunWritesNothing() throws {
        try write("tasks.csv", Self.tasks)
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--dry-run")
                == ToolResult(
                    status: 0, standardOutput: Self.decision + "Tasks: 3 inserted\n"))
        #expect(try names() == ["tasks.csv"])
    }

    @Test func aSavedSpecRunsAgain() throws {
        try write("tasks.csv", Self.tasks)
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--save-spec", "spec")
                == ToolResult(
                    status: 0,
                    standardOutput: Self.decision + """
                        Imported into tasks.sqlite (new): 3 read, 3 inserted
                        Next: etl run spec/pipeline.yaml

                        """))
        #expect(try etl("check", "spec/pipeline.yaml") == .silentSuccess)
        let run = try etl("run", "spec/pipeline.yaml", "-v")
        #expect(run.status == 0 && run.standardError.contains("3 read, 3 unchanged"))
        #expect(
            try names() == ["runs", "spec", "tasks.csv", "tasks.sqlite", "tasks.sqlite.etl-lock"])
        let again = try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--save-spec", "spec")
        #expect(
            again
                == ToolResult(
                    status: 73,
                    standardError: """
                        spec/model.yaml: error: The file already exists [file.exists]
                          fix: run the existing spec with `etl run`, or name another folder

                        """))
        #expect(
            try etl("import", "tasks.csv", "--into", "tasks.sqlite", "--save-spec", "other").status
                == 0)
        let other = try etl("run", "other/pipeline.yaml", "-v")
        #expect(other.status == 0 && other.standardError.contains("3 read, 3 unchanged"))
    }

    @Test func rejectsAreNextToTheStore() throws {
        try write("tasks.csv", "id,size\n1,2\n2,3\n")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/out", withIntermediateDirectories: true)
        #expect(
            try etl("import", "tasks.csv", "--into", "out/tasks.sqlite", "-q") == .silentSuccess)
        try write("tasks.csv", "id,size\n1,2\n2,many\n3,4\n")
        let result = try etl("import", "tasks.csv", "--into", "out/tasks.sqlite")
        #expect(result.status == 65)
        #expect(result.standardOutput == "Tasks from tasks.csv: key id; size Integer 64\n")
        #expect(
            result.standardError.replacing(#/-[0-9]{8}T[0-9]{6}Z-[0-9]+/#, with: "") == """
                tasks.csv:3:3: error: 'size' takes a whole number that fits Integer 64, not 'many' [cast]
                  in: record 2, field 'size', byte 14
                error: 1 of 3 records was rejected; none is allowed [rejects.too-many]
                  fix: correct the file and import it again, or allow rejects with --allow-rejects; the records are in out/rejects/import-tasks
                note: 3 read, 1 inserted, 1 unchanged, 1 rejected; out/tasks.sqlite has these objects, and the next import continues after them [import.saved]

                """)
        let out = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out").sorted()
        #expect(out == ["rejects", "runs", "tasks.sqlite", "tasks.sqlite.etl-lock"])
        #expect(try rows("SELECT ZID FROM ZTASKS", in: "out/tasks.sqlite") == ["1", "2", "3"])
        // The corrected file completes the import.
        try write("tasks.csv", "id,size\n1,2\n2,9\n3,4\n")
        #expect(
            try etl("import", "tasks.csv", "--into", "out/tasks.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Tasks from tasks.csv: key id; size Integer 64
                        Imported into out/tasks.sqlite: 3 read, 1 updated, 2 unchanged

                        """,
                    standardError:
                        "warning: The import 'tasks' starts over from its first record: "
                        + "tasks.csv has changed [run.starts-again]\n"
                ))
    }

    @Test func keepsTheModelOfAnAppStore() throws {
        let work = try AppStoreFolder()
        try AppStoreFixture.make(at: work.store, work.model)
        let frame = try work.frame(of: work.store)
        try work.write("items.csv", ["title,shape", "Solaris,round"])
        let files = ["import", "items.csv", "--entity", "Book", "--into", work.store, "-v"]
        let skipped = try Tool.etl(files + ["--key", "title"], in: work.outside.path)
        #expect(skipped.status == 0, "\(skipped)")
        #expect(
            skipped.standardOutput.hasPrefix(
                """
                Book from items.csv: key title
                Imported into \(work.store): 1 read, 1 unchanged

                """), "\(skipped)")
        #expect(
            skipped.standardError == """
                items.csv: warning: Book has no property for shape, which is skipped [import.skipped-columns]
                  fix: map it to other properties in a spec; --save-spec DIR writes one

                """)
        #expect(
            try Tool.etl(files + ["--key", "title", "--add-columns"], in: work.outside.path)
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: Shelf.sqlite was created by an app, and etl does not change an app's model to add Book.shape String [import.app-store]
                          fix: leave out --add-columns to skip these columns

                        """))
        let other = try Tool.etl(
            ["import", "items.csv", "--into", work.store, "--key", "title"], in: work.outside.path)
        #expect(
            other
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: Item is abstract in Shelf.sqlite, so no object can be one [import.entity]
                          fix: name an entity with --entity: Book, Film

                        """))
        let renamed = try Tool.etl(
            ["import", "items.csv", "--entity", "Ghost", "--into", work.store, "--key", "title"],
            in: work.outside.path)
        #expect(renamed.status == 64)
        #expect(
            renamed.standardError.hasPrefix(
                "error: Shelf.sqlite was created by an app and has no entity Ghost; etl does not change an app's model [import.app-store]\n"
            ), "\(renamed)")
        #expect(try work.frame(of: work.store).dropFirst() == frame.dropFirst())
    }

    private static let refusals: [([String], Int32)] = [
        (["tasks.csv"], 64), (["--into", "a.sqlite"], 64),
        (["missing.csv", "--into", "a.sqlite"], 66),
        (["tasks.csv", "tasks.csv", "--into", "a.sqlite"], 64),
        (["tasks.csv", "--into", "a.sqlite", "--dry-run", "--save-spec", "x"], 64),
        (["tasks.csv", "--into", "a.sqlite", "--type", "id"], 64),
        (["tasks.csv", "--into", "a.sqlite", "--type", "id=Number"], 64),
        (["tasks.csv", "--into", "a.sqlite", "--as", "xml"], 64),
        (["tasks.csv", "--into", "a.sqlite", "--encoding", "ebcdic"], 64),
        (["empty.csv", "--into", "a.sqlite"], 65), (["tasks.csv", "--into", "tasks.csv"], 74),
        (["b.sqlite", "--into", "a.sqlite"], 64),
    ]

    @Test(arguments: refusals) func failedImportHasItsExitStatus(arguments: [String], status: Int32)
        throws
    {
        try write("tasks.csv", Self.tasks)
        try write("empty.csv", "")
        #expect(try etl("import", "tasks.csv", "--into", "b.sqlite", "-q") == .silentSuccess)
        let before = try names()
        let result = try Tool.etl(["import"] + arguments, in: folder.path)
        #expect(result.status == status, "\(result.standardError)")
        #expect(result.standardOutput == "")
        #expect(result.standardError != "")
        #expect(try names() == before)
    }
}
