import GraphModel
import SQLite

/// The differences between a store and another one with the same model, by entity.
public struct StoreDifference: Sendable, Hashable {
    /// The differences of one entity, not including its sub-entities.
    public struct Entity: Sendable, Hashable {
        /// The entity's name.
        public var name: String
        /// The number of objects that only this store has.
        public var inserted = 0
        /// The number of objects that both stores have with different properties.
        public var updated = 0
        /// The number of objects that only the other store has.
        public var deleted = 0
        /// The number of updated objects in which each property differs; equal properties are
        /// omitted.
        public var properties: [String: Int] = [:]
    }

    /// The key by which objects of the two stores are matched.
    public enum Identity: Sendable, Hashable {
        /// The primary key, for a store that is a changed copy of the other.
        case primaryKey
        /// The entity's first uniqueness constraint, for stores that were filled separately.
        ///
        /// Entities without a constraint are matched by primary key.
        case uniqueness
    }

    /// The entities with differences, ordered by name.
    public var entities: [Entity] = []

    /// Creates a difference from the entities that differ; without any, the stores are equal.
    package init(entities: [Entity] = []) {
        self.entities = entities
    }

    /// Whether the stores contain the same objects.
    public var isEmpty: Bool { entities.isEmpty }
}

extension PersistentContainer {
    /// Compares the store with another one of the same model, which is not changed.
    ///
    /// Links between a to-one and a to-many are reported for the to-one, other links for both ends.
    ///
    /// - Parameters:
    ///   - path: The path of the other store; `nil` compares with an empty one.
    ///   - identity: The key by which objects of both stores are matched.
    /// - Throws: `.busy` if the first load of one of the stores has not finished, because its links
    ///   are written at its end.
    public func difference(
        from path: String?, by identity: StoreDifference.Identity = .primaryKey
    ) throws(StoreError) -> StoreDifference {
        // A connection that may write removes the WAL of the other store when it closes.
        let isFile = storeDescription.kind == .sqlite && storeDescription.options.mayWrite
        let reader: Connection
        if isFile {
            let address = try StoreAddress(storeDescription)
            reader = try address.connect(.readWrite, attachesOthers: true)
        } else {
            reader = try newReader()
        }
        // The folder of an app's store must not change.
        let snapshot = try path.flatMap { path throws(StoreError) in
            schema.isOurs ? nil : try StoreSnapshot(of: path)
        }
        defer { withExtendedLifetime(snapshot) {} }
        let comparison = StoreComparison(schema: schema, identity: identity)
        guard let path else { return try comparison.insertions(reader) }
        let attach = try reader.prepare("ATTACH ? AS other")
        attach.bind(snapshot?.address.target(readingOnly: true) ?? path, at: 1)
        try attach.run()
        // Each store is read in one snapshot, to which the checks apply.
        try reader.execute("BEGIN")
        if schema.isOurs {
            try reader.rejectUnfinishedLoad(in: "main", self.path) { () throws(StoreError) in
                try newReader()
            }
            try reader.rejectUnfinishedLoad(in: "other", path) { () throws(StoreError) in
                try PersistentStore.readerOfStore(at: path)
            }
        }
        return try comparison.run(reader)
    }
}

extension Connection {
    /// Throws if a load of one of the connection's stores is running or has not finished.
    ///
    /// - Parameters:
    ///   - database: The store's schema name in statements.
    ///   - path: The store's path, for the error.
    ///   - other: Opens another connection to the store, which finds the load's process.
    fileprivate func rejectUnfinishedLoad(
        in database: String, _ path: String, _ other: () throws(StoreError) -> Connection
    ) throws(StoreError) {
        guard try PendingIndexes.isPending(in: database, on: self) else { return }
        try PersistentStore.rejectUnfinished(other(), path)
        // The load has finished since, but not in this snapshot.
        throw .unfinishedLoad(path)
    }
}
