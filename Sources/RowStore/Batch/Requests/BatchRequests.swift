public import GraphModel

/// A limit on the number of objects that a batch request can change.
public enum ObjectLimit: Sendable, Hashable, CustomStringConvertible {
    /// An absolute number of objects.
    case count(Int)
    /// A percentage of the entity's objects.
    case percent(Double)

    /// The limit as text, such as `50` or `10%`.
    public var description: String {
        switch self {
        case .count(let limit): "\(limit)"
        case .percent(let percent): Int(exactly: percent).map { "\($0)%" } ?? "\(percent)%"
        }
    }

    func allows(_ matched: Int, of total: () throws(StoreError) -> Int) throws(StoreError) -> Bool {
        switch self {
        case .count(let limit): matched <= limit
        case .percent(let percent): Double(matched) <= Double(try total()) * percent / 100
        }
    }
}

/// The contents of the result of a batch request.
///
/// In all cases, observers receive the complete `StoreChange` of the save.
public enum BatchResultType: String, Sendable, Hashable, CaseIterable {
    /// The number of objects.
    case count
    /// The number of objects, and their IDs.
    case objectIDs
}

/// Whether a batch request applies the model's rules.
public enum BatchRules: String, Sendable, Hashable, CaseIterable {
    /// Applies the rules.
    case enforce
    /// Ignores the rules.
    case ignore
}

/// How a batch delete applies the model's delete rules.
///
/// With `enforce`, the objects are deleted as if one by one. With `ignore`, links to deleted objects
/// remain in the store, and the caller must clear them.
public typealias BatchDeleteRules = BatchRules

/// How a batch update applies the model's validation rules.
///
/// With `enforce`, one invalid new value makes the complete request fail. With `ignore`, ranges,
/// lengths, patterns, and the rules of entities are not checked. Values must still match their
/// columns, required values must be set, and unique values must be unique.
public typealias BatchUpdateRules = BatchRules

/// A request that sets properties of all objects that match a predicate, without loading the
/// objects.
public struct BatchUpdateRequest: Sendable, Hashable {
    /// The name of the entity; its sub-entities are included.
    public var entityName: String
    /// The predicate; `nil` matches all objects.
    public var predicate: GraphPredicate?
    /// The new value of each attribute, an expression over the old object; for a to-one
    /// relationship, an object or nil.
    public var propertiesToUpdate: [String: GraphExpression]
    /// The values of variables such as `$name`.
    public var variables: [String: GraphValue]
    /// The maximum number of matches; if there are more, the request fails without any change.
    public var limit: ObjectLimit?

    /// The maximum number of matches to update, the earliest inserted first; `nil` for all.
    public var fetchLimit: Int?
    /// How the model's validation rules are applied.
    public var rules = BatchUpdateRules.enforce
    /// The contents of the result.
    public var resultType = BatchResultType.count

    /// Creates a request.
    public init(
        entityName: String, predicate: GraphPredicate? = nil,
        propertiesToUpdate: [String: GraphExpression], variables: [String: GraphValue] = [:],
        limit: ObjectLimit? = nil
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.propertiesToUpdate = propertiesToUpdate
        self.variables = variables
        self.limit = limit
    }
}

/// A request that deletes all objects that match a predicate, without loading the objects.
public struct BatchDeleteRequest: Sendable, Hashable {
    /// The name of the entity; its sub-entities are included.
    public var entityName: String
    /// The predicate; `nil` matches all objects.
    public var predicate: GraphPredicate?
    /// The values of variables such as `$name`.
    public var variables: [String: GraphValue]
    /// The maximum number of matches; if there are more, the request fails without any change.
    ///
    /// A number also counts the objects that cascades delete. A percentage counts only the matches.
    public var limit: ObjectLimit?

    /// The maximum number of matches to delete, the earliest inserted first; `nil` for all.
    public var fetchLimit: Int?
    /// How the model's delete rules are applied.
    public var rules = BatchDeleteRules.enforce
    /// The contents of the result.
    public var resultType = BatchResultType.count
    /// Whether a large deletion may defer rebuilding the indexes and join tables that it shrinks to
    /// `PersistentContainer.buildPendingIndexes()`, which the caller must then call after the
    /// commit.
    package var defersIndexes = false

    /// Creates a request.
    public init(
        entityName: String, predicate: GraphPredicate? = nil,
        variables: [String: GraphValue] = [:], limit: ObjectLimit? = nil
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.variables = variables
        self.limit = limit
    }
}

/// The result of a batch update.
public struct BatchUpdateResult: Sendable, Hashable {
    /// The number of objects that matched the predicate.
    public var matched: Int
    /// The number of objects that changed.
    public var updated: Int
    /// The IDs of the changed objects, if the request asked for them.
    public var objectIDs: ManagedObjectIDSet?
}

/// The result of a batch delete.
public struct BatchDeleteResult: Sendable, Hashable {
    /// The matched objects that one Deny rule keeps, directly or through a cascade.
    ///
    /// An object that several rules keep is counted for the first rule only.
    public struct Denial: Sendable, Hashable {
        /// The name of the entity that declares the relationship.
        public var entityName: String
        /// The name of the relationship with the rule.
        public var relationshipName: String
        /// The number of objects that the rule keeps.
        public var count: Int
    }

    /// The number of objects that matched the predicate.
    public var matched: Int
    /// The number of matched objects that were deleted.
    public var deleted: Int
    /// The number of matched objects that a Deny rule keeps.
    public var denied: Int
    /// The kept objects by rule, in the order of the model.
    public var denials: [Denial] = []
    /// The number of objects that cascades deleted in addition, by entity.
    public var cascaded: [String: Int]
    /// The number of objects whose link to a deleted object was cleared.
    public var nullified: Int
    /// The IDs of all deleted objects, if the request asked for them.
    public var objectIDs: ManagedObjectIDSet?
}
