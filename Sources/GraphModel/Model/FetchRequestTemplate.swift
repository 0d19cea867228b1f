/// A request that a model names, so that programs need not spell it out.
public struct FetchRequestTemplate: Sendable, Hashable, Codable {
    /// The template's name.
    public var name: String
    /// The entity whose objects are fetched.
    public var entityName: String
    /// A predicate in text; `$NAME` stands for a value given later.
    public var predicate: String?
    /// No more objects than that; nil is no limit.
    public var fetchLimit: Int?
    /// The order of the objects, which only programs and archived models state.
    @EmptyByDefault public var sortDescriptors: [GraphSortDescriptor]
    /// What a model file says beyond this, by the file's own names.
    @EmptyByDefault public var extras: [String: String]

    /// Creates a template.
    public init(
        name: String, entityName: String, predicate: String? = nil, fetchLimit: Int? = nil,
        sortDescriptors: [GraphSortDescriptor] = [], extras: [String: String] = [:]
    ) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
        self.fetchLimit = fetchLimit
        self.sortDescriptors = sortDescriptors
        self.extras = extras
    }
}

/// A weak, one-way relationship: what a request finds at the time it is asked for.
///
/// It has no column, and it does not change the version hash.
public struct FetchedPropertyDescription: Sendable, Hashable, Codable {
    /// What Xcode calls the request of every fetched property.
    public static let requestName = "fetchedPropertyFetchRequest"

    /// The property's name.
    public var name: String
    /// The request; `$FETCH_SOURCE` in its predicate is the object that has the property.
    public var request: FetchRequestTemplate
    /// Whether nothing may be found.
    public var isOptional: Bool
    /// The property's name in the version before.
    public var renamingIdentifier: String?
    /// Free text for tools.
    @EmptyByDefault public var userInfo: [String: String]
    /// What a model file says beyond this, by the file's own names.
    @EmptyByDefault public var extras: [String: String]

    /// Creates a fetched property.
    public init(
        name: String, request: FetchRequestTemplate, isOptional: Bool = true,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        extras: [String: String] = [:]
    ) {
        self.name = name
        self.request = request
        self.isOptional = isOptional
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
        self.extras = extras
    }
}
