import GraphModel
import SQLite

/// Finds the row of a record.
extension BulkWriter {
    /// The result of finding a record's row.
    enum FoundRow {
        case none
        /// A statement whose current row has the key; the caller must release it.
        case row(Statement)
        /// The first primary keys of objects that share the key.
        case several([Int64])
    }

    /// Finds the row that has the key of the batch's row.
    func find(
        _ batch: RowBatch, _ place: Int, hash: UInt64
    ) throws(StoreError) -> FoundRow {
        if plan.plan.key.isEmpty { return .none }
        guard plan.isKeyUnique else { return try findAmongAll(batch, place, hash: hash) }
        let next = likelyRow > 0 ? try walk?.row(likelyRow) : try walk?.candidate()
        if let candidate = next, hasKey(candidate, batch, place) {
            walk?.take()
            return .row(candidate)
        }
        guard let found = try lookUp(batch, place, hash: hash) else { return .none }
        if let walk { walk.note(found: found.integer(0)) }
        return .row(found)
    }

    /// Finds the rows by a key that several objects may share.
    private func findAmongAll(
        _ batch: RowBatch, _ place: Int, hash: UInt64
    ) throws(StoreError) -> FoundRow {
        try changeWayIfNeeded()
        if keyFinder.usesMap {
            return try findInMap(hash) { hasKey($0, batch, place) }
        }
        if pending.mayHold(hash) { try flushRows() }
        let match = try keyFinder.lookup?.find { select in
            for position in plan.keyPlaces.indices {
                keyCell(position, batch, place).bind(to: select, at: Int32(position) + 1)
            }
        }
        switch match {
        case .one(let id): return try storedRow(id.primaryKey)
        case .several(let keys): return .several(keys)
        case .none?, .severalInside, nil: return .none
        }
    }

    /// Finds the rows with a key through the map, which stores only hashes.
    func findInMap(
        _ hash: UInt64, where hasKey: (Statement) -> Bool
    ) throws(StoreError) -> FoundRow {
        var keys: [Int64] = []
        var probe = keyFinder.map.probe(hash)
        while let found = try nextInMap(&probe, where: hasKey) {
            keys.append(found.integer(0))
            found.reset()
        }
        guard let first = keys.first else { return .none }
        guard keys.count == 1 else { return .several(keys.sorted()) }
        return try storedRow(first)
    }

    /// Finds the first row with a key through the map.
    ///
    /// - Returns: A statement whose current row has the key; the caller must release it.
    @inline(__always)
    func firstInMap(
        _ hash: UInt64, where hasKey: (Statement) -> Bool
    ) throws(StoreError) -> Statement? {
        var probe = keyFinder.map.probe(hash)
        return try nextInMap(&probe, where: hasKey)
    }

    @inline(__always)
    private func nextInMap(
        _ probe: inout KeyIndex.Probe, where hasKey: (Statement) -> Bool
    ) throws(StoreError) -> Statement? {
        while let key = keyFinder.map.next(&probe) {
            if key >= pending.firstKey { try flushRows() }
            let found = statements.selectByPrimaryKey
            found.bind(key, at: 1)
            guard try found.step() else { continue }
            if hasKey(found) { return found }
            found.reset()
        }
        return nil
    }

    func storedRow(_ primaryKey: Int64) throws(StoreError) -> FoundRow {
        let found = statements.selectByPrimaryKey
        found.bind(primaryKey, at: 1)
        return try found.step() ? .row(found) : .none
    }

    /// Rejects a record whose key several objects share.
    func rejectShared(
        _ primaryKeys: [Int64], _ batch: RowBatch, _ place: Int, token: Int64
    ) {
        rejectKey(
            batch, place, token: token,
            KeyMatch.message(primaryKeys, of: plan.entity, key: keyText(batch, place)),
            hinge: .storedValues)
    }

    /// Rejects a record whose key no object has.
    func rejectAbsent(_ batch: RowBatch, _ place: Int, token: Int64) {
        rejectKey(
            batch, place, token: token,
            "No \(plan.entity.name) has \(keyText(batch, place))", hinge: .missingTarget)
    }

    private func rejectKey(
        _ batch: RowBatch, _ place: Int, token: Int64, _ message: String, hinge: BulkReject.Hinge
    ) {
        let first = plan.plan.key[0]
        reject(
            token, "key", first, message,
            value: keyCell(0, batch, place).text(plan.entity.attributes[first]?.attribute.type),
            hinge: hinge)
    }

    /// Returns the names and values of a record's key, such as `id 7`.
    private func keyText(_ batch: RowBatch, _ place: Int) -> String {
        plan.plan.key.indices.map { position in
            let cell = keyCell(position, batch, place)
            let name = plan.plan.key[position]
            return plan.entity.attributes[name].map {
                "\(name) \(cell.quotedText($0.attribute.type))"
            } ?? "\(name) (primary key \(cell.integerValue))"
        }.joined(separator: " and ")
    }

    /// Finds the row by its key, regardless of its position in the table.
    private func lookUp(
        _ batch: RowBatch, _ place: Int, hash: UInt64
    ) throws(StoreError) -> Statement? {
        try changeWayIfNeeded()
        if keyFinder.usesMap {
            return try firstInMap(hash) { hasKey($0, batch, place) }
        }
        if pending.mayHold(hash) { try flushRows() }
        let found = statements.selectByKey
        for (position, cell) in plan.keyCells.enumerated() {
            batch[place, cell].bind(to: found, at: Int32(position) + 1)
        }
        return try found.step() ? found : nil
    }

    private func changeWayIfNeeded() throws(StoreError) {
        guard keyFinder.mustChangeWay() else { return }
        // A new map sees only rows that are already in the table.
        try flushRows()
        closeWalks()
        try keyFinder.changeWay(session.connection)
    }

    private func hasKey(_ found: Statement, _ batch: RowBatch, _ place: Int) -> Bool {
        guard !plan.hasRelationshipInKey else {
            return plan.keyPlaces.indices.allSatisfy { position in
                keyCell(position, batch, place)
                    .equals(column: statements.keyPlaces[position], of: found)
            }
        }
        for (position, cell) in plan.keyCells.enumerated()
        where !batch[place, cell].equals(column: statements.keyPlaces[position], of: found) {
            return false
        }
        return true
    }

    /// Returns a value of the key; for a relationship, the primary key of the resolved link's
    /// target.
    private func keyCell(_ position: Int, _ batch: RowBatch, _ place: Int) -> BulkCell {
        plan.hasRelationshipInKey
            ? row.cells[plan.keyPlaces[position]] : batch[place, plan.keyCells[position]]
    }

    /// Returns the hash of the key with resolved links; `nil` if a part is null.
    ///
    /// - Parameter recordHash: The hash of the key in the record.
    func resolvedKeyHash(_ recordHash: UInt64) -> UInt64? {
        guard plan.hasRelationshipInKey else { return recordHash }
        var hash = KeyHash()
        for place in plan.keyPlaces {
            let cell = row.cells[place]
            guard cell.kind != .null, cell.kind != .absent else { return nil }
            hash.combine(cell)
        }
        return hash.value
    }

    /// Returns the hash of the key of a row whose links are resolved.
    ///
    /// - Parameter recordHash: The hash of the key in the record.
    func rowHash(_ recordHash: UInt64) -> UInt64 { resolvedKeyHash(recordHash) ?? recordHash }

    /// Returns whether the object had a record in this load, was the target of a link whose targets
    /// are spared, or was created during the load, by it or otherwise.
    func hasTouched(_ primaryKey: Int64) -> Bool {
        primaryKey >= firstOwnKey || seen.contains(primaryKey) || spared.contains(primaryKey)
    }

    /// Returns whether this load, or the load that it resumes, created the object.
    func isOwn(_ primaryKey: Int64) -> Bool {
        primaryKey >= firstOwnKey && !foreignKeys.contains { $0.contains(primaryKey) }
    }

    /// Resets the statement of a found row.
    func release(_ found: Statement) {
        if walk?.holds(found) != true { found.reset() }
    }

    /// Closes the cursors, so that the tables can be changed and saved.
    package func closeWalks() {
        walk?.close()
        for writer in toManyWriters { writer.closeWalk() }
    }
}
