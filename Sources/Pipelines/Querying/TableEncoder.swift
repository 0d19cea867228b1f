import Diagnostics
import RecordStreams

/// The style of a table.
package struct TableStyle: Sendable, Hashable {
    /// The width of the terminal in columns; `nil` without a terminal.
    ///
    /// The table is then at least 80 columns wide, or as wide as its columns require.
    package var width: Int?
    /// Whether the header is bold and nil is faint.
    package var isColored: Bool

    /// Creates a style.
    package init(width: Int?, isColored: Bool = false) {
        self.width = width
        self.isColored = isColored
    }
}

/// Writes records as a table that fits the terminal.
///
/// The first rows are buffered until the widths are known. Later rows are written immediately, and
/// wider values are truncated. Columns that do not fit are left out, and the header ends with `…`.
/// Without a terminal, all columns fit.
final class TableEncoder: ValueEncoder {
    /// A column of the table.
    struct Column {
        var name: String
        /// Whether it is right-aligned, and not truncated while there is space.
        var isNumeric: Bool
        var mayBeTruncated: Bool
        /// Whether the column contains counts, which are shown with a thousands separator.
        ///
        /// Other values are unchanged.
        var isCount = false
    }

    private struct Cell {
        var text: String
        var width: Int
        var isNull = false
    }

    private static let sampleRowsMax = 200
    /// The number of additional digits reserved for numbers in later rows.
    private static let digitsToCome = 3
    private static let flushByteCount = 64 * 1024
    /// The maximum width to which values are buffered before the layout is known.
    private static let valueWidthMax = 400
    private static let openWidth = 80

    private let columns: [Column]
    private let style: TableStyle
    private let output: OutputFile
    private var widthMax: Int
    private var layout: TableLayout?
    private var sample: [[Cell]] = []
    private var row: [Cell] = []
    private var items: [String]?
    private var buffer: [UInt8] = []
    private(set) var rowCount = 0

    init(columns: [Column], style: TableStyle, output: OutputFile) {
        self.columns = columns.map { column in
            var column = column
            column.name = OutputText.escaped(column.name)
            return column
        }
        self.style = style
        self.output = output
        widthMax = max(1, style.width ?? Self.valueWidthMax)
    }

    /// The names of the columns that did not fit; available after rows are written.
    var hiddenColumns: [String] {
        columns.dropFirst(layout?.widths.count ?? columns.count).map(\.name)
    }

    // MARK: Values

    func beginRecord() {
        row.removeAll(keepingCapacity: true)
    }

    func endRecord() throws(RecordStreamError) {
        rowCount += 1
        guard layout == nil else { return try write(row) }
        sample.append(row)
        if sample.count == Self.sampleRowsMax { try begin() }
    }

    func null() { add(DisplayText.null, isNull: true) }

    func bool(_ value: Bool) { add(value ? "true" : "false") }

    func integer(_ value: Int64) {
        let isCount = items == nil && row.count < columns.count && columns[row.count].isCount
        add(isCount ? Int(value).grouped : String(value))
    }

    func double(_ value: Double) { value.isFinite ? add("\(value)") : null() }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        add(DisplayText.cell(bytes, columnsMax: widthMax))
    }

    func ascii(_ bytes: UnsafeBufferPointer<UInt8>) { text(bytes) }

    func number(_ bytes: UnsafeBufferPointer<UInt8>) {
        add(String(decoding: bytes, as: UTF8.self))
    }

    func json(_ bytes: UnsafeBufferPointer<UInt8>) { text(bytes) }

    func beginList() { items = [] }

    func endList() -> Bool {
        let text = (items ?? []).joined(separator: ", ")
        items = nil
        add(DisplayText.clipped(text, columnsMax: widthMax))
        return false
    }

    private func add(_ text: String, isNull: Bool = false) {
        guard items == nil else {
            // Items beyond the width are not visible, however long the list is.
            if (items?.count ?? 0) <= widthMax { items?.append(text) }
            return
        }
        row.append(Cell(text: text, width: DisplayWidth.columns(text), isNull: isNull))
    }

    // MARK: Rows

    func finish() throws(RecordStreamError) -> OutputSummary {
        if layout == nil { try begin() }
        try flush()
        return try output.finish(rowCount: rowCount)
    }

    /// Computes the layout from the buffered rows, and writes them.
    private func begin() throws(RecordStreamError) {
        let digitsToCome = sample.count < Self.sampleRowsMax ? 0 : Self.digitsToCome
        let wanted = columns.enumerated().map { position, column in
            TableLayout.Column(
                nameWidth: DisplayWidth.columns(column.name),
                valueWidth: sample.reduce(0) { max($0, $1[position].width) }
                    + (column.isNumeric ? digitsToCome : 0),
                mayBeTruncated: column.mayBeTruncated)
        }
        if style.width == nil { widthMax = max(Self.openWidth, TableLayout.wholeWidth(wanted)) }
        let layout = TableLayout(wanted, width: widthMax)
        self.layout = layout
        var names = columns.prefix(layout.widths.count).map { column in
            Cell(text: column.name, width: DisplayWidth.columns(column.name))
        }
        var widths = layout.widths
        if !hiddenColumns.isEmpty {
            names.append(Cell(text: String(DisplayText.ellipsis), width: 1))
            widths.append(1)
        }
        if style.isColored { append("\u{1B}[1m") }
        append(line(names, widths, isHeader: true))
        append(style.isColored ? "\u{1B}[0m\n" : "\n")
        append(widths.map { String(repeating: "-", count: $0) }.joined(separator: gap))
        append("\n")
        for row in sample { try write(row) }
        sample = []
        // Show the first page while the query still runs.
        try flush()
    }

    private let gap = String(repeating: " ", count: TableLayout.gap)

    private func write(_ row: [Cell]) throws(RecordStreamError) {
        append(line(row, layout?.widths ?? []))
        append("\n")
        if buffer.count >= Self.flushByteCount { try flush() }
    }

    private func line(_ cells: [Cell], _ widths: [Int], isHeader: Bool = false) -> String {
        var line = ""
        // Pending blanks, so that a line does not end with blanks.
        var blanks = 0
        // A number that is longer than expected uses free width of the table if possible.
        var spare = widthMax - widths.reduce(TableLayout.gap * (widths.count - 1), +)
        for (position, width) in widths.enumerated() {
            var cell = cells[position]
            if cell.width > width, !isHeader, isWhole(position), cell.width - width <= spare {
                spare -= cell.width - width
            } else if cell.width > width {
                cell.text = DisplayText.clipped(cell.text, columnsMax: width)
                cell.width = DisplayWidth.columns(cell.text)
            }
            let padding = max(0, width - cell.width)
            let isRight = position < columns.count && columns[position].isNumeric
            if isRight { blanks += padding }
            if cell.width > 0 {
                line.append(contentsOf: String(repeating: " ", count: blanks))
                blanks = 0
            }
            if cell.isNull, style.isColored {
                line.append(contentsOf: "\u{1B}[2m\(cell.text)\u{1B}[0m")
            } else {
                line.append(contentsOf: cell.text)
            }
            blanks += (isRight ? 0 : padding) + TableLayout.gap
        }
        return line
    }

    private func isWhole(_ position: Int) -> Bool {
        position < columns.count && !columns[position].mayBeTruncated
    }

    private func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
    }

    private func flush() throws(RecordStreamError) {
        let bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        try bytes.withUnsafeBufferPointer { block throws(RecordStreamError) in
            try output.write(UnsafeRawBufferPointer(block))
        }
    }
}
