/// Splits a row of a table into all of its fields, by the same rules as the table's reader.
///
/// An empty field after a delimiter at the end of a row counts, also if the table drops it.
package final class RowSplitter {
    private var scanner: CSVScanner
    private let columnCount: Int
    private let fields: UnsafeMutablePointer<Field>
    private let slots: UnsafeMutablePointer<Int32>
    private let arena = ByteArena()

    init(_ dialect: CSVDialect, columnCount: Int) {
        var dialect = dialect
        dialect.dropsTrailingDelimiter = false
        scanner = CSVScanner(dialect, nulls: [])
        self.columnCount = columnCount
        fields = .allocate(capacity: max(1, columnCount))
        slots = .allocate(capacity: max(1, columnCount))
        for index in 0..<columnCount { slots[index] = Int32(index) }
    }

    deinit {
        fields.deallocate()
        slots.deallocate()
    }

    /// Returns the fields of a row, without quotes and escapes; at most one for each column.
    ///
    /// - Parameter row: A valid row in a batch of the table's reader, whose bytes after the row the
    ///   scanner needs.
    package func fields(_ row: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
        guard let start = row.baseAddress else { return [] }
        arena.removeAll()
        let target = CSVScanner.Target(fields: fields, slots: slots, columnCount: columnCount)
        let outcome = scanner.record(
            start, limit: start + row.count, isFinal: true, target: target, arena: arena)
        guard case .record = outcome else {
            preconditionFailure("a row is split as it was read")
        }
        return (0..<min(scanner.fieldCount, columnCount)).map { Array(fields[$0].bytes) }
    }
}
