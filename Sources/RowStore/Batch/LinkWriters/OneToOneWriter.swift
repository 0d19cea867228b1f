import GraphModel
import SQLite

/// Maintains the inverse end of a one-to-one relationship, which has a separate column.
///
/// In some stores, only one end has a column. The rows of the other end are then not written. The
/// commit gives the objects at both ends a new version, whether their rows have the column or not.
final class OneToOneWriter {
    /// One end of the relationship: the rows with its columns, the key column first.
    private struct End {
        /// Whether the rows are in the table that the load writes.
        let isInLoad: Bool
        let link: LinkEnd?
        /// Selects `Z_PK, Z_ENT, columns…` of the rows that lead to an object, except one row.
        let others: Statement
        /// Clears the columns of a row; `nil` if the rows have no column.
        let clear: Statement?
        /// The hash of each column, or of the link if the rows have no column.
        let hashes: [ColumnHash]
        let hasColumns: Bool
        /// Whether `others` needs the previous target of the object's row.
        let needsFormer: Bool

        init(
            _ table: String, _ columns: [String], _ link: LinkEnd?,
            _ inverseChanges: InverseChanges,
            on connection: Connection
        ) throws(StoreError) {
            isInLoad = inverseChanges.covers(table)
            self.link = link
            hasColumns = true
            needsFormer = false
            hashes = columns.map { ColumnHash($0) }
            others = try connection.prepare(
                "SELECT Z_PK, Z_ENT, \(columns.joined(separator: ", ")) FROM \(table)"
                    + " WHERE \(columns[0]) = ? AND Z_PK IS NOT ?")
            let nulls = columns.map { "\($0) = NULL" }.joined(separator: ", ")
            clear = try connection.prepare(
                "UPDATE \(table) SET \(nulls) WHERE Z_PK = ?")
        }

        /// Creates an end whose rows have no column.
        ///
        /// - Parameter found: An SQL expression for the row that leads to the object `?1`; `nil`
        ///   uses `?3`.
        init(
            _ table: String, ofRow found: String?, _ place: StoreLayout.ToOnePlace,
            _ link: LinkEnd?, _ inverseChanges: InverseChanges, on connection: Connection
        ) throws(StoreError) {
            isInLoad = inverseChanges.covers(table)
            self.link = link
            hasColumns = false
            needsFormer = found == nil
            // The name that the plan of a load of this table uses.
            hashes = [ColumnHash(place.key(of: table))]
            others = try connection.prepare(
                "SELECT Z_PK, Z_ENT, ?1 FROM \(table) WHERE Z_PK = \(found ?? "?3")"
                    + " AND Z_PK IS NOT ?2")
            clear = nil
        }
    }

    private let keyColumn: Int
    private let own: End
    private let destinations: End
    /// Selects `Z_ENT, columns…` of a destination, or `Z_ENT, owner` if it has no column.
    private let current: Statement
    /// Sets the owner of a destination; `nil` if it has no column.
    private let set: Statement?
    private let inverseChanges: InverseChanges

    init(
        _ plan: ColumnPlan, _ oneToOne: ColumnPlan.OneToOne, _ inverseChanges: InverseChanges,
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        let destinationTable = oneToOne.destinationTable
        keyColumn = oneToOne.keyColumn
        self.inverseChanges = inverseChanges
        let ownLink = schema.linkEnd(oneToOne.place.relationship.name, of: plan.entity.name)
        let inverseLink = schema.inverseEnd(of: oneToOne.place.relationship)
        switch oneToOne.place {
        case .own(let stored):
            own = try End(
                plan.entity.table, [stored.column] + (stored.entityColumn.map { [$0] } ?? []),
                ownLink, inverseChanges, on: connection)
        case .inverse(let inverse):
            own = try End(
                plan.entity.table,
                ofRow: "(SELECT d.\(inverse.column) FROM \(inverse.table) d WHERE d.Z_PK = ?1)",
                oneToOne.place, ownLink, inverseChanges, on: connection)
        }
        switch oneToOne.inverse {
        case .own(let stored):
            let columns = [stored.column] + (stored.entityColumn.map { [$0] } ?? [])
            destinations = try End(
                destinationTable, columns, inverseLink, inverseChanges, on: connection)
            current = try connection.prepare(
                "SELECT Z_ENT, \(columns.joined(separator: ", ")) FROM \(destinationTable)"
                    + " WHERE Z_PK = ?")
            let assignments = columns.enumerated().map { "\($1) = ?\($0 + 1)" }
            set = try connection.prepare(
                "UPDATE \(destinationTable) SET \(assignments.joined(separator: ", "))"
                    + " WHERE Z_PK = ?\(columns.count + 1)")
        case .inverse:
            // The owner's row is already written, so the caller passes its previous target.
            destinations = try End(
                destinationTable, ofRow: nil, oneToOne.inverse, inverseLink, inverseChanges,
                on: connection)
            current = try connection.prepare(
                "SELECT d.Z_ENT, \(oneToOne.inverse.key(of: "d")) FROM \(destinationTable) d"
                    + " WHERE d.Z_PK = ?")
            set = nil
        }
    }

    /// Links the destination back to the owner, and removes all other links of both.
    ///
    /// - Parameter former: The target of the owner's row before it was written; needed only if
    ///   destinations have no column.
    func pointBack(
        _ owner: ManagedObjectID, _ row: ResolvedRow, formerly former: Int64?,
        in session: WriteSession
    ) throws(StoreError) {
        let cell = row.cells[keyColumn]
        guard cell.kind != .absent else { return }
        let destination: Int64? = cell.kind == .integer ? cell.integerValue : nil
        var previous: Int64?
        if let destination {
            previous = try clear(own, leadingTo: destination, but: owner.primaryKey, session)
        }
        try clear(
            destinations, leadingTo: owner.primaryKey, but: destination, formerly: former, session)
        guard let destination else { return }
        guard let set else {
            guard destination != former else { return }
            return try touch(destination, from: previous, to: owner.primaryKey, session)
        }
        current.bind(destination, at: 1)
        guard try current.step() else { return }
        let entity = current.integer(0)
        let values: [BulkCell] = [.integer(owner.primaryKey), .integer(owner.entityNumber)]
        var difference: UInt64 = 0
        for (place, hash) in destinations.hashes.enumerated() {
            difference ^= hash.change(
                from: BulkCell(column: Int32(place) + 1, of: current), to: values[place])
        }
        let pointsBack = values[0].equals(column: 1, of: current)
        current.reset()
        guard !pointsBack else { return }
        for place in destinations.hashes.indices {
            values[place].bind(to: set, at: Int32(place) + 1)
        }
        set.bind(destination, at: Int32(destinations.hashes.count) + 1)
        try set.run()
        note(
            ManagedObjectID(entityNumber: entity, primaryKey: destination), at: destinations,
            difference, session)
    }

    private func note(
        _ id: ManagedObjectID, at end: End, _ difference: UInt64, _ session: WriteSession
    ) {
        if end.isInLoad { inverseChanges.note(id.primaryKey, entity: id.entityNumber, difference) }
        if let link = end.link { session.noteLink(link, id.primaryKey, difference) }
    }

    /// Notes the new owner of a destination without a column.
    private func touch(
        _ destination: Int64, from previous: Int64?, to owner: Int64, _ session: WriteSession
    ) throws(StoreError) {
        current.bind(destination, at: 1)
        guard try current.step() else { return }
        let entity = current.integer(0)
        current.reset()
        let difference = destinations.hashes[0].change(
            from: previous.map { .integer($0) } ?? .null, to: .integer(owner))
        note(
            ManagedObjectID(entityNumber: entity, primaryKey: destination), at: destinations,
            difference, session)
    }

    /// Removes the links to and from the destination.
    func free(_ destination: Int64, in session: WriteSession) throws(StoreError) {
        current.bind(destination, at: 1)
        let owner: Int64? =
            try current.step() && !current.isNull(1) ? current.integer(1) : nil
        current.reset()
        try clear(own, leadingTo: destination, but: nil, session)
        if let owner {
            try clear(
                destinations, leadingTo: owner, but: nil, formerly: destination, session)
        }
    }

    /// Clears the columns of the rows that lead to the object, except one row.
    ///
    /// - Returns: The first of the rows.
    @discardableResult
    private func clear(
        _ end: End, leadingTo key: Int64, but exception: Int64?, formerly former: Int64? = nil,
        _ session: WriteSession
    ) throws(StoreError) -> Int64? {
        if end.needsFormer {
            guard let former else { return nil }
            end.others.bind(former, at: 3)
        }
        end.others.bind(key, at: 1)
        if let exception {
            end.others.bind(exception, at: 2)
        } else {
            end.others.bindNull(at: 2)
        }
        var found: [(id: ManagedObjectID, difference: UInt64)] = []
        while try end.others.step() {
            var difference: UInt64 = 0
            for (place, hash) in end.hashes.enumerated() {
                let old = BulkCell(column: Int32(place) + 2, of: end.others)
                difference ^= hash.change(from: old, to: .null)
            }
            let id = ManagedObjectID(
                entityNumber: end.others.integer(1), primaryKey: end.others.integer(0))
            found.append((id, difference))
        }
        for (id, difference) in found {
            if let clear = end.clear {
                clear.bind(id.primaryKey, at: 1)
                try clear.run()
            }
            note(id, at: end, difference, session)
        }
        return found.first?.id.primaryKey
    }
}
