extension GraphPredicate {
    /// Checks the predicate against an entity and makes it ready for a store.
    ///
    /// Key paths must exist, to-many ones need a modifier or an operator, and the sides of a
    /// comparison must be comparable. Variables are replaced with their values; constants get
    /// the type of the attribute they are compared with, where that loses nothing: text becomes
    /// a date or a UUID, `1` becomes `YES`.
    ///
    /// - Parameters:
    ///   - entityName: the entity whose objects it is about.
    ///   - model: the entity's model.
    ///   - variables: the values, lists or objects that `$name` stands for, without the dollar
    ///     sign.
    ///   - allowsTransient: whether transient attributes are lawful: in memory, not in a store.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:], allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphPredicate {
        try resolved(
            for: entityName, in: model, variables: variables, allowsTransient: allowsTransient,
            source: nil)
    }

    fileprivate func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument], allowsTransient: Bool,
        source: PredicateSource?
    ) throws(GraphPredicateError) -> GraphPredicate {
        var resolver = try PredicateResolver(
            entityName: entityName, model: model, variables: variables, source: source,
            allowsTransient: allowsTransient)
        return try resolver.resolveWhole(self)
    }
}

extension ParsedPredicate {
    /// As `GraphPredicate.resolved`, with places in the text in the errors.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:], allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphPredicate {
        try predicate.resolved(
            for: entityName, in: model, variables: variables, allowsTransient: allowsTransient,
            source: source)
    }
}

extension GraphExpression {
    /// Checks the expression against an entity and puts in the variables.
    ///
    /// - Parameters:
    ///   - entityName: the entity whose objects it is about.
    ///   - model: the entity's model.
    ///   - variables: the values of `$name`, without the dollar sign.
    ///   - attribute: where the value is to be assigned; it must fit there.
    ///   - allowsTransient: whether transient attributes are lawful: in memory, not in a store.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:],
        assignedTo attribute: AttributeDescription? = nil, allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphExpression {
        try resolved(
            for: entityName, in: model, variables: variables, assignedTo: attribute,
            allowsTransient: allowsTransient, source: nil)
    }

    fileprivate func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument],
        assignedTo attribute: AttributeDescription?,
        allowsTransient: Bool, source: PredicateSource?
    ) throws(GraphPredicateError) -> GraphExpression {
        var resolver = try PredicateResolver(
            entityName: entityName, model: model, variables: variables, source: source,
            allowsTransient: allowsTransient)
        return try resolver.resolve(self, assignedTo: attribute)
    }
}

extension ParsedExpression {
    /// As `GraphExpression.resolved`, with places in the text in the errors.
    public func resolved(
        for entityName: String, in model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument] = [:],
        assignedTo attribute: AttributeDescription? = nil, allowsTransient: Bool = false
    ) throws(GraphPredicateError) -> GraphExpression {
        try expression.resolved(
            for: entityName, in: model, variables: variables, assignedTo: attribute,
            allowsTransient: allowsTransient, source: source)
    }
}

extension PredicateResolver {
    /// Resolves a value that an attribute is to hold.
    mutating func resolve(
        _ expression: GraphExpression, assignedTo attribute: AttributeDescription?
    ) throws(GraphPredicateError) -> GraphExpression {
        let resolved = try resolveWhole(expression)
        guard let attribute else { return resolved.expression }
        let kind = ExpressionKind(attribute)
        if case .constant(let value) = resolved.expression {
            if let typed = ComparisonCheck.value(value, as: kind) { return .constant(typed) }
            // All the digits of a number that no constant has.
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
