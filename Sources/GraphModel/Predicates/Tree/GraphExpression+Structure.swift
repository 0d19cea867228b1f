extension GraphExpression {
    /// Returns the expression for keys of the object that this expression yields.
    package func appending(_ keys: [String]) -> GraphExpression {
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

    /// The predicate of a SUBQUERY or a TERNARY; `nil` for other expressions.
    package var condition: GraphPredicate? {
        switch self {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: nil
        }
    }

    /// Returns the expression with each operand and its condition replaced, from left to right.
    package func rebuilt<Failure>(
        _ part: (GraphExpression) throws(Failure) -> GraphExpression,
        condition: (GraphPredicate) throws(Failure) -> GraphPredicate
    ) throws(Failure) -> GraphExpression {
        switch self {
        case .constant, .keyPath, .variable, .evaluatedObject: return self
        case .negation(let operand): return .negation(try part(operand))
        case .arithmetic(let op, let left, let right):
            return .arithmetic(op, try part(left), try part(right))
        case .aggregate(let elements): return .aggregate(try elements.map(part))
        case .function(let name, let arguments):
            return .function(name, try arguments.map(part))
        case .collection(let base, let op, let keys): return .collection(try part(base), op, keys)
        case .index(let base, .position(let position)):
            return .index(try part(base), .position(try part(position)))
        case .index(let base, let index): return .index(try part(base), index)
        case .member(let base, let keys): return .member(try part(base), keys)
        case .subquery(let collection, let variable, let predicate):
            return .subquery(try part(collection), variable: variable, try condition(predicate))
        case .conditional(let predicate, let yes, let no):
            return .conditional(try condition(predicate), try part(yes), try part(no))
        }
    }
}

extension GraphPredicate {
    /// The comparisons of the predicate from left to right, without those inside expressions.
    package var comparisons: [GraphComparison] {
        var found: [GraphComparison] = []
        collectComparisons(into: &found)
        return found
    }

    // One array, because copying one for each level would take quadratic time in deep predicates.
    private func collectComparisons(into found: inout [GraphComparison]) {
        switch self {
        case .constant: break
        case .comparison(let comparison): found.append(comparison)
        case .not(let part): part.collectComparisons(into: &found)
        case .and(let parts), .or(let parts):
            for part in parts { part.collectComparisons(into: &found) }
        }
    }

    /// The two sides of each comparison from left to right.
    package var sides: [GraphExpression] { comparisons.flatMap { [$0.left, $0.right] } }

    /// Returns the predicate with its direct parts replaced, from left to right.
    package func rebuilt<Failure>(
        _ part: (GraphPredicate) throws(Failure) -> GraphPredicate,
        side: (GraphExpression) throws(Failure) -> GraphExpression
    ) throws(Failure) -> GraphPredicate {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = try side(comparison.left)
            comparison.right = try side(comparison.right)
            return .comparison(comparison)
        case .not(let negated): return .not(try part(negated))
        case .and(let parts): return .and(try parts.map(part))
        case .or(let parts): return .or(try parts.map(part))
        }
    }
}
