import RecordStreams

/// A JSON value whose objects keep the order of their members.
indirect enum JSONTree: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    /// Any other number, as written.
    case number(String)
    case boolean(Bool)
    case null
    case list([JSONTree])
    case object([Member])

    /// A name with a value.
    struct Member: Sendable, Hashable {
        var name: String
        var value: JSONTree

        init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    /// The value as text, with two spaces for each level.
    var formatted: String { formatted(indent: "") + "\n" }

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
    init(stringLiteral text: String) { self = .text(text) }

    init(dictionaryLiteral members: (String, JSONTree)...) {
        self = .object(members.map { Member($0, $1) })
    }
}
