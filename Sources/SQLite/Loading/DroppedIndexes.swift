package import GraphModel

extension Connection {
    /// Runs a deletion; if it deletes many rows, drops the table's indexes before it and rebuilds
    /// them after it.
    ///
    /// This is faster than deleting each row from each index. It applies to at least 10,000 rows
    /// and at least a third of the highest row ID. Call it inside a transaction, whose rollback
    /// restores the indexes if an error occurs. Indexes of constraints are kept. All indexes are
    /// kept if the table has triggers, which may need them, or if the database has statistics
    /// (https://www.sqlite.org/lang_analyze.html), which are dropped with an index.
    ///
    /// - Parameters:
    ///   - table: a table of the main database.
    ///   - count: the number of rows to delete.
    package func withIndexesDropped(
        of table: String, deleting count: Int, _ delete: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let indexes = try indexesToDrop(of: table, deleting: count)
        guard !indexes.isEmpty else { return try delete() }
        for index in indexes {
            try execute("DROP INDEX \(Self.quoted(index.name))")
        }
        try delete()
        try withSmallSorter { () throws(StoreError) in
            for index in indexes { try execute(index.sql) }
        }
    }

    /// Returns whether a table loses so many rows that rebuilding its indexes is faster than
    /// deleting each row from each of them, and whether they may be dropped.
    package func shrinksMuch(
        _ table: String, deleting count: Int
    ) throws(StoreError) -> Bool {
        // Measured: below a quarter of the rows, this takes longer. The highest row ID is at least
        // the number of rows, and SQLite finds it at once.
        guard count >= 10_000, try integer("SELECT max(rowid) FROM \(table)") ?? 0 <= count * 3,
            try !hasTriggers(on: table)
        else { return false }
        return
            try integer("SELECT 1 FROM sqlite_master WHERE name GLOB 'sqlite_stat[0-9]'") == nil
    }

    /// Returns whether a table has only indexes of these names, besides those of constraints.
    package func hasNoOtherIndexes(
        than names: [String], on table: String
    ) throws(StoreError) -> Bool {
        try droppableIndexes(of: table).allSatisfy { names.contains($0.name) }
    }

    private func indexesToDrop(
        of table: String, deleting count: Int
    ) throws(StoreError) -> [(name: String, sql: String)] {
        try shrinksMuch(table, deleting: count) ? droppableIndexes(of: table) : []
    }

    private func droppableIndexes(
        of table: String
    ) throws(StoreError) -> [(name: String, sql: String)] {
        let rows = try prepare(
            "SELECT name, sql FROM sqlite_master"
                + " WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE AND sql IS NOT NULL"
                + " ORDER BY rowid")
        rows.bind(table, at: 1)
        var found: [(name: String, sql: String)] = []
        while try rows.step() { found.append((rows.string(0), rows.string(1))) }
        return found
    }
}
