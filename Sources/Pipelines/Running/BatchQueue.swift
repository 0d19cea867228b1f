import Diagnostics
import Dispatch
import Synchronization

private enum Wait {
    /// How often the writer looks whether the run is to stop.
    static let milliseconds = 100
    /// Waits after which the writer is told that nothing comes for now.
    static let untilPause = 10
}

/// A bounded queue of batches between the thread that reads and the one that writes.
///
/// Batches go round: the reader takes an empty one, fills it and puts it in; the writer takes it
/// out and gives it back. So there are never more than the queue was made with, and memory stays
/// flat however fast one side is.
final class BatchQueue<Batch>: Sendable {
    // A batch is in one of the two lists or in the hands of one side, never of both; the lists are
    // behind a lock, which also orders the hand-over.
    private struct Unshared: @unchecked Sendable {
        var batch: Batch
    }

    private struct State {
        var idle: [Unshared]
        var filled: [Unshared] = []
        var isCancelled = false
        var hasOverflowed = false
        var error: (any Error)?
        /// Batches that were put in and not yet given back.
        var outCount = 0
        /// One of those is large.
        var hasLarge = false
        /// The reader waits until all of them are back.
        var isHeld = false
    }

    private let isReadFirst: Bool
    private let state: Mutex<State>
    private let idleCount: DispatchSemaphore
    private let filledCount = DispatchSemaphore(value: 0)
    private let release = DispatchSemaphore(value: 0)
    private let isLarge: @Sendable (Batch) -> Bool

    /// - Parameters:
    ///   - isReadFirst: the reader is done before the writer begins, and does not wait for it.
    ///   - isLarge: whether a batch has so much memory that the next is filled only when the writer
    ///     is done with it.
    ///   - make: makes one of the `count` batches.
    init(
        count: Int, isReadFirst: Bool = false,
        isLarge: @escaping @Sendable (Batch) -> Bool = { _ in false }, _ make: () -> Batch
    ) {
        self.isReadFirst = isReadFirst
        self.isLarge = isLarge
        idleCount = DispatchSemaphore(value: 0)
        state = Mutex(State(idle: []))
        // A semaphore may not end with fewer than it began with, so it begins with none.
        for _ in 0..<count { add(Unshared(batch: make())) }
    }

    /// Runs the reader on a thread of its own, and ends the queue when it returns or fails, or if
    /// there is no thread.
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

    /// Runs the reader, and ends the queue when it returns or fails.
    func fill(_ reader: () throws -> Void) {
        do {
            try reader()
            finish()
        } catch {
            finish(error)
        }
    }

    /// An empty batch, once there is one; nil when the writer wants no more, or has not begun and
    /// there are too few.
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
        // Whoever asks again after the end must not wait for ever.
        if next == nil { idleCount.signal() }
        return next?.batch
    }

    /// Whether there was more than all batches take, where the reader was not to wait.
    var hasOverflowed: Bool { state.withLock(\.hasOverflowed) }

    /// Whether the writer wants no more.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Hands a full batch to the writer.
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

    /// Tells the writer that no more comes, and why if something went wrong.
    func finish(_ error: (any Error)? = nil) {
        state.withLock { $0.error = error }
        filledCount.signal()
    }

    /// The next full batch, once there is one; nil at the end.
    ///
    /// - Parameters:
    ///   - ignoringTimeLimit: only a signal ends the wait for the reader.
    ///   - pause: done once when nothing has come for a second.
    /// - Throws: what went wrong at the reader, after the batches before it; `Interrupted` when
    ///   that was asked for while the reader waits for its input.
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

    /// Gives a batch back to be filled again.
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

    /// Whether the reader has to wait until a large batch, and those around it, are back.
    private func mustHold() -> Bool {
        state.withLock { state in
            guard state.hasLarge, !state.isCancelled else { return false }
            state.isHeld = true
            return true
        }
    }

    /// Tells the reader to stop.
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
