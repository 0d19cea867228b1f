/// Keywords where a key was meant.
extension PredicateResolver {
    /// What is wrong with a comparison in which a keyword stands for the key of that name:
    /// `no == 5` compares false with 5, and never the attribute `no`.
    func misreadKey(_ left: Resolved, _ right: Resolved) -> GraphPredicateError? {
        for (side, other) in [(left, right), (right, left)] {
            guard side.isWord, other.isFixed, let word = source?.word(ofNode: side.node),
                PredicateKeywords.isReserved(word)
            else { continue }
            if entityName == Self.unknownEntity {
                // Of a record any word may be a field; there, only the left side counts, and two
                // constants that may be equal, as in `TRUE == TRUE`, are meant as such. Nobody calls a
                // field `nil`.
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
    /// It may be written as a single word.
    fileprivate var isWord: Bool {
        switch expression {
        case .constant, .evaluatedObject: variable == nil
        default: false
        }
    }

    /// It is the same for every object.
    fileprivate var isFixed: Bool {
        switch expression {
        case .constant: true
        case .aggregate: elements.allSatisfy(\.isFixed)
        default: false
        }
    }
}

extension PredicateSource {
    /// The word that stands where a node does; nil where something else stands there.
    fileprivate func word(ofNode node: Int) -> String? {
        offset(ofNode: node).flatMap { PredicateLexer.word(in: format, at: $0) }
    }
}
