import GraphModel
import SQLite

extension WriteSession {
    /// Returns whether the object was inserted in this transaction, so that its version stays 1.
    ///
    /// It does not detect all new objects; the commit excludes the others.
    func isNew(_ primaryKey: Int64, root: Int64) -> Bool {
        guard let first = firstTaken(root: root) else { return false }
        return primaryKey >= first
    }

    /// Records that an object gained or lost a link whose other end is another row.
    func noteLink(_ end: LinkEnd, _ primaryKey: Int64, _ hash: UInt64) {
        guard !isNew(primaryKey, root: end.root) else { return }
        ends.note(end, primaryKey, hash)
    }

    /// Records that objects gained or lost links whose other ends are other rows.
    func noteLinks(_ end: LinkEnd, _ links: some Sequence<(key: Int64, hash: UInt64)>) {
        ends.note(end, links, below: firstTaken(root: end.root) ?? .max)
    }

    /// Records that the links of the objects whose keys a query returns changed.
    package func noteLinks(_ end: LinkEnd, keys: SQLFragment) throws(StoreError) {
        let rows = try keys.prepare(on: connection)
        while try rows.step() {
            if !rows.isNull(0) { ends.note(end, rows.integer(0)) }
        }
    }

    /// Raises the version of all objects whose links changed, unless this transaction wrote their
    /// rows, and records the change.
    func finishLinkEnds() throws(StoreError) {
        var all = ManagedObjectIDSet()
        for (end, keys) in ends.changed() {
            var ids = try self.ids(keys, of: end)
            ids.subtract(change.inserted)
            ids.subtract(change.deleted)
            all.formUnion(ids)
            history?.update(ids, properties: [end.property])
        }
        var due = all
        due.subtract(change.updated)
        try raiseVersions(of: due)
        change.update(all)
        // A save that fails before this line may be repeated.
        ends = LinkEnds()
    }

    /// Returns the assignment of a new version for a statement that writes these rows; call it
    /// before recording them as updated.
    ///
    /// - Returns: `nil` if this transaction has already written some of the rows and thus raised
    ///   their versions. In this case, the method raises the versions of the others.
    package func versionAssignment(of ids: ManagedObjectIDSet) throws(StoreError) -> String? {
        var due = ids
        for change in allChanges {
            due.subtract(change.inserted)
            due.subtract(change.updated)
        }
        guard due != ids else { return RowVersion.raise }
        try raiseVersions(of: due)
        return nil
    }

    /// Raises the versions of the rows by 1.
    func raiseVersions(of ids: ManagedObjectIDSet) throws(StoreError) {
        for number in ids.entityNumbers {
            guard let table = schema.entity(number: number)?.table else { continue }
            let update = try connection.cached(
                "UPDATE \(table) SET \(RowVersion.raise) WHERE Z_PK BETWEEN ? AND ?")
            for range in ids.keys(entityNumber: number) {
                update.bind(range.lowerBound, at: 1)
                update.bind(range.upperBound, at: 2)
                try update.run()
            }
        }
    }

    /// Returns the objects with these keys whose rows exist.
    private func ids(
        _ keys: KeyRanges, of end: LinkEnd
    ) throws(StoreError) -> ManagedObjectIDSet {
        var ids = ManagedObjectIDSet()
        var keys = keys
        if let number = end.entityNumber {
            // The rows that this transaction has updated exist.
            var others = keys
            others.subtract(change.updated.keys(entityNumber: number))
            keys.subtract(others)
            for range in keys { ids.insert(keys: range, entityNumber: number) }
            keys = others
        }
        let select = try connection.cached(
            "SELECT Z_PK, Z_ENT FROM \(end.table) WHERE Z_PK BETWEEN ? AND ?")
        for range in keys {
            select.bind(range.lowerBound, at: 1)
            select.bind(range.upperBound, at: 2)
            while try select.step() {
                ids.insert(
                    ManagedObjectID(
                        entityNumber: end.entityNumber ?? select.integer(1),
                        primaryKey: select.integer(0)))
            }
        }
        return ids
    }
}
