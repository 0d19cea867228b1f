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
    /// How much of the objects is read.
    public var materialise = Materialise.faults
    /// Objects in memory are read anew, under their changes.
    public var shouldRefreshRefetchedObjects = false
    /// Relationships to read along, such as `["category", "tags.tasks"]`.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Rows are read so many at a time, when they are looked at; 0 reads all at once.
    public var fetchBatchSize = 0
    /// The columns of `rows`, or the properties that `fetch` reads; empty means all.
    ///
    /// Columns may be computed. The other properties of fetched objects stay faults.
    public var propertiesToFetch: [ExpressionDescription] = []
    /// Key paths: objects with the same values become one row of `rows`.
    public var propertiesToGroupBy: [String] = []
    /// Which groups `rows` gives; its keys are the columns of the result.
    public var havingPredicate: GraphPredicate?
    /// Equal rows of `rows` come once.
    public var returnsDistinctResults = false

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

/// How much of the objects a fetch reads.
public enum Materialise: Sendable, Hashable {
    /// Which ones there are; each object reads its row when it is looked at.
    case ids
    /// The rows, too, which stay untouched until an object is looked at.
    case faults
    /// The rows, and each object has woken up with its own.
    case rows
}

extension FetchRequest {
    /// Objects stay untouched until they are looked at; false is `Materialise.rows`.
    public var returnsObjectsAsFaults: Bool {
        get { materialise != .rows }
        set {
            if !newValue {
                materialise = .rows
            } else if materialise == .rows {
                materialise = .faults
            }
        }
    }

    /// Rows are read together with what tells which they are; false is `Materialise.ids`.
    public var includesPropertyValues: Bool {
        get { materialise != .ids }
        set {
            if !newValue {
                materialise = .ids
            } else if materialise == .ids {
                materialise = .faults
            }
        }
    }
}

extension ManagedObject {
    /// A request for all objects of the class's entity.
    public class func fetchRequest() -> FetchRequest<ManagedObject> {
        FetchRequest(entityName: entityName)
    }
}
