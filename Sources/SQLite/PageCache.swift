package import GraphModel
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

    /// Has large pieces of memory, whoever asked for them, given back to the system when they are
    /// freed.
    ///
    /// For a process that is ours alone.
    package static func returnLargeMemory() {
        etl_return_large_memory()
    }
}

/// How much of a file's pages a connection keeps in memory.
extension Connection {
    /// Sets the size of the cache of the first file's pages, in KiB.
    ///
    /// Pages that are too many then are given back to the system, since what is done next may
    /// need the memory for something else.
    package func setPageCache(kibibytes: Int) throws(StoreError) {
        let before = try pageCacheKibibytes()
        try execute("PRAGMA cache_size = -\(kibibytes)")
        guard kibibytes < before else { return }
        sqlite3_db_release_memory(handle)
        etl_return_freed_memory()
    }

    /// Makes the cache of the first file's pages larger, or smaller by a negative count.
    package func growPageCache(byBytes count: Int) throws(StoreError) {
        try setPageCache(
            kibibytes: max(Self.leastKibibytes, try pageCacheKibibytes() + count >> 10))
    }

    /// What SQLite needs for its work at least.
    private static let leastKibibytes = 1 << 10

    /// Makes the cache so small, unless it is smaller.
    ///
    /// - Returns: the bytes that it has lost, for `growPageCache`.
    package func shrinkPageCache(toBytes count: Int) throws(StoreError) -> Int {
        let before = try pageCacheKibibytes()
        guard before > count >> 10 else { return 0 }
        try setPageCache(kibibytes: count >> 10)
        return before << 10 - count
    }

    /// What was written since this was asked last, as a share of what the cache of the first file
    /// holds: pages of all files, and of temporary data, but not those that a checkpoint takes from
    /// the write-ahead log into a file.
    package func takeCacheShareWritten() throws(StoreError) -> Double {
        var (written, largest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &written, &largest, 1)
        let bytes = Double(written) * Double(try integer("PRAGMA page_size") ?? 4096)
        return bytes / Double(max(1, try pageCacheKibibytes()) << 10)
    }

    /// Runs what makes indexes with little memory: SQLite's sorter sorts runs as large as the page
    /// cache, and small runs stay in the processor's cache and merge faster.
    package func withSmallSorter(
        _ makeIndexes: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try withPageCache(atMost: 2000, makeIndexes)
    }

    /// Runs what goes through a table from its first row to its last, once or twice: what a large
    /// cache keeps of it is not read again, and takes the system's time to come by.
    ///
    /// Measured: two passes over 230 MB took 0.98 of the time with 16 MB that they took with 56, and
    /// half of the process's memory.
    ///
    /// - Parameter columns: what it reads and writes; with an index on one of them it goes to and
    ///   fro, and has the whole cache.
    package func withScanCache<R>(
        of table: String, columns: [String], _ scan: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let names = columns.map { _ in "?" }.joined(separator: ", ")
        let indexed = try prepare(
            "SELECT 1 FROM pragma_index_list('\(table)') l, pragma_index_xinfo(l.name) c"
                // What an expression reads is not told.
                + " WHERE c.name IN (\(names)) OR c.cid = -2 LIMIT 1")
        for (place, column) in columns.enumerated() {
            indexed.bind(column, at: Int32(place) + 1)
        }
        let isIndexed = try indexed.step()
        indexed.reset()
        guard !isIndexed else { return try scan() }
        return try withPageCache(atMost: 16 << 10, scan)
    }

    private func withPageCache<R>(
        atMost kibibytes: Int, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let size = try integer("PRAGMA cache_size") ?? -2000
        guard try pageCacheKibibytes() > kibibytes else { return try body() }
        try execute("PRAGMA cache_size = -\(kibibytes)")
        let result: R
        do throws(StoreError) {
            result = try body()
        } catch {
            try? execute("PRAGMA cache_size = \(size)")
            throw error
        }
        try execute("PRAGMA cache_size = \(size)")
        return result
    }

    private func pageCacheKibibytes() throws(StoreError) -> Int {
        let size = Int(try integer("PRAGMA cache_size") ?? 0)
        // A size that is not negative is a number of pages.
        return size < 0 ? -size : (size * Int(try integer("PRAGMA page_size") ?? 4096)) >> 10
    }
}
