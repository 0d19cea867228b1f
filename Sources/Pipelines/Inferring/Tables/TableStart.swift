/// Finds the beginning of a table and its delimiter, below any title or comments.
///
/// ```
/// Report of
///                 two lines are skipped
/// id,name,price
/// 1,Pen,2.5
/// ```
/// No line is skipped if all rows have as many fields as the first one. Nor is a line that any
/// delimiter splits into at least as many fields as the header has; empty fields after a single one
/// do not count. An uncertain start is an error, since a wrong guess would lose the header or
/// records.
struct TableStart {
    /// The result of the search: the lines to skip and the delimiter, or a doubt about them.
    enum Finding {
        case split(TableSplit)
        /// No way to split the bytes into rows is certain. The value is a possible one, or `nil` if
        /// most records match no header.
        case doubt(TableSplit?)
    }

    /// The maximum number of lines above the header; unlimited if all of them are comments.
    private static let titleMax = 20
    private static let linesMax = 500
    private static let rowsMax = 100
    private static let sign = UInt8(ascii: "#")

    private let bytes: UnsafeBufferPointer<UInt8>
    private let isWhole: Bool
    private let delimiters: [[UInt8]]
    private let escape: UInt8?
    /// The offset of each line, for the first lines of the file.
    private let starts: [Int]
    private let hasComments: Bool

    /// Prepares a search in the first bytes of a file.
    ///
    /// - Parameters:
    ///   - isWhole: Whether these are all bytes of the file, so that the last row is complete.
    ///   - own: The delimiter of the format: a comma or a tab.
    ///   - escape: The byte that makes the next character literal.
    init(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool, own: UInt8, escape: UInt8? = nil) {
        self.bytes = bytes
        self.escape = escape
        self.isWhole = isWhole
        let others = [UInt8(ascii: ";"), 9, UInt8(ascii: "|"), UInt8(ascii: ",")]
        delimiters = [[own]] + others.filter { $0 != own }.map { [$0] }
        starts = Self.lineStarts(bytes)
        hasComments =
            bytes.first == Self.sign
            || zip(bytes, bytes.dropFirst()).contains { $0 == 10 && $1 == Self.sign }
    }

    /// Finds the first row of the table.
    ///
    /// - Parameter hasTitle: Whether there may be other lines above the table.
    func find(hasTitle: Bool) -> Finding {
        let whole = best(comment: nil)
        if let split = withoutComments(whole) { return .split(split) }
        if whole.isTable, !whole.beginsWithPaddedField { return .split(whole) }
        var possible: TableSplit?
        if hasTitle {
            let signs = hasComments ? [nil, Self.sign] : [nil]
            for sign in signs {
                let found = cutsBelowTitle(comment: sign)
                if let split = found.certain { return .split(split) }
                possible = possible ?? found.possible
            }
        }
        return whole.isTable ? .split(whole) : uneven(whole, possible)
    }

    // MARK: Cuts

    private func split(_ delimiter: [UInt8], comment: UInt8?, at start: Int = 0) -> TableSplit {
        let rest = UnsafeBufferPointer(rebasing: bytes[start...])
        return TableSplit(
            delimiter: delimiter, comment: comment,
            rows: TableRows(delimiter: delimiter, comment: comment, escape: escape).rows(
                rest, isWhole: isWhole, limit: Self.rowsMax))
    }

    /// Returns the split into rows of equal width that has the most columns.
    ///
    /// If no delimiter gives rows of equal width, returns the split by the format's own delimiter.
    private func best(comment: UInt8?) -> TableSplit {
        var best = split(delimiters[0], comment: comment)
        for delimiter in delimiters.dropFirst() {
            let split = split(delimiter, comment: comment)
            if split.isTable, !best.isEven || split.width > best.width { best = split }
        }
        let first = starts.first { !isBlank($0) && (comment == nil || bytes[$0] != comment) }
        for delimiter in longDelimiters(first)
        where !best.isTable || delimiter[0] == best.delimiter[0] {
            let split = split(delimiter, comment: comment)
            if split.isTable, split.records > 0 { best = split }
        }
        return best
    }

    /// Returns unusual delimiters in a line, such as `||` and `£`.
    private func longDelimiters(_ start: Int?) -> [[UInt8]] {
        guard let start else { return [] }
        var signs: [String] = []
        var sign = ""
        for character in String(decoding: line(at: start), as: UTF8.self) + " " {
            let isSign =
                !character.isLetter && !character.isNumber && !character.isWhitespace
                && !"_-./\"'()#%?!*+".contains(character)
            if isSign {
                sign.append(character)
                continue
            }
            let isLong =
                sign.count > 1 || sign.first.map { "^~¦§£\u{1}\u{1F}".contains($0) } == true
            if isLong, !signs.contains(sign) { signs.append(sign) }
            sign = ""
        }
        return signs.map { Array($0.utf8) }
    }

    // MARK: Comments

    /// Returns the split of the table without lines that begin with `#`; `nil` if they are no
    /// comments.
    ///
    /// If a line below the header that begins with `#` has as many fields as the header, it is a
    /// record. The lines above the header are then a title.
    private func withoutComments(_ whole: TableSplit) -> TableSplit? {
        guard hasComments else { return nil }
        var split = best(comment: Self.sign)
        guard split.isEven, let first = starts.firstIndex(where: { !isBlank($0) }),
            let header = starts.firstIndex(where: { !isBlank($0) && bytes[$0] != Self.sign })
        else { return nil }
        let isOnTop = bytes[starts[first]] == Self.sign
        split.firstLine = header
        if whole.isEven, whole.width >= split.width {
            guard isOnTop, split.isHeaderProven else { return nil }
        } else if split.width < 2 {
            return nil
        }
        // The header may begin with the same character: `#id,name`.
        let isHeader = starts[..<header].contains { !isBlank($0) && split.isRow(line(at: $0)) }
        guard !isHeader || split.isHeaderProven else { return nil }
        if areComments(below: header, split) { return split }
        return isOnTop ? asTitle(split) : nil
    }

    /// Returns the same split, but with the comments above the header as lines to skip.
    func asTitle(_ split: TableSplit) -> TableSplit {
        var again = self.split(split.delimiter, comment: nil, at: starts[split.firstLine])
        (again.linesSkipped, again.firstLine) = (split.firstLine, split.firstLine)
        return again
    }

    /// Whether no line below the header that begins with `#` would be a record.
    private func areComments(below header: Int, _ split: TableSplit) -> Bool {
        var at = starts[header]
        while at < bytes.count {
            let line = line(at: at)
            if line.first == Self.sign, split.isRow(line) { return false }
            at += line.count + 1
        }
        return true
    }

    // MARK: Titles

    private func cutsBelowTitle(comment: UInt8?) -> (certain: TableSplit?, possible: TableSplit?) {
        var certain: TableSplit?
        var possible: TableSplit?
        for (line, start) in starts.prefix(Self.titleMax + 1).enumerated().dropFirst()
        where !isBlank(start) {
            if bytes[start] == comment { continue }
            for delimiter in delimiters + longDelimiters(start) {
                var split = split(delimiter, comment: comment, at: start)
                split.leaveOutFooter()
                guard split.isTable, split.records > 0, TablePeek.isHeader(split.rows),
                    isTitle(starts[..<line], of: split),
                    comment == nil || areComments(below: line, split)
                else { continue }
                (split.linesSkipped, split.firstLine) = (line, line)
                if split.isHeaderProven, isApart(starts[..<line], of: split) {
                    if split.width > certain?.width ?? 0 { certain = split }
                } else if split.width > possible?.width ?? 0 {
                    possible = split
                }
            }
        }
        return (certain, possible)
    }

    /// Whether the lines above are narrower than the table with every delimiter.
    private func isTitle(_ above: ArraySlice<Int>, of split: TableSplit) -> Bool {
        let lines = above.filter { !isBlank($0) && bytes[$0] != Self.sign }
        return lines.allSatisfy { start in
            (delimiters + [split.delimiter]).allSatisfy { title(at: start, $0).count < split.width }
        }
    }

    /// Returns the fields of a line above a table.
    ///
    /// In a title or a blank line, the trailing empty fields that spreadsheets add are removed.
    private func title(at start: Int, _ delimiter: [UInt8]) -> [[UInt8]] {
        let fields = TableRows(delimiter: delimiter).fields(line(at: start))
        let padding = fields.reversed().prefix(while: \.isEmpty).count
        return fields.count - padding > 1 ? fields : fields.dropLast(padding)
    }

    /// Whether lines above a table are not a header with shorter records.
    ///
    /// They are not a header if each has one field, a blank line is among them, or the first line
    /// has a value.
    private func isApart(_ above: ArraySlice<Int>, of split: TableSplit) -> Bool {
        let lines = above.filter { !isBlank($0) && bytes[$0] != Self.sign }
            .map { title(at: $0, split.delimiter) }
        return lines.allSatisfy { $0.count <= 1 } || above.contains(where: isBlank)
            || !TablePeek.isHeader(Array(lines.prefix(1)))
    }

    // MARK: Rows of several widths

    /// Returns the split with which most rows have equal width, if no split gives all rows one
    /// width.
    private func uneven(_ whole: TableSplit, _ possible: TableSplit?) -> Finding {
        let splits = delimiters.map { split($0, comment: nil) }
        let wide = splits.filter { $0.width > 1 }
        if whole.isEven {
            // One column, unless most rows have another delimiter.
            if let split = wide.first(where: { $0.fitting * 2 > $0.records }) {
                return .split(split)
            }
            if let possible, wide.contains(where: { $0.delimiter == possible.delimiter }) {
                return .doubt(possible)
            }
            let isOther = wide.contains { split in
                split.records > 1 && split.rows.count { $0.count > 1 } * 2 > split.rows.count
            }
            return isOther ? .doubt(possible) : .split(whole)
        }
        if let split = wide.first(where: \.fitsMost) { return .split(split) }
        return splits[0].fitsMost || splits[0].records < 2 ? .split(splits[0]) : .doubt(possible)
    }

    /// The widths of the first row and of the records, if a delimiter gives all records the same
    /// width and the first row another one; `nil` if none does.
    var widths: (names: Int, fields: Int)? {
        delimiters.lazy.compactMap { delimiter -> (names: Int, fields: Int)? in
            let split = split(delimiter, comment: nil)
            let widths = Set(split.rows.dropFirst().map(\.count))
            guard widths.count == 1, let fields = widths.first, fields > 1, fields != split.width
            else { return nil }
            return (split.width, fields)
        }.first
    }

    // MARK: Other delimiters

    /// Returns an unusual delimiter that may separate the fields of a one-column table; `nil` if
    /// none does.
    func likelyDelimiter(of found: TableSplit) -> String? {
        guard found.width == 1, found.records > 0, found.firstLine < starts.count else {
            return nil
        }
        let start = starts[found.firstLine]
        let signs = String(decoding: line(at: start), as: UTF8.self)
            .filter { ":=&@$<>\\/ ".contains($0) }
        let long = longDelimiters(start).filter { split($0, comment: nil, at: start).fitsMost }
        let others = Set(signs).sorted().map { Array($0.utf8) }.filter { sign in
            let split = split(sign, comment: nil, at: start)
            return split.isTable && (split.isHeaderProven || sign != [UInt8(ascii: " ")])
        }
        return (long + others).first { split($0, comment: nil, at: start).width > 1 }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Lines

    private func line(at start: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[start...].prefix { $0 != 10 && $0 != 13 })
    }

    private func isBlank(_ start: Int) -> Bool {
        start >= bytes.count || bytes[start] == 10 || bytes[start] == 13
    }

    private static func lineStarts(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
        var starts = [0]
        for place in bytes.indices where bytes[place] == 10 {
            starts.append(place + 1)
            if starts.count > linesMax { break }
        }
        return starts
    }
}
