/// The effect of a deletion on the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// Leaves them unchanged, including dangling keys.
    case noAction = "no action"
    /// Clears their link to the deleted object.
    case nullify
    /// Deletes them too, by their own delete rules.
    case cascade
    /// Prevents the deletion while the relationship is not empty.
    case deny
}

/// A relationship of an entity, from one side.
public struct RelationshipDescription: Sendable, Hashable, Codable {
    /// The relationship's name.
    public var name: String
    /// The entity at the other end.
    public var destinationEntityName: String
    /// The name of the inverse relationship in the destination.
    public var inverseName: String?
    /// Whether there can be many objects at the other end.
    public var isToMany: Bool
    /// Whether the objects at the other end have an order that users see.
    public var isOrdered: Bool
    /// Whether it can be empty.
    public var isOptional: Bool
    /// The effect of a deletion at this end on the objects at the other end.
    public var deleteRule: DeleteRule
    /// The minimum number of objects if it is not empty.
    public var minimumCount: Int
    /// The maximum number of objects; 0 and −1 set no limit, and a to-one relationship has 1.
    public var maximumCount: Int
    /// True or `nil`, so that models encoded before the property existed can be decoded.
    private var transient: Bool?
    /// The relationship's name in the previous version.
    public var renamingIdentifier: String?
    /// A value that changes the version hash although the structure is the same.
    public var versionHashModifier: String?
    /// Strings by name that the library keeps and does not use, for the app and its tools.
    public var userInfo: [String: String]
    /// Contents of a model file that have no property here, by their keys in the file.
    @EmptyByDefault public var extras: [String: String]

    /// Creates a relationship; all arguments except name and destination have Core Data's defaults.
    public init(
        name: String, destinationEntityName: String, inverseName: String? = nil,
        isToMany: Bool = false, isOrdered: Bool = false, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, minimumCount: Int = 0, maximumCount: Int? = nil,
        isTransient: Bool = false, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:],
        extras: [String: String] = [:]
    ) {
        self.name = name
        self.destinationEntityName = destinationEntityName
        self.inverseName = inverseName
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.deleteRule = deleteRule
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount ?? (isToMany ? 0 : 1)
        transient = isTransient ? true : nil
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.extras = extras
    }
}

extension RelationshipDescription {
    /// Whether it is not stored: it has no column and no join table, and is in no version hash.
    public var isTransient: Bool {
        get { transient ?? false }
        set { transient = newValue ? true : nil }
    }
}

extension RelationshipDescription {
    /// A violation of a to-many relationship's limits.
    package enum CountProblem: Sendable, CaseIterable {
        case tooFew
        case tooMany
    }

    /// Returns the limit that the problem violates, or `nil` if the limit is not set.
    ///
    /// An optional relationship can be empty regardless of its minimum.
    package func limit(_ problem: CountProblem) -> Int? {
        switch problem {
        case .tooFew:
            let least = max(minimumCount, isOptional ? 0 : 1)
            return least > (isOptional ? 1 : 0) ? least : nil
        case .tooMany: return maximumCount > 0 ? maximumCount : nil
        }
    }

    /// Returns the problem with a number of objects and the limit, or `nil` if the number is
    /// allowed.
    package func problem(withCount count: Int) -> (problem: CountProblem, limit: Int)? {
        if count == 0, isOptional { return nil }
        if let least = limit(.tooFew), count < least { return (.tooFew, least) }
        if let most = limit(.tooMany), count > most { return (.tooMany, most) }
        return nil
    }
}
