import Synchronization

/// Asks a run to stop at the next safe place; may be called from a signal handler's queue.
package final class Interruption: Sendable {
    private let requested = Atomic<Int32>(0)

    package init() {}

    /// Asks the run to finish its batch and stop.
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
}
