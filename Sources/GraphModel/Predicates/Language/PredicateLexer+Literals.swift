extension PredicateLexer {
    // MARK: Numbers

    /// Reads a number: `12`, `1.5e-3`, `0x1F`, `0o17`, or `0b101`.
    mutating func number() throws(GraphPredicateError) -> PredicateToken {
        let start = index
        if current == UInt8(ascii: "0"), let radix = peek(1).flatMap(Self.radix) {
            return try integer(radix: radix)
        }
        var isInteger = true
        skipDigits()
        if current == UInt8(ascii: "."), let after = peek(1), Self.isDigit(after) {
            isInteger = false
            index += 1
            skipDigits()
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            guard let digit = current, Self.isDigit(digit) else {
                throw error("The number's exponent has no digits", at: start)
            }
            skipDigits()
        }
        if let byte = current, Self.startsWord(byte) {
            throw error("A number ends in a letter", at: index)
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger {
            if let value = Int64(text) { return .integer(value) }
            if UInt64(text) == 1 << 63 { return .integerMinimum }
        }
        guard let value = Double(text), value.isFinite else {
            throw error("The number is too large", at: start)
        }
        return Self.hasAllDigits(value, of: text) ? .double(value) : .decimal(Self.canonical(text))
    }

    /// Returns whether the double's shortest decimal form is the same number.
    private static func hasAllDigits(_ value: Double, of text: String) -> Bool {
        // A double represents up to 15 digits without loss.
        if text.utf8.count <= 15 { return true }
        guard let number = exact(text) else { return false }
        return ExactDecimal(value) == number
    }

    /// Returns the canonical text of the number if stores can hold it.
    private static func canonical(_ text: String) -> String {
        guard let number = exact(text), number.isStorable else {
            return text.first == "." ? "0" + text : text
        }
        return number.text
    }

    private static func exact(_ text: String) -> ExactDecimal? {
        // The text can start with a decimal point.
        ExactDecimal(text: text.first == "." ? "0" + text : text)
    }

    private mutating func integer(radix: UInt64) throws(GraphPredicateError) -> PredicateToken {
        let start = index
        index += 2
        var value: UInt64 = 0
        let digits = index
        while let digit = current.flatMap(Self.hexadecimal) {
            guard digit < radix else {
                throw error("A digit of \(digit) is too large for base \(radix)", at: index)
            }
            let (high, low) = value.multipliedFullWidth(by: radix)
            let (sum, overflow) = low.addingReportingOverflow(digit)
            guard high == 0, !overflow, sum <= 1 << 63 else {
                throw error("The number is too large", at: start)
            }
            value = sum
            index += 1
        }
        if index == digits { throw error("The number has no digits", at: start) }
        if let byte = current, Self.startsWord(byte) {
            throw error("A number ends in a letter", at: index)
        }
        return value == 1 << 63 ? .integerMinimum : .integer(Int64(value))
    }

    private mutating func skipDigits() {
        while let byte = current, Self.isDigit(byte) { index += 1 }
    }

    private static func radix(_ letter: UInt8) -> UInt64? {
        switch Unicode.Scalar(letter | 0x20) {
        case "x": 16
        case "o": 8
        case "b": 2
        default: nil
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt64? {
        if isDigit(byte) { return UInt64(byte - UInt8(ascii: "0")) }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 && byte >= UInt8(ascii: "A") ? UInt64(letter) + 10 : nil
    }

    // MARK: Text

    /// Reads a quoted string.
    ///
    /// Escapes are the quotes, the backslash, `\n`, `\r`, `\t`, and `\uhhhh`. Other sequences keep
    /// their backslash, which regular expressions and LIKE need.
    mutating func quoted() throws(GraphPredicateError) -> String {
        let start = index
        let quote = bytes[index]
        var text: [UInt8] = []
        index += 1
        while let byte = current {
            index += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\"), let escaped = current else {
                text.append(byte)
                continue
            }
            index += 1
            switch escaped {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): text.append(escaped)
            case UInt8(ascii: "u"):
                if let scalar = try unicodeEscape() {
                    text.append(contentsOf: Array(String(scalar).utf8))
                } else {
                    text += [byte, escaped]
                }
            default: text += [byte, escaped]
            }
        }
        throw error("The quoted text is not closed", at: start)
    }

    /// Reads the scalar of `\uhhhh`, or of two escapes that are a surrogate pair.
    ///
    /// Returns `nil` if the four digits are missing.
    private mutating func unicodeEscape() throws(GraphPredicateError) -> Unicode.Scalar? {
        let start = index - 2
        guard let unit = codeUnit(at: index) else { return nil }
        index += 4
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, current == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u"),
            let low = codeUnit(at: index + 2), (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("Half of a surrogate pair is not a character", at: start) }
        index += 6
        return scalar
    }

    private func codeUnit(at place: Int) -> UInt32? {
        guard place + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[place..<place + 4] {
            guard let digit = Self.hexadecimal(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
