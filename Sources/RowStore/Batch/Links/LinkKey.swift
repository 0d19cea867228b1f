import GraphModel
import SQLite

/// The value, or values, by which a link identifies an object.
struct LinkKey {
    let first: BulkCell
    /// The other values, if the key has several.
    let others: [BulkCell]

    init(_ cell: BulkCell) {
        first = cell
        others = []
    }

    private init(_ first: BulkCell, _ others: [BulkCell]) {
        self.first = first
        self.others = others
    }

    /// Creates a key of several values; `nil` if there are no values.
    init?(_ cells: [BulkCell]) {
        guard let first = cells.first else { return nil }
        self.init(first, Array(cells.dropFirst()))
    }

    /// All values of the key, in the order of its parts.
    var cells: [BulkCell] { [first] + others }

    /// Creates a key from consecutive items of a batch.
    ///
    /// - Parameter items: The range of the values among the batch's items.
    init(_ batch: RowBatch, items: Range<Int>) {
        first = batch.item(items.lowerBound)
        others = items.dropFirst().map { batch.item($0) }
    }

    /// The hash of the key, equal to the hash of a row with these key values.
    var hash: UInt64 {
        var hash = KeyHash()
        hash.combine(first)
        for cell in others { hash.combine(cell) }
        return hash.value
    }

    /// Returns whether the columns have these values.
    func equals(columns: [Int32], of row: Statement) -> Bool {
        for (place, cell) in others.enumerated()
        where !cell.equals(column: columns[place + 1], of: row) {
            return false
        }
        return first.equals(column: columns[0], of: row)
    }

    func bind(to statement: Statement, from index: Int32) {
        first.bind(to: statement, at: index)
        for (place, cell) in others.enumerated() {
            cell.bind(to: statement, at: index + 1 + Int32(place))
        }
    }

    /// All values encoded as bytes for a cache; equal if the values are equal.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for cell in cells {
            bytes.append(cell.kind.rawValue)
            switch cell.kind {
            case .text, .blob:
                withUnsafeBytes(of: cell.bytes.count) { bytes += $0 }
                bytes += cell.bytes
            default:
                withUnsafeBytes(of: cell.integerValue) { bytes += $0 }
            }
        }
        return bytes
    }
}
