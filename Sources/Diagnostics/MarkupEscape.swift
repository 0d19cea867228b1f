extension Unicode.Scalar {
    /// The escape of a character that XML and HTML reserve, such as `&lt;`; `nil` for others.
    package var markupEscape: String? {
        switch self {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: nil
        }
    }
}
