import SQLite
import Testing

@Suite("Pair table") struct PairTableTests {
    private func read(_ sql: String, _ pairs: [UInt64]) throws -> String? {
        let connection = try Connection(path: ":memory:", mode: .create)
        try pairs.withUnsafeBufferPointer { pairs in
            try connection.withPairs(pairs) { () throws(SQLiteError) in
                try connection.execute("CREATE TABLE found AS \(sql)")
            }
        }
        return try connection.text(
            "SELECT group_concat(a || ':' || b, ' ') FROM (SELECT * FROM found ORDER BY rowid)")
    }

    @Test func isReadInItsOrder() throws {
        let pairs = [PairTable.packed(1, 2), PairTable.packed(.max, 0), PairTable.packed(0, .max)]
        let sql = "SELECT FIRST AS a, SECOND AS b FROM PAIRS"
        #expect(try read(sql, pairs) == "1:2 4294967295:0 0:4294967295")
        #expect(try read(sql, []) == nil)
        #expect(try read(sql + " WHERE SECOND > 0 ORDER BY FIRST", pairs) == "0:4294967295 1:2")
    }

    @Test func isReadTwiceAtOnce() throws {
        let pairs = [PairTable.packed(1, 2), PairTable.packed(2, 3)]
        let sql =
            "SELECT x.FIRST AS a, y.SECOND AS b FROM PAIRS x, PAIRS y ORDER BY x.rowid, y.rowid"
        #expect(try read(sql, pairs) == "1:2 1:3 2:2 2:3")
    }

    @Test func isThereNoLongerThanItsMemory() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        for number in UInt32(1)...2 {
            try [PairTable.packed(number, 7)].withUnsafeBufferPointer { pairs in
                try connection.withPairs(pairs) { () throws(SQLiteError) in
                    try connection.execute("CREATE TABLE t\(number) AS SELECT FIRST FROM PAIRS")
                }
            }
        }
        #expect(try connection.text("SELECT t1.FIRST || t2.FIRST FROM t1, t2") == "12")
        #expect(throws: SQLiteError.self) { _ = try connection.prepare("SELECT * FROM PAIRS") }
    }
}
