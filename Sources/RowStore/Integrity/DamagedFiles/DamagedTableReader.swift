import GraphModel
import SQLite

/// Reads the rows of a table that may have damaged pages.
///
/// SQLite reads the rows if the file is intact. Otherwise, the pages of the table are read one by
/// one, unless SQLite cannot read the statement that created the table.
struct DamagedTableReader {
    let connection: Connection
    let table: String
    let key: String
    let columns: [String]
    let last: Int64?
    /// The largest assigned key; `nil` if it is unknown, or if rows have larger keys.
    private(set) var lastAssigned: Int64?
    private(set) var losses = TableLosses()

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
    ///   - file: the pages; `nil` if the file is intact, or if its header is unreadable.
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
    }

    /// Reads the rows through SQLite, up to the first damage.
    private mutating func readRows(
        _ body: (SalvagedRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        var isReading = true
        do throws(StoreError) {
            let rows = try connection.prepare(
                "SELECT \(key), \(columns.joined(separator: ", ")) FROM \(table) NOT INDEXED"
                    + " ORDER BY \(key)")
            while try rows.step() {
                isReading = false
                try body(SalvagedRow(rows))
                isReading = true
            }
        } catch {
            guard isReading, error.isDamage || error.isDamagedRead else { throw error }
            losses.hasOpenEnd = true
        }
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
