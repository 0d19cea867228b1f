import GraphModel
import SQLite
import Synchronization

/// Many values for IN, to be put into a temporary table: a list of parameters has its limit, and
/// a table is searched by its key.
struct TemporaryList {
    /// So many stay parameters.
    static let parametersMax = 256

    private static let lastNumber = Mutex(0)

    let table: String
    let values: [StoredValue]

    init(_ values: [StoredValue]) {
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        table = "temp.ETL_LIST_\(number)"
        self.values = values
    }
}

/// A list on a connection; the table goes with its owner.
final class TemporaryTable {
    private let table: String
    private let connection: Connection

    init(_ list: TemporaryList, on connection: Connection) throws(SQLiteError) {
        table = list.table
        self.connection = connection
        // A statement may be prepared twice: the second has the first's values.
        try connection.execute("DROP TABLE IF EXISTS \(table)")
        try connection.execute("CREATE TABLE \(table) (value PRIMARY KEY) WITHOUT ROWID")
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table) VALUES (?)")
        for value in list.values {
            insert.bind(value, at: 1)
            try insert.run()
        }
    }

    deinit {
        // Where other statements still run SQLite refuses, and the table goes with the
        // connection.
        try? connection.execute("DROP TABLE IF EXISTS \(table)")
    }
}

/// Keeps the tables of a statement.
final class TemporaryTables {
    private let tables: [TemporaryTable]

    init(_ tables: [TemporaryTable]) {
        self.tables = tables
    }
}
