import GraphModel

/// A row whose links have been looked up: what its columns and its to-manys are to hold.
struct ResolvedRow {
    /// One cell for each column of the plan.
    var cells: [BulkCell]
    /// For each to-many of the plan, the destinations; nil where the record says nothing.
    var destinations: [[Int64]?]
    /// For each to-many of the plan, objects that stay as they are, since later records have spoken
    /// of them.
    var left: [Set<Int64>]
    /// Objects at the end of one-to-ones, and of to-manys, that belong to nobody any more, each with
    /// the number of what writes it.
    var freed: [(writer: Int, key: Int64)] = []
    var freedOfManys: [(writer: Int, key: Int64)] = []

    init(_ plan: ColumnPlan) {
        cells = Array(repeating: .absent, count: plan.columns.count)
        destinations = Array(repeating: nil, count: plan.toManys.count)
        left = Array(repeating: [], count: plan.toManys.count)
    }

    /// Makes all that the row says count.
    mutating func leaveNothingOut() {
        for many in left.indices { left[many] = [] }
        freed = []
        freedOfManys = []
    }

    /// Makes the row say nothing.
    mutating func clear() {
        for column in cells.indices { cells[column] = .absent }
        for many in destinations.indices { destinations[many] = nil }
    }

    /// The first required property that is explicitly null.
    func firstNullRequirement(_ plan: ColumnPlan) -> String? {
        for column in plan.columns.indices
        where plan.columns[column].isRequired && cells[column].kind == .null {
            return plan.columns[column].property
        }
        return nil
    }

    /// The first required property that a new row would lack.
    func firstMissingRequirement(_ plan: ColumnPlan) -> String? {
        for column in plan.columns.indices
        where plan.columns[column].isRequired && cells[column].kind == .absent
            && plan.columns[column].defaultValue == .null
        {
            return plan.columns[column].property
        }
        return plan.unfilledRequirement
    }
}

/// New rows that wait to be written as a group.
struct PendingRows {
    struct Row {
        var primaryKey: Int64
        var hash: UInt64
        var token: Int64
    }

    private let width: Int
    private(set) var rows: [Row] = []
    private(set) var cells: [BulkCell] = []
    /// The smallest key that waits; keys rise.
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

    /// Whether a row with that hash of its key may be waiting.
    func mayHold(_ hash: UInt64) -> Bool {
        rows.contains { $0.hash == hash }
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
    }
}
