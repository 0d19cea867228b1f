/// A token of a predicate's text.
enum PredicateToken: Hashable {
    case word(String)
    /// `#word` or `#'any text'`: a key, even if it is spelled like a keyword.
    ///
    /// `#objectID` keeps its sign, since it is not the property `objectID`.
    case key(String)
    /// `$name`.
    case variable(String)
    /// `@count`.
    case operation(String)
    case integer(Int64)
    /// The magnitude 2⁶³, which is an integer only after a minus sign.
    case integerMinimum
    case double(Double)
    /// A number that a double cannot represent, as text.
    case decimal(String)
    case text(String)
    /// `%@`, `%K`, `%d`, and so on, without the percent sign.
    case placeholder(String)
    /// An operator or a bracket, in its canonical spelling.
    case symbol(String)
    case end
}

/// Splits a predicate's text into tokens, in one pass through its UTF-8.
struct PredicateLexer {
    let bytes: [UInt8]
    private let format: String
    var index = 0

    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// Returns the next token and the byte offset of its start.
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
            let key = try name(after: "#", from: start)
            return (.key(key == ObjectNumber.key ? ObjectNumber.explicitKey : key), start)
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

    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    func peek(_ distance: Int) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    func error(_ message: String, at offset: Int) -> GraphPredicateError {
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

    // MARK: Placeholders and symbols

    private mutating func placeholder() throws(GraphPredicateError) -> PredicateToken {
        let start = index
        index += 1
        if current == UInt8(ascii: "@") {
            index += 1
            return .placeholder("@")
        }
        let name = word()
        guard Self.placeholders.contains(name) else {
            throw error("Placeholders are %@, %K, %d, %i, %u, %x, %ld, %lu, %f, and %g", at: start)
        }
        return .placeholder(name)
    }

    private static let placeholders: Set<String> = [
        "K", "d", "D", "i", "u", "U", "x", "X", "o", "hd", "hi", "hu", "hx", "ld", "li", "lu",
        "lx", "lld", "lli", "llu", "llx", "qd", "qu", "zd", "zu", "f", "F", "lf", "e", "E", "g",
        "G", "lg",
    ]

    private mutating func symbol() throws(GraphPredicateError) -> PredicateToken {
        let first = bytes[index]
        if let canonical = Self.pair(first, peek(1) ?? 0) {
            index += 2
            return .symbol(canonical)
        }
        guard let canonical = Self.single(first) else {
            let shown =
                first < 0x20 || first == 0x7F
                ? "A control character" : "'\(Character(Unicode.Scalar(first)))'"
            throw error("\(shown) has no meaning here", at: index)
        }
        index += 1
        return .symbol(canonical)
    }

    private static func pair(_ first: UInt8, _ second: UInt8) -> String? {
        // Only these bytes can start a pair; most symbols are brackets and commas.
        guard
            first >= 0x3C && first <= 0x3E || first == 0x21 || first == 0x26 || first == 0x2A
                || first == 0x7C
        else { return nil }
        return pairs[[first, second]]
    }

    private static let pairs: [[UInt8]: String] = [
        "==": "==", "!=": "!=", "<>": "!=", "<=": "<=", "=<": "<=", ">=": ">=", "=>": ">=",
        "&&": "AND", "||": "OR", "**": "**", "<<": "<<", ">>": ">>",
    ].reduce(into: [:]) { $0[Array($1.key.utf8)] = $1.value }

    /// Returns the alternative spellings of a symbol.
    static func otherSpellings(of canonical: String) -> [String] {
        let ofTwo = pairs.filter { $0.value == canonical }.map {
            String(decoding: $0.key, as: UTF8.self)
        }
        let ofOne = singles.indices.filter { singles[$0] == canonical }.map {
            String(UnicodeScalar(UInt8($0)))
        }
        return (ofTwo + ofOne).filter { $0 != canonical }.sorted()
    }

    private static func single(_ byte: UInt8) -> String? {
        byte < 0x80 ? singles[Int(byte)] : nil
    }

    /// The symbols of one byte, indexed by the byte.
    private static let singles: [String?] = {
        var symbols = [String?](repeating: nil, count: 0x80)
        for byte in "<>+-*/(){}[],.:&|^~".utf8 {
            symbols[Int(byte)] = String(Character(Unicode.Scalar(byte)))
        }
        symbols[Int(UInt8(ascii: "="))] = "=="
        symbols[Int(UInt8(ascii: "!"))] = "NOT"
        return symbols
    }()

    /// Returns the word that begins at a byte of a text, or `nil`.
    static func word(in format: String, at offset: Int) -> String? {
        let rest = format.utf8.dropFirst(offset)
        guard let first = rest.first, startsWord(first) else { return nil }
        return String(
            decoding: rest.prefix { startsWord($0) || isDigit($0) }, as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    /// Returns whether a byte is a letter, an underscore, or not ASCII.
    static func startsWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_")
            || (byte | 0x20) &- UInt8(ascii: "a") <= 25
    }
}
