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

    /// Makes a text without parameters; one that no file has is at no place.
    package init(
        literal: String, at location: SourceLocation = SourceLocation(file: "", line: 1, column: 1)
    ) {
        text = literal
        parts = literal.isEmpty ? [] : [.literal(literal)]
        self.location = location
    }

    /// Cuts a text at its parameters; nil where a `${` is never closed.
    ///
    /// The signs are looked for in the bytes: what comes behind them may be a combining mark.
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
