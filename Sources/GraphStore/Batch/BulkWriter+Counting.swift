import GraphModel
import SQLite

/// What a record's change to a row counts for, in the tally and among what the save changes.
extension BulkWriter {
    /// In `changedSinceSave`, instead of an entity: the row was other than it was before the load
    /// when the save began, and is changed by it whatever it becomes.
    private static let changedBefore: Int64 = 0

    /// Counts the row's first record by what the row has become.
    ///
    /// - Parameter isFirst: the record at hand is the first; else it is counted already.
    func count(
        _ id: ManagedObjectID, isFirst: Bool, difference: UInt64?
    ) throws(SQLiteError) {
        if isOwn(id.primaryKey) {
            return countOwn(id.primaryKey, isFirst: isFirst, isChanged: difference != nil)
        }
        guard let writes = try noteNet(id, isFirst: isFirst, difference: difference) else { return }
        try settle(unchanged: id.primaryKey, entity: id.entityNumber, writes: writes)
    }

    /// A row that this load inserted counts as inserted, whatever comes after; one that a link made
    /// counts by what its records do to it.
    private func countOwn(_ primaryKey: Int64, isFirst: Bool, isChanged: Bool) {
        if isFirst, isChanged {
            tally.updated += 1
        } else if isFirst {
            tally.unchanged += 1
            _ = unchangedTargets.insert(primaryKey)
        } else if isChanged, unchangedTargets.contains(primaryKey) {
            unchangedTargets.remove(primaryKey)
            tally.unchanged -= 1
            tally.updated += 1
        }
    }

    /// Counts a record of a row that was there before.
    ///
    /// - Returns: how often this load wrote the row, if the row is again what it was before.
    private func noteNet(
        _ id: ManagedObjectID, isFirst: Bool, difference: UInt64?
    ) throws(SQLiteError) -> UInt32? {
        // An earlier record may have changed the row, over a link of its own.
        let isUntouched = isFirst && !net.isShared
        guard let difference else {
            if isFirst, !isUntouched, try net.isChanged(id.primaryKey) {
                tally.updated += 1
            } else if isFirst {
                tally.unchanged += 1
            }
            return nil
        }
        let wasChanged = isUntouched ? false : try net.isChanged(id.primaryKey)
        let state =
            isUntouched
            ? try net.begin(id.primaryKey, by: difference)
            : try net.change(id.primaryKey, by: difference)
        journal?.noteChanged(id.primaryKey)
        noteChangedSinceSave(id.primaryKey, entity: id.entityNumber, wasChanged: wasChanged)
        if isFirst {
            tally.updated += 1
        } else if !wasChanged {
            tally.unchanged -= 1
            tally.updated += 1
        }
        guard state.distance == 0 else { return nil }
        tally.updated -= 1
        tally.unchanged += 1
        return state.writes
    }

    /// Notes that a row becomes other than it was.
    ///
    /// - Parameter entity: known to whoever writes the row; who only names it in a link, and may
    ///   have come first, need not know which entity of the hierarchy it is.
    func noteChangedSinceSave(_ primaryKey: Int64, entity: Int64?, wasChanged: Bool) {
        let known = changedSinceSave[primaryKey]
        guard known != Self.changedBefore else { return }
        if !wasChanged {
            changedSinceSave[primaryKey] = entity ?? plan.entity.number
        } else if let entity, known != nil {
            changedSinceSave[primaryKey] = entity
        }
    }

    /// Gives a row that later records brought back to what it was its version back, too.
    ///
    /// - Parameters:
    ///   - entity: the row's, where it is known.
    ///   - writes: how often this load wrote the row.
    func settle(
        unchanged primaryKey: Int64, entity: Int64?, writes: UInt32
    ) throws(SQLiteError) {
        try net.forget(primaryKey)
        walk?.close()
        statements.restoreVersion.bind(Int64(writes), at: 1)
        statements.restoreVersion.bind(primaryKey, at: 2)
        try statements.restoreVersion.step()
        switch changedSinceSave.removeValue(forKey: primaryKey) {
        case Self.changedBefore?: changedSinceSave[primaryKey] = Self.changedBefore
        case let entity?:
            // It is what it was when the last save ended, so this one does not change it.
            session.change.updated.remove(
                ManagedObjectID(entityNumber: entity, primaryKey: primaryKey))
        case nil:
            // The last save left it as other than it was. This one changes it, if only its
            // version, and whatever comes next does not undo that.
            changedSinceSave[primaryKey] = Self.changedBefore
            guard writes > 0 else { return }
            var number = entity
            if number == nil { number = try entityNumber(of: primaryKey) }
            guard let number else { return }
            session.change.update(
                ManagedObjectID(entityNumber: number, primaryKey: primaryKey))
        }
    }

    private func entityNumber(of primaryKey: Int64) throws(SQLiteError) -> Int64? {
        let select = try session.connection.cached(
            "SELECT Z_ENT FROM \(plan.entity.table) WHERE Z_PK = ?")
        select.bind(primaryKey, at: 1)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : nil
    }
}
