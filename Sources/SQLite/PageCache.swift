internal import CSQLite

/// What concerns SQLite as a whole.
package enum SQLiteLibrary {
    /// Leaves out the account that SQLite keeps of its memory, with a lock for every piece.
    ///
    /// For a process that is ours alone, before its first connection; later it has no effect
    /// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus).
    package static func skipMemoryStatistics() {
        _ = etl_skip_memory_statistics()
    }
}

/// How much of a file's pages a connection keeps in memory.
extension Connection {
    /// Sets the size of the cache of the first file's pages, in KiB.
    ///
    /// Pages that are too many then are given back to the system, since what is done next may
    /// need the memory for something else.
    package func setPageCache(kibibytes: Int) throws(SQLiteError) {
        let before = try pageCacheKibibytes()
        try execute("PRAGMA cache_size = -\(kibibytes)")
        guard kibibytes < before else { return }
        sqlite3_db_release_memory(handle)
        etl_return_freed_memory()
    }

    /// Makes the cache of the first file's pages larger, or smaller by a negative count.
    package func growPageCache(byBytes count: Int) throws(SQLiteError) {
        try setPageCache(kibibytes: try pageCacheKibibytes() + count >> 10)
    }

    /// Runs what makes indexes with little memory: SQLite's sorter sorts runs as large as the page
    /// cache, and small runs stay in the processor's cache and merge faster.
    package func withSmallSorter(
        _ makeIndexes: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let cacheSize = try integer("PRAGMA cache_size") ?? -2000
        try execute("PRAGMA cache_size = -2000")
        do throws(SQLiteError) {
            try makeIndexes()
        } catch {
            try? execute("PRAGMA cache_size = \(cacheSize)")
            throw error
        }
        try execute("PRAGMA cache_size = \(cacheSize)")
    }

    private func pageCacheKibibytes() throws(SQLiteError) -> Int {
        let size = Int(try integer("PRAGMA cache_size") ?? 0)
        // A size that is not negative is a number of pages.
        return size < 0 ? -size : (size * Int(try integer("PRAGMA page_size") ?? 4096)) >> 10
    }
}
