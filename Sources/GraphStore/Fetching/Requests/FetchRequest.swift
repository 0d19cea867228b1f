public import GraphModel

/// A request for objects: which ones, in which order, and how much of them is read.
///
/// ```swift
/// let request = FetchRequest<Task>(
///     predicate: try ParsedPredicate(format: "isDone == NO").predicate,
///     sortDescriptors: [GraphSortDescriptor(["due"])], fetchLimit: 50)
/// let tasks = try context.fetch(request)
/// ```
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// The name of the entity.
    public var entityName: String
    /// The condition on the objects; `nil` fetches all.
    public var predicate: GraphPredicate?
    /// The values of the `$name` variables in the predicate.
    public var variables: [String: GraphValue]
    /// The sort order; ties are sorted by primary key.
    public var sortDescriptors: [GraphSortDescriptor]
    /// The maximum number of objects; 0 means all.
    public var fetchLimit: Int
    /// The number of objects to skip.
    public var fetchOffset: Int
    /// Whether to include objects of sub-entities.
    public var includesSubentities = true
    /// Whether to match objects with their unsaved changes instead of the saved values.
    public var includesPendingChanges = true
    /// How much of the objects is read.
    public var materialize = Materialize.faults
    /// Whether to refresh fetched objects that are in memory, keeping their changes.
    public var shouldRefreshRefetchedObjects = false
    /// Relationships to prefetch, such as `["category", "tags.tasks"]`.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The number of rows to read at a time, on access; 0 reads all at once.
    public var fetchBatchSize = 0
    /// The columns of `rows`, or the properties that `fetch` reads; empty means all.
    ///
    /// Columns may be computed. The other properties of fetched objects stay faults.
    public var propertiesToFetch: [ExpressionDescription] = []
    /// Key paths to group by: `rows` returns one row per group of equal values.
    public var propertiesToGroupBy: [String] = []
    /// The condition on the groups of `rows`; its keys are the columns of the result.
    public var havingPredicate: GraphPredicate?
    /// Whether `rows` returns equal rows only once.
    public var returnsDistinctResults = false

    /// Creates a request for the class's entity, or for another one.
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
public enum Materialize: Sendable, Hashable {
    /// Reads only the IDs; each object reads its row on first access.
    case ids
    /// Reads the rows, too; each object stays a fault until first access.
    case faults
    /// Reads the rows and realizes the objects.
    case rows
}

extension FetchRequest {
    /// Whether objects stay faults until first access; `false` is `Materialize.rows`.
    public var returnsObjectsAsFaults: Bool {
        get { materialize != .rows }
        set {
            if !newValue {
                materialize = .rows
            } else if materialize == .rows {
                materialize = .faults
            }
        }
    }

    /// Whether the fetch reads rows together with the IDs; `false` is `Materialize.ids`.
    public var includesPropertyValues: Bool {
        get { materialize != .ids }
        set {
            if !newValue {
                materialize = .ids
            } else if materialize == .ids {
                materialize = .faults
            }
        }
    }
}

extension ManagedObject {
    /// Returns a request for all objects of the class's entity.
    public class func fetchRequest() -> FetchRequest<ManagedObject> {
        FetchRequest(entityName: entityName)
    }
}
