/// Operators on the elements of collections, and subqueries.
extension PredicateResolver {
    mutating func collection(
        _ base: GraphExpression, _ op: CollectionOperator, _ keys: [String]
    ) throws(GraphPredicateError) -> Resolved {
        let base = try resolve(base)
        let place = number()
        if base.kind == .unknown {
            return Resolved(
                expression: .collection(base.expression, op, keys),
                kind: op == .count ? .integer : .unknown, node: place)
        }
        guard case .collection(let element) = base.kind else {
            throw error(
                .toMany, "\(op.rawValue) needs a to-many key path before it", node: base.node)
        }
        var value = element
        var keys = keys
        if !keys.isEmpty {
            guard case .object(let entity) = element else {
                throw error(.unknownKey, "The elements of the collection have no keys", node: place)
            }
            let end = try kind(of: keys, from: entity, node: place)
            (value, keys) = (end.kind, end.keys)
            if case .collection(let inner) = value { value = inner }
        }
        let kind: ExpressionKind
        switch op {
        case .count: kind = .integer
        case .unionOfObjects, .distinctUnionOfObjects: kind = .collection(value)
        case .sum, .average:
            guard value.isNumeric else {
                throw error(.type, "\(op.rawValue) needs numbers, not \(value)", node: place)
            }
            kind = op == .sum && value != .double && value != .decimal ? .integer : .double
        case .minimum, .maximum:
            switch value {
            case .opaque, .object:
                throw error(.type, "\(op.rawValue) cannot order \(value)", node: place)
            default: kind = value
            }
        }
        return Resolved(
            expression: .collection(base.expression, op, keys), kind: kind, node: place)
    }

    mutating func subquery(
        _ collection: GraphExpression, _ variable: String, _ predicate: GraphPredicate
    ) throws(GraphPredicateError) -> Resolved {
        let collection = try resolve(collection)
        let outer = (scope, values)
        var kind = collection.kind
        values[variable] = nil
        switch collection.kind {
        case .collection(.object(let entity)): scope[variable] = entity
        case .collection(let value):
            scope[variable] = nil
            values[variable] = value
        case .list:
            scope[variable] = nil
            var element = ExpressionKind.null
            for other in collection.elements {
                var one = other
                one.kind = element
                element = try common(one, other)
            }
            values[variable] = element
            kind = .collection(element)
        // The entity of the variable is unknown; the rest of the predicate can be checked.
        case .unknown: scope[variable] = Self.unknownEntity
        default:
            let problem = error(
                .toMany, "SUBQUERY needs a collection or a list, not \(collection.kind)",
                node: collection.node)
            try report(problem)
            kind = .unknown
            scope[variable] = Self.unknownEntity
        }
        let predicate = try resolve(predicate)
        (scope, values) = outer
        return Resolved(
            expression: .subquery(collection.expression, variable: variable, predicate),
            kind: kind, node: number())
    }
}
