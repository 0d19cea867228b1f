import GraphModel
import SQLite

/// The keys that contexts over one store gave to new objects, and that no row has so far.
///
/// A new object gets its key from memory, so another process may write a row with that key first.
/// `ObjectReader` therefore reports every ID that it reads from a row. If a new object has the ID,
/// it gets another one: an ID that was read always leads to its row.
final class UnwrittenKeys {
    /// The context that has the store.
    weak var context: ManagedObjectContext?
    /// The smallest of the keys, so that nearly every row needs one comparison.
    private var first = Int64.max
    /// The same for each entity, by its number.
    private var firsts: [Int64] = []
    /// Rows with keys up to here need no look, by entity: no new object has or gets their keys.
    private var bounds: [Int64] = []

    /// An object got that ID, and no row has it.
    func add(_ id: ManagedObjectID) {
        let number = Int(id.entityNumber)
        while firsts.count <= number { firsts.append(.max) }
        firsts[number] = min(firsts[number], id.primaryKey)
        if number < bounds.count { bounds[number] = min(bounds[number], id.primaryKey - 1) }
        first = min(first, id.primaryKey)
    }

    /// All objects are written; these IDs alone are not.
    func reset(to ids: some Collection<ManagedObjectID>) {
        first = .max
        firsts.removeAll(keepingCapacity: true)
        for id in ids { add(id) }
    }

    /// Whether a new object may have that ID.
    func mayHave(_ id: ManagedObjectID) -> Bool {
        guard id.primaryKey >= first else { return false }
        let number = Int(id.entityNumber)
        return number < firsts.count && id.primaryKey >= firsts[number]
    }

    /// A row has that ID.
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
    /// A context below this one.
    struct Child {
        /// The context; nil after it was freed.
        weak var context: ManagedObjectContext?
    }

    /// This context and all those below it.
    var family: [ManagedObjectContext] {
        children.isEmpty ? [self] : [self] + children.compactMap(\.context).flatMap(\.family)
    }

    // MARK: IDs that callers pass

    /// The ID that an object has now which had another once.
    ///
    /// A row that has the old ID by now comes first, so that no row is out of reach.
    func resolved(_ id: ManagedObjectID) -> ManagedObjectID {
        var id = parent?.resolved(id) ?? id
        while let next = aliases[id] {
            do throws(StoreError) {
                // The reader reports what it finds, which removes the alias.
                if try objectReader().row(id) != nil { return id }
            } catch {
                note(error)
            }
            id = next
        }
        return id
    }

    /// The objects of those IDs that new objects may lose, held under the IDs that they have now.
    func held(_ ids: some Sequence<ManagedObjectID>) -> [ManagedObjectID: ManagedObject] {
        var held: [ManagedObjectID: ManagedObject] = [:]
        for id in ids where rows.unwritten.mayHave(id) { held[id] = object(with: id) }
        return held
    }

    // MARK: Taken keys

    /// New objects give up the keys that rows have, if the row with that ID is one of them.
    ///
    /// Called in the context that has the store.
    func giveWay(to id: ManagedObjectID) {
        let family = family
        for context in family { context.aliases[id] = nil }
        let isTaken = family.contains { context in
            context.registry.object(for: id).map { !$0.isStored && !$0.isGone } ?? false
        }
        guard isTaken, let root = container.objects.layout(id.entityNumber)?.rootNumber else {
            return
        }
        do throws(StoreError) {
            // All that are taken at once, since each renaming reads every object in memory.
            let new = family.flatMap(\.listed).filter { !$0.isStored && !$0.isGone }
            let taken = try takenKeys(of: new, root: root, on: objectReader().connection)
            try renew(new.filter { taken.contains($0.objectID.primaryKey) }, root: root)
        } catch {
            note(error)
        }
    }

    /// No new object gets a key that the store has given out, if it has given out that of a row.
    ///
    /// - Returns: the next key that a new object gets.
    func skipTakenKeys(for id: ManagedObjectID) -> Int64 {
        let keys = container.objects.keys
        guard let root = container.objects.layout(id.entityNumber)?.rootNumber else { return 1 }
        guard keys.peek(root: root) <= id.primaryKey else { return keys.peek(root: root) }
        do throws(StoreError) {
            let largest = try objectReader().connection.integer(
                "SELECT Z_MAX FROM \(container.schema.database(ofRoot: root)).Z_PRIMARYKEY"
                    + " WHERE Z_ENT = \(root)")
            keys.skip(to: largest ?? 0, root: root)
        } catch {
            note(error)
        }
        return keys.peek(root: root)
    }

    /// The keys of those objects of a hierarchy that rows have already.
    func takenKeys(
        of objects: [ManagedObject], root: Int64, on connection: Connection
    ) throws(StoreError) -> Set<Int64> {
        guard let table = container.objects.layout(root)?.entity.table else { return [] }
        let keys = objects.filter { $0.layout.rootNumber == root }.map(\.objectID.primaryKey)
        var taken: Set<Int64> = []
        for chunk in keys.chunks(of: ObjectReader.chunkSize) {
            let rows = try connection.prepare(
                "SELECT Z_PK FROM \(table) WHERE Z_PK IN ("
                    + chunk.map(String.init).joined(separator: ",") + ")")
            while try rows.step() { taken.insert(rows.integer(0)) }
        }
        return taken
    }

    /// Gives objects of a hierarchy new keys.
    func renew(_ objects: [ManagedObject], root: Int64) throws(StoreError) {
        var ids: [ManagedObjectID: ManagedObjectID] = [:]
        var owners: [(context: ManagedObjectContext, ids: [ManagedObjectID: ManagedObjectID])] = []
        // What got another key before an error has it for good. A context above the one that made
        // an object may have the row that the key belongs to.
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

    /// Gives objects other IDs, in this context and those below it.
    func rename(_ ids: [ManagedObjectID: ManagedObjectID]) {
        guard !ids.isEmpty else { return }
        for context in family {
            context.renames.append(ids)
            context.take(ids)
        }
    }

    /// Takes over the IDs that objects have now.
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

    /// What was united with other objects in a save is united in the contexts below, too.
    func tellChildren(united ids: [ManagedObjectID: ManagedObjectID]) {
        guard !ids.isEmpty else { return }
        undoLog?.rename(ids)
        for context in family.dropFirst() {
            let objects = ids.keys.compactMap { context.registry.object(for: $0) }
            context.take(ids)
            // Their values are those of the row now.
            for object in objects where object.pending == .none && object.link === context.link {
                object.turnIntoFault()
            }
        }
    }

    /// Replaces IDs that objects no longer have in all relationships in memory.
    ///
    /// One pass for all of them, since it reads every object in memory.
    func replaceLinks(_ ids: [ManagedObjectID: ManagedObjectID]) {
        guard !ids.isEmpty else { return }
        for object in registeredObjects { object.replaceLinks(ids) }
    }

    // MARK: Keys for good

    /// Reserves the keys of new objects in the store, so that no other process takes them.
    ///
    /// Before that, an unsaved object's ID may change when another process has written a row with
    /// its key. Afterwards it stays, and its URI may be kept. The objects are still to be saved. Inside
    /// a unit of work, the keys are reserved when the unit is committed.
    ///
    /// - Throws: `busy` if another writer has the store.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(StoreError) {
        let new = objects.filter { $0.link === link && !$0.isStored && !$0.isGone }
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
    /// Another object stands for the row from now on.
    fileprivate final func leave(for other: ManagedObject) {
        link.context?.unregister(self)
        let nowhere = link.context.map(ContextLink.nowhere)
        forgetChanges()
        isGone = true
        if let nowhere { link = nowhere }
        objectID = other.objectID
    }

    /// Replaces IDs that objects no longer have, wherever they are.
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
    /// An object has another ID.
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
