import GraphModel
import SQLite

/// Verifies one store.
struct StoreVerifier {
    let connection: Connection
    /// The path of the store, which can differ from the file of the connection.
    let path: String
    /// Whether an app created the store.
    let isOfApp: Bool
    var findings: [StoreFinding] = []
    /// Remarks about an app's store.
    var remarks: [String] = []
    /// The layout, once the model is known.
    private(set) var schema: StoreLayout?
    /// The existing columns of each table.
    private(set) var columns: [String: Set<String>] = [:]

    private static let linesMax = 100
    /// One more key than a finding names, to know whether there are more.
    static let keysMax = StoreFinding.keysMax + 1

    init(_ connection: Connection, _ path: String, isOfApp: Bool = false) {
        self.connection = connection
        self.path = path
        self.isOfApp = isOfApp
    }

    mutating func run(
        _ level: StoreVerification.Level, _ model: ManagedObjectModel?
    ) throws(StoreError) {
        try checkFile(level)
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            guard has(formatTable: "Z_PRIMARYKEY") || has(formatTable: "Z_MODELCACHE") else {
                throw .notAStore(path)
            }
            let isThere = has(formatTable: "Z_METADATA")
            note(
                .metadata, "The table Z_METADATA is \(isThere ? "empty" : "missing")")
            return
        }
        if metadata.uuid.isEmpty {
            note(.metadata, "Z_METADATA has no Z_UUID")
        }
        try checkFormatTables()
        let known = isOfApp ? try appSchema(model) : try ourSchema(model, metadata)
        guard let schema = known else { return }
        self.schema = schema
        try checkStructure(schema)
        try checkEntities(of: schema)
        for entity in schema.heldEntities where entity.superNumber == 0 && has(entity.table) {
            try checkRows(of: entity)
        }
        try checkPending()
        guard level == .full else { return }
        for entity in schema.heldEntities where has(entity.table) {
            try checkValues(of: entity, schema)
            // Rules are not part of the version hashes, so the given model can have different ones.
            try checkRules(of: entity, model ?? schema.model)
            try checkLinks(of: entity, schema)
        }
        for join in schema.joinTables where has(join.name) { try checkJoinRows(of: join, schema) }
        try checkExternalValues(schema)
        try checkFoldedTexts(schema)
        try checkHistory()
    }

    /// Lets SQLite check the file.
    ///
    /// `integrity_check` can fail at a damaged page of an index before it returns the first line.
    /// The pages of the file and each table are then checked separately.
    private mutating func checkFile(
        _ level: StoreVerification.Level
    ) throws(StoreError) {
        let check = level == .quick ? "quick_check" : "integrity_check"
        do throws(StoreError) {
            return try addLines("PRAGMA \(check)(\(Self.linesMax))")
        } catch {
            guard error.isDamage else { throw error }
        }
        let known = findings.count
        try guarding("The file") { verifier throws(StoreError) in
            try verifier.addLines("PRAGMA quick_check(\(Self.linesMax))")
        }
        // If the list of tables cannot be read, the next check reports it.
        let tables =
            (try? connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")) ?? []
        for table in tables {
            try guarding(table) { verifier throws(StoreError) in
                try verifier.addLines("PRAGMA \(check)(\(Connection.literal(table)))")
            }
        }
        guard findings.count == known else { return }
        note(.file, "The file cannot be read completely")
    }

    /// Adds the lines of a check that are not known yet.
    private mutating func addLines(_ sql: String) throws(StoreError) {
        let rows = try connection.prepare(sql)
        while try rows.step() {
            // SQLite starts its list of problems with "*** in database main ***".
            for line in rows.string(0).split(separator: "\n")
            where line != "ok" && !line.hasPrefix("***") {
                let finding = StoreFinding(.file, String(line))
                if !findings.contains(finding) { findings.append(finding) }
            }
        }
    }

    /// Returns the layout for the model in the store, or for the given one.
    private mutating func ourSchema(
        _ model: ManagedObjectModel?, _ metadata: StoreMetadata
    ) throws(StoreError) -> StoreLayout? {
        let stored = try storedModel()
        for (name, model) in [("the one given", model), ("the one in the store", stored)] {
            guard let model else { continue }
            let differing = metadata.entitiesThatDiffer(
                from: model,
                holding: model == stored ? try metadata.entities(of: model, on: connection) : nil)
            if !differing.isEmpty {
                note(
                    .hash, count: differing.count,
                    "The version hashes differ from \(name): "
                        + differing.joined(separator: ", "))
            }
        }
        guard let known = stored ?? model else { return nil }
        let model = try PersistentStore.fitted(
            known, keepsExactDecimals: metadata.keepsExactDecimals)
        // If the archive of a model cannot be written, the cache is empty.
        if ModelCache.canHold(model) {
            let hashes = model.versionHashes
            try remarkOnCache { cached in
                let cached = cached.versionHashes
                return Set(hashes.keys).union(cached.keys).filter { hashes[$0] != cached[$0] }
                    .sorted()
            }
        }
        let found = try FoundTables(on: connection)
        return StoreLayout(
            model, holding: try metadata.entities(of: model, on: connection), pairs: found)
    }

    private mutating func storedModel() throws(StoreError) -> ManagedObjectModel? {
        do throws(StoreError) {
            return try PersistentStore.storedModel(connection)
        } catch {
            guard error.code == .corrupt else { throw error }
            note(.metadata, "The model in the store cannot be read")
            return nil
        }
    }

    // MARK: Asking

    /// Adds a finding.
    mutating func note(
        _ kind: StoreFinding.Kind, entity: String? = nil, property: String? = nil, count: Int = 1,
        keys: [Int64] = [], _ message: String
    ) {
        findings.append(
            StoreFinding(
                kind, entity: entity, property: property, count: count, keys: keys, message))
    }

    func integer(_ sql: String) throws(StoreError) -> Int64 {
        Int64(try SQLFragment(sql).integer(on: connection))
    }

    /// Adds a finding for the rows of a select, each identified by the key in its first column.
    mutating func find(
        _ kind: StoreFinding.Kind, _ entity: String?, _ property: String?, _ select: SelectSQL,
        _ message: (Int) -> String
    ) throws(StoreError) {
        let name = [entity, property].compactMap(\.self).joined(separator: ".")
        try guarding(name, of: entity) { verifier throws(StoreError) in
            let rows = try select.prepare(on: verifier.connection)
            var count = 0
            var keys: [Int64] = []
            while try rows.step() {
                count += 1
                if keys.count < Self.keysMax, rows.columnCount > 0, !rows.isNull(0),
                    !keys.contains(rows.integer(0))
                {
                    keys.append(rows.integer(0))
                }
            }
            guard count > 0 else { return }
            verifier.note(
                kind, entity: entity, property: property, count: count, keys: keys,
                message(count))
        }
    }

    /// Runs a check; if it meets damage, this becomes a finding, and the other checks continue.
    mutating func guarding(
        _ name: String, of entity: String? = nil,
        _ check: (inout StoreVerifier) throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try check(&self)
        } catch {
            guard error.isDamage || error.isFunctionFailure else { throw error }
            let finding = StoreFinding(
                .file, entity: entity,
                "\(name) cannot be read completely: \(error.message)")
            if !findings.contains(finding) { findings.append(finding) }
        }
    }

    // MARK: Structure

    func has(_ table: String) -> Bool { columns[table] != nil }

    func has(_ column: String, in table: String) -> Bool {
        columns[table]?.contains(column) ?? false
    }

    /// Checks the tables, columns, and indexes that the model needs.
    private mutating func checkStructure(_ schema: StoreLayout) throws(StoreError) {
        let tables =
            schema.tables.map { ($0.name, ["Z_PK", "Z_ENT", "Z_OPT"] + $0.columns.map(\.name)) }
            + schema.joinTables.map {
                ($0.name, [$0.firstColumn, $0.secondColumn] + $0.orderColumns)
            }
        for (table, wanted) in tables {
            let found = Set(try connection.columnNames(of: table))
            guard !found.isEmpty else {
                note(.structure, "The table \(table) is missing")
                continue
            }
            columns[table] = found
            for column in wanted where !found.contains(column) {
                note(.structure, "The column \(table).\(column) is missing")
            }
        }
        let pending =
            has(formatTable: "ETL_PENDING")
            ? try connection.texts("SELECT * FROM ETL_PENDING") : []
        guard pending.isEmpty else { return }
        let there = Set(try connection.texts("SELECT name FROM sqlite_master WHERE type = 'index'"))
        for table in schema.tables where has(table.name) {
            for index in table.indexes
            where index.isUnique && !isThere(index, there, schema.found) {
                note(
                    .structure,
                    "The index \(index.name) is missing, so that keys may come twice")
            }
        }
    }

    /// Checks the names and parents of the entities in `Z_PRIMARYKEY`.
    private mutating func checkEntities(of schema: StoreLayout) throws(StoreError) {
        // Another version of the model may have other entities.
        guard has(formatTable: "Z_PRIMARYKEY"), !findings.contains(where: { $0.kind == .hash })
        else { return }
        let connection = connection
        try guarding("Z_PRIMARYKEY") { verifier throws(StoreError) in
            for wrong in try FoundTables(on: connection).wrongRows(schema) {
                verifier.note(.structure, entity: wrong.entity.name, wrong.message)
            }
        }
    }

    /// Checks the tables that every store has, and the tables of the history if it has one.
    private mutating func checkFormatTables() throws(StoreError) {
        guard has(formatTable: "Z_PRIMARYKEY") else {
            note(.structure, "The table Z_PRIMARYKEY is missing")
            return
        }
        var wanted = Set(
            try connection.texts("SELECT Z_ENT FROM Z_PRIMARYKEY").compactMap(Int64.init)
                .compactMap { HistorySchema.tableNames[$0] })
        let found = Set(HistorySchema.tableNames.values.filter { has(formatTable: $0) })
        // An etl store keeps the counters of a history that was turned off.
        if !isOfApp, found.isEmpty { return }
        if found.contains("ACHANGE") { wanted.insert("ATRANSACTION") }
        if found.contains("ATRANSACTION") { wanted.insert("ACHANGE") }
        for table in wanted.subtracting(found).sorted() {
            note(.structure, "The table \(table) of the history is missing")
        }
    }

    /// Returns whether an index exists; in an app's store, it can have another name.
    private func isThere(
        _ index: StoreLayout.Index, _ names: Set<String>, _ found: FoundTables?
    ) -> Bool {
        names.contains(index.name)
            || found?.isUnique(
                index.columns.compactMap { $0.split(separator: " ").first.map(String.init) },
                in: index.table) == true
    }

    /// Returns whether a table exists that is not part of the model.
    func has(formatTable name: String) -> Bool {
        // Other checks report a schema that cannot be read.
        (try? connection.hasTable(name)) == true
    }

    private mutating func checkPending() throws(StoreError) {
        guard has(formatTable: "ETL_PENDING") else { return }
        let pending = try integer(
            "SELECT count(*) FROM ETL_PENDING WHERE NAME <> '\(LoadOwner.noteName)'")
        if pending > 0 {
            note(
                .pending, count: Int(pending),
                "A first load or a large deletion is not finished: "
                    + Int(pending).counting("index or join table is", "indexes or join tables are")
                    + " incomplete; run the spec or repeat the import, which completes them")
        }
    }

    private mutating func checkFoldedTexts(_ schema: StoreLayout) throws(StoreError) {
        let connection = connection
        try guarding("The folded texts") { verifier throws(StoreError) in
            let found = try FoldTable.find(schema, on: connection)
            for (table, fold) in found.sorted(by: { $0.key < $1.key }) {
                let wrong = try fold.countWrong(on: connection)
                guard wrong > 0 else { continue }
                verifier.note(
                    .folded, count: Int(wrong),
                    "\(fold.name): \(Int(wrong).counting("row is", "rows are")) not the folded text of"
                        + " \(table)")
            }
        }
    }
}
