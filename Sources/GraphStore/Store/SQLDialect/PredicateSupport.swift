package import GraphModel
import SQLite

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
        try check(try compiler.condition(predicate), compiler)
    }

    /// Compiles an expression over an entity's objects, as an update has it.
    package func check(
        _ expression: GraphExpression, entityName: String
    ) throws(StoreError) {
        guard let entity = schema.entity(named: entityName) else { return }
        var compiler = PredicateSQL(KeyPathSQL(schema, entity, style: .subqueries))
        try check(try compiler.expression(expression), compiler)
    }

    /// What SQLite's parser cannot hold is known before there is a store.
    private func check(
        _ fragment: SQLFragment, _ compiler: PredicateSQL
    ) throws(StoreError) {
        guard fragment.sql.utf8.count > Self.surelyReadBytes else { return }
        do throws(StoreError) {
            let scratch = try Connection()
            _ = try scratch.prepare("SELECT 1 FROM t\(compiler.joins) WHERE " + fragment.sql)
        } catch {
            // There are no tables; what matters is reported before they are looked for.
            if error.isTooComplex { throw error }
        }
    }

    /// Shorter texts never exceed SQLite's limits.
    private static let surelyReadBytes = 200
}
