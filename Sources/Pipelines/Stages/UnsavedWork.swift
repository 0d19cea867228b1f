/// The work of an import since its last save, which determines when to save.
///
/// A record that changes nothing counts as a tenth of a record: it modifies no page of the store,
/// and reading it again after a kill is fast. Scattered changes in a table each modify other pages,
/// in the table and in its indexes. A page that changes again before the save is written only once.
///
/// Modified pages stay in the page cache until the save. If they fill it, there is no space for
/// pages that are read, and SQLite writes some of them to the write-ahead log early. If one of
/// these pages changes again, it is overwritten in the log. The save must then read everything
/// after it again, because the checksums depend on the frames before. So if a save finds that
/// changes filled more than half of the cache, the next saves come after the number of records that
/// should fill half of it.
struct UnsavedWork {
    private static let idleDivisor = 10
    /// The fraction of the page cache that the changes between two saves should fill.
    private static let cacheFraction = 0.5
    /// The maximum number of saves per `save-every` records, because each save may modify some
    /// pages anyway.
    private static let partsMax = 16

    private var records = 0
    private var bytes = 0
    /// The weighted records between the last two saves.
    private var recordsOfLastSave = 0
    /// The estimated number of records that fill that fraction of the page cache.
    private var recordsMax = Int.max

    /// Adds the records of a batch.
    ///
    /// - Parameter idle: The number of the batch's records that changed nothing.
    mutating func add(_ batch: MappedBatch, idle: Int) {
        add(records: batch.recordCount, bytes: batch.plainBytes, idle: idle)
    }

    mutating func add(records count: Int, bytes plainBytes: Int, idle: Int) {
        guard count > 0 else { return }
        let weight = count - idle + (idle + Self.idleDivisor - 1) / Self.idleDivisor
        records += weight
        bytes += plainBytes * weight / count
    }

    /// Resets the counts after a save.
    mutating func noteSave() {
        recordsOfLastSave = records
        records = 0
        bytes = 0
    }

    /// Updates the limit after a save.
    ///
    /// - Parameter share: The number of pages that the save wrote, including pages written early,
    ///   relative to the capacity of the page cache.
    mutating func noteLastSave(filling share: Double) {
        // A save that came early for another reason does not justify a higher limit.
        guard share > Self.cacheFraction || recordsOfLastSave >= recordsMax else { return }
        let fitting = Double(recordsOfLastSave) * Self.cacheFraction / max(share, 1e-6)
        recordsMax = max(1, Int(min(fitting, 1e12)))
    }

    /// Returns whether there is enough work for a save.
    func isEnough(_ budget: BudgetSpec) -> Bool {
        let limit = min(budget.saveEvery, max(recordsMax, budget.saveEvery / Self.partsMax))
        return records >= limit || bytes >= budget.bytes
    }
}
