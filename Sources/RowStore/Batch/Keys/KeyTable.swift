import GraphModel
import SQLite

/// A temporary table from keys to rows, for keys without an index in the store.
///
/// ```
/// CREATE TEMP TABLE ETL_KEYS_1 AS SELECT Z_PK AS P, Z_ENT AS E, ZNAME AS K0 FROM ZTASK WHERE …
/// ```
///
/// It is filled from one scan of the store's table. Temporary triggers keep it up to date for all
/// writes on the connection; a rollback of a transaction or savepoint also reverts it. SQLite keeps
/// the table in memory up to its cache size, and otherwise in a temporary file. The store's own
/// file gets no table, index, or trigger. Rows with a null key are not included.
final class KeyTable {
    private let connection: Connection
    private let entity: StoreLayout.Entity
    private let columns: [String]
    private let name: String

    /// Reads the keys of an entity's rows, including its sub-entities.
    init(
        _ entity: StoreLayout.Entity, columns: [String], named name: String,
        on connection: Connection
    ) throws(StoreError) {
        self.connection = connection
        self.entity = entity
        self.columns = columns
        self.name = name
        try fill()
        try addTriggers()
    }

    deinit {
        connection.clearStatementCache()
        // If this fails, the objects are dropped when the connection is closed.
        for event in ["I", "U", "D"] {
            try? connection.execute("DROP TRIGGER IF EXISTS temp.\(name)_\(event)")
        }
        try? connection.execute("DROP TABLE IF EXISTS temp.\(name)")
    }

    /// A query for the primary key and the entity number of the rows with a key, the oldest row
    /// first.
    var selectText: String {
        let condition = columns.indices.map { "K\($0) = ?" }.joined(separator: " AND ")
        return "SELECT P, E FROM temp.\(name) WHERE \(condition) ORDER BY P"
    }

    /// Reads the keys again if another connection has written, or if a rollback has removed the
    /// table.
    ///
    /// - Parameter isStale: Whether another connection has written.
    func refresh(isStale: Bool) throws(StoreError) {
        let names = try connection.prepare(
            "SELECT count(*) FROM temp.sqlite_schema WHERE name = ?1 OR name GLOB ?1 || '_*'")
        names.bind(name, at: 1)
        // The table, its index, and three triggers.
        let isComplete = try names.step() && names.integer(0) == 5
        names.reset()
        guard isStale || !isComplete else { return }
        connection.clearStatementCache()
        try fill()
        try addTriggers()
    }

    private func fill() throws(StoreError) {
        // The rows of this statement do not count as changes of the store.
        let keys = columns.enumerated().map { ", \($1) AS K\($0)" }.joined()
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.\(name);
            CREATE TEMP TABLE \(name) AS SELECT Z_PK AS P, Z_ENT AS E\(keys)
            FROM \(entity.table) WHERE \(condition(of: ""))
            """)
        let names = columns.indices.map { "K\($0)" }.joined(separator: ", ")
        try connection.withSmallSorter { () throws(StoreError) in
            try connection.execute("CREATE INDEX temp.\(name)_K ON \(name) (\(names), P, E)")
        }
    }

    private func addTriggers() throws(StoreError) {
        let table = entity.table
        let new = columns.map { ", NEW.\($0)" }.joined()
        let insert = "INSERT INTO \(name) SELECT NEW.Z_PK, NEW.Z_ENT\(new)"
        let old = columns.enumerated().map { "K\($0) = OLD.\($1)" }.joined(separator: " AND ")
        let delete = "DELETE FROM \(name) WHERE \(old) AND P = OLD.Z_PK;"
        try connection.execute(
            """
            CREATE TEMP TRIGGER IF NOT EXISTS \(name)_I AFTER INSERT ON \(table)
            WHEN \(condition(of: "NEW.")) BEGIN \(insert); END;
            CREATE TEMP TRIGGER IF NOT EXISTS \(name)_D AFTER DELETE ON \(table)
            BEGIN \(delete) END;
            CREATE TEMP TRIGGER IF NOT EXISTS \(name)_U
            AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table)
            BEGIN \(delete) \(insert) WHERE \(condition(of: "NEW.")); END
            """)
    }

    /// Returns an SQL condition for rows that have a key.
    private func condition(of alias: String) -> String {
        let keys = columns.map { "\(alias)\($0) NOT NULL" }
        let family = entity.familyCondition(alias: alias).map { [$0] } ?? []
        return (keys + family).joined(separator: " AND ")
    }
}

/// The key tables of one load, each shared by all lookups of the same key.
final class KeyTables {
    private let connection: Connection
    private var tables: [String: KeyTable] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the table for a key of an entity, and creates it if necessary.
    func table(
        of entity: StoreLayout.Entity, columns: [String]
    ) throws(StoreError) -> KeyTable {
        let key = ([entity.name] + columns).joined(separator: " ")
        if let known = tables[key] { return known }
        let table = try KeyTable(
            entity, columns: columns, named: "ETL_KEYS_\(LoadTable.nextNumber())", on: connection)
        tables[key] = table
        return table
    }

    /// Reads the keys again if another connection has written, or if a rollback has removed a
    /// table.
    func refresh(isStale: Bool) throws(StoreError) {
        for table in tables.values { try table.refresh(isStale: isStale) }
    }
}
