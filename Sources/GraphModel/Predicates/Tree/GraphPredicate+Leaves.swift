extension GraphPredicate {
    /// Returns the predicate with its key paths and variables replaced.
    ///
    /// - Parameter replacement: Returns the expression that replaces a key path or a variable;
    ///   `nil` keeps it.
    package func replacingLeaves(
        _ replacement: (GraphExpression) -> GraphExpression?
    ) -> GraphPredicate {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = comparison.left.replacingLeaves(replacement)
            comparison.right = comparison.right.replacingLeaves(replacement)
            return .comparison(comparison)
        case .not(let part): return .not(part.replacingLeaves(replacement))
        case .and(let parts): return .and(parts.map { $0.replacingLeaves(replacement) })
        case .or(let parts): return .or(parts.map { $0.replacingLeaves(replacement) })
        }
    }
}

extension GraphExpression {
    /// Returns the expression with its key paths and variables replaced.
    package func replacingLeaves(
        _ replacement: (GraphExpression) -> GraphExpression?
    ) -> GraphExpression {
        func inner(_ part: GraphExpression) -> GraphExpression {
            part.replacingLeaves(replacement)
        }
        switch self {
        case .constant, .evaluatedObject: return self
        case .keyPath, .variable: return replacement(self) ?? self
        case .negation(let operand): return .negation(inner(operand))
        case .arithmetic(let op, let left, let right):
            return .arithmetic(op, inner(left), inner(right))
        case .aggregate(let elements): return .aggregate(elements.map(inner))
        case .function(let name, let arguments): return .function(name, arguments.map(inner))
        case .collection(let base, let op, let keys): return .collection(inner(base), op, keys)
        case .index(let base, .position(let position)):
            return .index(inner(base), .position(inner(position)))
        case .index(let base, let index): return .index(inner(base), index)
        case .member(let base, let keys): return .member(inner(base), keys)
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                inner(collection), variable: variable, predicate.replacingLeaves(replacement))
        case .conditional(let predicate, let yes, let no):
            return .conditional(
                predicate.replacingLeaves(replacement), inner(yes), inner(no))
        }
    }
}
