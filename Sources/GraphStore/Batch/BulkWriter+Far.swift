import GraphModel
import SQLite

extension BulkWriter {
    /// Adds up what the record did to rows other than its own, and gives those that are again
    /// what they were their version back.
    func settleFarChanges() throws(StoreError) {
        guard !far.changes.isEmpty else { return }
        defer { far.removeAll() }
        // Whoever holds the object may yet be refused, and this one's changes be undone.
        guard !isNested else { return }
        for change in far.changes {
            if let table = change.table {
                try settle(change, in: table)
            } else {
                try settleOwn(change)
            }
        }
    }

    /// An object that goes from one owner to another by its own record.
    struct OwnerChange {
        var owner: Int64
        var difference: UInt64
    }

    /// What the resolved row changes in the objects of owners that the plan links, too.
    ///
    /// - Parameter found: the object's row as it is; nil for a new one.
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
                    OwnerChange(owner: owner.integerValue, difference: hash.turned(end.turn)))
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
            far.note(change.owner, in: nil, change.difference)
        }
    }

    private func settle(_ change: FarChanges.Change, in table: Int) throws(StoreError) {
        let state = try farNets[table].change(
            change.primaryKey, by: change.difference, writes: 0)
        journal?.noteFarChanged(change.primaryKey, in: table)
        if state.distance == 0 { try farNets[table].forget(change.primaryKey) }
    }

    private func settleOwn(_ change: FarChanges.Change) throws(StoreError) {
        let key = change.primaryKey
        // What this load inserted counts as inserted, whatever comes after.
        guard !isOwn(key) else { return }
        let wasChanged = try net.isChanged(key)
        net.share()
        let state = try net.change(key, by: change.difference, writes: 0)
        journal?.noteChanged(key)
        noteChangedSinceSave(key, entity: change.entityNumber, wasChanged: wasChanged)
        if plan.plan.found == .update, seen.contains(key), wasChanged != (state.distance != 0) {
            tally.updated += wasChanged ? -1 : 1
            tally.unchanged += wasChanged ? 1 : -1
        }
        guard state.distance == 0 else { return }
        try settle(unchanged: key, entity: change.entityNumber, writes: state.writes)
    }
}
