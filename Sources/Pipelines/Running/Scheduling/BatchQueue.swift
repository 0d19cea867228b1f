import Diagnostics
import Dispatch
import Synchronization

private enum Wait {
    /// The interval in milliseconds at which the waiting writer checks for an interruption.
    static let milliseconds = 100
    /// The number of these intervals without a batch after which `pause` is called.
    static let untilPause = 10
}

/// A bounded queue of batches between the reading thread and the writing thread.
///
/// The reader takes an idle batch, fills it, and puts it into the queue. The writer takes it from
/// the queue and recycles it. The number of batches is fixed, so memory stays flat if one side is
/// faster.
final class BatchQueue<Batch>: Sendable {
    // A batch is in one of the two lists or used by one side, never both. The lock around the lists
    // also orders the transfer between threads.
    private struct Unshared: @unchecked Sendable {
        var batch: Batch
    }

    private struct State {
        var idle: [Unshared]
        var filled: [Unshared] = []
        var isCancelled = false
        var hasOverflowed = false
        var error: (any Error)?
        /// The number of batches that are full or being written, and so not idle.
        var outCount = 0
        /// Whether one of the batches that were put in and not yet recycled is large.
        var hasLarge = false
        /// Whether the reader waits until every batch that was put in is recycled.
        var isHeld = false
    }

    private let isReadFirst: Bool
    private let state: Mutex<State>
    private let idleCount: DispatchSemaphore
    private let filledCount = DispatchSemaphore(value: 0)
    private let release = DispatchSemaphore(value: 0)
    private let isLarge: @Sendable (Batch) -> Bool

    /// Creates a queue, and all batches that it circulates.
    ///
    /// - Parameters:
    ///   - isReadFirst: whether the reader finishes before the writer starts, and never waits for
    ///     it.
    ///   - isLarge: whether a batch uses so much memory that the next one is filled only after the
    ///     writer has recycled it.
    ///   - make: creates one of the `count` batches.
    init(
        count: Int, isReadFirst: Bool = false,
        isLarge: @escaping @Sendable (Batch) -> Bool = { _ in false }, _ make: () -> Batch
    ) {
        self.isReadFirst = isReadFirst
        self.isLarge = isLarge
        idleCount = DispatchSemaphore(value: 0)
        state = Mutex(State(idle: []))
        // Dispatch traps if a semaphore is deallocated with less than its initial value, so start
        // at 0.
        for _ in 0..<count { add(Unshared(batch: make())) }
    }

    /// Runs the reader on a separate thread, and finishes the queue when the reader returns or
    /// fails, or if the thread cannot be started.
    func fill(in group: DispatchGroup, _ reader: @escaping @Sendable () throws -> Void) {
        group.enter()
        do {
            try WorkerThread.start {
                self.fill(reader)
                group.leave()
            }
        } catch {
            group.leave()
            finish(error)
        }
    }

    /// Runs the reader, and finishes the queue when the reader returns or fails.
    func fill(_ reader: () throws -> Void) {
        do {
            try reader()
            finish()
        } catch {
            finish(error)
        }
    }

    /// Returns an idle batch, and waits for one if necessary.
    ///
    /// Returns `nil` if the writer has canceled. If `isReadFirst`, never waits and returns `nil` if
    /// all batches are full.
    func takeIdle() -> Batch? {
        if isReadFirst {
            return state.withLock { state in
                if state.idle.isEmpty { state.hasOverflowed = true }
                return state.idle.popLast()
            }?.batch
        }
        if mustHold() { release.wait() }
        idleCount.wait()
        let next = state.withLock { $0.isCancelled ? nil : $0.idle.popLast() }
        // A further call after the cancellation must not wait forever.
        if next == nil { idleCount.signal() }
        return next?.batch
    }

    /// Whether the input needed more batches than exist while the reader was not allowed to wait.
    var hasOverflowed: Bool { state.withLock(\.hasOverflowed) }

    /// Whether the writer has canceled the reader.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Passes a full batch to the writer.
    func put(_ batch: Batch) {
        let isLarge = isLarge(batch)
        let unshared = Unshared(batch: batch)
        state.withLock { state in
            state.filled.append(unshared)
            state.outCount += 1
            if isLarge { state.hasLarge = true }
        }
        filledCount.signal()
    }

    /// Marks the end of the input, with an error if the reader failed.
    func finish(_ error: (any Error)? = nil) {
        state.withLock { $0.error = error }
        filledCount.signal()
    }

    /// Returns the next full batch, and waits for one if necessary; `nil` at the end.
    ///
    /// - Parameters:
    ///   - ignoringTimeLimit: whether only a signal interrupts the wait.
    ///   - pause: called once if no batch has arrived for 1 s.
    /// - Throws: the reader's error after the batches before it, or `Interrupted` if the run is
    ///   interrupted while the reader waits for its input.
    func take(
        _ interruption: Interruption, ignoringTimeLimit: Bool = false,
        pause: () throws -> Void = {}
    ) throws -> Batch? {
        var waits = 0
        while filledCount.wait(timeout: .now() + .milliseconds(Wait.milliseconds)) == .timedOut {
            try interruption.check(ignoringTimeLimit: ignoringTimeLimit)
            waits += 1
            if waits == Wait.untilPause { try pause() }
        }
        let (next, error) = state.withLock { state -> (Unshared?, (any Error)?) in
            guard state.filled.isEmpty else { return (state.filled.removeFirst(), nil) }
            return (nil, state.error)
        }
        if let error { throw error }
        return next?.batch
    }

    /// Returns a batch to the idle list.
    func recycle(_ batch: Batch) {
        add(Unshared(batch: batch))
        let isReleased = state.withLock { state in
            state.outCount -= 1
            guard state.outCount == 0 else { return false }
            state.hasLarge = false
            defer { state.isHeld = false }
            return state.isHeld
        }
        if isReleased { release.signal() }
    }

    private func add(_ batch: Unshared) {
        state.withLock { $0.idle.append(batch) }
        idleCount.signal()
    }

    /// Whether the reader must wait until a large batch and all other batches in use are recycled.
    private func mustHold() -> Bool {
        state.withLock { state in
            guard state.hasLarge, !state.isCancelled else { return false }
            state.isHeld = true
            return true
        }
    }

    /// Stops the reader.
    func cancel() {
        let isReleased = state.withLock { state in
            state.isCancelled = true
            defer { state.isHeld = false }
            return state.isHeld
        }
        if isReleased { release.signal() }
        idleCount.signal()
    }
}
