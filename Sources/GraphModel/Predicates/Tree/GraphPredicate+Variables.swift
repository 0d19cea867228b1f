extension GraphPredicate {
    /// The distinct names of variables that need values, in the order of the text.
    ///
    /// Variables that a SUBQUERY binds are omitted.
    public var variables: [String] {
        var found: [String] = []
        collectVariables(&found, bound: [])
        return found
    }

    fileprivate func collectVariables(_ found: inout [String], bound: Set<String>) {
        switch self {
        case .constant: break
        case .comparison(let comparison):
            comparison.left.collectVariables(&found, bound: bound)
            comparison.right.collectVariables(&found, bound: bound)
        case .not(let part): part.collectVariables(&found, bound: bound)
        case .and(let parts), .or(let parts):
            for part in parts { part.collectVariables(&found, bound: bound) }
        }
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
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = try comparison.left.substituting(variables: variables)
            comparison.right = try comparison.right.substituting(variables: variables)
            return .comparison(comparison)
        case .not(let part): return .not(try part.substituting(variables: variables))
        case .and(let parts): return .and(try Self.substituting(parts, variables))
        case .or(let parts): return .or(try Self.substituting(parts, variables))
        }
    }

    private static func substituting(
        _ parts: [GraphPredicate], _ variables: [String: any GraphPredicateArgument]
    ) throws(GraphPredicateError) -> [GraphPredicate] {
        var results: [GraphPredicate] = []
        for part in parts { results.append(try part.substituting(variables: variables)) }
        return results
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
            return predicate.collectVariables(&found, bound: bound.union([variable]))
        }
        condition?.collectVariables(&found, bound: bound)
        for operand in operands { operand.collectVariables(&found, bound: bound) }
    }

    /// Returns the expression with variables replaced by their values.
    ///
    /// - Parameter variables: The values, lists, or objects by name, without the dollar sign.
    /// - Throws: `predicate.variable` if the expression uses a key of a constant value.
    public func substituting(
        variables: [String: any GraphPredicateArgument]
    ) throws(GraphPredicateError) -> GraphExpression {
        func inner(_ part: GraphExpression) throws(GraphPredicateError) -> GraphExpression {
            try part.substituting(variables: variables)
        }
        switch self {
        case .constant, .keyPath, .evaluatedObject: return self
        case .variable(let name, let keys):
            guard let value = variables[name]?.graphExpression else { return self }
            if case .constant = value, !keys.isEmpty {
                throw GraphPredicateError(.variable, "'$\(name)' is a value and has no keys")
            }
            return value.appending(keys)
        case .negation(let operand): return .negation(try inner(operand))
        case .arithmetic(let op, let left, let right):
            return .arithmetic(op, try inner(left), try inner(right))
        case .aggregate(let elements):
            return .aggregate(try Self.substituting(elements, variables))
        case .function(let name, let arguments):
            return .function(name, try Self.substituting(arguments, variables))
        case .collection(let base, let op, let keys): return .collection(try inner(base), op, keys)
        case .index(let base, .position(let position)):
            return .index(try inner(base), .position(try inner(position)))
        case .index(let base, let index): return .index(try inner(base), index)
        case .member(let base, let keys): return .member(try inner(base), keys)
        case .subquery(let collection, let variable, let predicate):
            var others = variables
            others[variable] = nil
            return .subquery(
                try inner(collection), variable: variable,
                try predicate.substituting(variables: others))
        case .conditional(let predicate, let yes, let no):
            return .conditional(
                try predicate.substituting(variables: variables), try inner(yes), try inner(no))
        }
    }

    private static func substituting(
        _ parts: [GraphExpression], _ variables: [String: any GraphPredicateArgument]
    ) throws(GraphPredicateError) -> [GraphExpression] {
        var results: [GraphExpression] = []
        for part in parts { results.append(try part.substituting(variables: variables)) }
        return results
    }
}
