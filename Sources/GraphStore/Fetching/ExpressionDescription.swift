public import GraphModel

/// A column of a result: a property, or what is computed of an object or of a group of them.
///
/// A string literal is a key path: `["title", "category.name"]`; `objectID` is the object itself.
/// ```swift
/// request.propertiesToFetch = ["category.name", .sum("number", as: "total"), .count()]
/// request.propertiesToGroupBy = ["category.name"]
/// ```
public struct ExpressionDescription: Sendable, Hashable {
    /// What is made of the values of a group; values that are nil do not count.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// How many there are.
        case count
        /// Their sum; 0 of none.
        case sum
        /// Their mean, a double; nil of none.
        case average
        /// The smallest; nil of none.
        case minimum
        /// The largest; nil of none.
        case maximum
    }

    /// The column's name in the result.
    public var name: String
    /// The value for each object.
    public var expression: GraphExpression
    /// What is made of the values of a group; nil shows the value itself.
    public var function: Function?
    /// Equal values count once.
    public var isDistinct = false

    /// A property, or a path to one; its column has the path for a name.
    public init(_ keyPath: String) {
        self.init(name: keyPath, expression: Self.expression(keyPath))
    }

    /// What is computed of each object.
    public init(name: String, expression: any GraphPredicateArgument) {
        self.name = name
        self.expression = expression.graphExpression
    }

    /// What is computed of each group.
    public init(
        name: String, _ function: Function, of expression: any GraphPredicateArgument,
        distinct isDistinct: Bool = false
    ) {
        self.init(name: name, expression: expression)
        self.function = function
        self.isDistinct = isDistinct
    }

    private init(
        _ function: Function, _ keyPath: String, _ name: String?, distinct isDistinct: Bool
    ) {
        self.init(
            name: name ?? function.rawValue + "." + keyPath, function,
            of: Self.expression(keyPath), distinct: isDistinct)
    }

    static func expression(_ keyPath: String) -> GraphExpression {
        keyPath == ObjectNumber.key ? .evaluatedObject : GraphKey(keyPath).graphExpression
    }

    /// How many objects there are in a group.
    public static func count(as name: String = "count") -> Self {
        Self(name: name, .count, of: GraphExpression.evaluatedObject)
    }

    /// How many objects of a group have a value.
    public static func count(
        _ keyPath: String, as name: String? = nil, distinct isDistinct: Bool = false
    ) -> Self {
        Self(.count, keyPath, name, distinct: isDistinct)
    }

    /// The sum over a group.
    public static func sum(
        _ keyPath: String, as name: String? = nil, distinct isDistinct: Bool = false
    ) -> Self {
        Self(.sum, keyPath, name, distinct: isDistinct)
    }

    /// The mean over a group.
    public static func average(
        _ keyPath: String, as name: String? = nil, distinct isDistinct: Bool = false
    ) -> Self {
        Self(.average, keyPath, name, distinct: isDistinct)
    }

    /// The smallest value of a group.
    public static func minimum(_ keyPath: String, as name: String? = nil) -> Self {
        Self(.minimum, keyPath, name, distinct: false)
    }

    /// The largest value of a group.
    public static func maximum(_ keyPath: String, as name: String? = nil) -> Self {
        Self(.maximum, keyPath, name, distinct: false)
    }
}

extension ExpressionDescription: ExpressibleByStringLiteral {
    /// A property, or a path to one.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
