import CSQLite
import Foundation
import GraphModel
import Testing

@testable import SQLite

@Suite("SQLite connection") struct ConnectionTests {
    private func failure(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test("changes the schema table of a connection on which SQLite forbids it, and only then")
    func writableSchema() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE A (B)")
        #expect(etl_set_defensive(connection.handle, 1) == 0)
        let rename = "UPDATE sqlite_master SET sql = 'CREATE TABLE A (C)' WHERE name = 'A'"
        try connection.withWritableSchema { () throws(StoreError) in
            try connection.execute(rename)
        }
        #expect(try connection.columnNames(of: "A") == ["C"])
        #expect(failure { try connection.execute("PRAGMA writable_schema = ON; \(rename)") } != nil)
    }

    @Test func errorContainsTheFailedStatement() throws {
        let connection = try Connection()
        let error = failure { _ = try connection.prepare("SELECT a FROM nowhere") }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "no such table: nowhere")
        #expect(error?.sql == "SELECT a FROM nowhere")
    }

    @Test func distinguishesAMissingFileFromADamagedOne() throws {
        let folder = try TemporaryFolder()
        let missing = failure {
            _ = try Connection(path: folder.file("missing.sqlite"), mode: .readWrite)
        }
        #expect(missing?.isCannotOpen == true)
        let garbage = folder.file("garbage.sqlite")
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: garbage))
        let corrupt = failure {
            _ = try Connection(path: garbage, mode: .readWrite).integer(
                "SELECT count(*) FROM sqlite_master")
        }
        #expect(corrupt?.isDamage == true)
    }

    @Test func readOnlyConnectionRejectsWrites() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.sqlite")
        try Connection(path: file, mode: .create).execute("CREATE TABLE t (a)")
        let reader = try Connection(path: file, mode: .readOnly)
        let error = failure { try reader.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.code == .permission)
    }

    @Test func isBusyWhileAnotherConnectionWrites() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.sqlite")
        let first = try Connection(path: file, mode: .create)
        try first.execute("CREATE TABLE t (a); BEGIN IMMEDIATE")
        #expect(first.isInTransaction)
        let second = try Connection(path: file, mode: .readWrite)
        second.setBusyTimeout(milliseconds: 0)
        let error = failure { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.code == .busy)
        try first.execute("ROLLBACK")
        #expect(!first.isInTransaction)
        try second.execute("BEGIN IMMEDIATE; COMMIT")
    }

    @Test func waitsForALockUntilTheHandlerStops() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.sqlite")
        let first = try Connection(path: file, mode: .create)
        try first.execute("CREATE TABLE t (a); BEGIN IMMEDIATE")
        let second = try Connection(path: file, mode: .readWrite)
        var waits: [Duration] = []
        second.waitForLocks { waited in
            waits.append(waited)
            return waits.count % 4 != 0
        }
        for asked in [4, 8] {
            let error = failure { try second.execute("BEGIN IMMEDIATE") }
            #expect(error?.code == .busy)
            #expect(waits.count == asked)
        }
        // Each wait measures its own time.
        #expect(waits == waits[..<4].sorted() + waits[4...].sorted())
        #expect(waits[4] < waits[3])
        second.waitForLocks { _ in
            // The lock's holder releases it during the wait.
            (try? first.execute("COMMIT")) != nil
        }
        try second.execute("BEGIN IMMEDIATE; COMMIT")
        try first.execute("BEGIN IMMEDIATE")
        second.setBusyTimeout(milliseconds: 0)
        let error = failure { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.code == .busy)
    }

    @Test func returnsTheCachedStatementReset() throws {
        let connection = try Connection()
        let sql = "SELECT 1 UNION ALL SELECT 2"
        let statement = try connection.cached(sql)
        try #require(try statement.step())
        let again = try connection.cached(sql)
        #expect(again === statement)
        try #require(try again.step())
        #expect(again.integer(0) == 1)
        connection.clearStatementCache()
        #expect(try connection.cached(sql) !== statement)
    }

    @Test func preconditionIsCheckedInTheSnapshotOfEachRun() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection(path: folder.file("a.sqlite"), mode: .create)
        try writer.execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a); CREATE TABLE busy (b);"
                + " INSERT INTO t VALUES (1), (2)")
        let reader = try Connection(path: folder.file("a.sqlite"), mode: .readOnly)
        let violation = try reader.prepare("SELECT EXISTS (SELECT 1 FROM busy)")
        let rows = try reader.prepare("SELECT a FROM t")
        rows.precondition = Precondition(violation: violation) { StoreError(.busy, "busy") }
        try #require(try rows.step())
        // A run that has begun reads its snapshot to the end.
        try writer.execute("INSERT INTO busy VALUES (1); DELETE FROM t")
        try #require(try rows.step())
        #expect(rows.integer(0) == 2)
        #expect(try !rows.step())
        for _ in 0..<2 {
            #expect(failure { _ = try rows.step() }?.message == "busy")
        }
        try writer.execute("DELETE FROM busy")
        #expect(try !rows.step())
        // Neither statement keeps its snapshot.
        #expect(try writer.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
    }

    @Test func statementOfAReleasedConnectionCallsNoHandler() throws {
        var told = 0
        var connection: Connection? = try Connection()
        connection?.trace(expanded: false) { _ in told += 1 }
        connection?.watch(InterruptFlag())
        connection?.waitForLocks { _ in false }
        let statement = try #require(
            try connection?.prepare(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                    + " SELECT count(*) FROM n"))
        connection = nil
        try #require(try statement.step())
        #expect(statement.integer(0) == 5000)
        #expect(told == 0)
    }

    @Test func reportsTheSameFileNameForAPathAndAURI() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.sqlite")
        let plain = try Connection(path: file, mode: .create)
        let name = try #require(plain.fileName)
        #expect(name.hasSuffix("/a.sqlite"))
        let byURI = try Connection(path: "file:\(file)?mode=rw", mode: .readWrite, isURI: true)
        #expect(byURI.fileName == name)
        #expect(try Connection().fileName == nil)
        let shared = try Connection(path: "file:/x?vfs=memdb", mode: .create, isURI: true)
        #expect(shared.fileName == nil)
    }

    @Test func dropsATableAfterTheCacheIsCleared() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try #require(try connection.cached("SELECT a FROM t").step())
        let error = failure { try connection.execute("DROP TABLE t") }
        #expect(error?.message == "database table is locked")
        connection.clearStatementCache()
        try connection.execute("DROP TABLE t")
    }

    @Test func readsOneValue() throws {
        let connection = try Connection()
        #expect(try connection.integer("SELECT 42") == 42)
        #expect(try connection.integer("SELECT NULL") == nil)
        #expect(try connection.integer("SELECT 1 WHERE 0") == nil)
        #expect(try connection.text("SELECT 'a'") == "a")
        #expect(try connection.text("SELECT NULL") == nil)
    }

    @Test func staysOpenWhileAStatementExists() throws {
        let folder = try TemporaryFolder()
        var connection: Connection? = try Connection(path: folder.file("a.sqlite"), mode: .create)
        let statement = try #require(try connection?.prepare("SELECT 7"))
        connection = nil
        try #require(try statement.step())
        #expect(statement.integer(0) == 7)
    }

    @Test func isReleasedDespiteCachedStatements() throws {
        func openAndForget() throws -> () -> Connection? {
            let connection = try Connection()
            _ = try connection.cached("SELECT 1").step()
            return { [weak connection] in connection }
        }
        #expect(try openAndForget()() == nil)
    }

    @Test func backsUpTheCommittedRows() throws {
        let folder = try TemporaryFolder()
        let source = try Connection(path: folder.file("a.sqlite"), mode: .create)
        try source.execute(
            """
            PRAGMA journal_mode = WAL; CREATE TABLE t (a);
            INSERT INTO t VALUES (1), (2), ('drei')
            """)
        let copy = try Connection(path: folder.file("b.sqlite"), mode: .create)
        try source.backup(to: copy)
        #expect(try copy.text("SELECT group_concat(a) FROM t") == "1,2,drei")
        #expect(try copy.text("PRAGMA integrity_check") == "ok")
        try source.execute("DELETE FROM t")
        #expect(try copy.integer("SELECT count(*) FROM t") == 3)
    }

    @Test func reportsABackupThatFails() throws {
        let folder = try TemporaryFolder()
        let source = try Connection(path: folder.file("a.sqlite"), mode: .create)
        try source.execute("CREATE TABLE t (a)")
        let file = folder.file("b.sqlite")
        try Connection(path: file, mode: .create).execute("CREATE TABLE u (a)")
        let copy = try Connection(path: file, mode: .readOnly)
        let error = failure { try source.backup(to: copy) }
        #expect(error?.code == .permission)
    }
}
