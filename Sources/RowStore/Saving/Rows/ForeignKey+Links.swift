package import SQLite

extension StoreLayout.ForeignKey {
    /// Writes added and removed links of an owner, which only the destinations' rows store.
    package func write(
        added: [ManagedObjectID], removed: [ManagedObjectID], of owner: ManagedObjectID,
        on connection: Connection
    ) throws(StoreError) {
        var nulls = "\(column) = NULL"
        var sets = "\(column) = ?1"
        if let entityColumn {
            nulls += ", \(entityColumn) = NULL"
            sets += ", \(entityColumn) = ?3"
        }
        if let orderColumn {
            nulls += ", \(orderColumn) = NULL"
            sets += ", \(orderColumn) = NULL"
        }
        let clear = try connection.cached(
            "UPDATE \(table) SET \(nulls) WHERE Z_PK = ?2 AND \(column) = ?1")
        for id in removed {
            clear.bind(owner.primaryKey, at: 1)
            clear.bind(id.primaryKey, at: 2)
            try clear.run()
        }
        let set = try connection.cached("UPDATE \(table) SET \(sets) WHERE Z_PK = ?2")
        for id in added {
            set.bind(owner.primaryKey, at: 1)
            set.bind(id.primaryKey, at: 2)
            if entityColumn != nil { set.bind(owner.entityNumber, at: 3) }
            try set.run()
        }
    }

    /// Returns the owner of an object in the store; `nil` if it has none.
    ///
    /// - Parameter number: The entity of the owners; if they have sub-entities, the row names the
    ///   entity.
    package func owner(
        of key: Int64, entity number: Int64, on connection: Connection
    ) throws(StoreError) -> ManagedObjectID? {
        let row = try connection.cached(
            "SELECT \(column), \(entityColumn ?? "NULL") FROM \(table) WHERE Z_PK = ?")
        row.bind(key, at: 1)
        defer { row.reset() }
        guard try row.step(), !row.isNull(0) else { return nil }
        return ManagedObjectID(
            entityNumber: row.isNull(1) ? number : row.integer(1), primaryKey: row.integer(0))
    }
}
