extension PredicateResolver {
    /// The type of the values at the end of a key path.
    struct PathKind {
        /// The path in which each composite and its element form one key.
        var keys: [String]
        var kind: ExpressionKind
        /// Whether the path ends in an ordered relationship, its only to-many key.
        var isOrdered = false
    }

    /// Resolves a key path from an object of that entity, which is the value of an expression.
    func path(
        _ object: GraphExpression, _ keys: [String], from entity: String, node: Int
    ) throws(GraphPredicateError) -> Resolved {
        if keys.count > 1, keys.last == "length", model != nil, entity != Self.unknownEntity,
            // If the path is unknown, the search for the complete path below reports it.
            let text = try? kind(of: Array(keys.dropLast()), from: entity, node: node)
        {
            if text.kind == .text {
                return Resolved(
                    expression: .function("length", [object.appending(text.keys)]),
                    kind: .integer, node: node)
            }
            if text.kind == .collection(.text) {
                throw error(
                    .unsupported, "The lengths of several texts cannot be compared at once",
                    node: node,
                    fix:
                        "write SUBQUERY(…, $x, length($x) > 3).@count > 0"
                )
            }
        }
        let end = try kind(of: keys, from: entity, node: node)
        return Resolved(
            expression: object.appending(end.keys), kind: end.kind, node: node,
            isOrdered: end.isOrdered)
    }

    /// Returns the type of the values at the end of a key path.
    func kind(
        of keys: [String], from entity: String, node: Int
    ) throws(GraphPredicateError) -> PathKind {
        guard let model, entity != Self.unknownEntity else {
            return PathKind(keys: keys, kind: .unknown)
        }
        let keys = model.folded(keys, from: entity)
        var entity = entity
        var toManys = 0
        var isOrdered = false
        for (index, key) in keys.enumerated() {
            if let attribute = model.attribute(key, of: entity) {
                if collects, attribute.isDoubtful { return PathKind(keys: keys, kind: .unknown) }
                guard index == keys.count - 1 else {
                    throw error(
                        .unknownKey, "'\(key)' of '\(entity)' is an attribute and has no keys",
                        node: node)
                }
                if attribute.isTransient, !allowsTransient {
                    throw error(
                        .unsupported,
                        "'\(key)' of '\(entity)' is transient, so its values are not stored",
                        node: node)
                }
                let kind = ExpressionKind(attribute)
                return PathKind(keys: keys, kind: toManys > 0 ? .collection(kind) : kind)
            }
            if model.isObjectNumber(key, of: entity) {
                guard index == keys.count - 1 else {
                    throw error(
                        .unknownKey, "'\(key)' is a number and has no keys", node: node)
                }
                return PathKind(keys: keys, kind: toManys > 0 ? .collection(.integer) : .integer)
            }
            guard let relationship = model.relationship(key, of: entity) else {
                throw unknown(key, of: entity, in: model, node: node)
            }
            if relationship.isToMany { toManys += 1 }
            isOrdered = relationship.isToMany && relationship.isOrdered && toManys == 1
            entity = relationship.destinationEntityName
        }
        return PathKind(
            keys: keys, kind: toManys > 0 ? .collection(.object(entity)) : .object(entity),
            isOrdered: isOrdered)
    }

    private func unknown(
        _ key: String, of entity: String, in model: ManagedObjectModel, node: Int
    ) -> GraphPredicateError {
        if PredicateParser.mapKeys.contains(key) {
            return error(
                .unsupported, "\(key) is of maps; entities have attributes and relationships",
                node: node)
        }
        if let elements = model.elements(of: key, in: entity) {
            return error(
                .type,
                "'\(PredicateParser.shown(key))' of '\(entity)' is a composite; name an element, such"
                    + " as '\(PredicateParser.shown(elements[0].name))', or compare it with nil",
                node: node)
        }
        if model.isTransientRelationship(key, of: entity) {
            return error(
                .unsupported, "'\(key)' of '\(entity)' is transient, so its values are not stored",
                node: node)
        }
        let suggestion = PredicateParser.suggestion(key, model.keys(of: entity))
        // An unquoted text is likely: `status == done`, or `Done`, since properties begin in
        // lowercase.
        let isText =
            suggestion.isEmpty && (key.first?.isUppercase == true || wordsCompared.contains(key))
        return error(
            .unknownKey,
            "'\(entity)' has no property '\(PredicateParser.shown(key))'"
                + suggestion, node: node,
            fix: isText ? "a text needs quotes: '\(PredicateParser.shown(key))'" : nil)
    }

    /// Returns the predicate for a comparison of a composite with nil, such as `magnitude == nil`.
    ///
    /// A composite is nil if none of its elements has a value; in a store, only stored elements
    /// count. Returns `nil` for other comparisons.
    func wholeComposite(_ comparison: GraphComparison) -> GraphPredicate? {
        guard let model, comparison.right == .constant(.null), comparison.modifier == .direct,
            comparison.op == .equal || comparison.op == .notEqual
        else { return nil }
        let start: GraphExpression
        var (keys, entity) = ([String](), entityName)
        switch comparison.left {
        case .keyPath(let path): (start, keys) = (.evaluatedObject, path)
        case .variable(let name, let path):
            guard let element = scope[name] else { return nil }
            (start, keys, entity) = (.variable(name, []), path, element)
        default: return nil
        }
        keys = model.folded(keys, from: entity)
        for key in keys.dropLast() {
            guard let relationship = model.relationship(key, of: entity), !relationship.isToMany
            else { return nil }
            entity = relationship.destinationEntityName
        }
        guard let name = keys.last, let all = model.elements(of: name, in: entity) else {
            return nil
        }
        let elements = all.filter { allowsTransient || !$0.isTransient }
        guard !elements.isEmpty else { return nil }
        let parts = elements.map { element in
            GraphPredicate.comparison(
                GraphComparison(
                    start.appending(keys.dropLast() + [element.name]), comparison.op,
                    comparison.right))
        }
        return comparison.op == .equal ? .and(parts) : .or(parts)
    }

    /// Returns the error for the values of a to-many key path where one value is needed.
    func toManyAlone(_ values: Resolved) -> GraphPredicateError {
        let fix: String? =
            switch values.expression {
            case .keyPath where values.kind.isOfObjects:
                "write `\(values.expression).@count` to count the objects"
            case .keyPath: "write `ANY \(values.expression)` to ask for at least one"
            case .subquery: "write `.@count` after the parenthesis to count its objects"
            default: nil
            }
        return error(
            .toMany,
            "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count",
            node: values.node, fix: fix)
    }
}
