extension GraphPredicate {
    /// The distinct key paths of the predicate, in the order of the text.
    package var keyPaths: [[String]] {
        var found: [[String]] = []
        collect(into: &found)
        return found
    }

    fileprivate func collect(into found: inout [[String]]) {
        switch self {
        case .constant: break
        case .not(let inner): inner.collect(into: &found)
        case .and(let parts), .or(let parts):
            for part in parts { part.collect(into: &found) }
        case .comparison(let comparison):
            comparison.left.collect(into: &found)
            comparison.right.collect(into: &found)
        }
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
            collection.collect(into: &found)
            return predicate.collect(into: &found)
        }
        condition?.collect(into: &found)
        for operand in operands { operand.collect(into: &found) }
    }
}

extension GraphPredicate {
    /// The single keys on the right side of comparisons, which can be text without quotes.
    ///
    /// An example is `done` in `status == done`.
    package var wordsCompared: Set<String> {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.right.words
        case .not(let part): part.wordsCompared
        case .and(let parts), .or(let parts):
            parts.reduce(into: []) { $0.formUnion($1.wordsCompared) }
        }
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
