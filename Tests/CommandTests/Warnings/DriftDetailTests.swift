import Foundation
import Testing

/// Details of the messages about imports that do less than their spec suggests.
@Suite("Warnings of incomplete imports, in detail") struct DriftDetailTests {
    private static func place(unique: Bool = true) throws -> DriftPlace {
        try DriftPlace(
            model: """
                model: 1
                entities:
                  Task:
                    attributes: { id: Integer 64, title: String, size: Integer 32 }
                    relationships:
                      owner: { to: Person, inverse: tasks }
                      tag: { to: Tag, inverse: tasks }
                    \(unique ? "unique: [[id]]" : "")
                  Person:
                    attributes: { name: String }
                    relationships: { tasks: { to: Task, many: true, inverse: owner } }
                    unique: [[name]]
                  Tag:
                    attributes: { word: String }
                    relationships: { tasks: { to: Task, many: true, inverse: tag } }
                    unique: [[word]]
                """)
    }

    // MARK: Columns

    @Test("a renamed column of a table is a warning once, and is in the log and the reports")
    func renamedColumn() throws {
        let place = try Self.place()
        let stage = "{ import: a.csv, into: Task }"
        func run(_ text: String, _ flags: String...) throws -> String {
            try place.write("a.csv", text)
            let result = try place.run(stage, flags: flags)
            #expect(result.status == 0)
            return result.standardError.replacing(#/\([0-9.]+ s\)/#, with: "(T)")
        }
        #expect(try run("id,title\n1,a\n") == "")
        #expect(
            try run("id,name\n1,b\n2,c\n") == """
                a.csv: warning: Unlike in the last run of 'import-a', nothing reads the column 'name', \
                and no column fills 'title' [import.changed-columns]
                  fix: if a column was renamed, name it under `set`, such as `set: { title: name }`

                """)
        let text = try Tool.etl(["report", "runs"], in: place.folder.path).standardOutput
        #expect(
            text.contains(
                """

                Fields that import-a does not read
                  name: 2 records

                Attributes that no column of import-a fills
                  title
                  size

                """), "\(text)")
        let page = try Tool.etl(["report", "runs", "--format", "html"], in: place.folder.path)
        #expect(page.standardOutput.contains("<h2>Attributes that no column fills</h2>"))
        #expect(try place.stageReport()["unfilledAttributes"] as? [String] == ["title", "size"])
        // The warning is about the change, and the log about the state.
        #expect(try run("id,name\n1,b\n2,c\n") == "")
        #expect(
            try run("id,name\n1,b\n2,c\n", "-v") == """
                import import-a: 2 read, 2 unchanged (T)
                  nothing reads: 'name'
                  no column fills: 'title', 'size'

                """)
        #expect(
            try run("id,name,x,y\n1,b,1,2\n") == """
                a.csv: warning: Unlike in the last run of 'import-a', nothing reads the columns 'x', 'y' \
                [import.changed-columns]
                  fix: map a column that is needed under `set`

                """)
        #expect(try run("id,title,x,y\n1,b,1,2\n") == "")
        #expect(
            try run("id,x,y\n1,1,2\n") == """
                a.csv: warning: Unlike in the last run of 'import-a', no column fills 'title' \
                [import.changed-columns]
                  fix: if a column was renamed, name it under `set`

                """)
    }

    // MARK: Links

    @Test("the log and the report list missed links per relationship")
    func missedLinks() throws {
        let place = try Self.place()
        try place.write(
            "a.ndjson",
            """
            {"id":1,"owner":"nobody","tag":"x"}
            {"id":2,"tag":"y"}
            {"id":3,"owner":"no one"}

            """)
        let result = try place.run(
            """
            { import: a.ndjson, into: Task, link: { owner: { by: { name: owner }, missing: null }, \
            tag: { by: { word: tag }, missing: null } } }
            """, flags: ["-v"])
        #expect(result.status == 0)
        #expect(
            result.standardError.replacing(#/\([0-9.]+ s\)/#, with: "(T)") == """
                import import-a: 3 read, 3 inserted, 4 links without an object (T)
                  without an object in 'owner': 2 (a.ndjson:1 'nobody', a.ndjson:3 'no one')
                  without an object in 'tag': 2 (a.ndjson:1 'x', a.ndjson:2 'y')

                """)
        #expect(
            try place.missedLinks() == [
                "owner 2: a.ndjson:1 'nobody', a.ndjson:3 'no one'",
                "tag 2: a.ndjson:1 'x', a.ndjson:2 'y'",
            ])
        let text = try Tool.etl(["report", "runs"], in: place.folder.path)
        #expect(
            text.standardOutput.contains(
                """

                Links without an object in import-a
                  owner: 2
                    a.ndjson:1 'nobody'
                    a.ndjson:3 'no one'
                  tag: 2
                    a.ndjson:1 'x'
                    a.ndjson:2 'y'

                """), "\(text.standardOutput)")
    }

    @Test("counts missed links of nested objects under the path of the relationship")
    func missedLinksInside() throws {
        let place = try Self.place()
        try place.write("tags.ndjson", "{\"word\":\"there\"}\n")
        try place.write(
            "a.ndjson",
            """
            {"name":"Ada","jobs":[{"id":1,"tag":"x"},{"id":2,"tag":"there"}]}
            {"name":"Bob","jobs":[{"id":3,"tag":"y"},{"id":4},{"id":5,"tag":null}]}

            """)
        #expect(try place.run("{ import: tags.ndjson, into: Tag }") == .silentSuccess)
        let stage = """
            { import: a.ndjson, into: Person, link: { tasks: { each: "jobs[*]", set: { id: id }, \
            link: { tag: { by: { word: tag }, missing: null } } } } }
            """
        let result = try place.run(stage, flags: ["-v"])
        #expect(
            result.standardError.replacing(#/\([0-9.]+ s\)/#, with: "(T)") == """
                import import-a: 2 read, 2 inserted, 2 links without an object; Task: 5 inserted (T)
                  without an object in 'tasks.tag': 2 (a.ndjson:1 'x', a.ndjson:2 'y')

                """)
        #expect(try place.missedLinks() == ["tasks.tag 2: a.ndjson:1 'x', a.ndjson:2 'y'"])
        #expect(
            try place.rows("SELECT ZID FROM ZTASK WHERE ZTAG IS NOT NULL ORDER BY ZID") == ["2"])
    }

    @Test("does not count missed links of nested objects in a rejected record")
    func missedLinksOfRejects() throws {
        let place = try Self.place()
        try place.write(
            "a.ndjson",
            """
            {"name":"Ada","jobs":[{"id":1,"tag":"x","owner":"q"},{"tag":"y"}]}

            """)
        let result = try place.run(
            """
            { import: a.ndjson, into: Person, link: { tasks: { each: "jobs[*]", set: { id: id }, \
            link: { tag: { by: { word: tag }, missing: null } } } } }
            """)
        #expect(result.status == 65)
        #expect(try place.missedLinks() == [])
    }

    @Test("the JSON log lists the first missed links as the report does")
    func missedLinksInJSON() throws {
        let place = try Self.place()
        let records = (1...7).map { "{\"id\":\($0),\"owner\":\"p\($0)\"}\n" }
        try place.write("a.ndjson", records.joined())
        let stage = """
            { import: a.ndjson, into: Task, link: { owner: { by: { name: owner }, missing: null } } }
            """
        let result = try place.run(stage, flags: ["-v", "--log-format", "json"])
        #expect(result.status == 0)
        #expect(
            result.standardError.contains(
                #","missedLinks":[{"count":7,"first":["a.ndjson:1 'p1'","a.ndjson:2 'p2'","#
                    + #""a.ndjson:3 'p3'","a.ndjson:4 'p4'","a.ndjson:5 'p5'"],"#
                    + #""relationship":"owner"}],"#), "\(result)")
        let text = try place.run(stage, flags: ["-v", "--restart"])
        #expect(
            text.standardError.contains(
                "\n  without an object in 'owner': 7 (a.ndjson:1 'p1', a.ndjson:2 'p2', "
                    + "a.ndjson:3 'p3', a.ndjson:4 'p4', a.ndjson:5 'p5', …)\n"), "\(text)")
    }

    // MARK: Tables without a matching column

    @Test(
        "accepts an import that reads no column of the table by name",
        arguments: [
            "set: { size: { const: 3 } }", "set: { title: { expr: \"'x'\" } }",
            "set: { title: { const: x }, size: { expr: \"1 + 2\" } }",
        ])
    func constants(set: String) throws {
        let place = try Self.place(unique: false)
        try place.write("a.csv", "foo,bar\n1,2\n3,4\n")
        #expect(
            try place.run(
                "{ import: a.csv, into: Task, when-found: append, set-only: true, \(set) }")
                == .silentSuccess)
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["2"])
    }

    @Test("an `expr` with an unknown column exits with 78, even next to constants")
    func constantsAndColumn() throws {
        let place = try Self.place(unique: false)
        try place.write("a.csv", "foo,bar\n1,2\n")
        let result = try place.run(
            """
            { import: a.csv, into: Task, when-found: append, set-only: true, set: { size: \
            { const: 3 }, title: { expr: "fo" } } }
            """)
        #expect(result.status == 78)
        #expect(
            result.standardError == """
                a.csv:1:1: error: The header has no column 'fo'. Did you mean 'foo'? \
                [csv.unknown-column]
                  stage: s.yaml:5:112 import import-a, set.title.expr
                  fix: use one of: foo, bar

                """)
        // If the table should also fill an attribute, no column matches.
        let implied = try place.run(
            "{ import: a.csv, into: Task, when-found: append, set: { size: { const: 3 } } }")
        #expect(implied.status == 78)
        #expect(
            implied.standardError == """
                a.csv:1:1: error: No column fits what the stage reads: the header has 'foo', 'bar', and \
                the stage reads 'id', 'title' [csv.nothing-fits]
                  stage: s.yaml:5:5 import import-a
                  fix: name the columns under `set`, such as `set: { id: foo }`

                """)
    }

    // MARK: Blank lines

    @Test(
        "counts blank lines before a header like other blank lines",
        arguments: [
            ("\n\r\n\nid,title\n1,a\n\n", "{ files: a.csv }", 4),
            ("\n\nid,title\r\n1,a\r\n", "{ files: a.csv }", 2),
            (
                "x\n# c\n\n# d\n\nid,title\n1,a\n# e\n\n",
                "{ files: a.csv, skip: 1, comment: \"#\" }", 3
            ),
            ("\n\n\nid,title\n", "{ files: a.csv }", 3),
            ("\n   \r\n  \nid,title\n1,a\n", "{ files: a.csv }", 3),
        ])
    func blankLines(text: String, read: String, count: Int) throws {
        let place = try Self.place()
        try place.write("a.csv", text)
        let result = try place.run("{ import: tasks, read: \(read), into: Task }", flags: ["-v"])
        #expect(result.status == 0)
        let read = text.contains("1,a") ? "1 read, 1 inserted" : "0 read"
        #expect(
            result.standardError.replacing(#/\([0-9.]+ s\)/#, with: "(T)") == """
                import tasks: \(read), \(count) blank lines (T)

                """)
        #expect(
            (try place.stageReport()["records"] as? [String: Any])?["blankLines"] as? Int == count)
    }

    // MARK: Inputs that were read before

    @Test(
        "warns if a renamed stage appends an input again",
        arguments: [false, true])
    func readBeforeUnderOtherName(isOnce: Bool) throws {
        let place = try Self.place(unique: false)
        try place.write("a.csv", "id,title\n1,a\n2,b\n")
        let read = "read: { files: a.csv\(isOnce ? ", once: true" : "") }"
        func stage(_ name: String, into entity: String = "Task", _ more: String = "") -> String {
            "{ import: \(name), \(read), into: \(entity), when-found: append\(more) }"
        }
        #expect(try place.run(stage("old")) == .silentSuccess)
        let renamed = try place.run(stage("new"))
        #expect(renamed.status == 0)
        #expect(
            renamed.standardError == """
                s.yaml:5:5: warning: An earlier run has appended the same 2 records of a.csv in a stage \
                'old' [import.read-before]
                  in: stages[0]
                  fix: name the stage 'old' again and set `read.once: true`, or update by a `key`

                """)
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["4"])
    }

    @Test("two stages of a spec may read one input")
    func readByTwoStages() throws {
        let place = try Self.place(unique: false)
        try place.write("a.csv", "id,title\n1,a\n2,b\n")
        let first = "{ import: first, read: { files: a.csv }, into: Task, when-found: append }"
        let other =
            "{ import: other, read: { files: a.csv }, into: Task, when-found: append, keep-if: \"id == 1\" }"
        #expect(try place.run(first, other) == .silentSuccess)
    }

    // MARK: Lists

    @Test(
        "lists compare as numbers with numeric fields and as text with text fields",
        arguments: [
            (
                "a.ndjson",
                "{\"id\":1}\n{\"id\":2.0}\n{\"id\":3}\n{\"id\":null}\n{\"title\":\"x\"}\n",
                "[1, 2]", "id IN $list", ["1", "2"]
            ),
            (
                "a.ndjson",
                "{\"id\":1,\"title\":\"1\"}\n{\"id\":2,\"title\":\"01\"}\n{\"id\":3,\"title\":\"x\"}\n",
                "[1, x]", "title IN $list", ["1", "3"]
            ),
            (
                "a.csv", "id,title\n1,1\n2,1.0\n3,01\n4,abc\n5,2\n", "[1, 2]", "title IN $list",
                ["1", "2", "5"]
            ),
            (
                "a.csv", "id,title\n1,01\n2,1\n3,02\n", "[\"01\", \"02\"]", "title IN $list",
                ["1", "3"]
            ),
            ("a.ndjson", "{\"id\":1}\n{\"id\":2}\n", "[one, 2]", "id IN $list", ["2"]),
            ("a.ndjson", "{\"id\":1}\n{\"id\":2}\n", "[1]", "NOT id IN $list", ["2"]),
        ] as [(String, String, String, String, [String])])
    func numbersInLists(
        name: String, text: String, list: String, filter: String, kept: [String]
    ) throws {
        let place = try Self.place(unique: false)
        try place.write(name, text)
        let result = try place.run(
            """
            { import: \(name), into: Task, when-found: append, set-only: true, set: { id: id }, \
            keep-if: "\(filter)" }
            """, head: "params: { list: { type: list, default: \(list) } }")
        #expect(result == .silentSuccess)
        #expect(
            try place.rows("SELECT ZID FROM ZTASK WHERE ZID IS NOT NULL ORDER BY ZID") == kept)
    }

    // MARK: Time

    @Test(
        "a single match of a pattern with a long text stops at the time limit",
        .timeLimit(.minutes(5)))
    func longMatch() throws {
        let place = try Self.place(unique: false)
        let text = String(repeating: "ab", count: 400_000)
        try place.write("a.ndjson", "{\"id\":1,\"title\":\"\(text)\"}\n")
        try place.write("b.ndjson", "{\"id\":1,\"title\":\"\(text.prefix(15_000))\"}\n")
        let pattern = "(?:.?){3000}ZZ"
        // Both are read: the long input in parallel with the writer, and the short one before it.
        for name in ["a.ndjson", "b.ndjson"] {
            let started = ContinuousClock.now
            let result = try place.run(
                """
                { import: \(name), into: Task, when-found: append, keep-if: "title MATCHES \
                '\(pattern)'" }
                """, flags: ["--timeout", "1s"])
            #expect(result.status == 75, "\(name): \(result)")
            #expect(result.standardError.contains("[run.time-limit]"), "\(name): \(result)")
            #expect(ContinuousClock.now - started < .seconds(8), "\(name)")
            #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["0"])
            #expect(
                !FileManager.default.fileExists(atPath: place.folder.path + "/rejects"), "\(name)")
            try FileManager.default.removeItem(atPath: place.folder.path + "/s.sqlite")
        }
        #expect(
            try place.run("{ import: a.ndjson, into: Task, when-found: append }")
                == .silentSuccess)
        for stage in [
            "{ update: u, entity: Task, where: \"title MATCHES '\(pattern)'\", set: { size: 1 } }",
            "{ delete: d, entity: Task, where: \"title MATCHES '\(pattern)'\", at-most: 100% }",
        ] {
            let started = ContinuousClock.now
            let result = try place.run(stage, flags: ["--timeout", "1s"])
            #expect(result.status == 75, "\(result)")
            #expect(result.standardError.contains("[run.time-limit]"), "\(result)")
            #expect(ContinuousClock.now - started < .seconds(8))
        }
    }
}
