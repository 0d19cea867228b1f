import Foundation
import Testing

/// The output of the command, and its destination; no output without a terminal.
@Suite("Failures: output", .serialized)
struct FailureOutputTests {
    @Test(
        "a successful run prints nothing, however it is started",
        arguments: [
            "exec \"$E\" run spec.yaml",
            "exec \"$E\" run spec.yaml < /dev/null > /dev/null",
            "exec \"$E\" run spec.yaml <&-", "exec \"$E\" run spec.yaml >&-",
            "exec \"$E\" run spec.yaml 2>&-", "exec \"$E\" run spec.yaml <&- >&- 2>&-",
            "exec env -i \"$E\" run spec.yaml",
            "d=\"$PWD\"; cd /; exec \"$E\" run \"$d/spec.yaml\"",
            "exec \"$E\" run ./spec.yaml -q", "exec \"$E\" run spec.yaml --progress never",
            "exec \"$E\" check spec.yaml && false || true", "exec setsid \"$E\" run spec.yaml",
        ])
    func silence(_ script: String) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(100)
        let result = try folder.shell(script)
        #expect(result.status == 0)
        #expect(result.output == "")
        #expect(result.errors == "")
        guard !script.contains("check") else { return }
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "100\n")
        #expect(folder.text("out.csv").split(separator: "\n").count == 101)
        #expect(folder.text("store.sqlite.etl-lock") == "")
    }

    @Test("with stderr closed, messages are not written to a file that reuses its descriptor")
    func closedErrors() throws {
        let folder = try FailureFolder()
        try folder.write("tasks.ndjson", "{\"id\":1}\nnonsense\n")
        #expect(try folder.shell("exec \"$E\" run spec.yaml -v <&- >&- 2>&-").status == 65)
        #expect(folder.text("store.sqlite.etl-lock") == "")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "1\n")
    }

    @Test("-v prints one line per stage to stderr")
    func verbose() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(100)
        let result = try folder.run("-v")
        #expect(result.output == "")
        let lines = result.errors.split(separator: "\n").map { $0.prefix { $0 != "(" } }
        #expect(
            lines == [
                "import tasks: 100 read, 100 inserted, 109 link targets created ",
                "export export-task: 100 rows to out.csv ",
            ])
    }

    @Test("`-` in a spec reads stdin and writes stdout")
    func streams() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(100)
        let result = try folder.shell(
            "sed s/csv/ndjson/ spec.yaml > other.yaml\n"
                + "cat tasks.ndjson | \"$E\" run spec.yaml -v --set in=-; exec \"$E\" run spec.yaml "
                + "--set in=tasks.ndjson")
        #expect(result.status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "100\n")
        try folder.writeSpec("out.yaml", "- { export: Person, to: \"-\", as: csv }")
        let output = try folder.run("-v", spec: "out.yaml")
        #expect(output.status == 0)
        #expect(output.output.hasPrefix("name,tasks\np0,0|97\np1,1|98\np10,10\n"))
        #expect(output.output.split(separator: "\n").count == 98)
        let gone = try folder.shell("exec \"$E\" run out.yaml >&-")
        #expect(gone.status == 74)
        // If the output cannot be written, the command exits with 74.
        #expect(try folder.shell("exec \"$E\" run out.yaml > /dev/full").status == 74)
    }

    @Test(
        "74: stdout cannot be written",
        arguments: [
            "infer tasks.ndjson", "schema", "schema model", "status spec.yaml",
            "status spec.yaml --format json", "report spec.yaml", "report spec.yaml --format json",
            "explain", "explain 65", "plan spec.yaml --set in=tasks.ndjson",
            "run spec.yaml --dry-run --set in=tasks.ndjson", "verify store.sqlite --json",
            "model show store.sqlite", "model diagram store.sqlite", "help", "--help",
            "run --help", "--version", "--generate-completion-script bash",
            "import tasks.ndjson --into other.sqlite --dry-run",
        ])
    func fullOutput(_ command: String) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(100)
        #expect(try folder.run("--set in=tasks.ndjson").status == 0)
        try folder.writeTasks(120)
        let result = try folder.shell("exec \"$E\" \(command) > /dev/full")
        #expect(result.status == 74)
        #expect(
            result.errors.hasSuffix(
                """
                error: stdout cannot be written: No space left on device [output.not-written]
                  fix: check the free space

                """), "\(result.errors)")
        // A reader that closes the pipe needs no more.
        let closed = try folder.shell(
            "{ \"$E\" \(command); echo $? > status; } | true; cat status")
        #expect(["0\n", "141\n"].contains(closed.output))
    }

    @Test("74: stdin is closed and cannot be read")
    func closedInput() throws {
        let folder = try FailureFolder()
        #expect(try folder.shell("exec \"$E\" run spec.yaml --set in=- <&-").status == 74)
    }

    @Test("shows bytes and rows per second on a terminal or with --progress always")
    func progress() throws {
        let folder = try FailureFolder()
        // No progress is shown in the first half second.
        try folder.writeTasks(120_000)
        let always = try folder.run("--progress always")
        #expect(always.output == "")
        #expect(always.errors.contains("\rimport tasks ["))
        #expect(always.errors.contains(" rows/s"))
        #expect(always.errors.contains(" kB"))
        #expect(always.errors.hasSuffix("\r\u{1B}[K"))
        try folder.write(
            "terminal.py",
            """
            import os, pty, sys
            status = pty.spawn([os.environ["E"], "run", "spec.yaml"] + sys.argv[1:])
            sys.exit(os.waitstatus_to_exitcode(status))
            """)
        try folder.shell("rm -f store.sqlite*")
        // Colors would be inside the counts.
        let terminal = try folder.shell("NO_COLOR=1 exec python3 terminal.py")
        #expect(terminal.status == 0)
        #expect(terminal.output.contains("\rimport tasks ["))
        #expect(terminal.output.contains(" rows/s"))
        #expect(terminal.output.contains("import tasks: 120,000 read, 120,000 inserted"))
        let never = try folder.shell("exec python3 terminal.py --progress never")
        #expect(!never.output.contains("\u{1B}"))
        #expect(never.output.contains("import tasks: 120,000 read, 120,000 unchanged"))
        let quiet = try folder.shell("exec python3 terminal.py -q")
        #expect(quiet.output == "")
    }
}
