/// What a `%@` placeholder may be replaced with.
public protocol GraphPredicateArgument: Sendable {
    /// The expression that takes the placeholder's place.
    var graphExpression: GraphExpression { get }
}

extension GraphValue: GraphPredicateArgument {
    /// The value as a constant.
    public var graphExpression: GraphExpression { .constant(self) }
}

extension GraphExpression: GraphPredicateArgument {
    /// The expression itself.
    public var graphExpression: GraphExpression { self }
}

extension String: GraphPredicateArgument {
    /// The text as a constant; for `%K` it is a key path.
    public var graphExpression: GraphExpression { .constant(.string(self)) }
}

extension Bool: GraphPredicateArgument {
    /// The boolean as a constant.
    public var graphExpression: GraphExpression { .constant(.boolean(self)) }
}

extension Int: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { .constant(.integer(Int64(self))) }
}

extension Int64: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { .constant(.integer(self)) }
}

extension Double: GraphPredicateArgument {
    /// The number as a constant.
    public var graphExpression: GraphExpression { .constant(.double(self)) }
}

extension Array: GraphPredicateArgument where Element: GraphPredicateArgument {
    /// The elements as a list, for IN and BETWEEN.
    public var graphExpression: GraphExpression { .aggregate(map(\.graphExpression)) }
}

extension Optional: GraphPredicateArgument where Wrapped: GraphPredicateArgument {
    /// The value, or nil as a constant.
    public var graphExpression: GraphExpression { self?.graphExpression ?? .constant(.null) }
}
