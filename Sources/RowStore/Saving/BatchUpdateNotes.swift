import GraphModel

/// The objects that a batch request has updated, collected for the change set and the history.
package struct BatchUpdateNotes {
    private let properties: [String]
    private var ids = ManagedObjectIDSet()
    private var last: Int64 = 0
    /// Keys that arrive out of order, by entity; inserting each of them into the set would need a
    /// search.
    private var unordered: [Int64: [Int64]] = [:]
    /// The primary key of any updated object.
    package private(set) var someKey: Int64?

    /// Creates an empty collection for one batch update.
    ///
    /// - Parameter properties: The names of the properties that the update sets.
    package init(_ properties: [String]) {
        self.properties = properties
    }

    /// Adds an updated object.
    package mutating func add(_ primaryKey: Int64, entity: Int64) {
        someKey = someKey ?? primaryKey
        guard primaryKey > last else {
            unordered[entity, default: []].append(primaryKey)
            return
        }
        last = primaryKey
        ids.insert(ManagedObjectID(entityNumber: entity, primaryKey: primaryKey))
    }

    /// The IDs of the updated objects.
    package var objects: ManagedObjectIDSet {
        mutating get {
            for (entity, keys) in unordered {
                ids.insert(risingKeys: keys.sorted(), entityNumber: entity)
            }
            unordered.removeAll()
            return ids
        }
    }

    /// Adds the updated objects to the session's change set and history.
    ///
    /// - Returns: The IDs of the updated objects.
    @discardableResult
    package mutating func emit(_ session: WriteSession) -> ManagedObjectIDSet {
        let ids = objects
        session.change.update(ids)
        if let history = session.history, !properties.isEmpty {
            history.update(ids, properties: properties)
        }
        return ids
    }
}
