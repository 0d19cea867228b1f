import SQLite
import Synchronization

/// A table for temporary data of one load, with what no longer fits its memory.
///
/// It is undone with the transaction as the rows themselves are, and gone with its owner.
final class LoadTable {
    private static let made = Atomic<Int>(0)

    let connection: Connection
    /// A name that no other table of this process has, behind the name of the database.
    let name: String
    private let columns: String
    private(set) var isMade = false

    init(_ columns: String, on connection: Connection) {
        self.connection = connection
        self.columns = columns
        name = "temp.ETL_SPILL_\(Self.nextNumber())"
    }

    /// A number that no other table of this process has in its name.
    static func nextNumber() -> Int { made.wrappingAdd(1, ordering: .relaxed).newValue }

    deinit {
        guard isMade else { return }
        connection.clearStatementCache()
        // What stays is gone with the connection.
        try? connection.execute("DROP TABLE IF EXISTS \(name)")
    }

    /// Makes sure that the table is there.
    func make() throws(StoreError) {
        // What was made within a savepoint may be gone with it.
        try connection.execute("CREATE TABLE IF NOT EXISTS \(name) (\(columns))")
        isMade = true
    }
}
