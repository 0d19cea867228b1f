/// How two expressions are compared.
public enum ComparisonOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// The same value, or both nil.
    case equal = "=="
    /// Not the same value; true where one side is nil and the other is not.
    case notEqual = "!="
    /// Smaller; false where a side is nil.
    case less = "<"
    /// Smaller or equal; true where both sides are nil, false where one is.
    case lessOrEqual = "<="
    /// Greater; false where a side is nil.
    case greater = ">"
    /// Greater or equal; true where both sides are nil, false where one is.
    case greaterOrEqual = ">="
    /// Among the elements on the right, nil included.
    case `in` = "IN"
    /// Within the two bounds on the right, ends included; false with nil.
    case between = "BETWEEN"
    /// Text with the right side somewhere in it; a collection with the right side in it.
    case contains = "CONTAINS"
    /// Text that starts with the right side.
    case beginsWith = "BEGINSWITH"
    /// Text that ends with the right side.
    case endsWith = "ENDSWITH"
    /// Text of that shape: `*` is any run, `?` one character.
    case like = "LIKE"
    /// Text that the regular expression matches as a whole.
    case matches = "MATCHES"
}

/// For which elements of a to-many key path a comparison must hold.
public enum ComparisonModifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is one value on the left.
    case direct = ""
    /// One element at least; `SOME` is the same.
    case any = "ANY"
    /// Every element; true where there is none.
    case all = "ALL"
    /// No element.
    case none = "NONE"
}

/// How text is compared; the letters in brackets after an operator.
public struct ComparisonOptions: OptionSet, Sendable, Hashable, Codable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates options from bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `[c]`: case does not matter.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`: diacritics do not matter.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: plain, as text is compared anyway.
    public static let normalized = ComparisonOptions(rawValue: 4)
}

/// A comparison of two expressions.
public struct GraphComparison: Sendable, Hashable {
    /// The left side.
    public var left: GraphExpression
    /// How the sides are compared.
    public var op: ComparisonOperator
    /// The right side.
    public var right: GraphExpression
    /// For which elements it must hold, where the left side is to-many.
    public var modifier: ComparisonModifier
    /// How text is compared.
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
