import Synchronization

/// The current pipeline and run, for each line of the log.
package final class RunIdentity: Sendable {
    private struct State {
        var pipeline: String?
        var run: String?
    }

    private let state = Mutex(State())

    /// Creates an identity without a run.
    package init() {}

    /// The name of the pipeline; `nil` until it is known.
    package var pipeline: String? { state.withLock { $0.pipeline } }

    /// The ID of the run; `nil` until it is known.
    package var run: String? { state.withLock { $0.run } }

    /// Sets the pipeline and the run.
    func note(pipeline: String?, run: String) {
        state.withLock { state in
            state.pipeline = pipeline
            state.run = run
        }
    }
}
