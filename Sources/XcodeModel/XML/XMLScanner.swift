/// A cursor over the bytes of an XML file, with the small parts of the grammar: names, references,
/// and space.
///
/// A copy keeps its position, so that a problem can be reported where a construct begins.
struct XMLScanner {
    let bytes: [UInt8]
    private(set) var position = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Skips a byte order mark, which does not count as a column.
    mutating func skipByteOrderMark() {
        guard bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        position = 3
        lineStart = 3
    }

    // MARK: Positions

    var isAtEnd: Bool { position >= bytes.count }

    func isAtEnd(_ offset: Int) -> Bool { position + offset >= bytes.count }

    func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") {
                line += 1
                lineStart = position + 1
            }
            position += 1
        }
    }

    /// Skips space.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while let byte = peek(), byte == 0x20 || (0x9...0xD).contains(byte) { advance() }
        return position > start
    }

    func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    /// Moves past the next occurrence of a string; throws if there is none.
    ///
    /// The location of the error is the start of the search.
    mutating func skip(past text: StaticString, _ message: String) throws(XMLProblem) {
        let start = self
        while !isAtEnd {
            if starts(with: text) { return advance(text.utf8CodeUnitCount) }
            advance()
        }
        throw start.problem(message)
    }

    /// Returns bytes as a string.
    func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Returns the current location, counted from 1 in Unicode scalars.
    func place() -> (line: Int, column: Int) {
        let scalars = bytes[lineStart..<position].count { $0 & 0xC0 != 0x80 }
        return (line, scalars + 1)
    }

    /// Returns a problem at the current location.
    func problem(_ message: String) -> XMLProblem {
        let (line, column) = place()
        return XMLProblem(message: message, line: line, column: column)
    }

    // MARK: Small parts

    /// Reads a name; `what` describes its owner in messages.
    mutating func name(_ what: String) throws(XMLProblem) -> String {
        let start = position
        while let byte = peek(), Self.isNameByte(byte) { advance() }
        let name = string(start..<position)
        guard Self.isName(name) else { throw problem("\(what) needs a name here") }
        return name
    }

    /// Returns whether a string is valid as an element or attribute name; only ASCII is checked.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.allSatisfy(isNameByte) else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            && first != UInt8(ascii: "-") && first != UInt8(ascii: ".")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }

    /// Reads a reference, such as `&lt;`, `&#38;`, or `&#x1F600;`.
    mutating func reference() throws(XMLProblem) -> String {
        let rest = bytes[(position + 1)...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
            throw problem("'&' must be written as '&amp;'")
        }
        let body = string((position + 1)..<end)
        let predefined = Self.predefined[body]
        let text = if let predefined { predefined } else { try characterReference(body) }
        advance(end + 1 - position)
        return text
    }

    private static let predefined = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    private func characterReference(_ body: String) throws(XMLProblem) -> String {
        guard body.hasPrefix("#") else {
            throw problem("The entity '&\(body);' is not known; only XML's own five are read")
        }
        let digits = body.dropFirst()
        let number =
            digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number), Self.isCharacter(scalar) else {
            throw problem("'&\(body);' is not a character")
        }
        return String(scalar)
    }

    /// Returns whether XML 1.0 allows a character (section 2.2).
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: true
        default: false
        }
    }

    /// Throws if the bytes are not valid UTF-8, or contain control characters that XML does not
    /// allow.
    func checkText() throws(XMLProblem) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw problem("The file is not valid UTF-8")
        }
        let control = bytes.firstIndex { $0 < 0x20 && $0 != 0x9 && $0 != 0xA && $0 != 0xD }
        guard let control else { return }
        var copy = self
        copy.advance(control - position)
        throw copy.problem("XML has no place for the control character \(bytes[control])")
    }
}

extension UInt8 {
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
    static let ampersand = UInt8(ascii: "&")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
}
