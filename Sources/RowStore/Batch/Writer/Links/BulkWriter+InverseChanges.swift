import GraphModel
import SQLite

extension BulkWriter {
    /// Sums the changes of the record in other rows of the load's table, and restores the version
    /// of rows that are back in their original state.
    func resolveInverseChanges() throws(StoreError) {
        guard !inverseChanges.changes.isEmpty else { return }
        defer { inverseChanges.removeAll() }
        // The owner may still be rejected, and the changes of this writer undone.
        guard !isNested else { return }
        for change in inverseChanges.changes { try resolve(change) }
    }

    /// A change in an owner's objects, when an object's own record moves it to another owner.
    struct OwnerChange {
        var owner: Int64
        var difference: UInt64
    }

    /// Returns the changes of the resolved row in the objects of owners that the plan also links.
    ///
    /// - Parameter found: The object's current row; `nil` for a new row.
    func ownerChanges(_ id: ManagedObjectID, _ found: Statement?) -> [OwnerChange] {
        var changes: [OwnerChange] = []
        for end in plan.bothEnds {
            let new = row.cells[end.key]
            let first = statements.firstColumn
            let old = found.map { BulkCell(column: first + Int32(end.key), of: $0) } ?? .null
            let isSame =
                found.map { new.equals(column: first + Int32(end.key), of: $0) }
                ?? (new.kind != .integer)
            guard new.kind != .absent, !isSame else { continue }
            func note(_ owner: BulkCell, _ order: BulkCell?) {
                guard owner.kind == .integer else { return }
                let hash = ForeignKeyWriter.hash(
                    id.primaryKey, order?.kind == .integer ? order?.integerValue ?? 0 : 0)
                changes.append(
                    OwnerChange(owner: owner.integerValue, difference: hash.turned(end.linkIndex)))
            }
            note(
                old,
                end.order.flatMap { order in
                    found.map { BulkCell(column: first + Int32(order), of: $0) }
                })
            note(new, end.order.map { row.cells[$0] })
        }
        return changes
    }

    func noteOwners(_ changes: [OwnerChange]) {
        for change in changes {
            inverseChanges.note(change.owner, change.difference)
        }
    }

    private func resolve(_ change: InverseChanges.Change) throws(StoreError) {
        let key = change.primaryKey
        // A row that this load inserted stays counted as inserted.
        guard !isOwn(key) else { return }
        let wasChanged = try net.isChanged(key)
        net.noteSharing()
        let state = try net.change(key, by: change.difference, raises: false)
        journal?.noteChanged(key)
        noteChangedSinceSave(key, entity: change.entityNumber, wasChanged: wasChanged)
        if plan.plan.found == .update, seen.contains(key), wasChanged != (state.distance != 0) {
            tally.updated += wasChanged ? -1 : 1
            tally.unchanged += wasChanged ? 1 : -1
        }
        guard state.distance == 0 else { return }
        try restoreVersion(
            unchanged: key, entity: change.entityNumber, wasRaised: state.isRaised)
    }
}
