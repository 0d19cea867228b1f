import GraphModel
import SQLite

/// Writes objects that are nested inside a record, such as the lines of an order.
///
/// They are upserted by their own key right before the record's row, which is then linked to them
/// as to any other object. A record and its nested objects are written atomically. Once no other
/// fault of the row is known, everything is written inside a savepoint. If one of them is rejected
/// after all, the savepoint is rolled back.
///
/// The writers of nested objects keep no key map and defer no indexes, so that several of them can
/// write to one table.
extension BulkWriter {
    /// The state to which a rejected record is rolled back.
    struct RecordUndo {
        var ends: LinkEnds
        var createdTargets: Int
        var supersededItems: Int?
        /// The number of files that earlier rows have released.
        var filesReleased: Int
    }

    static func nestedWriters(
        of plan: BulkPlan, in source: any WriteSessionSource, _ memory: BulkMemory,
        _ claims: LinkClaims, _ times: LinkVersions?, _ keyTables: KeyTables,
        _ raisedRows: RaisedRows
    ) throws(StoreError) -> [BulkWriter?] {
        guard plan.links.contains(where: { $0.nested != nil }) else { return [] }
        var writers: [BulkWriter?] = []
        for link in plan.links {
            guard let nested = link.nested else {
                writers.append(nil)
                continue
            }
            writers.append(
                try BulkWriter(
                    nested, in: source, memory: memory.ofNested, isResumable: false,
                    isNested: true, claims: claims, times: times, keyTables: keyTables,
                    raisedRows: raisedRows))
        }
        return writers
    }

    func beginRecord() throws(StoreError) -> RecordUndo {
        try session.connection.cached("SAVEPOINT ETL_RECORD").run()
        var undo = RecordUndo(
            ends: LinkEnds(apartFrom: session.ends),
            createdTargets: tally.createdTargets, supersededItems: tally.supersededItems,
            filesReleased: session.filesReleased.count)
        // Collect the record's changes separately. Swap instead of copying, since a copy for every
        // record would be expensive.
        session.beginPart()
        session.history?.beginPart()
        swap(&undo.ends, &session.ends)
        raisedRows.beginRecord()
        return undo
    }

    func keepRecord(_ undo: inout RecordUndo?) throws(StoreError) {
        guard var undone = undo.take() else { return }
        for case let writer? in nestedWriters { try writer.flushLinks() }
        try session.connection.cached("RELEASE ETL_RECORD").run()
        session.endPart()
        session.history?.endPart()
        swap(&undone.ends, &session.ends)
        session.ends.add(undone.ends)
        raisedRows.keepRecord()
    }

    func undoRecord(_ undone: consuming RecordUndo) throws(StoreError) {
        forgetNestedLinks()
        try session.connection.cached("ROLLBACK TO ETL_RECORD").run()
        try session.connection.cached("RELEASE ETL_RECORD").run()
        session.dropPart()
        session.history?.dropPart()
        swap(&undone.ends, &session.ends)
        raisedRows.undoRecord()
        tally.createdTargets = undone.createdTargets
        tally.supersededItems = undone.supersededItems
        session.filesReleased.removeSubrange(undone.filesReleased...)
        for (link, id, hash) in newTargets where plan.links[link].isOwnKey {
            keyFinder.noteRejected(hash, id.primaryKey)
        }
        newTargets.removeAll(keepingCapacity: true)
        forgetTargets()
    }

    private func forgetNestedLinks() {
        for case let writer? in nestedWriters {
            for links in writer.toManyWriters { links.forgetAll() }
            writer.forgetNestedLinks()
        }
    }

    private func forgetTargets() {
        for resolver in resolvers { resolver.forgetAll() }
        for case let writer? in nestedWriters { writer.forgetTargets() }
    }

    // MARK: Links

    /// Writes the objects in a link's cell, or returns that there are objects to write.
    func resolveNested(
        _ writer: BulkWriter, _ batch: RowBatch, _ cell: BulkCell, _ link: Int, _ token: Int64,
        creating: Bool, owner: Int64?
    ) throws(StoreError) -> LinkOutcome {
        let many = plan.manyOfLink[link]
        guard cell.kind == .list, cell.listCount > 0 else {
            return try setEmpty(cell, link, many, token)
        }
        guard creating else {
            // A placeholder until the objects are written.
            if many == nil { setToOne(link, .integer(0), entity: 0) }
            if let many { row.destinations[many] = nil }
            return .mustCreate
        }
        var ids: [ManagedObjectID] = []
        var known: Set<Int64> = []
        var siblings = Siblings(owner: owner)
        for element in writer.elements(of: batch, in: cell) {
            let before = writer.tally
            writer.missedOfRow.removeAll(keepingCapacity: true)
            guard let id = try writer.writeElement(batch, element, &siblings) else {
                let label = plan.plan.links[link].label
                takeReject(
                    of: writer, many == nil ? label : "\(label)[\(element.number)]", token)
                return .obstacle(.rejected)
            }
            tally.createdTargets += writer.tally.createdTargets - before.createdTargets
            noteSuperseded((writer.tally.supersededItems ?? 0) - (before.supersededItems ?? 0))
            takeMissedLinks(of: writer, link, token)
            noteSuperseded(element.superseded)
            if known.insert(id.primaryKey).inserted { ids.append(id) } else { noteSuperseded(1) }
        }
        guard let many else {
            if let id = ids.last {
                setToOne(link, .integer(id.primaryKey), entity: id.entityNumber)
            }
            return .done
        }
        let relationship = plan.toManys[many].place.relationship
        if plan.links[link].many == .replace,
            let problem = Self.countProblem(ids.count, relationship)
        {
            reject(token, "validate", relationship.name, problem)
            return .obstacle(.rejected)
        }
        row.destinations[many] = ids.map(\.primaryKey)
        return .done
    }

    private func noteSuperseded(_ count: Int) {
        if count > 0 { tally.supersededItems = (tally.supersededItems ?? 0) + count }
    }

    private func setEmpty(
        _ cell: BulkCell, _ link: Int, _ many: Int?, _ token: Int64
    ) throws(StoreError) -> LinkOutcome {
        guard let many else {
            setToOne(link, cell.kind == .absent ? .absent : .null, entity: nil)
            return .done
        }
        row.destinations[many] = cell.kind == .absent ? nil : []
        let relationship = plan.toManys[many].place.relationship
        if cell.kind != .absent, plan.links[link].many == .replace,
            let problem = Self.countProblem(0, relationship)
        {
            reject(token, "validate", relationship.name, problem)
            return .obstacle(.rejected)
        }
        return .done
    }

    /// Adds the missed links of a nested object to those of the row that contains it.
    private func takeMissedLinks(of writer: BulkWriter, _ link: Int, _ token: Int64) {
        guard !writer.missedOfRow.isEmpty else { return }
        let relationship = plan.plan.links[link].relationship
        missedOfRow += writer.missedOfRow.map { missed in
            MissedLink(
                token: token, relationship: "\(relationship).\(missed.relationship)",
                key: missed.key)
        }
        writer.missedOfRow.removeAll(keepingCapacity: true)
    }

    private func takeReject(of writer: BulkWriter, _ path: String, _ token: Int64) {
        guard let refused = writer.takeRejects().last else { return }
        let property = refused.property.map { "\(path).\($0)" } ?? path
        reject(
            token, refused.code, property, refused.message, value: refused.value,
            hinge: refused.hinge)
    }

    // MARK: Elements

    /// The objects in one cell, if their owner is part of their key.
    ///
    /// New objects have no owner before the owner's row is written, so the store cannot find them
    /// by their key.
    struct Siblings {
        /// The primary key of the owner; `nil` for a new owner, which has no objects yet.
        let owner: Int64?
        /// The primary keys of the new objects, by the other parts of their key.
        var new: [[UInt8]: Int64] = [:]
    }

    /// Upserts the object whose cells are items of another writer's batch.
    ///
    /// - Returns: The object; `nil` if it was rejected, with the reason in `rejects`.
    private func writeElement(
        _ batch: RowBatch, _ source: NestedElement, _ siblings: inout Siblings
    ) throws(StoreError) -> ManagedObjectID? {
        element.removeAll()
        let place = element.addRow()
        for cell in 0..<plan.plan.width { element[place, cell] = source.cell(cell, in: batch) }
        guard let hash = keyHash(element, place) else {
            rejectNullKey(element, place, token: 0)
            return nil
        }
        for column in plan.columns.indices {
            if case .attribute(let cell) = plan.columns[column].source {
                row.cells[column] = element[place, cell]
            }
        }
        // Objects nested in this one may have it in their key, so it is looked up before them.
        let innerOwners = nestedWriters.contains { $0?.plan.ownerColumn != nil }
        for link in plan.plan.links.indices where !(innerOwners && isNested(link: link)) {
            guard try resolveElement(batch, place, link, owner: nil) else { return nil }
        }
        if innerOwners {
            let found = try findElement(place, hash, siblings)
            let owner = found.id?.primaryKey
            if case .row(let found) = found.row { release(found) }
            for link in plan.plan.links.indices where isNested(link: link) {
                guard try resolveElement(batch, place, link, owner: owner) else { return nil }
            }
        }
        if rejectIfKeyIsNull(token: 0) { return nil }
        if let property = nullRequirement() {
            reject(0, "required", property, "'\(property)' is required and null here")
            return nil
        }
        let match = try findElement(place, hash, siblings)
        switch match.row {
        case .row(let found):
            defer { release(found) }
            return try update(element: found)
        case .several(let keys):
            rejectShared(keys, element, place, token: 0)
            return nil
        case .none:
            let rejected = tally.rejected
            // The owner's own link sets this column, which changes the owner, too.
            if let column = plan.ownerColumn { row.cells[column] = .absent }
            try insert(hash: match.hash, token: 0, alone: true)
            guard tally.rejected == rejected, let id = lastInserted else { return nil }
            if plan.ownerColumn != nil { siblings.new[siblingKey(place)] = id.primaryKey }
            return id
        }
    }

    private func isNested(link: Int) -> Bool { plan.plan.links[link].nested != nil }

    /// Resolves a link of the element, or writes its objects.
    ///
    /// - Returns: False if the element was rejected.
    private func resolveElement(
        _ batch: RowBatch, _ place: Int, _ link: Int, owner: Int64?
    ) throws(StoreError) -> Bool {
        let cell = element[place, plan.plan.attributes.count + link]
        // The lists of an element are in the batch that it came from.
        let outcome = try resolve(
            batch, cell, link, 0, .decide, creating: true, owner: owner)
        if case .obstacle = outcome { return false }
        return true
    }

    /// Finds the object that has the element's key.
    private func findElement(
        _ place: Int, _ hash: UInt64, _ siblings: Siblings
    ) throws(StoreError) -> (row: FoundRow, id: ManagedObjectID?, hash: UInt64) {
        var found = FoundRow.none
        var rowHash = hash
        if let column = plan.ownerColumn {
            row.cells[column] = siblings.owner.map { .integer($0) } ?? .absent
            if let hash = resolvedKeyHash(hash) {
                rowHash = hash
                found = try find(element, place, hash: hash)
            }
            if case .none = found, let new = siblings.new[siblingKey(place)] {
                found = try storedRow(new)
            }
        } else if let hash = resolvedKeyHash(hash) {
            rowHash = hash
            found = try find(element, place, hash: hash)
        }
        guard case .row(let statement) = found else { return (found, nil, rowHash) }
        let id = ManagedObjectID(
            entityNumber: statement.integer(1), primaryKey: statement.integer(0))
        return (found, id, rowHash)
    }

    /// Returns the parts of the element's key without its owner.
    private func siblingKey(_ place: Int) -> [UInt8] {
        let cells = plan.keyPlaces.filter { $0 != plan.ownerColumn }.map { row.cells[$0] }
        return LinkKey(cells)?.encoded ?? []
    }

    private func update(element found: Statement) throws(StoreError) -> ManagedObjectID? {
        guard mayUpdate(found, token: 0) else { return nil }
        let id = ManagedObjectID(
            entityNumber: found.integer(1), primaryKey: found.integer(0))
        try keepTimes(of: id.primaryKey)
        let outcome = try write(over: found, id)
        try resolveInverseChanges()
        if case .refused(let error) = outcome {
            try rejectUnique(0, error, of: id.primaryKey) { row.cells[$0] }
            return nil
        }
        return id
    }
}

extension BulkPlan {
    /// Returns whether links, including links of nested objects, find or create objects of the
    /// entity's table without the key map.
    ///
    /// Links of this kind rely on the table's indexes.
    ///
    /// - Parameter ownKey: The key of the plan that has the map.
    func linksPastMap(
        of entity: StoreLayout.Entity, ownKey: [String], isNested: Bool = false,
        _ schema: StoreLayout
    ) -> Bool {
        links.contains { link in
            if let nested = link.nested {
                return nested.linksPastMap(of: entity, ownKey: ownKey, isNested: true, schema)
            }
            // Objects in the middle of a key are looked up by their index.
            guard !link.leadsThrough(entity.table, schema) else { return true }
            guard let destination = schema.entity(named: link.destination),
                destination.table == entity.table
            else { return false }
            // A link by another attribute relies on the index of this attribute, with or without a
            // constraint.
            guard
                !link.hasRelationshipInKey,
                schema.isUnique(link.properties, of: destination) || link.properties == ownKey
            else { return true }
            let isByKey = link.properties == ownKey
            let asksMap =
                !isNested && isByKey && destination.familyNumbers.contains(entity.number)
                && (destination.name == entity.name || schema.isUnique(ownKey, of: entity))
            return !asksMap && (isByKey || link.missing == .create || link.makesStandIns)
        }
    }

    /// Returns whether nested objects, at any depth, are in the table.
    func writesInside(table: String, _ schema: StoreLayout) -> Bool {
        links.contains { link in
            guard let nested = link.nested else { return false }
            return schema.entity(named: nested.entity)?.table == table
                || nested.writesInside(table: table, schema)
        }
    }
}

extension StoreChange {
    /// Adds the changes that happened after these.
    mutating func add(_ later: StoreChange) {
        inserted.formUnion(later.inserted)
        update(later.updated)
        delete(later.deleted)
    }
}
