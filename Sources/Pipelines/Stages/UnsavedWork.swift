/// What an import has done since it saved, as far as that is a reason to save.
///
/// A record that changes nothing counts for a tenth of one: it makes no page of the store new, and
/// to read it over after a kill takes little. Changes here and there in a table each make pages of
/// their own new, in the table and in its indexes, and a page that changes again before the save is
/// written but once.
///
/// Changes that fill the page cache leave no room for what is read, and are written before the
/// save; what is changed once more after that makes SQLite sum up anew all that the save has
/// written. So as many records come between two saves as half fill the cache, which is known of the
/// save before.
struct UnsavedWork {
    private static let idleShare = 10
    /// How much of the page cache the changes between two saves may take.
    private static let cacheShare = 0.5

    private var records = 0
    private var bytes = 0
    /// What came between the last two saves.
    private var recordsOfLastSave = 0
    /// So many fill that share of the page cache, as the last saves tell; no limit as long as none did.
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

    /// Takes note of how full of changes the last save found the page cache: 1 for as many pages
    /// as it holds, more where some were written before the save.
    mutating func noteLastSave(filling share: Double) {
        // A save that came early for other reasons tells too little to raise the limit.
        guard share > Self.cacheShare || recordsOfLastSave >= recordsMax else { return }
        let fitting = Double(recordsOfLastSave) * Self.cacheShare / max(share, 1e-6)
        recordsMax = max(1, Int(min(fitting, 1e12)))
    }

    /// Whether it is time to save.
    func isEnough(_ budget: BudgetSpec) -> Bool {
        records >= min(budget.saveEvery, recordsMax) || bytes >= budget.bytes
    }
}
