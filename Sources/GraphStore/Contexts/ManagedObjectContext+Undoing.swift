import GraphModel

/// Discarding changes and refreshing objects.
extension ManagedObjectContext {
    /// Discards all changes and restores the last read values without reading them again.
    public func rollback() {
        let undone = transactionReader == nil ? nil : openSession?.change
        giveUpSession()
        bringBackDeleted()
        let objects = listed
        forgetListed()
        for object in objects {
            if object.isStored {
                noteForEvent { $0.noteRefreshed(object.objectID) }
                object.pending = .none
                object.revert()
            } else {
                noteForEvent { $0.noteDeleted(object.objectID) }
                annihilate(object)
            }
        }
        registry.release()
        if undone != nil { forgetTransactionRows() }
        notifyDidChange()
        notifyFollowers(.rolledBack)
        if let undone { notifyFollowers(.merged(undone)) }
    }

    /// Discards all objects and changes.
    ///
    /// References to these objects become invalid: reading or setting a property throws
    /// `.invalidated`. If an accessor cannot throw, the context's next save does.
    public func reset() {
        giveUpSession()
        invalidateLink()
        for object in listed { object.forgetChanges() }
        forgetListed()
        registry.removeAll()
        retained.removeAll()
        prefetched.removeAll()
        aliases.removeAll()
        renames.removeAll()
        watched.removeAll()
        noteForEvent { change in
            change = ContextChange()
            change.isInvalidatedAll = true
        }
        notifyDidChange()
        notifyFollowers(.reset)
    }

    /// Forgets which objects have changes, and what can be undone.
    private func forgetListed() {
        replaceListed()
        unprocessedDeletes.removeAll()
        deletedNew.removeAll()
        hasPendingDeletes = false
        notedErrors.removeAll()
        undoLog?.removeAll()
    }

    /// Refreshes an object from the store.
    ///
    /// - Parameters:
    ///   - object: an object of this context.
    ///   - mergeChanges: whether to keep unsaved changes; `false` discards them and makes the
    ///     object a fault.
    public func refresh(
        _ object: ManagedObject, mergeChanges: Bool
    ) throws(StoreError) {
        try refresh([object], mergeChanges: mergeChanges)
    }

    /// Refreshes the objects in memory with these IDs.
    ///
    /// Objects with changes are read now, 500 per statement, and the others on next access.
    ///
    /// - Parameters:
    ///   - ids: the IDs of the objects; IDs of objects that are not in memory are ignored.
    ///   - mergeChanges: whether to keep unsaved changes; `false` discards them.
    public func refresh(
        ids: some Sequence<ManagedObjectID>, mergeChanges: Bool = true
    ) throws(StoreError) {
        try refresh(ids.compactMap { registeredObject(for: $0) }, mergeChanges: mergeChanges)
    }

    /// Refreshes all objects, keeping their changes.
    public func refreshAllObjects() throws(StoreError) {
        try refresh(registeredObjects, mergeChanges: true)
    }

    private func refresh(
        _ objects: [ManagedObject], mergeChanges: Bool
    ) throws(StoreError) {
        var changed: [ManagedObject] = []
        for object in objects where object.link === link && object.isStored && !object.hasNoRow {
            noteForEvent { $0.noteRefreshed(object.objectID) }
            object.extra = nil
            guard mergeChanges, object.pending != .none else {
                if object.pending == .updated { object.pending = .none }
                if object.presence != .fault || !object.lists.isEmpty { object.turnIntoFault() }
                continue
            }
            changed.append(object)
        }
        guard parent == nil, changed.count > 1 else {
            for object in changed {
                if let row = try row(of: object.objectID) { merge(row, into: object) }
            }
            return
        }
        try objectReader().rows(changed.map(\.objectID)) { id, row in
            if let object = self.registry.object(for: id) { self.merge(row, into: object) }
        }
    }

    /// Replaces an object's saved values with a newer row, keeping its changes.
    func merge(_ row: ObjectRow, into object: ManagedObject) {
        guard object.presence == .realized else {
            object.presence = .fault
            return
        }
        let layout = object.layout
        for slot in layout.attributes.indices where layout.attributes[slot].column != nil {
            if !object.mask.contains(slot) { object.values[slot] = row.values[slot] }
        }
        for slot in layout.toOnes.indices where !object.mask.contains(layout.bit(toOne: slot)) {
            object.links[slot] = row.links[slot]
        }
        if object.committed != nil {
            object.committed = row.snapshot
        }
        object.version = row.version
        for slot in object.lists.indices {
            object.lists[slot].turnIntoFault(isOrdered: layout.toManys[slot].isOrdered)
        }
    }
}
