package import GraphModel
internal import CSQLite

extension Connection {
    /// A column that a trigger sets.
    package struct TriggerColumn: Sendable, Hashable {
        package let table: String
        package let column: String
    }

    /// The columns that triggers set where the statements run; nothing is run.
    ///
    /// Preparing a statement compiles its triggers, too, and whoever authorizes is asked for each
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

    /// Whether a table has triggers, of its file or of the connection alone.
    ///
    /// - Parameter database: the name of the file on this connection.
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

/// Filled while statements are prepared.
private final class FoundTriggerColumns {
    var columns: Set<Connection.TriggerColumn> = []
}
