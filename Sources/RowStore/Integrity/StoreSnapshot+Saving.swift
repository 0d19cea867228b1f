import GraphModel
import SQLite

/// Damaged stores whose schema table must be corrected before SQLite can read them.
extension StoreSnapshot {
    /// Opens a store for a salvage: directly if its schema table is complete, otherwise a copy with
    /// a corrected header and schema table.
    ///
    /// - Parameter model: the model of the store, used if the store's own model cannot be read.
    static func ofDamaged(
        _ path: String, _ model: ManagedObjectModel?
    ) throws(StoreError) -> StoreSnapshot {
        let snapshot: StoreSnapshot
        do throws(StoreError) {
            snapshot = try StoreSnapshot(of: path, .mend)
            snapshot.foldLog()
            if isWhole(snapshot.connection, model) { return snapshot }
        } catch {
            guard error.isDamage || error.isDamagedRead || error.code == .encoding,
                let repaired = try repaired(path, model)
            else { throw error }
            return repaired
        }
        return try repaired(path, model) ?? snapshot
    }

    /// Returns whether the schema table is readable and contains everything that the model needs.
    private static func isWhole(_ connection: Connection, _ given: ManagedObjectModel?) -> Bool {
        do throws(StoreError) {
            let count = try SQLFragment("SELECT count(*) FROM sqlite_master").integer(
                on: connection)
            let schema = DamagedFile(of: connection).map { DamagedSchema($0) }
            if let schema, !schema.isWhole || schema.rows.count != count { return false }
            guard let chosen = try SavedModel(connection, given) else { return false }
            let found = try FoundTables(on: connection)
            let layout = StoreLayout(chosen.model, pairs: found)
            if let schema {
                let trees = TableTrees(schema.file, besides: Set(schema.pages))
                let isWrong = TableForms(layout).all.contains {
                    trees.isWrong($0, in: schema.rows)
                }
                if isWrong { return false }
            }
            return layout.tables.allSatisfy { table in
                // A key column of another type is not a primary key.
                found.columns[table.name]?.first == .init(name: "Z_PK", type: "INTEGER")
                    && ["Z_ENT", "Z_OPT"].allSatisfy { found.has($0, in: table.name) }
                    && table.columns.allSatisfy { found.has($0.name, in: table.name) }
            } && layout.joinTables.allSatisfy { found.has($0.name) }
        } catch {
            return false
        }
    }

    /// Returns a copy with a corrected header and schema table, or `nil` if it has no tables of a
    /// store.
    private static func repaired(
        _ path: String, _ given: ManagedObjectModel?
    ) throws(StoreError) -> StoreSnapshot? {
        let file = StoreFiles.resolved(path)
        guard let copy = try SnapshotFolder.copy(file), try DamagedHeader.repair(copy.path)
        else { return nil }
        let logs = StoreFiles.filledLogs(of: copy.path)
        let lostInLog = try mend(DamagedLog(ofStoreAt: copy.path), copy.path)
        if !logs.isEmpty {
            // Data that SQLite cannot read from the log is lost.
            try? Connection(path: copy.path, mode: .readWrite).execute(
                "PRAGMA writable_schema = ON; PRAGMA user_version; PRAGMA wal_checkpoint(TRUNCATE)")
            try StoreFiles.removeLogs(of: copy.path)
            guard try DamagedHeader.repair(copy.path) else { return nil }
        }
        // The model is found by the tables that every store has; it then determines the other
        // tables.
        let look = copy.path + "-look"
        try StoreFiles.copyLarge(copy.path, to: look)
        var layout = given.map { StoreLayout($0) }
        // If the copy or its model cannot be read, the given model determines the tables.
        if try repairSchema(of: look, nil) != nil,
            let connection = try? PersistentStore.readerOfStore(at: look),
            let chosen = try? SavedModel(connection, given)
        {
            layout = StoreLayout(chosen.model, pairs: try? FoundTables(on: connection))
        }
        // A copy that SQLite still cannot open cannot be saved in this way.
        guard let repair = try repairSchema(of: copy.path, layout),
            let connection = try? PersistentStore.readerOfStore(at: copy.path)
        else { return nil }
        try StoreFiles.remove(look)
        let isOfApp = try AppSalvage.isOfApp(connection)
        return StoreSnapshot(
            repaired: connection, copy.path, copy.folder, isOfApp: isOfApp,
            losses: lostInLog + losses(repair, isOfApp: isOfApp))
    }

    /// Corrects the schema table of a copy; returns `nil` if it has no tables of a store.
    private static func repairSchema(
        of copy: String, _ layout: StoreLayout?
    ) throws(StoreError) -> SchemaRepair? {
        guard let file = DamagedFile(path: copy) else { return nil }
        var schema = DamagedSchema(file)
        let forms = TableForms(layout)
        let names = forms.all.filter(\.isRequired).map { $0.name.lowercased() }
        if !schema.isWhole || names.contains(where: { !schema.has($0) }) {
            schema.search(for: Set(forms.all.map { $0.name.lowercased() }))
        }
        let trees = TableTrees(file, besides: Set(schema.pages))
        schema.replaceRows(with: trees.corrected(schema.rows, forms.all))
        guard names.contains(where: schema.has) else { return nil }
        let repair = try SchemaRepair(schema, layout)
        try repair.write(to: copy, of: schema)
        return repair
    }

    /// Returns the losses in the schema table; an etl store gets new indexes anyway.
    private static func losses(_ repair: SchemaRepair, isOfApp: Bool) -> [StoreFinding] {
        let guessed = repair.guessed.map { table in
            StoreFinding(
                .structure,
                "\(table): the list of its columns is damaged, so that values may be in wrong columns"
            )
        }
        guard isOfApp else { return guessed }
        return guessed
            + repair.leftOut.map { type, name in
                StoreFinding(.structure, "The \(type) \(name) is not copied: its text is damaged")
            }
    }
}

/// The forms of the records of a store's tables, used to find unreferenced tables.
private struct TableForms {
    let all: [TableTrees.Form]

    private static var fixed: [TableTrees.Form] {
        [
            TableTrees.Form(name: "Z_METADATA") { cells in
                cells.map(\.kind) == [.null, .text, .blob]
            },
            TableTrees.Form(name: "Z_PRIMARYKEY") { cells in
                cells.map(\.kind) == [.null, .text, .integer, .integer]
            },
            TableTrees.Form(name: "Z_MODELCACHE") { cells in cells.map(\.kind) == [.blob] },
            TableTrees.Form(name: "ETL_MODEL") { cells in
                cells.map(\.kind) == [.integer, .text] && cells[1].bytes.first == UInt8(ascii: "{")
            },
        ]
    }

    /// Creates the forms for the tables of a store.
    ///
    /// - Parameter layout: The layout of the store's model; `nil` uses only the tables that every
    ///   store has.
    init(_ layout: StoreLayout?) {
        guard let layout else {
            all = Self.fixed
            return
        }
        // An app's store uses the entity numbers from its creation.
        let ofStore = layout.foundTables?.numbers(of: layout.model) ?? [:]
        let objects = layout.tables.map { table in
            let numbers = Set(
                layout.entities.filter { $0.table == table.name }
                    .map { ofStore[$0.name] ?? $0.number })
            return TableTrees.Form(name: table.name) { Self.isObject($0, of: numbers) }
        }
        let history = HistorySchema.tableNames.sorted { $0.key < $1.key }.map { number, name in
            TableTrees.Form(name: name, isRequired: false) { Self.isObject($0, of: [number]) }
        }
        let pairs = layout.joinTables.map { table in
            let width = 2 + table.orderColumns.count
            return TableTrees.Form(name: table.name, isOfPairs: true) { cells in
                cells.count == width && cells[0].isKey && cells[1].isKey
                    && cells[2...].allSatisfy { $0.kind == .integer || $0.kind == .null }
            }
        }
        all = Self.fixed + objects + history + pairs
    }

    private static func isObject(_ cells: [BulkCell], of numbers: Set<Int64>) -> Bool {
        cells.count >= 3 && cells[0].kind == .null && cells[1].kind == .integer
            && numbers.contains(cells[1].integerValue)
    }
}

extension BulkCell {
    /// Whether the value can be the primary key of an object.
    fileprivate var isKey: Bool { kind == .integer && integerValue > 0 }
}
