/// The slower scan of tables with a multibyte delimiter or an escape byte.
extension CSVScanner {
    /// Reads the record that starts at a byte before `limit`.
    @inline(never)
    mutating func rich(
        _ start: Bytes, limit: Bytes, isFinal: Bool, target: Target, arena: ByteArena
    ) -> Outcome {
        var position = start
        var column = 0
        var high: UInt64 = 0
        while true {
            let slot = column < target.columnCount ? Int(target.slots[column]) : -1
            column += 1
            let opened = position
            let isQuoted = hasQuote && position < limit && position.pointee == quote
            if isQuoted { position += 1 }
            let field = position
            // Bytes that are not part of the text: escapes, and one of two quotes.
            var signs = 0
            let end: FieldEnd
            (position, end) =
                isQuoted
                ? endOfRichQuoted(field, limit, isFinal, &signs, &high)
                : endOfRichPlain(field, limit, isFinal, &signs, &high)
            switch end {
            case .found: break
            case .quote: return .bad(.quoteInField, at: position)
            case .incomplete:
                return isQuoted && position >= limit
                    ? .incompleteInQuotes(opened: opened) : .incomplete
            }
            if slot >= 0 {
                if !isQuoted, isNull(field, position - field, slot: slot) {
                    target.fields[slot] = Field(.null)
                } else {
                    target.fields[slot] =
                        signs == 0
                        ? Field(.string, start: field, count: position - field)
                        : plain(field, position, signs, isQuoted: isQuoted, arena: arena)
                }
            }
            let isEmpty = !isQuoted && position == field
            if isQuoted { position += 1 }
            switch delimiter(at: position, limit) {
            case .whole:
                position += dialect.delimiter.count
                continue
            case .incomplete where !isFinal: return .incomplete
            case .incomplete, .none: break
            }
            if let next = lineEnd(position, limit: limit, isFinal: isFinal) {
                if position >= limit, !isFinal { return .incomplete }
                return finish(
                    count(column, lastIsEmpty: isEmpty), end: position, next: next, high: high)
            }
            if position.pointee == 13, position + 1 >= limit, !isFinal { return .incomplete }
            return .bad(.textAfterQuote, at: position)
        }
    }

    private enum FieldEnd {
        case found, quote, incomplete
    }

    private enum Match {
        case whole, incomplete, none
    }

    /// Returns whether a delimiter starts at a position.
    ///
    /// The result is `incomplete` if the data ends within a possible delimiter.
    @inline(__always)
    private func delimiter(at position: Bytes, _ limit: Bytes) -> Match {
        guard position < limit, position.pointee == delimiter else { return .none }
        let bytes = dialect.delimiter
        for index in 1..<max(1, bytes.count) {
            if position + index >= limit { return .incomplete }
            if position[index] != bytes[index] { return .none }
        }
        return .whole
    }

    /// Finds the delimiter or the line end after an unquoted field.
    private func endOfRichPlain(
        _ field: Bytes, _ limit: Bytes, _ isFinal: Bool, _ signs: inout Int, _ high: inout UInt64
    ) -> (Bytes, FieldEnd) {
        var position = field
        while true {
            if let escape = dialect.escape {
                while position < limit, !isSign(position.pointee, escape) {
                    high |= UInt64(position.pointee)
                    position += 1
                }
                if position < limit, position.pointee == escape {
                    guard position + 1 < limit else {
                        if !isFinal { return (position, .incomplete) }
                        // An escape at the end of the data is literal.
                        position += 1
                        continue
                    }
                    high |= UInt64(position[1])
                    signs += 1
                    position += 2
                    continue
                }
            } else {
                position = endOfPlain(position, &high)
            }
            if position >= limit { return (limit, isFinal ? .found : .incomplete) }
            switch delimiter(at: position, limit) {
            case .whole: return (position, .found)
            case .incomplete where !isFinal: return (position, .incomplete)
            case .incomplete, .none: break
            }
            if lineEnd(position, limit: limit, isFinal: isFinal) != nil {
                return (position, .found)
            }
            if position.pointee == 13, position + 1 >= limit, !isFinal {
                return (position, .incomplete)
            }
            if hasQuote, position.pointee == quote { return (position, .quote) }
            // Part of a delimiter, or a CR that ends no line.
            high |= UInt64(position.pointee)
            position += 1
        }
    }

    @inline(__always)
    private func isSign(_ byte: UInt8, _ escape: UInt8) -> Bool {
        byte == escape || byte == delimiter || byte == 10 || byte == 13 || hasQuote && byte == quote
    }

    /// Finds the quote that closes a field.
    private func endOfRichQuoted(
        _ field: Bytes, _ limit: Bytes, _ isFinal: Bool, _ signs: inout Int, _ high: inout UInt64
    ) -> (Bytes, FieldEnd) {
        var position = field
        while position < limit {
            let byte = position.pointee
            high |= UInt64(byte)
            if byte == dialect.escape {
                guard position + 1 < limit else { return (limit, .incomplete) }
                high |= UInt64(position[1])
                signs += 1
                position += 2
            } else if byte == quote {
                // The next byte may be the second of two quotes.
                if position + 1 >= limit { return (position, isFinal ? .found : .incomplete) }
                guard position[1] == quote else { return (position, .found) }
                signs += 1
                position += 2
            } else {
                position += 1
            }
        }
        return (limit, .incomplete)
    }

    /// Copies a field without the bytes that are not part of its text.
    private func plain(
        _ start: Bytes, _ end: Bytes, _ signs: Int, isQuoted: Bool, arena: ByteArena
    ) -> Field {
        let count = end - start - signs
        let output = arena.allocate(count)
        var source = start
        for index in 0..<count {
            let isSign = source.pointee == dialect.escape || isQuoted && source.pointee == quote
            if isSign, source + 1 < end { source += 1 }
            output[index] = source.pointee
            source += 1
        }
        return Field(.string, start: output, count: count)
    }
}
