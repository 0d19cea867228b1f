import Diagnostics
import Dispatch
import FoundationEssentials
import SQLitePages
import Synchronization

/// Sorts the keys of several indexes on a second thread, while the caller writes their pages.
///
/// ```
/// let sorting = SortingThread(count: trees.count) { place in try sortedKeys(of: trees[place]) }
/// defer { sorting.stop() }
/// for tree in trees { try write(sorting.next(), as: tree) }
/// ```
/// The thread is at most one index ahead of the caller, so at most two sorters are in memory.
final class SortingThread: Sendable {
    private let count: Int
    private let sort: @Sendable (Int) throws(PageFault) -> KeySorter
    private let isSorted = DispatchSemaphore(value: 0)
    private let isTaken = DispatchSemaphore(value: 0)
    private let isStopped = Mutex(false)
    private let isDone = DispatchGroup()
    // The thread sets it before `isSorted`, and the caller takes it before `isTaken`.
    private nonisolated(unsafe) var sorted: Result<KeySorter, PageFault>?

    /// Starts to sort; returns `nil` if there is only one processor, or no thread.
    ///
    /// - Parameters:
    ///   - count: The number of indexes.
    ///   - sort: Returns the sorted keys of an index, in the order of the numbers from 0.
    init?(count: Int, _ sort: @escaping @Sendable (Int) throws(PageFault) -> KeySorter) {
        self.count = count
        self.sort = sort
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else { return nil }
        isDone.enter()
        do {
            try WorkerThread.start { [self] in
                sortAll()
                isDone.leave()
            }
        } catch {
            isDone.leave()
            return nil
        }
    }

    private func sortAll() {
        for place in 0..<count {
            if place > 0 { isTaken.wait() }
            if isStopped.withLock(\.self) { return }
            sorted = Result { () throws(PageFault) in try sort(place) }
            isSorted.signal()
        }
    }

    /// Waits for the next index's keys, and returns them; call it once for each index.
    func next() throws(PageFault) -> KeySorter {
        isSorted.wait()
        defer { isTaken.signal() }
        let sorter = sorted
        sorted = nil
        guard let sorter else { throw .unsuitable("there are no more indexes") }
        return try sorter.get()
    }

    /// Waits until the thread has ended, which skips the indexes that it has not begun.
    func stop() {
        isStopped.withLock { $0 = true }
        isTaken.signal()
        isDone.wait()
    }
}
