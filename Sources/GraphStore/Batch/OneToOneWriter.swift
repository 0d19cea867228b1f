import GraphModel
import SQLite

/// Keeps the other side of a one-to-one relationship, which has a key of its own.
final class OneToOneWriter {
    private let keyColumn: Int
    private let othersOfOwnTable: Statement
    private let clearOwn: Statement
    private let othersOfDestination: Statement
    private let clearDestination: Statement
    private let current: Statement
    private let set: Statement
    private let setsEntity: Bool

    init(
        _ plan: ColumnPlan, link: Int, inverse: StoreSchema.ToOneColumns,
        destinationTable: String, on connection: Connection
    ) throws(SQLiteError) {
        let key = plan.keyColumn(ofLink: link) ?? 0
        keyColumn = key
        let own = plan.columns[key].name
        let table = plan.entity.table
        let companion = plan.columns.first { column in
            if case .linkEntity(link) = column.source { true } else { false }
        }
        func clear(_ table: String, _ columns: [String?]) throws(SQLiteError) -> Statement {
            let nulls = columns.compactMap { $0 }.map { "\($0) = NULL" }.joined(separator: ", ")
            return try connection.prepare(
                "UPDATE \(table) SET \(nulls), Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        }
        othersOfOwnTable = try connection.prepare(
            "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(own) = ? AND Z_PK <> ?")
        clearOwn = try clear(table, [own, companion?.name])
        othersOfDestination = try connection.prepare(
            "SELECT Z_PK, Z_ENT FROM \(destinationTable) WHERE \(inverse.column) = ?"
                + " AND Z_PK IS NOT ?")
        clearDestination = try clear(destinationTable, [inverse.column, inverse.entityColumn])
        current = try connection.prepare(
            "SELECT Z_ENT, \(inverse.column) FROM \(destinationTable) WHERE Z_PK = ?")
        setsEntity = inverse.entityColumn != nil
        set = try connection.prepare(
            "UPDATE \(destinationTable) SET \(inverse.column) = ?1"
                + (inverse.entityColumn.map { ", \($0) = ?2" } ?? "")
                + ", Z_OPT = Z_OPT + 1 WHERE Z_PK = ?3")
    }

    /// Makes the destination point back, and nothing else to either.
    ///
    /// - Returns: whether a row was written.
    @discardableResult
    func pointBack(
        _ owner: ManagedObjectID, _ row: ResolvedRow, in session: WriteSession
    ) throws(SQLiteError) -> Bool {
        let cell = row.cells[keyColumn]
        guard cell.kind != .absent else { return false }
        let destination: Int64? = cell.kind == .integer ? cell.integerValue : nil
        var wrote = false
        if let destination {
            othersOfOwnTable.bind(destination, at: 1)
            othersOfOwnTable.bind(owner.primaryKey, at: 2)
            wrote = try clearRows(othersOfOwnTable, clearOwn, in: session)
        }
        othersOfDestination.bind(owner.primaryKey, at: 1)
        if let destination {
            othersOfDestination.bind(destination, at: 2)
        } else {
            othersOfDestination.bindNull(at: 2)
        }
        if try clearRows(othersOfDestination, clearDestination, in: session) { wrote = true }
        guard let destination else { return wrote }
        current.bind(destination, at: 1)
        guard try current.step() else { return wrote }
        let entity = current.integer(0)
        let pointsBack = !current.isNull(1) && current.integer(1) == owner.primaryKey
        current.reset()
        guard !pointsBack else { return wrote }
        set.bind(owner.primaryKey, at: 1)
        if setsEntity { set.bind(owner.entityNumber, at: 2) }
        set.bind(destination, at: 3)
        try set.run()
        session.change.update(
            ManagedObjectID(entityNumber: entity, primaryKey: destination))
        return true
    }

    private func clearRows(
        _ select: Statement, _ clear: Statement, in session: WriteSession
    ) throws(SQLiteError) -> Bool {
        var ids: [ManagedObjectID] = []
        while try select.step() {
            ids.append(
                ManagedObjectID(entityNumber: select.integer(1), primaryKey: select.integer(0)))
        }
        for id in ids {
            clear.bind(id.primaryKey, at: 1)
            try clear.run()
            session.change.update(id)
        }
        return !ids.isEmpty
    }
}
