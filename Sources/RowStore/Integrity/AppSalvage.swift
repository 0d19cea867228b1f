import FoundationEssentials
import GraphModel
import SQLite
import XcodeModel

/// Copies the readable part of a store that an app created into a new store of the app.
///
/// The tables, indexes, views, and triggers are created by the old store's own statements. Names,
/// companions, and columns that are not in the model are therefore unchanged. The metadata, the
/// entity numbers, the cached model, the history, and other tables are copied row by row.
struct AppSalvage {
    let target: Connection
    let account: RowAccount
    private let source: Connection
    private let parts: [(type: String, name: String, table: String, sql: String)]
    /// The losses so far.
    private(set) var losses: [StoreFinding] = []

    /// The tables that are needed to find the model.
    private static let bookkeeping = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]

    /// Returns whether a file has Core Data tables and none of etl's tables.
    static func isOfApp(_ connection: Connection) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let names = try SchemaSQL.parts(of: connection).map(\.name)
            return names.contains(where: bookkeeping.contains)
                && !names.contains { $0.hasPrefix("ETL_") }
        } catch {
            // An unreadable list of tables proves nothing.
            guard error.isDamage || error.isDamagedRead else { throw error }
            return false
        }
    }

    /// Writes the readable part to a new file, and closes it.
    ///
    /// - Parameter given: the model; `nil` uses the model in the store.
    static func write(
        _ source: Connection, at path: String, _ given: ManagedObjectModel?, to newPath: String
    ) throws(StoreError) -> StoreSalvage {
        var app = try AppSalvage(source, at: path, newPath)
        let schema = try app.makeTables(given, path)
        var writer = SalvageWriter(from: source, at: path, schema, into: app)
        try writer.run()
        try writer.copyExternalValues(to: newPath)
        return writer.salvage
    }

    private init(
        _ source: Connection, at path: String, _ temporary: String
    ) throws(StoreError) {
        self.source = source
        account = try RowAccount(of: source)
        try StoreFiles.create(temporary, withRightsOf: path)
        // Byte 18 of the header: 2 means a write-ahead log.
        let usesLog = try StoreFiles.read(path, first: 19).last == 2
        parts = try SchemaSQL.parts(of: source)
        target = try Connection(path: temporary, mode: .create)
        for name in ["page_size", "auto_vacuum", "user_version", "application_id"] {
            let value = try SQLFragment("PRAGMA \(name)").integer(on: source)
            try target.execute("PRAGMA \(name) = \(value)")
        }
        try target.execute("PRAGMA journal_mode = \(usesLog ? "WAL" : "DELETE")")
        try AppStore.registerFunctions(on: target)
    }

    private mutating func lose(_ kind: StoreFinding.Kind, _ message: String) {
        losses.append(StoreFinding(kind, message))
    }

    // MARK: Tables

    /// Creates all tables and indexes of the old store, and those that the model needs in addition.
    ///
    /// - Returns: the layout of the model over these tables.
    private mutating func makeTables(
        _ given: ManagedObjectModel?, _ path: String
    ) throws(StoreError) -> StoreLayout {
        var virtual: [String] = []
        for (type, name, table, sql) in parts where type == "table" || type == "index" {
            guard !name.hasPrefix("sqlite_"),
                !virtual.contains(where: { table == $0 || table.hasPrefix("\($0)_") })
            else { continue }
            guard !MigrationLeftovers.isVirtual(sql) else {
                virtual.append(name)
                lose(
                    .structure,
                    "The virtual table \(name) is not copied; only the app's framework creates it")
                continue
            }
            do throws(StoreError) {
                try target.execute(sql)
            } catch {
                // Reading the old store uses no index, so the statement of an index may be damaged.
                guard type == "index", ![.full, .cancelled, .resources].contains(error.code) else {
                    throw error
                }
                lose(.structure, "The index \(name) is not copied: \(error.message)")
            }
        }
        for table in Self.bookkeeping where !parts.contains(where: { $0.name == table }) {
            if table == "Z_MODELCACHE" { continue }
            lose(.structure, "The table \(table) is missing, and is created again")
        }
        try target.execute(
            SchemaSQL.coreBookkeeping.replacing(
                "CREATE TABLE", with: "CREATE TABLE IF NOT EXISTS"))
        var cacheIsWhole = true
        for table in Self.bookkeeping where parts.contains(where: { $0.name == table }) {
            let lost = try copy(table)
            losses += lost
            if table == "Z_MODELCACHE" { cacheIsWhole = lost.isEmpty }
        }
        try resetCounters()
        let model = try model(given, path, cacheIsWhole: cacheIsWhole)
        return try complete(model, path)
    }

    /// Resets the damaged key counters; the existing keys determine them later.
    private mutating func resetCounters() throws(StoreError) {
        let isDamaged = "Z_MAX > \(KeyAllocator.counterMax)"
        let rows = try target.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE \(isDamaged)")
        while try rows.step() {
            // `SalvageWriter` reports the counters of objects.
            guard let table = HistorySchema.tableNames[rows.integer(0)] else { continue }
            lose(.counter, SalvageWriter.damaged(rows.integer(1), table))
        }
        try target.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE \(isDamaged)")
    }

    /// Returns the model as `fetch` finds it: the given one, the one in the store, or one derived
    /// from the columns, in this order.
    ///
    /// - Parameter cacheIsWhole: whether the cached model is complete; otherwise the columns would
    ///   silently yield a model with other names.
    private mutating func model(
        _ given: ManagedObjectModel?, _ path: String, cacheIsWhole: Bool
    ) throws(StoreError) -> ManagedObjectModel {
        let model: ManagedObjectModel
        if let given {
            model = given
            switch try ModelCache(on: target) {
            case .model: break
            case .absent where cacheIsWhole: break
            case .unreadable, .absent:
                lose(
                    .metadata,
                    "The model in Z_MODELCACHE cannot be read, and is replaced by the given one")
                try ModelCache.replace(for: model, on: target)
            }
        } else {
            switch try ModelCache(on: target) {
            case .model(let cached): model = cached.model
            case .unreadable(let reason):
                throw AppStoreModel.unreadableCache(path, reason)
            case .absent:
                guard cacheIsWhole else {
                    throw AppStoreModel.unreadableCache(path, "its page is damaged")
                }
                let found = try FoundTables(on: source)
                model = try ColumnModelReader(found, source).model(path)
            }
        }
        let metadata = try readMetadata(model)
        // A table may be missing; the hashes show which entities the store has.
        let hashed = Set(metadata.versionHashes.keys)
        let unknown = Set(model.entityNamesWithOwnHashes)
        let differing = metadata.entitiesThatDiffer(from: model, holding: hashed).filter {
            !unknown.contains($0)
        }
        guard given == nil || differing.isEmpty else {
            throw StoreError(
                .modelMismatch,
                "\(path) was created with another version of the model; these entities differ: "
                    + differing.joined(separator: ", "))
        }
        return try PersistentStore.fitted(
            model, keepsExactDecimals: metadata.keepsExactDecimals)
    }

    /// Returns the store's metadata, or metadata for a new store if they cannot be read.
    private mutating func readMetadata(
        _ model: ManagedObjectModel
    ) throws(StoreError) -> StoreMetadata {
        var kept: StoreMetadata?
        do throws(StoreError) {
            kept = try StoreMetadata(readingFrom: target)
        } catch {
            guard error.code == .corrupt else { throw error }
        }
        guard var metadata = kept else {
            lose(
                .metadata,
                "The metadata cannot be read, so programs that know the store treat it as another one"
            )
            let metadata = StoreMetadata(newStoreFor: model)
            try metadata.write(to: target)
            return metadata
        }
        if metadata.uuid.isEmpty {
            lose(.metadata, "Z_METADATA has no Z_UUID, so the store gets a new one")
            metadata.uuid = UUID().uuidString
            try metadata.write(to: target)
        }
        return metadata
    }

    /// Creates the tables and columns that the model needs and the old store lacks.
    private mutating func complete(
        _ model: ManagedObjectModel, _ path: String
    ) throws(StoreError) -> StoreLayout {
        let found = try FoundTables(on: target)
        // A store of one configuration lists only its own entities.
        let roots = Set(found.missingTables(of: model))
        var held = found.entities(heldOf: model)
        for entity in model.entities
        where found.rows.isEmpty
            || roots.contains(LayoutCompiler.tableName(root: model.rootName(of: entity.name)))
        {
            held?.insert(entity.name)
        }
        let wanted = StoreLayout(model, holding: held, over: found)
        for table in wanted.tables {
            if !found.has(table.name) {
                try target.execute(SchemaSQL.createTable(table))
                for index in table.indexes { try target.execute(SchemaSQL.create(index)) }
                continue
            }
            for column in table.columns where !found.has(column.name, in: table.name) {
                try target.execute(
                    "ALTER TABLE \(table.name) ADD COLUMN \(column.name) \(column.type)")
            }
        }
        for join in wanted.joinTables where !found.has(join.name) {
            try target.execute(SchemaSQL.createTable(join))
            try target.execute(SchemaSQL.create(join.reverseIndex))
        }
        try PersistentStore.registerEntities(of: wanted, on: target)
        try correctEntities(of: wanted)
        let made = try FoundTables(on: target)
        return StoreLayout(model, holding: held, over: made)
    }

    /// Gives the entities the names and parents that they have in the model.
    private mutating func correctEntities(of schema: StoreLayout) throws(StoreError) {
        let update = try target.prepare(
            "UPDATE Z_PRIMARYKEY SET Z_NAME = ifnull(?, Z_NAME), Z_SUPER = ? WHERE Z_ENT = ?")
        for wrong in try FoundTables(on: target).wrongRows(schema) {
            if wrong.keepsName {
                update.bindNull(at: 1)
            } else {
                update.bind(wrong.entity.name, at: 1)
            }
            update.bind(wrong.entity.superNumber, at: 2)
            update.bind(wrong.entity.number, at: 3)
            try update.run()
            lose(.structure, wrong.message + ", and is corrected")
        }
    }

    // MARK: Rows

    /// Copies a table that is not part of the model.
    private func copy(_ table: String) throws(StoreError) -> [StoreFinding] {
        let columns = try target.columnNames(of: table).map(Connection.quoted)
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let name = Connection.quoted(table)
        let insert = try target.prepare(
            "INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", ")))"
                + " VALUES (\(marks))")
        var reader = DamagedTableReader(source, name, key: "rowid", columns, last: nil)
        do throws(StoreError) {
            // SQLite rejects this only for a table without row IDs, or if it cannot read the
            // schema. The copy in order then reports the error.
            guard (try? source.prepare("SELECT rowid FROM \(name) LIMIT 0")) != nil else {
                return try copyInOrder(table, columns, insert)
            }
            try reader.read(pagesOf: account.file) { row throws(StoreError) in
                for column in columns.indices {
                    row.bind(column + 1, to: insert, at: Int32(column) + 1)
                }
                try insert.run()
            }
        } catch {
            guard error.code != .full, error.code != .inputOutput, error.code != .busy else {
                throw error
            }
            return [
                StoreFinding(.structure, "The table \(table) cannot be read: \(error.message)")
            ]
        }
        var losses: [StoreFinding] = []
        if reader.losses.count > 0 {
            losses.append(
                StoreFinding(
                    .file, count: reader.losses.count,
                    "\(table): up to \(reader.losses.count.counting("row", "rows")) cannot be read")
            )
        }
        guard reader.losses.mayLackOthers, !account.isIntact(table) else { return losses }
        return losses + [damage(of: table)]
    }

    /// Copies a table without row IDs, up to the first damaged page.
    private func copyInOrder(
        _ table: String, _ columns: [String], _ insert: Statement
    ) throws(StoreError) -> [StoreFinding] {
        var isReading = true
        do throws(StoreError) {
            let rows = try source.prepare(
                "SELECT \(columns.joined(separator: ", ")) FROM \(Connection.quoted(table))")
            while try rows.step() {
                isReading = false
                for column in columns.indices {
                    insert.bind(column: Int32(column), of: rows, at: Int32(column) + 1)
                }
                try insert.run()
                isReading = true
            }
        } catch {
            guard isReading, error.isDamage || error.isDamagedRead else { throw error }
            return [damage(of: table)]
        }
        return account.isIntact(table) ? [] : [damage(of: table)]
    }

    private func damage(of table: String) -> StoreFinding {
        StoreFinding(
            .file,
            "\(table): some rows may be lost, since a page of the table, or of an index of it,"
                + " is damaged")
    }

    /// Copies the tables that are not part of the model, and creates the views and triggers, in the
    /// open transaction.
    ///
    /// - Parameter hasLosses: whether objects were lost, so that derived attributes must be
    ///   recomputed.
    func complete(
        _ schema: StoreLayout, hasLosses: Bool
    ) throws(StoreError) -> [StoreFinding] {
        var losses: [StoreFinding] = []
        let known = Set(
            schema.tables.map(\.name) + schema.joinTables.map(\.name) + Self.bookkeeping)
        for (type, name, _, _) in parts
        where type == "table" && !known.contains(name) && !name.hasPrefix("sqlite_") {
            if try target.hasTable(name) { losses += try copy(name) }
        }
        losses += try HistorySchema.complete(on: target)
        // If a derivation is unsupported, the copied values stay.
        if hasLosses, let derived = try? DerivedAttributes(schema) {
            try derived.deriveAll(on: target, schema)
        }
        for (type, name, _, sql) in parts where type == "view" || type == "trigger" {
            do throws(StoreError) {
                try target.execute(sql)
            } catch {
                losses.append(
                    StoreFinding(
                        .structure, "The \(type) \(name) is not copied: \(error.message)"))
            }
        }
        return losses
    }
}
