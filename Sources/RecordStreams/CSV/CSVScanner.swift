/// Finds the fields of one CSV record (RFC 4180, with decisions where it is ambiguous).
///
/// Fields are scanned eight bytes at a time for a delimiter, a quote, or a line end. After the data
/// follow a line feed, which stops an unquoted field, and a quote, which stops a quoted field. The
/// loops therefore need no test for the end.
struct CSVScanner {
    /// How a record ended.
    enum Outcome {
        /// A record, and the first byte of the next one.
        case record(next: Bytes)
        /// The data ends inside the record.
        case incomplete
        /// The data ends inside quotes that were opened at this byte.
        case incompleteInQuotes(opened: Bytes)
        case bad(CSVFault, at: Bytes)
    }

    /// The memory to which the scanner writes the fields of a record.
    struct Target {
        var fields: UnsafeMutablePointer<Field>
        /// For each column, the index of the selected field that it fills, or -1.
        var slots: UnsafePointer<Int32>
        var columnCount: Int
    }

    /// The first byte of the delimiter; a longer delimiter is handled by `rich`.
    let delimiter: UInt8
    let quote: UInt8
    let hasQuote: Bool
    let endsAtReturn: Bool
    /// The byte that starts a comment line, or 10 if there are no comments.
    let comment: UInt8
    /// Whether the delimiter is one byte and there is no escape, so that `rich` is not needed.
    private let isPlain: Bool
    private let dropsTrailingDelimiter: Bool
    let dialect: CSVDialect
    private let delimiters: UInt64
    private let quotes: UInt64
    /// Whether an empty unquoted field is null.
    let emptyIsNull: Bool
    private let otherNulls: [[UInt8]]
    /// The null texts of single columns, by slot; empty if no column has its own.
    private var slotNulls: [[[UInt8]]] = []
    private var hasOtherNulls: Bool

    /// The number of fields of the last record.
    var fieldCount = 0
    /// The end of the last record, without its line end.
    var recordEnd: Bytes?
    /// Whether the last record may contain bytes above 0x7F, so that its UTF-8 must be validated.
    var needsValidation = false

    init(_ dialect: CSVDialect, nulls: [String]) {
        delimiter = dialect.delimiter[0]
        comment = dialect.comment ?? 10
        isPlain = dialect.isPlain
        dropsTrailingDelimiter = dialect.dropsTrailingDelimiter
        self.dialect = dialect
        quote = dialect.quote ?? 10
        hasQuote = dialect.quote != nil
        endsAtReturn = dialect.endsAtReturn
        delimiters = Words.repeating(dialect.delimiter[0])
        quotes = Words.repeating(dialect.quote ?? 10)
        emptyIsNull = nulls.contains("")
        otherNulls = nulls.filter { !$0.isEmpty }.map { Array($0.utf8) }
        hasOtherNulls = !otherNulls.isEmpty
    }

    /// Lets further texts be null in single columns.
    ///
    /// - Parameter nulls: the texts, for each slot.
    mutating func setNulls(_ nulls: [[[UInt8]]]) {
        guard nulls.contains(where: { !$0.isEmpty }) else { return }
        slotNulls = nulls
        hasOtherNulls = true
    }

    /// Reads the record that starts at a byte before `limit`.
    @inline(__always)
    mutating func record(
        _ start: Bytes, limit: Bytes, isFinal: Bool, target: Target, arena: ByteArena
    ) -> Outcome {
        guard isPlain else {
            return rich(start, limit: limit, isFinal: isFinal, target: target, arena: arena)
        }
        var position = start
        var column = 0
        var high: UInt64 = 0
        while true {
            let slot = column < target.columnCount ? Int(target.slots[column]) : -1
            column += 1
            if hasQuote, position.pointee == quote, position < limit {
                let opened = position
                var doubled = 0
                position += 1
                while true {
                    position = endOfQuoted(position, &high)
                    if position >= limit { return .incompleteInQuotes(opened: opened) }
                    if position + 1 >= limit, !isFinal { return .incomplete }
                    guard position[1] == quote, position + 1 < limit else { break }
                    doubled += 1
                    position += 2
                }
                if slot >= 0 {
                    target.fields[slot] =
                        doubled == 0
                        ? Field(.string, start: opened + 1, count: position - opened - 1)
                        : undoubled(opened + 1, position, doubled: doubled, arena: arena)
                }
                position += 1
                let byte = position.pointee
                if position < limit, byte == delimiter {
                    position += 1
                    continue
                }
                if let next = lineEnd(position, limit: limit, isFinal: isFinal) {
                    return finish(column, end: position, next: next, high: high)
                }
                if byte == 13, position + 1 >= limit, !isFinal { return .incomplete }
                return .bad(.textAfterQuote, at: position)
            }
            let field = position
            scan: while true {
                position = endOfPlain(position, &high)
                let byte = position.pointee
                if byte == delimiter { break scan }
                if let next = lineEnd(position, limit: limit, isFinal: isFinal) {
                    if position >= limit, !isFinal { return .incomplete }
                    if slot >= 0 { store(field, position, slot: slot, target: target) }
                    if field == position { column = count(column, lastIsEmpty: true) }
                    return finish(column, end: position, next: next, high: high)
                }
                if byte == 13 {
                    if position + 1 >= limit, !isFinal { return .incomplete }
                    position += 1
                    continue scan
                }
                return .bad(.quoteInField, at: position)
            }
            if slot >= 0 { store(field, position, slot: slot, target: target) }
            position += 1
        }
    }

    /// Returns the byte after the line end at a position, or `nil` if there is no line end.
    ///
    /// The end of the data counts as a line end.
    @inline(__always)
    func lineEnd(_ position: Bytes, limit: Bytes, isFinal: Bool) -> Bytes? {
        if position >= limit { return limit }
        let byte = position.pointee
        if byte == 10 { return position + 1 }
        guard byte == 13 else { return nil }
        if position + 1 < limit, position[1] == 10 { return position + 2 }
        return endsAtReturn && (position + 1 < limit || isFinal) ? position + 1 : nil
    }

    /// Returns the number of fields, without an empty last one if the dialect drops it.
    @inline(__always)
    func count(_ fields: Int, lastIsEmpty: Bool) -> Int {
        dropsTrailingDelimiter && lastIsEmpty && fields > 1 ? fields - 1 : fields
    }

    @inline(__always)
    mutating func finish(
        _ count: Int, end: Bytes, next: Bytes, high: UInt64
    ) -> Outcome {
        fieldCount = count
        recordEnd = end
        needsValidation = high & Words.highBits != 0
        return .record(next: next)
    }

    @inline(__always)
    func store(_ start: Bytes, _ end: Bytes, slot: Int, target: Target) {
        let count = end - start
        target.fields[slot] =
            isNull(start, count, slot: slot)
            ? Field(.null) : Field(.string, start: start, count: count)
    }

    /// Returns whether the unprocessed text of an unquoted field means null.
    @inline(__always)
    func isNull(_ start: Bytes, _ count: Int, slot: Int) -> Bool {
        count == 0 ? emptyIsNull : hasOtherNulls && isOtherNull(start, count, slot: slot)
    }

    @inline(never)
    private func isOtherNull(_ start: Bytes, _ count: Int, slot: Int) -> Bool {
        let text = UnsafeBufferPointer(start: start, count: count)
        func isText(_ null: [UInt8]) -> Bool { null.count == count && null.elementsEqual(text) }
        return otherNulls.contains(where: isText)
            || slot < slotNulls.count && slotNulls[slot].contains(where: isText)
    }

    @inline(__always)
    func endOfPlain(_ start: Bytes, _ high: inout UInt64) -> Bytes {
        var position = start
        while true {
            let word = Words.load(position)
            high |= word
            let feeds = word ^ 0x0A0A_0A0A_0A0A_0A0A
            let returns = word ^ 0x0D0D_0D0D_0D0D_0D0D
            let separators = word ^ delimiters
            let marked = word ^ quotes
            let ends =
                ((feeds &- Words.ones) & ~feeds) | ((returns &- Words.ones) & ~returns)
                | ((separators &- Words.ones) & ~separators) | ((marked &- Words.ones) & ~marked)
            let marks = ends & Words.highBits
            if marks != 0 { return position + (marks.trailingZeroBitCount &>> 3) }
            position += 8
        }
    }

    @inline(__always)
    func endOfQuoted(_ start: Bytes, _ high: inout UInt64) -> Bytes {
        var position = start
        while true {
            let word = Words.load(position)
            high |= word
            let marked = word ^ quotes
            let marks = (marked &- Words.ones) & ~marked & Words.highBits
            if marks != 0 { return position + (marks.trailingZeroBitCount &>> 3) }
            position += 8
        }
    }

    @inline(never)
    private func undoubled(
        _ start: Bytes, _ end: Bytes, doubled: Int, arena: ByteArena
    ) -> Field {
        let count = end - start - doubled
        let output = arena.allocate(count)
        var source = start
        for index in 0..<count {
            output[index] = source.pointee
            source += source.pointee == quote ? 2 : 1
        }
        return Field(.string, start: output, count: count)
    }
}
