/// The syntax of a CSV input.
struct CSVDialect {
    /// The delimiter, at least one byte.
    var delimiter: [UInt8]
    /// The quote, or `nil` if quotes are data.
    var quote: UInt8?
    /// Whether a lone CR ends a record: only if the first line of the file ends with one.
    var endsAtReturn = false
    /// The byte that starts a comment line.
    let comment: UInt8?
    /// The escape: the byte after it is literal.
    let escape: UInt8?
    /// Whether a delimiter at the end of a line starts no field.
    var dropsTrailingDelimiter: Bool

    /// Whether records follow RFC 4180, except for the delimiter, the quote, and the line end.
    var isPlain: Bool { delimiter.count == 1 && escape == nil }

    /// Whether quotes alone determine where records end.
    var canBeSplit: Bool {
        escape == nil && (quote == nil || comment == nil && delimiter.count == 1)
    }

    init(format: RecordFormat, options: ReadOptions, source: String) throws(RecordStreamError) {
        delimiter = options.delimiter ?? format.delimiter
        if case .byte(let byte) = options.quote { quote = byte }
        comment = options.comment
        escape = options.escape
        dropsTrailingDelimiter = options.dropsTrailingDelimiter
        let signs = [quote, comment, escape].compactMap(\.self)
        let forbidden: [UInt8] = [10, 13, 0]
        let isText = String(validating: delimiter, as: UTF8.self) != nil
        if delimiter.isEmpty || !isText || (delimiter + signs).contains(where: forbidden.contains)
            || signs.contains(where: { $0 >= 0x80 || delimiter.contains($0) })
            || Set(signs).count < signs.count
        {
            throw RecordStreamError(
                .badDialect(
                    reason: "Delimiter, quote, comment, and escape must be different characters, "
                        + "the last three of ASCII"),
                in: source)
        }
    }

    /// Finds the end of the lines before the header or the first record: skipped lines, comments,
    /// and blank lines between them.
    ///
    /// - Parameters:
    ///   - lines: the number of lines to skip.
    ///   - comments: whether comments and blank lines may follow. Without a header, they occur
    ///     between records, where a blank line can be a record.
    ///   - lineBytesMax: the maximum length of each of these lines in bytes, without its line end.
    ///   - bytesMax: their maximum total length, because they are in memory until the header is
    ///     read.
    func preamble(
        _ bytes: UnsafeBufferPointer<UInt8>, lines: Int, comments: Bool, lineBytesMax: Int,
        bytesMax: Int, isFinal: Bool
    ) -> Preamble {
        let comment = comments ? self.comment : nil
        var place = 0
        var left = lines
        var blankLines = 0
        while place < bytes.count {
            let byte = bytes[place]
            let isBlank = byte == 10 || byte == 13
            guard left > 0 || comment != nil && (byte == comment || isBlank) else {
                return .ends(at: place, blankLines: blankLines)
            }
            if isBlank, left == 0 { blankLines += 1 }
            var end = place
            while end < bytes.count, bytes[end] != 10, bytes[end] != 13 { end += 1 }
            guard end - place <= lineBytesMax else { return .lineTooLong }
            guard end <= bytesMax else { return .tooLong }
            // The byte after a CR must be known, because it may be an LF.
            if end >= bytes.count || bytes[end] == 13 && end + 1 == bytes.count, !isFinal {
                return .needsMore
            }
            if end + 1 < bytes.count, bytes[end] == 13, bytes[end + 1] == 10 { end += 1 }
            place = min(end + 1, bytes.count)
            left = max(0, left - 1)
        }
        let mayGoOn = left > 0 || comment != nil
        guard isFinal || !mayGoOn else { return .needsMore }
        return left > 0 ? .tooFewLines : .ends(at: bytes.count, blankLines: blankLines)
    }

    /// The result of reading the lines before the header or the first record.
    enum Preamble {
        /// The first byte after these lines, or the end of the data; and the number of blank lines
        /// after the skipped ones.
        case ends(at: Int, blankLines: Int)
        /// More data is needed.
        case needsMore
        /// The data ends within the skipped lines.
        case tooFewLines
        case lineTooLong
        case tooLong
    }

    /// Returns whether the first line that ends outside quotes ends with a lone CR, or `nil` if the
    /// data does not show it yet.
    ///
    /// After a misplaced quote, further quotes are ignored: the next line end counts.
    func firstLineEndsAtReturn(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> Bool? {
        enum Place { case fieldStart, field, quotes, afterQuote, badLine }
        var place = Place.fieldStart
        var index = -1
        while index + 1 < bytes.count {
            index += 1
            let byte = bytes[index]
            if byte == escape, place != .badLine {
                if place == .fieldStart { place = .field }
                index += 1
                continue
            }
            switch place {
            case .quotes:
                if byte == quote { place = .afterQuote }
                continue
            case .fieldStart where byte == quote, .afterQuote where byte == quote:
                place = .quotes
                continue
            default: break
            }
            if byte == 10 { return false }
            if byte == 13 {
                if index + 1 < bytes.count { return bytes[index + 1] != 10 }
                return isFinal ? true : nil
            }
            if place == .badLine { continue }
            if byte == delimiter[0], bytes[index...].starts(with: delimiter) {
                place = .fieldStart
                index += delimiter.count - 1
            } else {
                place = place == .afterQuote || byte == quote ? .badLine : .field
            }
        }
        return isFinal ? false : nil
    }
}
