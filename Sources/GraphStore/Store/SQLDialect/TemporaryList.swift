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

/// A list on a connection; the table goes with the last of its owners.
final class TemporaryTable {
    private struct Place: Hashable {
        let connection: ObjectIdentifier
        let table: String
    }

    /// How many owners each table has: two statements of one fragment share it.
    private static let owners = Mutex<[Place: Int]>([:])

    private let table: String
    private let connection: Connection
    private var place: Place { Place(connection: ObjectIdentifier(connection), table: table) }

    init(_ list: TemporaryList, on connection: Connection) throws(StoreError) {
        table = list.table
        self.connection = connection
        let place = place
        Self.owners.withLock { $0[place, default: 0] += 1 }
        // It may be there, since the other statement has it, or since SQLite could not drop it. Its
        // values never change.
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
            owners[place, default: 0] -= 1
            guard owners[place] == 0 else { return false }
            owners[place] = nil
            return true
        }
        // While other statements run SQLite refuses this, and the table goes with the connection.
        if isLast { try? connection.execute("DROP TABLE IF EXISTS \(table)") }
    }
}

/// Keeps the tables of a statement.
final class TemporaryTables {
    private let tables: [TemporaryTable]

    init(_ tables: [TemporaryTable]) {
        self.tables = tables
    }
}
