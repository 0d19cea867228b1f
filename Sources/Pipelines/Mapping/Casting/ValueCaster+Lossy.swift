import GraphModel
import GraphStore
import RecordStreams

/// `cast: lossy`: values are coerced.
///
/// | attribute | accepts in addition to a lossless cast |
/// |---|---|
/// | numbers | white space around, a plus sign, leading zeros; integers drop a fraction |
/// | Decimal | more digits than a store keeps: the nearest number |
/// | Boolean | t, f, y, n, on, off in any case; any number, of which 0 is false |
/// | String, URI | true and false; nested JSON as its text |
/// | UUID | without hyphens, in braces |
/// | Date | a fraction of a second that is not kept, in years far away: see `kept(_:_:)` |
extension ValueCaster {
    /// Returns the field in a form that a lossless cast accepts, if possible.
    static func coerced(
        _ field: Field, for attribute: AttributeDescription, _ arena: inout ByteArena
    ) -> Field {
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            guard let number = number(field, &arena) else { return field }
            if ScalarParser.integer(number.bytes) != nil { return number }
            // A text such as `5.0` or `1e2`: a double could not hold every integer.
            if let whole = ScalarParser.jsonIntegral(number.bytes) {
                return text("\(whole)", number.kind, &arena)
            }
            guard let value = ScalarParser.double(number.bytes),
                let whole = Int64(exactly: value.rounded(.towardZero))
            else { return field }
            return text("\(whole)", .number, &arena)
        case .double, .float: return number(field, &arena) ?? field
        case .decimal:
            guard let number = number(field, &arena) else { return field }
            let isKept =
                attribute.isExactDecimal
                ? ExactDecimal(number.bytes)?.isStorable == true
                : ScalarParser.decimal(number.bytes) != nil
            guard !isKept, let value = ScalarParser.double(number.bytes)
            else { return number }
            return text("\(value)", .number, &arena)
        case .boolean: return boolean(field, &arena)
        case .string, .uri:
            switch field.kind {
            case .true: return text("true", .string, &arena)
            case .false: return text("false", .string, &arena)
            case .json: return Field(.string, start: field.start, count: Int(field.count))
            default: return field
            }
        case .uuid: return uuid(field, &arena)
        case .date, .binary, .transformable, .composite, .undefined: return field
        }
    }

    private static func text(
        _ text: String, _ kind: Field.Kind, _ arena: inout ByteArena
    ) -> Field {
        let cell = arena.cell(.text(text))
        return Field(kind, start: cell.bytes.baseAddress, count: cell.bytes.count)
    }

    /// Returns the number without characters around it that JSON does not allow, or `nil`.
    private static func number(_ field: Field, _ arena: inout ByteArena) -> Field? {
        guard field.kind == .string else { return field.kind == .number ? field : nil }
        var digits = Substring(
            String(decoding: TextFunctions.trimmed(field.bytes), as: UTF8.self))
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
        while digits.hasPrefix("0"), digits.dropFirst().first?.isWholeNumber == true {
            digits = digits.dropFirst()
        }
        let number = text((isNegative ? "-" : "") + digits, .string, &arena)
        return ScalarParser.double(number.bytes) == nil ? nil : number
    }

    private static func boolean(_ field: Field, _ arena: inout ByteArena) -> Field {
        guard let number = number(field, &arena), let value = ScalarParser.double(number.bytes)
        else {
            guard field.kind == .string else { return field }
            let word = String(decoding: TextFunctions.trimmed(field.bytes), as: UTF8.self)
            switch word.lowercased() {
            case "t", "y", "on", "true", "yes": return Field(.true)
            case "f", "n", "off", "false", "no": return Field(.false)
            default: return field
            }
        }
        return Field(value == 0 ? .false : .true)
    }

    private static func uuid(_ field: Field, _ arena: inout ByteArena) -> Field {
        guard field.kind == .string else { return field }
        var digits = String(decoding: field.bytes, as: UTF8.self)
        if digits.hasPrefix("{"), digits.hasSuffix("}") {
            digits = String(digits.dropFirst().dropLast())
        }
        digits = digits.replacing("-", with: "")
        guard digits.utf8.count == 32 else { return field }
        var result = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { result.append("-") }
            result.append(digit)
        }
        return text(result, .string, &arena)
    }
}
