/// Parses `NSPredicate`'s language by recursive descent, without going back.
///
/// A bracket may open a predicate or an expression; which one shows only behind it. So every
/// level returns a node that is either, and whoever needs one of the two asks for it:
/// `or → and → not → comparison → sum → product → sign → primary`.
struct PredicateParser {
    /// A finished part of the tree.
    struct Node {
        enum Content {
            case predicate(GraphPredicate)
            case expression(GraphExpression)
        }

        var content: Content
        var offset: Int
        /// The depth of the tree below.
        var depth: Int
    }

    /// Brackets, NOTs and so on inside each other; bounds the parser's own recursion.
    private static let nestingMax = 64
    /// Depth of the finished tree; bounds the recursion of everyone who walks it.
    private static let depthMax = 400

    let format: String
    var arguments: ArraySlice<any GraphPredicateArgument>
    private var lexer: PredicateLexer
    private(set) var token = PredicateToken.end
    private(set) var offset = 0
    private var offsets: [Int] = []
    private var nesting = 0

    init(
        _ format: String, arguments: [any GraphPredicateArgument]
    ) throws(GraphPredicateError) {
        self.format = format
        self.arguments = arguments[...]
        lexer = PredicateLexer(format)
        try advance()
    }

    var source: PredicateSource { PredicateSource(format: format, offsets: offsets) }

    mutating func wholePredicate() throws(GraphPredicateError) -> GraphPredicate {
        let node = try disjunction()
        try checkEnd()
        return try predicate(node)
    }

    mutating func wholeExpression() throws(GraphPredicateError) -> GraphExpression {
        let node = try disjunction()
        try checkEnd()
        return try expression(node)
    }

    // MARK: Tokens and nodes

    mutating func advance() throws(GraphPredicateError) {
        (token, offset) = try lexer.next()
    }

    func isAt(_ word: String) -> Bool {
        switch token {
        case .word(let found): found.uppercased() == word
        case .symbol(let found): found == word
        default: false
        }
    }

    mutating func expect(_ symbol: String, opening: Int) throws(GraphPredicateError) {
        guard token == .symbol(symbol) else {
            if token == .end { throw error("'\(symbol)' is missing", at: opening) }
            throw error("'\(symbol)' is expected here", at: offset)
        }
        try advance()
    }

    private func checkEnd() throws(GraphPredicateError) {
        guard token == .end else {
            throw error("AND, OR or the end is expected here", at: offset)
        }
        guard arguments.isEmpty else {
            throw GraphPredicateError(
                .argument, "There are more arguments than placeholders", at: offset, in: format)
        }
    }

    /// Records a node's place.
    ///
    /// Operands must be finished before what joins them.
    mutating func finish(
        _ content: Node.Content, at place: Int, depth: Int = 0, replacing: Int = 0,
        nodes: Int = 1
    ) throws(GraphPredicateError) -> Node {
        guard depth < Self.depthMax else { throw tooDeep(at: place) }
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
        case .expression(.keyPath(let keys)):
            throw error(
                "'\(keys.joined(separator: "."))' alone is no condition; compare it, "
                    + "as in '== YES' or '!= nil'",
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

    func error(_ message: String, at place: Int) -> GraphPredicateError {
        GraphPredicateError(.syntax, message, at: place, in: format)
    }

    private func tooDeep(at place: Int) -> GraphPredicateError {
        GraphPredicateError(.tooDeep, "The predicate is nested too deeply", at: place, in: format)
    }
}
