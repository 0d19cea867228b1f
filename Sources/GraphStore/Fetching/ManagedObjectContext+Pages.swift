import GraphModel
import SQLite

/// Objects whose rows come in batches.
extension ManagedObjectContext {
    /// The objects of a request, whose rows are read batch by batch as they are looked at.
    ///
    /// Costs eight bytes an object; `fetchBatchSize` is 100 unless the request says otherwise.
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

    /// Lets the first batch come, and the others when one of their objects is looked at.
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
