import Foundation
import Testing

/// The complete messages about imports that do less than their spec suggests.
@Suite("Warnings of incomplete imports") struct SilentDriftTests {
    private struct Place {
        let folder: TemporaryFolder

        init(entity: String = "id: Integer 64, title: String, size: Integer 32") throws {
            folder = try TemporaryFolder()
            try write(
                "model.yaml",
                """
                model: 1
                entities:
                  Task:
                    attributes: { \(entity) }
                    relationships: { owner: { to: Person, inverse: tasks } }
                    unique: [[id]]
                  Person:
                    attributes: { name: String }
                    relationships: { tasks: { to: Task, many: true, inverse: owner } }
                    unique: [[name]]
                """)
        }

        func write(_ name: String, _ text: String) throws {
            try text.write(
                toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        }

        func run(_ stage: String, open: String = "create") throws -> ToolResult {
            try write(
                "s.yaml",
                """
                etl: 1
                name: test
                store: { at: s.sqlite, open: \(open), model: model.yaml }
                stages:
                  - \(stage)
                """)
            return try Tool.etl(["run", "s.yaml"], in: folder.path)
        }

        func count() throws -> Int {
            try Tool.sqlite(folder.path + "/s.sqlite", "SELECT count(*) FROM ZTASK").first
                .flatMap { Int($0) } ?? -1
        }

        /// Returns the only report, as JSON.
        func report() throws -> [String: Any] {
            let runs = folder.path + "/runs"
            let name = try FileManager.default.contentsOfDirectory(atPath: runs)
                .filter { $0.hasSuffix(".json") }.sorted().last
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(runs)/\(name ?? "")"))
            return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        }

        /// Returns the first stage of that report.
        func stageReport() throws -> [String: Any] {
            (try report()["stages"] as? [[String: Any]])?.first ?? [:]
        }
    }

    @Test(
        "a table without any matching column fails with near names or the delimiter as the fix",
        arguments: [
            (
                "ID;Titel\n1;a\n", "the header has 'ID;Titel'",
                "the header is one column, 'ID;Titel': set `read.delimiter: \";\"`"
            ),
            (
                "Id,Titel,x\n1,a,b\n", "the header has 'Id', 'Titel', 'x'",
                "map the columns: `set: { id: Id, title: Titel }`"
            ),
            (
                "foo,bar\n1,a\n", "the header has 'foo', 'bar'",
                "name the columns under `set`, such as `set: { id: foo }`"
            ),
        ])
    func tableWithoutFit(text: String, header: String, fix: String) throws {
        let place = try Place()
        try place.write("a.csv", text)
        let result = try place.run("{ import: a.csv, into: Task, when-found: append }")
        #expect(result.status == 78)
        #expect(
            result.standardError == """
                a.csv:1:1: error: No column fits what the stage reads: \(header), and the stage reads \
                'id', 'title', 'size' [csv.nothing-fits]
                  stage: s.yaml:5:5 import import-a
                  fix: \(fix)

                """)
        #expect(try place.count() == 0)
        // A stage that reads no column works as intended.
        let constant = try place.run(
            "{ import: a.csv, into: Task, when-found: append, set-only: true, set: { size: { const: 3 } } }"
        )
        #expect(constant == .silentSuccess)
        #expect(try place.count() == 1)
    }

    @Test("warns if no record of JSON has a field that the stage reads")
    func recordsWithoutFit() throws {
        let place = try Place()
        try place.write("a.ndjson", "{\"Titel\":\"a\",\"x\":{}}\n{\"Titel\":\"b\"}\n")
        let result = try place.run("{ import: a.ndjson, into: Task, when-found: append }")
        let message = """
            s.yaml:5:5: warning: No record of 'import-a' has any field that the stage reads; its records have \
            'Titel', 'x' [import.nothing-fits]
              in: stages[0]
              fix: name the fields under `set`, or see whether `read.at` leads to the records
            """
        #expect(result.status == 0)
        #expect(result.standardError == message + "\n")
        let messages = try place.report()["messages"] as? [[String: String]]
        #expect(messages?.map { $0["text"] } == [message])
        #expect(messages?.map { $0["severity"] } == ["warning"])
    }

    @Test(
        "`unmet` decides whether a path that no record has is ignored, a warning, or an error",
        arguments: ["ignore", "warn", "stop"])
    func unmet(policy: String) throws {
        let place = try Place()
        try place.write("a.ndjson", "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n")
        let stage = "{ import: a.ndjson, into: Task, unmet: \(policy), set: { title: nam } }"
        let result = try place.run(stage)
        let severity = policy == "stop" ? "error" : "warning"
        let message = """
            s.yaml:5:67: \(severity): No record has 'nam'. Did you mean 'name'? [import.unmet-path]
              in: stages[0].set.title

            """
        #expect(result.status == (policy == "stop" ? 65 : 0))
        let text = result.standardError.replacing(#/  stage: .*\n/#, with: "")
        #expect(
            text.replacing(#/s\.yaml:5:\d+/#, with: "s.yaml:5:67")
                == (policy == "ignore" ? "" : message))
        // With the policy `stop`, the run fails before it saves anything.
        #expect(try place.count() == (policy == "stop" ? 0 : 2))
        let again = try place.run(stage)
        #expect(again.status == result.status)
        #expect(again.standardError == result.standardError)
        #expect(try place.count() == (policy == "stop" ? 0 : 2))
        // With the spec corrected, the run resumes.
        let mended = try place.run(stage.replacing("nam }", with: "name }"))
        #expect(mended.status == 0, "\(mended.standardError)")
        #expect(
            try Tool.sqlite(
                place.folder.path + "/s.sqlite", "SELECT ZTITLE FROM ZTASK ORDER BY ZID")
                == ["a", "b"])
    }

    @Test("an append that `unmet` or `min-records` stopped inserts nothing twice after the fix")
    func stoppedAppend() throws {
        for (keys, mended) in [
            ("unmet: stop, set: { title: tilte }", "unmet: stop, set: { title: title }"),
            ("unmet: warn", ""),
        ] {
            let place = try Place()
            let model = try Tool.contents(place.folder.path + "/model.yaml")
            try place.write("model.yaml", model.replacing("unique: [[id]]", with: ""))
            try place.write("a.ndjson", "{\"id\":1,\"title\":\"a\"}\n{\"id\":2,\"title\":\"b\"}\n")
            let read =
                mended.isEmpty ? "{ files: a.ndjson, min-records: 3 }" : "{ files: a.ndjson }"
            let stage = "{ import: tasks, read: \(read), into: Task, when-found: append"
            #expect(try place.run("\(stage), \(keys) }").status == (mended.isEmpty ? 66 : 65))
            #expect(try place.count() == 0)
            if mended.isEmpty {
                try place.write(
                    "a.ndjson", "{\"id\":1,\"title\":\"a\"}\n{\"id\":2}\n{\"id\":3}\n")
            }
            let result = try place.run("\(stage)\(mended.isEmpty ? "" : ", \(mended)") }")
            #expect(result.status == 0, "\(result.standardError)")
            #expect(try place.count() == (mended.isEmpty ? 3 : 2))
        }
    }

    @Test("`unmet` ignores the records that `keep-if` skips")
    func filteredRecords() throws {
        let place = try Place()
        try place.write("a.ndjson", "{\"id\":1,\"kind\":\"draft\"}\n")
        let result = try place.run(
            "{ import: a.ndjson, into: Task, unmet: stop, keep-if: \"kind != 'draft'\", set: { title: name } }"
        )
        #expect(result == .silentSuccess)
    }

    @Test("the report counts the unmapped fields of nested objects")
    func nestedFields() throws {
        let place = try Place()
        try place.write(
            "a.ndjson",
            """
            {"id":1,"who":{"name":"a","mail":"m","at":{"x":1}},"list":[{"n":"b","z":1},{"n":"c","z":2}]}

            {"id":2,"who":{"name":"a","mail":"m"},"more":1}

            """)
        let result = try place.run(
            """
            { import: a.ndjson, into: Task, set: { title: who.name, size: who.at.y },
                  link: { owner: { by: { name: who.name }, missing: create } }, unmet: ignore }
            """)
        #expect(result == .silentSuccess)
        let stage = try place.stageReport()
        let fields = (stage["extraFields"] as? [[String: Any]])?.map {
            "\($0["name"] ?? "") \($0["records"] ?? "")"
        }
        #expect(fields == ["list 1", "more 1", "who.at.x 1", "who.mail 2"])
        #expect((stage["records"] as? [String: Any])?["blankLines"] as? Int == 1)
    }

    @Test("the report counts missed links per relationship and lists the first ones")
    func missedLinks() throws {
        let place = try Place()
        try place.write(
            "a.ndjson",
            """
            {"id":1,"owner":"nobody"}
            {"id":2}
            {"id":3,"owner":"no one"}
            {"id":4,"owner":null}

            """)
        let stage =
            "{ import: a.ndjson, into: Task, link: { owner: { by: { name: owner }, missing: null } } }"
        #expect(try place.run(stage) == .silentSuccess)
        let missed = try place.stageReport()["missedLinks"] as? [[String: Any]]
        #expect(missed?.map { $0["relationship"] as? String } == ["owner"])
        #expect(missed?.map { $0["count"] as? Int } == [2])
        #expect(
            missed?.map { $0["first"] as? [String] } == [
                ["a.ndjson:1 'nobody'", "a.ndjson:3 'no one'"]
            ])
        let text = try Tool.etl(["report", "runs"], in: place.folder.path)
        #expect(
            text.standardOutput.contains("4 read, 4 inserted, 2 links without an object"),
            "\(text)")
    }

    @Test("warns of a composite attribute if no record has any part of it")
    func unmetParts() throws {
        let place = try Place(
            entity: "id: Integer 64, at: { type: Composite, composite: Point }")
        let model = try String(contentsOfFile: place.folder.path + "/model.yaml", encoding: .utf8)
        try place.write(
            "model.yaml",
            model + "\ncomposites: { Point: { attributes: { lat: Double } } }\n")
        try place.write("a.ndjson", "{\"id\":1,\"at\":{\"latitude\":1}}\n")
        let result = try place.run("{ import: a.ndjson, into: Task, set: { at: at } }")
        #expect(
            result.standardError.contains("No record has any part of 'at'"), "\(result)")
    }

    @Test("the report counts the blank lines of a table")
    func blankLines() throws {
        let place = try Place()
        try place.write("a.csv", "id,title\n1,a\n\n2,b\n\n\n")
        #expect(try place.run("{ import: a.csv, into: Task }") == .silentSuccess)
        #expect((try place.stageReport()["records"] as? [String: Any])?["blankLines"] as? Int == 3)
        let text = try Tool.etl(["report", "runs"], in: place.folder.path)
        #expect(text.standardOutput.contains("2 read, 2 inserted, 3 blank lines"), "\(text)")
    }

    @Test("reports all faults of a record")
    func allFaults() throws {
        let place = try Place(
            entity:
                "id: Integer 64, title: { type: String, length: ..3 }, size: Integer 32, on: Date")
        try place.write(
            "a.ndjson", "{\"id\":1,\"title\":\"long\",\"size\":\"x\",\"on\":\"y\",\"owner\":{}}\n")
        let result = try place.run(
            "{ import: a.ndjson, into: Task, link: { owner: { by: { name: owner } } } }")
        #expect(result.status == 65)
        let lines = result.standardError.split(separator: "\n")
        #expect(
            lines.first == """
                a.ndjson:1:18: error: 'title' must have at most 3 characters, and has 4; also: 'size' \
                takes a whole number that fits Integer 32, not 'x'; also: 'on' takes an ISO 8601 date \
                such as 2026-11-20 (or say `date:` with its pattern), not 'y'; also: 'name' takes text, not {} [validate]
                """)
        let rejects = place.folder.path + "/rejects"
        let run = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
        let why = try Tool.contents("\(rejects)/\(run)/import-a.a.ndjson.why.ndjson")
        let reason =
            try JSONSerialization.jsonObject(with: Data(why.utf8)) as? [String: Any] ?? [:]
        let others = reason["others"] as? [[String: Any]] ?? []
        #expect(reason["field"] as? String == "title")
        #expect(
            others.map { "\($0["code"] ?? "") \($0["field"] ?? "") \($0["value"] ?? "")" } == [
                "cast size x", "cast on y", "cast owner {}",
            ])
    }

    @Test("reports all faults of nested objects and of a list of links")
    func allFaultsInside() throws {
        let place = try Place(entity: "id: Integer 64, size: Integer 32")
        let reasons = { () throws -> [String] in
            let rejects = place.folder.path + "/rejects"
            let run = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
            let why = try Tool.contents("\(rejects)/\(run)/import-a.a.ndjson.why.ndjson")
            let reason =
                try JSONSerialization.jsonObject(with: Data(why.utf8)) as? [String: Any] ?? [:]
            try FileManager.default.removeItem(atPath: rejects)
            return ([reason] + (reason["others"] as? [[String: Any]] ?? [])).map {
                "\($0["code"] ?? ""), \($0["field"] ?? ""): \($0["message"] ?? "")"
            }
        }
        try place.write(
            "a.ndjson",
            """
            {"name":7,"jobs":[{"id":"x","size":"big"},{"id":2,"size":1},5,{"size":2.5}]}

            """)
        let nested = try place.run(
            "{ import: a.ndjson, into: Person, link: { tasks: { each: \"jobs[*]\" } } }")
        #expect(nested.status == 65)
        #expect(
            try reasons() == [
                "cast, jobs[0].id: 'id' takes a whole number that fits Integer 64, not 'x'",
                "cast, jobs[0].size: 'size' takes a whole number that fits Integer 32, not 'big'",
                "shape, jobs[2]: 'jobs[2]' is not an object, but 5",
                "key, jobs[3].id: The record has no 'id'",
                "cast, jobs[3].size: 'size' takes a whole number that fits Integer 32, not 2.5",
            ])
        try place.write("a.ndjson", "{\"name\":\"Ada\",\"jobs\":[7,8,7],\"size\":1}\n")
        let linked = try place.run(
            "{ import: a.ndjson, into: Person, link: { tasks: { by: { id: \"jobs[*]\" } } } }")
        #expect(linked.status == 65)
        #expect(
            try reasons() == [
                "link, jobs[*]: No Task has id 7 (for 'tasks')",
                "link, jobs[*]: No Task has id 8 (for 'tasks')",
                "link, jobs[*]: No Task has id 7 (for 'tasks')",
            ])
    }

    @Test("warns of unmet paths in nested objects and counts their unmapped fields")
    func unmetInside() throws {
        let place = try Place()
        let stage = """
            { import: a.ndjson, into: Person, link: { tasks: { each: "jobs[*]", \
            set: { id: id, title: titel } } } }
            """
        try place.write("a.ndjson", "{\"name\":\"Ada\",\"jobs\":[]}\n")
        #expect(try place.run(stage) == .silentSuccess)
        try place.write(
            "a.ndjson",
            """
            {"name":"Ada","jobs":[{"id":1,"title":"a"},{"id":2,"title":"b","done":true}]}
            {"name":"Bob","jobs":[{"id":3,"done":false}]}

            """)
        let result = try place.run(stage)
        #expect(result.status == 0)
        #expect(
            result.standardError == """
                s.yaml:5:95: warning: No record has 'jobs[*].titel'. Did you mean 'jobs[*].title'? \
                [import.unmet-path]
                  in: stages[0].link.tasks.set.title

                """)
        let extra = try place.stageReport()["extraFields"] as? [[String: Any]] ?? []
        #expect(
            extra.map { "\($0["name"] ?? "") \($0["records"] ?? "")" } == [
                "jobs[*].done 2", "jobs[*].title 1",
            ])
    }

    @Test("a stage with fewer records than `read.min-records` fails before `mirror` deletes")
    func tooFewRecords() throws {
        let place = try Place()
        try place.write("a.csv", "id,title\n1,a\n2,b\n3,c\n")
        let stage = """
            { import: tasks, read: { files: a.csv, min-records: 3 }, into: Task, \
            mirror: { where: ALL, at-most: 100% } }
            """
        #expect(try place.run(stage) == .silentSuccess)
        try place.write("a.csv", "id,title\n1,a\n")
        for _ in 0..<2 {
            let result = try place.run(stage)
            #expect(result.status == 66)
            #expect(
                result.standardError == """
                    error: 'tasks' has read 1 record, and `read.min-records` is 3 \
                    [input.too-few-records]
                      stage: s.yaml:5:5 import tasks
                      fix: check that the inputs are complete, or lower `read.min-records`

                    """)
            #expect(try place.count() == 3)
        }
        try place.write("a.csv", "id,title\n1,a\n2,b\n4,d\n")
        let whole = try place.run(stage)
        #expect(whole.status == 0, "\(whole.standardError)")
        #expect(
            try Tool.sqlite(place.folder.path + "/s.sqlite", "SELECT ZID FROM ZTASK ORDER BY ZID")
                == ["1", "2", "4"])
    }

    @Test("warns if an earlier run has appended the input, even under another file name")
    func readBefore() throws {
        let place = try Place()
        try place.write("a.csv", "id,title\n1,a\n2,b\n")
        let stage = "{ import: tasks, read: { files: \"*.csv\" }, into: Task, when-found: append }"
        let model = try Tool.contents(place.folder.path + "/model.yaml")
        try place.write("model.yaml", model.replacing("unique: [[id]]", with: ""))
        #expect(try place.run(stage) == .silentSuccess)
        try FileManager.default.moveItem(
            atPath: place.folder.path + "/a.csv", toPath: place.folder.path + "/b.csv")
        let again = try place.run(stage)
        #expect(again.status == 0)
        #expect(
            again.standardError == """
                s.yaml:5:5: warning: An earlier run has appended the same 2 records of b.csv \
                [import.read-before]
                  in: stages[0]
                  fix: set `read.once: true`, or update by a `key`

                """)
        #expect(try place.count() == 4)
        try place.write("b.csv", "id,title\n1,a\n2,b\n3,c\n")
        #expect(try place.run(stage) == .silentSuccess)
        // A store that is built for distribution contains no record of its inputs.
        #expect(try place.run(stage, open: "replace") == .silentSuccess)
        #expect(try place.run(stage, open: "replace") == .silentSuccess)
        #expect(
            try Tool.sqlite(
                place.folder.path + "/s.sqlite",
                "SELECT count(*) FROM sqlite_master WHERE name = 'ETL_INPUTS'") == ["0"])
    }
}
