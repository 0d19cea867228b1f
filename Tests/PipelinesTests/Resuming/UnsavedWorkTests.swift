import Testing

@testable import Pipelines

/// The conditions under which an import saves before `budget.save-every` requires it.
@Suite("Unsaved work")
struct UnsavedWorkTests {
    /// Returns the number of records, all of which change something, between consecutive saves.
    ///
    /// - Parameter pages: For each save, the number of pages that a record dirties, of a cache of
    /// 10,000.
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

    @Test("saves at the budget if changes leave half of the page cache free")
    func small() {
        #expect(records(pages: [0.5, 0.1, 0.5]) == [10_000, 10_000, 10_000])
    }

    @Test("saves earlier if changes would fill more than half of the page cache")
    func large() {
        #expect(records(pages: [2, 2, 2, 2]) == [10_000, 2_500, 2_500, 2_500])
    }

    @Test("saves more records again once each dirties fewer pages")
    func closerAgain() {
        #expect(records(pages: [2, 1, 1, 0.5, 0.5]) == [10_000, 2_500, 5_000, 5_000, 10_000])
    }

    @Test("a save for another reason does not raise the number of records that fit")
    func early() {
        var budget = BudgetSpec()
        budget.saveEvery = 10_000
        var unsaved = UnsavedWork()
        unsaved.add(records: 10_000, bytes: 0, idle: 0)
        unsaved.noteSave()
        unsaved.noteLastSave(filling: 2)
        // 2,500 fit.
        unsaved.add(records: 100, bytes: 0, idle: 0)
        unsaved.noteSave()
        unsaved.noteLastSave(filling: 0.001)
        unsaved.add(records: 2_499, bytes: 0, idle: 0)
        #expect(!unsaved.isEnough(budget))
        // Two of them change something; the others count for two.
        unsaved.add(records: 20, bytes: 0, idle: 18)
        #expect(unsaved.isEnough(budget))
    }

    @Test("saves at least a minimum of records even if every save fills the cache")
    func constant() {
        #expect(records(pages: [2, 4, 16, 100, 100]) == [10_000, 2_500, 1_250, 630, 630])
    }

    @Test("an unknown or infinite page count does not stop the load")
    func strange() {
        #expect(records(pages: [0, .infinity, 0, 0]) == [10_000, 10_000, 630, 10_000])
    }
}
