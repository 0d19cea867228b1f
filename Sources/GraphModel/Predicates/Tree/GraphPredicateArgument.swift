/// A value that can replace a placeholder or a variable.
///
/// These are strings, Booleans, numbers of every width, dates, UUIDs, binary data, URLs, object
/// IDs, optionals of them, and arrays, sets, and closed ranges as lists. Expressions and predicates
/// are inserted unchanged.
public protocol GraphPredicateArgument: Sendable {
    /// The expression that replaces the placeholder.
    var graphExpression: GraphExpression { get }
    /// The predicate that replaces a `%@` in the position of a condition.
    var graphPredicate: GraphPredicate? { get }
}

extension GraphPredicateArgument {
    /// `nil`, since the argument is a value.
    public var graphPredicate: GraphPredicate? { nil }
}

extension GraphPredicate: GraphPredicateArgument {
    /// `TERNARY(predicate, YES, NO)`, for use as a value.
    public var graphExpression: GraphExpression {
        .conditional(self, .constant(.boolean(true)), .constant(.boolean(false)))
    }

    /// The predicate itself.
    public var graphPredicate: GraphPredicate? { self }
}

extension GraphValue: GraphPredicateArgument {
    /// The value as a constant.
    public var graphExpression: GraphExpression { .constant(self) }
}

extension GraphExpression: GraphPredicateArgument {
    /// The expression itself.
    public var graphExpression: GraphExpression { self }
}

extension ManagedObjectID: GraphPredicateArgument {
    /// The object as a constant.
    public var graphExpression: GraphExpression { .constant(.object(self)) }
}

extension String: GraphPredicateArgument {
    /// The string as a constant; for `%K`, it is a key path.
    public var graphExpression: GraphExpression { .constant(.string(self)) }
}

extension Substring: GraphPredicateArgument {
    /// The string as a constant; for `%K`, it is a key path.
    public var graphExpression: GraphExpression { .constant(.string(String(self))) }
}

extension Bool: GraphPredicateArgument {
    /// The Boolean as a constant.
    public var graphExpression: GraphExpression { .constant(.boolean(self)) }
}

extension Array: GraphPredicateArgument where Element: GraphPredicateArgument {
    /// The elements as a list, for IN and BETWEEN; an array of bytes is one binary value.
    public var graphExpression: GraphExpression {
        // An empty array of any type can be cast to an array of bytes.
        if Element.self == UInt8.self, let bytes = self as? [UInt8] {
            return .constant(.binary(bytes))
        }
        return .aggregate(map(\.graphExpression))
    }
}

extension Set: GraphPredicateArgument where Element: GraphPredicateArgument {
    /// The elements as a list without an order, for IN.
    public var graphExpression: GraphExpression { .aggregate(map(\.graphExpression)) }
}

extension ClosedRange: GraphPredicateArgument where Bound: GraphPredicateArgument {
    /// The two bounds as a list, for BETWEEN.
    public var graphExpression: GraphExpression {
        .aggregate([lowerBound.graphExpression, upperBound.graphExpression])
    }
}

extension Optional: GraphPredicateArgument where Wrapped: GraphPredicateArgument {
    /// The value, or nil as a constant.
    public var graphExpression: GraphExpression { self?.graphExpression ?? .constant(.null) }
    /// The predicate, if there is one.
    public var graphPredicate: GraphPredicate? { self?.graphPredicate }
}
