public import GraphModel
import SQLite

/// Bringing rows and to-manys into memory, one by one and in batches.
extension ManagedObjectContext {
    /// The connection that this context reads on.
    func objectReader() throws(StoreError) -> ObjectReader {
        if let parent { return try parent.objectReader() }
        try checkInterrupt()
        if let transactionReader { return transactionReader }
        let reader = try rows.objectReader()
        reader.connection.watch(interruptFlag)
        return reader
    }

    // MARK: Rows

    /// Brings an object's row into memory.
    ///
    /// - Throws: `inaccessible` where it is gone, unless `faultPolicy` says otherwise.
    func fire(_ object: ManagedObject) throws(StoreError) {
        switch object.presence {
        case .realized: return
        case .cached: object.wake()
        case .fault:
            try faultBatch(of: object)
            if object.presence == .fault {
                statistics.noteSingleFault(object.layout.name)
                guard let row = try row(of: object.objectID) else { return try miss(object) }
                object.fill(row)
            }
            object.wake()
        }
        try clearDeletedLinks(of: object)
    }

    /// Reads the rows of those that were fetched in one batch with an object.
    private func faultBatch(of object: ManagedObject) throws(StoreError) {
        guard let batch = object.extra?.batch else { return }
        let ids = batch.neighbours.neighbours(of: batch.position)
        try fault(ids.compactMap { registeredObject(for: $0) })
    }

    /// The row is gone.
    private func miss(_ object: ManagedObject) throws(StoreError) {
        guard faultPolicy == .treatAsDeleted else { throw Self.inaccessible(object) }
        object.values = object.layout.attributes.map { _ in .null }
        object.links = object.layout.emptyLinks
        object.lists = object.layout.emptyLists
        object.presence = .realized
        object.isGone = true
        object.isGoneElsewhere = true
    }

    /// An object's row as this context's parent, or else the store, has it.
    func row(of id: ManagedObjectID) throws(StoreError) -> ObjectRow? {
        guard let parent else { return try objectReader().row(id) }
        return try parent.rowSeenByChildren(id)
    }

    private func rowSeenByChildren(_ id: ManagedObjectID) throws(StoreError) -> ObjectRow? {
        if let known = ownRow(of: id) { return known }
        return try row(of: id)
    }

    /// An object's row where this context knows better than the store: nil in it of a deleted one.
    private func ownRow(of id: ManagedObjectID) -> ObjectRow?? {
        guard let object = registeredObject(for: id) else { return nil }
        if object.isDeleted { return .some(nil) }
        guard object.presence != .fault else { return nil }
        return ObjectRow(values: object.values, links: object.links, version: object.version)
    }

    /// An object's row as the nearest ancestor that knows of it has it.
    func ancestorRow(of id: ManagedObjectID) -> ObjectRow?? {
        var next = parent
        while let context = next {
            if let known = context.ownRow(of: id) { return known }
            next = context.parent
        }
        return nil
    }

    /// A to-one of a row just read may lead to what is deleted here and not yet saved.
    private func clearDeletedLinks(of object: ManagedObject) throws(StoreError) {
        guard hasPendingDeletes, object.pending != .deleted else { return }
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard let id = object.links[slot], toOne.inverse != .none,
                let other = registeredObject(for: id), other.pending == .deleted,
                nullifies(other, toOne)
            else { continue }
            willChange(object, bit: object.layout.bit(toOne: slot))
            object.links[slot] = nil
        }
    }

    /// Whether the object at a to-one's other end clears it when it is deleted.
    private func nullifies(_ other: ManagedObject, _ toOne: EntityLayout.ToOne) -> Bool {
        switch toOne.inverse {
        case .none: false
        case .toOne(let slot): other.layout.toOnes[slot].relationship.deleteRule == .nullify
        case .toMany(let slot): other.layout.toManys[slot].relationship.deleteRule == .nullify
        }
    }

    /// Brings the rows of many objects into memory with few statements.
    ///
    /// Objects that have no row stay faults.
    public func fault(_ objects: [ManagedObject]) throws(StoreError) {
        let faults = objects.filter { $0.presence == .fault && $0.link === link }
        guard !faults.isEmpty else { return }
        var waiting: [ManagedObject] = []
        waiting.reserveCapacity(faults.count)
        var read = 0
        for object in faults {
            guard parent != nil, let known = ancestorRow(of: object.objectID) else {
                waiting.append(object)
                continue
            }
            guard let row = known else { continue }
            read += 1
            object.fill(row)
        }
        if waiting.count == 1, let object = waiting.first {
            if let row = try objectReader().row(object.objectID) {
                read += 1
                object.fill(row)
            }
        } else {
            try objectReader().rows(waiting.map(\.objectID)) { id, row in
                // One that is asked for twice is read but once, and so is one that has been filled.
                guard let object = self.registry.object(for: id), object.presence == .fault else {
                    return
                }
                read += 1
                object.fill(row)
            }
        }
        statistics.rowsRead += read
    }

    /// The same for IDs; makes the objects.
    @discardableResult
    public func fault(_ ids: [ManagedObjectID]) throws(StoreError) -> [ManagedObject] {
        let objects = ids.map { object(with: $0) }
        try fault(objects)
        return objects
    }

    // MARK: To-manys

    /// Reads a to-many under what was changed in it.
    func loadList(of owner: ManagedObject, _ slot: Int) throws(StoreError) {
        guard owner.lists[slot].isFault else { return }
        let toMany = owner.layout.toManys[slot]
        guard owner.isStored else {
            owner.lists[slot].load([], isOrdered: toMany.isOrdered)
            return
        }
        statistics.listsFired += 1
        let saved = try list(of: owner.objectID, owner.layout, slot)
        load(saved, into: owner, slot)
    }

    func load(_ saved: [ManagedObjectID], into owner: ManagedObject, _ slot: Int) {
        let toMany = owner.layout.toManys[slot]
        if owner.pending != .deleted, hasPendingDeletes,
            toMany.relationship.deleteRule != .noAction || toMany.inverse != .none
        {
            // What is deleted here, and not yet saved, is no longer to be seen.
            for id in saved where registeredObject(for: id)?.pending == .deleted {
                _ = owner.lists[slot].remove(id)
            }
        }
        owner.lists[slot].load(saved, isOrdered: toMany.isOrdered)
    }

    /// Whether no ancestor knows more of an object's to-manys than the store does.
    func isListOfStore(_ id: ManagedObjectID, _ slot: Int) -> Bool {
        var next = parent
        while let context = next {
            if context.hasPendingDeletes { return false }
            if let object = context.registeredObject(for: id), object.hasListState(slot) {
                return false
            }
            next = context.parent
        }
        return true
    }

    /// A to-many's objects as this context's parent, or else the store, has them.
    func list(
        of id: ManagedObjectID, _ layout: EntityLayout, _ slot: Int
    ) throws(StoreError) -> [ManagedObjectID] {
        guard let parent else { return try objectReader().list(of: id, layout.toManys[slot]) }
        if let object = parent.registeredObject(for: id), object.hasListState(slot) {
            return try object.toManyIDs(slot)
        }
        let ids = try parent.list(of: id, layout, slot)
        guard parent.hasPendingDeletes else { return ids }
        return ids.filter { parent.registeredObject(for: $0)?.isDeleted != true }
    }
}

extension ManagedObject {
    /// Puts a row into a fault.
    final func fill(_ row: ObjectRow) {
        values = row.values
        links = row.links
        version = row.version
        presence = .cached
        extra?.didFill()
    }

    /// Somebody looks at the row.
    final func wake() {
        presence = .realized
        if !skipsHooks { awakeFromFetch() }
    }

    /// Whether the object knows more of a to-many than the store does.
    final func hasListState(_ slot: Int) -> Bool {
        guard slot < lists.count else { return false }
        let list = lists[slot]
        return !list.isFault || list.added.count > 0 || !list.removed.isEmpty || list.wished != nil
    }
}
