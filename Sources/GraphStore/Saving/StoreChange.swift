import GraphModel

/// What one save changed, by object ID.
public struct StoreChange: Sendable, Hashable {
    /// Objects that are new.
    public var inserted = ManagedObjectIDSet()
    /// Objects whose attributes or links changed.
    public var updated = ManagedObjectIDSet()
    /// Objects that are gone.
    public var deleted = ManagedObjectIDSet()

    /// No change.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// The numbers of the entities that it is of.
    var entityNumbers: Set<Int64> {
        Set(inserted.ranges.keys).union(updated.ranges.keys).union(deleted.ranges.keys)
    }

    mutating func insert(_ id: ManagedObjectID) {
        inserted.insert(id)
    }

    mutating func update(_ id: ManagedObjectID) {
        if !inserted.contains(id) { updated.insert(id) }
    }

    /// Notes changed objects, however many and in whatever order of their keys.
    mutating func update(_ ids: ManagedObjectIDSet) {
        var ids = ids
        ids.subtract(inserted)
        updated.formUnion(ids)
    }

    mutating func delete(_ id: ManagedObjectID) {
        if inserted.contains(id) { return inserted.remove(id) }
        updated.remove(id)
        deleted.insert(id)
    }

    /// Notes objects that are gone, however many.
    mutating func delete(_ ids: ManagedObjectIDSet) {
        var known = ids
        known.subtract(inserted)
        inserted.subtract(ids)
        updated.subtract(known)
        deleted.formUnion(known)
    }
}

/// What a save gives back.
public struct SaveResult: Sendable, Hashable {
    /// What changed in the store.
    public let change: StoreChange
    /// The place behind it in the store's history, where it keeps one.
    public var historyToken: HistoryToken?
}
