import Foundation
import Testing

/// Commands other than runs that wait for another program's lock.
@Suite("Failures: migrations and purges of stores that another program has locked", .serialized)
struct LockedStoreCommandTests {
    private static let newModel =
        FailureFolder.model.replacing("title: String", with: "name: String")

    @Test(
        "migrate and purge wait for a locked store as a run does",
        arguments: [
            (
                "migrate store.sqlite --to new.yaml",
                "SELECT name FROM pragma_table_info('ZTASK') WHERE name IN ('ZTITLE', 'ZNAME')",
                "ZTITLE\n", "ZNAME\n"
            ),
            (
                "history purge store.sqlite --before now",
                "SELECT (SELECT count(*) FROM ATRANSACTION) > 0, (SELECT count(*) FROM ACHANGE) > 0",
                "1|1\n", "0|0\n"
            ),
        ])
    func waiting(_ command: String, _ query: String, _ before: String, _ after: String) throws {
        let folder = try FailureFolder.lockable(open: "create, history: { keep: 7d }")
        try folder.write("new.yaml", Self.newModel)
        #expect(try folder.query(query) == before)
        let result = try folder.python(
            """
            store = lock()
            quiet = {"command": "\(command)", "stdout": subprocess.DEVNULL}
            print(start(**quiet).wait())
            process = start("--if-locked", "wait=1h", **quiet)
            begun(process)
            time.sleep(1.2)
            print(process.poll())
            free(store)
            print(process.wait())
            """)
        #expect(result.output == "75\nNone\n0\n")
        #expect(
            result.errors == """
                error: store.sqlite is in use by another process; try again later [store.busy]
                  fix: try again when the other process has finished

                """)
        #expect(try folder.query(query) == after)
    }

    @Test("a purge with an invalid --before fails without waiting for the lock")
    func mistake() throws {
        let folder = try FailureFolder.lockable(open: "create, history: { keep: 7d }")
        let result = try folder.python(
            """
            store = lock()
            command = "history purge store.sqlite --before nonsense --if-locked wait=1h"
            print(start(command=command).wait())
            free(store)
            """)
        #expect(result.output == "64\n")
        #expect(
            result.errors == """
                --before: error: 'nonsense' is neither a token nor a date [history.since]
                  fix: give the token of a line, or a date such as 2026-01-31 or 'today - 7d'

                """)
    }

    @Test("a signal stops a migration that waits for a run or for another program")
    func stoppedMigration() throws {
        let folder = try FailureFolder.lockable()
        try folder.write("new.yaml", Self.newModel)
        let result = try folder.python(
            """
            def stopped(ready):
                process = start("--if-locked", "wait=1h", command="migrate store.sqlite --to new.yaml")
                ready(process)
                time.sleep(0.2)
                process.terminate()
                print(process.wait())

            store = lock()
            stopped(begun)
            run = start("--if-locked", "wait=1h")
            begun(run)
            stopped(handling)
            free(store)
            print(run.wait())
            """)
        #expect(result.output == "143\n143\n0\n")
        let stopped =
            "error: The migration was stopped; the store is unchanged [run.interrupted]\n"
        #expect(result.errors == stopped + stopped)
    }
}
