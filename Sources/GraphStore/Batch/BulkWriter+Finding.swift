import SQLite

/// How a load finds the row of a record.
extension BulkWriter {
    /// The select whose current row has the key of the batch's row; to be released by its user.
    func find(
        _ batch: RowBatch, _ place: Int, hash: UInt64
    ) throws(SQLiteError) -> Statement? {
        if plan.keyCells.isEmpty { return nil }
        let next = likelyRow > 0 ? try walk?.row(likelyRow) : try walk?.candidate()
        if let candidate = next, hasKey(candidate, batch, place) {
            walk?.take()
            return candidate
        }
        let found = try lookUp(batch, place, hash: hash)
        if let walk, let found { walk.note(found: found.integer(0)) }
        return found
    }

    /// The same, wherever the row stands.
    private func lookUp(
        _ batch: RowBatch, _ place: Int, hash: UInt64
    ) throws(SQLiteError) -> Statement? {
        if keyFinder.mustChangeWay() {
            // A map that is begun sees only what stands in the table.
            try flushRows()
            closeWalks()
            try keyFinder.changeWay(session.connection)
        }
        if keyFinder.usesMap {
            var probe = keyFinder.map.probe(hash)
            while let key = keyFinder.map.next(&probe) {
                if key >= pending.firstKey { try flushRows() }
                let found = statements.selectByPrimaryKey
                found.bind(key, at: 1)
                guard try found.step() else { continue }
                if hasKey(found, batch, place) { return found }
                found.reset()
            }
            return nil
        }
        if pending.mayHold(hash) { try flushRows() }
        let found = statements.selectByKey
        for (position, cell) in plan.keyCells.enumerated() {
            batch[place, cell].bind(to: found, at: Int32(position) + 1)
        }
        return try found.step() ? found : nil
    }

    private func hasKey(_ found: Statement, _ batch: RowBatch, _ place: Int) -> Bool {
        for (position, cell) in plan.keyCells.enumerated()
        where !batch[place, cell].equals(column: statements.keyPlaces[position], of: found) {
            return false
        }
        return true
    }

    /// Whether the object of that key had a record in this load, or was made by it, or meanwhile.
    func hasTouched(_ primaryKey: Int64) -> Bool {
        primaryKey >= firstOwnKey || seen.contains(primaryKey)
    }

    /// Whether this load, or what it goes on after, made the object of that key.
    func isOwn(_ primaryKey: Int64) -> Bool {
        primaryKey >= firstOwnKey && !foreignKeys.contains { $0.contains(primaryKey) }
    }

    /// Lets go of a row that was found.
    func release(_ found: Statement) {
        if walk?.holds(found) != true { found.reset() }
    }

    /// Lets go of the tables, so that they may be changed and saved.
    func closeWalks() {
        walk?.close()
        for writer in toManyWriters { writer.closeWalk() }
    }
}
