import GraphModel
import SQLite

/// A SELECT over the objects of an entity that meet a predicate, in an order.
///
/// The paths of the order, of columns, and of the predicate become joins, whose aliases are
/// numbered as they are asked for.
struct EntitySelect {
    private let entity: StoreLayout.Entity
    private let alias: String
    /// Compiles what is said of the objects.
    var compiler: PredicateSQL
    /// All but the joins.
    var clauses: SelectSQL

    /// - Parameter rows: what the objects are in, where that is not the entity's table.
    init(
        _ entity: StoreLayout.Entity, in schema: StoreLayout, rows: SQLFragment? = nil,
        alias: String = "t", style: KeyPathSQL.Style = .joins
    ) {
        self.entity = entity
        self.alias = alias
        compiler = PredicateSQL(KeyPathSQL(schema, entity, alias: alias, style: style))
        clauses = SelectSQL("", from: "\(entity.table) \(alias)")
        if let rows { clauses.table = rows + " \(alias)" }
    }

    /// The entity's objects that meet a predicate, in no order.
    init(
        _ entity: StoreLayout.Entity, where predicate: GraphPredicate?, in schema: StoreLayout,
        style: KeyPathSQL.Style = .joins
    ) throws(StoreError) {
        self.init(entity, in: schema, style: style)
        try keep(predicate)
    }

    /// The clauses, with the joins that they need.
    var statement: SelectSQL {
        var statement = clauses
        statement.joins = compiler.joins
        return statement
    }

    /// What the aliases stand for.
    var sources: [String: SQLSource] { compiler.sources }

    /// Adds the column, as it is shown, that a key path leads to.
    mutating func add(path: [String]) throws(StoreError) {
        clauses.columns.append(SQLFragment(try compiler.scopes[0].shownColumn(path)))
    }

    mutating func sort(by order: [GraphSortDescriptor]) throws(StoreError) {
        clauses.order = try OrderSQL(order, &compiler.scopes[0]).terms
    }

    /// Keeps the entity's objects that meet a predicate, beside which SQLite takes that they are
    /// of the entity for little.
    mutating func keep(_ predicate: GraphPredicate?) throws(StoreError) {
        try keep(entity.familyFilter(alias: "\(alias)."), and: predicate)
    }

    /// Keeps the entity's objects, with or without those of its sub-entities, that meet a
    /// predicate.
    mutating func keep(
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

    mutating func keep(_ condition: SQLFragment) { clauses.conditions.append(condition) }

    /// Prepares the statement and binds its values.
    func prepare(on connection: Connection) throws(StoreError) -> Statement {
        try statement.prepare(on: connection)
    }
}
