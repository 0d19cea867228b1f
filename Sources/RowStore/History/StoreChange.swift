import GraphModel

/// The changes of one save, by object ID.
public struct StoreChange: Sendable, Hashable {
    /// The objects that were inserted.
    public var inserted = ManagedObjectIDSet()
    /// The objects whose attributes or links changed.
    public var updated = ManagedObjectIDSet()
    /// The objects that were deleted.
    public var deleted = ManagedObjectIDSet()

    /// Creates an empty change.
    public init() {}

    /// Whether the change contains no objects.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// The numbers of the entities of the changed objects.
    var entityNumbers: Set<Int64> {
        Set(inserted.entityNumbers + updated.entityNumbers + deleted.entityNumbers)
    }

    /// Records an inserted object.
    package mutating func insert(_ id: ManagedObjectID) {
        inserted.insert(id)
    }

    /// Records an updated object, unless the change inserts it.
    package mutating func update(_ id: ManagedObjectID) {
        if !inserted.contains(id) { updated.insert(id) }
    }

    /// Records any number of changed objects, with keys in any order.
    mutating func update(_ ids: ManagedObjectIDSet) {
        var ids = ids
        ids.subtract(inserted)
        updated.formUnion(ids)
    }

    /// Records a deleted object; an object that the change inserts is forgotten instead.
    package mutating func delete(_ id: ManagedObjectID) {
        if inserted.contains(id) { return inserted.remove(id) }
        updated.remove(id)
        deleted.insert(id)
    }

    /// Records any number of deleted objects.
    mutating func delete(_ ids: ManagedObjectIDSet) {
        var known = ids
        known.subtract(inserted)
        inserted.subtract(ids)
        updated.subtract(known)
        deleted.formUnion(known)
    }
}

/// The result of a save.
public struct SaveResult: Sendable, Hashable {
    /// The changes in the store.
    public let change: StoreChange
    /// The position in the store's history after the save; `nil` if the store keeps no history.
    public var historyToken: HistoryToken?

    /// Creates the result of a save.
    package init(change: StoreChange, historyToken: HistoryToken? = nil) {
        self.change = change
        self.historyToken = historyToken
    }
}
