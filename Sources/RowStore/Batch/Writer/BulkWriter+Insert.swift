import GraphModel
import SQLite

extension BulkWriter {
    /// Inserts the resolved row, immediately or with its group.
    ///
    /// - Parameter alone: Whether to write the row immediately, so that a rejection is known.
    func insert(hash: UInt64, token: Int64, alone: Bool = false) throws(StoreError) {
        if let property = missingRequirement() { return rejectMissing(property, token: token) }
        if breaksRule(found: nil, token: token) { return }
        try takePlaces(nil)
        // Read once: each use of the property would retain the session.
        let session = session
        let key = try session.nextKey(root: plan.entity.rootNumber)
        let id = ManagedObjectID(entityNumber: plan.entity.number, primaryKey: key)
        lastInserted = id
        try keepTimes(of: key)
        keyFinder.noteInserted(hash, key)
        pending.add(PendingRows.Row(primaryKey: key, hash: hash, token: token), row.cells)
        session.change.insert(id)
        if seen.insert(key) { journal?.noteSeen(key) }
        tally.inserted += 1
        writes += 1
        if alone || pending.isFull || !plan.writesRowsInGroups || linksNeedRow
            || mustStandAtOnce
        {
            try flushRows()
            // A constraint may have rejected the row.
            guard session.change.inserted.hasLast(plan.entity.number, key) else { return }
        }
        for position in toManyWriters.indices {
            guard let destinations = row.destinations[position] else { continue }
            try toManyWriters[position].link(
                new: id, to: destinations, but: row.left[position], in: session)
        }
        if !oneToOneWriters.isEmpty || !row.freedOfManys.isEmpty {
            try pointBack(id, formerly: [])
        }
        if !plan.bothEnds.isEmpty { noteOwners(ownerChanges(id, nil)) }
        try resolveInverseChanges()
        try endTimes()
    }

    /// Returns the first required property that the resolved row would lack in a new object.
    func missingRequirement() -> String? {
        for column in plan.columnsToSet where row.cells[column].kind == .absent {
            return plan.columns[column].property
        }
        return plan.unfilledRequirement
    }

    /// Rejects the resolved row if it breaks one of the model's rules over the complete object, and
    /// returns whether it did.
    func breaksRule(found: Statement?, token: Int64) -> Bool {
        guard !plan.rules.isEmpty,
            let problem = plan.rules.problem(
                with: row, found: found, firstColumn: statements.firstColumn)
        else { return false }
        let code = problem.required == nil ? "validate" : "required"
        reject(
            token, code, problem.required, problem.message,
            hinge: found == nil ? .newObject : .storedValues)
        return true
    }

    /// Whether the row sets a to-many relationship that writes other rows, which requires this row
    /// to exist first.
    private var linksNeedRow: Bool {
        for position in toManyWriters.indices
        where toManyWriters[position].needsOwnersRow && row.destinations[position] != nil {
            return true
        }
        return false
    }

    /// Writes the pending group of new rows.
    func flushRows() throws(StoreError) {
        guard !pending.rows.isEmpty else { return }
        walk?.close()
        defer { pending.removeAll() }
        if pending.isFull {
            for place in 0..<pending.rows.count {
                bindPending(
                    place, to: statements.insertGroup,
                    from: Int32(place) * Int32(plan.storedColumns.count + 1) + 1)
            }
            do {
                try statements.insertGroup.step()
                noteLinks(ofPending: 0..<pending.rows.count)
                return
            } catch  where error.isConstraint {
                // The complete statement had no effect; inserting the rows one by one finds the
                // conflict.
            }
        }
        for place in 0..<pending.rows.count {
            bindPending(place, to: statements.insertOne, from: 1)
            do {
                try statements.insertOne.step()
                noteLinks(ofPending: place..<(place + 1))
            } catch  where error.isConstraint {
                try revert(place, error)
            }
        }
    }

    /// Notes the targets of the to-one relationships of new rows.
    private func noteLinks(ofPending places: Range<Int>) {
        for end in toOneEnds {
            guard let inverse = end.inverse else { continue }
            session.noteLinks(
                inverse,
                places.lazy.map { [pending] place in
                    let cell = pending.cell(place, end.column)
                    // No row has the key 0.
                    return (
                        cell.kind == .integer ? cell.integerValue : 0,
                        LinkEnds.hash(pending.rows[place].primaryKey)
                    )
                })
        }
    }

    private func bindPending(_ place: Int, to statement: Statement, from first: Int32) {
        statement.bind(pending.rows[place].primaryKey, at: first)
        for column in plan.storedColumns {
            let cell = pending.cell(place, column)
            let index = first + Int32(column) + 1
            if cell.kind == .absent {
                statement.bind(plan.columns[column].defaultValue, at: index)
            } else {
                cell.bind(to: statement, at: index)
            }
        }
    }

    /// Reverts a new row that violates a constraint.
    private func revert(_ place: Int, _ error: StoreError) throws(StoreError) {
        if let damage = error.ofUsedKey(in: session.schema) { throw damage }
        let row = pending.rows[place]
        let id = ManagedObjectID(
            entityNumber: plan.entity.number, primaryKey: row.primaryKey)
        keyFinder.noteRejected(row.hash, row.primaryKey)
        lastPlaces.removeAll()
        session.change.delete(id)
        seen.remove(row.primaryKey)
        tally.inserted -= 1
        for writer in toManyWriters { try writer.forget(new: row.primaryKey) }
        try rejectUnique(row.token, error, of: nil) { pending.cell(place, $0) }
    }

    func rejectMissing(_ property: String, token: Int64) {
        reject(
            token, "required", property, "'\(property)' is required and the record lacks it",
            hinge: .newObject)
    }

    /// Rejects a row whose values another object already has.
    ///
    /// - Parameters:
    ///   - error: The error of SQLite, which names only the first violated index.
    ///   - key: The primary key of the row's own object; `nil` if there is none.
    ///   - cell: Returns the cell of each column of the rejected row.
    func rejectUnique(
        _ token: Int64, _ error: StoreError, of key: Int64?, _ cell: (Int) -> BulkCell
    ) throws(StoreError) {
        // Values that the record does not set come from the row itself or from defaults.
        let places = plan.columns.indices.filter {
            error.constraintColumns.contains(plan.columns[$0].name) && cell($0).kind != .absent
        }
        guard !places.isEmpty else {
            return reject(
                token, "unique", nil, "Another object has these values: \(error.message)",
                hinge: .storedValues)
        }
        let named = Set(error.constraintColumns)
        func isNamed(_ places: [Int]) -> Bool { Set(places.map { plan.columns[$0].name }) == named }
        let all = plan.uniquePlaces.first(where: isNamed)
        let holder = try all.flatMap { places throws(StoreError) in
            try entity(withValuesAt: places, besides: key, cell)
        }
        reject(token, holder, places, cell)
        for places in plan.uniquePlaces where !isNamed(places) {
            try rejectTaken(token, places, of: key, cell)
        }
    }

    /// Rejects a row if another object has its unique values.
    func rejectTaken(
        _ token: Int64, _ places: [Int], of key: Int64?, _ cell: (Int) -> BulkCell
    ) throws(StoreError) {
        guard let holder = try entity(withValuesAt: places, besides: key, cell) else { return }
        reject(token, holder, places.filter { cell($0).kind != .absent }, cell)
    }

    private func reject(
        _ token: Int64, _ holder: StoreLayout.Entity?, _ places: [Int], _ cell: (Int) -> BulkCell
    ) {
        guard let first = places.first else { return }
        func type(_ place: Int) -> AttributeType? {
            plan.entity.attributes[plan.columns[place].property]?.attribute.type
        }
        let values = places.map {
            "\(plan.columns[$0].property) \(cell($0).quotedText(type($0)))"
        }
        reject(
            token, "unique", plan.columns[first].property,
            "Another \(holder?.name ?? "object") has \(values.joined(separator: " and "))",
            value: cell(first).text(type(first)), hinge: .storedValues)
    }

    /// Returns the entity of the object that has these values, which may be another entity of the
    /// hierarchy.
    ///
    /// - Parameter key: The primary key of the row's own object, which has the values that the row
    ///   does not set.
    private func entity(
        withValuesAt places: [Int], besides key: Int64?, _ cell: (Int) -> BulkCell
    ) throws(StoreError) -> StoreLayout.Entity? {
        let table = plan.entity.table
        let conditions = places.enumerated().map { index, place in
            let name = plan.columns[place].name
            guard let key, cell(place).kind == .absent else { return "\(name) = ?\(index + 1)" }
            return "\(name) = (SELECT \(name) FROM \(table) WHERE Z_PK = \(key))"
        }
        let others = key.map { " AND Z_PK <> \($0)" } ?? ""
        let statement = try session.connection.prepare(
            "SELECT Z_ENT FROM \(table) WHERE \(conditions.joined(separator: " AND "))\(others)")
        for (index, place) in places.enumerated() {
            let cell = cell(place)
            if cell.kind != .absent {
                cell.bind(to: statement, at: Int32(index + 1))
            } else if key == nil {
                statement.bind(plan.columns[place].defaultValue, at: Int32(index + 1))
            }
        }
        guard try statement.step() else { return nil }
        return session.schema.entity(number: statement.integer(0))
    }
}

extension ManagedObjectIDSet {
    /// Returns whether the key is the largest of its entity, as a newly inserted key is.
    func hasLast(_ entityNumber: Int64, _ key: Int64) -> Bool {
        keys(entityNumber: entityNumber).last?.upperBound == key
    }
}
