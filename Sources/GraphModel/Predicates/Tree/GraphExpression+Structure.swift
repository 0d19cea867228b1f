extension GraphExpression {
    /// Returns a property of the object at the expression.
    func appending(_ keys: [String]) -> GraphExpression {
        if keys.isEmpty { return self }
        return switch self {
        case .keyPath(let first): .keyPath(first + keys)
        case .variable(let name, let first): .variable(name, first + keys)
        case .member(let base, let first): .member(base, first + keys)
        case .evaluatedObject: .keyPath(keys)
        default: .member(self, keys)
        }
    }

    /// The direct subexpressions from left to right, without those inside predicates.
    package var operands: [GraphExpression] {
        switch self {
        case .constant, .keyPath, .variable, .evaluatedObject: []
        case .negation(let operand): [operand]
        case .arithmetic(_, let left, let right): [left, right]
        case .aggregate(let elements): elements
        case .function(_, let arguments): arguments
        case .collection(let base, _, _): [base]
        case .index(let base, .position(let position)): [base, position]
        case .index(let base, _): [base]
        case .member(let base, _): [base]
        case .subquery(let collection, _, _): [collection]
        case .conditional(_, let yes, let no): [yes, no]
        }
    }

    /// The predicate directly below, if there is one.
    package var condition: GraphPredicate? {
        switch self {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: nil
        }
    }

}
