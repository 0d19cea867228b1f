internal import Diagnostics

// The language, in EBNF; keywords ignore case, and spaces are allowed between all tokens:
//
//     predicate   = and { ("OR" | "||") and }
//     and         = not { ("AND" | "&&") not }
//     not         = ("NOT" | "!") not | comparison
//     comparison  = "TRUEPREDICATE" | "FALSEPREDICATE" | "(" predicate ")" | "%@"
//                 | [ "ANY" | "SOME" | "ALL" | "NONE" ] expression operator expression
//     operator    = ("=" | "==" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>" | word) options
//     word        = ["NOT"] ("IN" | "BETWEEN" | "CONTAINS" | "BEGINSWITH" | "ENDSWITH" | "LIKE"
//                 | "MATCHES")
//     options     = [ "[" { "c" | "d" | "n" } "]" ]
//     expression  = xor { "|" xor }
//     xor         = bits { "^" bits }
//     bits        = shift { "&" shift }
//     shift       = sum { ("<<" | ">>") sum }
//     sum         = product { ("+" | "-") product }
//     product     = power { ("*" | "/") power }
//     power       = sign [ "**" power ]
//     sign        = ("-" | "~") sign | base { suffix }
//     base        = literal | key | "$" name | "SELF" | placeholder | "(" expression ")"
//                 | "{" [ expression { "," expression } ] "}"
//                 | name [":"] "(" [ expression { "," expression } ] ")"
//                 | ("count" | "sum" | "average" | "min" | "max") [":"] "(" expression ")"
//                 | "SUBQUERY" "(" expression "," "$" name "," predicate ")"
//                 | "TERNARY" "(" predicate "," expression "," expression ")"
//     suffix      = "." (key | "%K") | "." collection { "." key }
//                 | "[" ("FIRST" | "LAST" | "SIZE" | expression) "]"
//     collection  = "@count" | "@sum" | "@avg" | "@min" | "@max" | "@unionOfObjects"
//                 | "@distinctUnionOfObjects"
//     key         = name | "#" name | "#" text | "@allKeys" | "@allValues"
//     literal     = number | text | "YES" | "TRUE" | "NO" | "FALSE" | "NIL" | "NULL"
//                 | "CAST" "(" literal "," text ")"
//     placeholder = "%@" | "%K" | "%d" | "%i" | "%u" | "%x" | "%ld" | "%lu" | "%f" | "%g" …
//     name        = (letter | "_" | any scalar beyond ASCII) { the same | digit }
//
// Precedence: NOT binds before AND, and AND before OR. A minus binds before `**`, that before `*`
// and `/`, and those before `+` and `-`. All operators except `**` are left-associative.
// Comparisons cannot be chained.
//
// Numbers are `12`, `1.5e-3`, `.5`, `0x1F`, `0o17`, and `0b101`. Text is in single or double quotes
// with `\'`, `\"`, `\\`, `\n`, `\r`, `\t`, and `\uhhhh`, and keeps other backslashes. A key that is
// spelled like a keyword needs a `#` before it. Some valid texts of this grammar are invalid for a
// model, such as an index into text; the resolver rejects them.
//
// For example, `NOT a == 1 AND ANY b.c CONTAINS[c] 'x' OR d - 1 > $e` is parsed as
//
//     ((NOT (a == 1)) AND (ANY b.c CONTAINS[c] 'x')) OR ((d - 1) > $e)

/// Parses `NSPredicate`'s language by recursive descent, without backtracking.
///
/// A parenthesis can open a predicate or an expression, and only the following text shows which. So
/// every level returns a node that is either, and the caller converts it to the kind that it needs:
/// `or → and → not → comparison → value → sign → primary`.
struct PredicateParser {
    /// A parsed part of the text: a predicate or an expression, and where it starts.
    struct Node {
        enum Content {
            case predicate(GraphPredicate)
            case expression(GraphExpression)
        }

        var content: Content
        var offset: Int
        /// The depth of the tree of this part.
        var depth: Int
    }

    /// The maximum nesting of parentheses, NOTs, and so on, which bounds the parser's recursion.
    private static let nestingMax = 64
    /// The maximum size of a format in bytes; canonical text that is decoded has no limit.
    static let bytesMax = 1 << 20

    let format: String
    var arguments: ArraySlice<any GraphPredicateArgument>
    private var lexer: PredicateLexer
    private(set) var token = PredicateToken.end
    /// The token in uppercase, if it is a word that can be a keyword.
    private(set) var keyword: String?
    private(set) var offset = 0
    private var offsets: [Int] = []
    private var nesting = 0
    /// Whether an error that does not affect the grammar is added to `found`, so that parsing
    /// continues.
    private let collects: Bool
    /// The errors so far, in the order of the text.
    private(set) var found: [GraphPredicateError] = []

    init(
        _ format: String, arguments: [any GraphPredicateArgument], bytesMax: Int = Self.bytesMax,
        collects: Bool = false
    ) throws(GraphPredicateError) {
        guard format.utf8.count <= bytesMax else {
            throw GraphPredicateError(
                .tooLong,
                "A predicate's text has at most \(bytesMax) bytes, not "
                    + "\(format.utf8.count); give long lists as arguments")
        }
        self.format = format
        self.arguments = ArraySlice(arguments)
        self.collects = collects
        lexer = PredicateLexer(format)
        try advance()
    }

    /// Adds an error to `found`, or throws it if only the first one is needed.
    mutating func report(_ error: GraphPredicateError) throws(GraphPredicateError) {
        guard collects else { throw error }
        found.append(error)
    }

    var source: PredicateSource { PredicateSource(format: format, offsets: offsets) }

    mutating func wholePredicate() throws(GraphPredicateError) -> GraphPredicate {
        if token == .end { throw error("The predicate is empty", at: offset) }
        let node = try disjunction()
        try checkEnd(after: node)
        return try predicate(node)
    }

    mutating func wholeExpression() throws(GraphPredicateError) -> GraphExpression {
        if token == .end { throw error("The expression is empty", at: offset) }
        let node = try disjunction()
        try checkEnd(after: node)
        return try expression(node)
    }

    // MARK: Tokens and nodes

    mutating func advance() throws(GraphPredicateError) {
        (token, offset) = try lexer.next()
        keyword = if case .word(let word) = token { PredicateKeywords.upper(word) } else { nil }
    }

    /// The token after the current one; `nil` if it cannot be read.
    var tokenAfter: PredicateToken? {
        var ahead = lexer
        // The parser reports a token that cannot be read when it reaches it.
        return try? ahead.next().token
    }

    func isAt(_ word: String) -> Bool {
        if case .symbol(let found) = token { return found == word }
        return keyword == word
    }

    mutating func expect(_ symbol: String, opening: Int) throws(GraphPredicateError) {
        guard token == .symbol(symbol) else {
            if token == .end { throw error("'\(symbol)' is missing", at: opening) }
            if let error = isNullError() { throw error }
            throw error("'\(symbol)' is expected here", at: offset)
        }
        try advance()
    }

    private func checkEnd(after node: Node) throws(GraphPredicateError) {
        guard token == .end else { throw unexpected(after: node) }
        guard arguments.isEmpty else {
            throw error("There are more arguments than placeholders", .argument, at: offset)
        }
    }

    /// Returns the error for a token after a complete predicate or expression.
    private func unexpected(after node: Node) -> GraphPredicateError {
        let isCondition = if case .predicate = node.content { true } else { false }
        switch token {
        case .symbol("("), .symbol(")"), .symbol("{"), .symbol("}"), .symbol("["), .symbol("]"):
            break
        case .symbol(let symbol) where ComparisonOperator(rawValue: symbol) != nil && isCondition:
            return error("A comparison ends here; join it with AND or OR", at: offset)
        case .word where PredicateKeywords.comparison(keyword) != nil && isCondition:
            return error("A comparison ends here; join it with AND or OR", at: offset)
        case .symbol, .operation: break
        default:
            if !isCondition {
                if let error = isNullError() { return error }
                return error("An operator is missing before this value", at: offset)
            }
        }
        return error("AND, OR, or the end is expected here", at: offset)
    }

    /// Returns the error for `IS NULL` or `IS NOT NULL` of SQL, or `nil` if neither is at this
    /// position.
    private func isNullError() -> GraphPredicateError? {
        guard keyword == "IS" else { return nil }
        var ahead = lexer
        func word() -> String? {
            // The parser reports a token that cannot be read when it reaches it.
            guard case .word(let word)? = try? ahead.next().token else { return nil }
            return PredicateKeywords.upper(word)
        }
        var next = word()
        let isNegated = next == "NOT"
        if isNegated { next = word() }
        guard next == "NULL" || next == "NIL" else { return nil }
        let before = String(decoding: format.utf8.prefix(offset), as: UTF8.self)
        let trimmed = before.reversed().drop { $0 == " " }
        let subject = trimmed.prefix { $0.isLetter || $0.isNumber || "._$@".contains($0) }
        let name = subject.isEmpty ? "" : String(subject.reversed()) + " "
        return error(
            "IS \(isNegated ? "NOT " : "")NULL is SQL; predicates compare with nil", at: offset,
            fix: "write `\(name)\(isNegated ? "!=" : "==") nil`")
    }

    /// Records a node's position and returns the node.
    ///
    /// Operands must be finished before the node that joins them.
    mutating func finish(
        _ content: Node.Content, at place: Int, depth: Int = 0, replacing: Int = 0,
        nodes: Int = 1
    ) throws(GraphPredicateError) -> Node {
        guard depth < TreeSize.depthMax else { throw tooDeep(at: place) }
        offsets.removeLast(min(replacing, offsets.count))
        offsets.append(contentsOf: repeatElement(place, count: nodes))
        return Node(content: content, offset: place, depth: depth + 1)
    }

    mutating func enter(at place: Int) throws(GraphPredicateError) {
        nesting += 1
        guard nesting <= Self.nestingMax else { throw tooDeep(at: place) }
    }

    mutating func leave() {
        nesting -= 1
    }

    func predicate(_ node: Node) throws(GraphPredicateError) -> GraphPredicate {
        switch node.content {
        case .predicate(let predicate): return predicate
        case .expression where keyword == "IS":
            throw isNullError() ?? error("A comparison is missing", at: node.offset)
        case .expression(.keyPath(let keys)):
            throw error(
                "'\(Self.shown(keys.joined(separator: ".")))' alone is not a condition; "
                    + "compare it, as in '== YES' or '!= nil'",
                at: node.offset)
        case .expression: throw error("A comparison is missing", at: node.offset)
        }
    }

    func expression(_ node: Node) throws(GraphPredicateError) -> GraphExpression {
        guard case .expression(let expression) = node.content else {
            throw error("A value is needed here, not a condition", at: node.offset)
        }
        return expression
    }

    /// Returns a name from the text for a message, truncated to 40 characters if it is very long.
    static func shown(_ name: String) -> String {
        name.utf8.count <= 80 ? name : String(name.unicodeScalars.prefix(40)) + "…"
    }

    /// Returns ` Did you mean 'x'?` or an empty string; words of more than 80 bytes are not
    /// compared.
    static func suggestion(_ word: String, _ candidates: [String]) -> String {
        word.utf8.count <= 80 ? Suggestion.phrase(for: word, among: candidates) : ""
    }

    func error(
        _ message: String, _ code: GraphPredicateError.Code = .syntax, at place: Int,
        fix: String? = nil
    ) -> GraphPredicateError {
        GraphPredicateError(code, message, at: place, in: format, fix: fix)
    }

    func tooDeep(at place: Int) -> GraphPredicateError {
        error("The predicate is nested too deeply", .tooDeep, at: place)
    }
}
