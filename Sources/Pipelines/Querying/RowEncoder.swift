import GraphStore

/// Writes the rows of a cursor as records.
struct RowEncoder<Output: ValueEncoder> {
    private let output: Output
    private let cells: CellEncoder<Output>
    private let columns: [RowColumn]

    init(_ cursor: RowCursor, to output: Output) {
        self.output = output
        columns = cursor.columns
        cells = CellEncoder(output, external: cursor.externalValues)
    }

    /// Writes the cursor's current row.
    func writeRow(of cursor: RowCursor) throws {
        output.beginRecord()
        for position in columns.indices {
            let column = columns[position]
            if column.isList {
                output.beginList()
                try cursor.forEachItem(position) { cells.write($0, column) }
                output.endList()
            } else {
                cells.write(cursor.cell(position), column)
            }
        }
        try output.endRecord()
    }
}
