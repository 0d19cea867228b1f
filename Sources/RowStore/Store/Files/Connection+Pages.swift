package import SQLite

extension Connection {
    /// Sets the journal mode of the main database.
    package func setJournalMode(_ mode: String) throws(StoreError) {
        try execute("PRAGMA journal_mode = \(mode)")
    }

    /// Releases the free pages of a database; without `auto_vacuum`, rewrites the database.
    package func compact(_ database: String) throws(StoreError) {
        let isIncremental = try integer("PRAGMA \(database).auto_vacuum") == 2
        try execute(
            isIncremental ? "PRAGMA \(database).incremental_vacuum" : "VACUUM \(database)")
    }

    /// Releases free pages of the main database, and moves the content of its log into the file.
    package func releasePages() throws(StoreError) {
        try execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
