import Testing

@testable import Pipelines

/// When an import saves before `budget.save-every` says so.
@Suite("Unsaved work")
struct UnsavedWorkTests {
    /// How many records, all of which change something, come between each two of several saves.
    ///
    /// - Parameter pages: for each save, how many pages a record makes new, of a cache of 10,000.
    private func records(pages: [Double]) -> [Int] {
        var budget = BudgetSpec()
        budget.saveEvery = 10_000
        budget.bytes = .max
        var unsaved = UnsavedWork()
        return pages.map { pages in
            var count = 0
            while !unsaved.isEnough(budget) {
                unsaved.add(records: 10, bytes: 0, idle: 0)
                count += 10
            }
            unsaved.noteSave()
            unsaved.noteLastSave(filling: Double(count) * pages / 10_000)
            return count
        }
    }

    @Test("changes that leave half of the page cache free are saved as the budget says")
    func small() {
        #expect(records(pages: [0.5, 0.1, 0.5]) == [10_000, 10_000, 10_000])
    }

    @Test("where more would be changed, so much is saved at once as fills half of it")
    func large() {
        #expect(records(pages: [2, 2, 2, 2]) == [10_000, 2_500, 2_500, 2_500])
    }

    @Test("once changes stand closer together, there are more of them in a save again")
    func closerAgain() {
        #expect(records(pages: [2, 1, 1, 0.5, 0.5]) == [10_000, 2_500, 5_000, 5_000, 10_000])
    }

    @Test("a save of which nothing is known, or far too much, ends no load")
    func strange() {
        #expect(records(pages: [0, .infinity, 0, 0]) == [10_000, 10_000, 10, 10_000])
    }
}
