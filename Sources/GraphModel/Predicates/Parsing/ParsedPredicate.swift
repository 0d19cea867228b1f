/// The text from which a tree was parsed, with the position of each node.
///
/// Nodes are numbered in post-order: operands from left to right, before the node that joins them.
/// The parser finishes them in this order, and the resolver visits them in it. So the tree itself
/// has no positions and can be compared by content.
public struct PredicateSource: Sendable, Hashable {
    /// The text.
    public let format: String
    let offsets: [Int]

    /// Returns the byte offset of the node with that post-order number, or `nil`.
    func offset(ofNode number: Int) -> Int? {
        number < offsets.count ? offsets[number] : nil
    }
}

/// A predicate together with its text, so that later errors can show their position.
public struct ParsedPredicate: Sendable, Hashable {
    /// The tree.
    public let predicate: GraphPredicate
    /// The text of the tree.
    public let source: PredicateSource

    /// Parses a format in `NSPredicate`'s language.
    ///
    /// - Parameters:
    ///   - format: The text.
    ///   - arguments: The replacements for `%@`, `%K`, `%d`, and `%f`, in order.
    public init(
        format: String, arguments: [any GraphPredicateArgument] = []
    ) throws(GraphPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        predicate = try parser.wholePredicate()
        source = parser.source
    }
}

/// An expression together with its text, so that later errors can show their position.
public struct ParsedExpression: Sendable, Hashable {
    /// The tree.
    public let expression: GraphExpression
    /// The text of the tree.
    public let source: PredicateSource

    /// Parses an expression, such as `priority + 1` or `coalesce(title, 'Untitled')`.
    ///
    /// - Parameters:
    ///   - format: The text.
    ///   - arguments: The replacements for `%@`, `%K`, `%d`, and `%f`, in order.
    public init(
        format: String, arguments: [any GraphPredicateArgument] = []
    ) throws(GraphPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        expression = try parser.wholeExpression()
        source = parser.source
    }
}

extension GraphPredicate {
    /// Parses a format in `NSPredicate`'s language.
    ///
    /// - Parameters:
    ///   - format: The text.
    ///   - arguments: The replacements for `%@`, `%K`, `%d`, and `%f`, in order.
    public init(
        format: String, _ arguments: any GraphPredicateArgument...
    ) throws(GraphPredicateError) {
        self = try ParsedPredicate(format: format, arguments: arguments).predicate
    }
}

extension GraphExpression {
    /// Parses an expression, such as `priority + 1`.
    ///
    /// - Parameters:
    ///   - format: The text.
    ///   - arguments: The replacements for `%@`, `%K`, `%d`, and `%f`, in order.
    public init(
        format: String, _ arguments: any GraphPredicateArgument...
    ) throws(GraphPredicateError) {
        self = try ParsedExpression(format: format, arguments: arguments).expression
    }
}
