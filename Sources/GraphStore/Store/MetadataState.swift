import SQLite
import Synchronization

/// A store's metadata as this container sees it, with what the next save is to write.
final class MetadataState: Sendable {
    private struct State {
        var metadata: StoreMetadata
        /// Keys that were set, or taken out where nil.
        var keys: [String: PropertyListValue?] = [:]
        var uuid: String?
        /// Grows with each change, so that a save knows whether it wrote the last.
        var changes = 0
    }

    private let state: Mutex<State>

    init(_ metadata: StoreMetadata) {
        state = Mutex(State(metadata: metadata))
    }

    var current: StoreMetadata { state.withLock { $0.metadata } }

    /// Whether there is something to write.
    var isDirty: Bool { state.withLock { !$0.keys.isEmpty || $0.uuid != nil } }

    func set(_ value: PropertyListValue?, forKey key: String) {
        state.withLock { state in
            state.metadata.propertyList[key] = value
            state.keys[key] = .some(value)
            state.changes += 1
        }
    }

    func setUUID(_ uuid: String) {
        state.withLock { state in
            state.metadata.uuid = uuid
            state.uuid = uuid
            state.changes += 1
        }
    }

    /// Writes what was changed over what the file says now, since others may have changed other
    /// keys; inside the save's transaction.
    ///
    /// - Returns: a number for `noteWritten(_:)`; nil where nothing was changed.
    func write(
        to connection: Connection, _ database: String = "main"
    ) throws(StoreError) -> Int? {
        let (keys, uuid, changes) = state.withLock { ($0.keys, $0.uuid, $0.changes) }
        guard !keys.isEmpty || uuid != nil,
            var stored = try StoreMetadata(readingFrom: connection, database)
        else { return nil }
        for (key, value) in keys { stored.propertyList[key] = value }
        if let uuid { stored.uuid = uuid }
        try stored.write(to: connection, database)
        return changes
    }

    /// Forgets what is durable now, unless it changed again meanwhile.
    func noteWritten(_ changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            state.keys.removeAll()
            state.uuid = nil
        }
    }
}
