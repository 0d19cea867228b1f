package import SQLite

extension StoreLayout {
    /// Returns the number of objects of each entity, including sub-entities, in the model's order.
    ///
    /// All counts are from one snapshot, which the connection then keeps.
    package func objectCounts(
        on connection: Connection
    ) throws(StoreError) -> [(entityName: String, count: Int)] {
        try connection.execute("BEGIN")
        var ownCounts: [Int64: Int64] = [:]
        for table in tables {
            // SQLite counts a table of one entity by its smallest index.
            guard table.hasSubentities else {
                if let entity = self.entity(named: table.rootEntity) {
                    ownCounts[entity.number] =
                        Int64(try SelectSQL("count(*)", from: table.name).integer(on: connection))
                }
                continue
            }
            var select = SelectSQL("Z_ENT, count(*)", from: table.name)
            select.groups = ["Z_ENT"]
            let rows = try select.prepare(on: connection)
            while try rows.step() { ownCounts[rows.integer(0)] = rows.integer(1) }
        }
        return entities.map { entity in
            let count = entity.familyNumbers.reduce(Int64(0)) { $0 + (ownCounts[$1] ?? 0) }
            return (entity.name, Int(count))
        }
    }

    /// Returns the model's name of an entity that `Z_PRIMARYKEY` lists under another name.
    package func entityName(
        storedAs name: String, on connection: Connection
    ) throws(StoreError) -> String? {
        for database in databases {
            let statement = try connection.prepare(
                "SELECT Z_ENT FROM \(database).Z_PRIMARYKEY WHERE Z_NAME = ?")
            statement.bind(name, at: 1)
            if try statement.step() { return entity(number: statement.integer(0))?.name }
        }
        return nil
    }
}
