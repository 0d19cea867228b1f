package import GraphModel
package import SQLite

/// An explanation of how the store would answer a request, for users and for tests of indexes.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The statement, with a question mark for each value.
    public let sql: String
    /// SQLite's query plan, one line per step, with inner steps indented.
    public let plan: [String]
    /// The plan as sentences, in the same order, plus work that runs outside SQLite.
    public let sentences: [String]
    /// Suggestions that would make the request faster.
    public let suggestions: [String]
    /// The number of objects that are scanned because no index serves the request, or 0.
    public let scannedObjects: Int

    /// The sentences, followed by the suggestions.
    public var description: String {
        (sentences + suggestions.map { "fix: " + $0 }).joined(separator: "\n")
    }
}

extension RequestExplanation {
    /// Reads SQLite's plan of a statement over the objects of an entity, without running it.
    ///
    /// - Parameters:
    ///   - sources: The source of each alias in the statement.
    ///   - withSubentities: Whether the statement reads the objects of sub-entities.
    package init(
        of select: SelectSQL, entity: StoreLayout.Entity, predicate: GraphPredicate?,
        order: [GraphSortDescriptor], sources: [String: SQLSource], withSubentities: Bool,
        in schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        let count = try SelectSQL("count(*)", of: entity, withSubentities: withSubentities)
            .integer(on: connection)
        let statement = select.fragment
        let rows = try ("EXPLAIN QUERY PLAN " + statement).prepare(on: connection)
        var steps: [PlanReader.Step] = []
        while try rows.step() {
            steps.append(
                PlanReader.Step(
                    id: rows.integer(0), parent: rows.integer(1), detail: rows.string(3)))
        }
        let reader = PlanReader(
            entity: entity, predicate: predicate, order: order, sources: sources,
            objectCount: count, steps: steps,
            indexes: schema.table(named: entity.table)?.indexes ?? [])
        // Ignore the branch for strings that are not folded yet, which is usually empty.
        let computes = statement.sql
            .replacing("\(BoundFunction.sqlName)(?, \(FoldedTexts.textAlias).", with: "")
            .contains(BoundFunction.sqlName)
        let outside =
            computes ? ["computes outside SQLite what no index can serve"] : []
        self.init(
            sql: statement.sql, plan: reader.lines,
            sentences: reader.sentences + outside, suggestions: reader.suggestions,
            scannedObjects: reader.scansAll ? count : 0)
    }

    /// Reads SQLite's plan of a request for rows, without running it.
    ///
    /// - Parameters:
    ///   - isCount: Whether to explain the request for the count, without its limit.
    ///   - newReader: Returns a connection to the store.
    package init(
        of request: RowRequest, isCount: Bool, in schema: StoreLayout,
        newReader: () throws(StoreError) -> Connection
    ) throws {
        let entity = try schema.requiredEntity(named: request.entityName)
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: schema.model, variables: request.variables)
        let columns = try request.fields.compactMap { field throws(StoreError) in
            let plan = try FieldPlan(field, of: entity, in: schema)
            return plan.toMany == nil ? plan.path : nil
        }
        let select = try request.select(
            of: entity, where: predicate, columns: columns, schema)
        try self.init(
            of: isCount ? select.statement.counting : select.statement, entity: entity,
            predicate: predicate,
            order: (isCount ? [] : request.order).map {
                $0.folded(for: entity.name, in: schema.model)
            }, sources: select.sources, withSubentities: true, in: schema, on: newReader())
    }
}
