/// The value of a parameter for predicates and expressions.
package enum ParameterValue: Sendable, Hashable, CustomStringConvertible {
    case string(String)
    case int(Int64)
    case bool(Bool)
    /// Seconds since 2001-01-01 UTC, with the text for `${…}`.
    case date(Double, text: String)
    /// Seconds, with the text for `${…}`.
    case duration(Int64, text: String)
    /// A path, which is absolute if the folder it is relative to is absolute.
    case path(String)
    /// A secret, which is never shown.
    case secret(String)
    /// Texts for `IN`; `${…}` inserts them separated by commas.
    case list([String])

    /// The text of the value in paths and constants.
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
    /// The same text as `description`, so that a dump does not show a secret.
    package var debugDescription: String { description }

    /// A mirror without children, because children would contain the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
