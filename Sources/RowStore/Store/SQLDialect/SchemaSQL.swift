package import SQLite

/// The statements that create a store's tables and indexes.
package enum SchemaSQL {
    /// Returns the statements that create a file's tables, indexes, views, and triggers, tables
    /// first.
    static func parts(
        of connection: Connection
    ) throws(StoreError) -> [(type: String, name: String, table: String, sql: String)] {
        let rows = try connection.prepare(
            "SELECT type, name, tbl_name, sql FROM main.sqlite_master"
                + " WHERE sql NOT NULL ORDER BY type = 'table' DESC, name")
        var parts: [(type: String, name: String, table: String, sql: String)] = []
        while try rows.step() {
            parts.append((rows.string(0), rows.string(1), rows.string(2), rows.string(3)))
        }
        return parts
    }

    static func createTable(_ table: StoreLayout.Table) -> String {
        let fixed = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
        let columns = table.columns.map { ", \($0.name) \($0.type)" }.joined()
        return "CREATE TABLE \(table.name) ( \(fixed)\(columns) )"
    }

    static func createTable(_ table: StoreLayout.JoinTable) -> String {
        let columns = [table.firstColumn, table.secondColumn] + table.orderColumns
        return "CREATE TABLE \(table.name) ( "
            + columns.map { "\($0) INTEGER, " }.joined()
            + "PRIMARY KEY (\(table.firstColumn), \(table.secondColumn)) )"
    }

    static func create(_ index: StoreLayout.Index) -> String {
        "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS " + definition(of: index)
    }

    /// Returns the statement that creates an index as SQLite stores it in its schema.
    static func stored(_ index: StoreLayout.Index) -> String {
        "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX " + definition(of: index)
    }

    private static func definition(of index: StoreLayout.Index) -> String {
        "\(index.name) ON \(index.table) (\(index.columns.joined(separator: ", ")))"
            + (index.condition.map { " WHERE \($0)" } ?? "")
    }

    static func drop(_ index: StoreLayout.Index) -> String {
        "DROP INDEX IF EXISTS \(index.name)"
    }

    /// The SQL of Core Data's own tables, and then of etl's tables, whose names begin with `ETL_`.
    static let bookkeeping = """
        \(coreBookkeeping)
        CREATE TABLE ETL_MODEL (FORMAT INTEGER, MODEL TEXT);
        CREATE TABLE ETL_PENDING (NAME TEXT PRIMARY KEY, SQL TEXT);
        """

    /// The names of the tables that a run creates for its notes.
    static let (progressTable, inputsTable) = ("ETL_PROGRESS", "ETL_INPUTS")

    /// Drops the tables of notes.
    package static func dropNotes(on connection: Connection) throws(StoreError) {
        for name in [progressTable, inputsTable] {
            try connection.execute("DROP TABLE IF EXISTS \(name)")
        }
    }

    /// The SQL of Core Data's own tables.
    static let coreBookkeeping = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, \
        Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), \
        Z_PLIST BLOB);
        """

    /// Returns statements that fire every trigger of a table, for preparing only.
    static func statements(touching table: String, of schema: StoreLayout) -> [String] {
        let columns = schema.found?.columns(of: table).map { "\"\($0.name)\"" } ?? []
        let sets = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
        return [
            "INSERT INTO \(table) DEFAULT VALUES", "UPDATE \(table) SET \(sets)",
            "DELETE FROM \(table)",
        ]
    }
}
