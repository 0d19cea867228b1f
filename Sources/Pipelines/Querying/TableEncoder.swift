import Diagnostics
import GraphStore
import RecordStreams

/// How a table is drawn.
package struct TableStyle: Sendable, Hashable {
    /// The columns of the terminal; nil where there is none, and the table may be as wide as its
    /// columns want, from 80 on.
    package var width: Int?
    /// The header is bold and nil is faint.
    package var isColoured: Bool

    /// Makes a style.
    package init(width: Int?, isColoured: Bool = false) {
        self.width = width
        self.isColoured = isColoured
    }
}

/// Writes records as a table that fits the terminal.
///
/// The first rows are kept back until their widths are known; from then on rows go out as they
/// come, and what is wider is cut. A column that does not fit is left out, and `…` in the header
/// says so; without a terminal all of them fit.
final class TableEncoder: ValueEncoder {
    /// A column as it is to be shown.
    struct Column {
        var name: String
        /// Shown at the right, and not cut while there is room.
        var isNumeric: Bool
        var mayBeCut: Bool
        /// Its numbers are counts, with commas between thousands; values are shown as they are.
        var isCount = false
    }

    private struct Cell {
        var text: String
        var width: Int
        var isNull = false
    }

    private static let sampleRowsMax = 200
    /// What a number of a later row may have more than those of the first ones.
    private static let digitsToCome = 3
    private static let flushByteCount = 64 * 1024
    /// Of a value, no more is kept before the layout is known.
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

    /// The names of the columns that did not fit; known once rows go out.
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
        add(isCount ? RecordCounts.grouped(Int(value)) : String(value))
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
            // What is beyond the width is not seen, however long the list.
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

    /// Lays the table out by the rows so far, and writes them.
    private func begin() throws(RecordStreamError) {
        let digitsToCome = sample.count < Self.sampleRowsMax ? 0 : Self.digitsToCome
        let wanted = columns.enumerated().map { position, column in
            TableLayout.Column(
                nameWidth: DisplayWidth.columns(column.name),
                valueWidth: sample.reduce(0) { max($0, $1[position].width) }
                    + (column.isNumeric ? digitsToCome : 0),
                mayBeCut: column.mayBeCut)
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
        if style.isColoured { append("\u{1B}[1m") }
        append(line(names, widths, isHeader: true))
        append(style.isColoured ? "\u{1B}[0m\n" : "\n")
        append(widths.map { String(repeating: "-", count: $0) }.joined(separator: gap))
        append("\n")
        for row in sample { try write(row) }
        sample = []
        // A person sees the first page while the rest is still sought.
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
        // Blanks that are owed, so that none stand at the end.
        var blanks = 0
        // A number that is longer than expected takes what the table leaves free, if it can.
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
            if cell.isNull, style.isColoured {
                line.append(contentsOf: "\u{1B}[2m\(cell.text)\u{1B}[0m")
            } else {
                line.append(contentsOf: cell.text)
            }
            blanks += (isRight ? 0 : padding) + TableLayout.gap
        }
        return line
    }

    private func isWhole(_ position: Int) -> Bool {
        position < columns.count && !columns[position].mayBeCut
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
