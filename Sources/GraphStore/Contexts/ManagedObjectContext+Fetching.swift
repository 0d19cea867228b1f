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
        defer { fetched.removeAll() }
        let isBatched = request.fetchBatchSize > 0
        let found = try results(plan, request, readsRows: !isBatched)
        let objects = found.map { object(with: $0) }
        if isBatched { try fault(Array(objects.prefix(request.fetchBatchSize))) }
        if !request.returnsObjectsAsFaults {
            try fault(objects)
            for object in objects { try fire(object) }
        }
        try prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
        return objects.compactMap { $0 as? Object }
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
        if overlay(plan, request).isEmpty {
            let inner = try plan.select(
                "1", limit: plan.limit > 0 ? plan.limit : nil, offset: plan.offset)
            let reader = try objectReader()
            return try storing { () throws(SQLiteError) in
                let rows = try ("SELECT count(*) FROM (" + inner + ")").prepare(
                    on: reader.connection)
                return try rows.step() ? Int(rows.integer(0)) : 0
            }
        }
        return try results(plan, request, readsRows: false).count
    }

    private func begin<Object>(_ request: FetchRequest<Object>) throws(StoreError) -> FetchPlan {
        let plan = try FetchPlan(request, container.objects)
        try processPendingChanges()
        statistics.fetches += 1
        return plan
    }

    private func results<Object>(
        _ plan: FetchPlan, _ request: FetchRequest<Object>, readsRows: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        let overlay = overlay(plan, request)
        let limit = plan.limit > 0 ? plan.limit : nil
        let refreshes = request.shouldRefreshRefetchedObjects || shouldRefreshRefetchedObjects
        guard !overlay.isEmpty else {
            let saved = try saved(
                plan, limit: limit, offset: plan.offset, readsRows: readsRows,
                refreshes: refreshes)
            return saved
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
        let readsRows = readsRows && parent == nil
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
                guard object.presence == .fault || refreshes else { continue }
                guard let (_, row) = reader.found(rows, rowPlan) else { continue }
                read += 1
                if object.presence == .realized {
                    self.merge(row, into: object)
                } else {
                    self.fill(object, row)
                }
            }
        }
        statistics.rowsRead += read
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

    private func overlay<Object>(
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
                if plan.otherRoots.contains(own) { overlay.isWhole = true }
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
        var matching: [ManagedObject] = []
        for id in overlay.ids {
            let object = object(with: id)
            if try isThere(object), try evaluation.matches(object) { matching.append(object) }
        }
        guard !matching.isEmpty else { return rows }
        let saved = rows.map { object(with: $0) }
        // Few new ones look at few of the rows to find their places; many look at most.
        if matching.count > rows.count / 8 { try fault(saved) }
        return try evaluation.merged(saved, evaluation.sorted(matching)).map(\.objectID)
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

    // MARK: Prefetching

    /// Reads relationships along key paths, one statement for each step and five hundred objects.
    ///
    /// What is read stays in memory until the next prefetch, save, or reset.
    public func prefetch(
        _ keyPaths: [String], of objects: [ManagedObject]
    ) throws(StoreError) {
        guard !keyPaths.isEmpty else { return }
        var found: [ManagedObject] = []
        for keyPath in keyPaths {
            var here = objects
            for name in keyPath.split(separator: ".").map(String.init) {
                here = try prefetch(step: name, of: here)
                found.append(contentsOf: here)
            }
        }
        prefetched = found
    }

    private func prefetch(
        step name: String, of objects: [ManagedObject]
    ) throws(StoreError) -> [ManagedObject] {
        try fault(objects)
        var ids: [ManagedObjectID] = []
        var seen: Set<ManagedObjectID> = []
        for (_, group) in Dictionary(grouping: objects, by: { $0.layout.number }) {
            switch try group[0].property(name) {
            case .attribute:
                throw StoreError(
                    .invalidRequest, "'\(group[0].layout.name).\(name)' is no relationship")
            case .toOne(let slot):
                for object in group where object.presence != .fault {
                    if let id = object.links[slot], seen.insert(id).inserted { ids.append(id) }
                }
            case .toMany(let slot):
                try loadLists(of: group, slot)
                for object in group {
                    for id in try object.toManyIDs(slot) where seen.insert(id).inserted {
                        ids.append(id)
                    }
                }
            }
        }
        return try fault(ids)
    }

    /// Reads one to-many of many objects at once.
    func loadLists(of owners: [ManagedObject], _ slot: Int) throws(StoreError) {
        for owner in owners { owner.prepareLists() }
        let faults = owners.filter { $0.lists[slot].isFault && $0.isStored }
        guard parent == nil, faults.count > 1 else { return }
        let toMany = faults[0].layout.toManys[slot]
        let found = try objectReader().lists(of: faults.map(\.objectID), toMany)
        for owner in faults { load(found[owner.objectID.primaryKey] ?? [], into: owner, slot) }
    }
}
