/// An operator between two expressions.
public enum ComparisonOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// Equal values, or both nil.
    case equal = "=="
    /// Different values; true if only one side is nil.
    case notEqual = "!="
    /// Less; false if a side is nil.
    case less = "<"
    /// Less or equal; true if both sides are nil, false if only one is.
    case lessOrEqual = "<="
    /// Greater; false if a side is nil.
    case greater = ">"
    /// Greater or equal; true if both sides are nil, false if only one is.
    case greaterOrEqual = ">="
    /// An element of the right side, including nil.
    case `in` = "IN"
    /// Within the two bounds on the right, ends included; false if a value is nil.
    case between = "BETWEEN"
    /// A string or a collection that contains the right side.
    case contains = "CONTAINS"
    /// A string that begins with the right side.
    case beginsWith = "BEGINSWITH"
    /// A string that ends with the right side.
    case endsWith = "ENDSWITH"
    /// A string that matches a pattern in which `*` is any run and `?` is one character.
    case like = "LIKE"
    /// A string that the regular expression matches completely.
    case matches = "MATCHES"
}

/// The elements of a to-many key path for which a comparison must hold.
public enum ComparisonModifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// The left side has one value.
    case direct = ""
    /// At least one element; `SOME` is the same.
    case any = "ANY"
    /// Every element; true if there are no elements.
    case all = "ALL"
    /// No element.
    case none = "NONE"
}

/// The options for comparing strings: the letters in brackets after an operator.
public struct ComparisonOptions: OptionSet, Sendable, Hashable, Codable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates options from bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `[c]`: ignores case.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`: ignores diacritics.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: compares without folding, which is the default.
    public static let normalized = ComparisonOptions(rawValue: 4)
}

/// A comparison of two expressions.
public struct GraphComparison: Sendable, Hashable {
    /// The left side.
    public var left: GraphExpression
    /// The operator.
    public var op: ComparisonOperator
    /// The right side.
    public var right: GraphExpression
    /// The elements for which it must hold, if the left side is to-many.
    public var modifier: ComparisonModifier
    /// The options for comparing strings.
    public var options: ComparisonOptions

    /// Creates a comparison.
    public init(
        _ left: GraphExpression, _ op: ComparisonOperator, _ right: GraphExpression,
        modifier: ComparisonModifier = .direct, options: ComparisonOptions = []
    ) {
        self.left = left
        self.op = op
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}
