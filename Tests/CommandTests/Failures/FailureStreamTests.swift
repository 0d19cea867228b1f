import Foundation
import Testing

/// Interrupted runs over inputs that can be read only once, such as pipes, and the runs that
/// complete them.
@Suite("Failures: inputs that can be read only once", .serialized)
struct FailureStreamTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: Integer 32, optional: false }, title: String }
            unique: [[id]]
          Line:
            attributes: { id: { type: Integer 32, optional: false }, title: String }
        """
    static let keyed = "into: Task"
    static let appending = "into: Line\n  when-found: append"

    /// Shell functions for runs over FIFOs.
    ///
    /// `stop` stops `$run` when it has noted the position of an import; `again` exits with 124 if
    /// the run hangs; `records FROM TO TITLE` writes records. Each script kills a writer without a
    /// reader, since the shell would wait for it.
    static let functions = """
        stop() {
            python3 - <<'END'
        import sqlite3, time
        for _ in range(600):
            try:
                if sqlite3.connect("file:store.sqlite?mode=ro", uri=True).execute(
                    "SELECT count(*) FROM ETL_PROGRESS WHERE KIND = 'stage'").fetchone()[0]: break
            except sqlite3.Error: pass
            time.sleep(0.05)
        END
            kill -TERM $run; wait $run; echo "status $?"
        }
        again() { timeout 30 "$E" run spec.yaml "$@"; echo "status $?"; }
        records() { seq $1 $2 | sed 's/.*/{"id":&,"title":"'$3'"}/'; }

        """
    static let cannotGoOn = """
        error: The import 'tasks' cannot resume where it stopped: in.fifo has changed \
        [run.cannot-resume]
          stage: spec.yaml:10:3 import tasks
          fix: send again what the stopped run received from in.fifo, or start over with --restart

        """

    static func folder(
        _ into: String, files: String = "\"${in}\"", read: String = "", more: String = ""
    ) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("model.yaml", model)
        try folder.writeSpec(
            "spec.yaml",
            """
            - import: tasks
              read: { files: \(files), as: ndjson\(read) }
              \(into)
            \(more)
            """)
        return folder
    }

    /// Returns the folder of a run that was stopped in the middle of a FIFO with the records 1 to
    /// 5,000.
    private static func stopped(
        _ into: String, by filter: String = "cat"
    ) throws -> FailureFolder {
        let folder = try folder(into)
        let result = try folder.shell(
            functions + """
                mkfifo in.fifo gate.fifo
                "$E" run spec.yaml --set in=in.fifo & run=$!
                { records 1 5000 old; cat gate.fifo; } | \(filter) > in.fifo &
                exec 3> gate.fifo
                stop
                """)
        #expect(result.output == "status 143\n", "\(result.errors)")
        let place =
            into == keyed
            ? "the beginning of in.fifo, which must be sent again\n"
            : "; in.fifo must be given from the beginning\n"
        #expect(result.errors.hasSuffix(place), "\(result.errors)")
        return folder
    }

    /// Returns the unfinished work that `etl status` prints.
    static func status(_ folder: FailureFolder) throws -> String {
        try folder.shell("\"$E\" status spec.yaml --set in=in.fifo | grep '^to complete '").output
            .replacing(folder.path + "/", with: "")
    }

    /// Returns the number of rows, of distinct IDs, the lowest and the highest ID, and the number
    /// of new titles.
    static func rows(_ folder: FailureFolder, _ table: String = "ZTASK") throws -> String {
        try folder.query(
            "SELECT count(*), count(DISTINCT ZID), min(ZID), max(ZID), "
                + "sum(ZTITLE = 'new') FROM \(table)")
    }

    @Test("an interrupted import by key starts over, even with other records")
    func keyed() throws {
        let folder = try Self.stopped(Self.keyed)
        let status = try Self.status(folder)
        #expect(
            status.hasSuffix(
                " of in.fifo; run it again with all records of in.fifo: the import starts over\n"),
            "\(status)")
        let result = try folder.shell(
            Self.functions + "records 1001 9000 new > in.fifo & again --set in=in.fifo")
        #expect(result.output == "status 0\n")
        #expect(
            result.errors == """
                warning: The import 'tasks' starts over from its first record: the earlier part of \
                in.fifo cannot be read again [run.starts-again]
                  fix: send all records of in.fifo, not only those that were left

                """)
        #expect(try Self.rows(folder) == "9000|9000|1|9000|8000\n")
    }

    @Test("an interrupted import from a command runs the command again and starts over")
    func command() throws {
        let folder = try FailureFolder()
        let command = "head -n 50 t.ndjson; test -f ok || exit 3; tail -n +51 t.ndjson"
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            name: tasks
            store:
              at: s.sqlite
              open: create
              model:
                model: 1
                entities: { Task: { attributes: { id: Integer 64 }, unique: [[id]] } }
            budget: { save-every: 10 }
            stages:
              - import: tasks
                read: { command: [sh, -c, "\(command)"], as: ndjson }
                into: Task
                key: id
            """)
        let first = try folder.shell(
            "seq 1 90 | sed 's/.*/{\"id\":&}/' > t.ndjson; \"$E\" run spec.yaml; echo $?")
        #expect(first.output == "65\n", "\(first)")
        let second = try folder.shell("touch ok; \"$E\" run spec.yaml -v")
        let name = "the command `sh -c '\(command)'`"
        #expect(second.errors.hasPrefix("note: Resumes the run "), "\(second)")
        let lines = second.errors.split(separator: "\n").dropFirst().joined(separator: "\n")
        #expect(
            lines.replacing(#/\(\d.*/#, with: "(…)") == """
                warning: The import 'tasks' starts over from its first record: its command runs \
                again, and the records update the objects that are saved [run.starts-again]
                import tasks: 90 read, 40 inserted, 50 unchanged (…)
                """, "\(name)")
    }

    @Test(
        "append, skip, and reject imports resume with the same input, also if it is compressed",
        arguments: [
            (appending, "cat"), (appending, "gzip"), ("into: Task\n  when-found: skip", "cat"),
            ("into: Task\n  when-found: reject", "cat"),
        ])
    func goesOn(_ into: String, _ filter: String) throws {
        let folder = try Self.stopped(into)
        let status = try Self.status(folder)
        #expect(
            status.hasSuffix(" of in.fifo; run it again with all records of in.fifo\n"),
            "\(status)")
        let result = try folder.shell(
            Self.functions + "records 1 8000 old | \(filter) > in.fifo & again --set in=in.fifo")
        #expect(result.output == "status 0\n")
        #expect(result.errors == "")
        let table = into == Self.appending ? "ZLINE" : "ZTASK"
        #expect(try Self.rows(folder, table) == "8000|8000|1|8000|0\n")
    }

    @Test(
        "an interrupted append does not resume with other input, and saves nothing",
        arguments: ["records 1001 9000 new", "records 1 10 old", "echo no records", "true"])
    func appendingOther(_ content: String) throws {
        let folder = try Self.stopped(Self.appending)
        let saved = try Self.rows(folder, "ZLINE")
        let other = try folder.shell(
            Self.functions + "\(content) 2> /dev/null > in.fifo & again --set in=in.fifo")
        #expect(other.output == "status 65\n")
        #expect(other.errors == Self.cannotGoOn)
        #expect(try Self.rows(folder, "ZLINE") == saved)
        // Records that were valid before are unchanged.
        let same = try folder.shell(
            Self.functions + "records 1 8000 old > in.fifo & again --set in=in.fifo")
        #expect(same.output == "status 0\n", "\(same.errors)")
        #expect(try Self.rows(folder, "ZLINE") == "8000|8000|1|8000|0\n")
    }

    @Test("--restart appends other input to the objects that were saved")
    func restart() throws {
        let folder = try Self.stopped(Self.appending)
        let saved = try folder.query("SELECT count(*) FROM ZLINE").dropLast()
        let result = try folder.shell(
            Self.functions
                + "records 6001 9000 new > in.fifo & again --set in=in.fifo --restart")
        #expect(result.output == "status 0\n", "\(result.errors)")
        #expect(try Self.rows(folder, "ZLINE").hasSuffix("|1|9000|3000\n"))
        #expect(
            try folder.query("SELECT count(*) - 3000 FROM ZLINE") == saved + "\n")
    }

    @Test("an interrupted append resumes from standard input with the same records")
    func standardInput() throws {
        let folder = try Self.folder(Self.appending)
        let result = try folder.shell(
            Self.functions + """
                mkfifo in.fifo gate.fifo
                "$E" run spec.yaml --set in=- < in.fifo & run=$!
                { records 1 5000 old; cat gate.fifo; } > in.fifo &
                exec 3> gate.fifo
                stop
                exec 3>&-
                records 1 8000 old | again --set in=-
                records 1 3 old | again --set in=-
                """)
        #expect(result.output == "status 143\nstatus 0\nstatus 0\n", "\(result.errors)")
        #expect(try Self.rows(folder, "ZLINE") == "8003|8000|1|8000|0\n")
    }

    @Test(
        "a resumed append reads finished streams again in order, and fails if one has changed",
        arguments: [(1, 0), (2, 65)])
    func several(_ first: Int, _ status: Int) throws {
        let folder = try Self.folder(Self.appending, files: "[c.ndjson, a.fifo, b.fifo]")
        let result = try folder.shell(
            Self.functions + """
                mkfifo a.fifo b.fifo gate.fifo
                records 8001 9000 old > c.ndjson
                "$E" run spec.yaml & run=$!
                { records 1 3000 old > a.fifo; { records 3001 6000 old; cat gate.fifo; } > b.fifo; } &
                exec 3> gate.fifo
                stop
                exec 3>&-
                { records \(first) 3000 old > a.fifo; records 3001 8000 old > b.fifo; } &
                again
                kill $! 2> /dev/null
                """)
        #expect(result.output == "status 143\nstatus \(status)\n", "\(result.errors)")
        let rows = try Self.rows(folder, "ZLINE")
        if status == 0 {
            #expect(rows == "9000|9000|1|9000|0\n")
        } else {
            #expect(result.errors.contains("a.fifo has changed [run.cannot-resume]"))
            // The run does not wait for the writer of the second FIFO.
            #expect(!rows.hasPrefix("9000"))
        }
    }

    /// The message if the next run cannot use a finished import.
    static let refusal =
        "in.fifo cannot be compared with the earlier run: run the stages that are left by "
        + "--from STAGE, or all of them"
        + " by --restart\n"

    @Test("the progress line shows no percentage if the size of an input is unknown")
    func progress() throws {
        let folder = try Self.folder(Self.keyed, files: "[a.ndjson, b.fifo]")
        let result = try folder.shell(
            Self.functions + """
                mkfifo b.fifo
                records 1 100 old > a.ndjson
                "$E" run spec.yaml --progress always 2> line & run=$!
                exec 3> b.fifo
                records 101 200 old >&3
                for i in $(seq 200); do grep -q rows line && break; sleep 0.05; done
                exec 3>&-
                wait $run; echo "status $?"
                """)
        #expect(result.output == "status 0\n")
        #expect(folder.text("line").contains(" rows"), "\(folder.text("line"))")
        #expect(!folder.text("line").contains("%"), "\(folder.text("line"))")
    }

    @Test("`once` fails for an input that is not a regular file")
    func once() throws {
        let folder = try Self.folder(Self.keyed, files: "in.fifo", read: ", once: true")
        let result = try folder.shell(Self.functions + "mkfifo in.fifo; again")
        #expect(result.output == "status 78\n")
        #expect(
            result.errors == """
                error: in.fifo is not a regular file, so 'once' cannot detect whether it was \
                imported before [spec.rule]
                  stage: spec.yaml:10:3 import tasks
                  fix: remove `once`, or use a regular file

                """)
    }

    @Test("a signal stops a run that waits for the writer of a FIFO", arguments: ["INT", "TERM"])
    func waiting(_ signal: String) throws {
        let folder = try Self.folder(Self.keyed)
        let result = try folder.shell(
            Self.functions + """
                mkfifo in.fifo
                \(InheritedSignal.byDefault.starter(signal)) "$E" run spec.yaml --set in=in.fifo & run=$!
                while ! grep -q pid store.sqlite.etl-lock 2> /dev/null; do sleep 0.05; done
                sleep 0.3; kill -\(signal) $run; wait $run; echo "status $?"
                ! timeout 0.2 sh -c ': > in.fifo' 2> /dev/null; echo "nobody reads: $?"
                records 1 5 old > in.fifo &
                again --set in=in.fifo
                """)
        #expect(
            result.output == "status \(signal == "INT" ? 130 : 143)\nnobody reads: 0\nstatus 0\n")
        #expect(result.errors.hasSuffix("  fix: run it again to complete it\n"), "\(result.errors)")
        #expect(try Self.rows(folder) == "5|5|1|5|0\n")
    }
}
