/// A sort order with its text and the position of each key, so that later errors can show it.
///
/// ```
/// priority desc, title
/// -priority, category.name nocase, dueOn desc nulls last, title localized
/// ```
/// A key is a path of names, with `-` before it, or `asc` or `desc` after it. Two options can
/// follow in any order: the text order (`binary`, `nocase` or `[c]`, `[cd]`, `localized`), and
/// `nulls first` or `nulls last`. As in predicates, `#'any name'` is a name with other characters.
public struct ParsedSortOrder: Sendable, Hashable {
    /// The sort keys, in descending priority.
    public let descriptors: [GraphSortDescriptor]
    /// The text.
    public let format: String
    /// The byte offset of each key.
    package let offsets: [Int]

    /// Parses a sort order.
    public init(format: String) throws(GraphPredicateError) {
        var parser = try SortOrderParser(format)
        let keys = try parser.wholeOrder()
        self.format = format
        descriptors = keys.map(\.descriptor)
        offsets = keys.map(\.offset)
    }
}

extension GraphSortDescriptor {
    /// Parses an order such as `priority desc, title`; see `ParsedSortOrder` for its grammar.
    public static func order(
        format: String
    ) throws(GraphPredicateError) -> [GraphSortDescriptor] {
        try ParsedSortOrder(format: format).descriptors
    }
}

/// Parses a sort order with one token of lookahead.
private struct SortOrderParser {
    private let format: String
    private var lexer: PredicateLexer
    private var token: PredicateToken
    private var offset: Int

    init(_ format: String) throws(GraphPredicateError) {
        self.format = format
        lexer = PredicateLexer(format)
        (token, offset) = try lexer.next()
    }

    mutating func wholeOrder() throws(GraphPredicateError) -> [(
        descriptor: GraphSortDescriptor, offset: Int
    )] {
        var keys: [(descriptor: GraphSortDescriptor, offset: Int)] = []
        repeat {
            let start = offset
            keys.append((try key(), start))
        } while try take(.symbol(","))
        guard token == .end else {
            throw error("'asc', 'desc', 'nocase', 'localized', 'nulls', or a comma belongs here")
        }
        return keys
    }

    private mutating func key() throws(GraphPredicateError) -> GraphSortDescriptor {
        var isAscending: Bool?
        if try take(.symbol("-")) {
            isAscending = false
        } else if try take(.symbol("+")) {
            isAscending = true
        }
        let path = try keyPath()
        var textOrder: GraphSortDescriptor.TextOrder?
        var nullOrder: GraphSortDescriptor.NullOrder?
        while let found = try option() {
            switch found.option {
            case .direction(let value):
                try once(isAscending, "direction", at: found.offset)
                isAscending = value
            case .text(let value):
                try once(textOrder, "text order", at: found.offset)
                textOrder = value
            case .nulls(let value):
                try once(nullOrder, "place for nulls", at: found.offset)
                nullOrder = value
            }
        }
        return GraphSortDescriptor(
            path, ascending: isAscending ?? true, textOrder: textOrder ?? .binary,
            nullOrder: nullOrder)
    }

    private mutating func keyPath() throws(GraphPredicateError) -> [String] {
        var path: [String] = []
        repeat {
            switch token {
            case .word(let name), .key(let name): path.append(name)
            default: throw error(path.isEmpty ? "A key is missing" : "A name is missing after '.'")
            }
            try advance()
        } while try take(.symbol("."))
        return path
    }

    // MARK: Options

    private enum Option {
        case direction(Bool)
        case text(GraphSortDescriptor.TextOrder)
        case nulls(GraphSortDescriptor.NullOrder)
    }

    private static let words: [String: Option] = [
        "asc": .direction(true), "ascending": .direction(true),
        "desc": .direction(false), "descending": .direction(false),
        "binary": .text(.binary), "nocase": .text(.caseInsensitive),
        "localized": .text(.localizedStandard),
    ]

    private mutating func option() throws(GraphPredicateError) -> (option: Option, offset: Int)? {
        let start = offset
        if try take(.symbol("[")) { return (.text(try marks()), start) }
        guard case .word(let word) = token else { return nil }
        if let option = Self.words[word.lowercased()] {
            try advance()
            return (option, start)
        }
        guard word.lowercased() == "nulls" else { return nil }
        try advance()
        guard case .word(let place) = token,
            let order = GraphSortDescriptor.NullOrder(rawValue: place.lowercased())
        else { throw error("'first' or 'last' belongs after 'nulls'") }
        try advance()
        return (.nulls(order), start)
    }

    /// Parses the options inside brackets, as in predicates.
    private mutating func marks() throws(GraphPredicateError) -> GraphSortDescriptor.TextOrder {
        guard case .word(let word) = token else { throw error("[c] or [cd] is expected") }
        let order: GraphSortDescriptor.TextOrder
        switch word.lowercased() {
        case "c": order = .caseInsensitive
        case "cd", "dc": order = .caseAndDiacriticInsensitive
        default: throw error("[c] or [cd] is expected")
        }
        try advance()
        guard try take(.symbol("]")) else { throw error("A ']' is missing") }
        return order
    }

    // MARK: Tokens

    private func once<Value>(
        _ earlier: Value?, _ name: String, at offset: Int
    ) throws(GraphPredicateError) {
        guard earlier != nil else { return }
        throw GraphPredicateError(
            .syntax, "This key has a second \(name)", at: offset, in: format)
    }

    private mutating func advance() throws(GraphPredicateError) {
        (token, offset) = try lexer.next()
    }

    private mutating func take(_ wanted: PredicateToken) throws(GraphPredicateError) -> Bool {
        guard token == wanted else { return false }
        try advance()
        return true
    }

    private func error(_ message: String) -> GraphPredicateError {
        GraphPredicateError(.syntax, message, at: offset, in: format)
    }
}
