import GraphModel
import SQLite

/// The links of rows that a save deletes, and the deletion of all rows.
extension WriteSession {
    /// Records that the objects to which a column of these rows refers lose a link.
    ///
    /// - Parameter list: The keys of the rows, separated by commas.
    package func noteTargets(
        of column: String, in table: String, rows list: String, _ end: LinkEnd
    ) throws(StoreError) {
        try noteLinks(
            end, keys: SQLFragment("SELECT \(column) FROM \(table) WHERE Z_PK IN (\(list))"))
    }

    /// Deletes the join rows of owners, and records that the other objects lose a link.
    ///
    /// - Parameters:
    ///   - list: The keys of the owners, separated by commas.
    ///   - end: The inverse end; `nil` if the relationship has no inverse.
    ///   - isOwnInverse: Whether the relationship is its own inverse.
    package func deleteJoinRows(
        _ join: StoreLayout.Join, of list: String, _ end: LinkEnd?, isOwnInverse: Bool
    ) throws(StoreError) {
        if let end {
            try noteLinks(
                end,
                keys: SQLFragment(
                    "SELECT \(join.destinationColumn) FROM \(join.pairs)"
                        + " WHERE \(join.ownerColumn) IN (\(list))"))
        }
        try connection.execute(
            "DELETE FROM \(join.table) WHERE \(join.ownerColumn) IN (\(list))")
        if isOwnInverse {
            try connection.execute(
                "DELETE FROM \(join.table) WHERE \(join.destinationColumn) IN (\(list))")
        }
    }

    /// Clears the foreign keys that refer to deleted objects.
    ///
    /// - Parameter list: The keys of the deleted objects, separated by commas.
    package func clear(
        _ key: StoreLayout.ForeignKey, of list: String
    ) throws(StoreError) {
        let condition = "\(key.column) IN (\(list))"
        var sets = [key.column, key.entityColumn, key.orderColumn].compactMap { column in
            column.map { "\($0) = NULL" }
        }
        // Without an inverse, the objects have no property that changes.
        if let inverse = key.relationship.inverseName {
            let rows = try connection.prepare(
                "SELECT Z_ENT, Z_PK FROM \(key.table) WHERE \(condition)")
            var notes = BatchUpdateNotes([inverse])
            while try rows.step() { notes.add(rows.integer(1), entity: rows.integer(0)) }
            guard notes.someKey != nil else { return }
            if let version = try versionAssignment(of: notes.objects) {
                sets.append(version)
            }
            notes.emit(self)
        }
        try connection.execute(
            "UPDATE \(key.table) SET \(sets.joined(separator: ", ")) WHERE \(condition)")
    }

    /// Deletes the rows and the links of all objects, without delete rules.
    package func deleteAllRows() throws(StoreError) {
        try completeLoad()
        for table in schema.tables {
            let all = "SELECT Z_PK FROM \(table.name)"
            try history?.willDelete(rowsOf: table.name, keys: all)
            let rows = try connection.prepare("SELECT Z_ENT, Z_PK FROM \(table.name) ORDER BY Z_PK")
            while try rows.step() {
                change.delete(
                    ManagedObjectID(entityNumber: rows.integer(0), primaryKey: rows.integer(1)))
            }
            try connection.execute("DELETE FROM \(table.name)")
        }
        for table in schema.joinTables { try connection.execute("DELETE FROM \(table.name)") }
    }
}
