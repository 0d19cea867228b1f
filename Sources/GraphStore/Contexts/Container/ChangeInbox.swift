import Synchronization

/// Changes saved elsewhere that a context has yet to merge on its own thread.
final class ChangeInbox {
    private struct State {
        var waiting: [StoreChange] = []
        /// The changes of the context's own saves, which it must not merge.
        var expected: [StoreChange] = []
    }

    /// The storage that observers on any thread append to.
    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private let box = Box()
    let token: Int

    /// Starts to collect the changes that a container saves.
    ///
    /// - Parameter arrived: called on any thread when a change has arrived.
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

    /// Registers a change that the context itself is about to save.
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
