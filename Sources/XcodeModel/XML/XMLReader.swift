/// Reads the XML that model files are made of: one root, elements, attributes, text.
///
/// ```xml
/// <?xml version="1.0" encoding="UTF-8"?>
/// <model documentVersion="1.0"><entity name="Task"/></model>
/// ```
/// UTF-8 only. Comments and processing instructions are skipped; so is a DOCTYPE, whose entities
/// are never expanded, so that a small file cannot become a large one. Names with a colon are
/// names like others. Size, depth and the number of elements are limited. The first fault ends
/// the reading.
struct XMLReader {
    /// What a file may hold.
    static let bytesMax = 32 << 20
    static let depthMax = 64
    static let elementsMax = 500_000

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var elementCount = 0

    /// The root of a document.
    static func read(_ bytes: [UInt8]) throws(XMLProblem) -> XMLElement {
        var reader = XMLReader(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Documents

    private mutating func document() throws(XMLProblem) -> XMLElement {
        guard bytes.count <= Self.bytesMax else {
            throw problem("The file is larger than \(Self.bytesMax >> 20) MiB")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw problem("The file is UTF-16; only UTF-8 is read")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            lineStart = 3
        }
        try checkText()
        if starts(with: "<?xml") { try declaration() }
        try misc(allowsDoctype: true)
        guard peek() == .lessThan, !isAtEnd(1) else {
            throw problem(isAtEnd ? "The file holds no element" : "A document begins with '<'")
        }
        let root = try element(depth: 1)
        try misc(allowsDoctype: false)
        guard isAtEnd else { throw problem("Nothing may follow the root element") }
        return root
    }

    /// The encodings of the declaration that mean UTF-8.
    private mutating func declaration() throws(XMLProblem) {
        let start = position
        try skip(past: "?>", "The declaration never ends")
        let text = string(start..<position)
        guard let range = text.firstRange(of: "encoding") else { return }
        let rest = text[range.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = rest.first else { return }
        let name = rest.dropFirst().prefix { $0 != quote }.lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
            position = start
            throw problem("The encoding is \(name); only UTF-8 is read")
        }
    }

    /// Space, comments and instructions before and after the root.
    private mutating func misc(allowsDoctype: Bool) throws(XMLProblem) {
        while true {
            skipSpace()
            if starts(with: "<!--") {
                try skip(past: "-->", "The comment never ends")
            } else if starts(with: "<?") {
                try skip(past: "?>", "The instruction never ends")
            } else if allowsDoctype, starts(with: "<!DOCTYPE") {
                try doctype()
            } else {
                return
            }
        }
    }

    /// Skips a document type: brackets and quotes are counted, nothing is declared.
    private mutating func doctype() throws(XMLProblem) {
        let start = (position, line, lineStart)
        var depth = 0
        var quote: UInt8?
        while let byte = peek() {
            if let open = quote {
                if byte == open { quote = nil }
            } else if starts(with: "<!--") {
                try skip(past: "-->", "The comment never ends")
                continue
            } else {
                switch byte {
                case .quote, .apostrophe: quote = byte
                case UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case .greaterThan:
                    depth -= 1
                    if depth == 0 {
                        advance()
                        return
                    }
                default: break
                }
            }
            advance()
        }
        (position, line, lineStart) = start
        throw problem("The document type never ends")
    }

    // MARK: Elements

    private mutating func element(depth: Int) throws(XMLProblem) -> XMLElement {
        guard depth <= Self.depthMax else {
            throw problem("Elements are nested more than \(Self.depthMax) deep")
        }
        elementCount += 1
        guard elementCount <= Self.elementsMax else {
            throw problem("The file has more than \(Self.elementsMax) elements")
        }
        let start = place()
        advance()
        var element = XMLElement(try name("An element"))
        (element.line, element.column) = start
        try attributes(of: &element)
        if peek() == UInt8(ascii: "/") {
            advance()
            guard peek() == .greaterThan else { throw problem("'>' must follow '/'") }
            advance()
            return element
        }
        advance()
        try content(of: &element, depth: depth)
        return element
    }

    /// Everything up to the `>` or `/>` of a start tag.
    private mutating func attributes(of element: inout XMLElement) throws(XMLProblem) {
        while true {
            let hadSpace = skipSpace()
            guard let byte = peek() else {
                throw problem("The tag <\(element.name)> never ends")
            }
            if byte == .greaterThan || byte == UInt8(ascii: "/") { return }
            guard hadSpace else { throw problem("A space must come before an attribute") }
            let (line, column) = place()
            let name = try name("An attribute")
            guard element[name] == nil else {
                throw XMLProblem(
                    message: "'\(name)' is in <\(element.name)> twice", line: line, column: column)
            }
            skipSpace()
            guard peek() == UInt8(ascii: "=") else {
                throw problem("'=' and a value in quotes must follow '\(name)'")
            }
            advance()
            skipSpace()
            let value = try attributeValue(name)
            element.attributes.append(.init(name: name, value: value, line: line, column: column))
        }
    }

    private mutating func attributeValue(_ name: String) throws(XMLProblem) -> String {
        let start = (position, line, lineStart)
        guard let quote = peek(), quote == .quote || quote == .apostrophe else {
            throw problem("The value of '\(name)' must stand in quotes")
        }
        advance()
        var value: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case quote:
                advance()
                return String(decoding: value, as: UTF8.self)
            case .ampersand:
                value += Array(try reference().utf8)
            case .lessThan:
                throw problem("'<' in a value must be written as '&lt;'")
            case UInt8(ascii: "\r") where peek(1) == UInt8(ascii: "\n"):
                advance()
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
                // As the specification says, section 3.3.3.
                value.append(UInt8(ascii: " "))
                advance()
            default:
                value.append(byte)
                advance()
            }
        }
        (position, line, lineStart) = start
        throw problem("The value of '\(name)' never ends")
    }

    /// Everything between a start tag and its end tag, and the end tag.
    private mutating func content(of element: inout XMLElement, depth: Int) throws(XMLProblem) {
        var text: [UInt8] = []
        while let byte = peek() {
            if byte == .ampersand {
                text += Array(try reference().utf8)
            } else if byte != .lessThan {
                if byte != UInt8(ascii: "\r") || peek(1) != UInt8(ascii: "\n") {
                    text.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
                }
                advance()
            } else if starts(with: "</") {
                try endTag(of: element)
                element.text = String(decoding: text, as: UTF8.self)
                return
            } else if starts(with: "<!--") {
                try skip(past: "-->", "The comment never ends")
            } else if starts(with: "<![CDATA[") {
                let start = position + 9
                try skip(past: "]]>", "The CDATA section never ends")
                text += bytes[start..<(position - 3)]
            } else if starts(with: "<?") {
                try skip(past: "?>", "The instruction never ends")
            } else {
                element.children.append(try self.element(depth: depth + 1))
            }
        }
        throw problem(
            "<\(element.name)> of line \(element.line) is never closed; the file may be cut off")
    }

    private mutating func endTag(of element: XMLElement) throws(XMLProblem) {
        let (line, column) = place()
        advance(2)
        let name = try name("An end tag")
        skipSpace()
        guard name == element.name, peek() == .greaterThan else {
            throw XMLProblem(
                message: "</\(name)> stands where </\(element.name)> must close the element of "
                    + "line \(element.line)", line: line, column: column)
        }
        advance()
    }
}

extension XMLReader {
    // MARK: Small parts

    private mutating func name(_ what: String) throws(XMLProblem) -> String {
        let start = position
        while let byte = peek(), Self.isNameByte(byte) { advance() }
        let name = string(start..<position)
        guard Self.isName(name) else { throw problem("\(what) needs a name here") }
        return name
    }

    /// Whether a text may be the name of an element or an attribute, for what concerns ASCII.
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

    /// `&lt;`, `&#38;`, `&#x1F600;`.
    private mutating func reference() throws(XMLProblem) -> String {
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
            throw problem("'&\(body);' stands for no character")
        }
        return String(scalar)
    }

    /// XML 1.0, section 2.2.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: true
        default: false
        }
    }

    private func checkText() throws(XMLProblem) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw problem("The file is not valid UTF-8")
        }
        let control = bytes.firstIndex { $0 < 0x20 && $0 != 0x9 && $0 != 0xA && $0 != 0xD }
        guard let control else { return }
        var copy = self
        copy.advance(control - position)
        throw copy.problem("XML has no place for the control character \(bytes[control])")
    }

    // MARK: Positions

    private var isAtEnd: Bool { position >= bytes.count }

    private func isAtEnd(_ offset: Int) -> Bool { position + offset >= bytes.count }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") {
                line += 1
                lineStart = position + 1
            }
            position += 1
        }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while let byte = peek(), byte == 0x20 || (0x9...0xD).contains(byte) { advance() }
        return position > start
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    private mutating func skip(past text: StaticString, _ message: String) throws(XMLProblem) {
        let start = (position, line, lineStart)
        while !isAtEnd {
            if starts(with: text) { return advance(text.utf8CodeUnitCount) }
            advance()
        }
        (position, line, lineStart) = start
        throw problem(message)
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func place() -> (line: Int, column: Int) {
        let scalars = bytes[lineStart..<position].count { $0 & 0xC0 != 0x80 }
        return (line, scalars + 1)
    }

    private func problem(_ message: String) -> XMLProblem {
        let (line, column) = place()
        return XMLProblem(message: message, line: line, column: column)
    }
}

extension UInt8 {
    fileprivate static let lessThan = UInt8(ascii: "<")
    fileprivate static let greaterThan = UInt8(ascii: ">")
    fileprivate static let ampersand = UInt8(ascii: "&")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let apostrophe = UInt8(ascii: "'")
}
