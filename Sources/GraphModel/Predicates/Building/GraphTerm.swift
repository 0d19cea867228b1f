/// What stands on the left of an operator in a predicate that is written in Swift.
///
/// `GraphKey("priority") > 3` is the tree that the text `priority > 3` gives. The operators take
/// a term on the left and any argument on the right, so that they never compete with those of
/// the standard library.
public protocol GraphTerm: GraphPredicateArgument {
    /// For which elements a comparison must hold.
    var comparisonModifier: ComparisonModifier { get }
}

extension GraphTerm {
    /// One value is compared.
    public var comparisonModifier: ComparisonModifier { .direct }

    /// A comparison with this term on the left.
    fileprivate func compared(
        _ op: ComparisonOperator, _ right: some GraphPredicateArgument,
        _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        .comparison(
            GraphComparison(
                graphExpression, op, right.graphExpression, modifier: comparisonModifier,
                options: options))
    }

    /// The same value.
    public static func == (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.equal, right)
    }

    /// Not the same value; true where this is nil and the other is not.
    public static func != (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.notEqual, right)
    }

    /// Smaller.
    public static func < (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.less, right)
    }

    /// Smaller or equal.
    public static func <= (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.lessOrEqual, right)
    }

    /// Greater.
    public static func > (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.greater, right)
    }

    /// Greater or equal.
    public static func >= (left: Self, right: some GraphPredicateArgument) -> GraphPredicate {
        left.compared(.greaterOrEqual, right)
    }

    /// No value.
    public static func == (left: Self, right: GraphNil) -> GraphPredicate { left.isNil }

    /// Any value.
    public static func != (left: Self, right: GraphNil) -> GraphPredicate { left.isNotNil }

    /// No value.
    public var isNil: GraphPredicate { compared(.equal, GraphValue.null) }

    /// Any value.
    public var isNotNil: GraphPredicate { compared(.notEqual, GraphValue.null) }

    /// The same text, as the options see it.
    public func equals(
        _ text: some GraphPredicateArgument, _ options: ComparisonOptions
    ) -> GraphPredicate {
        compared(.equal, text, options)
    }

    /// Among the elements of a list, a collection or a bound variable.
    public func `in`(
        _ list: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.in, list, options)
    }

    /// Within the bounds, ends included.
    public func between<Bound: GraphPredicateArgument>(
        _ bounds: ClosedRange<Bound>
    ) -> GraphPredicate {
        compared(.between, bounds)
    }

    /// Within two bounds that are values of the object, ends included.
    public func between(
        _ low: some GraphPredicateArgument, _ high: some GraphPredicateArgument
    ) -> GraphPredicate {
        compared(
            .between, GraphExpression.aggregate([low.graphExpression, high.graphExpression]))
    }

    /// Text with the other somewhere in it, or a collection with the other in it.
    public func contains(
        _ part: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.contains, part, options)
    }

    /// Text that starts with the other.
    public func beginsWith(
        _ start: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.beginsWith, start, options)
    }

    /// Text that ends with the other.
    public func endsWith(
        _ end: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.endsWith, end, options)
    }

    /// Text of that shape: `*` is any run, `?` one character.
    public func like(
        _ shape: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.like, shape, options)
    }

    /// Text that the regular expression matches as a whole.
    public func matches(
        _ pattern: some GraphPredicateArgument, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        compared(.matches, pattern, options)
    }
}

extension GraphTerm {
    /// Sum.
    public static func + (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.add, left.graphExpression, right.graphExpression))
    }

    /// Difference.
    public static func - (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.subtract, left.graphExpression, right.graphExpression))
    }

    /// Product.
    public static func * (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.multiply, left.graphExpression, right.graphExpression))
    }

    /// Quotient.
    public static func / (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.divide, left.graphExpression, right.graphExpression))
    }

    /// The negative.
    public static prefix func - (operand: Self) -> GraphComputed {
        .init(.negation(operand.graphExpression))
    }
}

/// `nil` on the right of `==` and `!=`.
public struct GraphNil: ExpressibleByNilLiteral, Sendable {
    /// Creates it from `nil`.
    public init(nilLiteral: ()) {}
}

/// What arithmetic, a function or a collection operator gives.
public struct GraphComputed: GraphTerm {
    /// The expression.
    public let graphExpression: GraphExpression

    /// Wraps an expression, so that operators take it.
    public init(_ expression: GraphExpression) {
        graphExpression = expression
    }
}

extension GraphPredicate {
    /// What meets both; a chain of `&&` is one AND.
    public static func && (left: GraphPredicate, right: GraphPredicate) -> GraphPredicate {
        if case .and(let parts) = left { return .and(parts + [right]) }
        return .and([left, right])
    }

    /// What meets one of them at least; a chain of `||` is one OR.
    public static func || (left: GraphPredicate, right: GraphPredicate) -> GraphPredicate {
        if case .or(let parts) = left { return .or(parts + [right]) }
        return .or([left, right])
    }

    /// What does not meet it.
    public static prefix func ! (predicate: GraphPredicate) -> GraphPredicate {
        .not(predicate)
    }
}

extension ComparisonOptions {
    /// `[c]`: case does not matter.
    public static let c = caseInsensitive
    /// `[d]`: diacritics do not matter.
    public static let d = diacriticInsensitive
    /// `[n]`: plain.
    public static let n = normalized
}
