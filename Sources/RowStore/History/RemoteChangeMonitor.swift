import Synchronization

/// The state of a container that detects saves by other processes and containers.
package final class RemoteChangeMonitor: Sendable {
    private struct State {
        /// SQLite's counter of commits by other connections
        /// (https://www.sqlite.org/pragma.html#pragma_data_version).
        var dataVersion: Int64?
        var newestSequence: Int64 = 0
        /// This container's own transactions after the newest one that was read.
        var ownSequences: Set<Int64> = []
    }

    private let state = Mutex(State())

    /// Starts watching, with the current state of the store as known.
    package func begin(dataVersion: Int64, newestSequence: Int64) {
        state.withLock { state in
            state.dataVersion = dataVersion
            state.newestSequence = newestSequence
        }
    }

    /// Whether watching has started.
    package var isWatching: Bool { state.withLock { $0.dataVersion != nil } }

    func noteOwn(_ sequence: Int64) {
        state.withLock { state in
            if state.dataVersion != nil { state.ownSequences.insert(sequence) }
        }
    }

    /// Returns whether other connections have committed since the last call.
    package func hasMoved(to dataVersion: Int64) -> Bool {
        state.withLock { state in
            defer { state.dataVersion = dataVersion }
            return state.dataVersion != dataVersion
        }
    }

    /// The number of the newest transaction that was read.
    package var newestSequence: Int64 { state.withLock { $0.newestSequence } }

    /// Records that all transactions up to the given number were read.
    ///
    /// - Returns: the numbers of this container's own transactions among them.
    package func advance(to sequence: Int64) -> Set<Int64> {
        state.withLock { state in
            let own = state.ownSequences.filter { $0 <= sequence }
            state.ownSequences.subtract(own)
            state.newestSequence = max(state.newestSequence, sequence)
            return own
        }
    }
}
