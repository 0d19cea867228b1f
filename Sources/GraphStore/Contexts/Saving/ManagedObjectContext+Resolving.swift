import GraphModel

/// The operations of merge policies on objects.
extension ManagedObjectContext {
    /// Resolves that an object about to be saved has the same unique values as another.
    ///
    /// The other object keeps its row and its key.
    ///
    /// - A new object is merged into the other. The policy decides which of its values are copied.
    ///   Its links move to the other, and its ID now refers to the other. Under `rollback` it is
    ///   discarded.
    /// - If both objects have rows, `objectTrump` and `overwrite` keep this object and delete the
    ///   other by its delete rules. The other policies discard this object's change of the unique
    ///   values.
    ///
    /// - Returns: The former ID of the object; the caller must then call `replaceLinks(_:)`.
    func resolve(
        _ object: ManagedObject, with otherID: ManagedObjectID,
        _ resolution: MergePolicy.Resolution, stored row: ObjectRow?
    ) throws(StoreError) -> ManagedObjectID? {
        let other = self.object(with: otherID)
        if let row { try takeStored(row, into: other) }
        try fire(other)
        if object.isStored {
            try resolveRows(object, other, resolution)
            return nil
        }
        guard resolution != .rollback else {
            markDeleted(object)
            try processPendingChanges()
            return nil
        }
        if resolution != .storeTrump { try takeOver(object, into: other, resolution) }
        try moveLinks(from: object, to: other)
        let old = object.objectID
        aliases[old] = other.objectID
        rows.unwritten.add(old)
        object.pending = .none
        object.hasNoRow = true
        unregister(object)
        object.objectID = other.objectID
        object.link = .nowhere(self)
        return old
    }

    private func resolveRows(
        _ object: ManagedObject, _ other: ManagedObject, _ resolution: MergePolicy.Resolution
    ) throws(StoreError) {
        switch resolution {
        case .objectTrump, .overwrite:
            delete(other)
            try processPendingChanges()
        case .storeTrump, .rollback, .fail:
            guard let committed = object.committed else { return }
            for property in object.layout.constrainedProperties {
                switch property {
                case .attribute(let slot): object.values[slot] = committed.values[slot]
                case .toOne(let slot):
                    try setLink(object, slot, committed.links[slot].map { self.object(with: $0) })
                case .toMany: continue
                }
                object.mask.remove(object.layout.bit(property))
            }
        }
    }

    /// Copies the values that were set on a new object to the existing object.
    private func takeOver(
        _ object: ManagedObject, into other: ManagedObject, _ resolution: MergePolicy.Resolution
    ) throws(StoreError) {
        // If the entities differ, only properties that both have are copied.
        for (name, property) in object.layout.properties {
            guard let target = other.layout.properties[name] else { continue }
            switch (property, target) {
            case (.attribute(let slot), .attribute(let place)):
                guard resolution == .overwrite || object.mask.contains(slot) else { continue }
                willChange(other, bit: place)
                other.values[place] = object.values[slot]
            case (.toOne(let slot), .toOne(let place)):
                let bit = object.layout.bit(toOne: slot)
                guard resolution == .overwrite || object.mask.contains(bit) else { continue }
                let destination = object.links[slot]
                try setLink(object, slot, nil)
                let isItself = destination == object.objectID
                try setLink(
                    other, place, isItself ? other : destination.map { self.object(with: $0) })
            default: continue
            }
        }
    }

    private func moveLinks(
        from object: ManagedObject, to other: ManagedObject
    ) throws(StoreError) {
        for slot in object.layout.toOnes.indices { try setLink(object, slot, nil) }
        for slot in object.layout.toManys.indices {
            let ids = try object.toManyIDs(slot)
            try setList(object, slot, [])
            guard
                case .toMany(let place)? = other.layout.properties[object.layout.toManys[slot].name]
            else { continue }
            for id in ids {
                let destination = id == object.objectID ? other : self.object(with: id)
                try addLink(other, place, destination)
            }
        }
    }

    /// Refreshes an object from its row in the transaction, unless the object has unsaved changes.
    func takeStored(_ row: ObjectRow, into object: ManagedObject) throws(StoreError) {
        if object.presence != .realized {
            object.fill(row)
        } else if object.pending == .none, object.version != row.version {
            merge(row, into: object)
        }
        try fire(object)
    }

    /// Updates the saved state of the inverse ends in memory after a to-one changed in the store,
    /// so that the new link does not count as a change.
    func rebase(
        _ object: ManagedObject, _ slot: Int, from old: ManagedObjectID?, to new: ManagedObjectID?
    ) {
        guard old != new else { return }
        let before = old.flatMap { registeredObject(for: $0) }
        let now = new.flatMap { registeredObject(for: $0) }
        switch object.layout.toOnes[slot].inverse {
        case .none: return
        case .toMany(let inverse):
            if let before, inverse < before.lists.count {
                before.lists[inverse].rebase(removing: object.objectID)
            }
            if let now, inverse < now.lists.count {
                now.lists[inverse].rebase(inserting: object.objectID)
            }
        case .toOne(let inverse):
            if before?.committed?.links[inverse] == object.objectID {
                before?.committed?.links[inverse] = nil
            }
            now?.committed?.links[inverse] = object.objectID
        }
    }

    /// Cancels an object's deletion because its row changed in the store, and restores its links.
    func cancelDeletion(of object: ManagedObject) throws(StoreError) {
        object.pending = object.mask.isEmpty ? .none : .updated
        object.prepareLists()
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            if let id = object.links[slot] { relink(id, toOne.inverse, object) }
        }
        for (slot, toMany) in object.layout.toManys.enumerated() where toMany.inverse != .none {
            for id in object.lists[slot].current?.ids ?? [] {
                relink(id, toMany.inverse, object)
            }
        }
    }

    /// Adds an object to the inverse end of a link, if that is in memory.
    private func relink(
        _ id: ManagedObjectID, _ inverse: EntityLayout.Inverse, _ object: ManagedObject
    ) {
        guard let other = registeredObject(for: id), !other.isDeleted else { return }
        switch inverse {
        case .none: return
        case .toMany(let slot): appendToList(other, slot, object.objectID)
        case .toOne(let slot):
            guard other.presence == .realized, other.links[slot] == nil else { return }
            changeLink(other, slot, to: object.objectID)
        }
    }

    /// Undoes the additions to and removals from an object's many-to-many relationships.
    func revertLists(of object: ManagedObject) throws(StoreError) {
        for (slot, toMany) in object.layout.toManys.enumerated() where slot < object.lists.count {
            guard case .joinTable = toMany.place else { continue }
            let difference = object.lists[slot].difference
            for id in difference.added { try removeLink(object, slot, self.object(with: id)) }
            for id in difference.removed { try addLink(object, slot, self.object(with: id)) }
        }
    }
}
