/// The fields that a row key is made of: all fields for `rowkey()`, and some for `rowkey("a", "b")`.
///
/// The key of some fields is that of a record which has no other ones, so a column that is added to
/// a file changes no key.
package struct RowKeyFields: Sendable, Hashable {
    /// The columns, or the paths of fields in JSON; empty for all.
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    /// Reads `rowkey("a", "b")`; nil for other expressions.
    init?(parsing expression: String) {
        var rest = Substring(expression)
        func skipSpace() { rest = rest.drop(while: \.isWhitespace) }
        skipSpace()
        guard rest.hasPrefix("rowkey") else { return nil }
        rest = rest.dropFirst("rowkey".count)
        skipSpace()
        guard rest.popFirst() == "(" else { return nil }
        var names: [String] = []
        skipSpace()
        while let quote = rest.first, quote == "\"" || quote == "'" {
            rest.removeFirst()
            var name = ""
            while let character = rest.first, character != quote {
                rest.removeFirst()
                if character == "\\", let next = rest.popFirst() {
                    name.append(next)
                } else {
                    name.append(character)
                }
            }
            guard rest.popFirst() != nil, !name.isEmpty else { return nil }
            names.append(name)
            skipSpace()
            guard rest.first == "," else { break }
            rest.removeFirst()
            skipSpace()
            guard rest.first == "\"" || rest.first == "'" else { return nil }
        }
        guard rest.popFirst() == ")" else { return nil }
        skipSpace()
        guard rest.isEmpty else { return nil }
        self.names = names
    }

    /// The expression that stands for the fields.
    var expression: String {
        let texts = names.map { name in
            "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return "rowkey(\(texts.joined(separator: ", ")))"
    }
}
