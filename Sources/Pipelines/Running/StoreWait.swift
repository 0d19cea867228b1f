import GraphStore
import Synchronization

/// How long a run waits where another program has its store's file locked, which is by a transaction
/// of SQLite's, and not by the lock beside the store as another run has it.
///
/// Such a transaction mostly takes a moment, which it is given in any case. Before the run has
/// begun, `wait=` is how long all waits last together; later each lasts as long as is usual, or as
/// `wait=` says if that is longer. The time limit ends each wait, too, and a signal at once.
final class StoreWait: Sendable {
    /// What a save of an app may take, though the run is to fail or to be left out.
    private static let moment = Duration.seconds(1)
    /// What is waited in the middle of a run, whose work would have to be taken up by another.
    private static let usual = Duration.seconds(5)
    /// What a signal leaves to a save that is under way, of the run and of whoever has the lock.
    private static let lastMoment = Duration.milliseconds(50)

    private enum Phase: Int {
        case beginning, running, failed
    }

    /// How long others may take, where that was said.
    private let longest: Duration?
    private let interruption: Interruption
    private let began = ContinuousClock.now
    private let phase = Atomic(Phase.beginning.rawValue)

    init(_ policy: RunOptions.LockedPolicy?, _ interruption: Interruption) {
        longest = if case .wait(let seconds) = policy { .seconds(seconds) } else { nil }
        self.interruption = interruption
    }

    /// The run was told to wait.
    var isAskedFor: Bool { longest != nil }

    /// The run has saved for the first time.
    func noteBegin() { phase.store(Phase.running.rawValue, ordering: .relaxed) }

    /// The run has failed, and tidies up.
    func noteFailure() { phase.store(Phase.failed.rawValue, ordering: .relaxed) }

    /// Says so to the store's connections.
    var patience: LockPatience { LockPatience { self.goesOn(after: $0) } }

    /// Waits until no other program has the store locked, as far as that is to be waited for.
    ///
    /// Not of an app's store: nothing in its folder changes.
    func untilUnlocked(_ storePath: String) throws(StoreError) {
        guard !PersistentContainer.isAppStore(at: storePath) else { return }
        try PersistentContainer.checkIsUnlocked(at: storePath, waiting: patience)
    }

    /// Whether a wait goes on that has lasted so long.
    func goesOn(after waited: Duration) -> Bool {
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
