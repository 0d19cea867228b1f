import GraphModel
import SQLite

/// What a record's change to a row counts for, in the tally and among what the save changes.
extension BulkWriter {
    /// In `changedSinceSave`, instead of an entity: the row was other than it was before the load
    /// when the save began, and is changed by it whatever it becomes.
    private static let changedBefore: Int64 = 0
    /// The same of a row that a record of its own has not written since the save began: the commit
    /// gives it its new version.
    private static let linksChangedBefore: Int64 = -1

    /// Counts the row's first record by what the row has become.
    ///
    /// - Parameter isFirst: the record at hand is the first; else it is counted already.
    func count(
        _ id: ManagedObjectID, isFirst: Bool, difference: UInt64?
    ) throws(StoreError) {
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
    ) throws(StoreError) -> UInt32? {
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
        guard known != Self.changedBefore, known != Self.linksChangedBefore else { return }
        if !wasChanged {
            changedSinceSave[primaryKey] = entity ?? plan.entity.number
        } else if let entity, known != nil {
            changedSinceSave[primaryKey] = entity
        }
    }

    /// Gives a row that later records brought back to what it was its version back, too, unless a
    /// save has come in between.
    ///
    /// - Parameters:
    ///   - entity: the row's, where it is known.
    ///   - writes: how often this load wrote the row.
    func settle(
        unchanged primaryKey: Int64, entity: Int64?, writes: UInt32
    ) throws(StoreError) {
        try net.forget(primaryKey)
        let known = changedSinceSave.removeValue(forKey: primaryKey)
        var number = entity ?? known.flatMap { $0 > 0 ? $0 : nil }
        if number == nil { number = try entityNumber(of: primaryKey) }
        guard let number else { return }
        let id = ManagedObjectID(entityNumber: number, primaryKey: primaryKey)
        guard let known else {
            // The last save left it as other than it was. This one changes it, and whatever comes
            // next does not undo that.
            changedSinceSave[primaryKey] =
                session.change.updated.contains(id) ? Self.changedBefore : Self.linksChangedBefore
            return
        }
        walk?.close()
        statements.restoreVersion.bind(Int64(writes), at: 1)
        statements.restoreVersion.bind(primaryKey, at: 2)
        try statements.restoreVersion.step()
        if known > 0 || known == Self.linksChangedBefore {
            // What remains is a matter of its links, which the commit knows.
            session.change.updated.remove(id)
        }
        if known <= 0 { changedSinceSave[primaryKey] = known }
    }

    private func entityNumber(of primaryKey: Int64) throws(StoreError) -> Int64? {
        let select = try session.connection.cached(
            "SELECT Z_ENT FROM \(plan.entity.table) WHERE Z_PK = ?")
        select.bind(primaryKey, at: 1)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : nil
    }
}
