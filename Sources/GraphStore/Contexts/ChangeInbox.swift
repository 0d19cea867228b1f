import GraphModel
import Synchronization

/// Changes that others saved, waiting until a context's own thread merges them.
final class ChangeInbox {
    private struct State {
        var waiting: [StoreChange] = []
        /// Saves of the context itself, whose news is none.
        var expected: [StoreChange] = []
    }

    /// What observers on any thread put changes into.
    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private let box = Box()
    let token: Int

    /// - Parameter arrived: called on some thread when there is something to merge.
    init(_ container: PersistentContainer, arrived: (@Sendable () -> Void)? = nil) {
        let box = box
        token = container.observeChanges { change in
            let isNews = box.state.withLock { state in
                if let place = state.expected.firstIndex(of: change) {
                    state.expected.remove(at: place)
                    return false
                }
                state.waiting.append(change)
                return true
            }
            if isNews { arrived?() }
        }
    }

    /// The context is about to save this itself.
    func expect(_ change: StoreChange) {
        guard !change.isEmpty else { return }
        box.state.withLock { $0.expected.append(change) }
    }

    func takeAll() -> [StoreChange] {
        box.state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
    }
}
