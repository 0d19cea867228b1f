public import GraphModel

/// The IDs of many objects, at 8 bytes each, or 10 if they have several entities.
public struct ObjectIDVector: RandomAccessCollection, Sendable {
    private var keys: [Int64] = []
    /// The entity number of all IDs, or of the first.
    private var entity: Int64 = 0
    /// The entity number of each ID; empty if all have the same entity.
    private var entities: [UInt16] = []

    init() {}

    init(_ ids: [ManagedObjectID]) {
        keys.reserveCapacity(ids.count)
        for id in ids { append(id) }
    }

    mutating func append(_ id: ManagedObjectID) {
        if keys.isEmpty { entity = id.entityNumber }
        if id.entityNumber != entity, entities.isEmpty {
            entities = Array(repeating: UInt16(entity), count: keys.count)
        }
        if !entities.isEmpty || id.entityNumber != entity {
            entities.append(UInt16(id.entityNumber))
        }
        keys.append(id.primaryKey)
    }

    /// The first index: 0.
    public var startIndex: Int { 0 }
    /// The number of IDs.
    public var endIndex: Int { keys.count }

    /// The ID at an index.
    public subscript(index: Int) -> ManagedObjectID {
        ManagedObjectID(
            entityNumber: entities.isEmpty ? entity : Int64(entities[index]),
            primaryKey: keys[index])
    }
}
