extension GraphPredicate {
    /// The distinct key paths of the predicate, in the order of the text.
    package var keyPaths: [[String]] {
        var found: [[String]] = []
        for side in sides { side.collect(into: &found) }
        return found
    }
}

extension GraphExpression {
    /// The distinct key paths of the expression, in the order of the text.
    package var keyPaths: [[String]] {
        var found: [[String]] = []
        collect(into: &found)
        return found
    }

    fileprivate func collect(into found: inout [[String]]) {
        if case .keyPath(let path) = self, !found.contains(path) { found.append(path) }
        if case .subquery(let collection, _, let predicate) = self {
            for part in [collection] + predicate.sides { part.collect(into: &found) }
            return
        }
        for part in (condition?.sides ?? []) + operands { part.collect(into: &found) }
    }
}

extension GraphPredicate {
    /// The single keys on the right side of comparisons, which can be text without quotes.
    ///
    /// An example is `done` in `status == done`.
    package var wordsCompared: Set<String> {
        comparisons.reduce(into: []) { $0.formUnion($1.right.words) }
    }
}

extension GraphExpression {
    /// The key if the expression is a path of one key; for a list, the keys of such elements.
    var words: Set<String> {
        switch self {
        case .keyPath(let keys) where keys.count == 1: [keys[0]]
        case .aggregate(let elements): elements.reduce(into: []) { $0.formUnion($1.words) }
        default: []
        }
    }
}
