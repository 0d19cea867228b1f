import GraphModel
import SQLite

extension ManagedObjectContext {
    /// Returns how the store would answer a request, without running it.
    ///
    /// - Parameter isCount: whether to explain the request for the count, without its limit.
    package func explain(
        _ request: RowRequest, isCount: Bool = false
    ) throws -> RequestExplanation {
        let schema = container.schema
        let entity = try schema.requiredEntity(named: request.entityName)
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: container.model, variables: request.variables)
        let columns = try request.fields.compactMap { field throws(StoreError) in
            let plan = try FieldPlan(field, of: entity, in: schema)
            return plan.toMany == nil ? plan.path : nil
        }
        let select = try request.select(
            of: entity, where: predicate, columns: columns, schema)
        return try explanation(
            of: isCount ? select.statement.counting : select.statement, entity, predicate,
            order: (isCount ? [] : request.order).map {
                $0.folded(for: entity.name, in: schema.model)
            }, select.sources)
    }

    /// Returns how the store would answer a fetch, without running it.
    ///
    /// It describes the statement over saved objects; unsaved changes are not considered.
    ///
    /// - Throws: `StoreError` with the code `invalidRequest` if the model does not have what the
    ///   request names.
    public func explain<Object>(
        _ request: FetchRequest<Object>
    ) throws(StoreError) -> RequestExplanation {
        let plan = try FetchPlan(request, container.objects)
        let select = try plan.select(
            "t.*", limit: plan.limit > 0 ? plan.limit : nil, offset: plan.offset)
        return try explanation(
            of: select.statement, plan.layout.entity, plan.predicate, order: plan.sortDescriptors,
            select.sources, withSubentities: plan.includesSubentities)
    }

    private func explanation(
        of select: SelectSQL, _ entity: StoreLayout.Entity, _ predicate: GraphPredicate?,
        order: [GraphSortDescriptor], _ sources: [String: SQLSource],
        withSubentities: Bool = true
    ) throws(StoreError) -> RequestExplanation {
        let connection = try container.newReader()
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
            indexes: container.schema.table(named: entity.table)?.indexes ?? [])
        // Ignore the branch for strings that are not folded yet, which is usually empty.
        let computes = statement.sql
            .replacing("\(BoundFunction.sqlName)(?, \(FoldedTexts.textAlias).", with: "")
            .contains(BoundFunction.sqlName)
        let outside =
            computes ? ["computes outside SQLite what no index can serve"] : []
        return RequestExplanation(
            sql: statement.sql, plan: reader.lines,
            sentences: reader.sentences + outside, suggestions: reader.suggestions,
            scannedObjects: reader.scansAll ? count : 0)
    }
}
