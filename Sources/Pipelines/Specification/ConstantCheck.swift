import GraphModel

/// Whether a constant of a spec can be the value of an attribute, by the casts of imports.
enum ConstantCheck {
    /// What the value should be instead, or nil where it is good or not known before the run.
    static func wanted(_ constant: ConstantValue, for attribute: AttributeDescription) -> String? {
        switch constant {
        case .null: return nil
        case .text(let template) where template.constant == nil: return nil
        case .boolean, .integer, .real, .text:
            let value = ConstantCast.value(constant, for: attribute.type) { $0.constant ?? "" }
            return value == nil ? wanted(attribute.type) : nil
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
