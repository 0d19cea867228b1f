import GraphModel
package import SQLite

/// The rows of one table that a save inserts, updates, compares, or deletes.
package struct ObjectRows {
    private let table: String
    private let connection: Connection

    /// Creates access to the rows of a table.
    package init(in table: String, on connection: Connection) {
        self.table = table
        self.connection = connection
    }

    // MARK: Writing

    /// Returns the statements that insert one row, and `RowStatements.groupSize` rows.
    ///
    /// The parameters of each row are its key and the values of the columns. Its version is 1.
    package func inserting(
        _ columns: [String], ofEntity number: Int64
    ) throws(StoreError) -> (one: Statement, group: Statement) {
        let insert =
            "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT"
            + columns.map { ", \($0)" }.joined() + ") VALUES "
        let row = "(?, \(number), 1" + String(repeating: ", ?", count: columns.count) + ")"
        return (
            try connection.cached(insert + row),
            try connection.cached(
                insert
                    + Array(repeating: row, count: RowStatements.groupSize).joined(separator: ", "))
        )
    }

    /// Returns the statement that updates one row.
    ///
    /// Its parameters are the new version, the values of the columns, and the key.
    package func updating(_ columns: [String]) throws(StoreError) -> Statement {
        let sets = ["Z_OPT = ?"] + columns.map { "\($0) = ?" }
        return try connection.cached(
            "UPDATE \(table) SET \(sets.joined(separator: ", ")) WHERE Z_PK = ?")
    }

    /// Sets columns of one row to null, and keeps its version.
    package func clear(_ columns: [String], of key: Int64) throws(StoreError) {
        let nulls = columns.map { "\($0) = NULL" }.joined(separator: ", ")
        let statement = try connection.cached("UPDATE \(table) SET \(nulls) WHERE Z_PK = ?")
        statement.bind(key, at: 1)
        try statement.run()
    }

    /// Deletes rows by key, but not their links.
    ///
    /// - Parameter list: The keys, separated by commas.
    package func delete(_ list: String) throws(StoreError) {
        try connection.execute("DELETE FROM \(table) WHERE Z_PK IN (\(list))")
    }

    // MARK: Comparing

    /// Returns the given keys that rows of the table have.
    package func existing(_ keys: ArraySlice<Int64>) throws(StoreError) -> [Int64] {
        let rows = try connection.prepare(
            "SELECT Z_PK FROM \(table) WHERE Z_PK IN ("
                + keys.map(String.init).joined(separator: ",") + ")")
        var found: [Int64] = []
        while try rows.step() { found.append(rows.integer(0)) }
        return found
    }

    /// Returns the versions of an entity's rows that exist, by key.
    package func versions(
        of keys: ArraySlice<Int64>, entity number: Int64
    ) throws(StoreError) -> [(key: Int64, version: Int64)] {
        let rows = try connection.prepare(
            "SELECT Z_PK, Z_OPT FROM \(table) WHERE Z_ENT = \(number) AND Z_PK IN ("
                + keys.map(String.init).joined(separator: ",") + ")")
        var found: [(key: Int64, version: Int64)] = []
        while try rows.step() { found.append((rows.integer(0), rows.integer(1))) }
        return found
    }

    /// Returns the first object whose row has the values; `nil` if no row has them.
    package func holder(
        of values: [StoredValue], in columns: [String]
    ) throws(StoreError) -> ManagedObjectID? {
        let conditions = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let rows = try connection.cached("SELECT Z_ENT, Z_PK FROM \(table) WHERE \(conditions)")
        for (position, value) in values.enumerated() {
            rows.bind(value, at: Int32(position) + 1)
        }
        defer { rows.reset() }
        guard try rows.step() else { return nil }
        return ManagedObjectID(entityNumber: rows.integer(0), primaryKey: rows.integer(1))
    }
}
