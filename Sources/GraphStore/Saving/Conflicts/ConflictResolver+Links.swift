import GraphModel

/// An object that the save inserts again after another writer deleted its row, with its former
/// links.
struct RemadeRow {
    let object: ManagedObject
    let links: [ManagedObjectID?]
    let lists: [[ManagedObjectID]]

    init(_ object: ManagedObject) {
        object.prepareLists()
        self.object = object
        links = object.links
        lists = object.lists.map { $0.current?.ids ?? $0.added.ids }
    }
}

extension MergePolicy.Resolution {
    /// Whether the object wins over the deletion of its row.
    var recreatesRows: Bool { self == .objectTrump || self == .overwrite }
}

/// The handling of relationships in a conflict.
extension ConflictResolver {
    /// Prepares the object to be inserted again completely, because the store has none of its
    /// links.
    func recreate(_ object: ManagedObject) {
        object.forgetSavedLists()
        object.isStored = false
        object.committed = nil
        object.pending = .inserted
    }

    /// Restores the links of a row that is inserted again, if the linked objects still exist and do
    /// not link to another object by now.
    func link(_ row: RemadeRow) throws(StoreError) {
        let object = row.object
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard let id = row.links[slot] else { continue }
            object.links[slot] = try link(id, toOne.inverse, to: object) ? id : nil
        }
        for (slot, toMany) in object.layout.toManys.enumerated() {
            for id in row.lists[slot] {
                if try !link(id, toMany.inverse, to: object) {
                    _ = object.lists[slot].remove(id)
                } else if case .toOne = toMany.inverse {
                    // The conflict of the other object may have removed it from the list.
                    _ = object.lists[slot].insert(id)
                }
            }
        }
    }

    /// Drops the links that were added to or removed from a to-many that is not loaded, if the store
    /// already has or lacks them.
    ///
    /// They would otherwise count as changes of both objects.
    mutating func dropSavedLinks(of pending: PendingObjects) throws(StoreError) {
        for owner in pending.updated {
            for slot in owner.lists.indices where owner.lists[slot].isFault {
                let toMany = owner.layout.toManys[slot]
                let (added, removed) = owner.lists[slot].difference
                let gone = Set(removed)
                var known: [ManagedObjectID] = []
                var missing: [ManagedObjectID] = []
                for id in removed where try !finder.hasLink(owner.objectID, toMany, id) {
                    missing.append(id)
                }
                for id in added where context.registeredObject(for: id)?.isStored != false {
                    guard try finder.hasLink(owner.objectID, toMany, id) else { continue }
                    if !gone.contains(id) {
                        known.append(id)
                    } else if !toMany.isOrdered {
                        // It was removed and added again; in an ordered list, it is now the last.
                        known.append(id)
                        missing.append(id)
                    }
                }
                guard !known.isEmpty || !missing.isEmpty else { continue }
                prepareToChange()
                owner.lists[slot].drop(added: known, removed: missing)
            }
        }
    }

    /// Removes objects from the lists of their previous owners, if the relationship has no inverse
    /// and an object can have only one owner.
    mutating func takeFromPreviousOwners(_ pending: PendingObjects) throws(StoreError) {
        for owner in pending.inserted + pending.updated {
            for (slot, list) in owner.lists.enumerated() {
                let toMany = owner.layout.toManys[slot]
                guard case .foreignKey(let place) = toMany.place, toMany.inverse == .none else {
                    continue
                }
                for id in list.difference.added
                where context.registeredObject(for: id)?.isStored != false {
                    guard
                        let other = try finder.owner(of: id, place, owner.layout),
                        other != owner.objectID
                    else { continue }
                    let previous = context.object(with: other)
                    guard previous.pending != .deleted,
                        case .toMany(let place)? = previous.layout.properties[toMany.name]
                    else { continue }
                    prepareToChange()
                    context.removeFromList(previous, place, id)
                }
            }
        }
    }

    /// Returns whether an object can be linked: it is new, or it has a row.
    private func isThere(_ id: ManagedObjectID) throws(StoreError) -> Bool {
        if let other = context.registeredObject(for: id), !other.isStored { return !other.hasNoRow }
        return try finder.storedRow(id) != nil
    }

    /// Sets the inverse of another object, if it is a to-one, to an object whose row is inserted
    /// again.
    ///
    /// - Returns: Whether the objects can be linked. They cannot if the other object is deleted or
    ///   links elsewhere.
    private func link(
        _ id: ManagedObjectID, _ inverse: EntityLayout.Inverse, to object: ManagedObject
    ) throws(StoreError) -> Bool {
        guard case .toOne(let slot) = inverse else { return try isThere(id) }
        let other = context.object(with: id)
        if other.isStored {
            guard let row = try finder.storedRow(id) else { return false }
            try context.takeStored(row, into: other)
        }
        guard other.pending != .deleted, !other.hasNoRow, other.links[slot] == nil else {
            return other.links[slot] == object.objectID
        }
        context.changeLink(other, slot, to: object.objectID)
        return true
    }

    /// Refreshes the inverse ends of one-to-one relationships that another writer changed.
    func takePartners(
        of object: ManagedObject, _ base: [ManagedObjectID?], _ stored: [ManagedObjectID?]
    ) throws(StoreError) {
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard case .toOne = toOne.inverse, base[slot] != stored[slot], let id = stored[slot],
                let row = try finder.storedRow(id)
            else { continue }
            let partner = context.object(with: id)
            if partner.isStored { try context.takeStored(row, into: partner) }
        }
    }

    /// Clears the inverse link of the stored partner if this object now links to a different one.
    func leavePartner(
        of object: ManagedObject, _ slot: Int, _ stored: ManagedObjectID?
    ) throws(StoreError) {
        guard case .toOne(let inverse) = object.layout.toOnes[slot].inverse, let stored,
            object.links[slot] != stored
        else { return }
        let partner = context.object(with: stored)
        guard partner.presence == .realized, partner.pending != .deleted,
            partner.links[inverse] == object.objectID
        else { return }
        context.changeLink(partner, inverse, to: nil)
    }
}
