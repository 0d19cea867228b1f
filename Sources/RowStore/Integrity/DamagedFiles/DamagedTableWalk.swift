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
/// - A cell whose key does not fit is used if its bytes are its own, and no other row has its key.
/// - If two rows have the same key, the first one is used.
struct DamagedTableWalk {
    /// The maximum number of keys that are compared with each other, and of rounds, so that a page
    /// of noise does not take long.
    private static let comparedMax = 1024
    private static let roundsMax = 64

    private let file: DamagedFile
    private let shape: TableShape
    /// Whether the rows are objects, whose keys are positive and counted by `Z_MAX`.
    private let holdsObjects: Bool
    /// The largest assigned key, if it is known.
    private(set) var last: Int64?
    /// Whether rows prove that keys after the counter were assigned.
    private(set) var isLastWrong = false
    private let record = DamagedRecord()
    private let arena = ArenaBox()
    private(set) var losses = TableLosses()
    /// The number of cells that are not used, on pages that were read.
    private var unreadableCells = 0
    private var readPages = 0
    private var seen = ManagedObjectIDSet()
    /// The largest key so far.
    private var reached: Int64 = 0
    /// Whether data after the largest key could not be read.
    private var isBehindDamage = false
    /// The cells that are used only if no other row has their key.
    ///
    /// Their keys are outside the range of their page or not in order, or their records look like
    /// those of another table.
    private var strays: [(page: Int, cell: Int)] = []
    /// The cells of objects whose keys the store may not have assigned.
    private var suspects: [(page: Int, cell: Int)] = []
    /// Whether a page could not be read, or one that leads to others.
    private var hasLostPages = false

    /// A single key up to this one is used although the counter of keys is smaller.
    ///
    /// The counter of the new store is at least as large, so a larger key would use it up.
    private static let unassignedKeyMax: Int64 = 1 << 40

    init(_ file: DamagedFile, _ shape: TableShape, _ key: String, _ last: Int64?) {
        self.file = file
        self.shape = shape
        self.last = last
        holdsObjects = key == "Z_PK"
    }

    /// Calls the body with every row that can be read from the pages of the table.
    ///
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
            case .tableLeaf:
                readPages += 1
                try readLeaf(page, next, isOwn, body)
            case .tableInterior:
                readPages += 1
                waiting += branches(of: page, next.above, next.upTo).reversed()
            case .indexLeaf, .indexInterior: notePageDamage()
            }
        }
        if isBehindDamage {
            if let last, !isLastWrong { lose(upTo: last) } else { losses.hasOpenEnd = true }
        }
        for stray in strays {
            guard let page = file.tree(stray.page), record.read(stray.cell, of: page, in: file),
                !hasSeen(record.rowID)
            else {
                unreadableCells += 1
                continue
            }
            isBehindDamage = false
            try emit(body)
        }
        if let isOwnOrphan { try readOrphans(besides: visited, isOwnOrphan, body) }
        try readSuspects(isOwn, body)
        losses.keys.subtract(seen)
        limitLost()
    }

    /// Limits the lost rows to the cells that were not read.
    ///
    /// The keys between two rows may never have been used.
    private mutating func limitLost() {
        let unreadPages = hasLostPages ? file.pageCount - readPages : 0
        losses.count = min(
            losses.keys.count, unreadableCells + unreadPages * file.leafCellsMax)
        guard unreadableCells == 0, !hasLostPages else { return }
        losses.keys = ManagedObjectIDSet()
        losses.hasOpenEnd = false
    }

    private mutating func notePageDamage() {
        isBehindDamage = true
        hasLostPages = true
    }

    private mutating func lose(upTo key: Int64) {
        // A wrong key can be much larger than all others.
        let key = min(key, last ?? key)
        guard reached < key else { return }
        losses.keys.insert(keys: (reached + 1)...key, entityNumber: 0)
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
        if let isOwn {
            raiseLast(by: page, isNamed: place.upTo < .max, isOwn) {
                $0 > place.above && $0 <= place.upTo
            }
        }
        var cells: [(cell: Int, key: Int64)] = []
        var damaged: Set<Int> = []
        // The damaged cells that may be used later.
        var deferred: Set<Int> = []
        for cell in 0..<page.cellCount {
            guard let payload = page.payload(ofCell: cell) else {
                damaged.insert(cell)
                continue
            }
            guard mayBeKey(payload.rowID) else {
                damaged.insert(cell)
                deferred.insert(cell)
                suspects.append((place.page, cell))
                continue
            }
            cells.append((cell, payload.rowID))
        }
        // `above` is `Int64.min` if no page gives a lower limit.
        let outside = cells.filter {
            $0.key <= place.above && place.above > .min || $0.key > place.upTo
        }
        // If most keys are outside the range, the page or its range is wrong as a whole.
        if outside.count * 2 < cells.count {
            strays += outside.map { (place.page, $0.cell) }
            damaged.formUnion(outside.map(\.cell))
            deferred.formUnion(outside.map(\.cell))
            cells.removeAll { damaged.contains($0.cell) }
        }
        let strange = strangers(cells.map(\.key)).map { cells[$0].cell }
        damaged.formUnion(strange)
        let moved = movedCells(strange, of: page, isOwn)
        strays += moved.map { (place.page, $0) }
        deferred.formUnion(moved)
        if page.claimsTooMany { isBehindDamage = true }
        for cell in 0..<page.cellCount {
            guard !damaged.contains(cell), record.read(cell, of: page, in: file) else {
                isBehindDamage = true
                if !deferred.contains(cell) { unreadableCells += 1 }
                continue
            }
            guard hasNullKey, isOwn?(row()) ?? true else {
                isBehindDamage = true
                strays.append((place.page, cell))
                continue
            }
            try emit(body)
        }
    }

    /// Returns the cells that contain complete rows, although their keys are not in order.
    ///
    /// The order of the pointers does not show which records they lead to.
    private func movedCells(
        _ strange: [Int], of page: DamagedPage, _ isOwn: ((SalvagedRow) -> Bool)?
    ) -> [Int] {
        guard !strange.isEmpty else { return [] }
        let separate = page.separateCells()
        return strange.sorted().filter { cell in
            separate.contains(cell) && record.read(cell, of: page, in: file) && isWholeRow
                && isOwn?(row()) ?? true
        }
    }

    /// Returns whether the store may have assigned a key.
    private func mayBeKey(_ key: Int64) -> Bool {
        !holdsObjects || key > 0 && key <= last ?? KeyAllocator.counterMax
    }

    /// Raises the largest assigned key if rows of a leaf prove that it is too small.
    ///
    /// The counter of keys is one witness. Complete rows at the end of a leaf are others if their
    /// keys are in order. One row alone proves nothing, because its key may be damaged.
    ///
    /// - Parameters:
    ///   - isNamed: whether the page above has a key that is as large as the largest of the leaf,
    ///     so that one row is enough.
    ///   - isInRange: whether a key is in the range of the leaf.
    private mutating func raiseLast(
        by page: DamagedPage, isNamed: Bool, _ isOwn: (SalvagedRow) -> Bool,
        isInRange: (Int64) -> Bool
    ) {
        guard holdsObjects, let last else { return }
        var keys: [Int64] = []
        for cell in (0..<page.cellCount).reversed() {
            guard let payload = page.payload(ofCell: cell) else { continue }
            guard payload.rowID > last else { break }
            guard isInRange(payload.rowID), record.read(payload, page.bytes, in: file),
                isWholeRow, isOwn(row())
            else { continue }
            keys.append(payload.rowID)
        }
        keys.reverse()
        let strange = strangers(keys)
        let proven = keys.indices.filter { !strange.contains($0) }.map { keys[$0] }
        guard let greatest = proven.last, proven.count > 1 || isNamed || isLastWrong,
            greatest <= Self.unassignedKeyMax,
            zip(proven, proven.dropFirst()).allSatisfy({ $0 < $1 })
        else { return }
        self.last = greatest
        isLastWrong = true
    }

    /// Whether the record was read completely and has the form of a row of the table.
    private var isWholeRow: Bool { record.isWhole && hasWidth && hasNullKey }

    /// Reads the objects whose keys the store may not have assigned.
    private mutating func readSuspects(
        _ isOwn: ((SalvagedRow) -> Bool)?, _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        for suspect in suspects {
            guard let page = file.tree(suspect.page), record.read(suspect.cell, of: page, in: file),
                isWholeRow, isOwn?(row()) ?? true, !hasSeen(record.rowID)
            else {
                unreadableCells += 1
                continue
            }
            if !mayBeKey(record.rowID) {
                guard record.rowID.magnitude <= Self.unassignedKeyMax else {
                    unreadableCells += 1
                    losses.impossibleKeys.append(record.rowID)
                    continue
                }
                losses.unassignedKeys.append(record.rowID)
            }
            isBehindDamage = false
            try emit(body)
        }
    }

    /// Returns whether a row with the key was found.
    private func hasSeen(_ key: Int64) -> Bool {
        seen.contains(ManagedObjectID(entityNumber: 0, primaryKey: key))
    }

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
            let most = conflicts.reduce(0, max)
            // If two keys conflict only with each other, it is unknown which one is wrong.
            guard most > 1 else { break }
            strange.formUnion(keys.indices.filter { conflicts[$0] == most })
        }
        // If there are more, the number of cells is wrong, and the wrong keys are unknown.
        if strange.count * 4 > keys.count { return [] }
        return strange
    }

    /// Calls the body with the record, unless its key occurred before.
    private mutating func emit(
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard !hasSeen(record.rowID) else { return }
        seen.insert(ManagedObjectID(entityNumber: 0, primaryKey: record.rowID))
        if isBehindDamage, record.rowID > reached {
            lose(upTo: record.rowID - 1)
            isBehindDamage = false
        }
        reached = max(reached, record.rowID)
        if !record.isWhole { losses.doubtfulKeys.append(record.rowID) }
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
            raiseLast(by: page, isNamed: false, isOwn) { _ in true }
            for cell in 0..<page.cellCount
            where record.read(cell, of: page, in: file) && hasWidth {
                guard hasNullKey, isOwn(row()) else { continue }
                guard mayBeKey(record.rowID) else {
                    suspects.append((orphan.page, cell))
                    continue
                }
                isBehindDamage = false
                try emit(body)
            }
        }
    }
}
