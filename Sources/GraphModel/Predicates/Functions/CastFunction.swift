/// `cast(value, "Type")`: the value as stored by an attribute of that type.
///
/// No value is rounded or truncated: a value without an equal in the type is an error. Strings are
/// parsed with the grammars of the casts in imports, and are written so that they can be parsed
/// into the same value.
struct CastFunction {
    /// The length of the longest number, `-2.2250738585072014e-308`.
    private static let numberBytesMax = 24

    /// The message for a missing or invalid type name.
    static let needsType = "cast needs the name of an attribute's type, such as 'Integer 64'"

    let type: AttributeType
    let arena: EvaluationArena

    /// Returns whether values can be cast to a type.
    static func makes(_ type: AttributeType) -> Bool {
        switch type {
        case .integer16, .integer32, .integer64, .double, .decimal, .float, .boolean, .string,
            .uri, .date, .uuid, .binary:
            true
        default: false
        }
    }

    func cast(_ value: EvaluatedValue) throws(EvaluationError) -> EvaluatedValue {
        let result: EvaluatedValue?
        switch type {
        case .integer16: result = try integer(value, Int64(Int16.min)...Int64(Int16.max))
        case .integer32: result = try integer(value, Int64(Int32.min)...Int64(Int32.max))
        case .integer64: result = try integer(value, .min ... .max)
        case .decimal where value.isDecimal: result = value
        case .double, .decimal: result = try double(value).map { .double($0) }
        case .float: result = try double(value).flatMap(float)
        case .boolean: result = try boolean(value).map { .boolean($0) }
        case .string, .uri: result = text(value).map { .text($0) }
        case .date: result = date(value).map { .date($0) }
        case .uuid: result = uuid(value).map { .uuid($0) }
        case .binary: result = binary(value).map { .binary($0) }
        default: result = nil
        }
        guard let result else {
            throw .uncastable(shown(value), type: type.rawValue)
        }
        return result
    }

    private func shown(_ value: EvaluatedValue) -> String {
        guard let text = text(value) else { return value.kindName }
        return "'\(EvaluationError.excerpt(text))'"
    }

    /// Returns the number of a value that is a number, numeric text, or a date (in seconds).
    private func number(_ value: EvaluatedValue) throws(EvaluationError) -> NumericValue? {
        switch value {
        case .date(let seconds): return .double(seconds)
        case .text(let bytes):
            guard DecimalNumber(bytes) != nil else { return nil }
            return try NumericValue(.number(bytes))
        case .untypedText(let bytes):
            guard DecimalNumber(bytes) != nil else { return nil }
            return try NumericValue(value)
        default: return try NumericValue(value)
        }
    }

    private func integer(
        _ value: EvaluatedValue, _ range: ClosedRange<Int64>
    ) throws(EvaluationError) -> EvaluatedValue? {
        try whole(value).flatMap { range.contains($0) ? .integer($0) : nil }
    }

    private func whole(_ value: EvaluatedValue) throws(EvaluationError) -> Int64? {
        switch try number(value) {
        case .integer(let number): number
        case .double(let number): Int64(exactly: number)
        case nil: nil
        }
    }

    private func double(_ value: EvaluatedValue) throws(EvaluationError) -> Double? {
        switch try number(value) {
        case .integer(let number): Double(exactly: number)
        case .double(let number): number
        case nil: nil
        }
    }

    /// Returns the nearest 32-bit number, as stored in a column of that type.
    private func float(_ value: Double) -> EvaluatedValue? {
        let single = Float(value)
        return single.isFinite ? .double(Double(single)) : nil
    }

    private func boolean(_ value: EvaluatedValue) throws(EvaluationError) -> Bool? {
        if case .boolean(let flag) = value { return flag }
        if let bytes = value.textBytes { return ScalarParser.boolean(bytes) }
        let whole = try whole(value)
        return whole == 0 ? false : whole == 1 ? true : nil
    }

    private func date(_ value: EvaluatedValue) -> Double? {
        switch value {
        case .date(let seconds), .double(let seconds): seconds
        case .integer(let seconds): Double(exactly: seconds)
        case .number(let bytes), .decimal(let bytes): ScalarParser.double(bytes)
        case .text(let bytes), .untypedText(let bytes): ScalarParser.isoDate(bytes)
        default: nil
        }
    }

    private func uuid(_ value: EvaluatedValue) -> ByteView? {
        switch value {
        case .uuid(let bytes): return bytes
        case .binary(let bytes): return bytes.count == 16 ? bytes : nil
        default: return value.textBytes.flatMap { ScalarParser.uuid($0, arena) }
        }
    }

    private func binary(_ value: EvaluatedValue) -> ByteView? {
        switch value {
        case .binary(let bytes), .uuid(let bytes): return bytes
        default:
            guard let text = value.textBytes else { return nil }
            let block = arena.allocate(ScalarParser.base64BytesMax(text.count))
            guard let count = ScalarParser.base64(text, into: block) else { return nil }
            return ByteView(rebasing: block[0..<count])
        }
    }

    /// Returns numbers and dates in export format, UUIDs in uppercase, and binary data in base64.
    private func text(_ value: EvaluatedValue) -> ByteView? {
        switch value {
        case .null, .object, .nested: return nil
        case .boolean(let flag): return arena.store((flag ? "true" : "false").utf8)
        case .integer(let number):
            return arena.store(most: Self.numberBytesMax) {
                ScalarFormatter.integer(number, into: $0)
            }
        case .double(let number):
            guard number.isFinite else { return nil }
            return arena.store(most: Self.numberBytesMax) {
                ScalarFormatter.double(number, into: $0)
            }
        case .text(let bytes), .untypedText(let bytes), .number(let bytes), .decimal(let bytes):
            return bytes
        case .date(let seconds):
            let text = arena.store(most: ScalarFormatter.isoDateBytesMax) {
                ScalarFormatter.isoDate(seconds, into: $0)
            }
            return text.isEmpty ? nil : text
        case .uuid(let bytes):
            return arena.store(most: ScalarFormatter.uuidBytes) {
                ScalarFormatter.uuid(bytes, into: $0)
            }
        case .binary(let bytes):
            return arena.store(most: ScalarFormatter.base64Bytes(bytes.count)) {
                ScalarFormatter.base64(bytes, into: $0)
            }
        }
    }
}
