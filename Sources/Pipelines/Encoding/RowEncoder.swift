import GraphStore

/// Writes the rows of a cursor as records.
struct RowEncoder<Output: ValueEncoder> {
    private let output: Output
    private let cells: CellEncoder<Output>
    private let columns: [RowColumn]
    private let faults: TextFaults
    private let missing: MissingFiles

    /// Creates an encoder that writes the rows of a cursor to an output.
    ///
    /// - Parameter count: The number of the cursor's columns to write; `nil` for all.
    init(
        _ cursor: RowCursor, columns count: Int? = nil, to output: Output, _ missing: MissingFiles
    ) {
        self.missing = missing
        self.output = output
        columns = Array(cursor.columns.prefix(count ?? .max))
        faults = TextFaults(cursor)
        cells = CellEncoder(output, external: cursor.externalValues, missing)
    }

    /// Writes one row of a batch.
    func write(_ row: Int, of batch: RowBatch) throws {
        let values = batch.row(row)
        output.beginRecord()
        for position in columns.indices {
            let cell = values[position]
            if columns[position].isList {
                repeat {
                    output.beginList()
                    for item in 0..<cell.listCount {
                        cells.write(batch.item(cell.listStart + item), columns[position])
                    }
                } while output.endList()
            } else {
                cells.write(cell, columns[position])
            }
        }
        guard !output.hasInvalidText else { throw faults.fault(in: row, of: batch) }
        try missing.check(row, of: batch)
        try output.endRecord()
    }
}
