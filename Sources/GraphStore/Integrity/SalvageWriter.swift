import Files
import GraphModel
import SQLite

/// Copies what can be read of a store into a new one, and mends what does not fit together.
struct SalvageWriter {
    let source: Connection
    let target: Connection
    let schema: StoreLayout
    let path: String
    var salvage = StoreSalvage()
    let account: RowAccount
    /// Pages of the file belong to nothing, and may have been those of a table that looks sound.
    var hasStrayPages = false
    /// Largest keys that the old store had handed out, by entity number.
    private var handedOut: [Int64: Int64] = [:]
    /// The parts of an app's store that are not objects; nil if the store is ours.
    private let app: AppSalvage?
    /// The join tables of an old store of ours, by their names in the new store.
    private let joins: [String: SourceJoin]

    /// Saves what can be read; the new file is under the temporary name until it is whole.
    static func save(
        _ source: Connection, at path: String, _ schema: StoreLayout, to newPath: String,
        by temporary: String
    ) throws(StoreError) -> StoreSalvage {
        let salvage = try written(source, at: path, schema, to: newPath, by: temporary)
        try finish(temporary, newPath)
        return salvage
    }

    /// Gives the new file and its folder of large values their names; nobody has it open any more.
    static func finish(_ temporary: String, _ newPath: String) throws(StoreError) {
        // SQLite folds the log in when the last connection is closed, and tells nobody where that
        // fails.
        let connection = try Connection(path: temporary, mode: .readWrite)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for suffix in ["-wal", "-shm", "-journal"] { try StoreFiles.remove(temporary + suffix) }
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

    private static func written(
        _ source: Connection, at path: String, _ schema: StoreLayout, to newPath: String,
        by temporary: String
    ) throws(StoreError) -> StoreSalvage {
        // Makes the file; nobody has it open when this is over.
        _ = try PersistentStore.open(
            .sqlite(at: temporary, opening: .create), model: schema.model,
            holding: schema.heldNumbers.map { _ in schema.heldNames })
        let target = try Connection(path: temporary, mode: .readWrite)
        var writer = SalvageWriter(from: source, at: path, schema, to: target)
        try writer.run()
        try writer.copyExternalValues(to: temporary)
        return writer.salvage
    }

    /// Writes the objects into a new store of ours.
    init(from source: Connection, at path: String, _ schema: StoreLayout, to target: Connection) {
        self.source = source
        self.target = target
        self.schema = schema
        self.path = path
        app = nil
        joins = SourceJoin.all(of: schema, in: source)
        account = RowAccount(of: source)
    }

    /// Writes the objects of an app's store into the tables that its salvage has made.
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

    /// Writes all that can be read, in a transaction that is under way.
    mutating func write() throws(StoreError) {
        readHandedOut()
        for table in schema.tables { try copyObjects(of: table) }
        for join in schema.joinTables { try copyPairs(of: join) }
        tellStrayPages()
        for entity in schema.heldEntities { try mendLinks(of: entity) }
        for join in schema.joinTables { try mendPairs(of: join) }
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
                keys: Array(keys.prefix(5)), message))
    }

    // MARK: Objects

    /// The columns of an old table that the new one has, too.
    private func columns(_ table: String, _ wanted: [String]) -> [String] {
        let names = (try? source.prepare("SELECT name FROM pragma_table_info('\(table)')")).map {
            rows in
            var names: Set<String> = []
            // What cannot be told is not there.
            while (try? rows.step()) == true { names.insert(rows.string(0)) }
            return names
        }
        return wanted.filter { names?.contains($0) ?? false }
    }

    private mutating func copyObjects(of table: StoreLayout.Table) throws(StoreError) {
        let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]
        // An app's table also keeps the columns that the model does not name.
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
        lose(
            .file, name, count: reader.lostCount, keys: reader.lostKeys,
            "\(name): up to \(reader.lostCount.counting("object", "objects")) cannot be read")
        lose(
            .file, name, count: reader.doubtfulKeys.count, keys: reader.doubtfulKeys,
            "\(name): \(reader.doubtfulKeys.count.counting("object is", "objects are")) saved from a"
                + " damaged record, so that some values may be wrong")
        lose(
            .entity, name, count: strange.count, keys: strange,
            "\(name): \(strange.count.counting("row is", "rows are")) of no entity of it, and left out"
        )
        lose(
            .unique, name, count: repeated.count, keys: repeated,
            "\(name): \(repeated.count.counting("object has a key", "objects have keys")) that others have,"
                + " and \(repeated.count == 1 ? "is" : "are") left out")
        try tellMissing(
            table, reader, saved: counts.values.reduce(0, +), leftOut: strange + repeated,
            last: root.flatMap { handedOut[$0.number] })
    }

    private mutating func copyPairs(of join: StoreLayout.JoinTable) throws(StoreError) {
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
        // Pairs of several tables look alike, so that an index must name them.
        let isAlone =
            schema.joinTables.count { $0.orderColumns.count == join.orderColumns.count } == 1
        let account = account
        let isOwnOrphan = { (row: SalvagedRow) in
            let pair = [1, 2].map { (oldColumns[$0 - 1], row.integer($0)) }
            return pair.allSatisfy { $0.1 > 0 }
                && (isAlone || account.indexNames(row.integer(0), pair, of: old.table))
        }
        try reader.read(pagesOf: account.file, isOwnOrphan: isOwnOrphan) { row throws(StoreError) in
            count += 1
            for column in wanted.indices {
                row.bind(column + 1, to: insert, at: Int32(column) + 1)
            }
            try insert.run()
        }
        lose(
            .pair, nil, count: reader.lostCount, keys: [],
            "\(old.table): up to \(reader.lostCount.counting("pair", "pairs")) cannot be read")
        if reader.lostCount == 0 { try tellMissingPairs(of: old.table, besides: count) }
        if schema.isOurs { try copyWaitingPairs(of: old, first: join.firstColumn, insert) }
    }

    /// Copies the join rows that an interrupted load has not moved into their table yet.
    private mutating func copyWaitingPairs(
        of old: SourceJoin, first: String, _ insert: Statement
    ) throws(StoreError) {
        do throws(StoreError) {
            let name = PutOffLinks.name(of: old.table)
            let note = "SELECT SQL FROM ETL_PENDING WHERE NAME = '\(name)'"
            guard let sql = try? source.text(note), let start = sql.firstRange(of: "SELECT "),
                let end = sql.firstRange(of: ";")
            else { return }
            // The load named the columns in its own order.
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
        // Without them, the keys that are there tell.
        guard let rows = try? source.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY") else {
            return
        }
        while (try? rows.step()) == true { handedOut[rows.integer(0)] = rows.integer(1) }
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

/// A join table of an old store of ours, which an older version may have named differently.
private struct SourceJoin {
    var table: String
    /// Columns by their names in the new store.
    private var columns: [String: String] = [:]

    init(table: String) {
        self.table = table
    }

    /// The name that a column of the new store has in the old one.
    func column(_ name: String) -> String { columns[name] ?? name }

    /// The join tables of an old store by their names in the new one.
    static func all(of schema: StoreLayout, in source: Connection) -> [String: SourceJoin] {
        // Without a readable list of tables, today's names are the best guess.
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
