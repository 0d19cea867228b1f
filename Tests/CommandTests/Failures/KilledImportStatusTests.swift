import Foundation
import Testing

/// `etl status` and `etl report` of a store whose import is in progress or was killed.
@Suite("Status of killed imports", .serialized, .tags(.slow)) struct KilledImportStatusTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
    }

    private func write(_ title: String) throws {
        let rows = (0..<100_000).map { "\($0),\(title) \($0)\n" }.joined()
        try folder.write("u.csv", "id,title\n" + rows)
    }

    /// Starts an import, stops its process after a save, runs a script, kills the process, and runs
    /// another script.
    private func killed(inProgress: String, killed: String) throws -> FailureFolder.Result {
        let result = try folder.shell(
            """
            wait_for_save() {
                python3 - <<'END'
            import sqlite3, time
            for _ in range(3000):
                try:
                    store = sqlite3.connect("file:s.sqlite?mode=ro", uri=True)
                    if store.execute("SELECT 1 FROM ETL_PROGRESS WHERE KIND = 'load'").fetchall():
                        break
                except sqlite3.Error: pass
                time.sleep(0.01)
            END
            }
            "$E" import u.csv --into s.sqlite & run=$!
            wait_for_save
            kill -STOP $run
            \(inProgress)
            kill -KILL $run
            wait $run 2> /dev/null
            \(killed)
            """)
        return FailureFolder.Result(
            status: result.status, output: masked(result.output), errors: masked(result.errors))
    }

    private func masked(_ text: String) -> String {
        text.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
            .replacing(#/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z| UTC)/#, with: "TIME")
            .replacing(#/[\d.]+ m?s ago/#, with: "AGE").replacing(#/pid \d+/#, with: "pid P")
            .replacing(#/record [\d,]+/#, with: "record N")
            .replacing(#/[\d,]+ records are/#, with: "N records are")
    }

    @Test("a first import that is in progress, then killed, is shown with its saved records")
    func first() throws {
        try write("a")
        let seen = try killed(
            inProgress: """
                "$E" status s.sqlite | grep -e '^last run' -e '^running'
                "$E" report s.sqlite 2>&1; echo "status $?"
                """,
            killed: """
                "$E" status s.sqlite; echo "status $?"
                "$E" report s.sqlite 2>&1; echo "status $?"
                "$E" status s.sqlite --format json > status.json
                """)
        #expect(
            seen.output == """
                last run      RUN, in progress, began TIME, AGE
                running       pid P, pipeline import-u, since TIME
                error: A run of import-u that began at TIME is in progress, and has no report \
                [report.in-progress]
                  fix: wait until it ends; `etl status` shows it
                status 66
                pipeline      import-u
                last run      RUN, did not end (killed?), began TIME, AGE
                run before    none among the reports
                last success  none among the reports
                to complete   RUN, 0 stages done, N records are saved, import u at record N of \
                u.csv; the next run continues
                to complete   indexes and links are missing, so the store cannot be read; run the \
                spec or repeat the import, which completes them
                reports       runs
                status 1
                error: A run of import-u that began at TIME did not end (killed?), and has no \
                report; N records are saved; the next run continues [report.killed]
                  fix: run it again; `etl status` shows what it must complete
                status 66

                """, "\(seen.errors)")
        struct Status: Decodable {
            struct Unended: Decodable { var state: String }
            struct Pending: Decodable { var recordsSaved: Int }
            var unended: Unended
            var toComplete: [Pending]
        }
        let status = try JSONDecoder().decode(
            Status.self, from: Data(folder.text("status.json").utf8))
        #expect(status.unended.state == "killed")
        let saved = try folder.shell("sqlite3 s.sqlite 'SELECT count(*) FROM ZU'").output
        #expect(saved == "\(status.toComplete.first?.recordsSaved ?? 0)\n")
        #expect(saved != "0\n")
    }

    @Test("a later import that was killed is shown, and the report before it has a warning")
    func later() throws {
        try write("a")
        #expect(try folder.shell("exec \"$E\" import u.csv --into s.sqlite").status == 0)
        try write("b")
        let seen = try killed(
            inProgress: "",
            killed: """
                "$E" status s.sqlite | sed -n 2,3p
                "$E" report s.sqlite 2> warning.txt | sed -n 1p
                "$E" report s.sqlite --format json 2> /dev/null | grep -c '"state": "killed"'
                "$E" import u.csv --into s.sqlite
                "$E" report s.sqlite > /dev/null && "$E" status s.sqlite | sed -n 2p
                """)
        #expect(
            seen.output == """
                last run      RUN, did not end (killed?), began TIME, AGE
                run before    RUN, exit 0 OK, ended TIME, AGE
                import-u: exit 0 OK. Every record was counted, and no more records were rejected \
                than allowed.
                1
                last run      RUN (attempt 2), exit 0 OK, ended TIME, AGE

                """, "\(seen.errors)")
        #expect(
            masked(folder.text("warning.txt")) == """
                warning: A run of import-u that began at TIME did not end (killed?), and has no \
                report; N records are saved; the next run continues [report.killed]
                  fix: run it again; `etl status` shows what it must complete

                """)
    }
}
