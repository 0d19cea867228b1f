import GraphModel
import SQLite

/// Fetching with rows loaded in batches.
extension ManagedObjectContext {
    /// Returns the objects of a request, loading their rows in batches on access.
    ///
    /// The page needs 8 bytes per object. `fetchBatchSize` is 100 by default.
    public func fetchPage<Object>(
        _ request: FetchRequest<Object>
    ) throws(StoreError) -> FetchedPage<Object> {
        let plan = try begin(request)
        try use(Object.self, for: plan.numbers)
        var ids = ObjectIDVector()
        if overlay(plan, request).isEmpty {
            let select = try plan.select(
                "t.Z_PK, t.Z_ENT", limit: plan.limit > 0 ? plan.limit : nil, offset: plan.offset)
            let reader = try objectReader()
            let rows = try select.prepare(on: reader.connection)
            while try rows.step() {
                ids.append(reader.id(rows))
            }
        } else {
            ids = ObjectIDVector(try results(plan, request, readsRows: false))
        }
        let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
        return FetchedPage(ids, batchSize: size, self)
    }

    /// Loads the first batch now, and each other batch when one of its objects is accessed.
    func batch(
        _ objects: [ManagedObject], _ ids: [ManagedObjectID], size: Int
    ) throws(StoreError) {
        let batch = FetchBatch(ids, size: size)
        for (position, object) in objects.enumerated() where object.presence == .fault {
            let extra = object.extra ?? ObjectExtra()
            extra.batch = (batch, position)
            object.extra = extra
        }
        try fault(Array(objects.prefix(size)))
    }
}
