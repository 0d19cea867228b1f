import GraphModel

extension GraphPredicate {
    /// The predicates that result if each AND and OR is replaced with one of its parts.
    ///
    /// This includes subqueries and conditions. Without AND and OR, the predicate itself is the
    /// only element.
    var choices: [GraphPredicate] {
        switch self {
        case .constant: [self]
        case .not(let inner): inner.choices.map { .not($0) }
        case .and(let parts), .or(let parts): parts.flatMap(\.choices).limited
        case .comparison(let comparison):
            pairs(comparison.left.choices, comparison.right.choices).map { left, right in
                var choice = comparison
                choice.left = left
                choice.right = right
                return .comparison(choice)
            }
        }
    }
}

extension GraphExpression {
    fileprivate var choices: [GraphExpression] {
        switch self {
        case .negation(let operand): operand.choices.map { .negation($0) }
        case .arithmetic(let op, let left, let right):
            pairs(left.choices, right.choices).map { .arithmetic(op, $0, $1) }
        case .function(let name, let arguments):
            lists(arguments).map { .function(name, $0) }
        case .aggregate(let elements): lists(elements).map { .aggregate($0) }
        case .subquery(let collection, let variable, let predicate):
            pairs(collection.choices, predicate.choices).map {
                .subquery($0, variable: variable, $1)
            }
        case .collection(let base, let op, let path):
            base.choices.map { .collection($0, op, path) }
        case .index(let base, .position(let position)):
            pairs(base.choices, position.choices).map { .index($0, .position($1)) }
        case .index(let base, let index): base.choices.map { .index($0, index) }
        case .member(let base, let path): base.choices.map { .member($0, path) }
        case .conditional(let predicate, let yes, let no):
            pairs(predicate.choices, pairs(yes.choices, no.choices)).map {
                .conditional($0, $1.0, $1.1)
            }
        default: [self]
        }
    }
}

private func lists(_ elements: [GraphExpression]) -> [[GraphExpression]] {
    elements.reduce([[]]) { lists, element in
        pairs(lists, element.choices).map { $0 + [$1] }
    }
}

private func pairs<A, B>(_ left: [A], _ right: [B]) -> [(A, B)] {
    left.flatMap { one in right.map { (one, $0) } }.limited
}

extension Array {
    /// The first 256 elements.
    fileprivate var limited: [Element] { Array(prefix(256)) }
}
