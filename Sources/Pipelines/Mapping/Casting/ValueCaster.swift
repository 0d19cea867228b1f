import GraphModel
import GraphStore
import RecordStreams

/// The reason why a field is not a valid value of its attribute.
struct CastFailure: Error {
    /// `cast`, or `required` for a null that is not allowed.
    var code = "cast"
    var message: String
    /// The path to the value if it is inside another value.
    var path: String?
    /// The address of the value's bytes.
    var address: UInt?
    var value: String?
}

/// Converts a record's field to the value of an attribute's column, without loss.
///
/// Text values point to the bytes of the record; converted values are stored in the rows' arena.
struct ValueCaster {
    let attribute: AttributeDescription
    let rules: Rules
    /// Whether only the attribute's type determines the value, so that the fast path applies.
    ///
    /// It is `false` for a preparation, a `map`, or a lossy cast.
    private let isPlain: Bool

    /// The rules of a spec in addition to the attribute's type.
    struct Rules {
        var datePattern: DatePattern?
        /// The UTC offset of dates without a time zone.
        var zoneSeconds = 0
        /// The number of units per second if dates are numbers.
        var epochPerSecond: Double?
        var map: [MapEntry]?
        /// The separator that splits a text into a list.
        var separator: [UInt8]?
        /// The preparation of texts before the cast.
        var preparation: TextPreparation?
        var isLossy = false
    }

    /// An entry of `map`: a text in the record and the value that replaces it.
    struct MapEntry {
        var from: [UInt8]
        var to: BulkCell
    }

    init(_ attribute: AttributeDescription, _ rules: Rules = Rules()) {
        self.attribute = attribute
        self.rules = rules
        isPlain = rules.preparation == nil && !rules.isLossy && rules.map == nil
    }

    /// Returns the value; a null stays null, and an absent field stays absent.
    ///
    /// - Parameter isTabular: Whether all fields are text, as in CSV.
    func cast(
        _ field: Field, isTabular: Bool, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        switch field.kind {
        case .absent: return .absent
        case .null: return .null
        default: break
        }
        if isPlain { return try castByType(field, isTabular: isTabular, &arena) }
        var field = field
        // The pieces of a list are prepared separately.
        if rules.separator == nil, let preparation = rules.preparation {
            field = preparation.prepare(field, &arena)
        }
        if let map = rules.map { return try lookUp(field, map) }
        if rules.isLossy { field = Self.coerced(field, for: attribute, &arena) }
        return try castByType(field, isTabular: isTabular, &arena)
    }

    @inline(__always)
    private func castByType(
        _ field: Field, isTabular: Bool, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        switch attribute.type {
        case .string: return try string(field)
        case .boolean: return try boolean(field)
        case .integer16, .integer32, .integer64: return try integer(field)
        case .double, .float: return try double(field)
        case .decimal where attribute.isExactDecimal: return try exactDecimal(field, &arena)
        case .decimal: return try decimal(field)
        case .date: return try date(field)
        case .uuid: return try uuid(field, &arena)
        case .uri: return try uri(field)
        case .binary: return try binary(field, &arena)
        case .transformable where attribute.isArchive:
            return TransformedBytes.stored(try json(field, isTabular: isTabular, &arena), &arena)
        case .transformable: return try json(field, isTabular: isTabular, &arena)
        case .composite, .undefined: throw failure(field, "a value, since it is not stored")
        }
    }

    func failure(_ field: Field, _ wanted: String) -> CastFailure {
        CastFailure(message: "'\(attribute.name)' takes \(wanted), not \(Self.show(field))")
    }

    /// Returns the failure of a field that is not a number in the form of the spec.
    func failure(ofNumber field: Field, _ wanted: String) -> CastFailure {
        failure(field, wanted + (rules.preparation?.decimalMarkText.map { " with \($0)" } ?? ""))
    }

    /// Returns a field for messages, truncated if it is long.
    static func show(_ field: Field) -> String {
        func truncated(_ text: String) -> String {
            text.count > 60 ? String(text.prefix(57)) + "…" : text
        }
        return switch field.kind {
        case .absent: "nothing"
        case .null: "null"
        case .true: "true"
        case .false: "false"
        case .number: truncated(field.text)
        case .string: "'\(truncated(field.text))'"
        case .list: "a list"
        case .json: truncated(field.text)
        }
    }

    // Use patterns: every value passes through here, and `==` of another module's enumeration is a
    // call.

    func isText(_ field: Field) -> Bool {
        if case .string = field.kind { true } else { false }
    }

    func isTextOrNumber(_ field: Field) -> Bool {
        switch field.kind {
        case .string, .number: true
        default: false
        }
    }

    // MARK: Types

    private func lookUp(_ field: Field, _ map: [MapEntry]) throws(CastFailure) -> BulkCell {
        let bytes: UnsafeBufferPointer<UInt8> =
            switch field.kind {
            case .true: Self.trueText
            case .false: Self.falseText
            default: field.bytes
            }
        for entry in map where entry.from.elementsEqual(bytes) { return entry.to }
        let known = map.map { "'\(String(decoding: $0.from, as: UTF8.self))'" }
        throw failure(field, "a text in its `map` (\(known.joined(separator: ", ")))")
    }

    private static var trueText: UnsafeBufferPointer<UInt8> { text("true") }
    private static var falseText: UnsafeBufferPointer<UInt8> { text("false") }

    private static func text(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private func string(_ field: Field) throws(CastFailure) -> BulkCell {
        guard isTextOrNumber(field) else {
            throw failure(field, "text")
        }
        return .text(field.bytes)
    }

    private func boolean(_ field: Field) throws(CastFailure) -> BulkCell {
        switch field.kind {
        case .true: return .integer(1)
        case .false: return .integer(0)
        case .string, .number:
            if let value = ScalarParser.boolean(field.bytes) { return .integer(value ? 1 : 0) }
        default: break
        }
        throw failure(field, "true or false")
    }

    private func integer(_ field: Field) throws(CastFailure) -> BulkCell {
        let value =
            switch field.kind {
            case .string: ScalarParser.integer(field.bytes)
            case .number:
                ScalarParser.integer(field.bytes) ?? ScalarParser.jsonIntegral(field.bytes)
            default: nil as Int64?
            }
        guard let value, let (low, high) = attribute.type.integerLimits, value >= low,
            value <= high
        else { throw failure(field, "a whole number that fits \(attribute.type.rawValue)") }
        return .integer(value)
    }

    private func double(_ field: Field) throws(CastFailure) -> BulkCell {
        guard isTextOrNumber(field),
            var value = ScalarParser.double(field.bytes)
        else { throw failure(ofNumber: field, "a number") }
        if attribute.type == .float {
            value = Double(ScalarParser.float(field.bytes, nearestDouble: value))
            guard value.isFinite else { throw failure(field, "a number that fits Float") }
        }
        return .real(value)
    }

    private func decimal(_ field: Field) throws(CastFailure) -> BulkCell {
        guard isTextOrNumber(field),
            ScalarParser.double(field.bytes) != nil
        else { throw failure(ofNumber: field, "a decimal number") }
        guard let value = ScalarParser.decimal(field.bytes) else {
            throw failure(field, "a decimal number of at most 15 to 17 digits")
        }
        return .real(value)
    }

    private func uuid(_ field: Field, _ arena: inout ByteArena) throws(CastFailure) -> BulkCell {
        let target = arena.allocate(16)
        guard isText(field), ScalarParser.uuid(field.bytes, into: target) else {
            throw failure(field, "a UUID with hyphens")
        }
        return .blob(UnsafeBufferPointer(start: target, count: 16))
    }

    private func uri(_ field: Field) throws(CastFailure) -> BulkCell {
        guard isText(field), Self.hasScheme(field.bytes) else {
            throw failure(field, "a URI with a scheme, such as https://example.org")
        }
        return .text(field.bytes)
    }

    /// Returns whether the text begins with a scheme.
    ///
    /// RFC 3986 section 3.1: a letter, then letters, digits, `+`, `-`, and `.`, then `:`.
    static func hasScheme(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        for (index, byte) in bytes[..<colon].enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                guard index > 0 else { return false }
            default:
                return false
            }
        }
        return true
    }

    /// Returns the decoded bytes, with a mark if the attribute allows external storage in files.
    private func binary(_ field: Field, _ arena: inout ByteArena) throws(CastFailure) -> BulkCell {
        let mark = attribute.allowsExternalBinaryDataStorage ? 1 : 0
        let most = ScalarParser.base64BytesMax(field.bytes.count)
        let start = arena.allocate(mark + most)
        let target = UnsafeMutableBufferPointer(start: start + mark, count: most)
        guard isText(field), let count = ScalarParser.base64(field.bytes, into: target) else {
            throw failure(field, "base64")
        }
        if mark == 1 { start.pointee = ExternalData.inlineMark }
        arena.giveBack(most - count)
        return .blob(UnsafeBufferPointer(start: UnsafePointer(start), count: mark + count))
    }

    /// Returns the value as JSON text; a table's field already holds JSON text, as exports write
    /// it.
    private func json(
        _ field: Field, isTabular: Bool, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        switch field.kind {
        case .true: return .blob(Self.trueText)
        case .false: return .blob(Self.falseText)
        case .number, .json: return .blob(field.bytes)
        case .string:
            if let separator = rules.separator {
                return .blob(
                    JSONValue.list(
                        field.bytes, cutAt: separator, rules.preparation, into: &arena))
            }
            guard isTabular else { return .blob(JSONValue.quote(field.bytes, into: &arena)) }
            // A document may begin with a byte order mark; a value in a column must not.
            guard field.bytes.first != 0xEF, JSONScanner.validate(field.bytes) else {
                throw failure(field, "JSON text (or say `split:` to make a list)")
            }
            return .blob(field.bytes)
        case .absent, .null, .list: throw failure(field, "a JSON value")
        }
    }
}
