import GraphModel
import SQLite
import Testing

@Suite("Pair table") struct PairTableTests {
    private func memory() throws -> Connection { try Connection() }

    /// Returns the result of a query that is built from the table's name.
    private func read(
        _ pairs: [UInt64], on connection: Connection, _ sql: (String) -> String
    ) throws -> String? {
        try pairs.withUnsafeBufferPointer { pairs in
            try connection.withPairs(pairs) { name throws(StoreError) in
                try connection.execute("CREATE TABLE found AS " + sql(name))
            }
        }
        defer { try? connection.execute("DROP TABLE found") }
        return try connection.text(
            "SELECT group_concat(a || ':' || b, ' ') FROM (SELECT * FROM found ORDER BY rowid)")
    }

    @Test func returnsPairsInTheirOrder() throws {
        let connection = try memory()
        let pairs = [PairTable.packed(1, 2), PairTable.packed(.max, 0), PairTable.packed(0, .max)]
        let sql = { (name: String) in "SELECT FIRST AS a, SECOND AS b FROM \(name)" }
        #expect(try read(pairs, on: connection, sql) == "1:2 4294967295:0 0:4294967295")
        #expect(try read([], on: connection, sql) == nil)
        let ordered = { (name: String) in sql(name) + " WHERE SECOND > 0 ORDER BY FIRST" }
        #expect(try read(pairs, on: connection, ordered) == "0:4294967295 1:2")
    }

    @Test func joinsTheTableWithItself() throws {
        let pairs = [PairTable.packed(1, 2), PairTable.packed(2, 3)]
        let found = try read(pairs, on: memory()) { name in
            "SELECT x.FIRST AS a, y.SECOND AS b FROM \(name) x, \(name) y"
                + " ORDER BY x.rowid, y.rowid"
        }
        #expect(found == "1:2 1:3 2:2 2:3")
    }

    @Test func isNotConfusedWithATableOrViewOfTheFile() throws {
        let connection = try memory()
        try connection.execute(
            """
            CREATE VIEW etl_pairs AS SELECT 8 AS FIRST, 9 AS SECOND;
            CREATE TEMP TABLE ETL_PAIRS_2 (FIRST, SECOND);
            """)
        let found = try read([PairTable.packed(1, 2)], on: connection) { name in
            "SELECT FIRST AS a, SECOND AS b FROM \(name)"
        }
        #expect(found == "1:2")
    }

    @Test func isRemovedWhenItsMemoryIsReleased() throws {
        let connection = try memory()
        var name = ""
        for number in UInt32(1)...2 {
            let found = try read([PairTable.packed(number, 7)], on: connection) { table in
                name = table
                return "SELECT FIRST AS a, SECOND AS b FROM \(table)"
            }
            #expect(found == "\(number):7")
        }
        #expect(throws: StoreError.self) { _ = try connection.prepare("SELECT * FROM \(name)") }
    }
}
