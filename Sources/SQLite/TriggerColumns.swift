package import GraphModel
internal import CSQLite

extension Connection {
    /// A column that a trigger sets.
    package struct TriggerColumn: Sendable, Hashable {
        /// The name of the column's table in SQLite.
        package let table: String
        /// The column's name in SQLite.
        package let column: String
    }

    /// Returns the columns that triggers would set if the statements ran; no statement runs.
    ///
    /// Preparing a statement also compiles its triggers. SQLite then calls the authorizer for each
    /// column that they set, with the trigger's name
    /// (https://www.sqlite.org/c3ref/set_authorizer.html).
    package func columnsSetByTriggers(
        of statements: [String]
    ) throws(StoreError) -> Set<TriggerColumn> {
        let found = FoundTriggerColumns()
        sqlite3_set_authorizer(
            handle,
            { context, action, table, column, _, trigger in
                guard action == SQLITE_UPDATE, trigger != nil, let context, let table, let column
                else { return SQLITE_OK }
                Unmanaged<FoundTriggerColumns>.fromOpaque(context).takeUnretainedValue()
                    .columns.insert(
                        TriggerColumn(
                            table: String(cString: table), column: String(cString: column)))
                return SQLITE_OK
            }, Unmanaged.passUnretained(found).toOpaque())
        defer {
            withExtendedLifetime(found) { _ = sqlite3_set_authorizer(handle, nil, nil) }
        }
        for statement in statements { _ = try prepare(statement) }
        return found.columns
    }

    /// Returns whether a table has triggers, in its file or only on this connection.
    ///
    /// - Parameter database: the schema name of the file on this connection.
    package func hasTriggers(
        on table: String, of database: String = "main"
    ) throws(StoreError) -> Bool {
        for schema in ["\(database).sqlite_master", "sqlite_temp_master"] {
            let triggers = try prepare(
                "SELECT 1 FROM \(schema) WHERE type = 'trigger'"
                    + " AND tbl_name = ? COLLATE NOCASE LIMIT 1")
            triggers.bind(table, at: 1)
            if try triggers.step() { return true }
        }
        return false
    }
}

/// The columns found while the statements are prepared.
private final class FoundTriggerColumns {
    var columns: Set<Connection.TriggerColumn> = []
}
