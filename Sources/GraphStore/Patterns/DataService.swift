public import GraphModel

/// The values of an object, which can be sent between tasks.
public struct ObjectData: Sendable, Hashable {
    /// The object's ID; `nil` for an object that does not exist yet.
    public var objectID: ManagedObjectID?
    /// The name of its entity.
    public var entityName: String
    /// The values of its attributes; omitted attributes are not set.
    public var attributes: [String: StoredValue]
    /// The destinations of its relationships, in order; omitted relationships are not set.
    public var links: [String: [ManagedObjectID]]

    /// Creates the values of an object.
    public init(
        objectID: ManagedObjectID? = nil, entityName: String,
        attributes: [String: StoredValue] = [:], links: [String: [ManagedObjectID]] = [:]
    ) {
        self.objectID = objectID
        self.entityName = entityName
        self.attributes = attributes
        self.links = links
    }

    /// Copies an object's values from its context.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - relationships: The relationships to copy; to-manys are read from the store.
    public init(
        _ object: ManagedObject, relationships: Set<String> = []
    ) throws(StoreError) {
        self.init(objectID: object.objectID, entityName: object.entityName)
        for (slot, attribute) in object.layout.attributes.enumerated() {
            attributes[attribute.name] = try object.attribute(slot)
        }
        for name in relationships { links[name] = try object.objectIDs(for: name) }
    }

    /// Sets the values of an object.
    func apply(to object: ManagedObject, in context: ManagedObjectContext) throws(StoreError) {
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            try object.setValue(.attribute(value), forKey: name)
        }
        for (name, ids) in links.sorted(by: { $0.key < $1.key }) {
            let others = ids.map { context.object(with: $0) }
            switch try object.property(name) {
            case .toOne: try object.setValue(.object(others.first), forKey: name)
            default: try object.setValue(.objects(others), forKey: name)
            }
        }
    }
}

/// A service that reads and writes objects as plain values, from any task.
public protocol DataService: Sendable {
    /// Returns the object with an ID; `nil` if it no longer exists.
    func object(with id: ManagedObjectID) async throws -> ObjectData?
    /// Returns the objects of an entity that match a predicate.
    func objects(
        of entityName: String, where predicate: GraphPredicate?
    ) async throws -> [ObjectData]
    /// Creates an object, or updates the object that the values identify, and saves.
    func save(_ data: ObjectData) async throws -> ManagedObjectID
    /// Deletes an object according to the model's delete rules, and saves.
    func delete(_ id: ManagedObjectID) async throws
}

/// A data service for a store; each call is a separate unit of work.
public struct GraphDataService: DataService {
    private let container: PersistentContainer

    /// Creates a data service for a store.
    public init(_ container: PersistentContainer) {
        self.container = container
    }

    /// Returns the object with an ID; `nil` if it no longer exists.
    public func object(with id: ManagedObjectID) async throws -> ObjectData? {
        try await container.background { context in
            guard let object = try GraphRepository<ManagedObject>(context).object(with: id) else {
                return nil
            }
            return try ObjectData(object)
        }
    }

    /// Returns the objects of an entity that match a predicate, in the order of their keys.
    public func objects(
        of entityName: String, where predicate: GraphPredicate? = nil
    ) async throws -> [ObjectData] {
        try await container.background { context in
            let request = FetchRequest<ManagedObject>(
                entityName: entityName, predicate: predicate)
            return try context.fetch(request).map { try ObjectData($0) }
        }
    }

    /// Creates an object, or updates the object that the values identify, and saves.
    public func save(_ data: ObjectData) async throws -> ManagedObjectID {
        try await container.background { context in
            let object =
                try data.objectID.map { try context.existingObject(with: $0) }
                ?? context.insert(data.entityName)
            try data.apply(to: object, in: context)
            try context.save()
            return object.objectID
        }
    }

    /// Deletes an object according to the model's delete rules, and saves.
    public func delete(_ id: ManagedObjectID) async throws {
        try await container.background { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
    }
}
