import GraphModel
import SQLite

/// Corrects the rows of a damaged schema table, so that SQLite can read each of them.
///
/// A statement is kept if SQLite accepts it, and if the table has the columns of the model.
/// Otherwise, it is rebuilt from the model. A damaged row that is not in the model is dropped.
struct SchemaRepair {
    private(set) var rows: [SchemaRow] = []
    /// The types and names of the dropped rows.
    private(set) var leftOut: [(type: String, name: String)] = []
    /// The tables whose column order is unknown.
    private(set) var guessed: [String] = []
    /// A new store of the model.
    private let known: Connection
    private var knownRows: [String: SchemaRow] = [:]
    /// A database with the accepted rows so far.
    private let taken: Connection
    private let pages: ClosedRange<Int>
    private var roots: Set<Int> = []

    /// Corrects the rows of a damaged schema table; `write(to:of:)` then writes them to a copy of
    /// the file.
    ///
    /// - Parameter layout: the layout of the model; `nil` if it is not known yet.
    init(_ schema: DamagedSchema, _ layout: StoreLayout?) throws(StoreError) {
        known = try Self.newStore(layout)
        taken = try Connection()
        try AppStore.registerFunctions(on: taken)
        pages = 2...max(2, schema.file.pageCount)
        for (type, name, table, sql) in try SchemaSQL.parts(of: known) {
            knownRows[name.lowercased()] = SchemaRow(
                type, name, table: table, root: 0, sql: sql)
        }
        let tables = schema.rows.filter {
            (knownRows[$0.name.lowercased()]?.type ?? $0.type) == "table"
        }
        for row in tables where row.sql != nil {
            if let repaired = try repairedTable(row) {
                try take(repaired, schema.rows.filter { $0.sql == nil })
            }
        }
        for row in schema.rows where row.sql != nil && !tables.contains(row) {
            try takeOther(row)
        }
    }

    private static func newStore(_ layout: StoreLayout?) throws(StoreError) -> Connection {
        let store = try Connection()
        if let layout {
            try PersistentStore.makeSchema(layout, on: store)
        } else {
            try store.execute(SchemaSQL.bookkeeping)
            try store.execute(ModelCache.table)
        }
        try store.execute(HistorySchema.allTables)
        return store
    }

    // MARK: Texts

    /// Parses a statement with SQLite; returns `nil` if SQLite rejects it.
    private func parsed(_ sql: String) -> SchemaRow? {
        guard Self.onlyDeclares(sql) else { return nil }
        do throws(StoreError) {
            let last = try taken.integer("SELECT max(rowid) FROM sqlite_master") ?? 0
            _ = try taken.prepare(sql).step()
            let made = try taken.prepare(
                "SELECT type, name, tbl_name FROM sqlite_master WHERE sql IS NOT NULL"
                    + " AND rowid > \(last) ORDER BY rowid")
            guard try made.step() else { return nil }
            return SchemaRow(
                made.string(0), made.string(1), table: made.string(2), root: 0, sql: sql)
        } catch {
            return nil
        }
    }

    /// Returns whether a statement only declares something.
    ///
    /// SQLite never writes `CREATE TABLE … AS SELECT` into the schema table. A damaged or forged
    /// one can contain it, and its query might never end. The name of a table must therefore be
    /// followed by its columns.
    private static func onlyDeclares(_ sql: String) -> Bool {
        var rest = Substring(sql)
        func takeWord() -> String {
            rest = rest.drop(while: \.isWhitespace)
            let word = rest.prefix { $0.isLetter || $0.isNumber || "_$".contains($0) }
            rest = rest.dropFirst(word.count)
            return word.uppercased()
        }
        guard takeWord() == "CREATE" else { return false }
        switch takeWord() {
        case "INDEX", "UNIQUE", "TRIGGER", "VIEW", "VIRTUAL": return true
        case "TABLE": break
        default: return false
        }
        if takeWord().isEmpty, let opening = rest.first {
            let close: Character = opening == "[" ? "]" : opening
            guard let end = rest.dropFirst().firstIndex(of: close) else { return false }
            rest = rest[rest.index(after: end)...]
        }
        return rest.drop(while: \.isWhitespace).first == "("
    }

    private func drop(_ row: SchemaRow) throws(StoreError) {
        try taken.execute("DROP \(row.type) IF EXISTS \(Connection.quoted(row.name))")
    }

    /// Returns a row that SQLite accepts and that `taken` contains, or `nil` if there is none.
    private mutating func repairedTable(_ row: SchemaRow) throws(StoreError) -> SchemaRow? {
        let sql = row.statement
        let named = knownRows[row.name.lowercased()]
        if var own = parsed(sql) {
            own.root = row.root
            let expected = knownRows[own.name.lowercased()]
            guard own.type == "table", expected != nil || named == nil else {
                try drop(own)
                return remade(row, named)
            }
            guard let expected, try !hasColumns(of: expected),
                let text = Self.text(sql, as: expected.statement)
            else { return own }
            try drop(own)
            guard var repaired = parsed(text) else { return nil }
            repaired.root = row.root
            return repaired
        }
        if MigrationLeftovers.isVirtual(sql), row.root == 0 {
            rows.append(row)
            return nil
        }
        let similar = knownRows.values.filter {
            $0.type == "table" && Self.areAlike($0.statement, sql)
        }
        return remade(row, named ?? (similar.count == 1 ? similar[0] : nil))
    }

    /// Rebuilds the row of a table from the statement of the model.
    private mutating func remade(_ row: SchemaRow, _ known: SchemaRow?) -> SchemaRow? {
        let sql = row.statement
        guard let known, let text = known.sql,
            var repaired = parsed(Self.text(sql, as: text) ?? text)
        else {
            if !rows.contains(where: { $0.name == row.name }) {
                leftOut.append((row.type, row.name))
            }
            return nil
        }
        if Self.text(sql, as: text) == nil { guessed.append(repaired.name) }
        repaired.root = row.root
        return repaired
    }

    /// Returns whether an accepted table has the columns and the key of the model's table.
    private func hasColumns(of expected: SchemaRow) throws(StoreError) -> Bool {
        let sql =
            "SELECT name || iif(pk = 1, ' ' || upper(type), '') FROM"
            + " pragma_table_info(\(Connection.literal(expected.name)))"
        return Set(try known.texts(sql)).isSubset(of: try taken.texts(sql))
    }

    /// Returns the statement of a new store with the columns in the order of the damaged statement,
    /// or `nil` if that order is not readable.
    ///
    /// Long statements are alike even if two columns are exchanged, so readable columns decide.
    private static func text(_ damaged: String, as known: String) -> String? {
        let whole = areAlike(damaged, known) ? known : nil
        func parts(_ sql: String) -> [[UInt8]] {
            sql.utf8.dropLast().split(
                separator: UInt8(ascii: ","), omittingEmptySubsequences: false
            )
            .map { Array($0.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()) }
        }
        let (found, wanted) = (parts(damaged), parts(known))
        guard found.count == wanted.count else { return whole }
        var places = found.map { part in wanted.firstIndex(of: part) }
        if let whole, found.indices.allSatisfy({ places[$0] == nil || places[$0] == $0 }) {
            return whole
        }
        for place in found.indices where places[place] == nil {
            let open = wanted.indices.filter {
                !places.contains($0) && areAlike(wanted[$0], found[place], share: 2)
            }
            places[place] = open.min { left, right in
                differences(wanted[left], found[place]) < differences(wanted[right], found[place])
            }
        }
        guard Set(places).count == wanted.count, !places.contains(nil), places.first == 0 else {
            return whole
        }
        return places.compactMap { $0.map { String(decoding: wanted[$0], as: UTF8.self) } }
            .joined(separator: ", ") + " )"
    }

    private static func areAlike(_ one: String, _ other: String) -> Bool {
        areAlike(Array(one.utf8), Array(other.utf8), share: 8)
    }

    /// Returns whether two texts have the same length, and at most 1/`share` of their bytes differ.
    private static func areAlike(_ one: [UInt8], _ other: [UInt8], share: Int) -> Bool {
        one.count == other.count && differences(one, other) * share <= one.count
    }

    private static func differences(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
    }

    // MARK: Taking

    /// Accepts a table and the indexes that are part of its statement.
    private mutating func take(_ table: SchemaRow, _ indexes: [SchemaRow]) throws(StoreError) {
        guard pages.contains(table.root), roots.insert(table.root).inserted else {
            try drop(table)
            leftOut.append((table.type, table.name))
            return
        }
        var found: [SchemaRow] = []
        let names = try taken.texts(
            "SELECT name FROM pragma_index_list(\(Connection.literal(table.name))) WHERE origin <> 'c'"
                + " ORDER BY name")
        for name in names {
            let index =
                indexes.first { $0.name == name }
                ?? indexes.first { $0.table == table.name && !names.contains($0.name) }
            guard let index, pages.contains(index.root), !roots.contains(index.root) else { break }
            found.append(SchemaRow("index", name, table: table.name, root: index.root, sql: nil))
        }
        if found.count == names.count {
            rows.append(table)
            rows += found
            roots.formUnion(found.map(\.root))
            return
        }
        // Without the index, the table can be read only if nothing says that it has one.
        let columns = try taken.texts(
            "SELECT '\"' || name || '\" ' || type || iif(pk = 1 AND upper(type) = 'INTEGER' AND"
                + " (SELECT max(pk) FROM pragma_table_info(\(Connection.literal(table.name)))) = 1,"
                + " ' PRIMARY KEY', '') FROM pragma_table_info(\(Connection.literal(table.name)))"
                + " ORDER BY cid")
        try drop(table)
        let name = Connection.quoted(table.name)
        guard var plain = parsed("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))") else {
            leftOut.append((table.type, table.name))
            return
        }
        plain.root = table.root
        rows.append(plain)
    }

    /// Accepts an index, a trigger, or a view.
    private mutating func takeOther(_ row: SchemaRow) throws(StoreError) {
        let named = knownRows[row.name.lowercased()]
        var own = parsed(row.statement)
        if let found = own, let named, found.name.lowercased() != row.name.lowercased(),
            knownRows[found.name.lowercased()] == nil
        {
            try drop(found)
            own = parsed(named.statement)
        }
        guard var repaired = own ?? named.flatMap({ parsed($0.statement) }) else {
            leftOut.append((row.type, row.name))
            return
        }
        repaired.root = row.root
        if repaired.type == "index" || repaired.type == "table" {
            guard pages.contains(row.root), roots.insert(row.root).inserted else {
                try drop(repaired)
                leftOut.append((repaired.type, repaired.name))
                return
            }
        } else {
            repaired.root = 0
        }
        rows.append(repaired)
    }

    // MARK: Writing

    /// Replaces the rows in the schema table of a copy.
    func write(to copy: String, of schema: DamagedSchema) throws(StoreError) {
        let file = schema.file
        guard var page = file.page(1) else { return }
        let header = Array(page[..<100])
        var free = [Bool](repeating: false, count: file.pageCount + 1)
        let knowsFree = file.markFree(&free)
        let own = schema.pages.filter { !roots.contains($0) && !free[$0] }
        page.replaceSubrange(100..., with: [UInt8](repeating: 0, count: page.count - 100))
        page[100] = DamagedPage.Kind.tableLeaf.rawValue
        page.set(file.usableSize & 0xFFFF, at: 105, bytes: 2)
        for place in [52, 64] { page.set(0, at: place, bytes: 4) }
        if knowsFree {
            // The pages of the old schema table are freed, so that no page is unreferenced.
            try Self.free(own.prefix(file.usableSize / 4 - 1), &page, file, copy)
        } else {
            for place in [32, 36] { page.set(0, at: place, bytes: 4) }
        }
        try StoreFiles.overwrite(copy, at: 0, with: page)
        try insert(into: copy)
        // The header fields that SQLite must not use during the write are restored.
        var kept = [52, 64]
        if !knowsFree { kept += [32, 36] }
        for place in kept {
            try StoreFiles.overwrite(copy, at: Int64(place), with: Array(header[place..<place + 4]))
        }
    }

    /// Adds pages to the start of the list of free pages.
    private static func free(
        _ own: ArraySlice<Int>, _ page: inout [UInt8], _ file: DamagedFile, _ copy: String
    ) throws(StoreError) {
        guard let head = own.first else { return }
        var trunk = [UInt8](repeating: 0, count: file.pageSize)
        trunk.set(page.number(at: 32, bytes: 4), at: 0, bytes: 4)
        trunk.set(own.count - 1, at: 4, bytes: 4)
        for (place, number) in own.dropFirst().enumerated() {
            trunk.set(number, at: 8 + 4 * place, bytes: 4)
        }
        page.set(head, at: 32, bytes: 4)
        page.set(page.number(at: 36, bytes: 4) + own.count, at: 36, bytes: 4)
        try StoreFiles.overwrite(copy, at: Int64(head - 1) * Int64(file.pageSize), with: trunk)
    }

    private func insert(into copy: String) throws(StoreError) {
        let connection = try Connection(path: copy, mode: .readWrite)
        try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        try connection.withWritableSchema { () throws(StoreError) in
            try connection.execute("BEGIN")
            let insert = try connection.prepare("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)")
            for row in rows {
                insert.bind(row.type, at: 1)
                insert.bind(row.name, at: 2)
                insert.bind(row.table, at: 3)
                insert.bind(Int64(row.root), at: 4)
                if let sql = row.sql { insert.bind(sql, at: 5) } else { insert.bindNull(at: 5) }
                try insert.run()
            }
            try connection.execute("COMMIT")
        }
    }
}
