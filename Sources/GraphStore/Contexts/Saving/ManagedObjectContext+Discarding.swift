import GraphModel

/// Resuming after a save that failed with conflicts.
extension ManagedObjectContext {
    /// Discards the changes of a conflict, so that the next save does not fail because of them.
    ///
    /// A new object is removed. A changed object gets the values of the store. If its row no longer
    /// exists, links to the object are cleared. A deletion is canceled. Changes of other objects
    /// are kept.
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

    /// Discards the changes of all conflicts in a save's error.
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
        markDeleted(object)
        list(object)
        noteForEvent { $0.noteDeleted(object.objectID) }
        try processPendingChanges()
    }

    /// Resets an object to its row, and updates the inverse ends of its relationships.
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
        for slot in object.changedLists {
            object.mask.insert(object.layout.bit(toMany: slot))
            object.pending = .updated
        }
        noteForEvent { $0.noteRefreshed(object.objectID) }
    }
}
