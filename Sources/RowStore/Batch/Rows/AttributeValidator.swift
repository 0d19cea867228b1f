package import GraphModel

/// An attribute's validation rules, compiled once for all paths that write values.
package struct AttributeValidator {
    private let attribute: AttributeDescription
    private let pattern: CompiledPattern?
    /// Whether the model sets a range, a length, or a pattern.
    package let hasRules: Bool

    /// Compiles the rules of an attribute; an invalid pattern is ignored.
    package init(_ attribute: AttributeDescription) {
        self.attribute = attribute
        do {
            pattern = try attribute.pattern.map { try CompiledPattern($0) }
        } catch {
            // The model reader has already warned that this pattern is stored but not checked.
            pattern = nil
        }
        hasRules =
            attribute.range != nil || attribute.length != nil || pattern != nil
    }

    /// Returns the first violation of the model's range, length, or pattern; `nil` if the value is
    /// valid.
    ///
    /// Types and null values are checked where values are created and rows are written.
    package func problem(with cell: BulkCell) -> String? {
        failure(with: cell)?.message
    }

    /// Returns the first violation with its Core Data error code; `nil` if the value is valid.
    package func failure(with cell: BulkCell) -> (code: ValidationCode, message: String)? {
        guard hasRules else { return nil }
        switch cell.kind {
        case .integer: return rangeFailure(Double(cell.integerValue))
        case .real: return rangeFailure(cell.realValue)
        case .text where attribute.type == .decimal: return decimalFailure(cell.bytes)
        case .text: return textFailure(cell.bytes)
        case .blob, .null, .absent, .list: return nil
        }
    }

    private func rangeFailure(_ value: Double) -> (ValidationCode, String)? {
        guard let range = attribute.range, !range.contains(value) else { return nil }
        let isTooLarge = range.maximum.map { value > $0 } ?? false
        let code: ValidationCode =
            if attribute.type == .date {
                isTooLarge ? .dateTooLate : .dateTooSoon
            } else {
                isTooLarge ? .numberTooLarge : .numberTooSmall
            }
        return (
            code,
            "'\(attribute.name)' must be \(Self.text(range, attribute.type)), and is "
                + Self.text(value, attribute.type)
        )
    }

    /// Checks the range of a decimal with all its digits.
    private func decimalFailure(_ bytes: ByteView) -> (ValidationCode, String)? {
        guard let range = attribute.range, let number = ExactDecimal(bytes) else { return nil }
        let isTooSmall = range.minimum.flatMap { ExactDecimal($0) }.map { number < $0 } ?? false
        let isTooLarge = range.maximum.flatMap { ExactDecimal($0) }.map { number > $0 } ?? false
        guard isTooSmall || isTooLarge else { return nil }
        return (
            isTooLarge ? .numberTooLarge : .numberTooSmall,
            "'\(attribute.name)' must be \(Self.text(range, .decimal)), and is \(number.text)"
        )
    }

    private func textFailure(_ bytes: UnsafeBufferPointer<UInt8>) -> (ValidationCode, String)? {
        if let length = attribute.length {
            let count = ScalarParser.utf16Length(bytes)
            if !length.contains(Double(count)) {
                let isTooLong = length.maximum.map { Double(count) > $0 } ?? false
                return (
                    isTooLong ? .textTooLong : .textTooShort,
                    "'\(attribute.name)' must have \(Self.text(length, .integer64)) characters,"
                        + " and has \(count)"
                )
            }
        }
        guard let pattern, !pattern.matches(bytes) else { return nil }
        return (.patternMismatch, "'\(attribute.name)' does not match \(pattern.pattern)")
    }

    private static func text(_ range: NumberRange, _ type: AttributeType) -> String {
        let text = { (value: Double) in Self.text(value, type) }
        return switch (range.minimum, range.maximum) {
        case (let low?, let high?): "from \(text(low)) to \(text(high))"
        case (let low?, nil): "at least \(text(low))"
        case (nil, let high?): "at most \(text(high))"
        case (nil, nil): "any number"
        }
    }

    /// Returns a number in decimal notation, or an ISO 8601 date if the type is a date.
    static func text(_ value: Double, _ type: AttributeType) -> String {
        type == .date ? ScalarText.isoDate(value) : ScalarText.whole(value)
    }
}

/// The Core Data error codes of validation failures.
public enum ValidationCode: Int, Sendable, Hashable, CaseIterable {
    /// Any other failure of one object.
    case objectInvalid = 1550
    /// Two objects would have the same unique values.
    case constraintViolated = 1551
    /// Several failures occurred.
    case multiple = 1560
    /// A required property has no value.
    case missingValue = 1570
    /// A relationship has fewer objects than its minimum.
    case tooFewObjects = 1580
    /// A relationship has more objects than its maximum.
    case tooManyObjects = 1590
    /// A Deny rule prevents the deletion of the object.
    case deletionDenied = 1600
    /// A number exceeds the maximum.
    case numberTooLarge = 1610
    /// A number is below the minimum.
    case numberTooSmall = 1620
    /// A date is after the maximum.
    case dateTooLate = 1630
    /// A date is before the minimum.
    case dateTooSoon = 1640
    /// A value is not a valid date.
    case invalidDate = 1650
    /// A string exceeds the maximum length.
    case textTooLong = 1660
    /// A string is shorter than the minimum length.
    case textTooShort = 1670
    /// A string does not match the pattern.
    case patternMismatch = 1680
}
