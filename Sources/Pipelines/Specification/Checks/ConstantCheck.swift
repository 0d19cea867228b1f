import GraphModel
package import GraphStore

extension BatchRules: ExplainedChoice {
    /// The rules that apply, as in the generated reference.
    package var meaning: String {
        switch self {
        case .enforce:
            "Values are as the model says, and delete rules cascade, nullify, and deny. A deletion"
                + " also clears links without an inverse."
        case .ignore:
            "Values need only fit their columns, and links to deleted objects are kept."
        }
    }
}

/// Checks whether a constant of a spec can be the value of an attribute, by the casts of imports.
enum ConstantCheck {
    /// Returns the description of a valid value, or `nil` if the value is valid or not yet known.
    static func wanted(_ constant: ConstantValue, for attribute: AttributeDescription) -> String? {
        switch constant {
        case .null: return nil
        case .text(let template) where template.constant == nil: return nil
        case .boolean, .integer, .real, .text:
            let value = ConstantCast.value(constant, typedAs: attribute) { $0.constant ?? "" }
            guard value == nil else { return nil }
            switch attribute.type {
            case .decimal where attribute.isExactDecimal: return wantedExactDecimal(constant)
            case .decimal where !isNumber(constant): return "a decimal number"
            case .date where isDate(constant): return ValueCaster.keptDate
            default: return wanted(attribute.type)
            }
        }
    }

    private static func wantedExactDecimal(_ constant: ConstantValue) -> String {
        let number = text(constant).flatMap { ExactDecimal(text: $0) }
        guard number != nil || isNumber(constant) else { return "a decimal number" }
        return ValueCaster.wantedExactDecimal(number)
    }

    /// Returns whether the constant is a date, even one that cannot be stored exactly.
    private static func isDate(_ constant: ConstantValue) -> Bool {
        guard case .text(let template) = constant, let text = template.constant else {
            return false
        }
        return ScalarText.date(text) != nil
    }

    /// Returns the text of a constant that may be a number.
    private static func text(_ constant: ConstantValue) -> String? {
        switch constant {
        case .null, .boolean: nil
        case .integer(let number): String(number)
        case .real(_, let text): text
        case .text(let template): template.constant
        }
    }

    /// Returns the fault of a constant by the model's range, length, or pattern, or `nil`.
    static func brokenRule(
        _ constant: ConstantValue, of attribute: AttributeDescription
    ) -> String? {
        if case .text(let template) = constant, template.constant == nil { return nil }
        let value = ConstantCast.value(constant, typedAs: attribute) { $0.constant ?? "" }
        guard let value else { return nil }
        var arena = ByteArena()
        let cell = arena.cell(value)
        return AttributeValidator(attribute).problem(with: cell)
    }

    private static func isNumber(_ constant: ConstantValue) -> Bool {
        switch constant {
        case .integer, .real: true
        case .text(let template):
            ConstantCast.value(.text(template), for: .double) { $0.constant ?? "" } != nil
        case .null, .boolean: false
        }
    }

    private static func wanted(_ type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64: "a whole number in its range"
        case .double, .float: "a number"
        case .decimal: "a decimal number of at most 15 to 17 digits"
        case .boolean: "true or false"
        case .string, .transformable, .composite, .undefined: "text"
        case .date: "an ISO 8601 date"
        case .uuid: "a UUID"
        case .binary: "base64 text"
        case .uri: "a URI with a scheme"
        }
    }
}
