/// The value of a parameter, as predicates and expressions get it.
package enum ParameterValue: Sendable, Hashable, CustomStringConvertible {
    case string(String)
    case int(Int64)
    case bool(Bool)
    /// Seconds since 2001-01-01 UTC, with the text that `${…}` puts in.
    case date(Double, text: String)
    /// Seconds, with the text that `${…}` puts in.
    case duration(Int64, text: String)
    /// An absolute path, unless the folder it starts at was not absolute.
    case path(String)
    /// Never shown.
    case secret(String)
    /// Texts, for IN; `${…}` puts them in with commas between them.
    case list([String])

    /// The text that stands for the value in paths and constants.
    package var text: String {
        switch self {
        case .string(let text), .path(let text), .secret(let text): text
        case .int(let number): String(number)
        case .bool(let flag): String(flag)
        case .date(_, let text), .duration(_, let text): text
        case .list(let texts): texts.joined(separator: ",")
        }
    }

    /// The text for messages and reports; `***` for a secret.
    package var description: String {
        guard case .secret = self else { return text }
        return "***"
    }
}

extension ParameterValue: CustomDebugStringConvertible, CustomReflectable {
    /// The same as `description`, so that a dump shows no secret either.
    package var debugDescription: String { description }

    /// Shows no children, which would hold the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
