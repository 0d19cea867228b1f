package import Diagnostics

/// A parameter that a spec declares.
package struct ParameterSpec: Sendable, Hashable {
    /// What a parameter's values are.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case string, int, bool, date, duration, path, secret, list

        /// What its values look like, for messages.
        package var example: String {
            switch self {
            case .string: "text"
            case .int: "a whole number"
            case .bool: "true or false"
            case .date: "a date such as 2026-01-31, today - 90d or now - 4h"
            case .duration: "a duration such as 30m or 1h30m"
            case .path: "a path"
            case .secret: "a secret"
            case .list: "a list of texts"
            }
        }
    }

    /// Where a value is looked for when the command line gives none.
    package enum Source: Sendable, Hashable {
        /// A file's text, without the line end.
        case file(String)
        /// An environment variable.
        case environment(String)
    }

    /// The name, as in `${name}` and `$name`.
    package var name: String
    /// What its values are.
    package var kind: Kind
    /// The value without any other, as text; checked.
    package var defaultText: String?
    /// The texts without any other, of a list.
    package var defaultList: [String]?
    /// Where else to look, first to last.
    package var sources: [Source] = []
    /// Where the parameter is declared.
    package var location: SourceLocation
}
