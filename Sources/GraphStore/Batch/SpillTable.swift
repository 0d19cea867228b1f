import SQLite

/// Bytes by a number, in a table for temporary data.
final class SpillTable {
    private let table: LoadTable

    init(_ connection: Connection) {
        table = LoadTable("NUMBER INTEGER PRIMARY KEY, VALUE BLOB", on: connection)
    }

    /// Keeps bytes under each number, in the place of those that are there.
    func write(_ entries: some Sequence<(Int64, [UInt8])>) throws(StoreError) {
        try table.make()
        let insert = try table.connection.prepare(
            "INSERT OR REPLACE INTO \(table.name) VALUES (?, ?)")
        for (number, value) in entries {
            insert.bind(number, at: 1)
            insert.bind(value, at: 2)
            try insert.run()
        }
    }

    /// The bytes of a number; nil where none are kept.
    func read(_ number: Int64) throws(StoreError) -> [UInt8]? {
        guard table.isMade else { return nil }
        let select = try table.connection.cached(
            "SELECT VALUE FROM \(table.name) WHERE NUMBER = ?")
        select.bind(number, at: 1)
        defer { select.reset() }
        return try select.step() ? Array(select.bytes(0)) : nil
    }
}
