import Dispatch
import Synchronization

/// Lets several threads do something one after another, always in the same order.
///
/// What the work uses needs no lock of its own: a turn begins when the one before is over.
final class Turns: Sendable {
    private let semaphores: [DispatchSemaphore]
    private let hasEnded = Mutex(false)

    /// - Parameter count: how many threads take turns.
    init(count: Int) {
        // A semaphore may not end with fewer than it began with, so it begins with none.
        semaphores = (0..<count).map { _ in DispatchSemaphore(value: 0) }
        semaphores.first?.signal()
    }

    /// Does the work once it is the thread's turn, and passes the turn on; where the work returns
    /// nil or fails, there are no more turns.
    ///
    /// - Returns: what the work returns; nil where there are no more turns.
    func take<Result>(_ thread: Int, _ work: () throws -> Result?) rethrows -> Result? {
        semaphores[thread].wait()
        guard !hasEnded.withLock(\.self) else { return nil }
        do {
            let result = try work()
            if result == nil {
                end()
            } else {
                semaphores[(thread + 1) % semaphores.count].signal()
            }
            return result
        } catch {
            end()
            throw error
        }
    }

    /// Lets nobody have another turn; who waits for one waits no longer.
    func end() {
        hasEnded.withLock { $0 = true }
        for semaphore in semaphores { semaphore.signal() }
    }
}
