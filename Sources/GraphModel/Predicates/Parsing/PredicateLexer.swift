/// A piece of a predicate's text.
enum PredicateToken: Hashable {
    case word(String)
    /// `#word` or `#'any text'`: a key, even where it is spelt like a keyword.
    case key(String)
    /// `$name`.
    case variable(String)
    /// `@count`.
    case operation(String)
    case integer(Int64)
    /// A magnitude of 2⁶³, which only a minus makes an integer.
    case integerMinimum
    case double(Double)
    case text(String)
    /// `%@`, `%K`, `%d` and so on, without the percent sign.
    case placeholder(String)
    /// An operator or a bracket, in its canonical spelling.
    case symbol(String)
    case end
}

/// Cuts a predicate's text into tokens, in one pass over its UTF-8.
struct PredicateLexer {
    private let bytes: [UInt8]
    private let format: String
    private var index = 0

    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// The next token, and the byte where it starts.
    mutating func next() throws(GraphPredicateError) -> (token: PredicateToken, offset: Int) {
        while let byte = current, byte == 0x20 || (byte >= 9 && byte <= 13) { index += 1 }
        let start = index
        guard let byte = current else { return (.end, start) }
        if Self.isDigit(byte) { return (try number(), start) }
        if byte == UInt8(ascii: "."), let after = peek(1), Self.isDigit(after) {
            return (try number(), start)
        }
        if Self.startsWord(byte) { return (.word(word()), start) }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return (.text(try quoted()), start)
        case UInt8(ascii: "#"):
            index += 1
            if current == UInt8(ascii: "'") || current == UInt8(ascii: "\"") {
                return (.key(try quoted()), start)
            }
            return (.key(try name(after: "#", from: start)), start)
        case UInt8(ascii: "$"):
            index += 1
            return (.variable(try name(after: "$", from: start)), start)
        case UInt8(ascii: "@"):
            index += 1
            return (.operation("@" + (try name(after: "@", from: start))), start)
        case UInt8(ascii: "%"):
            return (try placeholder(), start)
        default:
            return (try symbol(), start)
        }
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func peek(_ distance: Int) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    private func error(_ message: String, at offset: Int) -> GraphPredicateError {
        GraphPredicateError(.syntax, message, at: offset, in: format)
    }

    private mutating func word() -> String {
        let start = index
        while let byte = current, Self.startsWord(byte) || Self.isDigit(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func name(
        after mark: String, from start: Int
    ) throws(GraphPredicateError) -> String {
        guard let byte = current, Self.startsWord(byte) else {
            throw error("A name is missing after '\(mark)'", at: start)
        }
        return word()
    }

    private mutating func number() throws(GraphPredicateError) -> PredicateToken {
        let start = index
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
        return .double(value)
    }

    private mutating func skipDigits() {
        while let byte = current, Self.isDigit(byte) { index += 1 }
    }

    /// Text in quotes.
    ///
    /// Escapes that are not known keep their backslash, as regular expressions
    /// and LIKE want it.
    private mutating func quoted() throws(GraphPredicateError) -> String {
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
            default: text += [byte, escaped]
            }
        }
        throw error("The quoted text never ends", at: start)
    }

    private mutating func placeholder() throws(GraphPredicateError) -> PredicateToken {
        let start = index
        index += 1
        if current == UInt8(ascii: "@") {
            index += 1
            return .placeholder("@")
        }
        let name = word()
        guard ["K", "d", "i", "ld", "li", "lld", "u", "lu", "llu", "f", "lf", "g"].contains(name)
        else {
            throw error("Placeholders are %@, %K, %d, %i, %ld and %f", at: start)
        }
        return .placeholder(name)
    }

    private mutating func symbol() throws(GraphPredicateError) -> PredicateToken {
        let first = bytes[index]
        let pair = [first, peek(1) ?? 0]
        if let canonical = Self.pairs[String(decoding: pair, as: UTF8.self)] {
            index += 2
            return .symbol(canonical)
        }
        guard let canonical = Self.singles[Character(Unicode.Scalar(first))] else {
            throw error("'\(Character(Unicode.Scalar(first)))' has no meaning here", at: index)
        }
        index += 1
        return .symbol(canonical)
    }

    private static let pairs = [
        "==": "==", "!=": "!=", "<>": "!=", "<=": "<=", "=<": "<=", ">=": ">=", "=>": ">=",
        "&&": "AND", "||": "OR",
    ]

    private static let singles: [Character: String] = [
        "=": "==", "<": "<", ">": ">", "!": "NOT", "+": "+", "-": "-", "*": "*", "/": "/",
        "(": "(", ")": ")", "{": "{", "}": "}", "[": "[", "]": "]", ",": ",", ".": ".",
        ":": ":",
    ]

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    /// Letters, the underscore and everything beyond ASCII.
    static func startsWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_")
            || (byte | 0x20) &- UInt8(ascii: "a") <= 25
    }
}
