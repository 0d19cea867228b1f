import SQLite

extension AppStoreFrame {
    /// Returns why copied triggers cannot run, tested on empty tables in memory.
    ///
    /// SQLite compiles a trigger only when it prepares a statement that fires it. A trigger that
    /// names a renamed column would therefore fail only after the objects are copied. A trigger
    /// that waits for changes of a renamed column would silently never fire.
    ///
    /// - Parameter leftovers: Other tables, which triggers may name.
    func triggerObstacles(
        _ schema: StoreLayout, _ leftovers: MigrationLeftovers
    ) throws(StoreError) -> [String] {
        guard !triggers.isEmpty else { return [] }
        let trial = try Connection()
        try makeTables(schema, on: trial)
        for sql in historyTables + leftovers.tables.map(\.sql) + leftovers.others {
            try trial.execute(sql)
        }
        try AppStore.registerFunctions(on: trial)
        let found = try FoundTables(on: trial)
        let laid = StoreLayout(
            schema.model, holding: schema.heldNumbers.map { _ in schema.heldNames },
            over: found)
        var obstacles: [String] = []
        // Each trigger separately, so that the error can name it.
        for trigger in triggers where !virtualTables.contains(where: trigger.sql.contains) {
            let gone = TriggerText.awaitedColumns(trigger.sql).filter {
                !found.has($0, in: trigger.table)
            }
            guard gone.isEmpty else {
                let columns = gone.map { "\(trigger.table).\($0)" }.joined(separator: ", ")
                obstacles.append(
                    "the trigger \(trigger.name) depends on \(columns), which the new store does"
                        + " not have, and only the app's framework can create a replacement")
                continue
            }
            do throws(StoreError) {
                try trial.execute(trigger.sql)
                for sql in SchemaSQL.statements(touching: trigger.table, of: laid) {
                    _ = try trial.prepare(sql)
                }
            } catch {
                obstacles.append(
                    "the trigger \(trigger.name) cannot be run in the new store"
                        + " (\(error.message)), and only the app's framework can make another")
            }
            try trial.execute("DROP TRIGGER IF EXISTS \"\(trigger.name)\"")
        }
        return obstacles
    }
}
