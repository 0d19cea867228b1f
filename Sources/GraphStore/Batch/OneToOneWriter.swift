import GraphModel
import SQLite

/// Keeps the other side of a one-to-one relationship, which has a key of its own.
final class OneToOneWriter {
    /// One end of the relationship: the rows that hold its columns, the key first.
    private struct End {
        let table: Int?
        /// `Z_PK, Z_ENT, columns…` of those that name an object, but for one.
        let others: Statement
        let clear: Statement
        let hashes: [ColumnHash]

        init(
            _ table: String, _ columns: [String], _ far: FarChanges, on connection: Connection
        ) throws(SQLiteError) {
            self.table = far.number(of: table)
            hashes = columns.map { ColumnHash($0) }
            others = try connection.prepare(
                "SELECT Z_PK, Z_ENT, \(columns.joined(separator: ", ")) FROM \(table)"
                    + " WHERE \(columns[0]) = ? AND Z_PK IS NOT ?")
            let nulls = columns.map { "\($0) = NULL" }.joined(separator: ", ")
            clear = try connection.prepare(
                "UPDATE \(table) SET \(nulls), Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        }
    }

    private let keyColumn: Int
    private let own: End
    private let destinations: End
    /// `Z_ENT, columns…` of a destination.
    private let current: Statement
    private let set: Statement
    private let far: FarChanges

    init(
        _ plan: ColumnPlan, link: Int, inverse: StoreLayout.ToOneColumns,
        destinationTable: String, _ far: FarChanges, on connection: Connection
    ) throws(SQLiteError) {
        let key = plan.keyColumn(ofLink: link) ?? 0
        keyColumn = key
        self.far = far
        let companion = plan.columns.first { column in
            if case .linkEntity(link) = column.source { true } else { false }
        }
        own = try End(
            plan.entity.table, [plan.columns[key].name] + (companion.map { [$0.name] } ?? []), far,
            on: connection)
        let columns = [inverse.column] + (inverse.entityColumn.map { [$0] } ?? [])
        destinations = try End(destinationTable, columns, far, on: connection)
        current = try connection.prepare(
            "SELECT Z_ENT, \(columns.joined(separator: ", ")) FROM \(destinationTable)"
                + " WHERE Z_PK = ?")
        let assignments = columns.enumerated().map { "\($1) = ?\($0 + 1)" }
        set = try connection.prepare(
            "UPDATE \(destinationTable) SET \(assignments.joined(separator: ", "))"
                + ", Z_OPT = Z_OPT + 1 WHERE Z_PK = ?\(columns.count + 1)")
    }

    /// Makes the destination point back, and nothing else to either.
    func pointBack(
        _ owner: ManagedObjectID, _ row: ResolvedRow, in session: WriteSession
    ) throws(SQLiteError) {
        let cell = row.cells[keyColumn]
        guard cell.kind != .absent else { return }
        let destination: Int64? = cell.kind == .integer ? cell.integerValue : nil
        if let destination { try clear(own, naming: destination, but: owner.primaryKey, session) }
        try clear(destinations, naming: owner.primaryKey, but: destination, session)
        guard let destination else { return }
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
        far.note(destination, entity: entity, in: destinations.table, difference)
        session.change.update(
            ManagedObjectID(entityNumber: entity, primaryKey: destination))
    }

    /// Makes the destination point to nothing, and nothing to it.
    func free(_ destination: Int64, in session: WriteSession) throws(SQLiteError) {
        try clear(own, naming: destination, but: nil, session)
        current.bind(destination, at: 1)
        let owner: Int64? =
            try current.step() && !current.isNull(1) ? current.integer(1) : nil
        current.reset()
        if let owner { try clear(destinations, naming: owner, but: nil, session) }
    }

    /// Clears the columns of the rows that name the object, one excepted.
    private func clear(
        _ end: End, naming key: Int64, but exception: Int64?, _ session: WriteSession
    ) throws(SQLiteError) {
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
            end.clear.bind(id.primaryKey, at: 1)
            try end.clear.run()
            far.note(id.primaryKey, entity: id.entityNumber, in: end.table, difference)
            session.change.update(id)
        }
    }
}
