import Dispatch
import Synchronization

/// Runs work on several threads, one thread at a time, in round-robin order.
///
/// The work needs no other lock: a turn begins after the previous one is over.
final class RoundRobinGate: Sendable {
    private let semaphores: [DispatchSemaphore]
    private let hasEnded = Mutex(false)

    /// Creates a gate that lets thread 0 work first.
    ///
    /// - Parameter count: the number of threads.
    init(count: Int) {
        // Dispatch traps if a semaphore is deallocated with less than its initial value, so start
        // at 0.
        semaphores = (0..<count).map { _ in DispatchSemaphore(value: 0) }
        semaphores.first?.signal()
    }

    /// Waits for the thread's turn, runs the work, and passes the turn to the next thread.
    ///
    /// If the work returns `nil` or fails, there are no more turns.
    ///
    /// - Returns: the result of the work; `nil` if there are no more turns.
    func take<R>(_ thread: Int, _ work: () throws -> R?) rethrows -> R? {
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

    /// Ends all turns, and releases waiting threads.
    func end() {
        hasEnded.withLock { $0 = true }
        for semaphore in semaphores { semaphore.signal() }
    }
}
