package import Diagnostics

/// Text in which parameters stand as `${name}`; `$${` is a literal `${`.
///
/// ```
/// ./out/tasks-${run.date}.csv  →  literal "./out/tasks-", parameter "run.date", literal ".csv"
/// ```
/// A value is put in once, as it is: `${` inside a value means nothing.
package struct TemplateText: Sendable, Hashable {
    /// A stretch of the text.
    package enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    /// The text as written.
    package var text: String
    /// The text in its parts.
    package var parts: [Part]
    /// Where it stands.
    package var location: SourceLocation

    /// Makes a text without parameters.
    package init(literal: String, at location: SourceLocation) {
        text = literal
        parts = literal.isEmpty ? [] : [.literal(literal)]
        self.location = location
    }

    /// Cuts a text at its parameters; nil where a `${` is never closed.
    init?(parsing text: String, at location: SourceLocation) {
        self.text = text
        self.location = location
        parts = []
        var literal = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            literal += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                literal += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}") else { return nil }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.parameter(String(rest.dropFirst(2)[..<end])))
                rest = rest[rest.index(after: end)...]
            } else {
                literal += "$"
                rest = rest.dropFirst()
            }
        }
        literal += rest
        if !literal.isEmpty { parts.append(.literal(literal)) }
    }

    /// The parameters that it names.
    package var parameterNames: [String] {
        parts.compactMap { part in
            guard case .parameter(let name) = part else { return nil }
            return name
        }
    }

    /// The text, where no parameter stands in it.
    package var constant: String? {
        var whole = ""
        for part in parts {
            guard case .literal(let text) = part else { return nil }
            whole += text
        }
        return whole
    }

    /// What the text ends in, as far as it is known without parameters.
    package var knownEnd: String {
        guard case .literal(let text) = parts.last else { return "" }
        return text
    }
}
