public import GraphModel
import SQLite

/// Fetching from the store, combined with unsaved changes of this context and its parents.
extension ManagedObjectContext {
    /// Returns the objects of a request.
    ///
    /// Unsaved changes are included; the limit and the offset apply to the merged result. If no
    /// pending change affects the request, only the store is read.
    public func fetch<Object>(_ request: FetchRequest<Object>) throws(StoreError) -> [Object] {
        let plan = try begin(request)
        try use(Object.self, for: plan.numbers)
        defer { fetched.removeAll() }
        if !request.propertiesToFetch.isEmpty {
            _ = try PartialPlan(request.propertiesToFetch, of: plan.layout)
        }
        guard request.propertiesToGroupBy.isEmpty, request.havingPredicate == nil else {
            throw StoreError(
                .invalidRequest, "A grouped request returns rows, not objects; use rows(_:)")
        }
        let isBatched = request.fetchBatchSize > 0
        let found = try results(
            plan, request, readsRows: !isBatched && request.materialize != .ids)
        let objects = found.map { object(with: $0) }
        if isBatched { try batch(objects, found, size: request.fetchBatchSize) }
        if request.materialize == .rows {
            try fault(objects)
            for object in objects { try fire(object) }
        }
        try prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
        return try typed(objects)
    }

    /// Returns the IDs of a request's objects, in its order.
    public func fetchIDs<Object>(
        _ request: FetchRequest<Object>
    ) throws(StoreError) -> [ManagedObjectID] {
        let plan = try begin(request)
        return try results(plan, request, readsRows: false)
    }

    /// Returns the number of objects that `fetch` would return.
    public func count<Object>(for request: FetchRequest<Object>) throws(StoreError) -> Int {
        let plan = try begin(request)
        let overlay = overlay(plan, request)
        guard !overlay.isWhole else {
            return try results(plan, request, readsRows: false).count
        }
        var all = try countVisible(plan, overlay)
        if !overlay.candidates.isEmpty {
            let evaluation = try ObjectEvaluation(plan, container.model)
            all += try matching(overlay.candidates, evaluation).count
        }
        let behindOffset = max(0, all - plan.offset)
        return plan.limit > 0 ? min(plan.limit, behindOffset) : behindOffset
    }

    func begin<Object>(_ request: FetchRequest<Object>) throws(StoreError) -> FetchPlan {
        let plan = try FetchPlan(request, container.objects)
        try processPendingChanges()
        statistics.fetches += 1
        return plan
    }

    func results<Object>(
        _ plan: FetchPlan, _ request: FetchRequest<Object>, readsRows: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        let overlay = overlay(plan, request)
        let limit = plan.limit > 0 ? plan.limit : nil
        let refreshes = request.shouldRefreshRefetchedObjects || shouldRefreshRefetchedObjects
        guard !overlay.isEmpty else {
            if readsRows, !request.propertiesToFetch.isEmpty, !refreshes, parent == nil {
                return try partial(plan, request.propertiesToFetch, limit: limit)
            }
            return try saved(
                plan, limit: limit, offset: plan.offset, readsRows: readsRows,
                refreshes: refreshes)
        }
        let evaluation = try ObjectEvaluation(plan, container.model)
        let merged =
            overlay.isWhole
            ? try everything(plan, evaluation)
            : try merge(
                plan, overlay, evaluation, readsRows: readsRows, refreshes: refreshes)
        let window = merged.dropFirst(plan.offset)
        return Array(limit.map { window.prefix($0) } ?? window)
    }

    // MARK: The store

    /// Returns the saved objects, in order, and fills their faults with the rows if requested.
    func saved(
        _ plan: FetchPlan, limit: Int?, offset: Int, readsRows: Bool, refreshes: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        let reader = try objectReader()
        let rowPlan = container.objects.rowPlan(plan.layout.number)
        let select = try plan.select(
            readsRows ? rowPlan.columns : "t.Z_PK, t.Z_ENT", limit: limit, offset: offset)
        var ids: [ManagedObjectID] = []
        var read = 0
        let rows = try select.prepare(on: reader.connection)
        while try rows.step() {
            let id = reader.id(rows)
            ids.append(id)
            guard readsRows else { continue }
            let object = self.object(with: id)
            keep(object)
            guard object.presence == .fault || refreshes && parent == nil,
                parent == nil || ancestorRow(of: id) == nil
            else { continue }
            guard let (_, row) = try reader.found(rows, rowPlan) else { continue }
            read += 1
            if object.presence == .realized {
                self.merge(row, into: object)
            } else {
                object.fill(row)
            }
        }
        statistics.rowsRead += read
        return ids
    }

    /// Fills a fault with a statement's current row, unless an ancestor has newer data.
    func take(
        _ rows: Statement, _ plan: RowPlan, into object: ManagedObject
    ) throws(StoreError) {
        guard object.presence == .fault,
            parent == nil || ancestorRow(of: object.objectID) == nil,
            let (_, row) = try objectReader().found(rows, plan)
        else { return }
        statistics.rowsRead += 1
        object.fill(row)
    }

    /// Returns the saved objects, in order, and fills their faults with the given properties.
    private func partial(
        _ plan: FetchPlan, _ properties: [ExpressionDescription], limit: Int?
    ) throws(StoreError) -> [ManagedObjectID] {
        let partial = try PartialPlan(properties, of: plan.layout)
        let select = try plan.select(partial.columns, limit: limit, offset: plan.offset)
        let reader = try objectReader()
        var ids: [ManagedObjectID] = []
        let rows = try select.prepare(on: reader.connection)
        while try rows.step() {
            let id = reader.id(rows)
            ids.append(id)
            let object = self.object(with: id)
            keep(object)
            guard object.presence == .fault else { continue }
            let extra = object.extra ?? ObjectExtra()
            extra.partial = try partial.row(rows, container.externalFiles)
            object.extra = extra
        }
        statistics.rowsRead += ids.count
        return ids
    }

    /// Keeps an object alive until the fetch returns it.
    private func keep(_ object: ManagedObject) {
        fetched.append(object)
    }

    /// Returns the matching objects by evaluating all objects of the entity in memory.
    private func everything(
        _ plan: FetchPlan, _ evaluation: ObjectEvaluation
    ) throws(StoreError) -> [ManagedObjectID] {
        // SQLite does not sort this request, so check the order here.
        try plan.checkOrder()
        var all = FetchRequest<ManagedObject>(entityName: plan.layout.name)
        all.includesSubentities = plan.numbers.count == plan.layout.entity.familyNumbers.count
        let objects = try fetch(all)
        fetched = objects
        var found: [ManagedObject] = []
        for object in objects where try isThere(object) {
            if try evaluation.matches(object) { found.append(object) }
        }
        return try evaluation.sorted(found).map(\.objectID)
    }
}
