/// How the bytes of a CSV input are to be taken.
struct CSVDialect {
    var delimiter: UInt8
    /// The quote, or nil where quotes are data.
    var quote: UInt8?
    /// Whether a lone CR ends a record: only where the first line of the file ends so.
    var endsAtReturn = false

    init(format: RecordFormat, options: ReadOptions, source: String) throws(RecordStreamError) {
        delimiter = options.delimiter ?? UInt8(ascii: format == .tsv ? "\t" : ",")
        if case .byte(let byte) = options.quote { quote = byte }
        let forbidden: [UInt8] = [10, 13, 0]
        if forbidden.contains(delimiter) || quote.map(forbidden.contains) == true
            || delimiter == quote || delimiter >= 0x80 || (quote ?? 0) >= 0x80
        {
            throw RecordStreamError(
                .badDialect(
                    reason: "Delimiter and quote must be two different ASCII characters"),
                in: source)
        }
    }

    /// Whether the first line that ends outside quotes ends with a lone CR; nil where the data
    /// does not tell yet.
    ///
    /// Behind a quote that stands where none may, others tell nothing: the next line end counts.
    func firstLineEndsAtReturn(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> Bool? {
        enum Place { case fieldStart, field, quotes, afterQuote, badLine }
        var place = Place.fieldStart
        for index in bytes.indices {
            let byte = bytes[index]
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
            if byte == delimiter {
                place = .fieldStart
            } else {
                place = place == .afterQuote || byte == quote ? .badLine : .field
            }
        }
        return isFinal ? false : nil
    }
}
