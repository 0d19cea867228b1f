import RecordStreams

/// A JSON value whose objects keep the order of their members.
package indirect enum JSONTree: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    /// Any other number, as written.
    case number(String)
    case boolean(Bool)
    case null
    case list([JSONTree])
    case object([Member])

    /// A name with a value.
    package struct Member: Sendable, Hashable {
        var name: String
        var value: JSONTree

        init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    /// The value as text, with two spaces for each level.
    var formatted: String { formatted(indent: "") + "\n" }

    /// The value as text without any white space.
    package var compact: String {
        var text = ""
        addCompact(to: &text)
        return text
    }

    private func addCompact(to text: inout String) {
        switch self {
        case .text, .integer, .number, .boolean, .null: text += formatted(indent: "")
        case .list(let items):
            text += "["
            for (place, item) in items.enumerated() {
                if place > 0 { text += "," }
                item.addCompact(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (place, member) in members.enumerated() {
                if place > 0 { text += "," }
                text += JSONText.quoted(member.name) + ":"
                member.value.addCompact(to: &text)
            }
            text += "}"
        }
    }

    private func formatted(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .text(let text): return JSONText.quoted(text)
        case .integer(let number): return String(number)
        case .number(let text): return text
        case .boolean(let flag): return String(flag)
        case .null: return "null"
        case .list(let items):
            if items.allSatisfy(\.isScalar) {
                return "[" + items.map { $0.formatted(indent: "") }.joined(separator: ", ") + "]"
            }
            let lines = items.map { inner + $0.formatted(indent: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            let lines = members.map {
                "\(inner)\(JSONText.quoted($0.name)): \($0.value.formatted(indent: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private var isScalar: Bool {
        switch self {
        case .list, .object: false
        default: true
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral text: String) { self = .text(text) }

    package init(dictionaryLiteral members: (String, JSONTree)...) {
        self = .object(members.map { Member($0, $1) })
    }
}
