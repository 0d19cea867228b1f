import GraphModel
import SQLite

extension ManagedObjectContext {
    /// Returns how the store would answer a request, without running it.
    ///
    /// - Parameter isCount: whether to explain the request for the count, without its limit.
    package func explain(
        _ request: RowRequest, isCount: Bool = false
    ) throws -> RequestExplanation {
        try RequestExplanation(of: request, isCount: isCount, in: container.schema) {
            () throws(StoreError) in try container.newReader()
        }
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
        return try RequestExplanation(
            of: select.statement, entity: plan.layout.entity, predicate: plan.predicate,
            order: plan.sortDescriptors, sources: select.sources,
            withSubentities: plan.includesSubentities, in: container.schema,
            on: container.newReader())
    }
}
