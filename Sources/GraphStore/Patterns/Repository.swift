public import GraphModel

/// One class's objects, as the rest of a program asks for them.
///
/// `GraphRepository` is the one over a context; a test may have another.
public protocol Repository<Object> {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// The object of that ID; nil where it is gone.
    func object(with id: ManagedObjectID) throws -> Object?
    /// The objects that meet a predicate, in order.
    func objects(
        where predicate: GraphPredicate?, sortedBy order: [GraphSortDescriptor], limit: Int
    ) throws -> [Object]
    /// How many objects meet a predicate.
    func count(where predicate: GraphPredicate?) throws -> Int
    /// Makes a new object.
    func insert(_ body: (Object) throws -> Void) throws -> Object
    /// Deletes an object, by the model's rules.
    func delete(_ object: Object) throws
    /// Makes the changes durable.
    func save() throws
}

extension Repository {
    /// All objects, in no order but that of their keys.
    public func all() throws -> [Object] { try objects(where: nil, sortedBy: [], limit: 0) }

    /// The first object that meets a predicate.
    public func first(
        where predicate: GraphPredicate, sortedBy order: [GraphSortDescriptor] = []
    ) throws -> Object? {
        try objects(where: predicate, sortedBy: order, limit: 1).first
    }
}

/// A repository over a context, in whose region it stays.
public struct GraphRepository<Object: ManagedObject>: Repository {
    /// Where the objects live.
    public let context: ManagedObjectContext

    /// Makes a repository over a context.
    public init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// The object of that ID; nil where it is gone, or of another entity.
    public func object(with id: ManagedObjectID) throws -> Object? {
        do throws(StoreError) {
            let entity = context.container.schema.entity(named: Object.entityName)
            guard entity?.familyNumbers.contains(id.entityNumber) != false else { return nil }
            try context.use(Object.self, for: [id.entityNumber])
            return try context.existingObject(with: id).typed()
        } catch {
            guard error.code == .inaccessible else { throw error }
            return nil
        }
    }

    /// The objects that meet a predicate, in order; a limit of 0 is none.
    public func objects(
        where predicate: GraphPredicate?, sortedBy order: [GraphSortDescriptor] = [],
        limit: Int = 0
    ) throws -> [Object] {
        try context.fetch(
            FetchRequest<Object>(
                predicate: predicate, sortDescriptors: order, fetchLimit: limit))
    }

    /// How many objects meet a predicate.
    public func count(where predicate: GraphPredicate? = nil) throws -> Int {
        try context.count(for: FetchRequest<Object>(predicate: predicate))
    }

    /// Makes a new object; what the body throws leaves none behind.
    @discardableResult
    public func insert(_ body: (Object) throws -> Void = { _ in }) throws -> Object {
        try context.unitOfWork { context in
            let object = Object(in: context)
            try body(object)
            return object
        }
    }

    /// Deletes an object, by the model's rules.
    public func delete(_ object: Object) throws { context.delete(object) }

    /// Makes the context's changes durable.
    public func save() throws { try context.save() }
}
