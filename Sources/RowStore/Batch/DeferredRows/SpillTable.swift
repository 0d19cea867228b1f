import SQLite

/// Byte strings by number, in a temporary table.
final class SpillTable {
    private let table: LoadTable

    init(_ connection: Connection) {
        table = LoadTable("NUMBER INTEGER PRIMARY KEY, VALUE BLOB", on: connection)
    }

    /// Stores bytes by number, and replaces existing ones.
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

    /// Returns the bytes for a number, after something was stored; `nil` if there are none.
    func read(_ number: Int64) throws(StoreError) -> [UInt8]? {
        let select = try table.connection.cached(
            "SELECT VALUE FROM \(table.name) WHERE NUMBER = ?")
        select.bind(number, at: 1)
        defer { select.reset() }
        return try select.step() ? Array(select.bytes(0)) : nil
    }
}
