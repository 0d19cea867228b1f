public import GraphModel

/// A column of a result: a property, or a value computed for each object or group.
///
/// A string literal is a key path: `["title", "category.name"]`; `objectID` is the object itself.
/// ```swift
/// request.propertiesToFetch = ["category.name", .sum("number", as: "total"), .count()]
/// request.propertiesToGroupBy = ["category.name"]
/// ```
public struct ExpressionDescription: Sendable, Hashable {
    /// A function of the values of a group, which ignores `nil`.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// The number of values.
        case count
        /// The sum; 0 without values.
        case sum
        /// The mean as a double; `nil` without values.
        case average
        /// The smallest value; `nil` without values.
        case minimum
        /// The largest value; `nil` without values.
        case maximum
    }

    /// The column's name in the result.
    public var name: String
    /// The expression, evaluated for each object.
    public var expression: GraphExpression
    /// The function applied to the values of a group; `nil` shows the value itself.
    public var function: Function?
    /// Whether equal values count once.
    public var isDistinct = false

    /// Creates a column of a property or a key path, named after the path.
    public init(_ keyPath: String) {
        self.init(name: keyPath, expression: Self.expression(keyPath))
    }

    /// Creates a column of an expression, evaluated for each object.
    public init(name: String, expression: any GraphPredicateArgument) {
        self.name = name
        self.expression = expression.graphExpression
    }

    /// Creates a column of a function, evaluated for each group.
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

    /// Counts the objects of a group.
    public static func count(as name: String = "count") -> Self {
        Self(name: name, .count, of: GraphExpression.evaluatedObject)
    }

    /// Counts the objects of a group that have a value.
    public static func count(
        _ keyPath: String, as name: String? = nil, distinct isDistinct: Bool = false
    ) -> Self {
        Self(.count, keyPath, name, distinct: isDistinct)
    }

    /// Returns the sum of a group's values.
    public static func sum(
        _ keyPath: String, as name: String? = nil, distinct isDistinct: Bool = false
    ) -> Self {
        Self(.sum, keyPath, name, distinct: isDistinct)
    }

    /// Returns the mean of a group's values.
    public static func average(
        _ keyPath: String, as name: String? = nil, distinct isDistinct: Bool = false
    ) -> Self {
        Self(.average, keyPath, name, distinct: isDistinct)
    }

    /// Returns the smallest value of a group.
    public static func minimum(_ keyPath: String, as name: String? = nil) -> Self {
        Self(.minimum, keyPath, name, distinct: false)
    }

    /// Returns the largest value of a group.
    public static func maximum(_ keyPath: String, as name: String? = nil) -> Self {
        Self(.maximum, keyPath, name, distinct: false)
    }
}

extension ExpressionDescription: ExpressibleByStringLiteral {
    /// Creates a column of a property or a key path.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
