import GraphModel

/// A row with resolved links: the new values of its columns and to-many relationships.
struct ResolvedRow {
    /// One cell for each column of the plan.
    var cells: [BulkCell]
    /// The targets of each to-many link of the plan; `nil` if the record does not set it.
    var destinations: [[Int64]?]
    /// For each to-many link, the objects whose links must stay unchanged, because later records
    /// have set them.
    var left: [Set<Int64>]
    /// The targets that this row took from another owner although a later record has set the row's
    /// link again, so that they end without an owner.
    ///
    /// Each has the index of its link's writer.
    var freed: [(writer: Int, key: Int64)] = []
    var freedOfManys: [(writer: Int, key: Int64)] = []

    init(_ plan: ColumnPlan) {
        cells = Array(repeating: .absent, count: plan.columns.count)
        destinations = Array(repeating: nil, count: plan.toManys.count)
        left = Array(repeating: [], count: plan.toManys.count)
    }

    /// Clears the effects of later records: the links to leave unchanged, and the freed targets.
    mutating func leaveNothingOut() {
        for many in left.indices { left[many] = [] }
        freed = []
        freedOfManys = []
    }

    /// Removes all values from the row.
    mutating func clear() {
        for column in cells.indices { cells[column] = .absent }
        for many in destinations.indices { destinations[many] = nil }
    }
}

/// New rows that will be written as a group.
struct PendingRows {
    struct Row {
        var primaryKey: Int64
        var hash: UInt64
        var token: Int64
    }

    private let width: Int
    private(set) var rows: [Row] = []
    private(set) var cells: [BulkCell] = []
    /// The smallest pending primary key; the keys ascend.
    var firstKey: Int64 { rows.first?.primaryKey ?? .max }

    init(width: Int) {
        self.width = width
    }

    var isFull: Bool { rows.count == RowStatements.groupSize }

    mutating func add(_ row: Row, _ rowCells: [BulkCell]) {
        precondition(rowCells.count == width, "A row has a cell for each column")
        precondition(row.primaryKey > rows.last?.primaryKey ?? .min, "Keys of new rows rise")
        rows.append(row)
        cells.append(contentsOf: rowCells)
    }

    func cell(_ row: Int, _ column: Int) -> BulkCell { cells[row * width + column] }

    /// Returns whether a pending row may have this key hash.
    func mayHold(_ hash: UInt64) -> Bool {
        rows.contains { $0.hash == hash }
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
    }
}
