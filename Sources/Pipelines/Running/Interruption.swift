import Synchronization

/// Why a run is to stop before its end.
package enum StopReason: Sendable, Hashable {
    /// SIGINT, SIGTERM or SIGHUP, by number.
    case signal(Int32)
    /// `budget.time` or `--timeout`.
    case timeLimit

    /// How a run that stopped for it ends.
    var status: ExitStatus {
        switch self {
        case .signal(15): .terminated
        case .signal(1): .hungUp
        case .signal: .interrupted
        case .timeLimit: .temporaryFailure
        }
    }
}

/// Asks a run to stop at the next safe place.
package final class Interruption: Sendable {
    private let requested = Atomic<Int32>(0)
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    private let hasDeadline = Atomic<Bool>(false)

    package init() {}

    /// Asks the run to finish its batch and stop; takes no lock and no memory, so that a signal's
    /// handler may call it.
    ///
    /// - Parameter signal: the signal that asks, from which the exit status follows.
    package func request(signal: Int32) {
        requested.store(signal, ordering: .sequentiallyConsistent)
    }

    /// The signal that asked, if one did.
    package var signal: Int32? {
        let value = requested.load(ordering: .sequentiallyConsistent)
        return value == 0 ? nil : value
    }

    /// Asks the run to stop once so much time is over.
    func limit(to duration: Duration) {
        deadline.withLock { $0 = ContinuousClock.now + duration }
        hasDeadline.store(true, ordering: .sequentiallyConsistent)
    }

    /// Why the run is to stop; nil while it is not.
    ///
    /// - Parameter ignoringTimeLimit: only a signal stops it.
    func reason(ignoringTimeLimit: Bool = false) -> StopReason? {
        if let signal { return .signal(signal) }
        guard !ignoringTimeLimit, hasDeadline.load(ordering: .relaxed) else { return nil }
        let isOver = deadline.withLock { deadline in
            deadline.map { ContinuousClock.now >= $0 } ?? false
        }
        return isOver ? .timeLimit : nil
    }

    /// - Throws: `Interrupted` where the run is to stop.
    func check(ignoringTimeLimit: Bool = false) throws {
        if let reason = reason(ignoringTimeLimit: ignoringTimeLimit) { throw Interrupted(reason) }
    }
}

/// A run that was asked to stop, and did so after saving.
struct Interrupted: Error {
    var reason: StopReason
    /// Where the next run goes on, such as `record 120,001 of tasks.ndjson`.
    var resumesAt: String?
    /// What there is for the next run, in words; nil where this one had not begun.
    var leftOver: String?

    init(_ reason: StopReason) {
        self.reason = reason
    }
}
