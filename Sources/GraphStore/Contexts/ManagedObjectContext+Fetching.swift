public import GraphModel
import SQLite

/// Fetching: what the store has, under what this context and its parents have changed.
extension ManagedObjectContext {
    /// The objects that a request asks for.
    ///
    /// Unsaved changes count: the window of limit and offset lies over the merged result. Where
    /// nothing that the request looks at was changed, the store alone answers.
    public func fetch<Object>(_ request: FetchRequest<Object>) throws(StoreError) -> [Object] {
        let plan = try begin(request)
        try use(Object.self, for: plan.numbers)
        defer { fetched.removeAll() }
        if !request.propertiesToFetch.isEmpty {
            _ = try PartialPlan(request.propertiesToFetch, of: plan.layout)
        }
        guard request.propertiesToGroupBy.isEmpty, request.havingPredicate == nil else {
            throw StoreError(.invalidRequest, "Groups are no objects; rows(_:) gives them")
        }
        let isBatched = request.fetchBatchSize > 0
        let found = try results(
            plan, request, readsRows: !isBatched && request.materialise != .ids)
        let objects = found.map { object(with: $0) }
        if isBatched { try batch(objects, found, size: request.fetchBatchSize) }
        if request.materialise == .rows {
            try fault(objects)
            for object in objects { try fire(object) }
        }
        try prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
        return try typed(objects)
    }

    /// The IDs of the objects that a request asks for, in its order.
    public func fetchIDs<Object>(
        _ request: FetchRequest<Object>
    ) throws(StoreError) -> [ManagedObjectID] {
        let plan = try begin(request)
        return try results(plan, request, readsRows: false)
    }

    /// How many objects `fetch` would give.
    public func count<Object>(for request: FetchRequest<Object>) throws(StoreError) -> Int {
        let plan = try begin(request)
        let overlay = overlay(plan, request)
        guard !overlay.isWhole else {
            return try results(plan, request, readsRows: false).count
        }
        let select = try plan.counting(without: overlay.ids)
        let reader = try objectReader()
        let saved = try storing { () throws(SQLiteError) in
            let rows = try select.prepare(on: reader.connection)
            return try rows.step() ? Int(rows.integer(0)) : 0
        }
        var all = saved
        if !overlay.isEmpty {
            let evaluation = try ObjectEvaluation(plan, container.model)
            all += try matching(overlay.ids, evaluation).count
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

    /// What the store has, in order; rows go into the objects' faults.
    private func saved(
        _ plan: FetchPlan, limit: Int?, offset: Int, readsRows: Bool, refreshes: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        let reader = try objectReader()
        let rowPlan = container.objects.rowPlan(plan.layout.number)
        let select = try plan.select(
            readsRows ? rowPlan.columns : "t.Z_PK, t.Z_ENT", limit: limit, offset: offset)
        var ids: [ManagedObjectID] = []
        var read = 0
        try storing { () throws(SQLiteError) in
            let rows = try select.prepare(on: reader.connection)
            while try rows.step() {
                let id = ManagedObjectID(
                    entityNumber: rows.integer(1), primaryKey: rows.integer(0))
                ids.append(id)
                guard readsRows else { continue }
                let object = self.object(with: id)
                keep(object)
                guard object.presence == .fault || refreshes && parent == nil,
                    parent == nil || ancestorRow(of: id) == nil
                else { continue }
                guard let (_, row) = reader.found(rows, rowPlan) else { continue }
                read += 1
                if object.presence == .realized {
                    self.merge(row, into: object)
                } else {
                    object.fill(row)
                }
            }
        }
        statistics.rowsRead += read
        return ids
    }

    /// Puts a statement's current row into an object that has none, unless an ancestor has one.
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

    /// What the store has, in order; the properties that are named go into the faults.
    private func partial(
        _ plan: FetchPlan, _ properties: [ExpressionDescription], limit: Int?
    ) throws(StoreError) -> [ManagedObjectID] {
        let partial = try PartialPlan(properties, of: plan.layout)
        let select = try plan.select(partial.columns, limit: limit, offset: plan.offset)
        let reader = try objectReader()
        var ids: [ManagedObjectID] = []
        try storing { () throws(SQLiteError) in
            let rows = try select.prepare(on: reader.connection)
            while try rows.step() {
                let id = ManagedObjectID(
                    entityNumber: rows.integer(1), primaryKey: rows.integer(0))
                ids.append(id)
                let object = self.object(with: id)
                keep(object)
                guard object.presence == .fault else { continue }
                let extra = object.extra ?? ObjectExtra()
                extra.partial = partial.row(rows, container.externalFiles)
                object.extra = extra
            }
        }
        statistics.rowsRead += ids.count
        return ids
    }

    /// Keeps an object until the fetch has handed it out.
    private func keep(_ object: ManagedObject) {
        fetched.append(object)
    }

    // MARK: The overlay

    /// The changed objects that a request must look at itself.
    struct Overlay {
        /// The request's own objects that are new, changed or deleted.
        var ids: [ManagedObjectID] = []
        /// Objects elsewhere that it looks at were changed, so that no answer of the store counts.
        var isWhole = false

        var isEmpty: Bool { ids.isEmpty && !isWhole }
    }

    func overlay<Object>(
        _ plan: FetchPlan, _ request: FetchRequest<Object>
    ) -> Overlay {
        var overlay = Overlay()
        guard request.includesPendingChanges else { return overlay }
        var seen: Set<ManagedObjectID> = []
        let numbers = Set(plan.numbers)
        let root = plan.layout.entity.rootNumber
        var context: ManagedObjectContext? = self
        while let here = context {
            for object in here.listed where object.pending != .none {
                let own = object.layout.entity.rootNumber
                if plan.otherRoots.contains(own)
                    || object.pending == .deleted && plan.namedRoots.contains(own)
                {
                    overlay.isWhole = true
                }
                if own == root, numbers.contains(object.layout.number),
                    seen.insert(object.objectID).inserted
                {
                    overlay.ids.append(object.objectID)
                }
            }
            context = here.parent
        }
        return overlay
    }

    /// The store's rows without the overlay's, merged with those of the overlay that match.
    private func merge(
        _ plan: FetchPlan, _ overlay: Overlay, _ evaluation: ObjectEvaluation, readsRows: Bool,
        refreshes: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        let changed = Set(overlay.ids)
        // No more than those that changed can fall out of the window.
        let limit = plan.limit > 0 ? plan.limit + plan.offset + changed.count : nil
        let rows = try saved(
            plan, limit: limit, offset: 0, readsRows: readsRows, refreshes: refreshes
        ).filter { !changed.contains($0) }
        let matching = try matching(overlay.ids, evaluation)
        guard !matching.isEmpty else { return rows }
        let saved = rows.map { object(with: $0) }
        // Few new ones look at few of the rows to find their places; many look at most.
        if matching.count > rows.count / 8 { try fault(saved) }
        return try evaluation.merged(saved, evaluation.sorted(matching)).map(\.objectID)
    }

    /// Those of some changed objects that are there and meet the predicate, as they are now.
    func matching(
        _ ids: [ManagedObjectID], _ evaluation: ObjectEvaluation
    ) throws(StoreError) -> [ManagedObject] {
        var matching: [ManagedObject] = []
        for id in ids {
            let object = object(with: id)
            if try isThere(object), try evaluation.matches(object) { matching.append(object) }
        }
        return matching
    }

    private func isThere(_ object: ManagedObject) throws(StoreError) -> Bool {
        guard !object.isDeleted, !object.isGone else { return false }
        do throws(StoreError) {
            try fire(object)
        } catch {
            guard error.code == .inaccessible else { throw error }
            return false
        }
        return true
    }

    /// All objects of the entity, each looked at in memory.
    private func everything(
        _ plan: FetchPlan, _ evaluation: ObjectEvaluation
    ) throws(StoreError) -> [ManagedObjectID] {
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
