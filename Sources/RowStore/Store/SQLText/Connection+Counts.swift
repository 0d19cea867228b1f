package import SQLite

extension Connection {
    /// Returns the number in the only row of a statement such as `SELECT count(*) …`; NULL is 0.
    package func count(_ sql: String) throws(StoreError) -> Int64 {
        let row = try prepare(sql)
        _ = try row.step()
        return row.integer(0)
    }
}
