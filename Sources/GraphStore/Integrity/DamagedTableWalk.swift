import GraphModel
import SQLite

/// The location of a table in a file, and its selected columns.
struct TableShape {
    let root: Int
    /// The root pages of all tables and indexes.
    let roots: [Int]
    /// For each selected column, its index in the records; `nil` for the row ID column.
    let places: [Int?]
    /// The index of the row ID column, which is null in records.
    let alias: Int?
    /// The number of columns of the table.
    let width: Int
    /// The values of columns in records that were written before the column was added.
    let defaults: [StoredValue]

    /// Creates the shape; `nil` if the table has no row IDs, or if SQLite cannot read its columns.
    init?(_ reader: DamagedTableReader) {
        let name = reader.table.filter { $0 != "\"" }
        do throws(StoreError) {
            let parts = try reader.connection.prepare(
                "SELECT type, name, rootpage, sql FROM sqlite_master WHERE rootpage > 0")
            var roots: [Int] = []
            var found: (root: Int, sql: String)?
            while try parts.step() {
                let root = Int(clamping: parts.integer(2))
                roots.append(root)
                if parts.string(0) == "table", parts.string(1).lowercased() == name.lowercased() {
                    found = (root, parts.string(3))
                }
            }
            guard let found,
                !found.sql.uppercased().split(whereSeparator: \.isWhitespace).joined(
                    separator: " "
                ).contains("WITHOUT ROWID")
            else { return nil }
            let rows = try reader.connection.prepare(
                "SELECT name, type, pk, dflt_value FROM pragma_table_info('\(name)') ORDER BY cid")
            var names: [String] = []
            var keys: [(place: Int, isInteger: Bool)] = []
            var texts: [String?] = []
            while try rows.step() {
                if rows.integer(2) > 0 {
                    keys.append((names.count, rows.string(1).uppercased() == "INTEGER"))
                }
                names.append(rows.string(0).lowercased())
                texts.append(rows.isNull(3) ? nil : rows.string(3))
            }
            let alias = keys.count == 1 && keys[0].isInteger ? keys[0].place : nil
            var places: [Int?] = []
            var defaults: [StoredValue] = []
            for column in reader.columns {
                let wanted = column.filter { $0 != "\"" }.lowercased()
                guard let place = names.firstIndex(of: wanted) else { return nil }
                places.append(place == alias ? nil : place)
                var value = StoredValue.null
                if let text = texts[place] {
                    let row = try reader.connection.prepare("SELECT \(text)")
                    if try row.step() { value = StoredValue(row, 0) }
                }
                defaults.append(value)
            }
            root = found.root
            self.roots = roots
            self.alias = alias
            self.places = places
            self.defaults = defaults
            width = names.count
        } catch {
            return nil
        }
    }
}

/// Walks the pages of a table in key order and checks each number on them.
///
/// - A page is read once, and only if it belongs to a table.
/// - A cell is valid if it is on its page, contains a record, and its key fits into the order of
///   the keys around it.
/// - If two rows have the same key, the first one is used.
struct DamagedTableWalk {
    /// The maximum number of keys that are compared with each other, and of rounds, so that a page
    /// of noise does not take long.
    private static let comparedMax = 1024
    private static let roundsMax = 64

    private let file: DamagedFile
    private let shape: TableShape
    private let last: Int64?
    private let record = DamagedRecord()
    private let arena = ArenaBox()
    /// The unreadable keys, with the entity number 0.
    private(set) var lost = ManagedObjectIDSet()
    private(set) var doubtfulKeys: [Int64] = []
    private var seen = ManagedObjectIDSet()
    /// The largest key so far.
    private var reached: Int64 = 0
    /// Whether data after the largest key could not be read.
    private var isBehindDamage = false
    /// The cells that are used only if no other row has their key.
    ///
    /// Their keys are outside the range of their page, or their records look like those of another
    /// table.
    private var strays: [(page: Int, cell: Int)] = []
    /// Whether a page could not be read, or one that leads to others.
    private var hasLostPages = false
    init(_ file: DamagedFile, _ shape: TableShape, _ key: String, _ last: Int64?) {
        self.file = file
        self.shape = shape
        self.last = last
    }

    /// - Parameters:
    ///   - isOwn: whether a row on a page of the table looks like one of its rows; `nil` accepts
    ///     all.
    ///   - isOwnOrphan: whether a row on an unreferenced page belongs to the table; `nil` accepts
    ///     none.
    mutating func read(
        isOwn: ((SalvagedRow) -> Bool)?, isOwnOrphan: ((SalvagedRow) -> Bool)?,
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        var waiting: [(page: Int, above: Int64, upTo: Int64)] = [(shape.root, .min, .max)]
        var visited: Set<Int> = []
        while let next = waiting.popLast() {
            guard visited.insert(next.page).inserted, let page = file.tree(next.page) else {
                notePageDamage()
                continue
            }
            switch page.kind {
            case .tableLeaf: try readLeaf(page, next, isOwn, body)
            case .tableInterior:
                waiting += branches(of: page, next.above, next.upTo).reversed()
            case .indexLeaf, .indexInterior: notePageDamage()
            }
        }
        if isBehindDamage, let last { lose(upTo: last) }
        for stray in strays {
            guard let page = file.tree(stray.page), record.read(stray.cell, of: page, in: file)
            else { continue }
            isBehindDamage = false
            try tell(body)
        }
        if let isOwnOrphan { try readOrphans(besides: visited, isOwnOrphan, body) }
        lost.subtract(seen)
    }

    private mutating func notePageDamage() {
        isBehindDamage = true
        hasLostPages = true
    }

    private mutating func lose(upTo key: Int64) {
        // A wrong key can be much larger than all others.
        let key = min(key, last ?? key)
        guard reached < key else { return }
        lost.insert(keys: (reached + 1)...key, entityNumber: 0)
    }

    /// Returns the child pages and the key range of each.
    private mutating func branches(
        of page: DamagedPage, _ above: Int64, _ upTo: Int64
    ) -> [(page: Int, above: Int64, upTo: Int64)] {
        let found = page.branches
        if found.count != page.cellCount + 1 || page.claimsTooMany { notePageDamage() }
        var above = above
        return found.map { branch in
            // A key that is not ascending is ignored.
            guard let key = branch.key, key > above, key < upTo else {
                return (branch.page, above, upTo)
            }
            defer { above = key }
            return (branch.page, above, key)
        }
    }

    // MARK: Leaves

    private mutating func readLeaf(
        _ page: DamagedPage, _ place: (page: Int, above: Int64, upTo: Int64),
        _ isOwn: ((SalvagedRow) -> Bool)?, _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        var cells: [(cell: Int, key: Int64)] = []
        var damaged: Set<Int> = []
        for cell in 0..<page.cellCount {
            if let payload = page.payload(ofCell: cell), mayBeKey(payload.rowID) {
                cells.append((cell, payload.rowID))
            } else {
                damaged.insert(cell)
            }
        }
        let outside = cells.filter { $0.key <= place.above || $0.key > place.upTo }
        // If most keys are outside the range, the page or its range is wrong as a whole.
        if outside.count * 2 < cells.count {
            strays += outside.map { (place.page, $0.cell) }
            damaged.formUnion(outside.map(\.cell))
            cells.removeAll { damaged.contains($0.cell) }
        }
        let strange = strangers(cells.map(\.key))
        for (place, cell) in cells.enumerated() where strange.contains(place) {
            damaged.insert(cell.cell)
        }
        if page.claimsTooMany { isBehindDamage = true }
        for cell in 0..<page.cellCount {
            guard !damaged.contains(cell), record.read(cell, of: page, in: file) else {
                isBehindDamage = true
                continue
            }
            guard hasNullKey, isOwn?(row()) ?? true else {
                isBehindDamage = true
                strays.append((place.page, cell))
                continue
            }
            try tell(body)
        }
    }

    /// Returns whether the store may have assigned a key.
    private func mayBeKey(_ key: Int64) -> Bool { key > 0 && key <= last ?? .max }

    /// Whether the record has as many values as one of the table.
    ///
    /// Records of objects are shorter if they were written before a column was added.
    private var hasWidth: Bool {
        let count = record.cells.count
        return shape.alias == nil ? count == shape.width : count <= shape.width
    }

    /// Whether the record has null in the place of the column that is the row's key.
    private var hasNullKey: Bool {
        guard let alias = shape.alias, alias < record.cells.count else { return true }
        return record.cells[alias].kind == .null
    }

    /// Returns the indexes of keys that do not fit between those before and after them.
    private func strangers(_ keys: [Int64]) -> Set<Int> {
        var strange: Set<Int> = []
        for _ in 0..<Self.roundsMax {
            let rest = keys.indices.filter { !strange.contains($0) }
            guard rest.count <= Self.comparedMax,
                zip(rest, rest.dropFirst()).contains(where: { keys[$0] >= keys[$1] })
            else { break }
            // A wrong key conflicts with many others, each of which conflicts only with it.
            var conflicts = [Int](repeating: 0, count: keys.count)
            for (position, place) in rest.enumerated() {
                for other in rest[(position + 1)...] where keys[place] >= keys[other] {
                    conflicts[place] += 1
                    conflicts[other] += 1
                }
            }
            let most = conflicts.max() ?? 0
            // If two keys conflict only with each other, it is unknown which one is wrong.
            guard most > 1 else { break }
            strange.formUnion(keys.indices.filter { conflicts[$0] == most })
        }
        // If there are more, the number of cells is wrong, and the wrong keys are unknown.
        if strange.count * 4 > keys.count { return [] }
        return strange
    }

    /// Calls the body with the record, unless its key occurred before.
    private mutating func tell(
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        let id = ManagedObjectID(entityNumber: 0, primaryKey: record.rowID)
        guard !seen.contains(id) else { return }
        seen.insert(id)
        if isBehindDamage, record.rowID > reached {
            lose(upTo: record.rowID - 1)
            isBehindDamage = false
        }
        reached = max(reached, record.rowID)
        if !record.isWhole { doubtfulKeys.append(record.rowID) }
        try body(row())
    }

    private func row() -> SalvagedRow {
        arena.reset()
        var cells = [BulkCell.integer(record.rowID)]
        for (column, place) in shape.places.enumerated() {
            guard let place else {
                cells.append(.integer(record.rowID))
                continue
            }
            cells.append(
                place < record.cells.count
                    ? record.cells[place] : arena.cell(shape.defaults[column]))
        }
        return SalvagedRow(cells)
    }

    // MARK: Orphans

    /// Reads leaves whose parent pages are damaged, in file order.
    ///
    /// They can belong to any table, so their records must have all features of this table's
    /// records.
    private mutating func readOrphans(
        besides visited: Set<Int>, _ isOwn: (SalvagedRow) -> Bool,
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        for orphan in file.orphans(roots: shape.roots) where !visited.contains(orphan.page) {
            // Without a pointer map, the page may be a free one.
            guard orphan.isInUse || hasLostPages, let page = file.tree(orphan.page) else {
                continue
            }
            for cell in 0..<page.cellCount
            where record.read(cell, of: page, in: file) && hasWidth {
                guard mayBeKey(record.rowID), hasNullKey, isOwn(row()) else { continue }
                isBehindDamage = false
                try tell(body)
            }
        }
    }
}
