extension GraphPredicate {
    /// The distinct names of variables that need values, in the order of the text.
    ///
    /// Variables that a SUBQUERY binds are omitted.
    public var variables: [String] {
        var found: [String] = []
        for side in sides { side.collectVariables(&found, bound: []) }
        return found
    }

    /// Returns the predicate with variables replaced by their values.
    ///
    /// Variables without a value, and variables that a SUBQUERY binds, are kept.
    ///
    /// - Parameter variables: The values, lists, or objects by name, without the dollar sign.
    /// - Throws: `predicate.variable` if the predicate uses a key of a constant value.
    public func substituting(
        variables: [String: any GraphPredicateArgument]
    ) throws(GraphPredicateError) -> GraphPredicate {
        try rebuilt(
            { part throws(GraphPredicateError) in try part.substituting(variables: variables) },
            side: { part throws(GraphPredicateError) in
                try part.substituting(variables: variables)
            })
    }
}

extension GraphExpression {
    /// The distinct names of variables that need values, in the order of the text.
    public var variables: [String] {
        var found: [String] = []
        collectVariables(&found, bound: [])
        return found
    }

    fileprivate func collectVariables(_ found: inout [String], bound: Set<String>) {
        if case .variable(let name, _) = self, !bound.contains(name), !found.contains(name) {
            found.append(name)
        }
        if case .subquery(let collection, let variable, let predicate) = self {
            collection.collectVariables(&found, bound: bound)
            let inside = bound.union([variable])
            for side in predicate.sides { side.collectVariables(&found, bound: inside) }
            return
        }
        for part in (condition?.sides ?? []) + operands {
            part.collectVariables(&found, bound: bound)
        }
    }

    /// Returns the expression with variables replaced by their values.
    ///
    /// - Parameter variables: The values, lists, or objects by name, without the dollar sign.
    /// - Throws: `predicate.variable` if the expression uses a key of a constant value.
    public func substituting(
        variables: [String: any GraphPredicateArgument]
    ) throws(GraphPredicateError) -> GraphExpression {
        var inside = variables
        if case .subquery(_, let variable, _) = self { inside[variable] = nil }
        if case .variable(let name, let keys) = self {
            guard let value = variables[name]?.graphExpression else { return self }
            if case .constant = value, !keys.isEmpty {
                throw GraphPredicateError(.variable, "'$\(name)' is a value and has no keys")
            }
            return value.appending(keys)
        }
        return try rebuilt(
            { part throws(GraphPredicateError) in try part.substituting(variables: variables) },
            condition: { part throws(GraphPredicateError) in
                try part.substituting(variables: inside)
            })
    }
}
