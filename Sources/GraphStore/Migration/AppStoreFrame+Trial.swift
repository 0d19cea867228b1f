import SQLite

extension AppStoreFrame {
    /// Why triggers that come along could not be run, found out on empty tables in memory.
    ///
    /// A trigger is compiled when a statement is that runs it, and not before; so one that names a
    /// column which has another name now would be found only when the objects are there. One that
    /// waits for changes of such a column would never be run, and nobody would be told.
    ///
    /// - Parameter leftovers: other tables, which triggers may name.
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
        // Each for itself, so that it is known which one it is.
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
                for sql in AppStore.statements(touching: trigger.table, of: laid) {
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
