import Files
import GraphModel
import SQLite

/// Copies the readable part of a store into a new one, and repairs inconsistencies.
struct SalvageWriter {
    let source: Connection
    let target: Connection
    let schema: StoreLayout
    let path: String
    var salvage = StoreSalvage()
    let account: RowAccount
    /// Whether unreferenced pages may belong to a table that looks intact.
    var hasStrayPages = false
    /// The largest keys that the old store has assigned, by entity number.
    private var handedOut: [Int64: Int64] = [:]
    /// The parts of an app's store that are not objects; `nil` for an etl store.
    private let app: AppSalvage?
    /// The join tables of an old etl store, by their names in the new store.
    private let joins: [String: SourceJoin]

    /// Renames the new file and its folder of large values; no connection may be open.
    static func finish(_ temporary: String, _ newPath: String) throws(StoreError) {
        // SQLite checkpoints the WAL when the last connection is closed, but does not report a
        // failure.
        let connection = try Connection(path: temporary, mode: .readWrite)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try StoreFiles.removeLogs(of: temporary)
        let (from, to) = (
            StoreFiles.supportFolder(of: temporary), StoreFiles.supportFolder(of: newPath)
        )
        let hasFiles = FileSystem.exists(from)
        // First, so that a store with the new name lacks no file.
        if hasFiles { try StoreFiles.move(from, to: to) }
        do throws(StoreError) {
            try StoreFiles.move(temporary, to: newPath)
        } catch {
            if hasFiles { try StoreFiles.move(to, to: from) }
            throw error
        }
        try StoreFiles.synchronizeFolder(of: newPath)
    }

    /// Writes the readable part to a new file, and closes it.
    static func write(
        _ source: Connection, at path: String, _ schema: StoreLayout, to newPath: String
    ) throws(StoreError) -> StoreSalvage {
        // Creates the file; its connection is closed after this call.
        _ = try PersistentStore.open(
            .sqlite(at: newPath, opening: .create), model: schema.model,
            holding: schema.heldNumbers.map { _ in schema.heldNames })
        let target = try Connection(path: newPath, mode: .readWrite)
        var writer = try SalvageWriter(from: source, at: path, schema, to: target)
        try writer.run()
        try writer.copyExternalValues(to: newPath)
        return writer.salvage
    }

    /// Creates a writer for a new etl store.
    init(
        from source: Connection, at path: String, _ schema: StoreLayout, to target: Connection
    ) throws(StoreError) {
        self.source = source
        self.target = target
        self.schema = schema
        self.path = path
        app = nil
        joins = SourceJoin.all(of: schema, in: source)
        account = try RowAccount(of: source)
    }

    /// Creates a writer for an app's store, whose tables `AppSalvage` has created.
    init(
        from source: Connection, at path: String, _ schema: StoreLayout, into app: AppSalvage
    ) {
        self.source = source
        self.schema = schema
        self.path = path
        self.app = app
        joins = [:]
        account = app.account
        target = app.target
        salvage.losses = app.losses
    }

    mutating func run() throws(StoreError) {
        try target.execute("BEGIN IMMEDIATE")
        try write()
        try target.execute("COMMIT")
    }

    /// Writes all readable data in an open transaction.
    mutating func write() throws(StoreError) {
        readHandedOut()
        for table in schema.tables { try copyObjects(of: table) }
        for join in schema.joinTables { try copyJoinRows(of: join) }
        reportStrayPages()
        for entity in schema.heldEntities { try repairLinks(of: entity) }
        for join in schema.joinTables { try repairJoinRows(of: join) }
        if let app {
            salvage.losses += try app.complete(schema, hasLosses: !salvage.losses.isEmpty)
        } else {
            try copyMetadata()
            try noteHistory()
        }
        try setCounters()
    }

    mutating func lose(
        _ kind: StoreFinding.Kind, _ entity: String?, _ property: String? = nil, count: Int,
        keys: [Int64], _ message: String
    ) {
        guard count > 0 else { return }
        salvage.losses.append(
            StoreFinding(
                kind, entity: entity, property: property, count: count,
                keys: keys, message))
    }

    // MARK: Objects

    /// Returns the columns of an old table that the new one also has.
    private func columns(_ table: String, _ wanted: [String]) -> [String] {
        // If the columns cannot be listed, the table has none that can be copied.
        let names = (try? source.prepare("SELECT name FROM pragma_table_info('\(table)')")).map {
            rows in
            var names: Set<String> = []
            // Unreadable columns are ignored.
            while (try? rows.step()) == true { names.insert(rows.string(0)) }
            return names
        }
        return wanted.filter { names?.contains($0) ?? false }
    }

    private mutating func copyObjects(of table: StoreLayout.Table) throws(StoreError) {
        let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]
        // An app's table also keeps the columns that are not in the model.
        let others = schema.found?.columns[table.name] ?? []
        let wanted =
            fixed
            + (others.isEmpty
                ? table.columns.map(\.name)
                : others.map(\.name).filter { !fixed.contains($0) })
        let found = columns(table.name, wanted)
        guard found.starts(with: ["Z_PK", "Z_ENT", "Z_OPT"]) else {
            return lose(
                .structure, table.rootEntity, count: 1, keys: [],
                "\(table.rootEntity): the table \(table.name) cannot be read, with all its objects")
        }
        for column in wanted where !found.contains(column) {
            lose(
                .structure, table.rootEntity, count: 1, keys: [],
                "\(table.rootEntity): the column \(table.name).\(column) cannot be read")
        }
        let concrete = Dictionary(
            uniqueKeysWithValues: schema.heldEntities.filter {
                $0.table == table.name && !$0.isAbstract
            }.map { ($0.number, $0.name) })
        let root = schema.entity(named: table.rootEntity)
        let marks = found.map { _ in "?" }.joined(separator: ", ")
        let insert = try target.prepare(
            "INSERT INTO \(table.name) (\(found.joined(separator: ", "))) VALUES (\(marks))")
        var counts: [Int64: Int] = [:]
        var strange: [Int64] = []
        var repeated: [Int64] = []
        var reader = DamagedTableReader(
            source, table.name, key: "Z_PK", found,
            last: root.flatMap { handedOut[$0.number] })
        let isOwn = { (row: SalvagedRow) in concrete[row.integer(2)] != nil }
        try reader.read(
            pagesOf: account.file, isOwn: isOwn, isOwnOrphan: isOwn
        ) { row throws(StoreError) in
            let key = row.integer(0)
            guard concrete[row.integer(2)] != nil else {
                strange.append(key)
                return
            }
            for column in found.indices {
                row.bind(column + 1, to: insert, at: Int32(column) + 1)
            }
            if row.isNull(3) { insert.bind(Int64(1), at: 3) }
            do throws(StoreError) {
                try insert.run()
                counts[row.integer(2), default: 0] += 1
            } catch {
                guard error.isConstraint else { throw error }
                repeated.append(key)
            }
        }
        for (number, name) in concrete { salvage.objects[name] = counts[number] ?? 0 }
        let name = table.rootEntity
        reportUnreadable(name, reader)
        lose(
            .entity, name, count: strange.count, keys: strange,
            "\(name): \(strange.count.counting("row has", "rows have")) an entity of another table,"
                + " and \(strange.count == 1 ? "is" : "are") omitted")
        lose(
            .unique, name, count: repeated.count, keys: repeated,
            "\(name): \(repeated.count.counting("object has a key", "objects have keys")) that others have,"
                + " and \(repeated.count == 1 ? "is" : "are") left out")
        try reportMissing(
            table, reader, saved: counts.values.reduce(0, +),
            leftOut: strange + repeated + reader.losses.impossibleKeys)
    }

    private mutating func copyJoinRows(of join: StoreLayout.JoinTable) throws(StoreError) {
        let wanted =
            schema.found?.columns[join.name]?.map(\.name)
            ?? [join.firstColumn, join.secondColumn] + join.orderColumns
        let old = joins[join.name] ?? SourceJoin(table: join.name)
        let oldColumns = wanted.map(old.column)
        guard columns(old.table, oldColumns) == oldColumns else {
            return lose(
                .structure, nil, count: 1, keys: [],
                "The table of pairs \(old.table) cannot be read, with all its links")
        }
        let marks = wanted.map { _ in "?" }.joined(separator: ", ")
        let insert = try target.prepare(
            "INSERT OR IGNORE INTO \(join.name) (\(wanted.joined(separator: ", ")))"
                + " VALUES (\(marks))")
        var reader = DamagedTableReader(source, old.table, key: "rowid", oldColumns, last: nil)
        var count = 0
        // Rows of several join tables can look alike, so an index must contain them.
        let isAlone =
            schema.joinTables.count { $0.orderColumns.count == join.orderColumns.count } == 1
        let isNamed = account.naming(of: old.table, oldColumns)
        let isOwnOrphan = { (row: SalvagedRow) in
            let pair = [row.integer(1), row.integer(2)]
            return pair.allSatisfy { $0 > 0 } && (isAlone || isNamed(row.integer(0), pair))
        }
        try reader.read(pagesOf: account.file, isOwnOrphan: isOwnOrphan) { row throws(StoreError) in
            count += 1
            for column in wanted.indices {
                row.bind(column + 1, to: insert, at: Int32(column) + 1)
            }
            try insert.run()
        }
        try reportMissingJoinRows(of: old.table, reader, besides: count)
        if schema.isOurs { try copyDeferredJoinRows(of: old, first: join.firstColumn, insert) }
    }

    /// Copies the join rows that an interrupted load has not moved into their table yet.
    private mutating func copyDeferredJoinRows(
        of old: SourceJoin, first: String, _ insert: Statement
    ) throws(StoreError) {
        let name = DeferredJoinRows.name(of: old.table)
        // Only a stopped load leaves this table. If the tables cannot be listed, its rows are among
        // the lost ones.
        guard (try? source.hasTable(name)) == true else { return }
        do throws(StoreError) {
            let note = "SELECT SQL FROM ETL_PENDING WHERE NAME = '\(name)'"
            guard let sql = try source.text(note), let start = sql.firstRange(of: "SELECT "),
                let end = sql.firstRange(of: ";")
            else { throw StoreError(.corrupt, "The note of \(name) is missing") }
            // The load listed the columns in its own order.
            let isSwapped = !sql[..<start.lowerBound].contains("(\(old.column(first)),")
            let rows = try source.prepare(String(sql[start.lowerBound..<end.lowerBound]))
            while try rows.step() {
                insert.reset()
                insert.bind(column: isSwapped ? 1 : 0, of: rows, at: 1)
                insert.bind(column: isSwapped ? 0 : 1, of: rows, at: 2)
                try insert.run()
            }
        } catch {
            lose(
                .pair, nil, count: 1, keys: [],
                "\(old.table): not all deferred links of a stopped load can be read")
        }
    }

    // MARK: Counters

    private mutating func readHandedOut() {
        // Without this table, the existing keys determine the counters.
        guard let rows = try? source.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY") else {
            return
        }
        // Rows after an unreadable one are ignored; the existing keys determine their counters.
        while (try? rows.step()) == true {
            let (number, counter) = (rows.integer(0), rows.integer(1))
            if counter <= KeyAllocator.counterMax {
                handedOut[number] = counter
            } else if let entity = schema.entity(number: number), entity.superNumber == 0 {
                lose(.counter, entity.name, count: 1, keys: [], Self.damaged(counter, entity.name))
            }
        }
    }

    /// Returns the message about a counter that no store reaches.
    static func damaged(_ counter: Int64, _ name: String) -> String {
        "\(name): the key counter in Z_PRIMARYKEY is damaged (\(counter)), so new objects may get keys"
            + " of deleted ones"
    }

    private func setCounters() throws(StoreError) {
        for entity in schema.heldEntities where entity.superNumber == 0 {
            try target.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(\(handedOut[entity.number] ?? 0),"
                    + " ifnull((SELECT max(Z_PK) FROM \(entity.table)), 0))"
                    + " WHERE Z_ENT = \(entity.number)")
        }
    }
}

/// A join table of an old etl store, which an older version may have named differently.
private struct SourceJoin {
    var table: String
    /// The old column names, by their names in the new store.
    private var columns: [String: String] = [:]

    init(table: String) {
        self.table = table
    }

    /// Returns the old name of a column of the new store.
    func column(_ name: String) -> String { columns[name] ?? name }

    /// Returns the join tables of an old store, by their names in the new one.
    static func all(of schema: StoreLayout, in source: Connection) -> [String: SourceJoin] {
        // Without a readable schema table, the current names are the best guess.
        guard let found = try? FoundTables(on: source) else { return [:] }
        let old = StoreLayout(schema.model, pairs: found)
        var joins: [String: SourceJoin] = [:]
        for entity in schema.heldEntities {
            for (name, place) in entity.toManys {
                guard case .joinTable(let new) = place,
                    case .joinTable(let before)? = old.entity(named: entity.name)?.toManys[name]
                else { continue }
                var join = joins[new.table] ?? SourceJoin(table: before.table)
                join.columns[new.ownerColumn] = before.ownerColumn
                join.columns[new.destinationColumn] = before.destinationColumn
                if let order = new.orderColumn { join.columns[order] = before.orderColumn }
                joins[new.table] = join
            }
        }
        return joins
    }
}
