/// The widths of a table's columns, and which of them fit.
struct TableLayout: Hashable {
    /// What is known of a column before it is laid out.
    struct Column: Hashable {
        /// The columns of the terminal that its name takes.
        var nameWidth: Int
        /// Those of its widest value.
        var valueWidth: Int
        /// Part of a value is of use, as it is of text; part of a number or a date is not.
        var mayBeCut: Bool
    }

    /// Between two columns.
    static let gap = 2
    /// A text is not cut to less than this, nor a name.
    private static let textWidthMin = 10
    private static let nameWidthMin = 6
    private static let readableWidth = 40

    /// The width of each column that fits, from the first one on.
    let widths: [Int]

    /// - Parameter width: the columns of the terminal.
    init(_ columns: [Column], width: Int) {
        let widest = columns.map { max($0.nameWidth, $0.valueWidth, 1) }
        var widths = zip(columns, widest).map { column, widest in
            let value = column.mayBeCut ? min(Self.textWidthMin, widest) : column.valueWidth
            return max(1, value, min(column.nameWidth, Self.nameWidthMin))
        }
        var left = width
        var count = 0
        for (position, least) in widths.enumerated() {
            let needed = least + (position == 0 ? 0 : Self.gap)
            // Behind the last one that is shown there must be room for the sign that others are
            // not.
            let mark = position == widths.count - 1 ? 0 : Self.gap + 1
            guard position == 0 || left >= needed + mark else { break }
            left -= needed
            count += 1
        }
        if count < widths.count { left -= Self.gap + 1 }
        widths.removeSubrange(count...)
        // The first column is shown in any case.
        if left < 0, count > 0 { widths[0] = max(1, widths[0] + left) }
        // Names come first: no text is widened while one of them is cut.
        let named = zip(columns, widths).map { max($0.nameWidth, $1) }
        Self.widen(&widths, upTo: named, by: &left)
        Self.widen(&widths, upTo: widest, by: &left)
        self.widths = widths
    }

    /// The width at which no column is left out, no name is cut, and no value to less than a text
    /// needs that is to be read.
    static func wholeWidth(_ columns: [Column]) -> Int {
        let wanted = columns.map { column in
            let value = column.mayBeCut ? min(readableWidth, column.valueWidth) : column.valueWidth
            return max(column.nameWidth, value, 1)
        }
        return wanted.reduce(gap * max(0, columns.count - 1), +)
    }

    /// Gives what is left to the narrowest columns that want more.
    private static func widen(_ widths: inout [Int], upTo widest: [Int], by left: inout Int) {
        while left > 0 {
            let wanting = widths.indices.filter { widths[$0] < widest[$0] }
            guard let narrowest = wanting.min(by: { widths[$0] < widths[$1] }) else { return }
            widths[narrowest] += 1
            left -= 1
        }
    }
}
