import GraphModel
import SQLite

extension ManagedObjectContext {
    /// How the store would answer a request, without answering it.
    ///
    /// - Parameter isCount: only the number of its objects is wanted, whatever its limit.
    package func explain(
        _ request: RowRequest, isCount: Bool = false
    ) throws -> RequestExplanation {
        let schema = container.schema
        guard let entity = schema.entity(named: request.entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(request.entityName)'")
        }
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: container.model, variables: request.variables)
        let columns = try request.fields.compactMap { field throws(StoreError) in
            let plan = try FieldPlan(field, of: entity, in: schema)
            return plan.toMany == nil ? plan.path : nil
        }
        let select = try SelectSQL(
            request, of: entity, where: predicate, columns: columns, schema)
        return try explanation(
            of: isCount ? select.counting : select.fragment, entity, predicate,
            order: (isCount ? [] : request.order).map {
                $0.folded(for: entity.name, in: schema.model)
            }, select.sources, numbers: entity.familyNumbers)
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
        let (statement, sources) = try plan.statement(
            "t.*", limit: plan.limit > 0 ? plan.limit : nil, offset: plan.offset)
        return try explanation(
            of: statement, plan.layout.entity, plan.predicate, order: plan.sortDescriptors, sources,
            numbers: plan.numbers)
    }

    private func explanation(
        of statement: SQLFragment, _ entity: StoreLayout.Entity, _ predicate: GraphPredicate?,
        order: [GraphSortDescriptor], _ sources: [String: SQLSource], numbers: [Int64]
    ) throws(StoreError) -> RequestExplanation {
        let connection = try container.newReader()
        let isFamily = numbers == entity.familyNumbers
        let list = numbers.map(String.init).joined(separator: ",")
        let family = isFamily ? entity.familyCondition() : "Z_ENT IN (\(list))"
        let count =
            try connection.integer(
                "SELECT count(*) FROM \(entity.table)" + (family.map { " WHERE \($0)" } ?? ""))
            ?? 0
        let rows = try ("EXPLAIN QUERY PLAN " + statement).prepare(on: connection)
        var steps: [PlanReader.Step] = []
        while try rows.step() {
            steps.append(
                PlanReader.Step(
                    id: rows.integer(0), parent: rows.integer(1), detail: rows.string(3)))
        }
        let reader = PlanReader(
            entity: entity, predicate: predicate, order: order, sources: sources,
            objectCount: Int(count), steps: steps,
            indexes: container.schema.table(named: entity.table)?.indexes ?? [])
        // Texts that are not folded yet are mostly none.
        let computes = statement.sql
            .replacing("\(BoundFunction.sqlName)(?, \(FoldedTexts.textAlias).", with: "")
            .contains(BoundFunction.sqlName)
        let outside =
            computes ? ["computes outside SQLite what no index can serve"] : []
        return RequestExplanation(
            sql: statement.sql, plan: reader.lines,
            sentences: reader.sentences + outside, suggestions: reader.suggestions,
            scannedObjects: reader.scansAll ? Int(count) : 0)
    }
}
