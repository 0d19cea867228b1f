import Foundation
import Testing

/// Runs after a finished import of inputs that can be read only once, or to which inputs are added.
@Suite("Failures: inputs of finished imports", .serialized)
struct FailureStreamsDoneTests {
    private typealias Streams = FailureStreamTests

    /// Runs a spec whose export fails after the finished import of a FIFO, and then runs it again.
    private static func blocked(
        _ into: String, _ arguments: String
    ) throws -> (FailureFolder, FailureFolder.Result) {
        let folder = try Streams.folder(into, more: "- { export: Task, to: out/tasks.csv }")
        let result = try folder.shell(
            Streams.functions + """
                mkfifo in.fifo
                echo "a file, no folder" > out
                records 1 3 old > in.fifo &
                again --set in=in.fifo 2> /dev/null
                rm out
                "$E" status spec.yaml | grep '^to complete ' > status.txt
                records 3 5 new > in.fifo &
                again --set in=in.fifo \(arguments)
                kill $! 2> /dev/null
                """)
        return (folder, result)
    }

    @Test("after a finished import by key, the next run repeats all stages and warns")
    func behindTheImport() throws {
        let (folder, result) = try Self.blocked(Streams.keyed, "")
        #expect(result.output == "status 73\nstatus 0\n")
        let status = folder.text("status.txt").replacing(folder.path + "/", with: "")
        #expect(
            status.hasSuffix(
                ", 1 stage done, 3 records are saved; run it again with all records of in.fifo: "
                    + "all stages run again\n"),
            "\(status)")
        #expect(
            result.errors == """
                warning: An unfinished run is not completed, since in.fifo cannot be compared \
                with the earlier run; \
                no stage counts as done [run.new-input]
                  fix: give in.fifo all of its records again

                """)
        #expect(try Streams.rows(folder) == "5|5|1|5|3\n")
        #expect(folder.text("out/tasks.csv").split(separator: "\n").count == 6)
    }

    @Test(
        "after a finished append, the next run fails unless --from or --restart is given",
        arguments: [("", 65, 3), ("--from export-task", 0, 3), ("--restart", 0, 6)])
    func behindAppending(_ arguments: String, _ status: Int, _ count: Int) throws {
        let (folder, result) = try Self.blocked(Streams.appending, arguments)
        #expect(result.output == "status 73\nstatus \(status)\n", "\(result.errors)")
        let told = folder.text("status.txt").replacing(folder.path + "/", with: "")
        #expect(
            told.hasSuffix(", 1 stage done, 3 records are saved; " + Streams.refusal), "\(told)")
        if status != 0 {
            #expect(
                result.errors == """
                    error: The import 'tasks' of an unfinished run has saved objects, and would append \
                    them again if all stages ran again; the run is not completed, since in.fifo \
                    cannot be compared with the earlier run [run.cannot-resume]
                      fix: run the stages that are left by --from STAGE, or all of them by --restart

                    """)
        }
        #expect(try folder.query("SELECT count(*) FROM ZLINE") == "\(count)\n")
    }

    @Test("an append is not repeated, even if a later import by key is finished, too")
    func behindBoth() throws {
        let folder = try Streams.folder(
            Streams.appending,
            more: """
                - import: others
                  read: { files: other.fifo, as: ndjson }
                  \(Streams.keyed)
                - { export: Task, to: out/tasks.csv }
                """)
        let result = try folder.shell(
            Streams.functions + """
                mkfifo in.fifo other.fifo
                echo "a file, no folder" > out
                { records 1 3 old > in.fifo; records 4 6 old > other.fifo; } &
                again --set in=in.fifo 2> /dev/null
                rm out
                records 1 3 old > in.fifo &
                again --set in=in.fifo
                kill $! 2> /dev/null
                """)
        #expect(result.output == "status 73\nstatus 65\n", "\(result.errors)")
        let status = try Streams.status(folder)
        #expect(
            status.hasSuffix(", 2 stages done, 6 records are saved; " + Streams.refusal),
            "\(status)")
    }

    @Test(
        "an append is not repeated for another stage's input or for an additional file",
        arguments: ["files", "stream"])
    func appendedTwice(_ input: String) throws {
        let isStream = input == "stream"
        let other = "- { import: others, read: { files: other, as: ndjson }, into: Task }"
        let appended = """
            - import: tasks
              read: { files: "in/*", as: ndjson }
              \(Streams.appending)
            """
        let folder = try Streams.folder(Streams.keyed)
        try folder.writeSpec(
            "spec.yaml",
            (isStream ? other + "\n" : "") + appended
                + "\n- { export: Task, to: out/tasks.csv }")
        let result = try folder.shell(
            Streams.functions + """
                mkdir in; records 1 3 old > in/a.ndjson
                echo "a file, no folder" > out
                if \(isStream); then mkfifo other; records 1 3 old > other & fi
                again 2> /dev/null
                rm out
                \(isStream) || records 4 5 new > in/b.ndjson
                again
                """)
        #expect(result.output == "status 73\nstatus 65\n", "\(result.errors)")
        let reason =
            isStream
            ? "other cannot be compared with the earlier run" : "in/b.ndjson is new or has changed"
        #expect(
            result.errors == """
                error: The import 'tasks' of an unfinished run has saved objects, and would append them \
                again if all stages ran again; the run is not completed, since \(reason) [run.cannot-resume]
                  fix: run the stages that are left by --from STAGE, or all of them by --restart

                """)
        #expect(try folder.query("SELECT count(*) FROM ZLINE") == "3\n")
    }

    @Test(
        "an append runs again if its input has only other records",
        arguments: [
            ("in/a.ndjson", "", "records 4 5 new > in/a.ndjson"),
            ("in/*", ", once: true", "records 4 5 new > in/b.ndjson"),
        ])
    func appendedAgain(_ files: String, _ read: String, _ change: String) throws {
        let folder = try Streams.folder(
            Streams.appending, files: "\"\(files)\"", read: read,
            more: "- { export: Line, to: out/lines.csv }")
        let result = try folder.shell(
            Streams.functions + """
                mkdir in; records 1 3 old > in/a.ndjson
                echo "a file, no folder" > out
                again 2> /dev/null
                rm out
                \(change)
                again 2> /dev/null
                """)
        #expect(result.output == "status 73\nstatus 0\n", "\(result.errors)")
        #expect(
            try folder.query("SELECT group_concat(ZID) FROM (SELECT ZID FROM ZLINE ORDER BY Z_PK)")
                == "1,2,3,4,5\n")
    }
}
