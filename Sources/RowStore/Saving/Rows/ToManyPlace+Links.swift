package import SQLite

extension StoreLayout.ToManyPlace {
    /// Returns a query for `Z_PK, Z_ENT, owner` of the objects of owners, in order.
    ///
    /// - Parameters:
    ///   - table: The table of the destination.
    ///   - owners: The condition on the owner's key, as SQL.
    package func listSQL(destination table: String, owners: String = "= ?1") -> String {
        switch self {
        case .foreignKey(let key):
            let order = key.orderColumn.map { "d.\($0), " } ?? ""
            return "SELECT d.Z_PK, d.Z_ENT, d.\(key.column) FROM \(key.table) d"
                + " WHERE d.\(key.column) \(owners) ORDER BY \(order)d.Z_PK"
        case .joinTable(let join):
            let order = join.orderColumn.map { "j.\($0), " } ?? ""
            if join.isReflexive {
                // A join row of a relationship that is its own inverse applies in both directions.
                return "SELECT d.Z_PK, d.Z_ENT, j.o FROM (SELECT \(join.ownerColumn) AS o,"
                    + " \(join.destinationColumn) AS d FROM \(join.table)"
                    + " WHERE \(join.ownerColumn) \(owners)"
                    + " UNION SELECT \(join.destinationColumn), \(join.ownerColumn)"
                    + " FROM \(join.table) WHERE \(join.destinationColumn) \(owners)) j"
                    + " JOIN \(table) d ON d.Z_PK = j.d ORDER BY d.Z_PK"
            }
            return "SELECT d.Z_PK, d.Z_ENT, j.\(join.ownerColumn) FROM \(join.table) j"
                + " JOIN \(table) d ON d.Z_PK = j.\(join.destinationColumn)"
                + " WHERE j.\(join.ownerColumn) \(owners) ORDER BY \(order)d.Z_PK"
        }
    }

    /// Returns whether the store has a link.
    package func hasLink(
        of owner: Int64, to destination: Int64, on connection: Connection
    ) throws(StoreError) -> Bool {
        let select: String
        switch self {
        case .joinTable(let join):
            let (own, other) = (join.ownerColumn, join.destinationColumn)
            select =
                "SELECT 1 FROM \(join.table) WHERE (\(own) = ?1 AND \(other) = ?2)"
                + (join.isReflexive ? " OR (\(own) = ?2 AND \(other) = ?1)" : "")
        case .foreignKey(let place):
            select = "SELECT 1 FROM \(place.table) WHERE Z_PK = ?2 AND \(place.column) = ?1"
        }
        let row = try connection.cached(select)
        row.bind(owner, at: 1)
        row.bind(destination, at: 2)
        defer { row.reset() }
        return try row.step()
    }
}
