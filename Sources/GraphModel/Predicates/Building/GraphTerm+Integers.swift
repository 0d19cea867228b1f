/// The precedence of `**`: before multiplication and shifts, and from right to left.
precedencegroup GraphPowerPrecedence {
    associativity: right
    higherThan: BitwiseShiftPrecedence
}

/// The power of integers in predicates and expressions.
infix operator ** : GraphPowerPrecedence

/// The operators of integers. Their precedence is that of Swift, where `&` and `<<` come before `+`.
extension GraphTerm {
    /// Returns the left integer to the power of the right one.
    public static func ** (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.power, left.graphExpression, right.graphExpression))
    }

    /// Returns the bits that are set in both integers.
    public static func & (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.bitAnd, left.graphExpression, right.graphExpression))
    }

    /// Returns the bits that are set in at least one of the integers.
    public static func | (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.bitOr, left.graphExpression, right.graphExpression))
    }

    /// Returns the bits that are set in only one of the integers.
    public static func ^ (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.bitXor, left.graphExpression, right.graphExpression))
    }

    /// Returns the left integer with its bits shifted to the left.
    public static func << (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.shiftLeft, left.graphExpression, right.graphExpression))
    }

    /// Returns the left integer with its bits shifted to the right; the sign is kept.
    public static func >> (left: Self, right: some GraphPredicateArgument) -> GraphComputed {
        .init(.arithmetic(.shiftRight, left.graphExpression, right.graphExpression))
    }

    /// Returns the integer with every bit inverted.
    public static prefix func ~ (operand: Self) -> GraphComputed {
        .init(.function(PredicateFunction.complement.name, [operand.graphExpression]))
    }
}
