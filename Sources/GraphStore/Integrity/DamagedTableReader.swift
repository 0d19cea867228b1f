import GraphModel
import SQLite

/// Reads the rows of a table of which some pages may be damaged.
///
/// Of a file that is sound, or whose pages cannot be read apart from SQLite, SQLite reads the rows;
/// where a read fails, the keys behind the last good one are halved again and again, so that all
/// that a lookup can still reach is found. Otherwise the pages of the table are read one by one.
struct DamagedTableReader {
    let connection: Connection
    let table: String
    let key: String
    let columns: [String]
    let last: Int64?
    /// Keys that could not be read, at most; whether they all were in use nobody knows.
    var lostCount: Int { lost.count }
    /// The first of them.
    var lostKeys: [Int64] {
        Array((lost.ranges[0] ?? []).lazy.flatMap { $0 }.prefix(Self.keysMax))
    }
    /// The keys of rows that were read although their record is damaged, so that some of their values
    /// may be wrong.
    var doubtfulKeys: [Int64] = []
    /// All keys that could not be read, of an entity 0.
    var lost = ManagedObjectIDSet()

    private static let failuresMax = 100_000
    private static let keysMax = 5

    /// - Parameter last: the largest key that was handed out, where that is known.
    init(
        _ connection: Connection, _ table: String, key: String, _ columns: [String], last: Int64?
    ) {
        self.connection = connection
        self.table = table
        self.key = key
        self.columns = columns
        self.last = last
    }

    /// Calls the body with each row that can be read: its key, then its columns.
    ///
    /// - Parameters:
    ///   - file: The pages; nil lets SQLite read them.
    ///   - isOwn: Whether a row on a page of the table looks like one of its own; nil takes all.
    ///   - isOwnOrphan: Whether a row on a page that nothing leads to any more is one of the table;
    ///     nil takes none.
    mutating func read(
        pagesOf file: DamagedFile?, isOwn: ((SalvagedRow) -> Bool)? = nil,
        isOwnOrphan: ((SalvagedRow) -> Bool)? = nil,
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        if let file, let shape = TableShape(self) {
            var walk = DamagedTableWalk(file, shape, key, last)
            try walk.read(isOwn: isOwn, isOwnOrphan: isOwnOrphan, body)
            lost = walk.lost
            doubtfulKeys = walk.doubtfulKeys
            return
        }
        try readRows(body)
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
                // Only damage makes it worth knowing where the keys end.
                let end =
                    last ?? (try? connection.integer("SELECT max(\(key)) FROM \(table)")) ?? nil
                let first = reached == Int64.min ? 1 : reached + 1
                if let end, first <= end {
                    ranges.append((end + 1, Int64.max))
                    ranges.append((first, end))
                } else if end == nil {
                    ranges.append((first, first + Int64(Self.failuresMax)))
                }
            } else if reached >= range.first, reached < range.last {
                ranges.append((reached + 1, range.last))
            } else if reached >= range.last {
                // Damage right behind the range, all of which was read.
                continue
            } else if range.first == range.last || range.last == Int64.max {
                if range.last != Int64.max { lose(range) }
            } else {
                let middle = range.first + (range.last - range.first) / 2
                ranges.append((middle + 1, range.last))
                ranges.append((range.first, middle))
            }
        }
    }

    /// Reads a range of keys.
    ///
    /// - Returns: the last key before damage, one before the range where that comes at once; nil
    ///   where the range was read to its end.
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
                // Keys that do not rise would be read for ever.
                guard rows.integer(0) > reached || reached == Int64.min else { return reached }
                reached = rows.integer(0)
            }
            return nil
        } catch {
            guard isReading, error.isDamage || error.isDamagedRead else { throw error }
            return reached
        }
    }

    /// Whether a key is one of those that could not be read.
    func hasLost(_ key: Int64) -> Bool {
        lost.contains(ManagedObjectID(entityNumber: 0, primaryKey: key))
    }

    private mutating func lose(_ range: (first: Int64, last: Int64)) {
        guard range.last != Int64.max, range.first <= range.last else { return }
        lost.insert(keys: range.first...range.last, entityNumber: 0)
    }
}

/// A row as SQLite reads it, or as the bytes of a damaged page say.
struct SalvagedRow {
    private let statement: Statement?
    private let cells: [BulkCell]

    /// The row that a statement stands at.
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

    /// 0 if the column does not hold an integer.
    func integer(_ column: Int) -> Int64 {
        if let statement { return statement.integer(Int32(column)) }
        return cells[column].kind == .integer ? cells[column].integerValue : 0
    }

    /// Binds a column; a row of a damaged page must be there until the other statement has run.
    func bind(_ column: Int, to other: Statement, at index: Int32) {
        if let statement {
            other.bind(column: Int32(column), of: statement, at: index)
        } else {
            cells[column].bind(to: other, at: index)
        }
    }
}
