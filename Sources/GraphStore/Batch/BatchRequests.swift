public import GraphModel

/// A limit on how many objects a batch request may touch.
public enum ObjectLimit: Sendable, Hashable, CustomStringConvertible {
    /// So many.
    case count(Int)
    /// So many of a hundred of the entity's objects.
    case percent(Double)

    /// `50` or `10%`.
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

/// What a batch request tells of the objects that it wrote.
///
/// Whatever is asked for, everyone who listens gets the whole `StoreChange` with the save.
public enum BatchResultType: String, Sendable, Hashable, CaseIterable {
    /// That it was done, and how often.
    case count
    /// Which objects they were, too.
    case objectIDs
}

/// What a batch delete does by the model's delete rules.
public enum BatchDeleteRules: String, Sendable, Hashable, CaseIterable {
    /// What deleting the objects one by one would do.
    case honour
    /// Nothing: links to what is gone stay where they are in rows, and are the caller's to clear.
    case ignore
}

/// What a batch update does by the model's rules for values.
public enum BatchUpdateRules: String, Sendable, Hashable, CaseIterable {
    /// One new value that breaks a rule makes the whole request fail.
    case honour
    /// Ranges, lengths, patterns and the rules of entities are not looked at; values still fit
    /// their columns, required ones are there, and unique ones unique.
    case ignore
}

/// Sets properties of all objects that meet a predicate, without loading them.
public struct BatchUpdateRequest: Sendable, Hashable {
    /// The entity; its sub-entities are meant, too.
    public var entityName: String
    /// Which objects; nil means all.
    public var predicate: GraphPredicate?
    /// What each attribute becomes, over the object as it was; a to-one, an object or nil.
    public var propertiesToUpdate: [String: GraphExpression]
    /// Values for `$name`.
    public var variables: [String: GraphValue]
    /// More matches than this, and nothing is done.
    public var limit: ObjectLimit?

    /// So many matches at most are taken, those first that were inserted first; nil takes all.
    public var fetchLimit: Int?
    /// Whether the model's rules for values are honoured.
    public var rules = BatchUpdateRules.honour
    /// What the result tells.
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

/// Deletes all objects that meet a predicate, without loading them.
public struct BatchDeleteRequest: Sendable, Hashable {
    /// The entity; its sub-entities are meant, too.
    public var entityName: String
    /// Which objects; nil means all.
    public var predicate: GraphPredicate?
    /// Values for `$name`.
    public var variables: [String: GraphValue]
    /// More matches than this, and nothing is done.
    ///
    /// A number also counts the objects that cascades delete. A share counts only the matches.
    public var limit: ObjectLimit?

    /// So many matches at most are taken, those first that were inserted first; nil takes all.
    public var fetchLimit: Int?
    /// Whether delete rules are honoured.
    public var rules = BatchDeleteRules.honour
    /// What the result tells.
    public var resultType = BatchResultType.count

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

/// What a batch update did.
public struct BatchUpdateResult: Sendable, Hashable {
    /// Objects that met the predicate.
    public var matched: Int
    /// Those of them that were not so already.
    public var updated: Int
    /// Which those were, where the request asked.
    public var objectIDs: ManagedObjectIDSet?
}

/// What a batch delete did.
public struct BatchDeleteResult: Sendable, Hashable {
    /// Objects that matched and that one Deny rule keeps, also where only a cascade leads to it; who
    /// is kept by several rules counts at the first one.
    public struct Denial: Sendable, Hashable {
        /// The entity that declares the relationship.
        public var entityName: String
        /// The relationship with the rule.
        public var relationshipName: String
        /// How many objects it keeps.
        public var count: Int
    }

    /// Objects that met the predicate.
    public var matched: Int
    /// Those of them that are gone.
    public var deleted: Int
    /// Objects that matched and that a Deny rule keeps.
    public var denied: Int
    /// These by the rule that keeps them, in the order of the model.
    public var denials: [Denial] = []
    /// Objects of each entity that cascades deleted besides.
    public var cascaded: [String: Int]
    /// Objects whose link to a deleted one was cleared.
    public var nullified: Int
    /// All objects that are gone, where the request asked.
    public var objectIDs: ManagedObjectIDSet?
}
