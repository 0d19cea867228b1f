/// One way to split the beginning of a table into rows and fields: by a delimiter, after skipping
/// some lines.
struct TableSplit {
    var delimiter: [UInt8]
    /// The byte that comments begin with.
    var comment: UInt8?
    /// The number of lines above the first row that an import must skip.
    var linesSkipped = 0
    /// The zero-based line number of the first row; comments and blank lines count.
    var firstLine = 0
    var rows: [[[UInt8]]] = []

    /// The number of fields in the first row.
    var width: Int { rows.first?.count ?? 0 }
    var records: Int { max(0, rows.count - 1) }
    /// The number of rows, without the first one, that have as many fields as the first row.
    var fitting: Int { rows.dropFirst().count { $0.count == width } }
    var isEven: Bool { fitting == records }
    /// Whether there are several columns and each row has all of them.
    var isTable: Bool { isEven && width > 1 }
    /// Whether at least half of the records have as many fields as the first row.
    var fitsMost: Bool { fitting * 2 >= records }
    /// Whether the first row is a header and a column has only numbers, dates, or UUIDs below it.
    var isHeaderProven: Bool {
        rows.count > 1 && TablePeek.isHeader(rows)
            && rows[0].indices.contains { TablePeek.isOfValues($0, rows.dropFirst()) }
    }

    /// The maximum number of rows in a footer.
    private static let footerMax = 3

    /// Removes rows at the end that are narrower than the others, such as a row of totals.
    ///
    /// These rows say nothing about the header, and imports reject them.
    mutating func leaveOutFooter() {
        let last = rows.lastIndex { $0.count >= width } ?? 0
        guard last > 0, rows.count - last - 1 <= Self.footerMax else { return }
        rows.removeLast(rows.count - last - 1)
    }

    /// Whether the first row has one field followed by delimiters, as spreadsheets write a title.
    var beginsWithPaddedField: Bool {
        width > 1 && rows[0][0] != [] && rows[0].dropFirst().allSatisfy(\.isEmpty)
    }

    /// Returns whether the delimiter splits a line into as many fields as the first row.
    func isRow(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        TableRows(delimiter: delimiter).fields(line).count == width
    }

    /// Whether a line in an array has as many fields as the first row.
    func isRow(_ line: [UInt8]) -> Bool { line.withUnsafeBufferPointer { isRow($0) } }
}
