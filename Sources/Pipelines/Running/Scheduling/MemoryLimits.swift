import GraphStore

/// The division of `budget.memory` among the users of memory that grows with the data.
///
/// The base memory of the process and the batches between reader and writer are not included; they
/// take at most 48 MiB.
struct MemoryLimits: Sendable {
    private let total: Int

    init(_ total: Int) {
        self.total = total
    }

    /// The page cache of the writing connection, at most 256 MiB, because more does not help.
    ///
    /// An import into a non-empty store adds the memory that its map of keys does not need.
    var pages: Int { min(total / 32 * 7, 256 << 20) }

    /// The page cache of each reading connection.
    var readerPages: Int { min(total / 16, 64 << 20) }

    /// Returns the limits for the rows and keys that a load keeps in memory.
    ///
    /// - Parameter countingRows: whether the load also counts equal records.
    func load(countingRows: Bool) -> BulkMemory {
        var memory = BulkMemory(
            keys: total / 2 - (countingRows ? rowKeys : 0), links: total / 32 * 3,
            deferredRows: total / 16, changes: total / 16)
        memory.lendsToPages = true
        return memory
    }

    /// The memory for counting equal input records, for all reading threads together.
    var rowKeys: Int { total / 8 }

    /// The memory for records that are buffered to be sorted by row.
    ///
    /// Only loads without deferred rows use it, instead of the memory for these rows.
    var staging: Int { total / 16 }

    /// The memory for sorting links at the end of a load, when the load's memory is free.
    var sorting: Int { total / 2 }

    /// The number of batches between the reading threads and the writing thread.
    ///
    /// Each reader has at least three. A batch can contain a record of the maximum size, so the
    /// number is small.
    var batches: Int { total < 128 << 20 ? 3 : max(6, min(12, (total >> 20) / 256 * 6)) }
}

extension PersistentContainer {
    /// Builds the indexes and links that loads have deferred, within the memory budget of the run.
    func buildPendingIndexes(_ budget: BudgetSpec) throws {
        try buildPendingIndexes(linkBytes: MemoryLimits(budget.memory).sorting)
    }
}
