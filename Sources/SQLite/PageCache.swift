package import GraphModel
internal import CSQLite

/// Settings of SQLite for the whole process.
package enum SQLiteLibrary {
    /// Turns off SQLite's memory statistics, which take a lock for each allocation.
    ///
    /// Use it only in a process that etl alone controls, before its first connection; later it has
    /// no effect
    /// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus).
    package static func skipMemoryStatistics() {
        _ = etl_skip_memory_statistics()
    }

    /// Makes the allocator return large blocks to the system when they are freed, whichever code
    /// allocated them.
    ///
    /// Use it only in a process that etl alone controls.
    package static func returnLargeMemory() {
        etl_return_large_memory()
    }
}

/// The size of a connection's page cache.
extension Connection {
    /// Sets the size of the main database's page cache, in KiB.
    ///
    /// If the cache shrinks, its memory is returned to the system, because the next step may need
    /// it.
    package func setPageCache(kibibytes: Int) throws(StoreError) {
        let before = try pageCacheKibibytes()
        try execute("PRAGMA cache_size = -\(kibibytes)")
        guard kibibytes < before else { return }
        sqlite3_db_release_memory(handle)
        etl_return_freed_memory()
    }

    /// Grows the main database's page cache, or shrinks it if the count is negative.
    package func growPageCache(byBytes count: Int) throws(StoreError) {
        try setPageCache(
            kibibytes: max(Self.leastKibibytes, try pageCacheKibibytes() + count >> 10))
    }

    /// The minimum size of the page cache, in KiB.
    private static let leastKibibytes = 1 << 10

    /// Shrinks the page cache to at most `count` bytes.
    ///
    /// - Returns: the number of bytes by which it shrank, for `growPageCache`.
    package func shrinkPageCache(toBytes count: Int) throws(StoreError) -> Int {
        let before = try pageCacheKibibytes()
        guard before > count >> 10 else { return 0 }
        try setPageCache(kibibytes: count >> 10)
        return before << 10 - count
    }

    /// Returns the amount written since the last call, as a fraction of the main database's cache
    /// size.
    ///
    /// It includes pages of all files and of temporary data, but not the pages that a checkpoint
    /// copies from the write-ahead log.
    package func takeCacheFractionWritten() throws(StoreError) -> Double {
        var (written, largest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &written, &largest, 1)
        let bytes = Double(written) * Double(try integer("PRAGMA page_size") ?? 4096)
        return bytes / Double(max(1, try pageCacheKibibytes()) << 10)
    }

    /// Runs index builds with a page cache of at most 2,000 KiB.
    ///
    /// SQLite's sorter sorts runs as large as the page cache. Small runs fit in the CPU cache and
    /// merge faster.
    package func withSmallSorter(
        _ makeIndexes: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try withPageCache(atMost: 2000, makeIndexes)
    }

    /// Runs one or two passes over a table, from its first row to its last, with a page cache of at
    /// most 16 MiB.
    ///
    /// A larger cache does not help, because its pages are not read again, and allocating it costs
    /// system time. Measured: two passes over 230 MB took 0.98 of the time with 16 MB that they
    /// took with 56 MB, and half of the process's memory.
    ///
    /// - Parameter columns: the columns that the passes read and write. If one of them has an
    ///   index, access is random, and the cache keeps its size.
    package func withScanCache<R>(
        of table: String, columns: [String], _ scan: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let names = columns.map { _ in "?" }.joined(separator: ", ")
        let indexed = try prepare(
            "SELECT 1 FROM pragma_index_list('\(table)') l, pragma_index_xinfo(l.name) c"
                // SQLite does not report the columns that an expression reads.
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
            // Throw the original error; the smaller cache only costs time.
            try? execute("PRAGMA cache_size = \(size)")
            throw error
        }
        try execute("PRAGMA cache_size = \(size)")
        return result
    }

    private func pageCacheKibibytes() throws(StoreError) -> Int {
        let size = Int(try integer("PRAGMA cache_size") ?? 0)
        // A nonnegative size is a number of pages.
        return size < 0 ? -size : (size * Int(try integer("PRAGMA page_size") ?? 4096)) >> 10
    }
}
