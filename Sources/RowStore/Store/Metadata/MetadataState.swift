import SQLite
import Synchronization

/// The store's metadata as this container sees it, and the changes for the next save.
package final class MetadataState: Sendable {
    private struct State {
        var metadata: StoreMetadata
        /// The keys that were set, or removed if the value is `nil`.
        var keys: [String: PropertyListValue?] = [:]
        var uuid: String?
        /// The number of changes so far, by which a save detects later changes.
        var changes = 0
    }

    private let state: Mutex<State>

    init(_ metadata: StoreMetadata) {
        state = Mutex(State(metadata: metadata))
    }

    /// The metadata, including unsaved changes.
    package var current: StoreMetadata { state.withLock { $0.metadata } }

    /// Whether there are changes to write.
    package var isDirty: Bool { state.withLock { !$0.keys.isEmpty || $0.uuid != nil } }

    /// Sets or removes an entry; the next save writes it.
    package func set(_ value: PropertyListValue?, forKey key: String) {
        state.withLock { state in
            state.metadata.propertyList[key] = value
            state.keys[key] = .some(value)
            state.changes += 1
        }
    }

    /// Sets the UUID of the store; the next save writes it.
    package func setUUID(_ uuid: String) {
        state.withLock { state in
            state.metadata.uuid = uuid
            state.uuid = uuid
            state.changes += 1
        }
    }

    /// Writes the changes in the save's transaction.
    ///
    /// It merges them into the metadata of the file, because other connections may have changed
    /// other keys.
    ///
    /// - Returns: A number for `noteWritten(_:)`; `nil` if there are no changes.
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

    /// Clears the changes that are now durable, unless the metadata changed again.
    func noteWritten(_ changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            state.keys.removeAll()
            state.uuid = nil
        }
    }
}
