package import Diagnostics

/// Text with parameters as `${name}`; `$${` is a literal `${`.
///
/// ```
/// ./out/tasks-${run.date}.csv  →  literal "./out/tasks-", parameter "run.date", literal ".csv"
/// ```
/// Values are inserted unchanged and only once: `${` inside a value has no meaning.
package struct TemplateText: Sendable, Hashable {
    /// A literal or a parameter in the text.
    package enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    /// The text as written.
    package var text: String
    /// The literals and parameters of the text, in order.
    package var parts: [Part]
    /// The location of the text.
    package var location: SourceLocation

    /// Creates a text without parameters; the default location is for a text that is in no file.
    package init(
        literal: String, at location: SourceLocation = SourceLocation(file: "", line: 1, column: 1)
    ) {
        text = literal
        parts = literal.isEmpty ? [] : [.literal(literal)]
        self.location = location
    }

    /// Splits a text at its parameters, or returns `nil` if a `${` is not closed.
    ///
    /// The search compares bytes, because a combining mark may follow the delimiters.
    init?(parsing text: String, at location: SourceLocation) {
        self.text = text
        self.location = location
        parts = []
        var literal: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            literal += rest[..<dollar]
            rest = rest[dollar...]
            if rest.starts(with: "$${".utf8) {
                literal += "${".utf8
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "${".utf8) {
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
                add(literal)
                literal = []
                let name = rest[..<end].dropFirst(2)
                parts.append(.parameter(String(decoding: name, as: UTF8.self)))
                rest = rest[(end + 1)...]
            } else {
                literal.append(UInt8(ascii: "$"))
                rest = rest.dropFirst()
            }
        }
        add(literal + rest)
    }

    private mutating func add(_ literal: [UInt8]) {
        if !literal.isEmpty { parts.append(.literal(String(decoding: literal, as: UTF8.self))) }
    }

    /// The names of the parameters in the text.
    package var parameterNames: [String] {
        parts.compactMap { part in
            guard case .parameter(let name) = part else { return nil }
            return name
        }
    }

    /// The text if it contains no parameters, or `nil`.
    package var constant: String? {
        var whole = ""
        for part in parts {
            guard case .literal(let text) = part else { return nil }
            whole += text
        }
        return whole
    }

    /// The part of the text after its last parameter, which is known before a run.
    package var knownEnd: String {
        guard case .literal(let text) = parts.last else { return "" }
        return text
    }
}
