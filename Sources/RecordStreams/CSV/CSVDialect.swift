/// How the bytes of a CSV input are to be taken.
struct CSVDialect {
    /// At least one byte.
    var delimiter: [UInt8]
    /// The quote, or nil where quotes are data.
    var quote: UInt8?
    /// Whether a lone CR ends a record: only where the first line of the file ends so.
    var endsAtReturn = false
    /// The byte with which lines begin that are no records.
    let comment: UInt8?
    /// The byte behind which a byte stands for itself.
    let escape: UInt8?
    /// Whether a delimiter at the end of a line begins no field.
    let dropsTrailingDelimiter: Bool

    /// Whether each record is as RFC 4180 has it, but for its signs and what ends its line.
    var isPlain: Bool { delimiter.count == 1 && escape == nil }

    /// Whether quotes alone tell where records end.
    var canBeCut: Bool {
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
                    reason: "Delimiter, quote, comment and escape must be different characters, "
                        + "the last three of ASCII"),
                in: source)
        }
    }

    /// Where what comes before the header or the first record ends: lines that are read over,
    /// comments, and blank lines between them.
    ///
    /// - Parameters:
    ///   - lines: how many lines are read over.
    ///   - comments: whether comments and blank lines may follow. Without a header they stand
    ///     between records, where a blank line may be one.
    ///   - lineBytesMax: how long each of these lines may be, in bytes, without its line end.
    ///   - bytesMax: how long they may be together: they are in memory until the header is read.
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
            // Whether an LF follows a CR must show.
            if end >= bytes.count || bytes[end] == 13 && end + 1 == bytes.count, !isFinal {
                return .goesOn
            }
            if end + 1 < bytes.count, bytes[end] == 13, bytes[end + 1] == 10 { end += 1 }
            place = min(end + 1, bytes.count)
            left = max(0, left - 1)
        }
        let mayGoOn = left > 0 || comment != nil
        guard isFinal || !mayGoOn else { return .goesOn }
        return left > 0 ? .tooFewLines : .ends(at: bytes.count, blankLines: blankLines)
    }

    /// What is known of the lines before the header or the first record.
    enum Preamble {
        /// The first byte behind them, or the end of the data; and the blank ones behind those that
        /// are read over.
        case ends(at: Int, blankLines: Int)
        /// More data is needed.
        case goesOn
        /// The data ends within the lines that are read over.
        case tooFewLines
        case lineTooLong
        case tooLong
    }

    /// Whether the first line that ends outside quotes ends with a lone CR; nil where the data
    /// does not tell yet.
    ///
    /// Behind a quote that stands where none may, others tell nothing: the next line end counts.
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
