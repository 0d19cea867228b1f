import Synchronization

/// A request to stop a run at the next safe point.
package final class Interruption: Sendable {
    private let requested = Atomic<Int32>(0)
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    private let hasDeadline = Atomic<Bool>(false)

    /// Creates an interruption without a signal or a time limit, so that the run continues.
    package init() {}

    /// Asks the run to finish its batch and stop.
    ///
    /// Takes no lock and allocates no memory, so a signal handler can call it.
    ///
    /// - Parameter signal: the signal, which determines the exit status.
    package func request(signal: Int32) {
        requested.store(signal, ordering: .sequentiallyConsistent)
    }

    /// The signal that requested the stop; `nil` without one.
    package var signal: Int32? {
        let value = requested.load(ordering: .sequentiallyConsistent)
        return value == 0 ? nil : value
    }

    /// Asks the run to stop after a duration.
    func limit(to duration: Duration) {
        deadline.withLock { $0 = ContinuousClock.now + duration }
        hasDeadline.store(true, ordering: .sequentiallyConsistent)
    }

    /// Returns the reason to stop; `nil` if the run may continue.
    ///
    /// - Parameter ignoringTimeLimit: whether only a signal stops the run.
    func reason(ignoringTimeLimit: Bool = false) -> StopReason? {
        if let signal { return .signal(signal) }
        guard !ignoringTimeLimit, hasDeadline.load(ordering: .relaxed) else { return nil }
        let isOver = deadline.withLock { deadline in
            deadline.map { ContinuousClock.now >= $0 } ?? false
        }
        return isOver ? .timeLimit : nil
    }

    /// Throws if the run must stop.
    ///
    /// - Parameter ignoringTimeLimit: Whether only a signal stops the run.
    /// - Throws: `Interrupted` with the reason to stop.
    func check(ignoringTimeLimit: Bool = false) throws {
        if let reason = reason(ignoringTimeLimit: ignoringTimeLimit) { throw Interrupted(reason) }
    }
}

/// The error of a run that stopped on request, after a save.
struct Interrupted: Error {
    var reason: StopReason
    /// The position at which the next run resumes, such as `record 120,001 of tasks.ndjson`.
    var resumesAt: String?
    /// A description of the work left for the next run; `nil` if the run had not begun.
    var leftOver: String?

    init(_ reason: StopReason) {
        self.reason = reason
    }
}
