package import GraphModel

/// Tells before a store is open whether it will be able to answer.
package struct PredicateSupport {
    private let schema: StoreLayout

    package init(_ model: ManagedObjectModel) {
        schema = StoreLayout(model)
    }

    /// Compiles a predicate over an entity, for what that throws.
    ///
    /// - Throws: `invalidRequest` with what is not supported yet.
    package func check(
        _ predicate: GraphPredicate, entityName: String
    ) throws(StoreError) {
        guard let entity = schema.entity(named: entityName) else { return }
        var compiler = PredicateSQL(KeyPathSQL(schema, entity, style: .joins))
        _ = try compiler.condition(predicate)
    }

    /// Compiles an expression over an entity's objects, as an update has it.
    package func check(
        _ expression: GraphExpression, entityName: String
    ) throws(StoreError) {
        guard let entity = schema.entity(named: entityName) else { return }
        var compiler = PredicateSQL(KeyPathSQL(schema, entity, style: .subqueries))
        _ = try compiler.expression(expression)
    }
}
