import GraphModel

/// Contexts whose store is another context.
extension ManagedObjectContext {
    /// Creates a context that sees this context's changes and saves into it, not into the store.
    ///
    /// The child belongs to the same region as its parent, which it keeps alive.
    public func makeChild() -> ManagedObjectContext {
        let child = ManagedObjectContext(container: container, parent: self)
        child.mergePolicy = mergePolicy
        child.faultPolicy = faultPolicy
        return child
    }

    /// Passes the changes to the parent, which saves them with its own save.
    func saveIntoParent(_ pending: PendingObjects) throws(StoreError) -> SaveResult {
        guard let parent else { return SaveResult(change: StoreChange()) }
        if let session = openSession {
            // A child's load cannot be pending in its parent.
            throw StoreError(
                .invalidRequest,
                "A child context cannot save a bulk load; run the load in its parent"
                    + " (\(session.change.isEmpty ? "nothing" : "something") was written)")
        }
        // Keep these alive: no other reference may hold the objects read here before they change.
        let held = (pending.updated + pending.deleted).map { parent.readForUndo(asIn: $0) }
        defer { withExtendedLifetime(held) {} }
        var change = StoreChange()
        for object in pending.inserted {
            try parent.take(inserted: object)
            change.insert(object.objectID)
        }
        for object in pending.updated {
            try parent.take(updated: object)
            change.update(object.objectID)
        }
        for object in pending.deleted {
            try parent.take(deleted: object)
            change.delete(object.objectID)
        }
        finishChild(pending)
        notifyFollowers(.saved)
        return SaveResult(change: change)
    }

    /// Reads values that an undo here would restore, before the child's changes are applied.
    private func readForUndo(asIn object: ManagedObject) -> ManagedObject? {
        guard undoLog != nil else { return nil }
        let mine = self.object(with: object.objectID)
        guard object.pending != .deleted else {
            readForUndo(mine)
            return mine
        }
        for slot in object.changedLists {
            mine.prepareLists()
            readForUndo(mine, slot)
        }
        return mine
    }

    private func take(inserted object: ManagedObject) throws(StoreError) {
        let mine: ManagedObject
        if let known = registeredObject(for: object.objectID) {
            if known.isStored, known.pending == .deleted, let row = try row(of: known.objectID) {
                return try bringBack(known, as: object, over: row)
            }
            mine = known
        } else {
            mine = type(of: object).init(
                ManagedObject.Seed(id: object.objectID, layout: object.layout, link: link))
            register(mine)
        }
        // An undo makes the object new again, without links that a Deny rule could see.
        mine.becomeNew()
        undoLog?.note(mine, existed: false)
        mine.values = object.values
        mine.links = object.links
        mine.lists = object.lists
        for slot in mine.lists.indices { mine.lists[slot].committed = [] }
        mine.mask = object.mask
        mine.presence = .realized
        mine.isStored = false
        mine.hasNoRow = false
        mine.pending = .inserted
        noteForEvent { $0.noteInserted(mine.objectID) }
        mine.changeCount &+= 1
        list(mine)
    }

    /// Restores a row whose deletion a child saved into this context and then undid.
    private func bringBack(
        _ mine: ManagedObject, as object: ManagedObject, over row: ObjectRow
    ) throws(StoreError) {
        undoLog?.note(mine, existed: false)
        mine.pending = .updated
        mine.presence = .realized
        mine.committed = row.snapshot
        mine.version = row.version
        mine.values = object.values
        mine.links = object.links
        mine.lists = mine.layout.toManys.map { _ in ToManyState() }
        for slot in mine.lists.indices {
            try loadList(of: mine, slot)
            mine.lists[slot].current?.replace(with: object.lists[slot].current?.ids ?? [])
        }
        mine.markDifferences()
        noteForEvent { $0.noteUpdated(mine.objectID) }
        mine.changeCount &+= 1
        list(mine)
    }

    private func take(updated object: ManagedObject) throws(StoreError) {
        let mine = self.object(with: object.objectID)
        let layout = object.layout
        if object.presence == .realized {
            try fire(mine)
            for slot in layout.attributes.indices where object.mask.contains(slot) {
                willChange(mine, bit: slot)
                mine.values[slot] = object.values[slot]
            }
            for slot in layout.toOnes.indices where object.mask.contains(layout.bit(toOne: slot)) {
                changeLink(mine, slot, to: object.links[slot])
            }
        }
        for slot in object.changedLists {
            let isOrdered = layout.toManys[slot].isOrdered
            mine.prepareLists()
            if isOrdered, object.lists[slot].current != nil { try loadList(of: mine, slot) }
            willChange(mine, bit: layout.bit(toMany: slot))
            let difference = object.lists[slot].difference
            for id in difference.removed { _ = mine.lists[slot].remove(id) }
            for id in difference.added { _ = mine.lists[slot].insert(id) }
            if isOrdered, let current = object.lists[slot].current {
                mine.lists[slot].current?.replace(with: current.ids)
            }
        }
    }

    private func take(deleted object: ManagedObject) throws(StoreError) {
        let mine = self.object(with: object.objectID)
        guard mine.pending != .deleted else { return }
        undoLog?.note(mine, existed: true)
        noteDeletedOtherEnds(of: mine)
        if !mine.isStored { return annihilate(mine) }
        if mine.presence == .fault {
            // The save needs its links.
            mine.values = object.values
            mine.links = object.links
            mine.lists = object.lists
            mine.version = object.version
            mine.presence = .realized
        } else {
            // Apply earlier changes, because a Deny rule checks them.
            try take(updated: object)
        }
        mine.pending = .deleted
        noteForEvent { $0.noteDeleted(mine.objectID) }
        hasPendingDeletes = true
        mine.changeCount &+= 1
        list(mine)
    }

    private func finishChild(_ pending: PendingObjects) {
        let objects = listed
        replaceListed()
        hasPendingDeletes = false
        for object in objects {
            if object.pending == .deleted {
                loseRow(of: object)
            } else if object.pending == .inserted {
                object.isStored = true
            }
            object.pending = .none
            object.commit()
        }
        undoLog?.closeEvent()
        notifyDidSave(pending)
    }
}
