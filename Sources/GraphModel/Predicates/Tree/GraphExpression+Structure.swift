extension GraphExpression {
    /// The key path with one more key; other expressions stay as they are.
    func appending(key: String) -> GraphExpression {
        switch self {
        case .keyPath(let keys): .keyPath(keys + [key])
        case .variable(let name, let keys): .variable(name, keys + [key])
        case .evaluatedObject: .keyPath([key])
        default: self
        }
    }

    /// The expressions directly below, from left to right, without those inside predicates.
    var operands: [GraphExpression] {
        switch self {
        case .constant, .keyPath, .variable, .evaluatedObject: []
        case .negation(let operand): [operand]
        case .arithmetic(_, let left, let right): [left, right]
        case .aggregate(let elements): elements
        case .function(_, let arguments): arguments
        case .collection(let base, _, _): [base]
        case .subquery(let collection, _, _): [collection]
        case .conditional(_, let yes, let no): [yes, no]
        }
    }

    /// The predicate directly below, if there is one.
    var condition: GraphPredicate? {
        switch self {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: nil
        }
    }

    /// How many nodes the tree has, predicates included.
    var nodeCount: Int {
        operands.reduce(1 + (condition?.nodeCount ?? 0)) { $0 + $1.nodeCount }
    }

    /// The length of the longest way down, this node not counted.
    var depth: Int {
        max(
            operands.map { $0.depth + 1 }.max() ?? 0, condition.map { $0.depth + 1 } ?? 0)
    }
}

extension GraphPredicate {
    /// How many nodes the tree has, expressions included.
    var nodeCount: Int {
        switch self {
        case .constant: 1
        case .comparison(let comparison):
            1 + comparison.left.nodeCount + comparison.right.nodeCount
        case .not(let predicate): 1 + predicate.nodeCount
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.nodeCount }
        }
    }

    /// The length of the longest way down, this node not counted.
    var depth: Int {
        switch self {
        case .constant: 0
        case .comparison(let comparison):
            1 + max(comparison.left.depth, comparison.right.depth)
        case .not(let predicate): 1 + predicate.depth
        case .and(let parts), .or(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        }
    }
}
