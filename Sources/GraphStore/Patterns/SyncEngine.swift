public import GraphModel

/// A synchronization between a store and a remote system, such as a server.
///
/// `pull` saves remote changes by key, so that repeating a batch changes nothing. `push` reads the
/// changes that other authors have saved since the last acknowledgment from the store's history.
/// `acknowledge` records that the remote system has received them. The store must keep a history.
public struct SyncEngine: Sendable {
    /// Changes to send to the remote system.
    public struct Outgoing: Sendable, Hashable {
        /// The inserted, updated, and deleted objects, each once with its final state.
        public var change: StoreChange
        /// Values of deleted objects, for attributes that the model preserves.
        public var tombstones: [ManagedObjectID: [String: StoredValue]]
        /// The history token after these changes, for `acknowledge(_:)`.
        public var token: HistoryToken

        /// Whether there is nothing to send.
        public var isEmpty: Bool { change.isEmpty }
    }

    private let container: PersistentContainer
    /// The author of the engine's saves, and the key of its history token in the store.
    public let name: String
    /// The entities to send, including sub-entities; `nil` sends all.
    public var entityNames: Set<String>?

    /// Creates an engine.
    public init(_ container: PersistentContainer, name: String = "sync") {
        self.container = container
        self.name = name
    }

    private var key: String { "ETLSync.\(name)" }

    /// Saves remote changes, using the request's key.
    public func pull(_ request: BatchInsertRequest) throws -> BatchInsertResult {
        guard !request.key.isEmpty else {
            throw StoreError(
                .invalidRequest,
                "Pulled records need a key, so that a repeated record updates its object")
        }
        let context = container.newContext()
        context.transactionAuthor = name
        return try context.execute(request)
    }

    /// Returns the changes of other authors since the last acknowledged token.
    ///
    /// - Throws: `HistoryError.expired` if the history no longer covers the token. Then send
    ///   everything, and acknowledge the current token.
    public func push() throws(HistoryError) -> Outgoing {
        var filter = HistoryFilter()
        filter.excludedAuthors = [name]
        filter.entityNames = entityNames
        // Read the token first: changes saved during the read are in the next push.
        let current = try container.currentHistoryToken()
        let reader = try container.historyReader(after: acknowledged, matching: filter)
        var outgoing = Outgoing(change: StoreChange(), tombstones: [:], token: current)
        while let transaction = try reader.next(), transaction.token.sequence <= current.sequence {
            for change in transaction.changes {
                outgoing.change.note(change)
                if change.kind == .delete {
                    outgoing.tombstones[change.objectID] = change.tombstone
                }
            }
        }
        return outgoing
    }

    /// The last acknowledged token; `nil` before the first acknowledgment.
    public var acknowledged: HistoryToken? {
        guard case .string(let text)? = container.metadata[key] else { return nil }
        let parts = text.split(separator: "#")
        guard parts.count >= 2, let sequence = Int64(parts[1]) else { return nil }
        return HistoryToken(
            storeUUID: String(parts[0]), sequence: sequence,
            lineage: parts.count > 2 ? String(parts[2]) : nil)
    }

    /// Records in the store that everything up to a token has been received.
    public func acknowledge(_ token: HistoryToken) throws(StoreError) {
        try container.setMetadata(
            .string("\(token.storeUUID)#\(token.sequence)\(token.lineage.map { "#\($0)" } ?? "")"),
            forKey: key)
        try container.saveMetadata()
    }
}
