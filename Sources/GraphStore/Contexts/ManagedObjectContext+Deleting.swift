import GraphModel

/// Deleting objects, and applying delete rules to related objects.
extension ManagedObjectContext {
    /// Marks an object for deletion by the next save.
    ///
    /// The delete rules are applied to related objects when changes are processed: by the next
    /// fetch or save, or by `processPendingChanges()`. The save checks Deny rules.
    ///
    /// An object of another context is not deleted, and the next save of this one throws the reason.
    public func delete(_ object: ManagedObject) {
        guard object.link === link else { return noteForeign(object) }
        guard object.pending != .deleted, !object.hasNoRow else { return }
        if !object.skipsHooks { object.prepareForDeletion() }
        guard object.pending != .deleted else { return }
        readForUndo(object)
        undoLog?.note(object, existed: true)
        markDeleted(object)
        object.changeCount &+= 1
        list(object)
        noteForEvent { $0.noteDeleted(object.objectID) }
    }

    /// Adds an object to the deletions that are pending and not yet processed.
    func markDeleted(_ object: ManagedObject) {
        object.pending = .deleted
        hasPendingDeletes = true
        unprocessedDeletes.append(object)
    }

    /// Records that the store has no row of an object any longer.
    func loseRow(of object: ManagedObject) {
        object.isStored = false
        object.hasNoRow = true
        unregister(object)
    }

    /// Records that an object of another context, or of this one before a reset, was not deleted.
    private func noteForeign(_ object: ManagedObject) {
        let name = object.layout.name
        if object.link.context != nil {
            note(
                StoreError(
                    .foreignContext,
                    "'\(name)' p\(object.objectID.primaryKey) is an object of another context, which "
                        + "cannot be deleted here"))
        } else if object.link.isReset {
            note(object.link.missingContext(object.layout))
        }
    }

    /// Deletes an object because of a Cascade rule.
    private func cascade(to object: ManagedObject, wasLoaded: Bool) throws(StoreError) {
        if deletionHooks == .loadedOnly, !wasLoaded { object.skipsHooks = true }
        if try exists(object) { delete(object) }
    }

    /// Reads the values that an undo would restore, before the row is deleted.
    func readForUndo(_ object: ManagedObject) {
        guard undoLog != nil, object.isStored else { return }
        do throws(StoreError) {
            try fire(object)
            object.prepareLists()
            for slot in object.lists.indices { try loadList(of: object, slot) }
            // Also read the inverse ends, while they still contain the object.
            for (slot, toOne) in object.layout.toOnes.enumerated() {
                guard case .toMany(let inverse) = toOne.inverse, let id = object.links[slot] else {
                    continue
                }
                readForUndo(otherEnd: id, inverse)
            }
            for (slot, toMany) in object.layout.toManys.enumerated() {
                guard case .toMany(let inverse) = toMany.inverse else { continue }
                for id in object.lists[slot].current?.ids ?? [] {
                    readForUndo(otherEnd: id, inverse)
                }
            }
        } catch {
            // A missing row cannot be restored.
            if error.code != .inaccessible { note(error) }
        }
    }

    private func readForUndo(otherEnd id: ManagedObjectID, _ slot: Int) {
        let other = object(with: id)
        other.prepareLists()
        guard slot < other.lists.count else { return }
        readForUndo(other, slot)
        readsForUndo.append(other)
    }

    /// Merges changes saved elsewhere, and applies the delete rules of deleted objects.
    public func processPendingChanges() throws(StoreError) {
        try mergeInbox()
        // A cascade appends to the list during the loop.
        var next = 0
        while next < unprocessedDeletes.count {
            let object = unprocessedDeletes[next]
            do throws(StoreError) {
                try propagate(object)
            } catch {
                unprocessedDeletes.removeFirst(next)
                throw error
            }
            next += 1
        }
        readsForUndo.removeAll()
        deletedNew += unprocessedDeletes.filter { !$0.isStored }
        unprocessedDeletes.removeAll()
        try annihilateNew()
        notifyDidChange()
        undoLog?.closeEvent()
        notifyFollowers(.processed)
    }

    /// Processes pending changes at the end of an event, and records the error for the next save.
    func endEvent() {
        noting { () throws(StoreError) in try processPendingChanges() }
    }

    /// Removes new objects that were deleted, unless a Deny rule keeps them.
    ///
    /// An object with a link to a kept one must not be saved. The rule is checked again after every
    /// change, since the link may have been removed. An undo or a redo restores these deletions in
    /// the same way as `delete` makes them, so the rule also covers restored links.
    func annihilateNew() throws(StoreError) {
        guard !deletedNew.isEmpty else { return }
        let candidates = deletedNew.filter { !$0.isStored && $0.pending == .deleted }
        deletedNew = candidates
        var denied: [ManagedObject] = []
        for object in candidates {
            if try deletability(of: object).isEmpty {
                annihilate(object)
            } else {
                denied.append(object)
            }
        }
        deletedNew = denied
    }

    /// Removes a new object that was deleted; it never reaches the store.
    func annihilate(_ object: ManagedObject) {
        object.pending = .none
        object.hasNoRow = true
        object.mask = ChangeMask()
        unregister(object)
    }

    private func propagate(_ object: ManagedObject) throws(StoreError) {
        // A missing row has no links to follow.
        guard try fireIfThere(object) else { return }
        object.prepareLists()
        noteDeletedOtherEnds(of: object)
        for slot in object.layout.toOnes.indices { try propagate(object, toOne: slot) }
        for slot in object.layout.toManys.indices { try propagate(object, toMany: slot) }
    }

    /// Adds the deleted objects that an object links to, to the undo group of its own deletion.
    ///
    /// If a Deny rule kept the linked object, this deletion releases it for good. An undo that
    /// restores the link must restore that object, too, so its rule denies the save again.
    func noteDeletedOtherEnds(of object: ManagedObject) {
        guard let undoLog else { return }
        let ids = object.links.compactMap { $0 } + object.lists.flatMap { $0.current?.ids ?? [] }
        for id in ids {
            guard let other = registeredObject(for: id), other.pending == .deleted else { continue }
            undoLog.note(other, existed: true)
        }
    }

    private func propagate(_ object: ManagedObject, toOne slot: Int) throws(StoreError) {
        let toOne = object.layout.toOnes[slot]
        guard let id = object.links[slot] else { return }
        switch toOne.relationship.deleteRule {
        case .noAction, .deny: return
        case .cascade:
            let known = registeredObject(for: id)
            try cascade(
                to: known ?? self.object(with: id),
                wasLoaded: known.map { $0.presence != .fault } ?? false)
        case .nullify:
            switch toOne.inverse {
            case .none: return
            case .toOne(let inverse):
                let other = self.object(with: id)
                guard other.pending != .deleted, try exists(other),
                    other.links[inverse] == object.objectID
                else { return }
                changeLink(other, inverse, to: nil)
            case .toMany(let inverse):
                if let other = try known(id, inverse), other.pending != .deleted {
                    removeFromList(other, inverse, object.objectID)
                }
            }
        }
    }

    private func propagate(_ object: ManagedObject, toMany slot: Int) throws(StoreError) {
        let toMany = object.layout.toManys[slot]
        switch toMany.relationship.deleteRule {
        case .deny: return
        case .noAction:
            // Join rows do not outlive the object, whatever the rule.
            guard case .toMany(let inverse) = toMany.inverse else { return }
            try removeFromOtherLists(object, slot, inverse)
        case .cascade:
            let ids = try object.toManyIDs(slot)
            let loaded = ids.filter {
                registeredObject(for: $0).map { $0.presence != .fault } ?? false
            }
            let known = Set(loaded)
            for other in try fault(ids) {
                try cascade(to: other, wasLoaded: known.contains(other.objectID))
            }
        case .nullify:
            let ids = try object.toManyIDs(slot)
            switch toMany.inverse {
            case .none: return
            case .toOne(let inverse):
                // The save clears objects that are not in memory, in batches. But if the link is
                // required, each object must fail, and a parent context or an undo log needs each
                // object.
                let isRequired =
                    parent != nil || undoLog != nil
                    || container.objects.layout(toMany.destination)?.toOnes[inverse].relationship
                        .isOptional == false
                let others =
                    isRequired
                    ? ids.map { self.object(with: $0) }
                    : ids.compactMap { registeredObject(for: $0) }
                try fault(others)
                for other in others
                where other.pending != .deleted && other.presence != .fault
                    && other.links[inverse] == object.objectID
                {
                    try fire(other)
                    if other.links[inverse] != nil { changeLink(other, inverse, to: nil) }
                }
            case .toMany(let inverse): try removeFromOtherLists(object, slot, inverse)
            }
        }
    }

    /// Removes an object that is deleted from the lists of the objects in its own list.
    private func removeFromOtherLists(
        _ object: ManagedObject, _ slot: Int, _ inverse: Int
    ) throws(StoreError) {
        let isIgnored = object.layout.toManys[slot].relationship.deleteRule == .noAction
        for id in try object.toManyIDs(slot) {
            guard let other = try known(id, isIgnored ? nil : inverse), other.pending != .deleted
            else { continue }
            removeFromList(other, inverse, object.objectID)
        }
    }

    /// Returns the object if it must record that its list loses an object.
    ///
    /// A parent context and an undo log learn of changes only from objects. The save validates the
    /// minimum count of the list only if the object has changed.
    ///
    /// - Parameter slot: The slot of the list; `nil` if its minimum does not matter.
    private func known(_ id: ManagedObjectID, _ slot: Int?) throws(StoreError) -> ManagedObject? {
        if parent != nil || undoLog != nil { return object(with: id) }
        if let registered = registeredObject(for: id) { return registered }
        guard let slot, let layout = container.objects.layout(id.entityNumber),
            layout.toManys[slot].relationship.limit(.tooFew) != nil
        else { return nil }
        let object = object(with: id)
        return try exists(object) ? object : nil
    }

    /// Fires the object and returns `false` if its row no longer exists.
    func exists(_ object: ManagedObject) throws(StoreError) -> Bool {
        try fireIfThere(object) && !object.hasNoRow
    }

    /// Returns the relationships whose Deny rules prevent deleting an object now.
    ///
    /// Related objects that will be deleted themselves are ignored.
    ///
    /// - Returns: the names of the relationships; empty if the object can be deleted.
    public func deletability(of object: ManagedObject) throws(StoreError) -> [String] {
        try fire(object)
        object.prepareLists()
        var keepers: [String] = []
        for (slot, toOne) in object.layout.toOnes.enumerated()
        where toOne.relationship.deleteRule == .deny {
            if let id = object.links[slot], try keeps(id) { keepers.append(toOne.name) }
        }
        for (slot, toMany) in object.layout.toManys.enumerated()
        where toMany.relationship.deleteRule == .deny {
            for id in try object.toManyIDs(slot) where try keeps(id) {
                keepers.append(toMany.name)
                break
            }
        }
        return keepers
    }

    private func keeps(_ id: ManagedObjectID) throws(StoreError) -> Bool {
        let other = object(with: id)
        guard other.pending != .deleted, !other.hasNoRow else { return false }
        return try exists(other)
    }
}
