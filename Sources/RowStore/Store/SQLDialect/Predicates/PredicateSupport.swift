package import GraphModel
import SQLite

/// A check of predicates and expressions before a store is open.
package struct PredicateSupport {
    private let schema: StoreLayout

    /// Creates a check for the tables that GraphStore would create for a model.
    package init(_ model: ManagedObjectModel) {
        schema = StoreLayout(model)
    }

    /// Compiles a predicate over an entity and discards the result.
    ///
    /// - Throws: `invalidRequest` with the unsupported part.
    package func check(
        _ predicate: GraphPredicate, entityName: String
    ) throws(StoreError) {
        guard let entity = schema.entity(named: entityName) else { return }
        var compiler = PredicateSQL(KeyPathSQL(schema, entity, style: .joins))
        try check(try compiler.condition(predicate), compiler)
    }

    /// Compiles an expression over an entity's objects, as an update does.
    package func check(
        _ expression: GraphExpression, entityName: String
    ) throws(StoreError) {
        guard let entity = schema.entity(named: entityName) else { return }
        var compiler = PredicateSQL(KeyPathSQL(schema, entity, style: .subqueries))
        try check(try compiler.expression(expression), compiler)
    }

    /// Throws if SQLite's parser cannot process the SQL.
    private func check(
        _ fragment: SQLFragment, _ compiler: PredicateSQL
    ) throws(StoreError) {
        guard fragment.sql.utf8.count > Self.surelyReadBytes else { return }
        do throws(StoreError) {
            let scratch = try Connection()
            _ = try scratch.prepare("SELECT 1 FROM t\(compiler.joins) WHERE " + fragment.sql)
        } catch {
            // The tables do not exist here, but the parser reports its limits before it looks for
            // tables.
            if error.isTooComplex { throw error }
        }
    }

    /// The length in bytes up to which SQL never exceeds SQLite's limits.
    private static let surelyReadBytes = 200
}
