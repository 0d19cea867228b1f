public import GraphModel

/// Which objects, in which order, and how much of them.
///
/// ```swift
/// let request = FetchRequest<Task>(
///     predicate: try ParsedPredicate(format: "isDone == NO").predicate,
///     sortDescriptors: [GraphSortDescriptor(["due"])], fetchLimit: 50)
/// let tasks = try context.fetch(request)
/// ```
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// The entity.
    public var entityName: String
    /// Which objects; nil means all.
    public var predicate: GraphPredicate?
    /// Values for `$name`.
    public var variables: [String: GraphValue]
    /// In which order; objects that tie come by key.
    public var sortDescriptors: [GraphSortDescriptor]
    /// At most so many; 0 is no limit.
    public var fetchLimit: Int
    /// So many are left out at the start.
    public var fetchOffset: Int
    /// Objects of sub-entities are meant, too.
    public var includesSubentities = true
    /// Objects as they are in the context, not as they are saved, decide what is found.
    public var includesPendingChanges = true
    /// The objects' rows stay untouched until they are looked at; false calls `awakeFromFetch` on
    /// all at once.
    public var returnsObjectsAsFaults = true
    /// Objects in memory are read anew, under their changes.
    public var shouldRefreshRefetchedObjects = false
    /// Relationships to read along, such as `["category", "tags.tasks"]`.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Rows are read so many at a time, when they are looked at; 0 reads all at once.
    public var fetchBatchSize = 0

    /// Creates a request for a class's entity, or for another one.
    public init(
        entityName: String? = nil, predicate: GraphPredicate? = nil,
        variables: [String: GraphValue] = [:], sortDescriptors: [GraphSortDescriptor] = [],
        fetchLimit: Int = 0, fetchOffset: Int = 0
    ) {
        self.entityName = entityName ?? Object.entityName
        self.predicate = predicate
        self.variables = variables
        self.sortDescriptors = sortDescriptors
        self.fetchLimit = fetchLimit
        self.fetchOffset = fetchOffset
    }
}

extension ManagedObject {
    /// A request for all objects of the class's entity.
    public class func fetchRequest() -> FetchRequest<ManagedObject> {
        FetchRequest(entityName: entityName)
    }
}
