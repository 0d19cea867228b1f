package import SQLite

/// A join row, with its columns in the table's order.
package struct JoinRow: Hashable {
    /// The key in the table's first column.
    package var first: Int64
    /// The key in the table's second column.
    package var second: Int64

    /// Creates a join row.
    package init(first: Int64, second: Int64) {
        self.first = first
        self.second = second
    }
}

extension StoreLayout.JoinTable {
    /// Deletes join rows, in the order of their keys.
    package func delete(_ rows: Set<JoinRow>, on connection: Connection) throws(StoreError) {
        try run(
            "DELETE FROM \(name) WHERE \(firstColumn) = ? AND \(secondColumn) = ?", rows, connection
        )
    }

    /// Inserts the join rows that do not exist, in the order of their keys.
    package func insert(_ rows: Set<JoinRow>, on connection: Connection) throws(StoreError) {
        try run(
            "INSERT OR IGNORE INTO \(name) (\(firstColumn), \(secondColumn)) VALUES (?, ?)", rows,
            connection)
    }

    private func run(
        _ sql: String, _ rows: Set<JoinRow>, _ connection: Connection
    ) throws(StoreError) {
        let statement = try connection.cached(sql)
        for row in rows.sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) }) {
            statement.bind(row.first, at: 1)
            statement.bind(row.second, at: 2)
            try statement.run()
        }
    }
}
