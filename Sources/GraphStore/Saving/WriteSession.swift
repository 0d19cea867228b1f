import SQLite

/// One transaction: its connection, the keys that it hands out and what it changed.
final class WriteSession {
    let connection: Connection
    let schema: StoreSchema
    var change = StoreChange()
    private var nextKeys: [Int64: Int64] = [:]
    private let dataVersion: Int64

    init(_ store: PersistentStore) throws(StoreError) {
        connection = store.connection
        schema = store.schema
        do {
            try connection.execute("BEGIN IMMEDIATE")
            dataVersion = try connection.integer("PRAGMA data_version") ?? 0
        } catch {
            guard !error.isBusy else {
                throw StoreError(
                    .busy, "\(connection.path) is in use by another process; try again later")
            }
            throw StoreError(error)
        }
    }

    /// Moves when another connection has written since the last transaction of this one.
    var foreignWrites: Int64 { dataVersion }

    /// The next free key of a hierarchy.
    func nextKey(root: Int64) throws(SQLiteError) -> Int64 {
        let key = try peekKey(root: root)
        nextKeys[root] = key + 1
        return key
    }

    /// The key that `nextKey(root:)` will give.
    func peekKey(root: Int64) throws(SQLiteError) -> Int64 {
        if let key = nextKeys[root] { return key }
        let statement = try connection.cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        statement.bind(root, at: 1)
        let largest = try statement.step() ? statement.integer(0) : 0
        statement.reset()
        return largest + 1
    }

    func commit() throws(StoreError) {
        do {
            let write = try connection.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
            for (root, key) in nextKeys {
                write.bind(key - 1, at: 1)
                write.bind(root, at: 2)
                try write.run()
            }
            try connection.execute("COMMIT")
        } catch {
            throw StoreError(error)
        }
    }

    func rollback() {
        // SQLite may have rolled back by itself, after a full disk for one.
        guard connection.isInTransaction else { return }
        try? connection.execute("ROLLBACK")
    }
}
