import GraphModel

/// The objects that a batch request has updated, which are told of once all of it is done.
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

    /// The objects.
    var objects: ManagedObjectIDSet {
        mutating get {
            for (entity, keys) in unordered {
                ids.insert(risingKeys: keys.sorted(), entityNumber: entity)
            }
            unordered.removeAll()
            return ids
        }
    }

    /// Tells the session's change and its history what was updated.
    ///
    /// - Returns: the objects.
    @discardableResult
    mutating func tell(_ session: WriteSession) -> ManagedObjectIDSet {
        let ids = objects
        session.change.update(ids)
        if let history = session.history, !properties.isEmpty {
            history.update(ids, properties: properties)
        }
        return ids
    }
}
