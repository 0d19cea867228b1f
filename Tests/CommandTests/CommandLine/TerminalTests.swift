import Foundation
import Testing

/// The output of commands on terminals of various widths.
///
/// Lines break at words, and paths are shown as a user would type them.
@Suite("On a terminal") struct TerminalTests {
    /// A script that runs a command on a pseudo-terminal and prints the output.
    private static let script = """
        import fcntl, os, pty, struct, subprocess, sys, termios
        controller, terminal = pty.openpty()
        size = struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        environment = dict(os.environ, TERM="xterm")
        environment["NO_COLOR"] = os.environ.get("PLAIN", "1")
        environment.pop("COLUMNS", None)
        run = subprocess.Popen(
            [os.environ["E"]] + sys.argv[2:], stdin=subprocess.DEVNULL, stdout=terminal,
            stderr=terminal, env=environment)
        os.close(terminal)
        text = b""
        try:
            while True: text += os.read(controller, 4096)
        except OSError:
            pass
        run.wait()
        print(text.decode().replace("\\r\\n", "\\n"), end="")
        """

    private func folder() throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("terminal.py", Self.script)
        try folder.writeTasks(2)
        return folder
    }

    private func show(
        _ folder: FailureFolder, columns: Int, _ arguments: String, in place: String = "."
    ) throws -> String {
        try folder.shell(
            "cd \(place) && exec python3 \"$OLDPWD/terminal.py\" \(columns) \(arguments)"
        )
        .output
    }

    @Test("severities and counts have colors, unless NO_COLOR is set")
    func colors() throws {
        let folder = try folder()
        try folder.write("a.csv", "id,name\n1,a\n2,b\n2,b\nx\n")
        let shown = try folder.shell(
            "PLAIN= exec python3 terminal.py 200 import a.csv --into s.sqlite --allow-rejects 1"
        ).output
        #expect(
            shown.replacing("\u{1B}", with: "^").replacing(#/import-a-[-\w]+/#, with: "RUN") == """
                A from a.csv: key id; name String
                a.csv:4:1: ^[1;33mwarning:^[0m 1 record repeats another one exactly and becomes the same object [infer.repeated-record]
                  in: record 3, byte 16
                  fix: if each one is a separate object, add a column that distinguishes them
                Imported into s.sqlite (new): 4 read, ^[32m2 inserted^[0m, ^[33m1 superseded^[0m, ^[31m1 rejected^[0m
                Rejected records are in rejects/RUN
                Next: etl fetch s.sqlite A

                """)
        // The line of a stage, and an error.
        try folder.writeSpec("spec.yaml", "- { import: tasks.ndjson, into: Task, key: id }")
        let lines = try folder.shell("PLAIN= exec python3 terminal.py 200 run spec.yaml").output
            .replacing("\u{1B}", with: "^").split(separator: "\n")
        #expect(
            lines.contains {
                $0.hasPrefix("import import-tasks: 2 read, ^[32m2 inserted^[0m (")
            }, "\(lines)")
        #expect(
            try folder.shell("PLAIN= exec python3 terminal.py 200 run none.yaml").output
                .hasPrefix("none.yaml: \u{1B}[1;31merror:\u{1B}[0m "))
    }

    @Test("messages wrap at words, but excerpts do not wrap")
    func wraps() throws {
        let folder = try folder()
        try folder.writeSpec(
            "spec.yaml",
            """
            - { import: tasks.ndjson, ino: Task }
            - { delete: Task, where: "title == 'a' AND size > 3 AND owner.name == 'somebody' AND nam == 'x'" }
            """)
        #expect(
            try show(folder, columns: 60, "check spec.yaml") == """
                spec.yaml:10:27: error: The key 'ino' is unknown here. Did
                  you mean 'into'? [spec.unknown-key]
                  in: stages[0].ino
                spec.yaml:11:26: error: 'Task' has no property 'nam'
                  [predicate.unknown-key]
                  title == 'a' AND size > 3 AND owner.name == 'somebody' AND nam == 'x'
                                                                             ^
                  in: stages[1].where

                """)
        // Without a terminal, a message is one line.
        #expect(
            try folder.shell("exec \"$E\" check spec.yaml").errors.hasPrefix(
                "spec.yaml:10:27: error: The key 'ino' is unknown here. Did you mean 'into'? [spec."
            ))
    }

    @Test("a long value in a table continues below its start")
    func tables() throws {
        let folder = try folder()
        try folder.shell("exec \"$E\" run spec.yaml")
        let text = try show(folder, columns: 50, "status spec.yaml")
            .replacing(#/\d{8}T\d{6}Z-\d+/#, with: "20261126T043646Z-18583")
            .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, .* ago/#, with: "TIME")
        #expect(
            text.hasPrefix(
                """
                pipeline      spec
                last run      20261126T043646Z-18583, exit 0 OK,
                              ended
                """), "\(text)")
    }

    @Test("help and explanations wrap at words", arguments: [40, 60, 100])
    func help(_ columns: Int) throws {
        let folder = try folder()
        for arguments in [
            "run --help", "import --help", "history --help", "verify --help", "--help",
            "explain run",
            "explain", "run",
        ] {
            let text = try show(folder, columns: columns, arguments)
            #expect(text.count > 50)
            #expect(Self.longLines(text, columns) == [], "\(arguments)")
        }
    }

    /// Returns the lines that are wider than the terminal and could break at a word.
    private static func longLines(_ text: String, _ columns: Int) -> [Substring] {
        text.split(separator: "\n").filter { line in
            line.count > columns && line.drop { $0 == " " }.contains(" ")
        }
    }

    @Test("help in a pager has the width of a narrow terminal, and 80 columns on a wide one")
    func pagedHelp() throws {
        let folder = try folder()
        func paged(_ columns: Int) throws -> String {
            try folder.shell(
                """
                ETL=$E; export ETL
                E=/bin/sh python3 terminal.py \(columns) -c '"$ETL" run --help | cat >&2'
                """
            ).output
        }
        let narrow = try paged(50)
        #expect(narrow.hasPrefix("OVERVIEW: "))
        #expect(Self.longLines(narrow, 50) == [])
        let wide = try paged(120)
        #expect(Self.longLines(wide, 80) == [])
        #expect(wide == (try folder.shell("exec \"$E\" run --help").output))
    }

    @Test("messages shorten paths below the current folder, and JSON keeps them complete")
    func paths() throws {
        let folder = try folder()
        try folder.shell("mkdir sub")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
            - { import: tasks.ndjson, into: Task }
            """)
        try folder.write("tasks.ndjson", "{\"id\":1,\"title\":\"a\"}\n{\"id\":\"x\"}\n")
        let whole = try folder.shell("pwd -P").output.dropLast()
        let arguments = "run \(whole)/spec.yaml --restart --progress never"
        func plain(_ text: String) -> String {
            text.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN").replacing(
                #/\([\d.e-]+ s\)/#, with: "(S)")
        }
        let shown = """
            import import-tasks: 2 read, 1 inserted, 1 rejected; failed (S)
              rejects: rejects/spec-RUN
            tasks.ndjson:2:8: error: 'id' takes a whole number that fits Integer 32, not 'x' [cast]
              in: record 2, field 'id', byte 28
              stage: spec.yaml:4:3 import import-tasks
            error: 1 of 2 records was rejected; none is allowed [rejects.too-many]
              stage: spec.yaml:4:3 import import-tasks
              fix: correct the records in rejects/spec-RUN, or raise `rejects.allow`

            """
        #expect(try plain(show(folder, columns: 200, arguments)) == shown)
        // From another folder, no path is shortened.
        let elsewhere = try plain(show(folder, columns: 400, arguments, in: "sub"))
        #expect(elsewhere.contains("  rejects: \(whole)/rejects/spec-RUN\n"), "\(elsewhere)")
        #expect(elsewhere.contains("  stage: \(whole)/spec.yaml:4:3 import import-tasks\n"))
        let report = try show(folder, columns: 400, "report spec.yaml")
        #expect(report.contains("  store   store.sqlite\n"), "\(report)")
        #expect(report.contains("\n  in rejects/spec-"))
        #expect(
            try folder.shell("exec \"$E\" report spec.yaml").output.contains(
                "  store   store.sqlite\n"))
        let json = try show(folder, columns: 60, "\(arguments) --log-format json")
        #expect(json.contains("\"file\":\"\(whole)/tasks.ndjson\""), "\(json)")
        // Each object is one line, however narrow the terminal is.
        #expect(
            try RunLogTests.records(json).map { $0["code"] as? String }
                == ["run.stage", "cast", "rejects.too-many"])
    }
}
