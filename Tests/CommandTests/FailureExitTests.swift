import Foundation
import Testing

/// How the command ends when something is wrong, and what it says.
@Suite("Failures: exit status", .serialized)
struct FailureExitTests {
    @Test("64: usage")
    func usage() throws {
        let folder = try FailureFolder()
        for arguments in [
            "run", "run a b", "run spec.yaml --nope", "nope", "run -q -v spec.yaml",
            "run spec.yaml --progress sometimes",
        ] {
            let result = try folder.shell("exec \"$E\" \(arguments)")
            #expect(result.status == 64, "\(arguments)")
            #expect(result.output == "")
            #expect(result.errors.contains("Error: "))
        }
        #expect(try folder.shell("exec \"$E\" --help").status == 0)
    }

    @Test("65: rejects over the limit; 66: no input, no store; 78: the spec")
    func dataAndSpec() throws {
        let folder = try FailureFolder()
        #expect(try folder.run().status == 66)
        try folder.write("tasks.ndjson", "{\"id\":1}\nnonsense\n")
        let bad = try folder.run()
        #expect(bad.status == 65)
        #expect(bad.output == "")
        #expect(bad.errors.contains("tasks.ndjson:2:1: error: "))
        #expect(bad.errors.contains("fix: mend the records in rejects/spec-"))
        try folder.writeSpec(open: "existing")
        #expect(try folder.run("--set store=none.sqlite").status == 66)
        #expect(try folder.run("--set nothing=1").status == 78)
        #expect(try folder.run(spec: "none.yaml").status == 78)
    }

    @Test("78: keys of what is not built yet, and everything else that is wrong, at once")
    func unknownKeys() throws {
        let folder = try FailureFolder()
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: a.sqlite, model: model.yaml, open: create, commit: run }
            report: { to: x }
            stages:
              - import: tasks
                read: { files: a.ndjson, once: true }
                into: Taks
                mirror: { at-most: 10% }
                link: { tags: { each: "tags[*]", by: { name: x } } }
              - { verify: sane, expect: {} }
              - { export: Task, to: out.csv, shape: nested }
              - { delete: Task, wheer: ALL }
            """)
        let expected = """
            spec.yaml:2:57: error: The key 'commit' is not supported yet [spec.unknown-key]
              in: store.commit
            """
        for command in ["run", "check"] {
            let result = try folder.shell("exec \"$E\" \(command) spec.yaml")
            #expect(result.status == 78)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix(expected))
            for place in ["3:1", "6:30", "7:11", "8:5", "9:21", "10:7", "11:34", "12:21"] {
                #expect(
                    result.errors.contains("spec.yaml:\(place): error: "),
                    "\(place)\n\(result.errors)")
            }
        }
        #expect(folder.names() == ["model.yaml", "spec.yaml"])
    }

    @Test("73: no place for the output, the rejects or the store")
    func noPlace() throws {
        let folder = try FailureFolder()
        try folder.write("tasks.ndjson", "{\"id\":1}\n{\"id\":null}\n")
        try folder.write("file", "")
        try folder.writeSpec(top: "rejects: { allow: 1, dir: file/rejects }")
        let rejects = try folder.run()
        #expect(rejects.status == 73)
        #expect(rejects.errors.contains("The folder file/rejects/spec-"))
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "0\n")
        try folder.writeSpec(top: "rejects: { allow: 1 }")
        let output = try folder.run("--set out=file/x/out.csv")
        #expect(output.status == 73)
        #expect(output.errors.contains("error: The folder file/x cannot be made [output.folder]"))
        let store = try folder.run("--set store=file/x.sqlite")
        #expect(store.status == 73)
        #expect(folder.text("file") == "")
    }

    @Test("74: the store is no store; 65: damaged gzip, which keeps what came before")
    func damage() throws {
        let folder = try FailureFolder()
        try folder.write("store.sqlite", String(repeating: "no store ", count: 1000))
        try folder.writeTasks(20_000)
        #expect(try folder.run().status == 74)
        #expect(folder.text("store.sqlite") == String(repeating: "no store ", count: 1000))
        try folder.shell(
            "rm store.sqlite; gzip tasks.ndjson; head -c 200000 tasks.ndjson.gz > t.gz")
        let cut = try folder.run("--set in=t.gz")
        #expect(cut.status == 65)
        #expect(cut.errors.contains("t.gz: error: The gzip data ends early [gzip.truncated]"))
        let kept = try folder.query("SELECT count(*), max(ZID) + 1 FROM ZTASK").split(
            separator: "|")
        #expect(kept.first == kept.last?.dropLast())
        #expect(!folder.names().contains("out.csv"))
        try folder.shell(
            "cp tasks.ndjson.gz t.gz; printf 'ABCD' | dd of=t.gz bs=1 seek=100000 conv=notrunc")
        #expect(try folder.run("--set in=t.gz").status == 65)
        #expect(try folder.run("--set in=tasks.ndjson.gz").status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "20000\n")
    }

    @Test("75: another run has the store, and who that is")
    func overlapping() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(1000)
        let result = try folder.shell(
            """
            mkfifo in.fifo
            "$E" run spec.yaml --set in=in.fifo & first=$!
            exec 3> in.fifo
            while ! grep -q pid store.sqlite.etl-lock 2> /dev/null; do sleep 0.05; done
            "$E" run spec.yaml; echo "second $?, first $first"
            cat tasks.ndjson >&3
            exec 3>&-
            wait $first; echo "first $?"
            "$E" run spec.yaml; echo "third $?"
            """)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("second 75, first ") == true)
        #expect(lines.dropFirst() == ["first 0", "third 0"])
        let pid = lines.first?.split(separator: " ").last ?? "?"
        #expect(
            result.errors.hasPrefix(
                "error: Another run works on store.sqlite: pid \(pid), pipeline spec, since 20"))
    }

    @Test("75: another program is writing into the store")
    func lockedStore() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        #expect(try folder.run().status == 0)
        try folder.write(
            "lock.py",
            """
            import sqlite3, subprocess, os
            store = sqlite3.connect("store.sqlite", isolation_level=None)
            store.execute("BEGIN IMMEDIATE")
            print(subprocess.run([os.environ["E"], "run", "spec.yaml"]).returncode)
            store.execute("ROLLBACK")
            print(subprocess.run([os.environ["E"], "run", "spec.yaml"]).returncode)
            """)
        let result = try folder.shell("python3 lock.py")
        #expect(result.output == "75\n0\n")
        #expect(
            result.errors.hasPrefix(
                "error: store.sqlite is in use by another process; try again later [store.busy]"))
    }

    @Test("77: no right to read, unless one is root")
    func permission() throws {
        guard getuid() != 0 else { return }
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        try folder.shell("chmod 0 tasks.ndjson")
        #expect(try folder.run().status == 77)
    }
}
