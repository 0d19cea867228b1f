/// What happens to the objects at the other end when an object is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// Leaves them as they are, dangling keys included.
    case noAction = "no action"
    /// Clears their link.
    case nullify
    /// Deletes them too, by their own rules.
    case cascade
    /// Keeps the object while the relationship is not empty.
    case deny
}

/// One relationship of an entity, seen from one side.
public struct RelationshipDescription: Sendable, Hashable, Codable {
    /// The relationship's name.
    public var name: String
    /// The entity at the other end.
    public var destinationEntityName: String
    /// The name of the same relationship seen from the other end.
    public var inverseName: String?
    /// Many objects at the other end instead of one.
    public var isToMany: Bool
    /// The other end has an order that users see.
    public var isOrdered: Bool
    /// May be empty.
    public var isOptional: Bool
    /// What a deletion at this end does to the other.
    public var deleteRule: DeleteRule
    /// The least number of objects, where not empty.
    public var minimumCount: Int
    /// The largest number of objects; 0 and −1 set no limit, a to-one has 1.
    public var maximumCount: Int
    /// True or nil, so that models that were encoded before the property existed decode.
    private var transient: Bool?
    /// The relationship's name in the version before.
    public var renamingIdentifier: String?
    /// Forces a new version hash although the shape is the same.
    public var versionHashModifier: String?
    /// Free text for tools.
    public var userInfo: [String: String]
    /// What a model file says beyond this, by the file's own names.
    @EmptyByDefault public var extras: [String: String]

    /// Creates a relationship; everything but name and destination has Core Data's default.
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
    /// Managed but never stored: it has no column and no join table, and is in no version hash.
    public var isTransient: Bool {
        get { transient ?? false }
        set { transient = newValue ? true : nil }
    }
}
