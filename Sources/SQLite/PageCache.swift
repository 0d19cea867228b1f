internal import CSQLite

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

    /// Makes the cache of the first file's pages larger.
    package func growPageCache(byBytes count: Int) throws(SQLiteError) {
        try setPageCache(kibibytes: try pageCacheKibibytes() + count >> 10)
    }

    private func pageCacheKibibytes() throws(SQLiteError) -> Int {
        let size = Int(try integer("PRAGMA cache_size") ?? 0)
        // A size that is not negative is a number of pages.
        return size < 0 ? -size : (size * Int(try integer("PRAGMA page_size") ?? 4096)) >> 10
    }
}
