import GraphModel
import GraphStore
import RecordStreams

/// Whether a constant of a spec can be the value of an attribute, by the casts of imports.
enum ConstantCheck {
    /// What the value should be instead, or nil where it is good or not known before the run.
    static func wanted(_ constant: ConstantValue, for attribute: AttributeDescription) -> String? {
        switch constant {
        case .null: return nil
        case .text(let template) where template.constant == nil: return nil
        case .boolean, .integer, .real, .text:
            let value = ConstantCast.value(constant, typedAs: attribute) { $0.constant ?? "" }
            guard value == nil else { return nil }
            guard attribute.type == .decimal else { return wanted(attribute.type) }
            guard isNumber(constant) else { return "a decimal number" }
            return attribute.isExactDecimal
                ? "a decimal number of at most \(ExactDecimal.digitsMax) digits"
                : wanted(attribute.type)
        }
    }

    /// What the model's range, length or pattern says against a constant of the right type.
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
