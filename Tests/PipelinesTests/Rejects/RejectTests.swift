import Foundation
import Testing

@testable import Pipelines

/// Limits on rejects, and the files that contain them.
@Suite("Rejects")
struct RejectTests {
    static let model = InputTests.model

    static func write(_ folder: Workspace, good: Int, bad: Int, to name: String = "a.ndjson") throws
    {
        var text = ""
        for number in 0..<(good + bad) {
            let id = number < bad ? "null" : "\"\(number)\""
            text += "{\"id\":\(id)}\n"
        }
        try folder.write(name, text)
    }

    @Test("allow is checked after the input is read, and saved records are kept")
    func allow() throws {
        let folder = try Workspace()
        try Self.write(folder, good: 8, bad: 2)
        let stages = """
            - { import: a.ndjson, into: Task }
            - { export: Task, to: out.csv }
            """
        let run = try folder.run(model: Self.model, stages, top: "rejects: { allow: 1 }")
        #expect(run.status == .dataError)
        let runFolder = folder.names("rejects").first ?? ""
        #expect(
            run.text == """
                a.ndjson:1:1: error: 'id' is part of the key, and the record has null for it \
                [key]
                  in: record 1, field 'id', byte 0
                  stage: spec.yaml:5:3 import import-a
                a.ndjson:2:1: error: 'id' is part of the key, and the record has null for it \
                [key]
                  in: record 2, field 'id', byte 12
                  stage: spec.yaml:5:3 import import-a
                error: 2 of 10 records were rejected; 1 is allowed [rejects.too-many]
                  stage: spec.yaml:5:3 import import-a
                  fix: correct the records in rejects/\(runFolder), or raise `rejects.allow`
                """)
        #expect(run.lines.isEmpty)
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["8"])
        #expect(!folder.exists("out.csv"))
    }

    @Test(
        "allow can be a number or a percentage of the records",
        arguments: [
            ("2", true), ("1", false), ("20%", true), ("19%", false), ("0", false), ("100%", true),
        ])
    func limits(_ limit: String, _ isEnough: Bool) throws {
        let folder = try Workspace()
        try Self.write(folder, good: 8, bad: 2)
        let run = try folder.run(
            model: Self.model, "- { import: a.ndjson, into: Task }",
            top: "rejects: { allow: \(limit) }")
        #expect((run.status == .ok) == isEnough)
        #expect((run.status == .dataError) == !isEnough)
    }

    @Test("abort stops the stage at once", arguments: ["10", "10%"])
    func abort(_ limit: String) throws {
        let folder = try Workspace()
        try Self.write(folder, good: 20_000, bad: 1_500)
        let run = try folder.run(
            model: Self.model, "- { import: a.ndjson, into: Task }",
            top: """
                rejects: { allow: 100%, abort: \(limit) }
                budget: { save-every: 1000 }
                """)
        #expect(run.status == .dataError)
        #expect(run.text.contains("[rejects.too-many]"))
        #expect(run.text.components(separatedBy: "[key]").count - 1 == 5)
        // The bad records come first, and reading stopped soon after them.
        #expect(try Int(folder.rows("SELECT count(*) FROM ZTASK")[0]) ?? 0 < 3000)
    }

    @Test(
        "a limit of the command line raises abort to it",
        arguments: [
            (CountLimit.percent(100), true), (.count(1_500), true), (.percent(6.9), false),
        ])
    func abortFollowsTheCommandLine(_ limit: CountLimit, _ isEnough: Bool) throws {
        let folder = try Workspace()
        try Self.write(folder, good: 20_000, bad: 1_500)
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
            - { import: a.ndjson, into: Task }
            """)
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.allowedRejects = limit
        let outcome = PipelineRunner(options: options).run(folder.path("spec.yaml"))
        #expect(outcome.status == (isEnough ? .ok : .dataError))
        // Without the limit, the import stops after 1,000 rejects.
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["20000"])
    }

    @Test(
        "a limit of the command line never lowers abort",
        arguments: [
            (CountLimit.count(0), CountLimit.count(1_000), CountLimit.count(1_000)),
            (.count(10), .count(1_000), .count(1_000)),
            (.count(5_000), .count(1_000), .count(5_000)),
            (.count(5_000), .percent(5), .percent(100)), (.percent(0), .percent(5), .percent(5)),
            (.percent(1), .count(1_000), .percent(100)),
        ])
    func raisedAbort(_ allowed: CountLimit, _ abort: CountLimit, _ expected: CountLimit) {
        var spec = RejectsSpec(abort: abort)
        spec.allow(allowed)
        #expect(spec.allow == allowed)
        #expect(spec.abort == expected)
    }

    @Test("abort also stops a stage with deferred records")
    func abortWhileSettling() throws {
        let folder = try Workspace()
        let lines = (0..<10_000).map { "{\"id\":\"\($0)\",\"parent\":\"none\"}\n" }
        try folder.write("t.ndjson", lines.joined())
        let run = try folder.run(
            model: LinkTests.model,
            "- { import: t.ndjson, into: Task, link: { parent: { by: { id: parent } } } }",
            top: """
                rejects: { allow: 100%, abort: 100 }
                budget: { memory: 32MiB }
                """)
        #expect(run.status == .dataError)
        #expect(
            run.text.contains(
                "10,000 of 10,000 records were rejected; the import stopped early, because more "
                    + "than 100 rejects stop it [rejects.too-many]"))
        // The file contains all rejects, although memory never holds all of them.
        let file = try folder.rejects()["import-t.t.ndjson"] ?? ""
        #expect(file.components(separatedBy: "\n").count - 1 == 10_000)
    }

    @Test("abort ends a run that reads many files")
    func abortOverFiles() throws {
        let folder = try Workspace()
        for number in 1...8 {
            try Self.write(folder, good: 0, bad: 20_000, to: "\(number).ndjson")
        }
        let run = try folder.run(
            model: Self.model, "- { import: \"*.ndjson\", into: Task }",
            top: "rejects: { abort: 10 }")
        #expect(run.status == .dataError)
    }

    @Test("creates no folder without rejects")
    func none() throws {
        let folder = try Workspace()
        try Self.write(folder, good: 1, bad: 0)
        let run = try folder.run(model: Self.model, "- { import: a.ndjson, into: Task }")
        #expect(run.status == .ok)
        #expect(!folder.exists("rejects"))
        #expect(
            folder.names().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
                == [
                    "a.ndjson", "model.yaml", "runs", "spec.yaml", "store.sqlite",
                    "store.sqlite.etl-lock",
                ])
    }

    @Test("files of the same name in two folders have separate reject files")
    func sameNames() throws {
        let folder = try Workspace()
        try Self.write(folder, good: 0, bad: 1, to: "x/a.ndjson")
        try Self.write(folder, good: 0, bad: 2, to: "y/a.ndjson")
        let run = try folder.run(
            model: Self.model, "- { import: \"*/a.ndjson\", into: Task }",
            top: "rejects: { allow: 3, dir: \"bad/${run.date}\" }")
        #expect(run.status == .ok)
        let files = try folder.rejects("bad/2026-03-04")
        #expect(
            files.keys.sorted() == [
                "import-a.1.a.ndjson", "import-a.1.a.ndjson.why.ndjson", "import-a.2.a.ndjson",
                "import-a.2.a.ndjson.why.ndjson",
            ])
        #expect(files["import-a.2.a.ndjson"] == "{\"id\":null}\n{\"id\":null}\n")
    }

    @Test("rejects of gzip input are uncompressed, with a header that a replay reads")
    func readBack() throws {
        let folder = try Workspace()
        try folder.writeGzip("a.csv.gz", "id,title\n1,\"x, \"\"y\"\"\nz\"\n1,\n")
        let run = try folder.run(
            model: Self.model,
            "- { import: a.csv.gz, into: Task, duplicates: reject, set: { title: { need: true } } }",
            top: "rejects: { allow: 2 }")
        #expect(run.status == .ok)
        #expect(try folder.rejects()["import-a.a.csv"] == "id,title\n1,\n")
        #expect(
            try folder.rejects()["import-a.a.csv.why.ndjson"]?.contains("\"line\":4") == true)
    }

    @Test(
        "a replay reads rejects of tables with the options of the stage",
        arguments: [
            ("delimiter: \";\"", "id;\"a;b\"\n1;x\n1;y\n", "id;\"a;b\"\n1;y\n"),
            ("header: false, columns: [id, title]", "1,x\n1,y\n", "1,y\n"),
            (
                "skip: 2, comment: '#', delimiter: '||', trailing-delimiter: true",
                "Of June\n\n#\nid||title||\n1||x||\n#\n1||y||\n", "id||title||\n1||y||\n"
            ),
            (
                "escape: \"\\\\\", comment: '#'", "\"#\\\\\",id,title\n,1,x\n,1,y\\,\n",
                "\"#\\\\\",id,title\n,1,y\\,\n"
            ),
            // An escape character at the end of the input is a literal.
            ("escape: \"\\\\\"", "id,title\n1,x\n1,y\\", "id,title\n1,y\\\\\n"),
            (
                "quote: none, columns: [id, \"a,b\", title]", "id,c,title\n1,c,x\n1,c,y\n",
                "id,a_b,title\n1,c,y\n"
            ),
        ])
    func ownDialect(_ options: String, _ text: String, _ rejects: String) throws {
        let folder = try Workspace()
        try folder.write("a.csv", text)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { files: a.csv, \(options) }
              into: Task
              duplicates: reject
            """, top: "rejects: { allow: 2 }")
        #expect(run.status == .ok, "\(run.text)")
        #expect(try folder.rejects()["tasks.a.csv"] == rejects)
        let reject = try #require(folder.names("rejects").first)
        let again = ReplayTests.replay(folder, "rejects/\(reject)")
        #expect(again.text == "")
        #expect(
            ["updated", "unchanged"].contains { again.lines == ["import tasks: 1 read, 1 \($0)"] },
            "\(again.lines)")
    }

    @Test("each line of the reasons has every key")
    func allKeys() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "nonsense\n")
        _ = try folder.run(
            model: Self.model, "- { import: a.ndjson, into: Task }",
            top: "rejects: { allow: 2 }")
        let line = try folder.rejects()["import-a.a.ndjson.why.ndjson"] ?? ""
        for key in [
            "byte", "code", "column", "detail", "field", "file", "line", "message", "record",
            "run", "value",
        ] {
            #expect(line.contains("\"\(key)\":"))
        }
    }
}
