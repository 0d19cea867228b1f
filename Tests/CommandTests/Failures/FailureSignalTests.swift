import Foundation
import TestSeeds
import Testing

/// Runs that are stopped or killed, and the runs that complete them.
@Suite("Failures: signals", .serialized)
struct FailureSignalTests {
    /// A shell function that waits up to 30 s until the store contains tasks.
    static let waiting = """
        wait_for_tasks() {
            python3 - <<'END'
        import sqlite3, time
        for _ in range(600):
            try:
                if sqlite3.connect("file:store.sqlite?mode=ro", uri=True).execute(
                    "SELECT count(*) FROM ZTASK").fetchone()[0] > 0: break
            except sqlite3.Error: pass
            time.sleep(0.05)
        END
        }

        """

    /// Returns a script that starts a run on a FIFO and waits until some of the records are saved.
    ///
    /// The run's process ID is then in `$run`.
    ///
    /// - Parameter starter: The prefix that starts the command.
    private static func halfway(_ records: Int, by starter: String = "") -> String {
        waiting + """
            mkfifo in.fifo
            \(starter) "$E" run spec.yaml --set in=in.fifo & run=$!
            exec 3> in.fifo
            head -n \(records) tasks.ndjson >&3
            wait_for_tasks

            """
    }

    @Test(
        "a signal stops the run between two saves, and the next run completes it",
        arguments: [
            ("INT", 130, ""), ("TERM", 143, ""), ("HUP", 129, ""),
            // Decoded in parts: one waits for the pipe, and the others wait for it.
            ("TERM", 143, "keep-if: id >= 0"),
        ])
    func stopped(_ signal: String, _ status: Int, _ filter: String) throws {
        let folder = try FailureFolder()
        try folder.writeSpec(
            "spec.yaml",
            FailureFolder.stages.replacing("into: Task", with: "into: Task\n  \(filter)"))
        try folder.writeTasks(40_000)
        try folder.write("out.csv", "old")
        let result = try folder.shell(
            Self.halfway(25_000, by: InheritedSignal.byDefault.starter(signal))
                + "kill -\(signal) $run; wait $run; echo \"status $?\"")
        #expect(result.output == "status \(status)\n")
        let note =
            "note: Stopped by a signal; saved changes are kept [run.interrupted]\n"
            + "  fix: run it again to resume at the beginning of in.fifo, which must be sent again\n"
        #expect(result.errors == note)
        let saved = try folder.query("SELECT count(*), max(ZID) + 1 FROM ZTASK")
            .dropLast().split(separator: "|")
        #expect(saved.first == saved.last)
        #expect((1..<25_001).contains(Int(saved.first ?? "") ?? 0))
        #expect(folder.text("out.csv") == "old")
        #expect(!folder.names().contains { $0.hasSuffix(".part") })
        let again = try folder.run("-v")
        #expect(again.status == 0)
        #expect(again.errors.contains("import tasks: 40,000 read, "))
        let (graph, schema) = try folder.undisturbed()
        #expect(folder.text("out.csv") == graph)
        #expect(try folder.query(FailureFolder.schema) == schema)
    }

    @Test("status shows a running run, and what a killed run has saved")
    func killedStatus() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(40_000)
        #expect(try folder.run("--limit 10").status == 0)
        try folder.shell("rm store.sqlite*")
        let result = try folder.shell(
            Self.halfway(25_000)
                + """
                "$E" status spec.yaml | grep -e '^last run' -e '^running'
                kill -KILL $run
                wait $run
                "$E" status spec.yaml | grep -v '^reports'
                """)
        let time = #/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z| UTC)/#
        let shown = result.output.replacing(time, with: "TIME")
            .replacing(#/\d+T\d+Z-\d+/#, with: "RUN").replacing(#/pid \d+/#, with: "pid P")
            .replacing(#/[\d.]+ m?s ago/#, with: "AGE")
            .replacing(#/record [\d,]+/#, with: "record N")
            .replacing(#/[\d,]+ records are/#, with: "N records are")
            .replacing(folder.path + "/", with: "")
        #expect(
            shown == """
                last run      RUN, in progress, began TIME, AGE
                running       pid P, pipeline spec, since TIME
                pipeline      spec
                last run      RUN, did not end (killed?), began TIME, AGE
                run before    RUN (at most 10 records of each import), exit 0 OK, ended TIME, AGE
                last success  none among the reports
                to complete   RUN, 0 stages done, N records are saved, import tasks at record N of \
                in.fifo; run it again with all records of in.fifo: the import starts over
                to complete   indexes and links are missing, so the store cannot be read; run the \
                spec or repeat the import, which completes them

                """)
        #expect(try folder.run().status == 0)
        let status = try folder.shell("\"$E\" status spec.yaml").output
        #expect(status.split(separator: "\n")[1].contains(", exit 0 OK, ended "), "\(status)")
    }

    @Test(
        "a signal stops the run even if the parent process blocks the signal",
        arguments: [("TERM", 143), ("INT", 130), ("HUP", 129)])
    func blocked(_ signal: String, _ status: Int) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(20_000)
        let starter =
            InheritedSignal.byDefault.starter(signal) + " "
            + InheritedSignal.blocked.starter("INT", "TERM", "HUP")
        let result = try folder.shell(
            Self.halfway(20_000, by: starter)
                + "kill -\(signal) $run; wait $run; echo \"status $?\"")
        #expect(result.output == "status \(status)\n")
    }

    @Test(
        "the run ignores a signal that its parent process ignores",
        arguments: ["INT", "TERM", "HUP"])
    func ignored(_ signal: String) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(20_000)
        let result = try folder.shell(
            Self.halfway(15_000, by: InheritedSignal.ignored.starter(signal))
                + """
                kill -\(signal) $run
                tail -n +15001 tasks.ndjson >&3
                exec 3>&-
                wait $run; echo "status $?"
                """)
        #expect(result.output == "status 0\n")
        #expect(result.errors == "")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "20000\n")
    }

    @Test("a second signal stops the run at once")
    func twice() throws {
        let folder = try FailureFolder()
        // No process reads the command's output, so the orderly stop after the first signal never
        // completes.
        try folder.writeTasks(10_000)
        try folder.writeSpec(
            "print.yaml", FailureFolder.stages + "\n- { export: Task, to: '-', as: ndjson }")
        let result = try folder.shell(
            """
            mkfifo out.fifo
            \(InheritedSignal.byDefault.starter("INT")) "$E" run print.yaml > out.fifo & run=$!
            exec 3< out.fifo
            read line <&3
            sleep 0.5
            kill -INT $run; sleep 3; kill -INT $run
            wait $run; echo "status $?"
            """)
        #expect(result.output == "status 130\n")
        #expect(result.errors == "")
        #expect(try folder.run().status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "10000\n")
    }

    @Test(
        "signals in quick succession count as one, and the batch is saved",
        arguments: [
            // The order in which the system delivers pending signals is unspecified.
            ("kill -TERM $run; kill -TERM $run; kill -INT $run; wait $run", [143, 130]),
            // GNU timeout signals its child, and then the process group, which includes the child.
            ("", [124]),
        ])
    func together(_ stop: String, _ statuses: [Int]) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(25_000)
        let result = try folder.shell(
            Self.halfway(
                20_000,
                by: stop.isEmpty ? "timeout -s TERM 4" : InheritedSignal.byDefault.starter("INT"))
                + (stop.isEmpty ? "wait $run" : stop) + "; echo \"status $?\"")
        #expect(statuses.map { "status \($0)\n" }.contains(result.output))
        #expect(result.errors.hasPrefix("note: Stopped by a signal; saved changes are kept"))
        let saved = try folder.query("SELECT count(*) FROM ZTASK").dropLast()
        #expect((1...20_000).contains(Int(saved) ?? 0), "\(saved)")
        #expect(try folder.run().status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "25000\n")
    }

    @Test("a run that is killed at any moment is completed by the next run")
    func killed() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(6_000)
        let (graph, schema) = try folder.undisturbed()
        let clock = ContinuousClock()
        let times = try (0..<2).map { _ in
            try folder.shell("rm -f fresh.*")
            return try clock.measure { _ = try folder.undisturbed() }
        }
        let whole = (times.min() ?? .zero).components
        // The duration of a run determines when to kill it; it includes the query of the store.
        let longest = Int(whole.seconds * 1000 + whole.attoseconds / 1_000_000_000_000_000)
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        var killed = 0
        for _ in 0..<20 {
            let milliseconds = min(999, 5 + random.pick(max(50, longest * 3 / 4)))
            let delay = String(milliseconds + 1000).dropFirst()
            try folder.shell("rm -f store.sqlite* out.csv .out.csv*")
            let result = try folder.shell(
                """
                "$E" run spec.yaml & run=$!
                sleep 0.\(delay)
                kill -KILL $run; wait $run
                """)
            if result.status == 137 { killed += 1 }
            let again = try folder.run()
            #expect(again.status == 0, "seed \(seed): \(again.errors)")
            #expect(folder.text("out.csv") == graph, "seed \(seed), \(milliseconds) ms")
            #expect(try folder.query(FailureFolder.schema) == schema, "seed \(seed)")
        }
        #expect(killed > 2, "seed \(seed), runs of \(longest) ms")
    }
}
