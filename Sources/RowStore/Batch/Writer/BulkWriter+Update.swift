import GraphModel
import SQLite

extension BulkWriter {
    /// Updates the found row from the record, and counts the record by the row's net change.
    func update(_ found: Statement, token: Int64) throws(StoreError) {
        defer { release(found) }
        guard mayUpdate(found, token: token) else {
            return omittedLinks.removeAll(keepingCapacity: true)
        }
        let id = ManagedObjectID(
            entityNumber: found.integer(1), primaryKey: found.integer(0))
        let difference: UInt64?
        var raises = false
        try keepTimes(of: id.primaryKey)
        switch try write(over: found, id) {
        case .same where plan.plan.touchesSame:
            raises = try raiseVersion(id)
            session.change.update(id)
            writes += 1
            difference = nextMove()
        case .same: difference = nil
        case .changed(let hash, let isRaised): (difference, raises) = (hash, isRaised)
        case .refused(let error):
            return try rejectUnique(token, error, of: id.primaryKey) { row.cells[$0] }
        }
        let isFirst = seen.insert(id.primaryKey)
        if isFirst { journal?.noteSeen(id.primaryKey) } else { tally.superseded += 1 }
        try count(id, isFirst: isFirst, difference: difference, raises: raises)
        try resolveInverseChanges()
        try endTimes()
    }

    /// Returns whether the record may change the found row; if not, counts the record.
    func mayUpdate(_ found: Statement, token: Int64) -> Bool {
        let entityNumber = found.integer(1)
        guard plan.entity.familyNumbers.contains(entityNumber) else {
            let other = session.schema.entity(number: entityNumber)?.name ?? "another entity"
            reject(
                token, "unique", plan.plan.key.first, "The key belongs to an object of \(other)",
                hinge: .storedValues)
            return false
        }
        if plan.plan.duplicates != .last, seen.contains(found.integer(0)) {
            if plan.plan.duplicates == .first {
                tally.superseded += 1
            } else {
                reject(token, "duplicate", plan.plan.key.first, "The key came before in this stage")
            }
            return false
        }
        if plan.plan.found != .update, !isOwn(found.integer(0)) {
            leaveAlone(found.integer(0), token: token)
            return false
        }
        return !breaksRule(found: found, token: token)
    }

    /// Counts a record whose object existed before the load and must be left unchanged.
    private func leaveAlone(_ primaryKey: Int64, token: Int64) {
        guard plan.plan.found == .skip else {
            return reject(
                token, "found", plan.plan.key.first, "An object with this key already exists")
        }
        if seen.insert(primaryKey) {
            tally.skipped += 1
        } else {
            tally.superseded += 1
        }
    }

    enum Overwriting {
        /// The row already has the values.
        case same
        /// The row was written; the values are a hash of the old and new values, and whether the
        /// row got a new version.
        case changed(UInt64, raises: Bool)
        /// A constraint forbids the change; nothing was written.
        case refused(StoreError)
    }

    /// Writes the columns and links that differ.
    func write(
        over found: Statement, _ id: ManagedObjectID
    ) throws(StoreError) -> Overwriting {
        var (difference, raises): (UInt64?, Bool) = (nil, false)
        // Collected only for the history.
        var differing: Set<String> = []
        var files: [String] = []
        let gone = ownerChanges(id, found)
        let former = formerDestinations(found)
        let first = statements.firstColumn
        rowUpdate.begin()
        movedLinks.removeAll(keepingCapacity: true)
        for column in plan.comparedColumns {
            let cell = row.cells[column]
            let place = first + Int32(column)
            guard !cell.equals(column: place, of: found) else { continue }
            let change = columnHashes[column].change(
                from: BulkCell(column: place, of: found), to: cell)
            difference = (difference ?? 0) ^ change
            rowUpdate.note(column)
            if plan.columns[column].isExternal, let name = found.fileName(place) {
                files.append(name)
            }
            if session.history != nil { differing.insert(plan.columns[column].property) }
        }
        if difference != nil {
            noteMovedLinks(found, id)
            try takePlaces(found)
            for column in plan.orderColumns
            where row.cells[column].kind != .absent && !keepsOrder(column, found) {
                rowUpdate.note(column)
            }
            raises = raisesVersion(of: id)
            let update = try bindUpdate(of: id, found, raises: raises)
            release(found)
            walk?.close()
            // Pending new rows precede this record, and may have the values that it sets.
            if plan.hasOtherConstraints { try flushRows() }
            do {
                try update?.step()
            } catch  where error.isConstraint {
                lastPlaces.removeAll()
                if raises { _ = raisedRows.lower(id.primaryKey, root: plan.entity.rootNumber) }
                return .refused(error)
            }
            session.filesReleased += files
        } else {
            release(found)
        }
        let columnsChanged = difference != nil
        for link in movedLinks { session.noteLink(link.end, link.primaryKey, link.hash) }
        noteOwners(gone)
        for (position, writer) in toManyWriters.enumerated() {
            guard let destinations = row.destinations[position],
                let change = try writer.change(
                    id, to: destinations, but: row.left[position], in: session)
            else { continue }
            difference = (difference ?? 0) ^ change.turned(position)
            if session.history != nil {
                differing.insert(plan.toManys[position].place.relationship.name)
            }
        }
        try pointBack(id, formerly: former)
        guard let difference else { return .same }
        writes += 1
        if !columnsChanged { raises = try raiseVersion(id) }
        session.change.update(id)
        if let history = session.history { note(differing, id, in: history) }
        return .changed(difference, raises: raises)
    }

    /// Collects the objects whose links change because of the to-one relationships of the found
    /// row.
    private func noteMovedLinks(_ found: Statement, _ id: ManagedObjectID) {
        for link in toOneEnds {
            let change = columnChange(link.column, found)
            guard change != 0 else { continue }
            guard !link.isOneToOne else {
                let hash = change ^ (link.entityColumn.map { columnChange($0, found) } ?? 0)
                if let own = link.own { movedLinks.append((own, id.primaryKey, hash)) }
                continue
            }
            let place = statements.firstColumn + Int32(link.column)
            let cell = row.cells[link.column]
            let ends = [
                found.isNull(place) ? nil : found.integer(place),
                cell.kind == .integer ? cell.integerValue : nil,
            ]
            var hash: UInt64 = 0
            for case let destination? in ends {
                hash ^= LinkEnds.hash(destination)
                guard let inverse = link.inverse else { continue }
                movedLinks.append((inverse, destination, LinkEnds.hash(id.primaryKey)))
            }
            if let own = link.own { movedLinks.append((own, id.primaryKey, hash)) }
        }
    }

    /// Returns a hash of the record's change to a column; 0 if there is none.
    private func columnChange(_ column: Int, _ found: Statement) -> UInt64 {
        let place = statements.firstColumn + Int32(column)
        guard !row.cells[column].equals(column: place, of: found) else { return 0 }
        return columnHashes[column].change(
            from: BulkCell(column: place, of: found), to: row.cells[column])
    }

    /// Returns the statement that updates the differing columns, with its values bound; `nil` if
    /// the row needs no update.
    private func bindUpdate(
        of id: ManagedObjectID, _ found: Statement, raises: Bool
    ) throws(StoreError) -> Statement? {
        guard let update = try rowUpdate.statement(raises: raises) else { return nil }
        for (position, column) in rowUpdate.columns.enumerated() {
            let index = Int32(position) + 1
            if row.cells[column].kind == .absent || keepsOrder(column, found) {
                update.bind(column: statements.firstColumn + Int32(column), of: found, at: index)
            } else {
                row.cells[column].bind(to: update, at: index)
            }
        }
        update.bind(id.primaryKey, at: Int32(rowUpdate.columns.count) + 1)
        return update
    }

    private func note(
        _ properties: Set<String>, _ id: ManagedObjectID, in history: HistoryRecorder
    ) {
        history.update(id, properties: properties)
    }

    /// Returns the targets of the found row's one-to-one links if some destinations have no column
    /// for the inverse; otherwise an empty array.
    private func formerDestinations(_ found: Statement) -> [Int64?] {
        guard plan.hasOneSidedLinks else { return [] }
        return plan.oneToOnes.map { oneToOne in
            let place = statements.firstColumn + Int32(oneToOne.keyColumn)
            return found.isNull(place) ? nil : found.integer(place)
        }
    }

    /// Sets the inverse ends of one-to-one links.
    ///
    /// - Parameter former: The previous targets, from `formerDestinations`.
    func pointBack(
        _ id: ManagedObjectID, formerly former: [Int64?]
    ) throws(StoreError) {
        for (position, writer) in oneToOneWriters.enumerated() {
            try writer.pointBack(
                id, row, formerly: former.isEmpty ? nil : former[position], in: session)
        }
        for freed in row.freed { try oneToOneWriters[freed.writer].free(freed.key, in: session) }
        for freed in row.freedOfManys {
            try toManyWriters[freed.writer].free(freed.key, in: session)
        }
    }

    /// Returns whether the row keeps its position, which it does while its owner is unchanged.
    func keepsOrder(_ column: Int, _ found: Statement) -> Bool {
        guard case .linkOrder(let link) = plan.columns[column].source,
            let key = plan.links[link].keyColumn
        else { return false }
        return row.cells[key].equals(column: statements.firstColumn + Int32(key), of: found)
    }

    /// Returns whether the row needs a new version, and notes that it gets one.
    private func raisesVersion(of id: ManagedObjectID) -> Bool {
        raisedRows.raise(
            id, root: plan.entity.rootNumber, isNested: isNested, in: session)
    }

    /// Raises the version of a row whose columns do not change, once in a save.
    ///
    /// - Returns: Whether the row got a new version.
    private func raiseVersion(_ id: ManagedObjectID) throws(StoreError) -> Bool {
        guard raisesVersion(of: id) else { return false }
        walk?.close()
        statements.raiseVersion.bind(id.primaryKey, at: 1)
        try statements.raiseVersion.step()
        return true
    }

    /// Returns a unique hash, so that this change never counts as undone.
    private func nextMove() -> UInt64 {
        moves += 1
        var hash = KeyHash()
        hash.combine(moves)
        return hash.value
    }
}

extension Statement {
    /// Returns the external file that a column names, if any, without copying a value in the
    /// column.
    fileprivate func fileName(_ column: Int32) -> String? {
        guard bytes(column).first == ExternalFiles.fileMark else { return nil }
        return ExternalFiles.fileName(value(column))
    }
}
