/// One way to cut the beginning of a table into rows and fields.
struct TableCut {
    var delimiter: [UInt8]
    /// What comments begin with.
    var comment: UInt8?
    /// The lines above the first row that are read over.
    var linesSkipped = 0
    /// The line of the first row, from 0 on; comments and blank lines count.
    var firstLine = 0
    var rows: [[[UInt8]]] = []

    /// The fields of the first row.
    var width: Int { rows.first?.count ?? 0 }
    var records: Int { max(0, rows.count - 1) }
    /// The records that have as many fields as the first row.
    var fitting: Int { rows.dropFirst().count { $0.count == width } }
    var isEven: Bool { fitting == records }
    /// Several columns, and each row has all of them.
    var isTable: Bool { isEven && width > 1 }
    /// At least half of the records have as many fields as the first row.
    var fitsMost: Bool { fitting * 2 >= records }
    /// The first row has texts, and below one of them are numbers, dates or UUIDs alone.
    var isHeaderProven: Bool {
        rows.count > 1 && TablePeek.isHeader(rows)
            && rows[0].indices.contains { TablePeek.isOfValues($0, rows.dropFirst()) }
    }

    /// At most so many rows at the end are a footer.
    private static let footerMax = 3

    /// Leaves out rows at the end that are narrower than the others, such as one of totals.
    ///
    /// They say nothing of the header; imports reject them.
    mutating func leaveOutFooter() {
        let last = rows.lastIndex { $0.count >= width } ?? 0
        guard last > 0, rows.count - last - 1 <= Self.footerMax else { return }
        rows.removeLast(rows.count - last - 1)
    }

    /// Whether the first row has one field and delimiters after it, as spreadsheets write a title.
    var beginsWithPaddedField: Bool {
        width > 1 && rows[0][0] != [] && rows[0].dropFirst().allSatisfy(\.isEmpty)
    }

    /// Whether a line has as many fields as the first row.
    func isRow(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        TableRows(delimiter: delimiter).fields(line).count == width
    }

    /// The same of bytes of its own.
    func isRow(_ line: [UInt8]) -> Bool { line.withUnsafeBufferPointer { isRow($0) } }
}
