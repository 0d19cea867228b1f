extension PredicateResolver {
    /// Resolves `tasks[FIRST]`: an ordered to-many relationship, a list, or the result of `split`.
    ///
    /// Known results are inserted: the element of a list at a constant position, and `@count` for
    /// `[SIZE]` of a relationship.
    mutating func index(
        _ base: GraphExpression, _ index: GraphIndex
    ) throws(GraphPredicateError) -> Resolved {
        let base = try resolve(base)
        var checked = index
        if case .position(let expression) = index {
            let position = try resolve(expression)
            try checkPosition(position)
            checked = .position(position.expression)
        }
        let place = number()
        switch base.kind {
        case .unknown:
            return Resolved(expression: .index(base.expression, index), kind: .unknown, node: place)
        case .list: return try element(of: base, index, checked, node: place)
        case .collection(let element):
            return try self.element(of: base, element, checked, node: place)
        default:
            throw error(
                .type,
                "An index needs an ordered relationship or a list before it, not \(base.kind)",
                node: place)
        }
    }

    private func checkPosition(_ position: Resolved) throws(GraphPredicateError) {
        if position.kind == .text {
            throw error(
                .type, "An index is a whole number; maps with keys are not supported",
                node: position.node)
        }
        var isWhole = position.kind == .integer || position.kind == .unknown
        if case .constant(.integer(let value)) = position.expression { isWhole = value >= 0 }
        if !isWhole {
            throw error(
                .type, "An index is a whole number from 0, not \(position.describing)",
                node: position.node)
        }
    }

    /// Returns the element of a list; `checked` is the index with its position resolved.
    private func element(
        of list: Resolved, _ index: GraphIndex, _ checked: GraphIndex, node: Int
    ) throws(GraphPredicateError) -> Resolved {
        func at(_ place: Int) -> Resolved {
            guard list.elements.indices.contains(place) else {
                return Resolved(expression: .constant(.null), kind: .null, node: node)
            }
            var element = list.elements[place]
            element.node = node
            return element
        }
        switch index {
        case .first: return at(0)
        case .last: return at(list.elements.count - 1)
        case .size:
            return Resolved(
                expression: .constant(.integer(Int64(list.elements.count))), kind: .integer,
                node: node)
        case .position(let place):
            if case .constant(.integer(let value)) = place {
                return at(Int(value))
            }
            var kind = list.elements.first ?? at(-1)
            for element in list.elements.dropFirst() { kind.kind = try common(kind, element) }
            return Resolved(
                expression: .index(list.expression, checked), kind: kind.kind, node: node)
        }
    }

    private func element(
        of collection: Resolved, _ element: ExpressionKind, _ index: GraphIndex, node: Int
    ) throws(GraphPredicateError) -> Resolved {
        if case .size = index {
            if case .function = collection.expression {
                return Resolved(
                    expression: .index(collection.expression, .size), kind: .integer, node: node)
            }
            return Resolved(
                expression: .collection(collection.expression, .count, []), kind: .integer,
                node: node)
        }
        guard collection.isOrdered else {
            throw error(
                .toMany, "This collection has no order, so it has no element by index", node: node)
        }
        let expression = GraphExpression.index(collection.expression, index)
        // Each one is a query in the query of the next one. Five with computed positions exceed
        // the stack of SQLite's parser.
        guard expression.storedIndexDepth <= Self.indexesMax else {
            throw error(
                .tooDeep,
                "A key path has more than \(Self.indexesMax) elements by index, which SQLite cannot "
                    + "nest", node: node)
        }
        return Resolved(expression: expression, kind: element, node: node)
    }

    /// The maximum number of indexes such as `[FIRST]` that depend on each other in an expression.
    ///
    /// Each one is a nested query, and SQLite limits the nesting.
    static let indexesMax = 4

    /// Resolves `tasks[FIRST].title`.
    mutating func member(
        _ base: GraphExpression, _ keys: [String]
    ) throws(GraphPredicateError) -> Resolved {
        let base = try resolve(base)
        let place = number()
        if base.kind == .unknown {
            return Resolved(
                expression: base.expression.appending(keys), kind: .unknown, node: place)
        }
        // An object in a list is a value, its ID, and has no keys.
        guard case .index(let collection, _) = base.expression, !collection.isList,
            case .object(let entity) = base.kind
        else {
            throw error(
                .unsupported,
                "Only key paths, variables, and elements of ordered relationships have keys",
                node: place)
        }
        return try path(base.expression, keys, from: entity, node: place)
    }
}

extension GraphExpression {
    /// Whether the expression is a list in braces.
    fileprivate var isList: Bool {
        if case .aggregate = self { true } else { false }
    }

    /// The number of indexes into stored collections that depend on each other.
    fileprivate var storedIndexDepth: Int {
        let depth = operands.map(\.storedIndexDepth).max() ?? 0
        switch self {
        case .index(.function, _), .index(.aggregate, _), .index(_, .size): return depth
        case .index: return depth + 1
        default: return depth
        }
    }
}
