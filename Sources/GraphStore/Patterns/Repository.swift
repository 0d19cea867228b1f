public import GraphModel

/// A repository of one class's objects.
///
/// `GraphRepository` uses a context; a test may use another implementation.
public protocol Repository<Object> {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// Returns the object with an ID; `nil` if it no longer exists.
    func object(with id: ManagedObjectID) throws -> Object?
    /// Returns the objects that match a predicate, in order.
    func objects(
        where predicate: GraphPredicate?, sortedBy order: [GraphSortDescriptor], limit: Int
    ) throws -> [Object]
    /// Returns the number of objects that match a predicate.
    func count(where predicate: GraphPredicate?) throws -> Int
    /// Creates an object.
    func insert(_ body: (Object) throws -> Void) throws -> Object
    /// Deletes an object according to the model's delete rules.
    func delete(_ object: Object) throws
    /// Saves the changes.
    func save() throws
}

extension Repository {
    /// Returns all objects, in the order of their keys.
    public func all() throws -> [Object] { try objects(where: nil, sortedBy: [], limit: 0) }

    /// Returns the first object that matches a predicate.
    public func first(
        where predicate: GraphPredicate, sortedBy order: [GraphSortDescriptor] = []
    ) throws -> Object? {
        try objects(where: predicate, sortedBy: order, limit: 1).first
    }
}

/// A repository over a context; it must stay in the context's isolation region.
public struct GraphRepository<Object: ManagedObject>: Repository {
    /// The context of the objects.
    public let context: ManagedObjectContext

    /// Creates a repository over a context.
    public init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Returns the object with an ID; `nil` if it no longer exists or has another entity.
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

    /// Returns the objects that match a predicate, in order; a limit of 0 returns all.
    public func objects(
        where predicate: GraphPredicate?, sortedBy order: [GraphSortDescriptor] = [],
        limit: Int = 0
    ) throws -> [Object] {
        try context.fetch(
            FetchRequest<Object>(
                predicate: predicate, sortDescriptors: order, fetchLimit: limit))
    }

    /// Returns the number of objects that match a predicate.
    public func count(where predicate: GraphPredicate? = nil) throws -> Int {
        try context.count(for: FetchRequest<Object>(predicate: predicate))
    }

    /// Creates an object; if the body throws, the object is removed again.
    @discardableResult
    public func insert(_ body: (Object) throws -> Void = { _ in }) throws -> Object {
        try context.unitOfWork { context in
            let object = Object(in: context)
            try body(object)
            return object
        }
    }

    /// Deletes an object according to the model's delete rules.
    public func delete(_ object: Object) throws { context.delete(object) }

    /// Saves the context's changes.
    public func save() throws { try context.save() }
}
