import GraphStore
import Synchronization

/// The time that a run waits if another program has locked its store with an SQLite transaction.
///
/// This is different from the lock file of another run. Such a transaction usually takes a moment,
/// so the run always waits at least 1 s. Before the run has begun, `wait=` limits the sum of all
/// waits. Later, each wait lasts up to 5 s, or `wait=` if that is longer. The time limit also ends
/// each wait, and a signal ends it within 50 ms.
final class StoreWait: Sendable {
    /// The time to wait for a save of an app, even if the run will fail or be skipped.
    private static let moment = Duration.seconds(1)
    /// The time to wait during a run, since otherwise another run would have to resume its work.
    private static let usual = Duration.seconds(5)
    /// The time that a signal leaves to an active save, of this run or of the lock's holder.
    private static let lastMoment = Duration.milliseconds(50)

    private enum Phase: Int {
        case beginning, running, failed
    }

    /// The time from `wait=`; `nil` if not set.
    private let longest: Duration?
    private let interruption: Interruption
    private let began = ContinuousClock.now
    private let phase = Atomic(Phase.beginning.rawValue)

    init(_ policy: RunOptions.LockedPolicy?, _ interruption: Interruption) {
        longest = if case .wait(let seconds) = policy { .seconds(seconds) } else { nil }
        self.interruption = interruption
    }

    /// Whether `wait=` is set.
    var isAskedFor: Bool { longest != nil }

    /// Notes that the run has saved for the first time.
    func noteBegin() { phase.store(Phase.running.rawValue, ordering: .relaxed) }

    /// Notes that the run has failed and is cleaning up.
    func noteFailure() { phase.store(Phase.failed.rawValue, ordering: .relaxed) }

    /// The policy for the store's connections.
    var patience: LockPatience { LockPatience { self.shouldContinue(after: $0) } }

    /// Waits until no other program has locked the store, or the wait is over.
    ///
    /// Does not check an app's store, because nothing may change in its folder.
    func untilUnlocked(_ storePath: String) throws(StoreError) {
        guard !PersistentContainer.isAppStore(at: storePath) else { return }
        try PersistentContainer.checkIsUnlocked(at: storePath, waiting: patience)
    }

    /// Returns whether to continue a wait that has lasted for the given time.
    func shouldContinue(after waited: Duration) -> Bool {
        guard interruption.signal == nil else { return waited < Self.lastMoment }
        guard waited >= Self.moment else { return true }
        guard interruption.reason() == nil else { return false }
        let longest = longest ?? .zero
        return switch Phase(rawValue: phase.load(ordering: .relaxed)) {
        case .beginning: .now - began < longest
        case .running: waited < max(Self.usual, longest)
        case .failed, nil: false
        }
    }
}
