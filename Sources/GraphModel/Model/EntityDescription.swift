/// A rule over the whole object, with the message that a violation shows.
public struct ValidationRule: Sendable, Hashable, Codable {
    /// A predicate in text.
    public var predicate: String
    /// What to tell the user.
    public var message: String

    /// Creates a rule.
    public init(predicate: String, message: String) {
        self.predicate = predicate
        self.message = message
    }
}

/// One entity: what it declares itself, and, once it is part of a model, what it inherits.
public struct EntityDescription: Sendable, Hashable, Codable {
    /// The entity's name.
    public var name: String
    /// The parent whose properties it shares, and whose table.
    public var superentityName: String?
    /// No object is of this entity itself.
    public var isAbstract: Bool
    /// The class that stands for it in code; nil is a class of the entity's own name.
    public var managedObjectClassName: String?
    /// The attributes declared here.
    public var ownAttributes: [AttributeDescription]
    /// The relationships declared here.
    public var ownRelationships: [RelationshipDescription]
    /// Sets of attributes whose values together are unique, declared here.
    public var uniquenessConstraints: [[String]]
    /// Indexes declared here.
    public var indexes: [FetchIndexDescription]
    /// Rules over the whole object, declared here.
    public var validationRules: [ValidationRule]
    /// The entity's name in the version before.
    public var renamingIdentifier: String?
    /// Forces a new version hash although the shape is the same.
    public var versionHashModifier: String?
    /// Free text for tools.
    public var userInfo: [String: String]
    /// The fetched properties declared here.
    @EmptyByDefault public var fetchedProperties: [FetchedPropertyDescription]
    /// What a model file says beyond this, by the file's own names.
    @EmptyByDefault public var extras: [String: String]

    /// Creates an entity; everything but the name has Core Data's default.
    public init(
        name: String, superentityName: String? = nil, isAbstract: Bool = false,
        managedObjectClassName: String? = nil, ownAttributes: [AttributeDescription] = [],
        ownRelationships: [RelationshipDescription] = [], uniquenessConstraints: [[String]] = [],
        indexes: [FetchIndexDescription] = [], validationRules: [ValidationRule] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:], fetchedProperties: [FetchedPropertyDescription] = [],
        extras: [String: String] = [:]
    ) {
        self.name = name
        self.superentityName = superentityName
        self.isAbstract = isAbstract
        self.managedObjectClassName = managedObjectClassName
        self.ownAttributes = ownAttributes
        self.ownRelationships = ownRelationships
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.validationRules = validationRules
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.fetchedProperties = fetchedProperties
        self.extras = extras
    }
}
