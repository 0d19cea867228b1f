import SQLite

/// The deferred rows: a link of each refers to an object that may still come in the same load.
///
/// Rows are deferred as a whole, so that a row which is finally rejected has no effect.
struct DeferredRows {
    /// The rows of the last entries; the rows of other entries are spilled.
    let rows: RowBatch
    /// Spilled rows that were read back into memory to be resolved.
    let recalled: RowBatch
    private(set) var recalledPlaces: [Int: Int] = [:]
    /// The entries of `rows`, which are moved to `entries` when the rows are resolved or spilled.
    private(set) var lastEntries: [DeferredRowIndex.Entry] = []
    let entries: DeferredRowIndex
    /// The number of spilled rows, which are the first ones.
    private(set) var spilled = 0
    /// The names by which links refer to rows, besides the key.
    let names: RowNames
    /// The dependencies between the rows while they are being resolved.
    var dependencies: RowDependencies
    /// Whether the rows are being resolved, which may take several calls.
    private(set) var isResolving = false
    /// The number of rows that the first pass of resolving has tried to write.
    private var triedCount = 0
    /// The rows that must be tried again, because a row that they waited for was written; the last
    /// one comes first.
    var ready: [Int] = []
    /// The number of rejects and missed links at which resolving pauses.
    var pauseAt = Int.max
    /// The maximum number of rejects and missed links in memory, together with links that are left
    /// out temporarily.
    let resultsMax: Int
    /// The keys of links that were left out to break cycles, and the keys of their rows.
    var omittedKeys: [UInt64] = []
    private var keys: BloomFilter
    private let memoryBytes: Int

    init(width: Int, names: RowNames, memoryBytes: Int, on connection: Connection) {
        self.names = names
        // A reject takes a few hundred bytes with its message.
        resultsMax = max(1, memoryBytes / 512)
        rows = RowBatch(width: width, capacity: 16)
        recalled = RowBatch(width: width, capacity: 16)
        entries = DeferredRowIndex(connection)
        dependencies = RowDependencies(entries)
        keys = BloomFilter(memoryBytes: memoryBytes / 4)
        self.memoryBytes = memoryBytes
    }

    /// The number of deferred rows, until they are resolved.
    var count: Int { spilled + lastEntries.count }

    /// Returns whether an earlier row with the key may be deferred, so that this one must be
    /// deferred too.
    ///
    /// A row that is deferred unnecessarily is written when all rows are resolved.
    func mayWait(key: UInt64) -> Bool { keys.mayContain(key) }

    /// Whether the rows in memory exceed their limit, so that they must be moved to the store.
    var isOverMemory: Bool {
        rows.byteCount + lastEntries.count * MemoryLayout<DeferredRowIndex.Entry>.stride
            > memoryBytes / 2
    }

    mutating func add(
        _ batch: RowBatch, _ place: Int, token: Int64, key: UInt64, until awaited: UInt64
    ) {
        rows.addCopy(of: place, from: batch)
        note(entry: DeferredRowIndex.Entry(token: token, key: key, awaited: awaited))
    }

    /// Adds the entry of the row that was added last.
    mutating func note(entry: DeferredRowIndex.Entry) {
        lastEntries.append(entry)
        keys.insert(entry.key)
    }

    /// Returns the entry of a row that is not spilled.
    func lastEntry(_ place: Int) -> DeferredRowIndex.Entry { lastEntries[place - spilled] }

    /// Drops the rows from memory after all of them were spilled.
    mutating func forgetRows() throws(StoreError) {
        try appendLastEntries()
        rows.removeAll()
        lastEntries.removeAll(keepingCapacity: true)
        spilled = entries.count
    }

    private func appendLastEntries() throws(StoreError) {
        try entries.append(lastEntries) { names.hashes(rows, $0) }
    }

    /// Prepares to resolve the deferred rows.
    mutating func beginSettling() throws(StoreError) {
        try appendLastEntries()
        lastEntries = []
        try entries.makeIndexes()
        dependencies = RowDependencies(entries)
        keys.removeAll()
        triedCount = 0
        isResolving = true
    }

    /// Returns the index of the next row to try in the first pass of resolving; `nil` after the
    /// last one.
    mutating func takeUntried() -> Int? {
        guard triedCount < entries.count else { return nil }
        defer { triedCount += 1 }
        return triedCount
    }

    /// Returns whether a row must still be written before a link that was left out can be set: the
    /// row of the link's target, or a later row with the key of the link's own row.
    mutating func waitsForOmittedLink() throws(StoreError) -> Bool {
        // A resolved row does not wait again.
        while let key = omittedKeys.last {
            if try dependencies.isDeferred(key: key) { return true }
            omittedKeys.removeLast()
        }
        return false
    }

    /// Removes all rows after they are resolved; later rows can be deferred again.
    mutating func endSettling() throws(StoreError) {
        rows.removeAll()
        forgetRecalled()
        try entries.removeAll()
        spilled = 0
        omittedKeys = []
        isResolving = false
    }

    /// Notes the index of a row that was read back.
    mutating func note(recalled row: Int, of place: Int) { recalledPlaces[place] = row }

    /// Whether the rows that were read back use their memory limit.
    var isRecallFull: Bool { recalled.byteCount > memoryBytes / 4 && recalled.count > 0 }

    /// Drops the rows that were read back.
    mutating func forgetRecalled() {
        recalled.removeAll()
        recalledPlaces.removeAll(keepingCapacity: true)
    }
}

/// What to do with a link whose key no object has.
enum UnresolvedPolicy {
    /// Defers the row if the object may still come.
    case wait
    /// Applies the value of the link's `missing` key in the spec, because no more rows follow.
    case decide
    /// Applies the value of the link's `missing` key, unless a row that waits has the key of the
    /// link.
    ///
    /// - Parameter place: The index of the row, which may refer to itself.
    case decideUnlessDeferred(place: Int)
    /// Leaves out the link temporarily if it refers to a waiting row; otherwise applies its
    /// `missing`.
    ///
    /// - Parameter place: The index of the row, which may refer to itself.
    case breakCycle(place: Int)
}
