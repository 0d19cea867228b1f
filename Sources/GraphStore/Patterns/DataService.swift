public import GraphModel

/// An object as plain values, to be sent anywhere.
public struct ObjectData: Sendable, Hashable {
    /// Which object; nil of one that is yet to be made.
    public var objectID: ManagedObjectID?
    /// Its entity.
    public var entityName: String
    /// Its attributes; those left out are not set.
    public var attributes: [String: StoredValue]
    /// Where its relationships lead, in their order; those left out are not set.
    public var links: [String: [ManagedObjectID]]

    /// Makes values for an object.
    public init(
        objectID: ManagedObjectID? = nil, entityName: String,
        attributes: [String: StoredValue] = [:], links: [String: [ManagedObjectID]] = [:]
    ) {
        self.objectID = objectID
        self.entityName = entityName
        self.attributes = attributes
        self.links = links
    }

    /// An object's values as they are in its context.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - relationships: which relationships are taken along; to-manys are read for that.
    public init(
        _ object: ManagedObject, relationships: Set<String> = []
    ) throws(StoreError) {
        self.init(objectID: object.objectID, entityName: object.entityName)
        for (slot, attribute) in object.layout.attributes.enumerated() {
            attributes[attribute.name] = try object.attribute(slot)
        }
        for name in relationships { links[name] = try object.objectIDs(for: name) }
    }

    /// Sets the values on an object.
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

/// Reads and writes objects as plain values, from any task.
public protocol DataService: Sendable {
    /// The object of that ID; nil where it is gone.
    func object(with id: ManagedObjectID) async throws -> ObjectData?
    /// The objects of an entity that meet a predicate.
    func objects(
        of entityName: String, where predicate: GraphPredicate?
    ) async throws -> [ObjectData]
    /// Makes an object, or sets what the values name on the one they are of, and saves.
    func save(_ data: ObjectData) async throws -> ManagedObjectID
    /// Deletes an object by the model's rules, and saves.
    func delete(_ id: ManagedObjectID) async throws
}

/// The service over a store: each call is a unit of work of its own.
public struct GraphDataService: DataService {
    private let container: PersistentContainer

    /// Makes a service over a store.
    public init(_ container: PersistentContainer) {
        self.container = container
    }

    /// The object of that ID; nil where it is gone.
    public func object(with id: ManagedObjectID) async throws -> ObjectData? {
        try await container.background { context in
            guard let object = try GraphRepository<ManagedObject>(context).object(with: id) else {
                return nil
            }
            return try ObjectData(object)
        }
    }

    /// The objects of an entity that meet a predicate, in the order of their keys.
    public func objects(
        of entityName: String, where predicate: GraphPredicate? = nil
    ) async throws -> [ObjectData] {
        try await container.background { context in
            let request = FetchRequest<ManagedObject>(
                entityName: entityName, predicate: predicate)
            var found: [ObjectData] = []
            for object in try context.fetch(request) { found.append(try ObjectData(object)) }
            return found
        }
    }

    /// Makes an object, or sets what the values name on the one they are of, and saves.
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

    /// Deletes an object by the model's rules, and saves.
    public func delete(_ id: ManagedObjectID) async throws {
        try await container.background { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
    }
}
