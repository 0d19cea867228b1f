import Foundation
import Testing

/// The exit status and the messages of the command after failures.
@Suite("Failures: exit status", .serialized)
struct FailureExitTests {
    @Test("64: the usage is wrong")
    func usage() throws {
        let folder = try FailureFolder()
        for arguments in [
            "run", "run a b", "run spec.yaml --nope", "nope", "run -q -v spec.yaml",
            "run spec.yaml --progress sometimes", "run spec.yaml --set a",
            "run spec.yaml --set =a", "run spec.yaml --set", "check spec.yaml --set a",
        ] {
            let result = try folder.shell("exec \"$E\" \(arguments)")
            #expect(result.status == 64, "\(arguments)")
            #expect(result.output == "")
            #expect(result.errors.lowercased().contains("error: "))
        }
        #expect(try folder.shell("exec \"$E\" --help").status == 0)
    }

    @Test("65: too many rejects; 66: no input or store; 78: no spec, or an unknown parameter")
    func dataAndSpec() throws {
        let folder = try FailureFolder()
        #expect(try folder.run().status == 66)
        try folder.write("tasks.ndjson", "{\"id\":1}\nnonsense\n")
        let bad = try folder.run()
        #expect(bad.status == 65)
        #expect(bad.output == "")
        #expect(bad.errors.contains("tasks.ndjson:2:1: error: "))
        #expect(bad.errors.contains("fix: correct the records in rejects/spec-"))
        try folder.writeSpec(open: "existing")
        #expect(try folder.run("--set store=none.sqlite").status == 66)
        #expect(try folder.run("--set nothing=1").status == 78)
        #expect(try folder.run(spec: "none.yaml").status == 78)
    }

    @Test("78: reports all invalid keys and values of a spec at once")
    func unknownKeys() throws {
        let folder = try FailureFolder()
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: a.sqlite, model: model.yaml, open: create, history: on }
            reprot: { to: x }
            stages:
              - import: tasks
                read: { files: a.ndjson, ragged: pad }
                into: Taks
                merge: { title: keep }
                link: { tags: { each: "tags[*]", by: { name: x } } }
              - { verify: sane, expect: { Nope: 1 } }
              - { export: Task, to: out.csv, shape: nested }
              - { delete: Task, wheer: ALL }
            """)
        let expected = """
            spec.yaml:2:66: error: 'history' must be off, or a mapping such as { keep: 7d }, not the \
            text 'on' [spec.type]
              in: store.history
            """
        for command in ["run", "check"] {
            let result = try folder.shell("exec \"$E\" \(command) spec.yaml")
            #expect(result.status == 78)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix(expected))
            for place in ["3:1", "6:38", "7:11", "8:12", "9:42", "10:31", "11:41", "12:21"] {
                #expect(
                    result.errors.contains("spec.yaml:\(place): error: "),
                    "\(place)\n\(result.errors)")
            }
        }
        #expect(folder.names() == ["model.yaml", "spec.yaml"])
    }

    @Test("73: the folder of the output, rejects, or store cannot be created")
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
        #expect(
            output.errors.contains(
                "error: The folder file/x cannot be created: Not a directory [output.folder]"))
        let store = try folder.run("--set store=file/x.sqlite")
        #expect(store.status == 73)
        #expect(folder.text("file") == "")
    }

    @Test("74: the store is not SQLite; 65: gzip data is damaged, and earlier records stay")
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

    @Test("75: another run uses the store, and the message names its process")
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
                "error: Another run uses store.sqlite: pid \(pid), pipeline spec, since 20"))
    }

    @Test(
        "77: the input, the spec, or the model is not readable",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"),
        arguments: ["tasks.ndjson", "spec.yaml", "model.yaml"])
    func permission(_ name: String) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        let prefix = FailureFolder.underling ?? ""
        try folder.shell("chmod -R a+rwX .; chmod 0 \(name)")
        let result = try folder.shell("exec \(prefix) \"$E\" run spec.yaml")
        #expect(result.status == 77, "\(result.errors)")
        #expect(result.errors.contains("Permission denied"))
        guard name != "tasks.ndjson" else { return }
        #expect(try folder.shell("exec \(prefix) \"$E\" check spec.yaml").status == 77)
        try folder.shell("chmod 644 \(name)")
        #expect(try folder.shell("exec \(prefix) \"$E\" run spec.yaml").status == 0)
    }

    @Test(
        "status reports a killed run as not running, even if the lock file is read-only",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"))
    func lockOfOthers() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        #expect(try folder.run().status == 0)
        // Another process now has this process ID.
        try folder.write(
            "store.sqlite.etl-lock", "pid 1, pipeline spec, since 2999-03-04T05:06:07Z")
        try folder.shell("chmod -R a+rX .; chmod 444 store.sqlite.etl-lock")
        let result = try folder.shell(
            "exec \(FailureFolder.underling ?? "") \"$E\" status spec.yaml")
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(2).last
                == "last run      29990304T050607Z-1, did not end (killed?), began "
                + "2999-03-04 05:06:07 UTC, 0 ms ago")
        #expect(!lines.contains { $0.hasPrefix("running") })
    }

    @Test(
        "77: a pattern matches files in a folder that cannot be searched",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"),
        arguments: ["in/*.ndjson", "in/**"])
    func pattern(_ pattern: String) throws {
        let folder = try FailureFolder()
        try folder.shell("mkdir in; echo '{\"id\":1}' > in/a.ndjson; chmod -R a+rwX .")
        try folder.shell("chmod 444 in")
        let result = try folder.shell(
            "exec \(FailureFolder.underling ?? "") \"$E\" run spec.yaml --set 'in=\(pattern)'")
        #expect(result.status == 77, "\(result.errors)")
        #expect(result.errors.contains("in/a.ndjson: error: The file cannot be read"))
        try folder.shell("chmod 755 in")
    }

    @Test("71: too many open files, whichever file cannot be opened")
    func descriptors() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        try folder.write("bad.ndjson", "{\"id\":1}\nnonsense\n")
        try folder.writeSpec(top: "rejects: { allow: 1 }")
        // From the smallest limit with which the process can start to more than it needs. Below
        // that, it cannot create its queues and signal sources, before it opens any file.
        let result = try folder.shell(
            """
            for count in $(seq 6 32); do
                rm -rf store.sqlite* out.csv rejects
                (ulimit -n $count; exec "$E" run spec.yaml --set in=bad.ndjson) 2> errors.txt
                status=$?
                echo $status
                case $status in 0|71) ;; *) echo "$count: $status" >&2; cat errors.txt >&2;; esac
            done
            """)
        let statuses = result.output.split(separator: "\n")
        #expect(result.errors == "")
        #expect(Set(statuses) == ["0", "71"])
        #expect(statuses.last == "0")
    }
}
