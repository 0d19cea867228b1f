extension GraphPredicate {
    /// Checks the predicate against an entity and prepares it for a store.
    ///
    /// Key paths must exist, to-many ones need a modifier or an operator, and the sides of a
    /// comparison must be comparable. Variables are replaced with their values. Constants get the
    /// type of the attribute with which they are compared, if the conversion is lossless: text
    /// becomes a date or a UUID, and `1` becomes `YES`.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the tested objects.
    ///   - model: The entity's model.
    ///   - variables: The values, lists, or objects for `$name`, without the dollar sign.
    ///   - allowsTransient: Whether transient attributes are allowed, as in memory but not in a
    ///     store.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:], allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphPredicate {
        var resolver = try PredicateResolver(
            entityName: entityName, model: model, variables: variables, source: nil,
            allowsTransient: allowsTransient)
        return try resolver.resolveWhole(self)
    }
}

extension ParsedPredicate {
    /// Resolves the predicate as `GraphPredicate.resolved` does, with positions in its errors.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:], allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphPredicate {
        var resolver = try PredicateResolver(
            entityName: entityName, model: model, variables: variables, source: source,
            allowsTransient: allowsTransient)
        return try resolver.resolveWhole(predicate)
    }
}

extension GraphExpression {
    /// Checks the expression against an entity and replaces its variables.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the objects.
    ///   - model: The entity's model.
    ///   - variables: The values of `$name`, without the dollar sign.
    ///   - attribute: The attribute to which the value is assigned; it must be able to hold it.
    ///   - allowsTransient: Whether transient attributes are allowed, as in memory but not in a
    ///     store.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:],
        assignedTo attribute: AttributeDescription? = nil, allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphExpression {
        var resolver = try PredicateResolver(
            entityName: entityName, model: model, variables: variables, source: nil,
            allowsTransient: allowsTransient)
        return try resolver.resolve(self, assignedTo: attribute)
    }
}

extension ParsedExpression {
    /// Resolves the expression as `GraphExpression.resolved` does, with positions in its errors.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:],
        assignedTo attribute: AttributeDescription? = nil, allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphExpression {
        var resolver = try PredicateResolver(
            entityName: entityName, model: model, variables: variables, source: source,
            allowsTransient: allowsTransient)
        return try resolver.resolve(expression, assignedTo: attribute)
    }
}

extension PredicateResolver {
    /// Resolves an expression whose value is assigned to an attribute.
    mutating func resolve(
        _ expression: GraphExpression, assignedTo attribute: AttributeDescription?
    ) throws(GraphPredicateError) -> GraphExpression {
        let resolved = try resolveWhole(expression)
        guard let attribute else { return resolved.expression }
        let kind = ExpressionKind(attribute)
        if case .constant(let value) = resolved.expression {
            if let typed = ComparisonCheck.value(value, as: kind) { return .constant(typed) }
            // The text holds all digits of a number that no constant can represent.
            if attribute.isExactDecimal, case .string(let text) = value,
                ExactDecimal(text: text)?.isStorable == true
            {
                return resolved.expression
            }
        } else if resolved.kind.isComparable(with: kind) {
            return resolved.expression
        }
        try report(
            error(
                .type,
                "'\(attribute.name)' (\(attribute.type.rawValue)) cannot hold \(resolved.kind)",
                node: resolved.node, fix: kind == .date ? dateFix(for: resolved) : nil))
        return resolved.expression
    }
}
