public import GraphModel
import SQLite

/// Loading rows and to-manys into memory, one by one and in batches.
extension ManagedObjectContext {
    /// Returns the reader that this context uses.
    func objectReader() throws(StoreError) -> ObjectReader {
        if let parent { return try parent.objectReader() }
        try checkInterrupt()
        if let transactionReader { return transactionReader }
        let reader = try rows.objectReader()
        reader.connection.watch(interruptFlag)
        return reader
    }

    // MARK: Rows

    /// Loads an object's row into memory.
    ///
    /// - Throws: `.inaccessible` if the row no longer exists, unless `faultPolicy` is
    ///   `.treatAsDeleted`.
    func fire(_ object: ManagedObject) throws(StoreError) {
        switch object.presence {
        case .realized: return
        case .cached: object.realizeRow()
        case .fault:
            try faultBatch(of: object)
            if object.presence == .fault {
                statistics.noteSingleFault(object.layout.name)
                guard let row = try row(of: object.objectID) else { return try miss(object) }
                object.fill(row)
            }
            object.realizeRow()
        }
        try clearDeletedLinks(of: object)
    }

    /// Loads the rows of the objects in the fetch batch of an object.
    private func faultBatch(of object: ManagedObject) throws(StoreError) {
        guard let batch = object.extra?.batch else { return }
        let ids = batch.neighbors.neighbors(of: batch.position)
        try fault(ids.compactMap { registeredObject(for: $0) })
    }

    /// Handles a missing row according to `faultPolicy`.
    private func miss(_ object: ManagedObject) throws(StoreError) {
        guard faultPolicy == .treatAsDeleted else { throw Self.inaccessible(object) }
        object.values = object.layout.attributes.map { _ in .null }
        object.links = object.layout.emptyLinks
        object.lists = object.layout.emptyLists
        object.presence = .realized
        object.hasNoRow = true
        object.isDeletedElsewhere = true
    }

    /// Returns an object's row from the context's parent, or from the store if there is none.
    func row(of id: ManagedObjectID) throws(StoreError) -> ObjectRow? {
        guard let parent else { return try objectReader().row(id) }
        if let known = parent.ownRow(of: id) { return known }
        return try parent.row(of: id)
    }

    /// Returns an object's row if this context has newer data than the store.
    ///
    /// The inner value is `nil` if the object is deleted here.
    private func ownRow(of id: ManagedObjectID) -> ObjectRow?? {
        guard let object = registeredObject(for: id) else { return nil }
        if object.isDeleted { return .some(nil) }
        guard object.presence != .fault else { return nil }
        return ObjectRow(values: object.values, links: object.links, version: object.version)
    }

    /// Returns an object's row from the nearest ancestor that has newer data than the store.
    func ancestorRow(of id: ManagedObjectID) -> ObjectRow?? {
        guard let parent else { return nil }
        if let known = parent.ownRow(of: id) { return known }
        return parent.ancestorRow(of: id)
    }

    /// Clears to-ones of a row just read whose destination is deleted here but not yet saved.
    private func clearDeletedLinks(of object: ManagedObject) throws(StoreError) {
        guard hasPendingDeletes, object.pending != .deleted else { return }
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard let id = object.links[slot], toOne.inverse != .none,
                let other = registeredObject(for: id), other.pending == .deleted,
                nullifies(other, toOne)
            else { continue }
            changeLink(object, slot, to: nil)
        }
    }

    /// Whether deleting the destination of a to-one clears the link.
    private func nullifies(_ other: ManagedObject, _ toOne: EntityLayout.ToOne) -> Bool {
        switch toOne.inverse {
        case .none: false
        case .toOne(let slot): other.layout.toOnes[slot].relationship.deleteRule == .nullify
        case .toMany(let slot): other.layout.toManys[slot].relationship.deleteRule == .nullify
        }
    }

    /// Loads the rows of many objects into memory with few statements.
    ///
    /// Objects without a row stay faults.
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
                // Read a row only once if its ID occurs twice or the object is already filled.
                guard let object = self.registry.object(for: id), object.presence == .fault else {
                    return
                }
                read += 1
                object.fill(row)
            }
        }
        statistics.rowsRead += read
    }

    /// Loads the rows of many objects by ID, creating the objects, and returns them.
    @discardableResult
    public func fault(_ ids: [ManagedObjectID]) throws(StoreError) -> [ManagedObject] {
        let objects = ids.map { object(with: $0) }
        try fault(objects)
        return objects
    }

    // MARK: To-manys

    /// Loads a to-many, keeping its unsaved changes.
    func loadList(of owner: ManagedObject, _ slot: Int) throws(StoreError) {
        guard owner.lists[slot].isFault else { return }
        let toMany = owner.layout.toManys[slot]
        guard owner.isStored else {
            owner.lists[slot].load([], isOrdered: toMany.isOrdered)
            return
        }
        statistics.noteSingleList(toMany.name, of: owner.layout.name)
        let saved = try list(of: owner.objectID, owner.layout, slot)
        load(saved, into: owner, slot)
    }

    func load(_ saved: [ManagedObjectID], into owner: ManagedObject, _ slot: Int) {
        let toMany = owner.layout.toManys[slot]
        if owner.pending != .deleted, hasPendingDeletes,
            toMany.relationship.deleteRule != .noAction || toMany.inverse != .none
        {
            // Hide objects that are deleted here but not yet saved.
            for id in saved where registeredObject(for: id)?.pending == .deleted {
                _ = owner.lists[slot].remove(id)
            }
        }
        owner.lists[slot].load(saved, isOrdered: toMany.isOrdered)
    }

    /// Whether no ancestor has newer data on an object's to-many than the store.
    func isListOfStore(_ id: ManagedObjectID, _ slot: Int) -> Bool {
        guard let parent else { return true }
        return !parent.hasPendingDeletes
            && parent.registeredObject(for: id)?.hasListState(slot) != true
            && parent.isListOfStore(id, slot)
    }

    /// Returns a to-many's objects from the context's parent, or from the store if there is none.
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
    /// Fills a fault with a row.
    final func fill(_ row: ObjectRow) {
        values = row.values
        links = row.links
        version = row.version
        presence = .cached
        extra?.didFill()
    }

    /// Realizes the object on first access to its row.
    final func realizeRow() {
        presence = .realized
        if !skipsHooks { awakeFromFetch() }
    }

    /// Whether the object has newer data on a to-many than the store.
    final func hasListState(_ slot: Int) -> Bool {
        guard slot < lists.count else { return false }
        let list = lists[slot]
        return !list.isFault || list.added.count > 0 || !list.removed.isEmpty || list.wished != nil
    }
}
