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
        switch self {
        case .constant, .variable, .evaluatedObject: break
        case .keyPath(let path):
            if !found.contains(path) { found.append(path) }
        case .negation(let inner): inner.collect(into: &found)
        case .arithmetic(_, let left, let right):
            left.collect(into: &found)
            right.collect(into: &found)
        case .aggregate(let parts), .function(_, let parts):
            for part in parts { part.collect(into: &found) }
        case .collection(let inner, _, _), .member(let inner, _): inner.collect(into: &found)
        case .index(let inner, let index):
            inner.collect(into: &found)
            if case .position(let position) = index { position.collect(into: &found) }
        case .subquery(let collection, _, let predicate):
            collection.collect(into: &found)
            predicate.collect(into: &found)
        case .conditional(let predicate, let first, let second):
            predicate.collect(into: &found)
            first.collect(into: &found)
            second.collect(into: &found)
        }
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
    /// The single key that is the expression, or the single keys in its list.
    var words: Set<String> {
        switch self {
        case .keyPath(let keys) where keys.count == 1: [keys[0]]
        case .aggregate(let elements): elements.reduce(into: []) { $0.formUnion($1.words) }
        default: []
        }
    }
}
