import GraphModel
import SQLite

/// Reads the rows of a table that may have damaged pages.
///
/// SQLite reads the rows if the file is intact, or if its pages can be read only through SQLite. If
/// a read fails, the range of keys after the last good one is bisected repeatedly, so that every
/// row that a lookup can reach is found. Otherwise, the pages of the table are read one by one.
struct DamagedTableReader {
    let connection: Connection
    let table: String
    let key: String
    let columns: [String]
    let last: Int64?
    /// The largest assigned key; `nil` if it is unknown, or if rows have larger keys.
    private(set) var lastAssigned: Int64?
    private(set) var losses = TableLosses()

    private static let failuresMax = 100_000

    /// Creates a reader of some columns of a table.
    ///
    /// - Parameter last: the largest key that was assigned, if it is known.
    init(
        _ connection: Connection, _ table: String, key: String, _ columns: [String], last: Int64?
    ) {
        self.connection = connection
        self.table = table
        self.key = key
        self.columns = columns
        self.last = last
        lastAssigned = last
    }

    /// Calls the body with each readable row: its key, then its columns.
    ///
    /// - Parameters:
    ///   - file: the pages; `nil` reads through SQLite.
    ///   - isOwn: whether a row on a page of the table looks like one of its rows; `nil` accepts
    ///     all.
    ///   - isOwnOrphan: whether a row on an unreferenced page belongs to the table; `nil` accepts
    ///     none.
    mutating func read(
        pagesOf file: DamagedFile?, isOwn: ((SalvagedRow) -> Bool)? = nil,
        isOwnOrphan: ((SalvagedRow) -> Bool)? = nil,
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        if let file, let shape = TableShape(self) {
            var walk = DamagedTableWalk(file, shape, key, last)
            try walk.read(isOwn: isOwn, isOwnOrphan: isOwnOrphan, body)
            losses = walk.losses
            if walk.isLastWrong || !losses.unassignedKeys.isEmpty { lastAssigned = nil }
            return
        }
        try readRows(body)
        losses.count = losses.keys.count
    }

    private mutating func readRows(
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        var ranges: [(first: Int64, last: Int64)] = [(Int64.min, Int64.max)]
        var failures = 0
        while let range = ranges.popLast() {
            guard let reached = try read(range, body) else { continue }
            failures += 1
            guard failures < Self.failuresMax else {
                lose(range)
                ranges.forEach { lose($0) }
                return
            }
            if failures == 1 {
                // The largest key is needed only if there is damage.
                let end =
                    last ?? (try? connection.integer("SELECT max(\(key)) FROM \(table)")) ?? nil
                guard reached < Int64.max else { continue }
                let first = reached == Int64.min ? 1 : reached + 1
                if let end, first <= end {
                    if end < Int64.max { ranges.append((end + 1, Int64.max)) }
                    ranges.append((first, end))
                } else if end == nil {
                    let (past, isTooLarge) = first.addingReportingOverflow(
                        Int64(Self.failuresMax))
                    ranges.append((first, isTooLarge ? Int64.max - 1 : past))
                }
            } else if reached >= range.first, reached < range.last {
                ranges.append((reached + 1, range.last))
            } else if reached >= range.last {
                // The damage is right after the range, which was read completely.
                continue
            } else if range.first == range.last || range.last == Int64.max {
                if range.last != Int64.max { lose(range) }
            } else {
                // The difference of the two keys may overflow.
                let middle = (range.first & range.last) + ((range.first ^ range.last) >> 1)
                ranges.append((middle + 1, range.last))
                ranges.append((range.first, middle))
            }
        }
    }

    /// Reads a range of keys.
    ///
    /// - Returns: the last key before damage, or the key before the range if it starts with damage;
    ///   `nil` if the range was read completely.
    private func read(
        _ range: (first: Int64, last: Int64), _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64? {
        var reached = range.first == Int64.min ? Int64.min : range.first - 1
        var isReading = true
        do throws(StoreError) {
            let rows = try connection.cached(
                "SELECT \(key), \(columns.joined(separator: ", ")) FROM \(table) NOT INDEXED"
                    + " WHERE \(key) BETWEEN ? AND ? ORDER BY \(key)")
            rows.bind(range.first, at: 1)
            rows.bind(range.last, at: 2)
            defer { rows.reset() }
            while try rows.step() {
                isReading = false
                try body(SalvagedRow(rows))
                isReading = true
                // Keys that are not ascending would cause an endless loop.
                guard rows.integer(0) > reached || reached == Int64.min else { return reached }
                reached = rows.integer(0)
            }
            return nil
        } catch {
            guard isReading, error.isDamage || error.isDamagedRead else { throw error }
            return reached
        }
    }

    private mutating func lose(_ range: (first: Int64, last: Int64)) {
        guard range.last != Int64.max, range.first <= range.last else { return }
        losses.keys.insert(keys: range.first...range.last, entityNumber: 0)
    }
}

/// The rows of a table that cannot be read, or not without doubt.
struct TableLosses {
    /// The unreadable keys, with the entity number 0.
    var keys = ManagedObjectIDSet()
    /// The maximum number of lost rows; it is not known whether all unreadable keys were in use.
    var count = 0
    /// The keys of rows that were read from a damaged record, so that some of their values may be
    /// wrong.
    var doubtfulKeys: [Int64] = []
    /// The keys of saved rows that the store may not have assigned.
    var unassignedKeys: [Int64] = []
    /// The keys of complete rows that are not saved, because no store assigns such keys.
    var impossibleKeys: [Int64] = []
    /// Whether an unknown number of rows after the largest key, which are not in `count`, cannot be
    /// read.
    var hasOpenEnd = false

    /// The first unreadable keys.
    var firstKeys: [Int64] {
        Array(keys.keys(entityNumber: 0).lazy.flatMap { $0 }.prefix(StoreFinding.keysMax + 1))
    }

    /// Whether fewer rows are lost than keys are unreadable.
    var hasUnusedKeys: Bool { count < keys.count }

    /// Whether rows may be lost that `count` does not contain.
    var mayLackOthers: Bool { count == 0 || hasUnusedKeys || hasOpenEnd }

    /// Returns whether the row with a key is certainly counted as lost.
    func hasCounted(_ key: Int64) -> Bool {
        !hasUnusedKeys && keys.contains(ManagedObjectID(entityNumber: 0, primaryKey: key))
    }
}

/// A row read by SQLite, or from the bytes of a damaged page.
struct SalvagedRow {
    private let statement: Statement?
    private let cells: [BulkCell]

    /// Creates a row from the current row of a statement.
    init(_ statement: Statement) {
        self.statement = statement
        cells = []
    }

    init(_ cells: [BulkCell]) {
        statement = nil
        self.cells = cells
    }

    func isNull(_ column: Int) -> Bool {
        statement?.isNull(Int32(column)) ?? (cells[column].kind == .null)
    }

    /// Returns the integer in a column, or 0 if it contains another type.
    func integer(_ column: Int) -> Int64 {
        if let statement { return statement.integer(Int32(column)) }
        return cells[column].kind == .integer ? cells[column].integerValue : 0
    }

    /// Binds a column; a row of a damaged page must remain valid until the other statement has run.
    func bind(_ column: Int, to other: Statement, at index: Int32) {
        if let statement {
            other.bind(column: Int32(column), of: statement, at: index)
        } else {
            cells[column].bind(to: other, at: index)
        }
    }
}
