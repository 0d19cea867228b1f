package import SQLite

extension Connection {
    /// Returns the number in the only row of a statement such as `SELECT count(*) …`; NULL is 0.
    package func count(_ sql: String) throws(StoreError) -> Int {
        Int(try prepare(sql).onlyInteger())
    }
}

extension Statement {
    /// Returns the number in the only row of a query, such as a maximum; 0 if it is NULL.
    func onlyInteger() throws(StoreError) -> Int64 {
        defer { reset() }
        return try step() ? integer(0) : 0
    }
}
