/// A reader of the XML subset in model files: one root, elements, attributes, and text.
///
/// ```xml
/// <?xml version="1.0" encoding="UTF-8"?>
/// <model documentVersion="1.0"><entity name="Task"/></model>
/// ```
/// Only UTF-8 is supported. Comments, processing instructions, and a DOCTYPE are skipped. Entities
/// of the DOCTYPE are never expanded, so that a small file cannot become a large one. Names with a
/// colon have no special meaning. The size, the depth, and the number of elements are limited. The
/// first error ends the parse.
struct XMLReader {
    /// The limits of a file on its size, nesting, and number of elements.
    static let bytesMax = 32 << 20
    static let depthMax = 64
    static let elementsMax = 500_000

    private var scanner: XMLScanner
    private var elementCount = 0

    /// Returns the root of a document.
    static func read(_ bytes: [UInt8]) throws(XMLProblem) -> XMLElement {
        var reader = XMLReader(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) {
        scanner = XMLScanner(bytes)
    }

    // MARK: Documents

    private mutating func document() throws(XMLProblem) -> XMLElement {
        let bytes = scanner.bytes
        guard bytes.count <= Self.bytesMax else {
            throw scanner.problem("The file is larger than \(Self.bytesMax >> 20) MiB")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw scanner.problem("The file is UTF-16; only UTF-8 is read")
        }
        scanner.skipByteOrderMark()
        try scanner.checkText()
        if scanner.starts(with: "<?xml") { try declaration() }
        try misc(allowsDoctype: true)
        guard scanner.peek() == .lessThan, !scanner.isAtEnd(1) else {
            throw scanner.problem(
                scanner.isAtEnd ? "The file holds no element" : "A document begins with '<'")
        }
        let root = try element(depth: 1)
        try misc(allowsDoctype: false)
        guard scanner.isAtEnd else { throw scanner.problem("Nothing may follow the root element") }
        return root
    }

    /// Skips the XML declaration, and throws if its encoding is neither UTF-8 nor ASCII.
    private mutating func declaration() throws(XMLProblem) {
        let start = scanner
        try scanner.skip(past: "?>", "The declaration is not closed")
        let text = scanner.string(start.position..<scanner.position)
        guard let range = text.firstRange(of: "encoding") else { return }
        let rest = text[range.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = rest.first else { return }
        let name = rest.dropFirst().prefix { $0 != quote }.lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
            throw start.problem("The encoding is \(name); only UTF-8 is read")
        }
    }

    /// Skips space, comments, and instructions before and after the root.
    private mutating func misc(allowsDoctype: Bool) throws(XMLProblem) {
        while true {
            scanner.skipSpace()
            if scanner.starts(with: "<!--") {
                try scanner.skip(past: "-->", "The comment never ends")
            } else if scanner.starts(with: "<?") {
                try scanner.skip(past: "?>", "The instruction never ends")
            } else if allowsDoctype, scanner.starts(with: "<!DOCTYPE") {
                try doctype()
            } else {
                return
            }
        }
    }

    /// Skips a document type by counting its brackets and quotes; declarations have no effect.
    private mutating func doctype() throws(XMLProblem) {
        let start = scanner
        var depth = 0
        var quote: UInt8?
        while let byte = scanner.peek() {
            if let open = quote {
                if byte == open { quote = nil }
            } else if scanner.starts(with: "<!--") {
                try scanner.skip(past: "-->", "The comment never ends")
                continue
            } else {
                switch byte {
                case .quote, .apostrophe: quote = byte
                case UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case .greaterThan:
                    depth -= 1
                    if depth == 0 {
                        scanner.advance()
                        return
                    }
                default: break
                }
            }
            scanner.advance()
        }
        throw start.problem("The document type is not closed")
    }

    // MARK: Elements

    private mutating func element(depth: Int) throws(XMLProblem) -> XMLElement {
        guard depth <= Self.depthMax else {
            throw scanner.problem("Elements are nested more than \(Self.depthMax) deep")
        }
        elementCount += 1
        guard elementCount <= Self.elementsMax else {
            throw scanner.problem("The file has more than \(Self.elementsMax) elements")
        }
        let start = scanner.place()
        scanner.advance()
        var element = XMLElement(try scanner.name("An element"))
        (element.line, element.column) = start
        try attributes(of: &element)
        if scanner.peek() == UInt8(ascii: "/") {
            scanner.advance()
            guard scanner.peek() == .greaterThan else {
                throw scanner.problem("'>' must follow '/'")
            }
            scanner.advance()
            return element
        }
        scanner.advance()
        try content(of: &element, depth: depth)
        return element
    }

    /// Reads the attributes up to the `>` or `/>` of a start tag.
    private mutating func attributes(of element: inout XMLElement) throws(XMLProblem) {
        while true {
            let hadSpace = scanner.skipSpace()
            guard let byte = scanner.peek() else {
                throw scanner.problem("The tag <\(element.name)> is not closed")
            }
            if byte == .greaterThan || byte == UInt8(ascii: "/") { return }
            guard hadSpace else { throw scanner.problem("A space must come before an attribute") }
            let (line, column) = scanner.place()
            let name = try scanner.name("An attribute")
            guard element[name] == nil else {
                throw XMLProblem(
                    message: "'\(name)' is in <\(element.name)> twice", line: line, column: column)
            }
            scanner.skipSpace()
            guard scanner.peek() == UInt8(ascii: "=") else {
                throw scanner.problem("'=' and a value in quotes must follow '\(name)'")
            }
            scanner.advance()
            scanner.skipSpace()
            let value = try attributeValue(name)
            element.attributes.append(.init(name: name, value: value, line: line, column: column))
        }
    }

    private mutating func attributeValue(_ name: String) throws(XMLProblem) -> String {
        let start = scanner
        guard let quote = scanner.peek(), quote == .quote || quote == .apostrophe else {
            throw scanner.problem("The value of '\(name)' must be in quotes")
        }
        scanner.advance()
        var value: [UInt8] = []
        while let byte = scanner.peek() {
            switch byte {
            case quote:
                scanner.advance()
                return String(decoding: value, as: UTF8.self)
            case .ampersand:
                value += Array(try scanner.reference().utf8)
            case .lessThan:
                throw scanner.problem("'<' in a value must be written as '&lt;'")
            case UInt8(ascii: "\r") where scanner.peek(1) == UInt8(ascii: "\n"):
                scanner.advance()
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
                // Required by XML 1.0, section 3.3.3.
                value.append(UInt8(ascii: " "))
                scanner.advance()
            default:
                value.append(byte)
                scanner.advance()
            }
        }
        throw start.problem("The value of '\(name)' is not closed")
    }

    /// Reads the content of an element and its end tag.
    private mutating func content(of element: inout XMLElement, depth: Int) throws(XMLProblem) {
        var text: [UInt8] = []
        while let byte = scanner.peek() {
            if byte == .ampersand {
                text += Array(try scanner.reference().utf8)
            } else if byte != .lessThan {
                if byte != UInt8(ascii: "\r") || scanner.peek(1) != UInt8(ascii: "\n") {
                    text.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
                }
                scanner.advance()
            } else if scanner.starts(with: "</") {
                try endTag(of: element)
                element.text = String(decoding: text, as: UTF8.self)
                return
            } else if scanner.starts(with: "<!--") {
                try scanner.skip(past: "-->", "The comment never ends")
            } else if scanner.starts(with: "<![CDATA[") {
                let start = scanner.position + 9
                try scanner.skip(past: "]]>", "The CDATA section never ends")
                text += scanner.bytes[start..<(scanner.position - 3)]
            } else if scanner.starts(with: "<?") {
                try scanner.skip(past: "?>", "The instruction never ends")
            } else {
                element.children.append(try self.element(depth: depth + 1))
            }
        }
        throw scanner.problem(
            "<\(element.name)> of line \(element.line) is never closed; the file may be truncated")
    }

    private mutating func endTag(of element: XMLElement) throws(XMLProblem) {
        let (line, column) = scanner.place()
        scanner.advance(2)
        let name = try scanner.name("An end tag")
        scanner.skipSpace()
        guard name == element.name, scanner.peek() == .greaterThan else {
            throw XMLProblem(
                message: "</\(name)> is found where </\(element.name)> must close the element of "
                    + "line \(element.line)", line: line, column: column)
        }
        scanner.advance()
    }
}
