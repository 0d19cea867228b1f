import GraphModel

/// Going on after a save that failed for conflicts.
extension ManagedObjectContext {
    /// Drops the changes that a conflict is about, so that they do not make the next save fail too.
    ///
    /// A new object is gone as if it had never been made; a changed one is as the store has it; of
    /// one whose row is gone, what led to it is cleared; a deletion is taken back. What was changed
    /// in other objects stays.
    public func discard(_ conflict: MergeConflict) throws(StoreError) {
        guard let object = registeredObject(for: conflict.objectID), object.link === link else {
            return
        }
        switch object.pending {
        case .inserted: try discardNew(object)
        case .none, .updated: try discardChanges(of: object)
        case .deleted:
            guard object.isStored, let row = try row(of: object.objectID) else { return }
            try cancelDeletion(of: object)
            try revert(object, to: row)
        }
    }

    /// Drops the changes of all conflicts that a save has named.
    public func discard(_ error: MergeError) throws(StoreError) {
        for conflict in error.conflicts { try discard(conflict) }
    }

    private func discardNew(_ object: ManagedObject) throws(StoreError) {
        for slot in object.layout.toOnes.indices { try setLink(object, slot, nil) }
        for slot in object.layout.toManys.indices { try setList(object, slot, []) }
        undoLog?.note(object, existed: true)
        annihilate(object)
        noteForEvent { $0.noteDeleted(object.objectID) }
    }

    private func discardChanges(of object: ManagedObject) throws(StoreError) {
        if let row = try row(of: object.objectID) { return try revert(object, to: row) }
        object.isStored = false
        object.revert()
        object.pending = .deleted
        hasPendingDeletes = true
        unprocessedDeletes.append(object)
        list(object)
        noteForEvent { $0.noteDeleted(object.objectID) }
        try processPendingChanges()
    }

    /// Makes an object what its row is, and its relationships' other ends with it.
    private func revert(_ object: ManagedObject, to row: ObjectRow) throws(StoreError) {
        try fire(object)
        object.prepareLists()
        undoLog?.note(object, existed: true)
        let saved = object.committed?.links ?? row.links
        for slot in object.layout.toOnes.indices {
            if object.links[slot] != row.links[slot] {
                try setLink(object, slot, row.links[slot].map { self.object(with: $0) })
            }
            rebase(object, slot, from: saved[slot], to: row.links[slot])
        }
        try revertLists(of: object)
        for slot in object.layout.attributes.indices
        where object.layout.attributes[slot].column != nil {
            object.values[slot] = row.values[slot]
        }
        object.links = row.links
        object.version = row.version
        object.mask = ChangeMask()
        object.committed = nil
        object.pending = .none
        for slot in object.lists.indices
        where object.lists[slot].isChanged(isOrdered: object.layout.toManys[slot].isOrdered) {
            object.mask.insert(object.layout.bit(toMany: slot))
            object.pending = .updated
        }
        noteForEvent { $0.noteRefreshed(object.objectID) }
    }
}
