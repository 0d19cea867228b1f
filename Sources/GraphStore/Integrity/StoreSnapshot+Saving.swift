import Files
import GraphModel
import SQLite

/// Damaged stores whose list of tables must be corrected before SQLite reads them.
extension StoreSnapshot {
    /// A store that is to be saved: as it stands if its list of tables is whole, else a copy whose
    /// header and list are corrected.
    ///
    /// - Parameter model: what the store holds, where its own model cannot be read.
    static func ofDamaged(
        _ path: String, _ model: ManagedObjectModel?
    ) throws(StoreError) -> StoreSnapshot {
        let snapshot: StoreSnapshot
        do throws(StoreError) {
            snapshot = try StoreSnapshot(of: path)
            snapshot.foldLog()
            if isWhole(snapshot.connection, model) { return snapshot }
        } catch {
            guard error.isDamage || error.isDamagedRead || error.code == .encoding,
                let mended = try mended(path, model)
            else { throw error }
            return mended
        }
        return try mended(path, model) ?? snapshot
    }

    /// Whether the list of tables can be read, and has all that the model needs.
    private static func isWhole(_ connection: Connection, _ given: ManagedObjectModel?) -> Bool {
        do throws(StoreError) {
            let count = try connection.integer("SELECT count(*) FROM sqlite_master") ?? 0
            let schema = DamagedFile(of: connection).map { DamagedSchema($0) }
            if let schema, !schema.isWhole || schema.rows.count != count { return false }
            guard let chosen = try SavedModel(connection, given) else { return false }
            let found = try FoundTables(on: connection)
            let layout = StoreLayout(chosen.model, pairs: found)
            if let schema,
                TableForms(layout).all(besides: schema).contains(where: schema.hasWrongRoot)
            {
                return false
            }
            return layout.tables.allSatisfy { table in
                // A key of another type is none.
                found.columns[table.name]?.first == .init(name: "Z_PK", type: "INTEGER")
                    && ["Z_ENT", "Z_OPT"].allSatisfy { found.has($0, in: table.name) }
                    && table.columns.allSatisfy { found.has($0.name, in: table.name) }
            } && layout.joinTables.allSatisfy { found.has($0.name) }
        } catch {
            return false
        }
    }

    /// A copy with a corrected header and list of tables; nil if none of a store's are found.
    private static func mended(
        _ path: String, _ given: ManagedObjectModel?
    ) throws(StoreError) -> StoreSnapshot? {
        let file = StoreFiles.resolved(path)
        let logs = ["-wal", "-journal"].filter { StoreFiles.size(file + $0) > 0 }
        guard let copy = try SnapshotFolder.copy(file, logs), try DamagedHeader.mend(copy.path)
        else { return nil }
        if !logs.isEmpty {
            // What SQLite cannot get out of the log is lost.
            try? Connection(path: copy.path, mode: .readWrite).execute(
                "PRAGMA writable_schema = ON; PRAGMA user_version; PRAGMA wal_checkpoint(TRUNCATE)")
            for suffix in ["-wal", "-shm", "-journal"] { try StoreFiles.remove(copy.path + suffix) }
            guard try DamagedHeader.mend(copy.path) else { return nil }
        }
        // The model is found with those tables that every store has; then it tells of the others.
        let look = copy.path + "-look"
        try StoreFiles.copyLarge(copy.path, to: look)
        var model = given
        if try mendSchema(of: look, nil) != nil,
            let connection = try? PersistentStore.readerOfStore(at: look),
            let chosen = try? SavedModel(connection, given)
        {
            model = chosen.model
        }
        guard let mender = try mendSchema(of: copy.path, model),
            let connection = try? PersistentStore.readerOfStore(at: copy.path)
        else { return nil }
        try StoreFiles.remove(look)
        let isOfApp = try AppSalvage.isOfApp(connection)
        return StoreSnapshot(
            mended: connection, copy.path, copy.folder, isOfApp: isOfApp,
            losses: losses(mender, isOfApp: isOfApp))
    }

    /// Corrects the list of a copy; nil if no table of a store is found.
    private static func mendSchema(
        of copy: String, _ model: ManagedObjectModel?
    ) throws(StoreError) -> SchemaMender? {
        guard let file = DamagedFile(path: copy) else { return nil }
        let layout = model.map { StoreLayout($0) }
        var schema = DamagedSchema(file)
        let forms = TableForms(layout)
        let names = Set(forms.names.map { $0.lowercased() })
        if !schema.isWhole || names.contains(where: { !schema.has($0) }) {
            schema.search(for: names)
        }
        schema.findRoots(of: forms.all(besides: schema))
        guard names.contains(where: schema.has) else { return nil }
        let mender = try SchemaMender(schema, layout)
        try mender.write(to: copy, of: schema)
        return mender
    }

    /// What is to be told of the list: a store of ours gets its own indexes anew.
    private static func losses(_ mender: SchemaMender, isOfApp: Bool) -> [StoreFinding] {
        let guessed = mender.guessed.map { table in
            StoreFinding(
                .structure,
                "\(table): the list of its columns is damaged, so that values may be in wrong columns"
            )
        }
        guard isOfApp else { return guessed }
        return guessed
            + mender.leftOut.map { type, name in
                StoreFinding(.structure, "The \(type) \(name) is left behind: its text is damaged")
            }
    }
}

/// What the records of a store's tables look like, to find tables that nothing leads to.
private struct TableForms {
    private let layout: StoreLayout?
    private let fixed = [
        DamagedSchema.Form(name: "Z_METADATA") { cells in
            cells.map(\.kind) == [.null, .text, .blob]
        },
        DamagedSchema.Form(name: "Z_PRIMARYKEY") { cells in
            cells.map(\.kind) == [.null, .text, .integer, .integer]
        },
        DamagedSchema.Form(name: "Z_MODELCACHE") { cells in cells.map(\.kind) == [.blob] },
        DamagedSchema.Form(name: "ETL_MODEL") { cells in
            cells.map(\.kind) == [.integer, .text] && cells[1].bytes.first == UInt8(ascii: "{")
        },
    ]

    init(_ layout: StoreLayout?) {
        self.layout = layout
    }

    /// The tables that a store has.
    var names: [String] {
        fixed.map(\.name) + (layout?.tables.map(\.name) ?? [])
            + (layout?.joinTables.map(\.name) ?? [])
    }

    /// All forms; pairs look alike in all tables, so that only one of them may be missing.
    func all(besides schema: DamagedSchema) -> [DamagedSchema.Form] {
        guard let layout else { return fixed }
        let objects = layout.tables.map { table in
            let numbers = Set(layout.entities.filter { $0.table == table.name }.map(\.number))
            return DamagedSchema.Form(name: table.name) { cells in
                cells.count >= 3 && cells.count <= table.columns.count + 3
                    && cells[0].kind == .null && cells[1].kind == .integer
                    && numbers.contains(cells[1].integerValue)
            }
        }
        let missing = layout.joinTables.filter { !schema.has($0.name) }
        guard missing.count == 1 else { return fixed + objects }
        let width = 2 + missing[0].orderColumns.count
        let pairs = DamagedSchema.Form(name: missing[0].name) { cells in
            cells.count == width && cells.allSatisfy { $0.kind == .integer }
        }
        return fixed + objects + [pairs]
    }
}
