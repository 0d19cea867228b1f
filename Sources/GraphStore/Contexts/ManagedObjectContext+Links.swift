import GraphModel

/// Setting relationships and their inverses.
extension ManagedObjectContext {
    /// Sets a to-one of an object that is in memory.
    func setLink(
        _ object: ManagedObject, _ slot: Int, _ new: ManagedObject?
    ) throws(StoreError) {
        let toOne = object.layout.toOnes[slot]
        let old = object.links[slot]
        guard old != new?.objectID else {
            return willChange(object, bit: object.layout.bit(toOne: slot), isOther: false)
        }
        // Do everything that may throw before the first change.
        var oldPartner: ManagedObject?
        var displaced: ManagedObject?
        if case .toOne(let inverse) = toOne.inverse {
            if let old { oldPartner = try realized(old) }
            if let new {
                try fire(new)
                if let id = new.links[inverse] { displaced = try realized(id) }
            }
        }
        changeLink(object, slot, to: new?.objectID)
        switch toOne.inverse {
        case .none: break
        case .toMany(let inverse):
            if let old { removeFromList(self.object(with: old), inverse, object.objectID) }
            if let new { appendToList(new, inverse, object.objectID) }
        case .toOne(let inverse):
            if let oldPartner, oldPartner.links[inverse] == object.objectID {
                changeLink(oldPartner, inverse, to: nil)
            }
            if let displaced, displaced !== object, displaced.links[slot] == new?.objectID {
                changeLink(displaced, slot, to: nil)
            }
            if let new { changeLink(new, inverse, to: object.objectID) }
        }
    }

    /// Sets a to-one and records the change, but leaves the inverse end.
    func changeLink(_ object: ManagedObject, _ slot: Int, to id: ManagedObjectID?) {
        willChange(object, bit: object.layout.bit(toOne: slot))
        object.links[slot] = id
    }

    /// Returns the object with its values; `nil` if its row no longer exists.
    private func realized(_ id: ManagedObjectID) throws(StoreError) -> ManagedObject? {
        let object = object(with: id)
        return try exists(object) ? object : nil
    }

    /// Fires the object, and returns `false` if its row is found to be missing.
    func fireIfThere(_ object: ManagedObject) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try fire(object)
            return true
        } catch {
            guard error.code == .inaccessible else { throw error }
            return false
        }
    }

    /// Sets the objects of a to-many, in order.
    func setList(
        _ owner: ManagedObject, _ slot: Int, _ ids: [ManagedObjectID]
    ) throws(StoreError) {
        let toMany = owner.layout.toManys[slot]
        var seen: Set<ManagedObjectID> = []
        let wanted = ids.filter { seen.insert($0).inserted }
        let present = try owner.toManyIDs(slot)
        let gone = present.filter { !seen.contains($0) }
        let known = Set(present)
        let new = wanted.filter { !known.contains($0) }
        if case .toOne = toMany.inverse { try fault(gone + new) }
        for id in gone { try unlink(owner, slot, id) }
        for id in new { try link(owner, slot, id) }
        willChange(owner, bit: owner.layout.bit(toMany: slot))
        if toMany.isOrdered { owner.lists[slot].current?.replace(with: wanted) }
    }

    /// Adds an object to a to-many without loading the to-many.
    func addLink(
        _ owner: ManagedObject, _ slot: Int, _ object: ManagedObject
    ) throws(StoreError) {
        try checkDestination(object, owner.layout.toManys[slot].relationship)
        owner.prepareLists()
        try link(owner, slot, object.objectID)
    }

    /// Removes an object from a to-many without loading the to-many.
    func removeLink(
        _ owner: ManagedObject, _ slot: Int, _ object: ManagedObject
    ) throws(StoreError) {
        owner.prepareLists()
        try unlink(owner, slot, object.objectID)
    }

    private func link(
        _ owner: ManagedObject, _ slot: Int, _ id: ManagedObjectID
    ) throws(StoreError) {
        switch owner.layout.toManys[slot].inverse {
        case .none: appendToList(owner, slot, id)
        case .toOne(let inverse):
            let object = object(with: id)
            try fire(object)
            try setLink(object, inverse, owner)
        case .toMany(let inverse):
            appendToList(owner, slot, id)
            appendToList(object(with: id), inverse, owner.objectID)
        }
    }

    private func unlink(
        _ owner: ManagedObject, _ slot: Int, _ id: ManagedObjectID
    ) throws(StoreError) {
        switch owner.layout.toManys[slot].inverse {
        case .none: removeFromList(owner, slot, id)
        case .toOne(let inverse):
            let object = object(with: id)
            try fire(object)
            if object.links[inverse] == owner.objectID { try setLink(object, inverse, nil) }
        case .toMany(let inverse):
            removeFromList(owner, slot, id)
            removeFromList(object(with: id), inverse, owner.objectID)
        }
    }

    func appendToList(_ owner: ManagedObject, _ slot: Int, _ id: ManagedObjectID) {
        guard prepareToChangeList(owner, slot) else { return }
        _ = owner.lists[slot].insert(id)
    }

    func removeFromList(_ owner: ManagedObject, _ slot: Int, _ id: ManagedObjectID) {
        guard prepareToChangeList(owner, slot) else { return }
        _ = owner.lists[slot].remove(id)
    }

    private func prepareToChangeList(_ owner: ManagedObject, _ slot: Int) -> Bool {
        owner.prepareLists()
        guard !owner.lists.isEmpty else { return false }
        readForUndo(owner, slot)
        willChange(owner, bit: owner.layout.bit(toMany: slot))
        return true
    }

    /// Loads a to-many so that an undo after a save can restore it.
    func readForUndo(_ owner: ManagedObject, _ slot: Int) {
        guard undoLog != nil, owner.lists[slot].isFault else { return }
        noting { () throws(StoreError) in try loadList(of: owner, slot) }
    }
}
