/// Where a table begins that has other lines above its header: a title, or comments.
///
/// ```
/// Report of
///                 two lines are skipped
/// id,name,price
/// 1,Pen,2.5
/// ```
/// Nothing is taken for such lines if all rows have as many fields as the first one.
struct TableStart {
    /// The lines above the header; 0 if they are comments.
    private(set) var linesSkipped = 0
    /// What comments begin with.
    private(set) var comment: UInt8?
    private(set) var delimiter: UInt8 = 0
    private(set) var rows: [[[UInt8]]] = []

    private static let linesMax = 20
    private static let rowsMax = 100
    private static let sign = UInt8(ascii: "#")

    init?(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool, delimiters: [UInt8]) {
        let starts = Self.lineStarts(bytes)
        for delimiter in delimiters {
            let table = TableRows(delimiter: delimiter)
            for (line, start) in starts.enumerated().dropFirst() where !Self.isBlank(bytes, start) {
                let rest = UnsafeBufferPointer(rebasing: bytes[start...])
                let found = table.rows(rest, isWhole: isWhole, limit: Self.rowsMax)
                let above = starts[..<line].filter { !Self.isBlank(bytes, $0) }
                guard let width = found.first?.count, width > 1, found.count > 1,
                    found.allSatisfy({ $0.count == width }), TablePeek.isHeader(found),
                    above.allSatisfy({ Self.isApart($0, bytes, table) })
                else { continue }
                let areComments = above.allSatisfy { bytes[$0] == Self.sign }
                let isTold =
                    areComments || above.count < line
                    || found[0].indices.contains { TablePeek.isOfValues($0, found.dropFirst()) }
                guard isTold, !above.isEmpty, width > (rows.first?.count ?? 1) else { break }
                if areComments, bytes[start] != Self.sign {
                    (linesSkipped, comment) = (0, Self.sign)
                } else {
                    (linesSkipped, comment) = (line, nil)
                }
                (self.delimiter, rows) = (delimiter, found)
                break
            }
        }
        if rows.isEmpty { return nil }
    }

    /// Whether a line has one field only, or is a comment.
    private static func isApart(
        _ start: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ table: TableRows
    ) -> Bool {
        let line = bytes[start...].prefix { $0 != 10 && $0 != 13 }
        return line.first == sign || table.fields(UnsafeBufferPointer(rebasing: line)).count == 1
    }

    private static func isBlank(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        start >= bytes.count || bytes[start] == 10 || bytes[start] == 13
    }

    /// Where the first lines begin.
    private static func lineStarts(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
        var starts = [0]
        for place in bytes.indices where bytes[place] == 10 {
            starts.append(place + 1)
            if starts.count > linesMax { break }
        }
        return starts
    }
}
