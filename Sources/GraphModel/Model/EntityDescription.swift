/// A rule over the whole object, with the message for a violation.
public struct ValidationRule: Sendable, Hashable, Codable {
    /// The predicate as text.
    public var predicate: String
    /// The message for the user.
    public var message: String

    /// Creates a rule for objects: a predicate that they must match, and the message if they do
    /// not.
    public init(predicate: String, message: String) {
        self.predicate = predicate
        self.message = message
    }
}

/// An entity: its own declarations and, as part of a model, its parent.
public struct EntityDescription: Sendable, Hashable, Codable {
    /// The entity's name.
    public var name: String
    /// The parent, whose properties and table it shares.
    public var superentityName: String?
    /// Whether only its sub-entities have objects.
    public var isAbstract: Bool
    /// The class that represents it in code; `nil` is the entity's name.
    public var managedObjectClassName: String?
    /// The attributes that the entity declares.
    public var ownAttributes: [AttributeDescription]
    /// The relationships that the entity declares.
    public var ownRelationships: [RelationshipDescription]
    /// The sets of attributes whose combined values are unique, as the entity declares them.
    public var uniquenessConstraints: [[String]]
    /// The indexes that the entity declares.
    public var indexes: [FetchIndexDescription]
    /// The rules over the whole object that the entity declares.
    public var validationRules: [ValidationRule]
    /// The entity's name in the previous version.
    public var renamingIdentifier: String?
    /// A value that changes the version hash although the structure is the same.
    public var versionHashModifier: String?
    /// Strings by name that the library keeps and does not use, for the app and its tools.
    public var userInfo: [String: String]
    /// The fetched properties that the entity declares.
    @EmptyByDefault public var fetchedProperties: [FetchedPropertyDescription]
    /// Contents of a model file that have no property here, by their keys in the file.
    @EmptyByDefault public var extras: [String: String]

    /// Creates an entity; all arguments except the name have Core Data's defaults.
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
