import SQLite
import Synchronization

/// A temporary table of one load, for data beyond its memory limit.
///
/// It is rolled back with the transaction like the rows themselves, and dropped when its owner is
/// deallocated.
final class LoadTable {
    private static let made = Atomic<Int>(0)

    let connection: Connection
    /// The qualified name, unique in this process.
    let name: String
    private let columns: String
    private(set) var isMade = false

    init(_ columns: String, on connection: Connection) {
        self.connection = connection
        self.columns = columns
        name = "temp.ETL_SPILL_\(Self.nextNumber())"
    }

    /// Returns a number for a table name, unique in this process.
    static func nextNumber() -> Int { made.wrappingAdd(1, ordering: .relaxed).newValue }

    deinit {
        guard isMade else { return }
        connection.clearStatementCache()
        // If this fails, the table is dropped when the connection is closed.
        try? connection.execute("DROP TABLE IF EXISTS \(name)")
    }

    /// Creates the table if it does not exist.
    func make() throws(StoreError) {
        // A table that was created within a savepoint may have been rolled back.
        try connection.execute("CREATE TABLE IF NOT EXISTS \(name) (\(columns))")
        isMade = true
    }
}
