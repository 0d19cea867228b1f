import GraphModel
import SQLite

/// What a store holds that another one with the same model does not, entity by entity.
public struct StoreDifference: Sendable, Hashable {
    /// The objects of one entity, those of its sub-entities apart.
    public struct Entity: Sendable, Hashable {
        /// The entity's name.
        public var name: String
        /// Objects that only this store has.
        public var inserted = 0
        /// Objects that both have, with something that differs.
        public var updated = 0
        /// Objects that only the other store has.
        public var deleted = 0
        /// In how many of the updated objects a property differs; none that never does.
        public var properties: [String: Int] = [:]
    }

    /// What tells that an object of one store is an object of the other.
    public enum Identity: Sendable, Hashable {
        /// The row's number, where one store is a changed copy of the other.
        case primaryKey
        /// The entity's first uniqueness constraint, where each store was filled by itself;
        /// entities without one are told by their numbers.
        case uniqueness
    }

    /// The entities with differences, by name.
    public var entities: [Entity] = []

    package init(entities: [Entity] = []) {
        self.entities = entities
    }

    /// Whether the stores hold the same objects.
    public var isEmpty: Bool { entities.isEmpty }
}

extension PersistentContainer {
    /// Compares the store with another one of the same model, which stays as it is.
    ///
    /// Links between a to-one and a to-many are told on the side of the to-one, other links on both.
    ///
    /// - Parameters:
    ///   - path: the other store; nil stands for an empty one.
    ///   - identity: what tells that objects of both stores are the same.
    public func difference(
        from path: String?, by identity: StoreDifference.Identity = .primaryKey
    ) throws(StoreError) -> StoreDifference {
        // A connection that may write takes the log of the other store away again at its end.
        let isFile = storeDescription.kind == .sqlite && storeDescription.options.mayWrite
        let reader: Connection
        if isFile {
            let address = try StoreAddress(storeDescription)
            reader = try address.connect(.readWrite, attachesOthers: true)
        } else {
            reader = try newReader()
        }
        // An app's folder stays as it is.
        let snapshot = try path.flatMap { path throws(StoreError) in
            schema.isOurs ? nil : try StoreSnapshot(of: path)
        }
        defer { withExtendedLifetime(snapshot) {} }
        let comparison = StoreComparison(schema: schema, identity: identity)
        guard let path else { return try comparison.insertions(reader) }
        let attach = try reader.prepare("ATTACH ? AS other")
        attach.bind(snapshot?.address.target(readingOnly: true) ?? path, at: 1)
        try attach.run()
        return try comparison.run(reader)
    }
}
