/// What an import has done since it saved, as far as that is a reason to save.
///
/// A record that changes nothing counts for a tenth of one: it makes no page of the store new, and
/// to read it over after a kill takes little. Changes here and there in a table each make pages of
/// their own new, in the table and in its indexes, and a page that changes again before the save is
/// written but once.
///
/// Pages that are changed stay in the page cache until the save. When they fill it, there is no room
/// for what is read, and SQLite writes some to the write-ahead log early; where one of those changes
/// again, it is overwritten there, and at the save everything behind it is read again, because its
/// checksums follow from those before. So once a save has found more than half of the cache full of
/// changes, the next ones come after as many records as are likely to fill half of it.
struct UnsavedWork {
    private static let idleShare = 10
    /// How much of the page cache the changes between two saves are to take.
    private static let cacheShare = 0.5
    /// However full it is, the budget's records are saved in so many parts at most: pages may be
    /// changed by each save, whatever it saves.
    private static let partsMax = 16

    private var records = 0
    private var bytes = 0
    /// Those between the last two saves, as `add` weighs them.
    private var recordsOfLastSave = 0
    /// So many are likely to fill that share of the page cache, as the last saves tell.
    private var recordsMax = Int.max

    /// - Parameter idle: how many of the batch's records changed nothing.
    mutating func add(_ batch: MappedBatch, idle: Int) {
        add(records: batch.recordCount, bytes: batch.plainBytes, idle: idle)
    }

    mutating func add(records count: Int, bytes plainBytes: Int, idle: Int) {
        guard count > 0 else { return }
        let weight = count - idle + (idle + Self.idleShare - 1) / Self.idleShare
        records += weight
        bytes += plainBytes * weight / count
    }

    /// All is saved.
    mutating func noteSave() {
        recordsOfLastSave = records
        records = 0
        bytes = 0
    }

    /// Takes note of how many pages the last save wrote, early ones among them, as a share of those
    /// that the page cache holds.
    mutating func noteLastSave(filling share: Double) {
        // A save that came early for other reasons tells too little to raise the limit.
        guard share > Self.cacheShare || recordsOfLastSave >= recordsMax else { return }
        let fitting = Double(recordsOfLastSave) * Self.cacheShare / max(share, 1e-6)
        recordsMax = max(1, Int(min(fitting, 1e12)))
    }

    /// Whether it is time to save.
    func isEnough(_ budget: BudgetSpec) -> Bool {
        let limit = min(budget.saveEvery, max(recordsMax, budget.saveEvery / Self.partsMax))
        return records >= limit || bytes >= budget.bytes
    }
}
