import Synchronization

/// Which run of which pipeline is under way, for each line of its log.
package final class RunIdentity: Sendable {
    private struct State {
        var pipeline: String?
        var run: String?
    }

    private let state = Mutex(State())

    /// Makes one that no run has yet.
    package init() {}

    /// The pipeline's name; nil before anything is known of it.
    package var pipeline: String? { state.withLock { $0.pipeline } }

    /// The run's ID.
    package var run: String? { state.withLock { $0.run } }

    /// Takes note of what is known by now.
    func note(pipeline: String?, run: String) {
        state.withLock { state in
            state.pipeline = pipeline
            state.run = run
        }
    }
}
