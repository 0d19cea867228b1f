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
