import Foundation
import Testing

/// Commands of a spec under the built `etl`: what starts them, and that none outlives it.
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

    @Test("check starts nothing; plan and preview start the commands of imports alone")
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

    @Test("--no-commands refuses what would start one", arguments: ["run", "plan", "preview"])
    func noCommands(_ verb: String) throws {
        let folder = try folder(Self.import_)
        let result = try folder.shell("exec \"$E\" \(verb) --no-commands spec.yaml")
        #expect(result.status == 78)
        #expect(
            result.errors.hasSuffix(
                """
                spec.yaml:11:20: error: `--no-commands` refuses the command of 'tasks' [command.refused]
                  in: stages[0].read.command
                  fix: read or write a file, or run it without `--no-commands`

                """), "\(result.errors)")
        #expect(!folder.names().contains("started"))
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

    @Test("an export whose command does not read ends with the time limit, and the command first")
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
