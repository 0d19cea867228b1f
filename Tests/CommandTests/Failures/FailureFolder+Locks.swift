import Testing

extension FailureFolder {
    /// Returns a folder with a store of ten tasks, and with `tool.py`, which the scripts import.
    static func lockable(
        open: String = "create", journal: String = "WAL"
    ) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeSpec(open: open)
        try folder.writeTasks(10)
        try #require(try folder.run().status == 0)
        try folder.shell("rm -rf runs")
        try folder.write(
            "tool.py",
            """
            import glob, os, shutil, signal, sqlite3, subprocess, threading, time

            # What starts the tests may ignore them.
            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                signal.signal(number, signal.SIG_DFL)

            def lock(kind="IMMEDIATE", folder="."):
                store = sqlite3.connect(
                    folder + "/store.sqlite", isolation_level=None, timeout=20)
                store.execute("PRAGMA journal_mode = \(journal)")
                store.execute("BEGIN " + kind)
                return store

            def free(store):
                store.execute("ROLLBACK")
                store.close()

            def start(*flags, folder=".", command="run spec.yaml", **streams):
                words = [os.environ["E"], *command.split(), *flags]
                return subprocess.Popen(words, cwd=folder, **streams)

            def begun(process):
                while True:
                    with open("store.sqlite.etl-lock") as file:
                        if file.read().startswith(f"pid {process.pid},"): return
                    time.sleep(0.01)

            # Until then a signal ends it as it ends any process.
            def handling(process):
                while True:
                    with open(f"/proc/{process.pid}/status") as file:
                        caught = [line.split()[1] for line in file if line.startswith("SigCgt:")]
                    if int(caught[0], 16) >> (signal.SIGTERM - 1) & 1: return
                    time.sleep(0.01)

            # Folders of the same content, in which several runs wait at once.
            def copies(count):
                folders = [f"copy{number}" for number in range(count)]
                for folder in folders:
                    os.mkdir(folder)
                    for name in "store.sqlite", "spec.yaml", "model.yaml", "tasks.ndjson":
                        shutil.copy(name, folder)
                return folders

            """)
        return folder
    }

    /// Runs a Python script in the folder.
    func python(_ script: String) throws -> Result {
        try write("script.py", "from tool import *\n" + script)
        return try shell("python3 script.py")
    }
}
