import SQLite

/// The values of an attribute of a small table, each of which is read when it is first asked for.
///
/// A look into memory takes a tenth of a join.
final class KnownValues {
    /// The largest key of a table whose values are kept.
    private static let keyMax: Int64 = 65_535
    private static let bytesMax = 4 << 20

    private let reading: Statement
    /// By primary key; absent until it was asked for.
    // Reached by one thread, and never from inside its own use.
    @exclusivity(unchecked) private var cells: [BulkCell]
    @exclusivity(unchecked) private var arena = ByteArena()

    /// Nil where the table may have too many rows.
    init?(of column: String, in table: String, on connection: Connection) throws(StoreError) {
        let largest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        guard (0...Self.keyMax).contains(largest) else { return nil }
        cells = Array(repeating: .absent, count: Int(largest) + 1)
        reading = try connection.prepare("SELECT \(column) FROM \(table) WHERE Z_PK = ?")
    }

    /// The value of the row that a key in a column leads to, for a batch that may not outlive this;
    /// null where there is none.
    func cell(
        _ column: Int32, of row: Statement, in batch: RowBatch
    ) throws(StoreError) -> BulkCell {
        guard !row.isNull(column) else { return .null }
        let key = row.integer(column)
        if key >= 0, key < cells.count, cells[Int(key)].kind != .absent { return cells[Int(key)] }
        defer { reading.reset() }
        reading.bind(key, at: 1)
        guard try reading.step() else { return .null }
        let cell = BulkCell(column: 0, of: reading)
        guard key >= 0, key < cells.count, arena.byteCount < Self.bytesMax else {
            return batch.arena.copy(cell)
        }
        cells[Int(key)] = arena.copy(cell)
        return cells[Int(key)]
    }
}
