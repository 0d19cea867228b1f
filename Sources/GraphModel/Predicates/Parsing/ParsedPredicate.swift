/// The text that a tree was parsed from, and where in it each node stands.
///
/// Nodes are numbered in post-order, operands from left to right before what joins them. That is
/// the order in which the parser finishes them, and in which the resolver visits them, so that
/// the tree itself stays free of places and compares by content.
public struct PredicateSource: Sendable, Hashable {
    /// The text.
    public let format: String
    let offsets: [Int]

    /// The byte where the node of that post-order number stands.
    func offset(ofNode number: Int) -> Int? {
        number < offsets.count ? offsets[number] : nil
    }
}

/// A predicate together with its text, so that errors found later can show the place.
public struct ParsedPredicate: Sendable, Hashable {
    /// The tree.
    public let predicate: GraphPredicate
    /// Where it came from.
    public let source: PredicateSource

    /// Parses a format in `NSPredicate`'s language.
    ///
    /// - Parameters:
    ///   - format: the text.
    ///   - arguments: what `%@`, `%K`, `%d`, `%f` are replaced with, in order.
    public init(
        format: String, arguments: [any GraphPredicateArgument] = []
    ) throws(GraphPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        predicate = try parser.wholePredicate()
        source = parser.source
    }
}

/// An expression together with its text, so that errors found later can show the place.
public struct ParsedExpression: Sendable, Hashable {
    /// The tree.
    public let expression: GraphExpression
    /// Where it came from.
    public let source: PredicateSource

    /// Parses an expression, such as `priority + 1` or `coalesce(title, 'Untitled')`.
    ///
    /// - Parameters:
    ///   - format: the text.
    ///   - arguments: what `%@`, `%K`, `%d`, `%f` are replaced with, in order.
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
    ///   - format: the text.
    ///   - arguments: what `%@`, `%K`, `%d`, `%f` are replaced with, in order.
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
    ///   - format: the text.
    ///   - arguments: what `%@`, `%K`, `%d`, `%f` are replaced with, in order.
    public init(
        format: String, _ arguments: any GraphPredicateArgument...
    ) throws(GraphPredicateError) {
        self = try ParsedExpression(format: format, arguments: arguments).expression
    }
}
