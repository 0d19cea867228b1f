import GraphStore

/// How `budget.memory` is divided among what holds memory in proportion to the data.
///
/// What a process needs whatever it does, and the batches between reading and writing, are beside
/// it: 48 MiB at most.
struct MemoryShares: Sendable {
    private let total: Int

    init(_ total: Int) {
        self.total = total
    }

    /// The page cache of the connection that writes; more than this is of no use to it.
    ///
    /// An import into a full store adds what its map of keys does not need.
    var pages: Int { min(total / 32 * 7, 256 << 20) }

    /// The page cache of each connection that reads.
    var readerPages: Int { min(total / 16, 64 << 20) }

    /// What a load remembers of rows and keys.
    ///
    /// - Parameter countingRows: how often equal records come is remembered, too.
    func load(countingRows: Bool) -> BulkMemory {
        var memory = BulkMemory(
            keys: total / 2 - (countingRows ? rowKeys : 0), links: total / 32 * 3,
            waiting: total / 16, changes: total / 16)
        memory.lendsToPages = true
        return memory
    }

    /// How often equal records of an input came, for all lanes.
    var rowKeys: Int { total / 8 }

    /// Records that are kept aside, of loads in which no record waits: what these would take.
    var staging: Int { total / 16 }

    /// What links take while they are sorted, when a load is over and its share is free.
    var sorting: Int { total / 2 }

    /// Batches between the threads that read and the one that writes.
    ///
    /// Each reader has three or more of them. Each may hold a record of the largest size, so there
    /// are never many.
    var batches: Int { total < 128 << 20 ? 3 : max(6, min(12, (total >> 20) / 256 * 6)) }
}

extension PersistentContainer {
    /// Makes what loads have put off, with the memory that a run has for it.
    func buildPendingIndexes(_ budget: BudgetSpec) throws {
        try buildPendingIndexes(linkBytes: MemoryShares(budget.memory).sorting)
    }
}
