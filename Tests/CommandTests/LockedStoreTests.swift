import Foundation
import Testing

/// Stores that a program which is no `etl` has locked, by a transaction of SQLite's.
@Suite("Failures: stores that another program has locked", .serialized)
struct LockedStoreTests {
    /// A folder with a store of ten tasks, and `tool.py` of what the scripts use.
    private func folder(open: String = "create", journal: String = "WAL") throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeSpec(open: open)
        try folder.writeTasks(10)
        try #require(try folder.run().status == 0)
        try folder.shell("rm -rf runs")
        try folder.write(
            "tool.py",
            """
            import os, signal, sqlite3, subprocess, threading, time

            def lock(kind="IMMEDIATE"):
                store = sqlite3.connect("store.sqlite", isolation_level=None, timeout=20)
                store.execute("PRAGMA journal_mode = \(journal)")
                store.execute("BEGIN " + kind)
                return store

            def start(*flags, stdout=None):
                for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                    signal.signal(number, signal.SIG_DFL)
                return subprocess.Popen(
                    [os.environ["E"], "run", "spec.yaml", *flags], stdout=stdout)

            def run(*flags, stdout=None):
                return start(*flags, stdout=stdout).wait()

            def begun(process):
                while True:
                    with open("store.sqlite.etl-lock") as file:
                        if file.read().startswith(f"pid {process.pid},"): return
                    time.sleep(0.01)

            """)
        return folder
    }

    private func python(_ script: String, in folder: FailureFolder) throws -> FailureFolder.Result {
        try folder.write("script.py", "from tool import *\n" + script)
        return try folder.shell("python3 script.py")
    }

    private static let refusal = """
        error: store.sqlite is in use by another process; try again later [store.busy]
          fix: try again when the other process is done; nothing was saved

        """

    @Test(
        "a run fails with 75, or is left out with 0, and the next one goes well",
        arguments: [
            ("create", "WAL", "IMMEDIATE"), ("create, commit: run", "WAL", "IMMEDIATE"),
            ("replace", "WAL", "IMMEDIATE"), ("create", "DELETE", "EXCLUSIVE"),
            ("replace", "DELETE", "EXCLUSIVE"),
        ])
    func atTheBeginning(_ open: String, _ journal: String, _ kind: String) throws {
        let folder = try folder(open: open, journal: journal)
        let result = try python(
            """
            store = lock("\(kind)")
            codes = [run(), run("--if-locked", "fail"), run("--if-locked", "wait=1s")]
            print(*codes, len([name for name in os.listdir("runs") if name.endswith(".json")]))
            print(run("--if-locked", "skip"), run("--if-locked", "skip", "--timeout", "1s"))
            print(run("--if-locked", "wait=1h", "--timeout", "1s"))
            print(len([name for name in os.listdir("runs") if name.endswith(".json")]))
            store.execute("ROLLBACK")
            store.close()
            print(run())
            """, in: folder)
        #expect(result.output == "75 75 75 3\n0 0\n75\n4\n0\n")
        let limit = """
            note: The time limit is reached; nothing was changed [run.time-limit]
              fix: run it again

            """
        #expect(result.errors == String(repeating: Self.refusal, count: 3) + limit)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "10\n")
    }

    @Test("a run that is to wait goes on once the other program is done")
    func waiting() throws {
        let folder = try folder()
        let result = try python(
            """
            store = lock()
            process = start("--if-locked", "wait=1h")
            begun(process)
            # Longer than the moment that a run waits which is not to wait.
            time.sleep(1.5)
            print(process.poll())
            store.execute("ROLLBACK")
            print(process.wait())
            """, in: folder)
        #expect(result.output == "None\n0\n")
        #expect(result.errors == "")
    }

    @Test("a signal ends the wait", arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func stopped(_ signal: String, _ status: Int) throws {
        let folder = try folder()
        let result = try python(
            """
            store = lock()
            process = start("--if-locked", "wait=1h")
            begun(process)
            time.sleep(0.2)
            process.send_signal(signal.SIG\(signal))
            print(process.wait())
            """, in: folder)
        #expect(result.output == "\(status)\n")
        #expect(
            result.errors == """
                note: Stopped by a signal; nothing was changed [run.interrupted]
                  fix: run it again

                """)
    }

    @Test(
        "what another program writes while a clone is worked on is not lost",
        arguments: ["create, commit: run", "create, commit: stage"])
    func writtenMeanwhile(_ open: String) throws {
        let folder = try folder(open: open)
        try folder.shell("mkfifo in.fifo")
        let result = try python(
            """
            process = start("--set", "in=in.fifo")
            with open("in.fifo", "w") as fifo:
                begun(process)
                fifo.write('{"id": 100, "title": "ours"}\\n')
                fifo.flush()
                while not [name for name in os.listdir() if name.startswith("store.sqlite.")
                           and not name.endswith("-lock")]: time.sleep(0.01)
                time.sleep(0.3)
                store = sqlite3.connect("store.sqlite", isolation_level=None, timeout=20)
                store.execute("UPDATE ZTASK SET ZTITLE = 'theirs' WHERE ZID = 3")
                store.close()
            print(process.wait())
            """, in: folder)
        #expect(result.output == "75\n")
        #expect(
            result.errors.hasPrefix(
                """
                error: store.sqlite was written by another process while a copy of it was worked \
                on; it is as that process left it [store.busy]

                """), "\(result.errors)")
        #expect(result.errors.contains("run it again: it begins anew with what is there now"))
        let titles = "SELECT ZTITLE FROM ZTASK WHERE ZID IN (3, 100)"
        #expect(try folder.query(titles) == "theirs\n")
        #expect(try folder.run().status == 0)
    }

    @Test("a store that is locked on the way, and what is told of what was saved")
    func onTheWay() throws {
        let folder = try folder()
        try folder.writeTasks(5_000)
        try folder.writeSpec(
            "spec.yaml",
            """
            - { import: tasks.ndjson, into: Task, set-only: true, set: { id: id, title: title } }
            - { export: Task, to: "-", as: ndjson }
            """)
        let result = try python(
            """
            def locked(flag, signal=None):
                process = start("--restart", "--if-locked", flag, stdout=subprocess.PIPE)
                # The export waits for its reader, and has no transaction that writes.
                process.stdout.read(1)
                store = lock()
                threading.Thread(target=process.stdout.read).start()
                if signal:
                    time.sleep(0.5)
                    process.send_signal(signal)
                print(process.wait())
                store.execute("ROLLBACK")
                store.close()

            locked("skip")
            locked("wait=1h", signal.SIGTERM)
            print(run("--limit", "0", stdout=subprocess.DEVNULL))
            """, in: folder)
        #expect(result.output == "75\n143\n0\n")
        #expect(
            result.errors == """
                error: store.sqlite is in use by another process; try again later [store.busy]
                  stage: spec.yaml:11:3 export export-task
                  fix: try again when the other process is done; what 5,000 records brought is \
                saved, and the next run goes on behind it
                note: Stopped by a signal; nothing in the store was changed [run.interrupted]
                  fix: run it again to complete it

                """)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "5000\n")
    }
}
