import YAML

/// Reads an attribute's default value, checks it, and converts it to its stored form.
///
/// The checks are the attribute's type and its own rules.
enum DefaultValueReader {
    /// Returns the stored default, or `nil` if it is `null` or invalid.
    ///
    /// `null` is the default of an attribute without one. An invalid value is reported.
    static func read(
        _ value: YAMLValue, _ type: AttributeType, _ attribute: AttributeDescription
    ) -> StoredValue? {
        guard !value.isNull else { return nil }
        guard let stored = convert(value, type) else { return nil }
        checkRules(value, stored, attribute)
        return stored
    }

    private static func convert(_ value: YAMLValue, _ type: AttributeType) -> StoredValue? {
        switch type {
        case .integer16: return integer(value, Int64(Int16.min)...Int64(Int16.max))
        case .integer32: return integer(value, Int64(Int32.min)...Int64(Int32.max))
        case .integer64: return integer(value, .min ... .max)
        case .boolean: return value.boolean().map { .integer($0 ? 1 : 0) }
        case .string: return value.text().map { .text($0) }
        case .double: return finite(value, value.number())
        case .float: return finite(value, value.number().map { Double(Float($0)) })
        case .decimal:
            return parsed(value, "a decimal number of at most 15 to 17 digits", ScalarText.decimal)
                .map { .real($0) }
        case .date:
            return parsed(value, "an ISO 8601 date", ScalarText.date).map { .real($0) }
        case .uuid: return parsed(value, "a UUID", ScalarText.uuid).map { .blob($0) }
        case .binary: return parsed(value, "base64 text", ScalarText.base64).map { .blob($0) }
        case .uri:
            return parsed(value, "a URI with a scheme") { ScalarText.hasScheme($0) ? $0 : nil }
                .map { .text($0) }
        case .transformable, .composite, .undefined:
            value.fail("default", "A \(type.rawValue) attribute cannot have a default")
            return nil
        }
    }

    private static func integer(_ value: YAMLValue, _ bounds: ClosedRange<Int64>) -> StoredValue? {
        value.integer(in: bounds).map { .integer($0) }
    }

    private static func finite(_ value: YAMLValue, _ number: Double?) -> StoredValue? {
        guard let number else { return nil }
        guard number.isFinite else {
            value.fail("default", "'default' must be a finite number")
            return nil
        }
        return .real(number)
    }

    private static func parsed<Result>(
        _ value: YAMLValue, _ wanted: String, _ parse: (String) -> Result?
    ) -> Result? {
        guard let text = value.scalar?.text, let result = parse(text) else {
            return value.wrong(wanted)
        }
        return result
    }

    private static func checkRules(
        _ value: YAMLValue, _ stored: StoredValue, _ attribute: AttributeDescription
    ) {
        for problem in brokenRules(stored, attribute) { value.fail("default", problem) }
    }

    /// Returns a message for each of the attribute's own rules that the value breaks.
    static func brokenRules(
        _ stored: StoredValue, _ attribute: AttributeDescription
    ) -> [String] {
        var problems: [String] = []
        let number: Double? =
            switch stored {
            case .integer(let integer): Double(integer)
            case .real(let real): real
            default: nil
            }
        if let number, let range = attribute.range, !range.contains(number) {
            problems.append("The default breaks the attribute's own range")
        }
        guard case .text(let text) = stored else { return problems }
        if let length = attribute.length, !length.contains(Double(text.utf16.count)) {
            problems.append("The default breaks the attribute's own length")
        }
        guard let pattern = attribute.pattern else { return problems }
        do {
            let compiled = try CompiledPattern(pattern)
            if !compiled.matches(text) {
                problems.append("The default breaks the attribute's own pattern")
            }
        } catch {
            // An unreadable pattern is reported at its own location.
            return problems
        }
        return problems
    }
}
