/// A named fetch request of a model.
public struct FetchRequestTemplate: Sendable, Hashable, Codable {
    /// The template's name.
    public var name: String
    /// The entity whose objects are fetched.
    public var entityName: String
    /// The predicate as text, in which `$NAME` is a variable.
    public var predicate: String?
    /// The maximum number of objects; `nil` is unlimited.
    public var fetchLimit: Int?
    /// The order of the objects, which only programs and archived models can set.
    @EmptyByDefault public var sortDescriptors: [GraphSortDescriptor]
    /// Contents of a model file that have no property here, by their keys in the file.
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

/// A weak, one-way relationship to the results of a fetch request at the time of access.
///
/// It has no column, and it does not change the version hash.
public struct FetchedPropertyDescription: Sendable, Hashable, Codable {
    /// Xcode's name for the request of every fetched property.
    public static let requestName = "fetchedPropertyFetchRequest"

    /// The property's name.
    public var name: String
    /// The request; `$FETCH_SOURCE` in its predicate is the object that has the property.
    public var request: FetchRequestTemplate
    /// Whether the result can be empty.
    public var isOptional: Bool
    /// The property's name in the previous version.
    public var renamingIdentifier: String?
    /// Strings by name that the library keeps and does not use, for the app and its tools.
    @EmptyByDefault public var userInfo: [String: String]
    /// Contents of a model file that have no property here, by their keys in the file.
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
