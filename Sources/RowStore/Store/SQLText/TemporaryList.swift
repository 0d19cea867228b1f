import GraphModel
import SQLite
import Synchronization

/// A list of values for IN that is stored in a temporary table.
///
/// The number of parameters is limited, and a table can be searched by its key.
package struct TemporaryList {
    /// The maximum number of values that are passed as parameters instead.
    static let parametersMax = 256

    private static let lastNumber = Mutex(0)

    /// The name of the table, with its schema name.
    package let table: String
    let values: [StoredValue]

    /// Creates a list with a new table name; nothing is written yet.
    package init(_ values: [StoredValue]) {
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        table = "temp.ETL_LIST_\(number)"
        self.values = values
    }

    /// Returns the condition that a column has none of the values.
    package func excluding(_ column: String) -> SQLFragment {
        var condition = SQLFragment("\(column) NOT IN (SELECT value FROM \(table))")
        condition.lists = [self]
        return condition
    }
}

/// A temporary table on a connection, which is dropped with the last of its owners.
final class TemporaryTable {
    private struct Place: Hashable {
        let connection: ObjectIdentifier
        let table: String
    }

    /// The number of owners of each table; two statements of one fragment share a table.
    private static let owners = Mutex<[Place: Int]>([:])

    private let table: String
    private let connection: Connection
    private var place: Place { Place(connection: ObjectIdentifier(connection), table: table) }

    init(_ list: TemporaryList, on connection: Connection) throws(StoreError) {
        table = list.table
        self.connection = connection
        let place = place
        Self.owners.withLock { $0[place, default: 0] += 1 }
        // The table may exist because another statement uses it or because SQLite could not drop
        // it. Its values never change.
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(table) (value PRIMARY KEY) WITHOUT ROWID")
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table) VALUES (?)")
        for value in list.values {
            insert.bind(value, at: 1)
            try insert.run()
        }
    }

    deinit {
        let place = place
        let isLast = Self.owners.withLock { owners in
            if let count = owners[place], count > 1 {
                owners[place] = count - 1
                return false
            }
            owners[place] = nil
            return true
        }
        // If other statements are running, SQLite fails here, and the table is dropped with the
        // connection.
        if isLast { try? connection.execute("DROP TABLE IF EXISTS \(table)") }
    }
}

/// The owner of a statement's temporary tables.
final class TemporaryTables {
    private let tables: [TemporaryTable]

    init(_ tables: [TemporaryTable]) {
        self.tables = tables
    }
}
