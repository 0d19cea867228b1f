/// What an import has done since it saved, as far as that is a reason to save.
///
/// A record that changes nothing counts for a tenth of one: it makes no page of the store new, and
/// to read it over after a kill takes little. Changes here and there in a table each make pages of
/// their own new, in the table and in its indexes, and a page that changes again before the save is
/// written but once.
struct UnsavedWork {
    private static let idleShare = 10

    private var records = 0
    private var bytes = 0

    /// - Parameter idle: how many of the batch's records changed nothing.
    mutating func add(_ batch: MappedBatch, idle: Int) {
        guard batch.recordCount > 0 else { return }
        let weight = batch.recordCount - idle + (idle + Self.idleShare - 1) / Self.idleShare
        records += weight
        bytes += batch.plainBytes * weight / batch.recordCount
    }

    /// Whether it is time to save.
    func isEnough(_ budget: BudgetSpec) -> Bool {
        records >= budget.saveEvery || bytes >= budget.bytes
    }
}
