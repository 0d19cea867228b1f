import GraphModel
import SQLite
import Testing

@Suite("Indexes put aside") struct DroppedIndexesTests {
    private let names = #"SELECT group_concat(name, ' ') FROM sqlite_master WHERE type = 'index'"#

    /// Returns a table of 30,000 rows with indexes of several kinds.
    private func filled(_ more: String = "") throws -> Connection {
        let connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE ZTASK (Z_PK INTEGER PRIMARY KEY, ZID INTEGER, ZTITLE TEXT, UNIQUE (ZTITLE));
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
            INSERT INTO ZTASK SELECT i, 30000 - i, 'Task ' || i FROM n;
            CREATE UNIQUE INDEX "by ""id"" down" ON ZTASK (ZID DESC);
            CREATE INDEX Z_Lower ON ztask (lower(ZTITLE)) WHERE ZID > 5;
            \(more)
            """)
        return connection
    }

    private func text(_ sql: String, _ connection: Connection) throws -> String {
        let rows = try connection.prepare(sql)
        return try rows.step() ? rows.string(0) : ""
    }

    /// Deletes the rows up to a key; returns the indexes that existed during the deletion.
    private func delete(_ count: Int, _ connection: Connection) throws -> String {
        var there = ""
        try connection.execute("BEGIN")
        try connection.withIndexesDropped(of: "ZTASK", deleting: count) {
            () throws(StoreError) in
            let rows = try connection.prepare(names)
            if try rows.step() { there = rows.string(0) }
            try connection.execute("DELETE FROM ZTASK WHERE Z_PK <= \(count)")
        }
        try connection.execute("COMMIT")
        return there
    }

    @Test func areDroppedAndRecreatedWhenAThirdIsDeleted() throws {
        let connection = try filled()
        let definitions =
            "SELECT group_concat(sql, '; ') FROM (SELECT sql FROM sqlite_master"
            + " WHERE type = 'index' AND sql IS NOT NULL ORDER BY name)"
        let before = try text(definitions, connection)
        let meanwhile = try delete(10_000, connection)
        #expect(meanwhile == "sqlite_autoindex_ZTASK_1")
        let after = try text(definitions, connection)
        #expect(after == before)
        let state = try text(
            "SELECT count(*) || ' ' || (SELECT * FROM pragma_integrity_check) FROM ZTASK",
            connection)
        #expect(state == "20000 ok")
    }

    @Test(arguments: [
        (9_999, ""),
        (10_000, "INSERT INTO ZTASK VALUES (30001, -1, 'one more')"),
        (20_000, "CREATE TRIGGER t AFTER DELETE ON ZTASK BEGIN SELECT 1; END"),
        (20_000, "ANALYZE"),
    ])
    func areKeptIfDroppingIsSlowerOrUnsafe(_ count: Int, _ more: String) throws {
        let connection = try filled(more)
        let before = try text(names, connection)
        let meanwhile = try delete(count, connection)
        #expect(meanwhile == before)
        #expect(before == #"sqlite_autoindex_ZTASK_1 by "id" down Z_Lower"#)
    }

    @Test func areRestoredByARollbackAfterAnError() throws {
        let connection = try filled()
        let before = try text(names, connection)
        try connection.execute("BEGIN")
        #expect(throws: StoreError.self) {
            try connection.withIndexesDropped(of: "ZTASK", deleting: 20_000) {
                () throws(StoreError) in
                try connection.execute("DELETE FROM ZTASK WHERE Z_PK <= 20000")
                try connection.execute("DELETE FROM nothing")
            }
        }
        try connection.execute("ROLLBACK")
        let after = try text(names, connection)
        #expect(after == before)
        let count = try connection.integer("SELECT count(*) FROM ZTASK")
        #expect(count == 30_000)
    }
}
