internal import Diagnostics

extension PredicateResolver {
    /// What the values at the end of a key path are.
    func kind(
        of keys: [String], from entity: String, node: Int
    ) throws(GraphPredicateError) -> ExpressionKind {
        var entity = entity
        var isToMany = false
        for (index, key) in keys.enumerated() {
            let isLast = index == keys.count - 1
            if let attribute = model.attribute(key, of: entity) {
                guard isLast else {
                    throw error(
                        .unknownKey, "'\(key)' of '\(entity)' is an attribute and has no keys",
                        node: node)
                }
                let kind = ExpressionKind(attribute.type)
                return isToMany ? .collection(kind) : kind
            }
            guard let relationship = model.relationship(key, of: entity) else {
                let names =
                    model.attributes(of: entity).map(\.name)
                    + model.relationships(of: entity).map(\.name)
                throw error(
                    .unknownKey,
                    "'\(entity)' has no property '\(key)'"
                        + Suggestion.phrase(for: key, among: names), node: node)
            }
            isToMany = isToMany || relationship.isToMany
            entity = relationship.destinationEntityName
        }
        return isToMany ? .collection(.object(entity)) : .object(entity)
    }

    func toManyAlone(_ node: Int) -> GraphPredicateError {
        error(
            .toMany,
            "A to-many key path needs ANY, ALL or NONE before it, or an operator such as @count",
            node: node)
    }
}
