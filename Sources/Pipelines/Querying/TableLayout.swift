/// The widths of a table's columns, and the columns that fit.
struct TableLayout: Hashable {
    /// The data about a column before the layout.
    struct Column: Hashable {
        /// The width of its name on the terminal.
        var nameWidth: Int
        /// The width of its widest value.
        var valueWidth: Int
        /// Whether part of a value is useful, as for text, but not for a number or a date.
        var mayBeTruncated: Bool
    }

    /// The width between two columns.
    static let gap = 2
    /// The minimum widths to which a text and a column's name are truncated.
    private static let textWidthMin = 10
    private static let nameWidthMin = 6
    private static let readableWidth = 40

    /// The width of each column that fits, starting with the first.
    let widths: [Int]

    /// Computes the widths with which a table fits the terminal.
    ///
    /// - Parameter width: the width of the terminal in columns.
    init(_ columns: [Column], width: Int) {
        let widest = columns.map { max($0.nameWidth, $0.valueWidth, 1) }
        var widths = zip(columns, widest).map { column, widest in
            let value = column.mayBeTruncated ? min(Self.textWidthMin, widest) : column.valueWidth
            return max(1, value, min(column.nameWidth, Self.nameWidthMin))
        }
        var left = width
        var count = 0
        for (position, least) in widths.enumerated() {
            let needed = least + (position == 0 ? 0 : Self.gap)
            // After the last visible column, reserve space for the mark of hidden columns.
            let mark = position == widths.count - 1 ? 0 : Self.gap + 1
            guard position == 0 || left >= needed + mark else { break }
            left -= needed
            count += 1
        }
        if count < widths.count { left -= Self.gap + 1 }
        widths.removeSubrange(count...)
        // The first column is always visible.
        if left < 0, count > 0 { widths[0] = max(1, widths[0] + left) }
        // Widen names first: no text is widened while a name is truncated.
        let named = zip(columns, widths).map { max($0.nameWidth, $1) }
        Self.widen(&widths, upTo: named, by: &left)
        Self.widen(&widths, upTo: widest, by: &left)
        self.widths = widths
    }

    /// Returns the width at which no column is left out, no name is truncated, and texts have a
    /// readable width.
    static func wholeWidth(_ columns: [Column]) -> Int {
        let wanted = columns.map { column in
            let value =
                column.mayBeTruncated ? min(readableWidth, column.valueWidth) : column.valueWidth
            return max(column.nameWidth, value, 1)
        }
        return wanted.reduce(gap * max(0, columns.count - 1), +)
    }

    /// Distributes the remaining width, one column at a time, to the narrowest column that needs
    /// more.
    private static func widen(_ widths: inout [Int], upTo widest: [Int], by left: inout Int) {
        while left > 0 {
            let wanting = widths.indices.filter { widths[$0] < widest[$0] }
            guard let narrowest = wanting.min(by: { widths[$0] < widths[$1] }) else { return }
            widths[narrowest] += 1
            left -= 1
        }
    }
}
