import GraphModel
import SQLite

/// Counts a record's change to a row in the tally and in the change set of the save.
extension BulkWriter {
    /// A marker that `changedSinceSave` contains instead of an entity number.
    private static let changedBefore: Int64 = 0
    /// A marker like `changedBefore`, for a row whose links have changed since the save, but which
    /// its own record has not written.
    private static let linksChangedBefore: Int64 = -1

    /// Counts the first record of a row by the row's net change.
    ///
    /// - Parameters:
    ///   - isFirst: Whether the current record is the first; later records are not counted again.
    ///   - raises: Whether the record has raised the row's version.
    func count(
        _ id: ManagedObjectID, isFirst: Bool, difference: UInt64?, raises: Bool
    ) throws(StoreError) {
        if isOwn(id.primaryKey) {
            return countOwn(id.primaryKey, isFirst: isFirst, isChanged: difference != nil)
        }
        let state = try noteNet(id, isFirst: isFirst, difference: difference, raises: raises)
        guard let state else { return }
        try restoreVersion(
            unchanged: id.primaryKey, entity: id.entityNumber, wasRaised: state.isRaised)
    }

    /// Counts a row of this load: an inserted row stays inserted after later records; a row created
    /// by a link counts by the changes of its records.
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

    /// Counts a record of a row that existed before the load.
    ///
    /// - Returns: The row's state, if the row is back in its original state; otherwise `nil`.
    private func noteNet(
        _ id: ManagedObjectID, isFirst: Bool, difference: UInt64?, raises: Bool
    ) throws(StoreError) -> RowDiffs.State? {
        // An earlier record may have changed the row through its own link.
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
            ? try net.begin(id.primaryKey, by: difference, raises: raises)
            : try net.change(id.primaryKey, by: difference, raises: raises)
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
        return state
    }

    /// Notes that a row differs from its original state.
    ///
    /// - Parameter entity: The row's entity, if the caller writes the row. A caller that only links
    ///   to the row, possibly earlier, may not know its entity in the hierarchy.
    func noteChangedSinceSave(_ primaryKey: Int64, entity: Int64?, wasChanged: Bool) {
        let known = changedSinceSave[primaryKey]
        guard known != Self.changedBefore, known != Self.linksChangedBefore else { return }
        if !wasChanged {
            changedSinceSave[primaryKey] = entity ?? plan.entity.number
        } else if let entity, known != nil {
            changedSinceSave[primaryKey] = entity
        }
    }

    /// Restores the version of a row that later records returned to its original state, unless a
    /// save happened in between.
    ///
    /// - Parameters:
    ///   - entity: The row's entity, if known.
    ///   - wasRaised: Whether this load has raised the row's version.
    func restoreVersion(
        unchanged primaryKey: Int64, entity: Int64?, wasRaised: Bool
    ) throws(StoreError) {
        try net.forget(primaryKey)
        let known = changedSinceSave.removeValue(forKey: primaryKey)
        var number = entity ?? known.flatMap { $0 > 0 ? $0 : nil }
        if number == nil { number = try entityNumber(of: primaryKey) }
        guard let number else { return }
        let id = ManagedObjectID(entityNumber: number, primaryKey: primaryKey)
        guard let known else {
            // The last save stored the row in a changed state. This save changes it back, and later
            // changes do not undo that.
            changedSinceSave[primaryKey] =
                session.isUpdated(id) ? Self.changedBefore : Self.linksChangedBefore
            return
        }
        // Only its links may still have changed, which the commit knows.
        if wasRaised, raisedRows.lower(primaryKey, root: plan.entity.rootNumber) {
            walk?.close()
            statements.lowerVersion.bind(primaryKey, at: 1)
            try statements.lowerVersion.step()
            session.forgetUpdate(of: id)
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
