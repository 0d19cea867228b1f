import SQLite

extension Connection {
    /// Returns the number that a query counts; its only row is never missing.
    package func count(_ sql: String) throws(StoreError) -> Int {
        Int(try integer(sql) ?? 0)
    }
}

extension Statement {
    /// Returns the number in the only row of a query, such as a maximum; 0 if it is NULL.
    func onlyInteger() throws(StoreError) -> Int64 {
        defer { reset() }
        return try step() ? integer(0) : 0
    }
}
