import SQLite

/// Reads the rows of a table of which some pages may be damaged.
///
/// Where a read fails, the keys behind the last good one are halved again and again, so that all
/// that a lookup can still reach is found.
struct DamagedTableReader {
    private let connection: Connection
    private let table: String
    private let key: String
    private let columns: String
    private let last: Int64?
    /// Keys that could not be read, at most; whether they all were in use nobody knows.
    private(set) var lostCount = 0
    /// The first of them.
    private(set) var lostKeys: [Int64] = []
    /// All of them.
    private var lostRanges: [ClosedRange<Int64>] = []

    private static let failuresMax = 100_000
    private static let keysMax = 5

    /// - Parameter last: the largest key that was handed out, where that is known.
    init(
        _ connection: Connection, _ table: String, key: String, _ columns: [String], last: Int64?
    ) {
        self.connection = connection
        self.table = table
        self.key = key
        self.columns = columns.joined(separator: ", ")
        self.last = last
    }

    /// Calls the body with each row that can be read: its key, then its columns.
    mutating func read(
        _ body: (Statement) throws(SQLiteError) -> Void
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
        _ range: (first: Int64, last: Int64), _ body: (Statement) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Int64? {
        var reached = range.first == Int64.min ? Int64.min : range.first - 1
        var isReading = true
        do throws(SQLiteError) {
            let rows = try connection.cached(
                "SELECT \(key), \(columns) FROM \(table) NOT INDEXED WHERE \(key) BETWEEN ? AND ?"
                    + " ORDER BY \(key)")
            rows.bind(range.first, at: 1)
            rows.bind(range.last, at: 2)
            defer { rows.reset() }
            while try rows.step() {
                isReading = false
                try body(rows)
                isReading = true
                reached = rows.integer(0)
            }
            return nil
        } catch {
            guard isReading, error.isCorrupt || error.isDamagedRead else { throw StoreError(error) }
            return reached
        }
    }

    /// Whether a key is one of those that could not be read.
    func hasLost(_ key: Int64) -> Bool { lostRanges.contains { $0.contains(key) } }

    private mutating func lose(_ range: (first: Int64, last: Int64)) {
        guard range.last != Int64.max else { return }
        if let end = lostRanges.last, end.upperBound + 1 == range.first {
            lostRanges[lostRanges.count - 1] = end.lowerBound...range.last
        } else {
            lostRanges.append(range.first...range.last)
        }
        lostKeys += (range.first...range.last).prefix(Self.keysMax - lostKeys.count)
        lostCount += Int(range.last - range.first + 1)
    }
}

extension SQLiteError {
    /// A page that the file's end or a bad sector does not give: `SQLITE_IOERR`.
    var isDamagedRead: Bool { code == 10 && !isOutOfResources }
}
