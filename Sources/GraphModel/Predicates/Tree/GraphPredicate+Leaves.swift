extension GraphPredicate {
    /// Returns the predicate with its key paths and variables replaced.
    ///
    /// - Parameter replacement: Returns the expression that replaces a key path or a variable;
    ///   `nil` keeps it.
    package func replacingLeaves(
        _ replacement: (GraphExpression) -> GraphExpression?
    ) -> GraphPredicate {
        rebuilt(
            { $0.replacingLeaves(replacement) }, side: { $0.replacingLeaves(replacement) })
    }
}

extension GraphExpression {
    /// Returns the expression with its key paths and variables replaced.
    package func replacingLeaves(
        _ replacement: (GraphExpression) -> GraphExpression?
    ) -> GraphExpression {
        switch self {
        case .keyPath, .variable: replacement(self) ?? self
        default:
            rebuilt(
                { $0.replacingLeaves(replacement) }, condition: { $0.replacingLeaves(replacement) })
        }
    }
}
