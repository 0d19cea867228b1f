import Testing

@Suite("Streams that pause")
struct PausedStreamTests {
    /// Returns a folder with a store of ten tasks, and with `tool.py`, which the scripts import.
    private func folder(_ stage: String = "") throws -> FailureFolder {
        let folder = try FailureFolder()
        let stages =
            "- { import: tasks, read: { files: \"${in}\", as: ndjson }, into: Task\(stage) }"
        try folder.writeSpec("spec.yaml", stages)
        try folder.shell("sed -i 's/save-every: 1000/save-every: 100000/' spec.yaml")
        try folder.writeTasks(10)
        try #require(try folder.run().status == 0)
        try folder.shell("rm -r runs")
        try folder.write(
            "tool.py",
            """
            import os, sqlite3, subprocess, time

            def wait(condition):
                until = time.monotonic() + 20
                while not condition() and time.monotonic() < until: time.sleep(0.01)

            def start(inputs):
                return subprocess.Popen([os.environ["E"], "run", "spec.yaml", "--set", "in=" + inputs])

            def connect(timeout):
                return sqlite3.connect("store.sqlite", isolation_level=None, timeout=timeout)

            def is_locked():
                store = connect(0)
                try: store.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError: return True
                finally: store.close()
                return False

            def count():
                return connect(20).execute("SELECT count(*) FROM ZTASK").fetchone()[0]

            def line(number, title="ours"):
                return '{"id": %d, "title": "%s"}\\n' % (number, title)

            """)
        return folder
    }

    @Test(
        "saves the received records while a stream pauses, so that other programs can write",
        arguments: [0, 1, 9000])
    func pause(_ records: Int) throws {
        let folder = try folder()
        try folder.shell("mkfifo in.fifo")
        let result = try folder.python(
            """
            run = start("in.fifo")
            with open("in.fifo", "w") as fifo:
                wait(is_locked)
                for number in range(\(records)): fifo.write(line(100 + number, "t" * 100))
                fifo.flush()
                wait(lambda: count() == 10 + \(records))
                print(count())
                connect(20).execute("UPDATE ZTASK SET ZTITLE = 'theirs' WHERE ZID = 3")
                fifo.write(line(99))
            print(run.wait())
            """)
        #expect(result.output == "\(10 + records)\n0\n")
        #expect(result.errors == "")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "\(11 + records)\n")
        #expect(try folder.query("SELECT ZTITLE FROM ZTASK WHERE ZID = 3") == "theirs\n")
    }

    @Test("saves the end of a stream while the next one sends nothing")
    func nextStream() throws {
        let folder = try folder()
        try folder.shell("mkfifo a.fifo b.fifo")
        let result = try folder.python(
            """
            run = start("*.fifo")
            with open("a.fifo", "w") as fifo: fifo.write(line(100))
            with open("b.fifo", "w") as fifo:
                wait(lambda: count() == 11)
                wait(lambda: not is_locked())
                print(count(), is_locked())
                fifo.write(line(101))
            print(run.wait())
            """)
        #expect(result.output == "11 False\n0\n")
        #expect(result.errors == "")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "12\n")
    }

    @Test("a first load keeps the store locked during a pause, since its indexes are deferred")
    func firstLoad() throws {
        let folder = try folder()
        try folder.shell("rm store.sqlite*; mkfifo in.fifo")
        let result = try folder.python(
            """
            run = start("in.fifo")
            with open("in.fifo", "w") as fifo:
                fifo.write(line(100))
                fifo.flush()
                wait(is_locked)
                time.sleep(3)
                print(is_locked())
            print(run.wait())
            """)
        #expect(result.output == "True\n0\n")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "1\n")
    }

    @Test("`when-found` finds objects that another program inserts during a pause")
    func insertedMeanwhile() throws {
        let folder = try folder(", when-found: skip")
        try folder.shell("mkfifo in.fifo")
        let result = try folder.python(
            """
            run = start("in.fifo")
            with open("in.fifo", "w") as fifo:
                fifo.write(line(100))
                fifo.flush()
                wait(lambda: count() == 11)
                store = connect(20)
                store.execute("BEGIN IMMEDIATE")
                store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME = 'Task'")
                store.execute(
                    "INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZID, ZTITLE) SELECT Z_MAX, Z_ENT, 1,"
                    " 200, 'theirs' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task'")
                store.execute("COMMIT")
                fifo.write(line(200) + line(201))
            print(run.wait())
            """)
        #expect(result.output == "0\n")
        #expect(
            try folder.query(
                "SELECT ZID, ZTITLE FROM ZTASK WHERE ZID >= 100 ORDER BY ZID")
                == "100|ours\n200|theirs\n201|ours\n")
        #expect(
            try folder.shell("grep -ho '\"skipped\" *: *[0-9]*' runs/*.json").output.suffix(2)
                == "1\n")
    }
}
