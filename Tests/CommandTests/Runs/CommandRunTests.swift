import Foundation
import Testing

/// Commands of a spec under the built `etl`: when they start, and that none outlives the run.
@Suite("Commands of a run", .serialized)
struct CommandRunTests {
    private static let import_ = """
        - import: tasks
          read: { command: [sh, -c, "echo started >> started; cat tasks.ndjson"], as: ndjson }
          into: Task
        """

    private static let export = """
        - { export: Task, to: { command: [sh, -c, "echo written >> written; cat > out.csv"] }, as: csv }
        """

    private func folder(_ stages: String) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeTasks(5)
        try folder.writeSpec("spec.yaml", stages)
        return folder
    }

    @Test("check starts no command; plan and preview start only the commands of imports")
    func whatStarts() throws {
        let folder = try folder(Self.import_ + "\n" + Self.export)
        #expect(try folder.shell("exec \"$E\" check spec.yaml").status == 0)
        #expect(!folder.names().contains("started"))
        #expect(try folder.shell("exec \"$E\" plan spec.yaml").status == 0)
        #expect(folder.text("started") == "started\n")
        let preview = try folder.shell("exec \"$E\" preview spec.yaml")
        #expect(preview.status == 0, "\(preview.errors)")
        #expect(preview.output.split(separator: "\n").count == 5)
        #expect(folder.text("started") == "started\nstarted\n")
        #expect(!folder.names().contains("written"))
        #expect(try folder.shell("exec \"$E\" run spec.yaml").status == 0)
        #expect(folder.text("written") == "written\n")
        #expect(folder.text("out.csv").split(separator: "\n").count == 6)
    }

    @Test(
        "--no-commands fails for an import that reads from a command",
        arguments: ["run", "plan", "preview"])
    func noCommands(_ verb: String) throws {
        let folder = try folder(Self.import_)
        let result = try folder.shell("exec \"$E\" \(verb) --no-commands spec.yaml")
        #expect(result.status == 78)
        #expect(
            result.errors.hasSuffix(
                """
                spec.yaml:11:20: error: `--no-commands` does not allow the command of 'tasks' [command.refused]
                  in: stages[0].read.command
                  fix: read or write a file, or run it without `--no-commands`

                """), "\(result.errors)")
        #expect(!folder.names().contains("started"))
    }

    @Test("Ctrl-C exits with 130, even if it ends the command of an import first")
    func interrupted() throws {
        let folder = try folder(
            """
            - import: tasks
              read: { command: [sh, -c, "cat tasks.ndjson; kill -INT $$"], as: ndjson }
              into: Task
            """)
        // If only the command gets the signal, its end is a failure of the command.
        let alone = try folder.shell("exec \"$E\" run spec.yaml")
        #expect(alone.status == 65)
        #expect(alone.errors.contains("by signal 2"), "\(alone.errors)")
        try folder.writeSpec(
            "spec.yaml",
            """
            - import: tasks
              read: { command: [sh, -c, "cat tasks.ndjson; kill -INT $PPID; kill -INT $$"], as: ndjson }
              into: Task
            """)
        let both = try folder.shell("exec \"$E\" run spec.yaml --restart")
        #expect(both.status == 130, "\(both)")
    }

    @Test("shows a command's lines that end in CR LF, but not lines that a CR overwrites")
    func returns() throws {
        let folder = try folder(
            """
            - import: tasks
              read: { command: [sh, -c, "printf '1%%\\r2%%\\r\\nfatal: no disk\\r\\n' >&2; exit 3"], as: ndjson }
              into: Task
            """)
        let result = try folder.shell("exec \"$E\" run spec.yaml")
        #expect(result.status == 65)
        #expect(result.errors.contains("2%"), "\(result.errors)")
        #expect(!result.errors.contains("note: 1%"))
        #expect(result.errors.contains("fatal: no disk"))
    }

    @Test("--report cannot overwrite a part or the manifest of an export")
    func reportOverPart() throws {
        let folder = try folder(
            "- { export: Task, to: q.csv, parts: 2 }")
        for name in ["q-001-of-002.csv", "q.manifest.json"] {
            let result = try folder.shell("exec \"$E\" run spec.yaml --report \(name)")
            #expect(result.status == 64)
            #expect(
                result.errors.contains("\(name) is written by the run itself, too"),
                "\(result.errors)")
        }
    }

    @Test("parts cannot go to standard output, even if a parameter names it")
    func partsToStandardOutput() throws {
        let folder = try FailureFolder()
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            params: { o: path }
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { export: Task, to: "${o}", as: csv, parts: 2 }
            """)
        let result = try folder.shell("exec \"$E\" run spec.yaml --set o=-")
        #expect(result.status == 78)
        #expect(
            result.errors.contains("Parts are files, but '-' is standard output"),
            "\(result.errors)")
    }

    @Test(
        "a signal, a time limit, or a second signal ends the command with the run",
        arguments: [
            ("kill -TERM $run; wait $run", 143),
            ("kill -INT $run; sleep 1.2; kill -INT $run; wait $run", 130),
            ("wait $run", 75),
        ])
    func endsWithTheRun(_ script: String, _ status: Int) throws {
        let folder = try FailureFolder()
        try folder.writeSpec(
            "spec.yaml",
            """
            - import: tasks
              read: { command: [sh, -c, "sleep 1000 & echo $! > pid; wait"], as: ndjson }
              into: Task
            """)
        let limit = status == 75 ? "--timeout 1s" : ""
        let result = try folder.shell(
            """
            setsid \(InheritedSignal.byDefault.starter("INT")) "$E" run spec.yaml \(limit) & run=$!
            until [ -s pid ]; do sleep 0.05; done
            \(script); echo "status $?"
            sleep 0.3
            kill -0 $(cat pid) 2>/dev/null && ! grep -q ') Z ' /proc/$(cat pid)/stat && echo alive
            true
            """)
        #expect(result.output == "status \(status)\n", "\(result.errors)")
    }

    @Test("the time limit ends a stuck export, whose command never sees the end of its input")
    func stuckExport() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(20_000)
        try folder.writeSpec(
            "spec.yaml",
            """
            - { import: tasks.ndjson, into: Task }
            - export: Task
              to: { command: [sh, -c, "echo $$ > pid; sleep 1000; cat > whole"] }
              as: csv
            """)
        #expect(try folder.shell("exec \"$E\" run spec.yaml --only import-tasks").status == 0)
        let result = try folder.shell("exec \"$E\" run spec.yaml --only export-task --timeout 2s")
        #expect(result.status == 75, "\(result.errors)")
        #expect(!folder.names().contains("whole"))
        #expect(try folder.shell("kill -0 $(cat pid)").status != 0)
    }
}
