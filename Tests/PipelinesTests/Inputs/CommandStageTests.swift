import Diagnostics
import Foundation
import TestThreads
import Testing

@testable import Pipelines

/// Commands that write the input of imports or read the output of exports.
@Suite("Commands as inputs and outputs", .serialized, OwnThread())
struct CommandStageTests {
    init() {
        // As in the command: if the reader closes the pipe, writing fails with an error.
        signal(SIGPIPE, SIG_IGN)
    }

    static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: Integer 64, optional: false }, title: String }
            unique: [[id]]
        """

    private func rows(_ folder: Workspace) throws -> [String] {
        try folder.rows("SELECT ZID, ZTITLE FROM ZTASK ORDER BY ZID")
    }

    private func lines(_ ids: some Sequence<Int>) -> String {
        ids.map { "{\"id\":\($0),\"title\":\"t\($0)\"}\n" }.joined()
    }

    // MARK: Inputs

    @Test(
        "an import reads the output of a command that runs in the spec's folder with its variables")
    func reads() throws {
        let folder = try Workspace()
        try folder.write("in/keep", "")
        try folder.writeGzip("in/a.csv.gz", "id,title\n1,a\n2,b c\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read:
                command: [sh, -c, 'gzip -dc "$1"; echo 3,$TITLE', x, "${file}"]
                env: { TITLE: "${title}" }
                as: csv
              into: Task
            """, top: "params: { file: { type: string }, title: { type: string, default: d } }",
            sets: ["file=in/a.csv.gz", "title=x"])
        #expect(run.text == "")
        #expect(run.warningText == "")
        #expect(run.lines == ["import tasks: 3 read, 3 inserted"])
        #expect(try rows(folder) == ["1|a", "2|b c", "3|x"])
        let report = try #require(folder.names("runs").first { $0.hasSuffix(".json") })
        #expect(try folder.text("runs/\(report)").contains("command:sh -c "))
    }

    @Test("detects the format of a command's output by its first byte, and gzip by two bytes")
    func formats() throws {
        let folder = try Workspace()
        try folder.writeGzip("a.csv.gz", lines(1...2))
        let run = try folder.run(
            model: Self.model,
            """
            - { import: tasks, read: { command: [cat, a.csv.gz] }, into: Task }
            """)
        #expect(run.text == "")
        #expect(try rows(folder) == ["1|t1", "2|t2"])
    }

    @Test("a command that fails after its records ends the run with 65 and shows its stderr")
    func fails() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...3))
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { command: [sh, -c, "cat a.ndjson; echo no more >&2; exit 4"], as: ndjson }
              into: Task
            """)
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                command:sh -c 'cat a.ndjson; echo no more >&2; exit 4': error: The command ended with \
                exit code 4 (no more); its output may be incomplete [command.failed]
                  stage: spec.yaml:5:3 import tasks
                  fix: run it by hand in the spec's folder; the records before its end were kept
                """)
        #expect(
            run.warningText == """
                command:sh -c 'cat a.ndjson; echo no more >&2; exit 4': note: no more [command.says]
                """)
        #expect(try rows(folder) == ["1|t1", "2|t2", "3|t3"])
    }

    @Test("a command that cannot be started ends the run with 66")
    func notStarted() throws {
        let folder = try Workspace()
        let run = try folder.run(
            model: Self.model,
            "- { import: tasks, read: { command: [./no-such, x], as: csv }, into: Task }")
        #expect(run.status == .noInput)
        #expect(
            run.text == """
                command:./no-such x: error: The command cannot be started: there is no program of \
                that name that this user may run [command.not-started]
                  stage: spec.yaml:5:3 import tasks
                  fix: install the program, or name it by its path; a relative one starts at the spec's \
                folder
                """)
    }

    @Test("a run that has enough records stops the command, and ignores its exit status")
    func endsEarly() throws {
        let folder = try Workspace()
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: tasks
                read:
                  command: [sh, gen.sh]
                  as: ndjson
                into: Task
            """)
        try folder.write("model.yaml", Self.model)
        try folder.write("gen.sh", "seq 1 1000000000 | sed 's/.*/{\"id\":&}/'\n")
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.recordsMax = 5
        let outcome = PipelineRunner(options: options).run(folder.path("spec.yaml"))
        #expect(outcome.diagnostics.map(DiagnosticRenderer.text) == [])
        #expect(try rows(folder).count == 5)
    }

    @Test("reject files are named after the program, and a replay does not run the command")
    func rejects() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...2) + "{\"id\":\"x\"}\n")
        let run = try folder.run(
            model: Self.model,
            "- { import: tasks, read: { command: [/bin/cat, a.ndjson], as: ndjson }, into: Task }",
            top: "rejects: { allow: 1 }")
        #expect(run.text == "")
        #expect(try folder.rejects().keys.sorted() == ["tasks.cat", "tasks.cat.why.ndjson"])
        #expect(
            try folder.rejects()["tasks.cat.why.ndjson"]?.contains(
                "\"file\":\"command:/bin/cat a.ndjson\"") == true)
        let reject = try #require(folder.names("rejects").first)
        try folder.write("rejects/\(reject)/tasks.cat", lines(7...7))
        try FileManager.default.removeItem(atPath: folder.path("a.ndjson"))
        let again = ReplayTests.replay(folder, "rejects/\(reject)")
        #expect(again.lines == ["import tasks: 1 read, 1 inserted"], "\(again.text)")
    }

    @Test("an interrupted append skips saved records if the command writes the same output again")
    func resumes() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...20))
        // The first time, it fails after 20 records.
        try folder.write("read.sh", "cat a.ndjson; test -e again && cat b.ndjson || exit 1")
        try folder.write("b.ndjson", lines(21...25))
        let stage = """
            - import: tasks
              read: { command: [sh, read.sh], as: ndjson }
              into: Task
              when-found: append
            """
        let first = try folder.run(
            model: Self.model, stage, top: "budget: { save-every: 10 }")
        #expect(first.status == .dataError)
        #expect(try rows(folder).count == 20)
        try folder.write("again", "")
        let second = try folder.run(
            model: Self.model, stage, top: "budget: { save-every: 10 }")
        #expect(second.text == "")
        #expect(try rows(folder).count == 25)
    }

    @Test("an interrupted append fails and inserts nothing if the command's output has changed")
    func resumesOther() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...20))
        let stage = """
            - import: tasks
              read: { command: [sh, -c, "cat a.ndjson; test -e again"], as: ndjson }
              into: Task
              when-found: append
            """
        let first = try folder.run(model: Self.model, stage, top: "budget: { save-every: 10 }")
        #expect(first.status == .dataError)
        try folder.write("again", "")
        try folder.write("a.ndjson", lines(101...120))
        let second = try folder.run(model: Self.model, stage, top: "budget: { save-every: 10 }")
        #expect(second.status == .dataError)
        #expect(
            second.text.contains(
                "the command `sh -c 'cat a.ndjson; test -e again'` has changed"),
            "\(second.text)")
        #expect(try rows(folder).count == 20)
    }

    // MARK: Outputs

    @Test("an export writes to the standard input of a command")
    func writes() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...3))
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: Task }
            - export: Task
              to: { command: [sh, -c, 'cat > "$OUT"; echo got it >&2'], env: { OUT: out file.csv } }
              as: csv
            - { export: second, entity: Task, to: { command: [dd, of=b.gz] }, as: csv, compression: gzip }
            """)
        #expect(run.text == "")
        #expect(run.warningText.contains("note: got it [command.says]"))
        #expect(
            run.lines.dropFirst() == [
                "export export-task: 3 rows to command:sh -c 'cat > \"$OUT\"; echo got it >&2'",
                "export second: 3 rows to command:dd of=b.gz",
            ])
        #expect(try folder.text("out file.csv") == "id,title\n1,t1\n2,t2\n3,t3\n")
        #expect(try folder.bytes("b.gz").starts(with: [0x1F, 0x8B]))
    }

    @Test(
        "a command that does not read the export ends the run with 74",
        arguments: [("exit 3", 3, 3), ("cat > /dev/null; exit 5", 3, 5), ("exit 3", 20_000, 3)])
    func refuses(_ script: String, _ count: Int, _ code: Int) throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...count))
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: Task }
            - { export: Task, to: { command: [sh, -c, "\(script)"] }, as: csv }
            """)
        #expect(run.status == .ioError)
        #expect(
            run.text == """
                command:sh -c '\(script)': error: The command ended with exit code \(code); what \
                it did with the export is not known [command.failed]
                  stage: spec.yaml:6:3 export export-task
                  fix: run it by hand in the spec's folder; the next run exports again
                """)
    }

    @Test("an export command that cannot be started ends the run with 66")
    func outputNotStarted() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", lines(1...3))
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: Task }
            - { export: Task, to: { command: [no-such-program] }, as: csv }
            """)
        #expect(run.status == .noInput)
        #expect(run.text.contains("[command.not-started]"))
    }

    // MARK: Checks

    @Test("check validates the command keys of a spec without starting a command")
    func lints() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        #expect(
            try folder.check(
                """
                etl: 1
                params: { token: { type: secret, from: env:TOKEN } }
                store: { at: s.sqlite, model: model.yaml, open: create, commit: run }
                stages:
                  - { import: a, read: { command: [curl, "-Hx: ${token}"], as: csv, once: true }, into: Task }
                  - { import: b, read: { command: [cat], files: a.csv, min-files: 2 }, into: Task }
                  - { import: c, read: { command: [] }, into: Task }
                  - { import: d, read: { command: ["zstd -dc a.zst"] }, into: Task }
                  - { import: e, read: { command: cat }, into: Task }
                  - { import: f, read: { files: a.csv, env: { A: b } }, into: Task }
                  - { import: g, read: { command: [cat], env: { "1A": b } }, into: Task }
                  - { export: Task, to: { command: [cat] } }
                  - { export: h, entity: Task, to: { command: [cat] }, as: csv, manifest: true }
                """) == """
                    spec.yaml:5:42: error: 'token' is a secret, and every user of the machine can \
                    read the words of a command [spec.command-secret]
                      in: stages[0].read.command[1]
                      fix: pass it in a variable: `env: { TOKEN: "${token}" }`
                    spec.yaml:5:75: error: A command's output cannot be identified in a later \
                    run, so 'once' has no effect [spec.rule]
                      in: stages[0].read.once
                    spec.yaml:6:49: error: 'command' supplies the input, so 'files' has no \
                    effect [spec.rule]
                      in: stages[1].read.files
                      fix: remove one of the two
                    spec.yaml:6:67: error: 'command' supplies the input, so 'min-files' has no \
                    effect [spec.rule]
                      in: stages[1].read.min-files
                      fix: remove one of the two
                    spec.yaml:7:35: error: 'command' names no program [spec.type]
                      in: stages[2].read.command
                    spec.yaml:8:36: error: No program is named 'zstd -dc a.zst'; a command is a \
                    list of words [spec.command]
                      in: stages[3].read.command[0]
                      fix: write [zstd, -dc, a.zst], or [sh, -c, "zstd -dc a.zst"] for a shell
                    spec.yaml:9:35: error: 'command' must be a list, not the text 'cat' [spec.type]
                      in: stages[4].read.command
                    spec.yaml:10:40: error: The key 'env' is unknown here [spec.unknown-key]
                      in: stages[5].read.env
                    spec.yaml:11:55: error: '1A' is not a valid name of a variable [spec.name]
                      in: stages[6].read.env.1A
                    spec.yaml:12:25: error: The format of the command's input is not set \
                    [spec.format]
                      in: stages[7].to
                      fix: add `as:` with csv, tsv, json, or ndjson next to `to`
                    spec.yaml:12:36: error: With `store.commit: run` a failed run must publish \
                    nothing, but data that a command has read cannot be undone [spec.command-output]
                      in: stages[7].to.command
                      fix: export to a file, or in a separate spec that runs after this one
                    spec.yaml:13:47: error: With `store.commit: run` a failed run must publish \
                    nothing, but data that a command has read cannot be undone [spec.command-output]
                      in: stages[8].to.command
                      fix: export to a file, or in a separate spec that runs after this one
                    spec.yaml:13:75: error: A manifest is written next to a file, but a command \
                    reads this export [spec.rule]
                      in: stages[8].manifest
                    """)
    }

    @Test("tests of a spec start no command")
    func tests() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: s.sqlite, model: model.yaml, open: create }
            stages:
              - { import: tasks, read: { command: [touch, started] }, into: Task }
              - { export: Task, to: { command: [touch, written] }, as: csv }
            tests:
              - name: one
                given: { tasks: [{ id: 1, title: a }] }
                then: { Task: [{ id: 1, title: a }] }
            """)
        let outcome = SpecificationTester(
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder)
        ).run(folder.path("spec.yaml"))
        #expect(outcome.status == .ok)
        #expect(!folder.exists("started"))
        #expect(!folder.exists("written"))
    }
}
