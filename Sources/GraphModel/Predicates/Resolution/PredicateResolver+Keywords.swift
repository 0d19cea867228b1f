/// The check for keywords that are meant as keys.
extension PredicateResolver {
    /// Returns the error for a comparison with a keyword that is meant as a key, or `nil`.
    ///
    /// `no == 5` compares false with 5, not the attribute `no`.
    func misreadKey(_ left: Resolved, _ right: Resolved) -> GraphPredicateError? {
        for (side, other) in [(left, right), (right, left)] {
            guard side.isWord, other.isFixed, let word = source?.word(ofNode: side.node),
                PredicateKeywords.isReserved(word)
            else { continue }
            if entityName == Self.unknownEntity {
                // In a record, any word can be a field. So only the left side is checked,
                // comparisons of constants of the same kind, such as `TRUE == TRUE`, are valid, and
                // `nil` is never a field.
                guard side.node == left.node, other.variable == nil,
                    side.expression != .constant(.null),
                    !([other] + other.elements).contains(where: { $0.kind == side.kind })
                else { continue }
            } else {
                guard
                    model?.attribute(word, of: entityName) != nil
                        || model?.relationship(word, of: entityName) != nil
                else { continue }
            }
            return error(
                .syntax, PredicateKeywords.isNoKey(word), node: side.node, isOfAnyKeys: true)
        }
        return nil
    }
}

extension PredicateResolver.Resolved {
    /// Whether its text can be a single word.
    fileprivate var isWord: Bool {
        switch expression {
        case .constant, .evaluatedObject: variable == nil
        default: false
        }
    }

    /// Whether it is the same for every object.
    fileprivate var isFixed: Bool {
        switch expression {
        case .constant: true
        case .aggregate: elements.allSatisfy(\.isFixed)
        default: false
        }
    }
}

extension PredicateSource {
    /// Returns the word at the position of a node, or `nil` if there is another token.
    fileprivate func word(ofNode node: Int) -> String? {
        offset(ofNode: node).flatMap { PredicateLexer.word(in: format, at: $0) }
    }
}
