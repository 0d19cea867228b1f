import FoundationEssentials
import GraphModel
import SQLite

/// A builder of the new store in a file next to the old one.
///
/// SQLite copies 20,000 rows at a time from one file to the other, so that memory use stays
/// constant. The file has no journal: after an interruption, the next migration starts from
/// scratch.
struct MigrationWriter {
    let source: MigrationSource
    let script: MigrationScript
    let file: MigrationFile
    let cancellation: MigrationCancellation
    let report: (MigrationProgress) -> Void

    private static let chunkRows = 20_000
    private static let pragmas = "journal_mode = OFF; PRAGMA synchronous = OFF"
    /// Returns whether a metadata entry describes the file instead of its contents.
    private static func isOfFile(_ key: String) -> Bool {
        key.hasPrefix("NSStoreModelVersion") || key == "NSPersistenceFrameworkVersion"
            || key == "_NSAutoVacuumLevel"
    }

    /// Builds the complete store and closes its file.
    func write(_ plan: MigrationPlan) throws(StoreError) {
        let keepsHistory = try HistorySchema.exists(on: source.connection)
        let history = keepsHistory ? HistoryProjection(script) : nil
        let leftovers = try MigrationLeftovers(source, script.new)
        let frame = try AppStoreFrame(source, script)
        try makeStore(leftovers, history, frame)
        try copy(plan, leftovers, history, frame)
        report(progress(.indexing, plan.objectCount, plan))
        try complete(leftovers, history, frame)
    }

    private func progress(
        _ phase: MigrationProgress.Phase, _ completed: Int, _ plan: MigrationPlan
    ) -> MigrationProgress {
        MigrationProgress(phase: phase, completed: completed, total: plan.objectCount)
    }

    /// Returns a connection to the new file.
    private func connect() throws(StoreError) -> Connection {
        let connection = try Connection(path: file.path, mode: .readWrite)
        StatementLog.shared?.attach(to: connection)
        connection.watch(cancellation.flag)
        try connection.execute(
            "PRAGMA \(Self.pragmas); PRAGMA temp_store = FILE; PRAGMA cache_size = -16000")
        return connection
    }

    // MARK: Tables

    /// Creates an empty store without its indexes, which are created after the rows.
    private func makeStore(
        _ leftovers: MigrationLeftovers, _ history: HistoryProjection?, _ frame: AppStoreFrame?
    ) throws(StoreError) {
        try file.create()
        if frame == nil {
            var options = StoreOptions()
            options.journalMode = .delete
            options.synchronous = .off
            _ = try PersistentStore.open(
                .sqlite(at: file.path, opening: .create, options: options),
                model: script.new.model,
                holding: script.new.heldNumbers.map { _ in script.new.heldNames })
        }
        let connection = try connect()
        if let frame { try frame.makeTables(script.new, on: connection) }
        for index in script.new.indexes { try connection.execute(SchemaSQL.drop(index)) }
        for table in leftovers.tables { try connection.execute(table.sql) }
        try history?.makeTables(frame?.historyTables ?? [], on: connection)
    }

    // MARK: Rows

    private func copy(
        _ plan: MigrationPlan, _ leftovers: MigrationLeftovers, _ history: HistoryProjection?,
        _ frame: AppStoreFrame?
    ) throws(StoreError) {
        var statements = try history?.inserts(source) ?? []
        if frame != nil { statements.append(SQLFragment(HistoryProjection.counters)) }
        let connection = try Connection(path: source.path, mode: .readWrite)
        StatementLog.shared?.attach(to: connection)
        connection.watch(cancellation.flag)
        try connection.execute("PRAGMA temp_store = FILE; PRAGMA cache_size = -8000")
        try connection.attach(file.path, as: "new")
        try connection.execute(
            "PRAGMA new.journal_mode = OFF; PRAGMA new.synchronous = OFF;"
                + " PRAGMA new.cache_size = -16000; BEGIN")
        for lookup in script.lookups { try lookup.gather(on: connection) }
        var completed = 0
        for table in script.tables { try copy(table, connection, &completed, plan) }
        report(progress(.linking, completed, plan))
        for pair in script.pairs { try pair.insert.run(on: connection) }
        for lookup in script.lookups { try lookup.link(on: connection) }
        for table in leftovers.tables {
            try connection.execute(
                "INSERT INTO new.\"\(table.name)\" SELECT * FROM main.\"\(table.name)\"")
        }
        for statement in statements { try statement.run(on: connection) }
        for statement in counters { try connection.execute(statement) }
        try connection.execute("COMMIT")
    }

    private func copy(
        _ table: TableProjection, _ connection: Connection, _ completed: inout Int,
        _ plan: MigrationPlan
    ) throws(StoreError) {
        report(progress(.copying, completed, plan))
        let rows = RowProjection(table, script.lookups, ExternalFiles(storePath: source.path))
        let (insert, next) = (
            try table.insert.prepare(on: connection), try chunks(of: table, connection)
        )
        try rows?.begin()
        var last = Int64.min
        while true {
            next.reset()
            next.bind(last, at: 1)
            guard try next.step(), !next.isNull(0) else { break }
            let end = next.integer(0)
            next.reset()
            if let rows {
                completed += try rows.copy(above: last, to: end, on: connection)
            } else {
                insert.bind(last, at: TableProjection.lowerParameter)
                insert.bind(end, at: TableProjection.upperParameter)
                completed += try insert.run()
            }
            last = end
            report(progress(.copying, completed, plan))
        }
        try rows?.end()
    }

    /// Returns a statement for the last key of the next chunk of rows.
    private func chunks(
        of table: TableProjection, _ connection: Connection
    ) throws(StoreError) -> Statement {
        try connection.prepare(
            "SELECT max(Z_PK) FROM (SELECT Z_PK FROM main.\(table.source) WHERE Z_PK > ?"
                + " ORDER BY Z_PK LIMIT \(Self.chunkRows))")
    }

    /// The statements that set the key counters above all keys that were ever allocated.
    private var counters: [String] {
        script.new.heldEntities.filter { $0.superNumber == 0 }.map { root in
            let known = script.tables.filter { $0.table == root.table }.map { table in
                "(SELECT Z_MAX + \(table.offset) FROM main.Z_PRIMARYKEY"
                    + " WHERE Z_ENT = \(table.moves[0].old.rootNumber))"
            }
            let largest = (["0", "(SELECT max(Z_PK) FROM new.\(root.table))"] + known)
                .map { "ifnull(\($0), 0)" }.joined(separator: ", ")
            return
                "UPDATE new.Z_PRIMARYKEY SET Z_MAX = max(\(largest)) WHERE Z_ENT = \(root.number)"
        }
    }

    // MARK: What follows from the rows

    private func complete(
        _ leftovers: MigrationLeftovers, _ history: HistoryProjection?, _ frame: AppStoreFrame?
    ) throws(StoreError) {
        let connection = try connect()
        var schema = script.new
        try connection.execute("BEGIN")
        for index in schema.indexes { try connection.execute(SchemaSQL.create(index)) }
        for sql in leftovers.others { try connection.execute(sql) }
        schema.foldTables = try FoldTable.find(schema, on: connection)
        for fold in schema.foldTables.values.sorted(by: { $0.source < $1.source }) {
            try fold.foldAll(on: connection)
        }
        if script.tables.contains(where: { $0.moves.contains { $0.mapping?.policy != nil } }) {
            try clearDangling(connection)
        }
        if let frame {
            try frame.complete(schema, on: connection)
        } else {
            try DerivedAttributes(schema).deriveAll(on: connection, schema)
            try writeMetadata(history, connection)
        }
        try connection.execute("COMMIT")
        if leftovers.hasViews { try StoreViews(schema).renew(on: connection, isWanted: true) }
    }

    /// Clears links to objects that a policy has dropped.
    private func clearDangling(_ connection: Connection) throws(StoreError) {
        for entity in script.new.heldEntities {
            for (name, place) in entity.toOnes {
                guard let columns = place.columns,
                    let destination = script.new.entity(
                        named: columns.relationship.destinationEntityName)
                else { continue }
                let link = ToOneLink(entity, name, place, destination)
                try connection.execute(link.removal(columns, where: link.isDangling))
            }
        }
        for join in script.new.joinTables {
            for end in script.new.ends(of: join) {
                for column in end.columns {
                    let lacking = end.lacksObject(column, in: join.name)
                    try connection.execute("DELETE FROM \(join.name) WHERE \(lacking)")
                }
            }
        }
    }

    /// Writes metadata that keeps the store's identity and the entries of other programs.
    private func writeMetadata(
        _ history: HistoryProjection?, _ connection: Connection
    ) throws(StoreError) {
        guard var new = try StoreMetadata(readingFrom: connection) else { return }
        new.uuid = source.metadata.uuid
        for (key, value) in source.metadata.propertyList where !Self.isOfFile(key) {
            new.propertyList[key] = value
        }
        if let history, !history.isKept {
            // Consumers of the history must read the complete store again.
            new.propertyList[StoreMetadata.lineageKey] = .string(UUID().uuidString)
        }
        try new.write(to: connection)
    }
}
