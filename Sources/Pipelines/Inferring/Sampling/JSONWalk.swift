/// Walks the JSON text of a record that a reader has already validated.
struct JSONWalk {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var record: Int
    private var at = 0
    /// Whether a field has an empty name, which no path can refer to.
    private(set) var hasNamelessField = false

    /// Prepares a walk over the text of one record.
    ///
    /// - Parameter record: a number that no other record has.
    init(_ bytes: UnsafeBufferPointer<UInt8>, record: Int) {
        self.bytes = bytes
        self.record = record
    }

    /// Adds the values of the record's fields to `root`; returns `false` if the record is not an
    /// object.
    mutating func observe(_ root: FieldNode) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: "{") else { return false }
        object(root)
        return true
    }

    private var peek: UInt8 { at < bytes.count ? bytes[at] : 0 }

    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] <= 32 { at += 1 }
    }

    private mutating func object(_ node: FieldNode) {
        at += 1
        node.rewind()
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { break }
            let text = string()
            skipSpace()
            at += 1
            let member = withText(text) { node.member(named: $0) }
            if text.range.isEmpty { hasNamelessField = true }
            if let member {
                member.meet(in: record)
                value(member)
            } else {
                skipValue()
            }
            skipSpace()
            guard peek == UInt8(ascii: ",") else { break }
            at += 1
        }
        at += 1
    }

    private mutating func value(_ node: FieldNode) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"):
            node.facts.addObject()
            if node.depth < FieldNode.depthMax { object(node) } else { skipValue() }
        case UInt8(ascii: "["):
            node.facts.addList()
            list(node)
        case UInt8(ascii: "\""):
            let text = string()
            withText(text) { node.add(text: $0) }
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            node.add(peek == UInt8(ascii: "t"))
            skipWord()
        case UInt8(ascii: "n"):
            node.hasNulls = true
            skipWord()
        default: node.add(number: number())
        }
    }

    private mutating func list(_ node: FieldNode) {
        var items = node.items ?? ListFacts(in: node.tracking.valueLimit)
        node.items = nil
        items.begin()
        at += 1
        while at < bytes.count {
            skipSpace()
            switch peek {
            case UInt8(ascii: "]"):
                at += 1
                node.items = items
                return
            case UInt8(ascii: ","): at += 1
            case UInt8(ascii: "\""):
                let text = string()
                withText(text) { items.add($0, isText: true) }
            case UInt8(ascii: "{"):
                let start = at
                if let (element, number) = items.addObject(in: node) {
                    let outer = record
                    record = number
                    object(element)
                    record = outer
                } else {
                    skipValue()
                }
                items.end(
                    object: UnsafeBufferPointer(
                        rebasing: bytes[min(start, bytes.count)..<min(at, bytes.count)]))
            case UInt8(ascii: "["):
                items.facts.addList()
                skipValue()
            case UInt8(ascii: "t"), UInt8(ascii: "f"):
                items.facts.add(peek == UInt8(ascii: "t"))
                skipWord()
            case UInt8(ascii: "n"):
                items.hasNulls = true
                skipWord()
            default: items.add(number(), isText: false)
            }
        }
        node.items = items
    }

    // MARK: Parts

    /// A string in the record: the range of its bytes between the quotes.
    private struct Text {
        var range: Range<Int>
        var hasEscapes = false
    }

    private mutating func string() -> Text {
        at += 1
        var text = Text(range: at..<at)
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            if bytes[at] == UInt8(ascii: "\\") {
                text.hasEscapes = true
                at += 1
            }
            at += 1
        }
        text.range = text.range.lowerBound..<min(at, bytes.count)
        at += 1
        return text
    }

    private func withText<Result>(
        _ text: Text, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let raw = UnsafeBufferPointer(rebasing: bytes[text.range])
        guard text.hasEscapes else { return body(raw) }
        return JSONEscapes.resolved(raw).withUnsafeBufferPointer(body)
    }

    /// Returns the bytes of a number, at least one, so that the walk always advances.
    private mutating func number() -> UnsafeBufferPointer<UInt8> {
        let start = at
        at += 1
        while at < bytes.count, "+-.eE0123456789".utf8.contains(bytes[at]) { at += 1 }
        return UnsafeBufferPointer(rebasing: bytes[min(start, bytes.count)..<min(at, bytes.count)])
    }

    private mutating func skipWord() {
        while at < bytes.count, bytes[at] | 0x20 >= UInt8(ascii: "a"),
            bytes[at] | 0x20 <= UInt8(ascii: "z")
        {
            at += 1
        }
    }

    private mutating func skipValue() {
        var depth = 0
        repeat {
            skipSpace()
            switch peek {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                at += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                at += 1
            case UInt8(ascii: "\""): _ = string()
            case UInt8(ascii: ","), UInt8(ascii: ":"): at += 1
            case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): skipWord()
            default: _ = number()
            }
        } while depth > 0 && at < bytes.count
    }
}

/// Escapes in JSON strings (RFC 8259 section 7).
enum JSONEscapes {
    /// Returns the text of a string with its escapes resolved.
    static func resolved(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count else {
                text.append(bytes[at])
                at += 1
                continue
            }
            let letter = bytes[at + 1]
            at += 2
            switch letter {
            case UInt8(ascii: "n"): text.append(10)
            case UInt8(ascii: "r"): text.append(13)
            case UInt8(ascii: "t"): text.append(9)
            case UInt8(ascii: "b"): text.append(8)
            case UInt8(ascii: "f"): text.append(12)
            case UInt8(ascii: "u"): appendScalar(bytes, &at, to: &text)
            default: text.append(letter)
            }
        }
        return text
    }

    private static func appendScalar(
        _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int, to text: inout [UInt8]
    ) {
        var units = [unit(bytes, &at)]
        if UTF16.isLeadSurrogate(units[0]), at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
            bytes[at + 1] == UInt8(ascii: "u")
        {
            at += 2
            units.append(unit(bytes, &at))
        }
        text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
    }

    private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> UInt16 {
        let end = min(at + 4, bytes.count)
        defer { at = end }
        return UInt16(String(decoding: bytes[at..<end], as: UTF8.self), radix: 16) ?? 0xFFFD
    }
}
