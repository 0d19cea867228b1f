import GraphModel

/// The objects that a batch update has written, which are told of once all of it is done.
struct BatchUpdateNotes {
    private let properties: [String]
    private var ids = ManagedObjectIDSet()
    private var last: Int64 = 0
    /// Keys that come out of order, by entity: each of them would cost the set a search.
    private var unordered: [Int64: [Int64]] = [:]
    /// Some object that was written.
    private(set) var someKey: Int64?

    /// - Parameter properties: what is set.
    init(_ properties: [String]) {
        self.properties = properties
    }

    mutating func add(_ primaryKey: Int64, entity: Int64) {
        someKey = someKey ?? primaryKey
        guard primaryKey > last else {
            unordered[entity, default: []].append(primaryKey)
            return
        }
        last = primaryKey
        ids.insert(ManagedObjectID(entityNumber: entity, primaryKey: primaryKey))
    }

    /// Tells the session's change and its history what was updated.
    ///
    /// - Returns: the objects.
    mutating func tell(_ session: WriteSession) -> ManagedObjectIDSet {
        for (entity, keys) in unordered {
            for key in keys.sorted() {
                ids.insert(ManagedObjectID(entityNumber: entity, primaryKey: key))
            }
        }
        unordered.removeAll()
        for (entity, ranges) in ids.ranges {
            let mask = session.history?.mask(properties, entity: entity)
            for key in ranges.joined() {
                let id = ManagedObjectID(entityNumber: entity, primaryKey: key)
                session.change.update(id)
                if let mask { session.history?.update(id, mask: mask) }
            }
        }
        return ids
    }
}
