/// The left operand of an operator in a predicate written in Swift.
///
/// `GraphKey("priority") > 3` builds the same tree as the text `priority > 3`. The operators take a
/// term on the left and any argument on the right, so they never compete with the operators of the
/// standard library.
public protocol GraphTerm: GraphPredicateArgument {
    /// Whether a comparison must hold for any, all, or none of the elements of a to-many key path.
    var comparisonModifier: ComparisonModifier { get }
}

extension GraphTerm {
    /// `.direct`, because the term has a single value.
    public var comparisonModifier: ComparisonModifier { .direct }

    /// Returns a comparison with this term on the left.
    fileprivate func compared(
        _ op: ComparisonOperator, _ right: some GraphPredicateArgument,
        _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        .comparison(
            GraphComparison(
                graphExpression, op, right.graphExpression, modifier: comparisonModifier,
                options: options))
    }

    /// Matches equal values.
    public static func == (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.equal, right)
    }

    /// Matches different values, also if only one of them is nil.
    public static func != (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.notEqual, right)
    }

    /// Matches if the left value is less.
    public static func < (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.less, right)
    }

    /// Matches if the left value is less or equal.
    public static func <= (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.lessOrEqual, right)
    }

    /// Matches if the left value is greater.
    public static func > (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.greater, right)
    }

    /// Matches if the left value is greater or equal.
    public static func >= (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.greaterOrEqual, right)
    }

    /// Matches if there is no value.
    public static func == (left: Self, right: GraphNil) -> GraphPredicate { left.isNil }

    /// Matches any value except nil.
    public static func != (left: Self, right: GraphNil) -> GraphPredicate { left.isNotNil }

    /// The predicate that matches if there is no value.
    public var isNil: GraphPredicate { compared(.equal, GraphValue.null) }

    /// The predicate that matches any value except nil.
    public var isNotNil: GraphPredicate { compared(.notEqual, GraphValue.null) }

    /// Matches strings that are equal under the options.
    public func equals(
        _ text: some GraphPredicateArgument, _ options: ComparisonOptions
    ) -> GraphPredicate {
        compared(.equal, text, options)
    }

    /// Matches an element of a list, of a collection, or of a bound variable.
    public func `in`(
        _ list: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.in, list, options)
    }

    /// Matches a value within the bounds, ends included.
    public func between<Bound: GraphPredicateArgument>(
        _ bounds: ClosedRange<Bound>
    ) -> GraphPredicate {
        compared(.between, bounds)
    }

    /// Matches a value within two bounds that can be values of the object, ends included.
    public func between(
        _ low: some GraphPredicateArgument, _ high: some GraphPredicateArgument
    ) -> GraphPredicate {
        compared(
            .between, GraphExpression.aggregate([low.graphExpression, high.graphExpression]))
    }

    /// Matches a string that contains the other, or a collection that contains the value.
    public func contains(
        _ part: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.contains, part, options)
    }

    /// Matches a string that begins with the other.
    public func beginsWith(
        _ start: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.beginsWith, start, options)
    }

    /// Matches a string that ends with the other.
    public func endsWith(
        _ end: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.endsWith, end, options)
    }

    /// Matches a string against a pattern in which `*` is any run and `?` is one character.
    public func like(
        _ shape: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.like, shape, options)
    }

    /// Matches a string that the regular expression matches completely.
    public func matches(
        _ pattern: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.matches, pattern, options)
    }
}

extension GraphTerm {
    /// Returns the sum.
    public static func + (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.add, left.graphExpression, right.graphExpression))
    }

    /// Returns the difference.
    public static func - (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.subtract, left.graphExpression, right.graphExpression))
    }

    /// Returns the product.
    public static func * (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.multiply, left.graphExpression, right.graphExpression))
    }

    /// Returns the quotient.
    public static func / (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.divide, left.graphExpression, right.graphExpression))
    }

    /// Returns the negated value.
    public static prefix func - (operand: Self) -> GraphComputed {
        .init(.negation(operand.graphExpression))
    }
}

/// The type of `nil` on the right of `==` and `!=`.
public struct GraphNil: ExpressibleByNilLiteral, Sendable {
    /// Creates a value from `nil`.
    public init(nilLiteral: ()) {}
}

/// The result of arithmetic, of a function, or of a collection operator.
public struct GraphComputed: GraphTerm {
    /// The expression.
    public let graphExpression: GraphExpression

    /// Wraps an expression, so that operators accept it.
    public init(_ expression: GraphExpression) {
        graphExpression = expression
    }
}

extension GraphPredicate {
    /// Matches if both predicates match; a chain of `&&` is one AND.
    public static func && (left: GraphPredicate, right: GraphPredicate) -> GraphPredicate {
        if case .and(let parts) = left { return .and(parts + [right]) }
        return .and([left, right])
    }

    /// Matches if at least one predicate matches; a chain of `||` is one OR.
    public static func || (left: GraphPredicate, right: GraphPredicate) -> GraphPredicate {
        if case .or(let parts) = left { return .or(parts + [right]) }
        return .or([left, right])
    }

    /// Matches if the predicate does not match.
    public static prefix func ! (predicate: GraphPredicate) -> GraphPredicate {
        .not(predicate)
    }
}

extension ComparisonOptions {
    /// `[c]`: ignores case.
    public static let c = caseInsensitive
    /// `[d]`: ignores diacritics.
    public static let d = diacriticInsensitive
    /// `[n]`: compares without folding, which is the default.
    public static let n = normalized
}
