/// The variables of subqueries, and the variables with given values.
extension PredicateResolver {
    mutating func variable(
        _ name: String, _ keys: [String], node: Int
    ) throws(GraphPredicateError) -> Resolved {
        let expression = GraphExpression.variable(name, keys)
        if let entity = scope[name] {
            if !keys.isEmpty {
                return try path(.variable(name, []), keys, from: entity, node: node)
            }
            return Resolved(expression: expression, kind: .object(entity), node: node)
        }
        if let kind = values[name] {
            if keys == ["length"], kind == .text {
                return Resolved(
                    expression: .function("length", [.variable(name, [])]), kind: .integer,
                    node: node)
            }
            guard keys.isEmpty else {
                throw error(.variable, "'$\(name)' is a value and has no keys", node: node)
            }
            return Resolved(expression: expression, kind: kind, node: node)
        }
        guard let value = variables[name] else { throw unbound(name, node: node) }
        guard keys.isEmpty else {
            throw error(.variable, "'$\(name)' is a value and has no keys", node: node)
        }
        var resolved = try substitute(value.graphExpression, name, node: node)
        // If all errors are collected, the real values are not known yet.
        if collects { resolved.variable = name }
        return resolved
    }

    /// Replaces a variable with its value; all of its nodes have the position of the variable.
    private mutating func substitute(
        _ value: GraphExpression, _ name: String, node: Int
    ) throws(GraphPredicateError) -> Resolved {
        switch value {
        case .constant(let value):
            return Resolved(
                expression: .constant(value), kind: ExpressionKind(value), node: node)
        case .aggregate(let values):
            let elements = try values.map { value throws(GraphPredicateError) in
                try substitute(value, name, node: node)
            }
            return Resolved(
                expression: .aggregate(elements.map(\.expression)), kind: .list, node: node,
                elements: elements)
        default:
            throw error(
                .variable, "'$\(name)' must be a value or a list of values", node: node)
        }
    }

    private func unbound(_ name: String, node: Int) -> GraphPredicateError {
        // If all errors are collected, each variable has a separate error.
        let others = collects ? [] : free.filter { variables[$0] == nil && $0 != name }
        guard others.isEmpty else {
            let all = ([name] + others).map { "'$\($0)'" }
            return error(
                .variable, "The variables \(all.joined(separator: ", ")) have no values", node: node
            )
        }
        let names = (Array(variables.keys) + scope.keys).sorted()
        return error(
            .variable,
            "The variable '$\(name)' has no value" + PredicateParser.suggestion(name, names),
            node: node)
    }
}
