public import FoundationEssentials
import Synchronization

/// A context that reads a fixed state of the store.
public struct PinnedGeneration: Sendable, Hashable {
    /// The name of the context, if it has one.
    public let contextName: String?
    /// The time at which the context pinned this state.
    public let date: Date
}

extension PersistentContainer {
    /// The contexts of this container that have pinned a state of the store, oldest first.
    ///
    /// SQLite cannot checkpoint the write-ahead log past the oldest one, so the log grows. Contexts
    /// of other containers and processes are not listed.
    public var pinnedGenerations: [PinnedGeneration] { pins.all }
}

/// The pinned states of a container's contexts.
final class PinnedGenerations: Sendable {
    private struct State {
        var last = 0
        /// By number, which ascends with time.
        var pinned: [Int: PinnedGeneration] = [:]
    }

    private let state = Mutex(State())

    /// The pinned states, oldest first.
    var all: [PinnedGeneration] {
        state.withLock { state in
            state.pinned.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Lists a state as long as the returned object exists.
    func add(_ contextName: String?) -> AnyObject {
        let number = state.withLock { state in
            state.last += 1
            state.pinned[state.last] = PinnedGeneration(contextName: contextName, date: Date.now)
            return state.last
        }
        return Entry(self, number)
    }

    private final class Entry {
        private let list: PinnedGenerations
        private let number: Int

        init(_ list: PinnedGenerations, _ number: Int) {
            self.list = list
            self.number = number
        }

        deinit {
            list.state.withLock { _ = $0.pinned.removeValue(forKey: number) }
        }
    }
}
