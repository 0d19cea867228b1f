import GraphModel

/// Dropping changes, and reading anew.
extension ManagedObjectContext {
    /// Forgets all changes: what was read is as it was, without being read again.
    public func rollback() {
        let undone = transactionReader == nil ? nil : openSession?.change
        giveUpSession()
        bringBackDeleted()
        let objects = listed
        replaceListed()
        unprocessedDeletes.removeAll()
        deletedNew.removeAll()
        hasPendingDeletes = false
        notedErrors.removeAll()
        undoLog?.removeAll()
        for object in objects {
            let isNew = !object.isStored
            noteForEvent { change in
                if isNew {
                    change.noteDeleted(object.objectID)
                } else {
                    change.noteRefreshed(object.objectID)
                }
            }
            object.pending = .none
            if isNew {
                object.isGone = true
                object.mask = ChangeMask()
                unregister(object)
            } else {
                object.revert()
            }
        }
        registry.release()
        if undone != nil { forgetTransactionRows() }
        tellDidChange()
        tellFollowers(.rolledBack)
        if let undone { tellFollowers(.merged(undone)) }
    }

    /// Forgets all objects and changes.
    ///
    /// Objects that somebody still holds are invalid from now on: reading or setting any of their
    /// properties throws `invalidated`, at once or, from an accessor that cannot, with the
    /// context's next save.
    public func reset() {
        giveUpSession()
        invalidateLink()
        for object in listed { object.forgetChanges() }
        replaceListed()
        unprocessedDeletes.removeAll()
        deletedNew.removeAll()
        hasPendingDeletes = false
        notedErrors.removeAll()
        registry.removeAll()
        retained.removeAll()
        prefetched.removeAll()
        aliases.removeAll()
        renames.removeAll()
        watched.removeAll()
        undoLog?.removeAll()
        noteForEvent { change in
            change = ContextChange()
            change.isInvalidatedAll = true
        }
        tellDidChange()
        tellFollowers(.reset)
    }

    /// Reads an object anew.
    ///
    /// - Parameters:
    ///   - object: an object of this context.
    ///   - mergeChanges: keeps what was changed here; false drops it and makes the object a fault.
    public func refresh(
        _ object: ManagedObject, mergeChanges: Bool
    ) throws(StoreError) {
        try refresh([object], mergeChanges: mergeChanges)
    }

    /// Reads the objects with these IDs anew that are in memory: those with changes now, 500 in a
    /// statement, the others when they are next looked at.
    ///
    /// - Parameters:
    ///   - ids: the objects; those that are not in memory are left out.
    ///   - mergeChanges: keeps what was changed here; false drops it.
    public func refresh(
        ids: some Sequence<ManagedObjectID>, mergeChanges: Bool = true
    ) throws(StoreError) {
        try refresh(ids.compactMap { registeredObject(for: $0) }, mergeChanges: mergeChanges)
    }

    /// Reads all objects anew, under their changes.
    public func refreshAllObjects() throws(StoreError) {
        try refresh(registeredObjects, mergeChanges: true)
    }

    private func refresh(
        _ objects: [ManagedObject], mergeChanges: Bool
    ) throws(StoreError) {
        var changed: [ManagedObject] = []
        for object in objects where object.link === link && object.isStored && !object.isGone {
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

    /// Puts a newer row under an object's changes.
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
            object.committed = ManagedObject.Snapshot(values: row.values, links: row.links)
        }
        object.version = row.version
        for slot in object.lists.indices {
            object.lists[slot].turnIntoFault(isOrdered: layout.toManys[slot].isOrdered)
        }
    }
}
