package import GraphModel

extension Connection {
    /// Runs what deletes so many of a table's rows that its indexes are made anew for the rest
    /// sooner than each of them is freed of each row.
    ///
    /// Inside a transaction, with which the indexes come back if anything fails. Those that belong
    /// to a constraint stay, and all of them do where triggers may look through them, or where
    /// statistics are kept (https://www.sqlite.org/lang_analyze.html), which go with an index.
    ///
    /// - Parameters:
    ///   - table: of the first file.
    ///   - count: how many rows go.
    package func withIndexesAside(
        of table: String, deleting count: Int, _ delete: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let indexes = try indexesAside(of: table, deleting: count)
        guard !indexes.isEmpty else { return try delete() }
        for index in indexes {
            try execute("DROP INDEX \(Self.quoted(index.name))")
        }
        try delete()
        try withSmallSorter { () throws(StoreError) in
            for index in indexes { try execute(index.sql) }
        }
    }

    private func indexesAside(
        of table: String, deleting count: Int
    ) throws(StoreError) -> [(name: String, sql: String)] {
        // Measured: below a quarter of the rows it takes longer. The highest key is no less than
        // the count of rows, and known at once.
        guard count >= 10_000, try integer("SELECT max(rowid) FROM \(table)") ?? 0 <= count * 3,
            try !hasTriggers(on: table),
            try integer("SELECT 1 FROM sqlite_master WHERE name GLOB 'sqlite_stat[0-9]'") == nil
        else { return [] }
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
