/// Scans the strings, numbers, and literals of JSON (RFC 8259), each in one call.
///
/// Every function takes the first byte and returns the byte after the token, or `nil` with the
/// fault recorded. A byte that cannot continue a token must follow the end of the data.
enum JSONToken {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")

    /// Returns the closing quote of a string that starts after its opening quote.
    static func closingQuote(_ start: Bytes, end: Bytes, fault: inout JSONFault) -> Bytes? {
        var position = start
        while true {
            position = Words.endOfPlainText(position)
            let byte = position.pointee
            if byte == quote, position < end { return position }
            guard let next = special(position, end: end, fault: &fault, isLenient: false) else {
                return nil
            }
            position = next
        }
    }

    /// Skips an escape or a non-ASCII sequence inside a string.
    ///
    /// In lenient mode, the string may contain anything but the end of the data.
    @inline(never)
    static func special(
        _ position: Bytes, end: Bytes, fault: inout JSONFault, isLenient: Bool
    ) -> Bytes? {
        if position >= end { return fault.note(.incomplete, at: position) }
        let byte = position.pointee
        if byte >= 0x80 {
            switch UTF8Validation.sequence(at: position, end: end) {
            case .valid(let length): return position + length
            case .incomplete: return fault.note(.incomplete, at: position)
            case .invalid:
                return isLenient ? position + 1 : fault.note(.invalidUTF8, at: position)
            }
        }
        if byte == backslash {
            guard isLenient else { return escape(position, end: end, fault: &fault) }
            return position + 1 < end ? position + 2 : fault.note(.incomplete, at: position)
        }
        return isLenient ? position + 1 : fault.note(.controlCharacter, at: position)
    }

    /// Skips an escape, or two that form a surrogate pair.
    private static func escape(_ start: Bytes, end: Bytes, fault: inout JSONFault) -> Bytes? {
        guard start + 1 < end else { return fault.note(.incomplete, at: start) }
        switch start[1] {
        case quote, backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"): break
        default: return fault.note(.badEscape, at: start)
        }
        guard let unit = codeUnit(start + 2, end: end, fault: &fault) else { return nil }
        if unit & 0xF800 != 0xD800 { return start + 6 }
        guard unit < 0xDC00 else { return fault.note(.loneSurrogate, at: start) }
        let second = start + 6
        if second >= end { return fault.note(.incomplete, at: start) }
        guard second[0] == backslash else { return fault.note(.loneSurrogate, at: start) }
        if second + 1 >= end { return fault.note(.incomplete, at: start) }
        guard second[1] == UInt8(ascii: "u") else { return fault.note(.loneSurrogate, at: start) }
        guard let low = codeUnit(second + 2, end: end, fault: &fault) else { return nil }
        guard low & 0xFC00 == 0xDC00 else { return fault.note(.loneSurrogate, at: start) }
        return second + 6
    }

    private static func codeUnit(_ start: Bytes, end: Bytes, fault: inout JSONFault) -> UInt32? {
        var unit: UInt32 = 0
        for index in 0..<4 {
            if start + index >= end {
                _ = fault.note(.incomplete, at: start)
                return nil
            }
            guard let digit = hexDigit(start[index]) else {
                _ = fault.note(.badEscape, at: start - 2)
                return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the text of a valid string.
    static func unescaped(_ start: Bytes, count: Int) -> [UInt8] {
        let output = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, count))
        defer { output.deallocate() }
        let length = unescape(start, count: count, into: output)
        return Array(UnsafeBufferPointer(start: output, count: length))
    }

    /// Writes the text of a valid string; it is never longer than the string.
    ///
    /// - Returns: the number of bytes written.
    static func unescape(
        _ start: Bytes, count: Int, into output: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var source = start
        let end = start + count
        var target = output
        while source < end {
            if source.pointee != backslash {
                target.pointee = source.pointee
                source += 1
                target += 1
                continue
            }
            let kind = source[1]
            source += 2
            if kind == UInt8(ascii: "u") {
                var scalar = hexWord(source)
                source += 4
                if scalar & 0xFC00 == 0xD800 {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + hexWord(source + 2) & 0x3FF
                    source += 6
                }
                target = encode(scalar, into: target)
            } else {
                target.pointee = plainEscape(kind)
                target += 1
            }
        }
        return target - output
    }

    private static func hexWord(_ start: Bytes) -> UInt32 {
        var word: UInt32 = 0
        for index in 0..<4 { word = word << 4 | UInt32(hexDigit(start[index]) ?? 0) }
        return word
    }

    @inline(__always)
    private static func plainEscape(_ kind: UInt8) -> UInt8 {
        switch kind {
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "t"): 9
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        default: kind
        }
    }

    private static func encode(
        _ scalar: UInt32, into output: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let tail = { (shift: UInt32) in UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift) & 0x3F) }
        switch scalar {
        case 0..<0x80:
            output[0] = UInt8(scalar)
            return output + 1
        case 0x80..<0x800:
            output[0] = UInt8(0xC0 | scalar >> 6)
            output[1] = tail(0)
            return output + 2
        case 0x800..<0x10000:
            output[0] = UInt8(0xE0 | scalar >> 12)
            output[1] = tail(6)
            output[2] = tail(0)
            return output + 3
        default:
            output[0] = UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18)
            output[1] = tail(12)
            output[2] = tail(6)
            output[3] = tail(0)
            return output + 4
        }
    }

    /// Returns the byte after a number.
    @inline(__always)
    static func number(_ start: Bytes, end: Bytes, fault: inout JSONFault) -> Bytes? {
        var position = start
        if position.pointee == UInt8(ascii: "-") { position += 1 }
        if position.pointee == UInt8(ascii: "0") {
            position += 1
        } else {
            guard isDigit(position.pointee) else {
                return fault.unexpected(.badNumber, at: position, end: end)
            }
            repeat { position += 1 } while isDigit(position.pointee)
        }
        if position.pointee == UInt8(ascii: ".") {
            position += 1
            guard isDigit(position.pointee) else {
                return fault.unexpected(.badNumber, at: position, end: end)
            }
            repeat { position += 1 } while isDigit(position.pointee)
        }
        guard position.pointee | 0x20 == UInt8(ascii: "e") else { return position }
        position += 1
        if position.pointee == UInt8(ascii: "+") || position.pointee == UInt8(ascii: "-") {
            position += 1
        }
        guard isDigit(position.pointee) else {
            return fault.unexpected(.badNumber, at: position, end: end)
        }
        repeat { position += 1 } while isDigit(position.pointee)
        return position
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Returns the byte after `true`, `false`, or `null`.
    @inline(__always)
    static func word(
        _ start: Bytes, end: Bytes, fault: inout JSONFault, kind: inout Field.Kind
    ) -> Bytes? {
        let word = UInt32(truncatingIfNeeded: Words.load(start))
        if word == 0x6C6C_756E {
            kind = .null
            return start + 4
        }
        if word == 0x6575_7274 {
            kind = .true
            return start + 4
        }
        if word == 0x736C_6166, start[4] == UInt8(ascii: "e") {
            kind = .false
            return start + 5
        }
        return badWord(start, end: end, fault: &fault)
    }

    @inline(never)
    private static func badWord(_ start: Bytes, end: Bytes, fault: inout JSONFault) -> Bytes? {
        switch start.pointee {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            fault.note(isIncompleteWord(start, end: end) ? .incomplete : .badLiteral, at: start)
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            fault.unexpected(.badNumber, at: start, end: end)
        default: fault.unexpected(at: start, end: end)
        }
    }

    private static func isIncompleteWord(_ start: Bytes, end: Bytes) -> Bool {
        guard start + 5 > end else { return false }
        let rest = UnsafeBufferPointer(start: start, count: end - start)
        return ["true", "false", "null"].contains { word in
            rest.count < word.utf8.count && word.utf8.starts(with: rest)
        }
    }

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 10 || byte == 13 || byte == 9
    }

    /// Returns the first byte that is not white space, or the end.
    @inline(__always)
    static func skipSpace(_ start: Bytes, end: Bytes) -> Bytes {
        start.pointee > 32 ? start : skipSpaceRun(start, end: end)
    }

    @inline(never)
    private static func skipSpaceRun(_ start: Bytes, end: Bytes) -> Bytes {
        var position = start
        while position < end, isSpace(position.pointee) { position += 1 }
        return position
    }
}
