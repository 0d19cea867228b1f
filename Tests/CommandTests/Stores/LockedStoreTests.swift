import Foundation
import Testing

/// Stores that a program other than `etl` has locked with a SQLite transaction.
@Suite("Failures: stores that another program has locked", .serialized)
struct LockedStoreTests {
    /// Returns the messages of the run in one of the copies.
    private func errors(_ copy: String, of folder: FailureFolder) -> String {
        folder.text("\(copy)/errors.txt").replacing("\(folder.path)/\(copy)/", with: "")
    }

    private static let refusal = """
        error: store.sqlite is in use by another process; try again later [store.busy]
          fix: try again when the other process has finished; nothing was saved

        """

    @Test(
        "a run fails with 75 or is skipped with 0, and the next run succeeds",
        arguments: [
            ("create", "WAL", "IMMEDIATE"), ("create, commit: run", "WAL", "IMMEDIATE"),
            ("replace", "WAL", "IMMEDIATE"), ("create", "DELETE", "EXCLUSIVE"),
            ("replace", "DELETE", "EXCLUSIVE"),
        ])
    func atTheBeginning(_ open: String, _ journal: String, _ kind: String) throws {
        let folder = try FailureFolder.lockable(open: open, journal: journal)
        let limit = """
            note: The time limit is reached; nothing was changed [run.time-limit]
              fix: run it again

            """
        let runs: [(flags: String, status: Int, reports: Int, errors: String)] = [
            ("", 75, 1, Self.refusal), ("--if-locked fail", 75, 1, Self.refusal),
            ("--if-locked wait=1s", 75, 1, Self.refusal), ("--if-locked skip", 0, 0, ""),
            ("--if-locked skip --timeout 1s", 0, 0, ""),
            ("--if-locked wait=1h --timeout 1s", 75, 1, limit),
        ]
        let result = try folder.python(
            """
            folders = copies(\(runs.count))
            stores = [lock("\(kind)", folder) for folder in folders]
            errors = [open(folder + "/errors.txt", "w") for folder in folders]
            flags = \(runs.map(\.flags))
            runs = [start(*words.split(), folder=folder, stderr=file)
                    for words, folder, file in zip(flags, folders, errors)]
            for run, folder in zip(runs, folders):
                print(run.wait(), len(glob.glob(folder + "/runs/*.json")))
            for store in stores: free(store)
            print(*[run.wait() for run in [start(folder=folder) for folder in folders]])
            """)
        #expect(
            result.output == runs.map { "\($0.status) \($0.reports)\n" }.joined() + "0 0 0 0 0 0\n")
        #expect(result.errors == "")
        for (number, run) in runs.enumerated() {
            let copy = "copy\(number)"
            #expect(errors(copy, of: folder) == run.errors, "\(run.flags)")
            #expect(
                try folder.query("SELECT count(*) FROM ZTASK", store: "\(copy)/store.sqlite")
                    == "10\n")
        }
    }

    @Test("a waiting run continues when the other program releases the store")
    func waiting() throws {
        let folder = try FailureFolder.lockable()
        let result = try folder.python(
            """
            store = lock()
            process = start("--if-locked", "wait=1h")
            begun(process)
            # Longer than the moment that a run waits which is not to wait.
            time.sleep(1.2)
            print(process.poll())
            free(store)
            print(process.wait())
            """)
        #expect(result.output == "None\n0\n")
        #expect(result.errors == "")
    }

    @Test(
        "a signal ends the wait of a run", arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func stopped(_ signal: String, _ status: Int) throws {
        let folder = try FailureFolder.lockable()
        let result = try folder.python(
            """
            store = lock()
            process = start("--if-locked", "wait=1h")
            begun(process)
            time.sleep(0.2)
            process.send_signal(signal.SIG\(signal))
            print(process.wait())
            """)
        #expect(result.output == "\(status)\n")
        #expect(
            result.errors == """
                note: Stopped by a signal; nothing was changed [run.interrupted]
                  fix: run it again

                """)
    }

    @Test(
        "a run on a working copy fails if another program writes, and keeps that change",
        arguments: ["create, commit: run", "create, commit: stage"])
    func writtenMeanwhile(_ open: String) throws {
        let folder = try FailureFolder.lockable(open: open)
        try folder.shell("mkfifo in.fifo")
        let result = try folder.python(
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
            """)
        #expect(result.output == "75\n")
        #expect(
            result.errors.contains(
                """
                error: store.sqlite was written by another process while a copy of it was worked \
                on; it is as that process left it [store.busy]

                """), "\(result.errors)")
        #expect(result.errors.contains("run it again; it starts over with the current store"))
        let titles = "SELECT ZTITLE FROM ZTASK WHERE ZID IN (3, 100)"
        #expect(try folder.query(titles) == "theirs\n")
        #expect(try folder.run().status == 0)
    }

    @Test(
        "a run on a working copy succeeds if another program only merges the log of the store",
        arguments: ["create, commit: run", "create, commit: stage"])
    func mergedMeanwhile(_ open: String) throws {
        let folder = try FailureFolder.lockable(open: open)
        try folder.shell("mkfifo in.fifo")
        let result = try folder.python(
            """
            # The writer does not merge the log because of the reader, which may not merge it.
            reader = sqlite3.connect("file:store.sqlite?mode=ro", uri=True)
            reader.execute("SELECT count(*) FROM ZTASK").fetchall()
            writer = sqlite3.connect("store.sqlite", isolation_level=None)
            writer.execute("UPDATE ZTASK SET ZTITLE = 'theirs' WHERE ZID = 3")
            writer.close()
            reader.close()
            print(os.path.getsize("store.sqlite-wal") > 0)
            process = start("--set", "in=in.fifo")
            with open("in.fifo", "w") as fifo:
                begun(process)
                fifo.write('{"id": 100, "title": "ours"}\\n')
                fifo.flush()
                while not [name for name in os.listdir() if name.startswith("store.sqlite.")
                           and not name.endswith("-lock")]: time.sleep(0.01)
                time.sleep(0.3)
                store = sqlite3.connect("store.sqlite", timeout=20)
                store.execute("SELECT count(*) FROM ZTASK").fetchall()
                store.close()
            print(process.wait())
            """)
        #expect(result.output == "True\n0\n", "\(result.errors)")
        let titles = "SELECT ZTITLE FROM ZTASK WHERE ZID IN (3, 100) ORDER BY ZID"
        #expect(try folder.query(titles) == "theirs\nours\n")
    }

    @Test("if another program locks the store during a run, the error states what was saved")
    func onTheWay() throws {
        let folder = try FailureFolder.lockable()
        try folder.writeTasks(5_000)
        try folder.writeSpec(
            "spec.yaml",
            """
            - { import: tasks.ndjson, into: Task, set-only: true, set: { id: id, title: title } }
            - { export: Task, to: "-", as: ndjson }
            """)
        let result = try folder.python(
            """
            def locked(flag, folder, signal, statuses):
                with open(folder + "/errors.txt", "w") as errors:
                    run = start("--restart", "--if-locked", flag, folder=folder,
                                stdout=subprocess.PIPE, stderr=errors)
                # The export waits for its reader, and has no transaction that writes.
                run.stdout.read(1)
                store = lock(folder=folder)
                for _ in range(5_000): run.stdout.readline()
                if signal:
                    # All is written, and waits to be noted.
                    time.sleep(0.2)
                    run.send_signal(signal)
                statuses[folder] = run.wait()
                free(store)

            statuses = {}
            asked = [("skip", None), ("wait=1h", signal.SIGTERM)]
            folders = copies(2)
            # There is nothing left to be changed there.
            start(folder=folders[1], stdout=subprocess.DEVNULL).wait()
            waits = [threading.Thread(target=locked, args=(flag, folder, number, statuses))
                     for (flag, number), folder in zip(asked, folders)]
            for wait in waits: wait.start()
            for wait in waits: wait.join()
            print(statuses["copy0"], statuses["copy1"])
            for folder in folders:
                print(start("--limit", "0", folder=folder, stdout=subprocess.DEVNULL).wait())
            """)
        #expect(result.output == "75 143\n0\n0\n")
        let warning = """
            warning: An unfinished run is not completed, since it had other parameters or other stages; \
            no stage counts as done [run.new-input]

            """
        #expect(result.errors == warning + warning)
        #expect(
            errors("copy0", of: folder) == """
                error: store.sqlite is in use by another process; try again later [store.busy]
                  stage: spec.yaml:11:3 export export-task
                  fix: try again when the other process has finished; the work for 5,000 records \
                is saved, and the next run resumes after it

                """)
        #expect(
            errors("copy1", of: folder) == """
                note: Stopped by a signal; nothing in the store was changed [run.interrupted]
                  fix: run it again to complete it

                """)
        for copy in ["copy0", "copy1"] {
            #expect(
                try folder.query("SELECT count(*) FROM ZTASK", store: "\(copy)/store.sqlite")
                    == "5000\n")
        }
    }
}
