import GraphModel
import SQLite

/// The primary keys of new objects, in all contexts over one store, that no row has yet.
///
/// A new object gets its key from memory, so another process may write a row with that key first.
/// `ObjectReader` therefore reports every ID that it reads from a row. If a new object has this ID,
/// the object gets another one: an ID that was read always refers to its row.
final class UnwrittenKeys {
    /// The context that reads from the store.
    weak var context: ManagedObjectContext?
    /// The smallest key, so that nearly every row needs only one comparison.
    private var first = Int64.max
    /// The smallest key of each entity, by entity number.
    private var firsts: [Int64] = []
    /// Rows with keys up to here need no check, by entity: no new object has or gets these.
    private var bounds: [Int64] = []

    /// Adds an ID that a new object got and no row has.
    func add(_ id: ManagedObjectID) {
        let number = Int(id.entityNumber)
        while firsts.count <= number { firsts.append(.max) }
        firsts[number] = min(firsts[number], id.primaryKey)
        if number < bounds.count { bounds[number] = min(bounds[number], id.primaryKey - 1) }
        first = min(first, id.primaryKey)
    }

    /// Forgets all IDs after a save that has written the objects, except some.
    ///
    /// - Parameter ids: The former IDs of objects that got another one.
    func reset(to ids: some Collection<ManagedObjectID>) {
        first = .max
        firsts.removeAll(keepingCapacity: true)
        for id in ids { add(id) }
    }

    /// Returns whether a new object may have an ID.
    func mayHave(_ id: ManagedObjectID) -> Bool {
        guard id.primaryKey >= first else { return false }
        let number = Int(id.entityNumber)
        return number < firsts.count && id.primaryKey >= firsts[number]
    }

    /// Handles the ID of a row that was read.
    func meet(_ id: ManagedObjectID) {
        let number = Int(id.entityNumber)
        if number < bounds.count, id.primaryKey <= bounds[number] { return }
        guard number > 0, let context else { return }
        let next = context.skipTakenKeys(for: id)
        while bounds.count <= number { bounds.append(0) }
        bounds[number] = min(next, number < firsts.count ? firsts[number] : .max) - 1
        if mayHave(id) { context.giveWay(to: id) }
    }
}

extension ManagedObjectContext {
    /// A child of this context.
    struct Child {
        /// The context; `nil` after it was freed.
        weak var context: ManagedObjectContext?
    }

    /// This context and all its descendants.
    var family: [ManagedObjectContext] {
        children.isEmpty ? [self] : [self] + children.compactMap(\.context).flatMap(\.family)
    }

    // MARK: IDs that callers pass

    /// Returns the current ID of an object that once had the given ID.
    ///
    /// If a row has the old ID by now, that ID is returned, so every row stays reachable.
    func resolved(_ id: ManagedObjectID) -> ManagedObjectID {
        var id = parent?.resolved(id) ?? id
        while let next = aliases[id] {
            do throws(StoreError) {
                // The reader reports the row it finds, which removes the alias.
                if try objectReader().row(id) != nil { return id }
            } catch {
                note(error)
            }
            id = next
        }
        return id
    }

    /// Returns the unsaved objects among these IDs, by their current IDs.
    ///
    /// The caller keeps the objects, because another process may take their keys, which changes the
    /// IDs.
    func held(_ ids: some Sequence<ManagedObjectID>) -> [ManagedObjectID: ManagedObject] {
        var held: [ManagedObjectID: ManagedObject] = [:]
        for id in ids where rows.unwritten.mayHave(id) { held[id] = object(with: id) }
        return held
    }

    // MARK: Taken keys

    /// Handles a row that was read: if an unsaved object has the same ID, all unsaved objects of
    /// the hierarchy whose keys other processes have taken get new keys.
    func giveWay(to id: ManagedObjectID) {
        let family = family
        for context in family { context.aliases[id] = nil }
        let isTaken = family.contains { context in
            context.registry.object(for: id).map { !$0.isStored && !$0.hasNoRow } ?? false
        }
        guard isTaken, let root = container.objects.layout(id.entityNumber)?.rootNumber else {
            return
        }
        noting { () throws(StoreError) in
            // Renew all taken keys at once, since each renaming reads every object in memory.
            let new = family.flatMap(\.listed).filter { !$0.isStored && !$0.hasNoRow }
            let taken = try takenKeys(of: new, root: root, on: objectReader().connection)
            try renew(new.filter { taken.contains($0.objectID.primaryKey) }, root: root)
        }
    }

    /// Skips the keys that the store has assigned, if they include that of a row.
    ///
    /// - Returns: the next key for a new object.
    func skipTakenKeys(for id: ManagedObjectID) -> Int64 {
        let keys = container.objects.keys
        guard let root = container.objects.layout(id.entityNumber)?.rootNumber else { return 1 }
        guard keys.peek(root: root) <= id.primaryKey else { return keys.peek(root: root) }
        noting { () throws(StoreError) in
            let largest = try container.schema.largestKey(
                root: root, on: objectReader().connection)
            keys.skip(to: largest ?? 0, root: root)
        }
        return keys.peek(root: root)
    }

    /// Returns the keys of the given objects of a hierarchy that rows of its table already have.
    func takenKeys(
        of objects: [ManagedObject], root: Int64, on connection: Connection
    ) throws(StoreError) -> Set<Int64> {
        guard let table = container.objects.layout(root)?.entity.table else { return [] }
        let keys = objects.filter { $0.layout.rootNumber == root }.map(\.objectID.primaryKey)
        var taken: Set<Int64> = []
        for chunk in keys.chunks(of: ObjectReader.chunkSize) {
            taken.formUnion(try ObjectRows(in: table, on: connection).existing(chunk))
        }
        return taken
    }

    /// Gives objects of a hierarchy new keys.
    func renew(_ objects: [ManagedObject], root: Int64) throws(StoreError) {
        var ids: [ManagedObjectID: ManagedObjectID] = [:]
        var owners: [(context: ManagedObjectContext, ids: [ManagedObjectID: ManagedObjectID])] = []
        // Objects renewed before an error keep their new keys. Rename in the owner of each object:
        // a context above it may have the row that the old key belongs to.
        defer { for owner in owners { owner.context.rename(owner.ids) } }
        for object in objects where object.layout.rootNumber == root {
            guard ids[object.objectID] == nil, let owner = object.link.context else { continue }
            guard let key = container.objects.keys.next(root: root) else {
                throw StoreError.keysAtEnd(of: root, in: container.schema)
            }
            let id = ManagedObjectID(entityNumber: object.layout.number, primaryKey: key)
            ids[object.objectID] = id
            if owners.last?.context !== owner { owners.append((owner, [:])) }
            owners[owners.count - 1].ids[object.objectID] = id
        }
    }

    /// Gives objects new IDs, in this context and its descendants.
    func rename(_ ids: [ManagedObjectID: ManagedObjectID]) {
        guard !ids.isEmpty else { return }
        for context in family {
            context.renames.append(ids)
            context.take(ids)
        }
    }

    /// Applies the new IDs of objects.
    func take(_ ids: [ManagedObjectID: ManagedObjectID]) {
        for (old, new) in ids {
            guard let object = registry.object(for: old) else { continue }
            if let other = registry.object(for: new), other !== object {
                object.leave(for: other)
            } else {
                object.objectID = new
                registry.set(object, isHeld: object.isListed)
            }
        }
        replaceLinks(ids)
        undoLog?.rename(ids)
        noteForEvent { change in
            for (old, new) in ids { change.rename(old, new) }
        }
    }

    /// Merges objects in the descendants that a save merged with other objects.
    func notifyChildren(united ids: [ManagedObjectID: ManagedObjectID]) {
        guard !ids.isEmpty else { return }
        undoLog?.rename(ids)
        for context in family.dropFirst() {
            let objects = ids.keys.compactMap { context.registry.object(for: $0) }
            context.take(ids)
            // Their values are now those of the row.
            for object in objects where object.pending == .none && object.link === context.link {
                object.turnIntoFault()
            }
        }
    }

    /// Replaces IDs that objects no longer have in all relationships in memory.
    ///
    /// Pass all IDs at once, since each call reads every object in memory.
    func replaceLinks(_ ids: [ManagedObjectID: ManagedObjectID]) {
        guard !ids.isEmpty else { return }
        for object in registeredObjects { object.replaceLinks(ids) }
    }

    // MARK: Permanent keys

    /// Reserves the keys of new objects in the store, so that no other process takes them.
    ///
    /// An unsaved object's ID can change if another process writes a row with its key. After this
    /// call the ID is permanent, and you can store its URI. The objects are not saved. Inside a
    /// unit of work, the keys are reserved when the unit is committed.
    ///
    /// - Throws: `.busy` if another writer has the store.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(StoreError) {
        let new = objects.filter { $0.link === link && !$0.isStored && !$0.hasNoRow }
        guard !new.isEmpty else { return }
        let root = root
        let isOpen = root.openSession != nil || root.savepointDepth > 0
        let session = try root.session()
        do throws(StoreError) {
            try root.renewTakenKeys(new, in: session)
            for object in new {
                session.noteWritten(
                    key: object.objectID.primaryKey, root: object.layout.rootNumber)
            }
        } catch {
            if !isOpen { root.giveUpSession() }
            throw error
        }
        if !isOpen { _ = try root.commitTransaction() }
    }
}

extension ManagedObject {
    /// Detaches the object, because another object represents the row from now on.
    fileprivate final func leave(for other: ManagedObject) {
        link.context?.unregister(self)
        let nowhere = link.context.map(ContextLink.nowhere)
        forgetChanges()
        hasNoRow = true
        if let nowhere { link = nowhere }
        objectID = other.objectID
    }

    /// Replaces IDs that objects no longer have in all links and lists of the object.
    fileprivate final func replaceLinks(_ ids: [ManagedObjectID: ManagedObjectID]) {
        for slot in links.indices {
            if let id = links[slot], let new = ids[id] { links[slot] = new }
        }
        committed?.replaceLinks(ids)
        for slot in lists.indices { lists[slot].rename(ids) }
        guard let extra, !extra.fetchedProperties.isEmpty else { return }
        extra.fetchedProperties = extra.fetchedProperties.mapValues { $0.map { ids[$0] ?? $0 } }
    }
}

extension ManagedObject.Snapshot {
    /// Replaces IDs that objects no longer have.
    mutating func replaceLinks(_ ids: [ManagedObjectID: ManagedObjectID]) {
        for slot in links.indices {
            if let id = links[slot], let new = ids[id] { links[slot] = new }
        }
    }
}

extension ContextChange {
    /// Replaces the ID of an object.
    fileprivate mutating func rename(_ old: ManagedObjectID, _ new: ManagedObjectID) {
        if inserted.contains(old) {
            inserted.remove(old)
            inserted.insert(new)
        }
        if updated.contains(old) {
            updated.remove(old)
            updated.insert(new)
        }
    }
}
