import GraphModel

/// The state of all objects in a context, restored if a save fails after a merge policy changed
/// them.
struct ContextBackup {
    private struct Entry {
        let object: ManagedObject
        let id: ManagedObjectID
        let link: ContextLink
        let values: [StoredValue]
        let links: [ManagedObjectID?]
        let lists: [ToManyState]
        let mask: ChangeMask
        let committed: ManagedObject.Snapshot?
        let version: Int64
        let presence: ManagedObject.Presence
        let pending: ManagedObject.Pending
        let isStored: Bool
        let hasNoRow: Bool
        let isDeletedElsewhere: Bool
    }

    private let entries: [Entry]
    private let listed: [ManagedObject]
    private let aliases: [ManagedObjectID: ManagedObjectID]
    private let renamesBefore: Int

    init(_ context: ManagedObjectContext) {
        entries = context.registeredObjects.map {
            Entry(
                object: $0, id: $0.objectID, link: $0.link, values: $0.values, links: $0.links,
                lists: $0.lists, mask: $0.mask, committed: $0.committed, version: $0.version,
                presence: $0.presence, pending: $0.pending, isStored: $0.isStored,
                hasNoRow: $0.hasNoRow, isDeletedElsewhere: $0.isDeletedElsewhere)
        }
        listed = context.listed
        aliases = context.aliases
        renamesBefore = context.renames.count
    }

    func restore(_ context: ManagedObjectContext) {
        context.replaceListed()
        context.registry.removeAll()
        for entry in entries {
            let object = entry.object
            object.objectID = entry.id
            object.link = entry.link
            object.values = entry.values
            object.links = entry.links
            object.lists = entry.lists
            object.mask = entry.mask
            object.committed = entry.committed
            object.version = entry.version
            object.presence = entry.presence
            object.pending = entry.pending
            object.isStored = entry.isStored
            object.hasNoRow = entry.hasNoRow
            object.isDeletedElsewhere = entry.isDeletedElsewhere
            context.registry.set(object)
        }
        context.replaceListed(with: listed)
        context.aliases = aliases
        context.unprocessedDeletes.removeAll()
        // Other contexts may have taken keys since the backup; those keys stay taken.
        for ids in context.renames.dropFirst(renamesBefore) { context.take(ids) }
    }

    /// Restores the context after a unit of work: drops objects that the unit created, and keeps
    /// objects that it read in their saved state.
    ///
    /// - Parameter readsAgain: Whether to turn the objects that the unit read into faults, because
    ///   their values may never have been saved.
    func restoreUnit(_ context: ManagedObjectContext, readsAgain: Bool) {
        let known = Set(entries.map { ObjectIdentifier($0.object) })
        var strangers: [ObjectIdentifier: ManagedObject] = [:]
        for object in context.registeredObjects + context.listed
        where !known.contains(ObjectIdentifier(object)) {
            strangers[ObjectIdentifier(object)] = object
        }
        restore(context)
        for object in strangers.values {
            let isNew = !object.isStored
            object.pending = .none
            if isNew {
                object.hasNoRow = true
                object.mask = ChangeMask()
            } else {
                object.revert()
                context.register(object)
                if readsAgain { object.turnIntoFault() }
            }
        }
        context.deletedNew.removeAll()
        context.notedErrors.removeAll()
        context.hasPendingDeletes = context.listed.contains { $0.pending == .deleted }
    }
}
