import SQLite

extension PersistentContainer {
    /// The number of objects of each entity, sub-entities included, in the order of the model.
    ///
    /// All numbers are of one snapshot.
    package func objectCounts() throws(StoreError) -> [(entityName: String, count: Int)] {
        let connection = try newReader()
        try connection.execute("BEGIN")
        var ownCounts: [Int64: Int64] = [:]
        for table in schema.tables {
            // A table of one entity is counted by its smallest index.
            guard table.hasSubentities else {
                if let entity = schema.entity(named: table.rootEntity) {
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
        return schema.entities.map { entity in
            let count = entity.familyNumbers.reduce(Int64(0)) { $0 + (ownCounts[$1] ?? 0) }
            return (entity.name, Int(count))
        }
    }

    /// The model's name of an entity that the store's own list, `Z_PRIMARYKEY`, has under another.
    package func entityName(storedAs name: String) throws(StoreError) -> String? {
        let connection = try newReader()
        for database in schema.databases {
            let statement = try connection.prepare(
                "SELECT Z_ENT FROM \(database).Z_PRIMARYKEY WHERE Z_NAME = ?")
            statement.bind(name, at: 1)
            if try statement.step() { return schema.entity(number: statement.integer(0))?.name }
        }
        return nil
    }
}
