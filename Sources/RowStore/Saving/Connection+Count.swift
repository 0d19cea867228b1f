import SQLite

extension Connection {
    /// Returns the number that a query counts; its only row is never missing.
    package func count(_ sql: String) throws(StoreError) -> Int {
        Int(try integer(sql) ?? 0)
    }
}
