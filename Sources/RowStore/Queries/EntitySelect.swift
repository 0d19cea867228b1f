import GraphModel
package import SQLite

/// A sorted SELECT over the objects of an entity that meet a predicate.
///
/// Key paths in the sort order, columns, and predicate become joins. Join aliases are numbered in
/// the order of their first use.
package struct EntitySelect {
    private let entity: StoreLayout.Entity
    private let alias: String
    /// The compiler of conditions on the objects.
    var compiler: PredicateSQL
    /// All clauses except the joins.
    package var clauses: SelectSQL

    /// Creates a SELECT over all objects in the entity's table, without conditions or an order.
    ///
    /// - Parameter rows: the source of the rows, if it is not the entity's table.
    package init(
        _ entity: StoreLayout.Entity, in schema: StoreLayout, rows: SQLFragment? = nil,
        alias: String = "t", style: KeyPathSQL.Style = .joins
    ) {
        self.entity = entity
        self.alias = alias
        compiler = PredicateSQL(KeyPathSQL(schema, entity, alias: alias, style: style))
        clauses = SelectSQL("", from: "\(entity.table) \(alias)")
        if let rows { clauses.table = rows + " \(alias)" }
    }

    /// Selects the entity's objects that meet a predicate, in no order.
    init(
        _ entity: StoreLayout.Entity, where predicate: GraphPredicate?, in schema: StoreLayout,
        style: KeyPathSQL.Style = .joins
    ) throws(StoreError) {
        self.init(entity, in: schema, style: style)
        try keep(predicate)
    }

    /// The clauses with the joins that they need.
    package var statement: SelectSQL {
        var statement = clauses
        statement.joins = compiler.joins
        return statement
    }

    /// The source of each alias.
    package var sources: [String: SQLSource] { compiler.sources }

    /// Adds the column of a key path, in its displayed form.
    mutating func add(path: [String]) throws(StoreError) {
        clauses.columns.append(SQLFragment(try compiler.scopes[0].shownColumn(path)))
    }

    /// Sorts the rows.
    package mutating func sort(by order: [GraphSortDescriptor]) throws(StoreError) {
        clauses.order = try OrderSQL(order, &compiler.scopes[0]).terms
    }

    /// Keeps only the entity's objects that meet a predicate.
    ///
    /// The entity filter is marked as not selective, so SQLite prefers an index of the predicate.
    mutating func keep(_ predicate: GraphPredicate?) throws(StoreError) {
        try keep(entity.familyFilter(alias: "\(alias)."), and: predicate)
    }

    /// Keeps only the entity's objects, with or without its sub-entities, that meet a predicate.
    package mutating func keep(
        _ predicate: GraphPredicate?, withSubentities: Bool
    ) throws(StoreError) {
        try keep(
            entity.familyCondition(alias: "\(alias).", withSubentities: withSubentities),
            and: predicate)
    }

    private mutating func keep(
        _ family: String?, and predicate: GraphPredicate?
    ) throws(StoreError) {
        if let family { keep(SQLFragment(family)) }
        if let predicate { keep(try compiler.condition(predicate)) }
    }

    /// Keeps only the rows that meet a condition.
    package mutating func keep(_ condition: SQLFragment) { clauses.conditions.append(condition) }

    /// Prepares the statement and binds its values.
    package func prepare(on connection: Connection) throws(StoreError) -> Statement {
        try statement.prepare(on: connection)
    }
}
