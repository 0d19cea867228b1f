public import GraphModel

/// Keeps a store and something elsewhere, such as a server, the same.
///
/// What comes from there is put in by key, so that a batch which comes twice does nothing the
/// second time (`pull`). What others than the engine itself have saved since the last time is taken
/// from the store's history (`push`); once it has arrived, the engine is told so (`acknowledge`).
/// The store must keep a history.
public struct SyncEngine: Sendable {
    /// What is to be sent.
    public struct Outgoing: Sendable, Hashable {
        /// The objects that are new, were changed, or are gone: what they are now, each once.
        public var change: StoreChange
        /// Values of objects that are gone, of attributes that the model preserves.
        public var tombstones: [ManagedObjectID: [String: StoredValue]]
        /// The place behind it, for `acknowledge(_:)`.
        public var token: HistoryToken

        /// Whether there is nothing to send.
        public var isEmpty: Bool { change.isEmpty }
    }

    private let container: PersistentContainer
    /// The engine's name: the author of what it saves, and what its place is kept under.
    public let name: String
    /// Only changes of these entities and their sub-entities are sent; nil sends all.
    public var entityNames: Set<String>?

    /// Makes an engine.
    public init(_ container: PersistentContainer, name: String = "sync") {
        self.container = container
        self.name = name
    }

    private var key: String { "ETLSync.\(name)" }

    /// Puts in what came from elsewhere, by the request's key, and saves it.
    public func pull(_ request: BatchInsertRequest) throws -> BatchInsertResult {
        guard !request.key.isEmpty else {
            throw StoreError(
                .invalidRequest, "What is pulled needs a key, so that it can come twice")
        }
        let context = container.newContext()
        context.transactionAuthor = name
        return try context.execute(request)
    }

    /// What others have saved since the place that was acknowledged last.
    ///
    /// - Throws: `HistoryError.expired` where the history no longer reaches back so far: then send
    ///   everything, and acknowledge the current token.
    public func push() throws(HistoryError) -> Outgoing {
        var filter = HistoryFilter()
        filter.excludedAuthors = [name]
        filter.entityNames = entityNames
        // Taken first: what is saved meanwhile comes with the next push.
        let current = try container.currentHistoryToken()
        let reader = try container.historyReader(after: acknowledged, matching: filter)
        var outgoing = Outgoing(change: StoreChange(), tombstones: [:], token: current)
        while let transaction = try reader.next(), transaction.token.sequence <= current.sequence {
            for change in transaction.changes {
                switch change.kind {
                case .insert: outgoing.change.insert(change.objectID)
                case .update: outgoing.change.update(change.objectID)
                case .delete:
                    outgoing.change.delete(change.objectID)
                    outgoing.tombstones[change.objectID] = change.tombstone
                }
            }
        }
        return outgoing
    }

    /// The place up to which everything has arrived; nil before the first time.
    public var acknowledged: HistoryToken? {
        guard case .string(let text)? = container.metadata[key] else { return nil }
        let parts = text.split(separator: "#")
        guard parts.count >= 2, let sequence = Int64(parts[1]) else { return nil }
        return HistoryToken(
            storeUUID: String(parts[0]), sequence: sequence,
            lineage: parts.count > 2 ? String(parts[2]) : nil)
    }

    /// Notes, in the store, that everything up to there has arrived.
    public func acknowledge(_ token: HistoryToken) throws(StoreError) {
        try container.setMetadata(
            .string("\(token.storeUUID)#\(token.sequence)\(token.lineage.map { "#\($0)" } ?? "")"),
            forKey: key)
        try container.saveMetadata()
    }
}
