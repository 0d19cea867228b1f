extension PredicateResolver {
    /// What the values at the end of a key path are.
    struct PathKind {
        var kind: ExpressionKind
        /// The path ends in an ordered relationship, the only to-many in it.
        var isOrdered = false
    }

    /// A key path from an object of that entity.
    func path(
        _ expression: GraphExpression, _ keys: [String], from entity: String, node: Int
    ) throws(GraphPredicateError) -> Resolved {
        let end = try kind(of: keys, from: entity, node: node)
        return Resolved(
            expression: expression, kind: end.kind, node: node, isOrdered: end.isOrdered)
    }

    /// What the values at the end of a key path are.
    func kind(
        of keys: [String], from entity: String, node: Int
    ) throws(GraphPredicateError) -> PathKind {
        guard let model, entity != Self.unknownEntity else { return PathKind(kind: .unknown) }
        var entity = entity
        var toManys = 0
        var isOrdered = false
        for (index, key) in keys.enumerated() {
            if let attribute = model.attribute(key, of: entity) {
                if collects, attribute.isDoubtful { return PathKind(kind: .unknown) }
                guard index == keys.count - 1 else {
                    throw error(
                        .unknownKey, "'\(key)' of '\(entity)' is an attribute and has no keys",
                        node: node)
                }
                if attribute.isTransient, !allowsTransient {
                    throw error(
                        .unsupported,
                        "'\(key)' of '\(entity)' is transient: no store holds its values",
                        node: node)
                }
                let kind = ExpressionKind(attribute)
                return PathKind(kind: toManys > 0 ? .collection(kind) : kind)
            }
            guard let relationship = model.relationship(key, of: entity) else {
                throw unknown(key, of: entity, in: model, node: node)
            }
            if relationship.isToMany { toManys += 1 }
            isOrdered = relationship.isToMany && relationship.isOrdered && toManys == 1
            entity = relationship.destinationEntityName
        }
        return PathKind(
            kind: toManys > 0 ? .collection(.object(entity)) : .object(entity),
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
        let names =
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
        return error(
            .unknownKey,
            "'\(entity)' has no property '\(PredicateParser.shown(key))'"
                + PredicateParser.suggestion(key, names), node: node)
    }

    func toManyAlone(_ node: Int) -> GraphPredicateError {
        error(
            .toMany,
            "A to-many key path needs ANY, ALL or NONE before it, or an operator such as @count",
            node: node)
    }
}
