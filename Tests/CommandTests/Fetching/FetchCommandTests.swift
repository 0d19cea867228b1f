import Foundation
import Testing

@Suite("etl fetch") struct FetchCommandTests {
    private let workspace: Workspace
    private let store: String

    init() throws {
        workspace = try Workspace()
        try workspace.runSilently("import-tasks")
        store = workspace.path("out/tasks.sqlite")
    }

    private func fetch(_ arguments: String...) throws -> ToolResult {
        try Tool.etl(["fetch", store] + arguments)
    }

    @Test func listsTheEntitiesIfNoneIsGiven() throws {
        #expect(
            try fetch("--format", "table")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        entity    objects
                        --------  -------
                        Category        8
                        Tag            10
                        Task          240

                        """))
        #expect(
            try fetch()
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        {"entity":"Category","objects":8,"parent":null,"abstract":false}
                        {"entity":"Tag","objects":10,"parent":null,"abstract":false}
                        {"entity":"Task","objects":240,"parent":null,"abstract":false}

                        """))
    }

    @Test func groupsDigitsOfCountsOnlyInTables() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(1234)
        #expect(try folder.run().status == 0)
        #expect(
            try folder.shell("exec \"$E\" fetch store.sqlite --format table").output == """
                entity  objects
                ------  -------
                Person       97
                Tag          12
                Task      1,234

                """)
        #expect(
            try folder.shell("exec \"$E\" fetch store.sqlite --format csv").output.hasSuffix(
                "Task,1234,,false\n"))
        #expect(
            try folder.shell(
                "exec \"$E\" fetch store.sqlite Task --fields id --where 'id == 1233' --format table"
            ).output.hasSuffix("\n1233\n"))
    }

    @Test func printsTheRequestedRowsAndNothingOnStderr() throws {
        #expect(
            try fetch(
                "Category", "--where", "sortOrder > $n", "--set", "n=3", "--sort", "-name",
                "--limit", "2", "--fields", "name,sortOrder", "--format", "table")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        name         sortOrder
                        -----------  ---------
                        🏕️ Outdoors          8
                        לימודים              7

                        """))
        #expect(
            try fetch("Task", "--where", "isCompleted == YES", "--count")
                == ToolResult(status: 0, standardOutput: "120\n"))
        #expect(
            try fetch("Task", "--where", "title == 'no such'", "--fields", "id,title")
                == .silentSuccess)
        #expect(
            try fetch("Task", "--where", "title == 'no such'", "--fields", "id", "--format", "csv")
                == ToolResult(status: 0, standardOutput: "id\n"))
    }

    @Test func printsTheSameRowsAsAnExport() throws {
        let exported = try workspace.contents("out/tasks.ndjson.gz")
        #expect(try fetch("Task") == ToolResult(status: 0, standardOutput: exported))
    }

    // MARK: Exits

    @Test(arguments: [
        (
            ["Tsk"], 64,
            """
            ENTITY: error: The store has no entity 'Tsk'. Did you mean 'Task'? [query.unknown-entity]
              fix: `etl fetch STORE` lists the entities of a store

            """
        ),
        (
            ["Task", "--where", "isCompleted == NO AND prio > 1"], 64,
            """
            --where: error: 'Task' has no property 'prio' [predicate.unknown-key]
              isCompleted == NO AND prio > 1
                                    ^

            """
        ),
        (
            ["Task", "--where", "title == "], 64,
            """
            --where: error: A value is missing at the end [predicate.syntax]
              title == 
                       ^

            """
        ),
    ])
    func reportsQueryErrorsWithTheirPosition(
        arguments: [String], status: Int32, text: String
    ) throws {
        #expect(
            try Tool.etl(["fetch", store] + arguments)
                == ToolResult(status: status, standardError: text))
    }

    @Test(arguments: [
        (["--count"], "--count needs an ENTITY"),
        (["--where", "id == nil"], "--where needs an ENTITY"),
        (
            ["Task", "--count", "--limit", "3"],
            "--count prints only a number, so --limit has no effect"
        ),
        (["Task", "--limit", "-3"], "--limit is 0 or more"),
        (
            ["Task", "--format", "xml"],
            "Please provide one of 'table', 'ndjson' or 'csv' [usage.argument]"
        ),
    ])
    func rejectsContradictoryFlags(arguments: [String], text: String) throws {
        let result = try Tool.etl(["fetch", store] + arguments)
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.contains(text))
    }

    @Test func failsIfTheFileIsMissingOrNotAStore() throws {
        let folder = workspace.path("")
        #expect(
            try Tool.etl(["fetch", "none.sqlite"], in: folder)
                == ToolResult(
                    status: 66,
                    standardError: """
                        error: none.sqlite does not exist [store.missing]
                          fix: check the name; `etl import FILE --into none.sqlite` creates a store

                        """
                ))
        #expect(!FileManager.default.fileExists(atPath: workspace.path("none.sqlite")))
        #expect(try Tool.etl(["fetch", workspace.path("sample-data/tasks.csv")]).status == 74)
        _ = try Tool.run("sqlite3", [workspace.path("other.db"), "CREATE TABLE t (a)"])
        #expect(try Tool.etl(["fetch", workspace.path("other.db")]).status == 78)
    }

    // MARK: Pipes, signals, terminals

    @Test func exitsWith0IfTheReaderClosesThePipe() throws {
        let result = try shell(
            "\"$E\" fetch \"$1\" Task | head -n 1 | wc -l; echo ${PIPESTATUS[0]}")
        #expect(
            result
                == ToolResult(status: 0, standardOutput: "1\n0\n"))
    }

    @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func signalEndsABlockedFetch(signal: String, status: Int) throws {
        // The output is larger than the pipe, which no process reads, so the command blocks.
        let result = try shell(
            """
            mkfifo "$1.out"
            \(InheritedSignal.byDefault.starter(signal)) "$E" fetch "$1" Task > "$1.out" & run=$!
            exec 3< "$1.out"
            dd bs=1 count=1 <&3 > /dev/null 2>&1
            kill -\(signal) $run
            wait $run; echo $?
            """)
        #expect(result == ToolResult(status: 0, standardOutput: "\(status)\n"))
    }

    private func shell(_ script: String) throws -> ToolResult {
        try Tool.run(
            "bash", ["-c", "E='\(Tool.etlPath)'\n\(script)", "bash", store])
    }

    /// Runs the command on a pseudo-terminal, and returns the visible output, then the status.
    private func terminal(
        columns: Int, environment: String = "", _ arguments: String
    ) throws -> String {
        let result = try shell(
            """
            python3 - "$E" "$1" <<'END'
            import fcntl, os, pty, struct, sys, termios
            pid, fd = pty.fork()
            if pid == 0:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, \(columns), 0, 0))
                os.environ.pop("COLUMNS", None)
                os.environ.pop("NO_COLOR", None)
                os.environ.update({\(environment)})
                os.execv(sys.argv[1], [sys.argv[1], "fetch", sys.argv[2], \(arguments)])
            shown = b""
            while True:
                try: data = os.read(fd, 65536)
                except OSError: break
                if not data: break
                shown += data
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            sys.stdout.buffer.write(shown.replace(b"\\r\\n", b"\\n") + b"%d" % status)
            END
            """)
        guard result.status == 0 else { throw ToolFailure(result) }
        return result.standardOutput
    }

    @Test func fitsTheTableToTheTerminalAndNotesHiddenColumns() throws {
        #expect(
            try terminal(
                columns: 60, environment: "'TERM': 'xterm'",
                "'Task', '--sort', '-priority, id', '--fields', 'id,title,priority,dueOn', "
                    + "'--limit', '2'")
                    == """
                    \u{1B}[1mid                                    title       priori…  …\u{1B}[0m
                    ------------------------------------  ----------  -------  -
                    027C8C0A-3457-5693-81F7-1FB8567718A4  Book the …        2
                    03EAF3A6-BA80-5EEF-A508-A43E60714D50  Repair ol…        2
                    2 of 240 objects
                    Not shown for lack of space: dueOn; choose with --fields
                    0
                    """)
        #expect(
            try terminal(
                columns: 60, environment: "'COLUMNS': '30', 'NO_COLOR': '1'",
                "'Category', '--where', 'sortOrder > 6'")
                    == """
                    name         colorHex  …
                    -----------  --------  -
                    לימודים      #FDD835
                    🏕️ Outdoors  #00897B
                    Not shown for lack of space:
                      sortOrder, remark; choose
                      with --fields
                    0
                    """)
    }

    // MARK: Other programs

    @Test func doesNotWaitForAWriterOrReadUncommittedRows() throws {
        let writer = try Writer(store)
        try writer.send("BEGIN IMMEDIATE; UPDATE ZTASK SET ZPRIORITY = 2;")
        let open = ["Task", "--where", "priority != 2", "--count"]
        let before = try Tool.etl(["fetch", store] + open)
        #expect(before.status == 0 && before.standardOutput != "0\n")
        try writer.send("COMMIT;")
        #expect(
            try Tool.etl(["fetch", store] + open) == ToolResult(status: 0, standardOutput: "0\n"))
        writer.end()
    }

    /// `sqlite3` with an open transaction.
    private final class Writer {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ store: String) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["sqlite3", "-batch", store]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        /// Sends statements and waits until they are done.
        func send(_ sql: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\nSELECT 'done';\n".utf8))
            var answer = ""
            while !answer.hasSuffix("done\n") {
                let data = output.fileHandleForReading.availableData
                try #require(!data.isEmpty)
                answer += String(decoding: data, as: UTF8.self)
            }
        }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }
}
