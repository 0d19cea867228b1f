import Foundation
import Testing

/// `--log-format`, `--log-level`, and the messages of commands that are called incorrectly.
@Suite("Messages of commands")
struct RunLogTests {
    /// A valid task and an invalid one.
    static let two = """
        {"id":1,"title":"a","size":1,"owner":"a","tags":[]}
        {"id":"x","title":"a","size":1,"owner":"a","tags":[]}

        """

    /// Returns the logged JSON objects, one per line.
    static func records(_ errors: String) throws -> [[String: Any]] {
        try errors.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    @Test("the JSON log has one object per line for stages and errors")
    func json() throws {
        let folder = try FailureFolder()
        try folder.write("tasks.ndjson", Self.two)
        let result = try folder.run("--log-format json --log-level info --allow-rejects 1")
        #expect(result.status == 0)
        let records = try Self.records(result.errors)
        #expect(records.map { $0["code"] as? String } == ["run.stage", "run.stage"])
        #expect(records.first?["level"] as? String == "info")
        #expect(records.first?["stage"] as? String == "tasks")
        #expect(records.first?["kind"] as? String == "import")
        let counts = records.first?["counts"] as? [String: Int]
        #expect(counts?["read"] == 2)
        #expect(counts?["rejected"] == 1)
        #expect((records.first?["rejects"] as? String)?.hasPrefix("rejects/spec-") == true)
        #expect(records.last?["counts"] as? [String: Int] == ["exported": 1])
        #expect(records.allSatisfy { $0["pipeline"] as? String == "spec" })
        #expect(Set(records.map { $0["run"] as? String ?? "" }).count == 1)
        #expect(records.allSatisfy { $0["seconds"] is Double && $0["records"] == nil })
        #expect(records.allSatisfy { ($0["time"] as? String)?.hasSuffix("Z") == true })

        let failed = try Self.records(folder.run("--log-format json").errors)
        #expect(failed.map { $0["code"] as? String } == ["cast", "rejects.too-many"])
        #expect(failed.first?["level"] as? String == "error")
        #expect(failed.first?["file"] as? String == "tasks.ndjson")
        #expect(failed.first?["line"] as? Int == 2)
        #expect(failed.first?["record"] as? Int == 2)
        #expect(failed.first?["field"] as? String == "id")
        #expect(failed.allSatisfy { $0["stage"] as? String == "tasks" })
        #expect(failed.allSatisfy { $0["kind"] as? String == "import" })
        #expect(failed.allSatisfy { $0["pipeline"] as? String == "spec" })
        let runs = Set(failed.map { $0["run"] as? String ?? "" })
        #expect(runs.count == 1 && folder.names("runs").contains("spec-\(runs.first ?? "").json"))
    }

    @Test("JSON lines before a run and of a replay name the run and the pipeline, too")
    func identity() throws {
        let folder = try FailureFolder()
        try folder.write("tasks.ndjson", Self.two)
        try folder.writeSpec(top: "name: nightly\nrejects: { allow: 1 }")
        #expect(try folder.run().status == 0)
        for arguments in [
            "run spec.yaml --set in=none.ndjson", "run spec.yaml --set x=1", "replay spec.yaml -v",
        ] {
            let result = try folder.shell("exec \"$E\" \(arguments) --log-format json")
            let records = try Self.records(result.errors)
            #expect(!records.isEmpty)
            #expect(
                records.allSatisfy { $0["pipeline"] as? String == "nightly" }, "\(result.errors)")
            #expect(
                Set(records.map { $0["run"] as? String ?? "" }).allSatisfy { $0.contains("Z-") },
                "\(result.errors)")
        }
        try folder.writeSpec(top: "name: nightly\ncolor: red")
        let wrong = try Self.records(folder.run("--log-format json").errors)
        #expect(wrong.map { $0["code"] as? String } == ["spec.unknown-key"])
        #expect(wrong.first?["pipeline"] as? String == "spec")
        #expect(wrong.first?["run"] as? String != nil)
    }

    @Test("etl import reports errors and warnings before its run as JSON")
    func beforeImport() throws {
        let folder = try FailureFolder()
        try folder.write("a.csv", "id,name\n1,a\n")
        try folder.write("empty.csv", "")
        func errors(_ files: String) throws -> String {
            try folder.shell("exec \"$E\" import \(files) --into a.sqlite --log-format json")
                .errors.replacing(#/"time":"[-:\w]+"/#, with: #""time":"T""#)
                .replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
        }
        #expect(
            try errors("none.csv") == #"""
                {"code":"input.missing","file":"none.csv","fix":"check the name; a relative path \#
                starts at the working folder","level":"error","message":"The file does not exist",\#
                "time":"T"}

                """#)
        #expect(
            try errors("a.csv empty.csv") == #"""
                {"code":"infer.empty","file":"empty.csv","fix":"use a file with records",\#
                "level":"warning","message":"The file has no record","pipeline":"import-a",\#
                "run":"RUN","time":"T"}

                """#)
    }

    @Test(
        "each log level shows the messages of the one before, and more",
        arguments: [
            ("", ["warning"]), ("--log-level error", []), ("-q", []),
            ("--log-level warning", ["warning"]), ("-v", ["import", "export"]),
            ("--log-level info", ["import", "export"]),
        ] as [(String, [String])])
    func levels(_ flags: String, _ shown: [String]) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(1)
        // The default folder of reports cannot be created, which causes a warning.
        try folder.write("runs", "")
        let result = try folder.run(flags)
        #expect(result.status == 0)
        for word in ["warning", "import", "export"] {
            let isShown = shown.contains(word) || (word == "warning" && shown.count == 2)
            #expect(result.errors.contains("\(word)") == isShown, "\(flags): \(result.errors)")
        }
    }

    @Test(
        "64: flags contradict each other, or a value is invalid and its form is shown",
        arguments: [
            ("run spec.yaml -v --log-level info", "--log-level and -v contradict each other"),
            ("run spec.yaml --log-format xml", "'xml' is invalid for '--log-format"),
            ("run spec.yaml --timeout soon", "such as 30m, 2h, or 1h30m"),
            ("run spec.yaml --timeout 0s", "such as 30m, 2h, or 1h30m"),
            ("run spec.yaml --if-locked later", "write fail, skip, or wait= and a duration"),
            ("run spec.yaml --if-locked wait=5", "such as 30m, 2h, or 1h30m"),
            (
                "migrate store.sqlite --to model.yaml --dry-run --if-locked wait=1h",
                "--dry-run does not wait, so --if-locked has no effect"
            ),
            (
                "run spec.yaml --allow-rejects few",
                "a number such as 100, or a percentage such as 5%"
            ),
            ("status spec.yaml --max-age day", "such as 30m, 2h, or 1h30m"),
        ])
    func usage(_ arguments: String, _ words: String) throws {
        let folder = try FailureFolder()
        let result = try folder.shell("exec \"$E\" \(arguments)")
        #expect(result.status == 64)
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test("73: the folder of --report does not exist, and the run does nothing")
    func reportFolder() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        let result = try folder.run("--report there/report.json")
        #expect(result.status == 73)
        #expect(
            result.errors == """
                error: The folder there of --report does not exist [report.folder]
                  fix: make it, or name another file

                """)
        #expect(!folder.names().contains("store.sqlite"))
        #expect(!folder.names().contains("there"))
    }

    @Test("report and replay accept the names that their folders show")
    func names() throws {
        let folder = try FailureFolder()
        try folder.write("tasks.ndjson", "{\"id\":1}\n{\"id\":\"x\"}\n")
        #expect(try folder.run("--allow-rejects 1").status == 0)
        let run = try #require(folder.names("rejects").first)
        for name in [run, String(run.dropFirst("spec-".count))] {
            let shown = try folder.shell("exec \"$E\" report \(name)")
            #expect(shown.output.hasPrefix("spec: exit 0 OK."), "\(shown.errors)")
        }
        let spec = try folder.shell("exec \"$E\" replay spec.yaml")
        #expect(spec.status == 65)
        #expect(spec.errors.contains("1 of 1 record is rejected again"), "\(spec.errors)")
        try folder.shell("sed -i 's/\"x\"/2/' rejects/\(run)/*.ndjson")
        #expect(try folder.shell("exec \"$E\" replay spec.yaml").status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "2\n")
        #expect(try folder.shell("exec \"$E\" replay \(run)").status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "2\n")
    }

    @Test("check and test accept models among specs and report their faults")
    func models() throws {
        let folder = try FailureFolder()
        #expect(try folder.shell("exec \"$E\" check *.yaml").errors == "")
        #expect(try folder.shell("exec \"$E\" test *.yaml").status == 64)
        let told = try folder.shell("exec \"$E\" test -v *.yaml").errors
        #expect(
            told
                == "model.yaml: a model, which has no tests\n"
                + "spec.yaml has no tests; write some under `tests`\n")
        let alone = try folder.shell("exec \"$E\" check model.yaml")
        #expect(alone.status == 78)
        #expect(alone.errors.contains("This file is a model, and no spec"))
        try folder.write("other.yaml", "model: 1\nentities: { A: { attributes: { x: Strin } } }\n")
        let wrong = try folder.shell("exec \"$E\" check *.yaml")
        #expect(wrong.status == 78)
        #expect(wrong.errors.hasPrefix("other.yaml:2:"))
    }

    @Test("plan warns of a running run, counts on a copy, and reports the end of its time")
    func plan() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(2000)
        #expect(try folder.run().status == 0)
        let result = try folder.shell(
            """
            mkfifo in.fifo
            "$E" run spec.yaml --set in=in.fifo --set out=other.csv & run=$!
            exec 3> in.fifo
            while ! grep -q pid store.sqlite.etl-lock 2> /dev/null; do sleep 0.05; done
            "$E" plan spec.yaml -v; echo "status $?"
            exec 3>&-
            wait $run
            """)
        #expect(result.output == "No changes\nstatus 0\n")
        #expect(
            result.errors.contains(
                "warning: Another run uses store.sqlite: pid "), "\(result.errors)")
        #expect(result.errors.contains("\nwould import tasks: 2,000 read, 2,000 unchanged ("))
        let stopped = try folder.shell(
            """
            mkfifo again.fifo
            "$E" plan spec.yaml --set in=again.fifo --timeout 1s & run=$!
            exec 3<> again.fifo
            wait $run; echo "status $?"
            """)
        #expect(stopped.output == "status 75\n")
        #expect(
            stopped.errors == """
                note: The time limit is reached; nothing was changed, and what would change is not \
                known [run.time-limit]
                  fix: plan again, with more time

                """)
    }

    @Test("messages show paths without `..`")
    func paths() throws {
        let folder = try FailureFolder()
        try folder.shell("mkdir specs; mv spec.yaml model.yaml specs")
        let text = folder.text("specs/spec.yaml")
        try folder.write(
            "specs/spec.yaml", text.replacing("default: tasks", with: "default: ../data/tasks"))
        let result = try folder.run(spec: "specs/spec.yaml")
        #expect(result.status == 66)
        #expect(result.errors.hasPrefix("data/tasks.ndjson: error: The file does not exist ["))
    }
}
