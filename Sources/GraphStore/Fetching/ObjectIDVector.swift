public import GraphModel

/// The IDs of many objects: eight bytes each, two more where they are of several entities.
public struct ObjectIDVector: RandomAccessCollection, Sendable {
    private var keys: [Int64] = []
    /// The entity of all of them, or of the first.
    private var entity: Int64 = 0
    /// Empty while all are of one entity.
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

    /// The first place: 0.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { keys.count }

    /// The ID at a place.
    public subscript(index: Int) -> ManagedObjectID {
        ManagedObjectID(
            entityNumber: entities.isEmpty ? entity : Int64(entities[index]),
            primaryKey: keys[index])
    }
}
