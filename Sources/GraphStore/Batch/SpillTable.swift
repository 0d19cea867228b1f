import SQLite
import Synchronization

/// A table for temporary data of one load, with what no longer fits its memory: bytes by a number.
///
/// It is undone with the transaction as the rows themselves are, and gone with its owner.
final class SpillTable {
    private static let made = Atomic<Int>(0)

    private let connection: Connection
    private let table: String
    private var hasTable = false

    init(_ connection: Connection) {
        self.connection = connection
        let number = Self.made.wrappingAdd(1, ordering: .relaxed).newValue
        table = "temp.ETL_SPILL_\(number)"
    }

    deinit {
        guard hasTable else { return }
        connection.clearStatementCache()
        // What stays is gone with the connection.
        try? connection.execute("DROP TABLE IF EXISTS \(table)")
    }

    /// Keeps bytes under each number, in the place of those that are there.
    func write(_ entries: some Sequence<(Int64, [UInt8])>) throws(SQLiteError) {
        // What was made within a savepoint may be gone with it.
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(table) (NUMBER INTEGER PRIMARY KEY, VALUE BLOB)")
        hasTable = true
        let insert = try connection.prepare("INSERT OR REPLACE INTO \(table) VALUES (?, ?)")
        for (number, value) in entries {
            insert.bind(number, at: 1)
            insert.bind(value, at: 2)
            try insert.run()
        }
    }

    /// The bytes of a number; nil where none are kept.
    func read(_ number: Int64) throws(SQLiteError) -> [UInt8]? {
        guard hasTable else { return nil }
        let select = try connection.cached("SELECT VALUE FROM \(table) WHERE NUMBER = ?")
        select.bind(number, at: 1)
        defer { select.reset() }
        return try select.step() ? Array(select.bytes(0)) : nil
    }
}
