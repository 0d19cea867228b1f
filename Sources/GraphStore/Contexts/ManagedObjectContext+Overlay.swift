import GraphModel

/// Overlaying unsaved changes on the store's rows in fetches.
extension ManagedObjectContext {
    /// The unsaved objects that a fetch must evaluate in memory, in addition to the rows of the
    /// store.
    struct Overlay {
        /// New, changed, or deleted objects of the request's entity that may meet its predicate.
        ///
        /// Each comes from the nearest context in which it is pending.
        var candidates: [ManagedObject] = []
        /// The maximum number of rows in the store's result that must be ignored, because unsaved
        /// objects replace them.
        var hiddenMax = 0
        /// Whether SQLite cannot answer the request, because it also reads objects of other
        /// entities that have unsaved changes.
        var isWhole = false

        var isEmpty: Bool { candidates.isEmpty && hiddenMax == 0 && !isWhole }
    }

    /// Returns the objects with unsaved changes, in this context and its ancestors, that a fetch
    /// must combine with the rows of the store.
    ///
    /// - Parameter isSelective: Whether to leave out pending objects whose values differ from those
    ///   that the predicate's `==` comparisons require.
    func overlay<Object>(
        _ plan: FetchPlan, _ request: FetchRequest<Object>, isSelective: Bool = true
    ) -> Overlay {
        var overlay = Overlay()
        guard request.includesPendingChanges else { return overlay }
        let lookup =
            isSelective ? EqualityLookup(plan.predicate, of: plan.layout) : nil
        let takesFamily = plan.numbers.count == plan.layout.entity.familyNumbers.count
        var nearer: [ManagedObjectContext] = []
        for here in lineage where !here.listed.isEmpty {
            defer { nearer.append(here) }
            let read = here.pendingIndex.objectsRead
            defer { statistics.pendingObjectsRead += here.pendingIndex.objectsRead - read }
            here.pendingIndex.update(here.listed)
            if here.changesElsewhere(of: plan) { overlay.isWhole = true }
            let (pending, stored) = here.pendingIndex.counts(of: plan.numbers)
            guard pending > 0 else { continue }
            overlay.hiddenMax += stored
            let found = here.pendingIndex.objects(of: plan.layout, meeting: lookup)
            for object in found
            where (takesFamily || plan.numbers.contains(object.layout.number))
                && !nearer.contains(where: { $0.isPending(object.objectID) })
            {
                overlay.candidates.append(object)
            }
        }
        return overlay
    }

    /// This context and its ancestors, nearest first.
    var lineage: UnfoldFirstSequence<ManagedObjectContext> {
        sequence(first: self, next: \.parent)
    }

    /// Whether this context has unsaved changes of objects that the request reads in addition to
    /// its own entity.
    private func changesElsewhere(of plan: FetchPlan) -> Bool {
        if plan.otherRoots.contains(where: { pendingIndex.hasPending(root: $0) }) { return true }
        return plan.namedRoots.contains { root in
            pendingIndex.hasDeleted(root: root) && !leadsToLiveObjects(plan, root)
        }
    }

    /// Whether the request only compares its to-ones with specific objects of a hierarchy that are
    /// not deleted.
    private func leadsToLiveObjects(_ plan: FetchPlan, _ root: Int64) -> Bool {
        plan.namedPaths.allSatisfy { path, pathRoot in
            guard pathRoot == root else { return true }
            guard path.count == 1, let property = plan.layout.properties[path[0]],
                let ids = EqualityLookup.destinations(of: property, in: plan.predicate, plan.layout)
            else { return false }
            return ids.allSatisfy { registeredObject(for: $0).map { !$0.isDeleted } ?? false }
        }
    }

    /// Whether an object has unsaved changes in this context.
    func isPending(_ id: ManagedObjectID) -> Bool {
        registeredObject(for: id).map { $0.pending != .none } ?? false
    }

    /// Whether an object has unsaved changes in this context or an ancestor.
    private func isPendingAnywhere(_ id: ManagedObjectID) -> Bool {
        isPending(id) || parent?.isPendingAnywhere(id) == true
    }

    /// Merges the store's visible rows with the matching pending objects.
    func merge(
        _ plan: FetchPlan, _ overlay: Overlay, _ evaluation: ObjectEvaluation, readsRows: Bool,
        refreshes: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        let rows = try visibleRows(
            plan, overlay, readsRows: readsRows, refreshes: refreshes)
        let matching = try matching(overlay.candidates, evaluation)
        guard !matching.isEmpty else { return rows }
        let saved = rows.map { object(with: $0) }
        // Merging a few objects compares few of the rows; merging many compares most of them.
        if matching.count > rows.count / 8 { try fault(saved) }
        return try evaluation.merged(saved, evaluation.sorted(matching)).map(\.objectID)
    }

    /// Returns the rows of objects that are not pending, as many as the limit may need.
    private func visibleRows(
        _ plan: FetchPlan, _ overlay: Overlay, readsRows: Bool, refreshes: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        guard plan.limit > 0 else {
            return try saved(
                plan, limit: nil, offset: 0, readsRows: readsRows, refreshes: refreshes
            ).filter { !isPendingAnywhere($0) }
        }
        // No store has as many rows as these bounds, and larger sums could overflow.
        let wanted = min(plan.limit, .max / 4) + min(plan.offset, .max / 4)
        // Rows of pending objects are dropped. They are usually few, so the first attempt reads
        // only a few extra rows.
        var hidden = min(overlay.hiddenMax, 16)
        while true {
            let found = try saved(
                plan, limit: wanted + hidden, offset: 0, readsRows: readsRows,
                refreshes: refreshes)
            let visible = found.filter { !isPendingAnywhere($0) }
            if visible.count >= wanted || found.count < wanted + hidden
                || hidden >= overlay.hiddenMax
            {
                return visible
            }
            hidden = min(overlay.hiddenMax, max(64, hidden * 8))
        }
    }

    /// Returns the pending objects that exist and meet the predicate, as objects of this context.
    ///
    /// The context in which an object is pending evaluates it.
    func matching(
        _ candidates: [ManagedObject], _ evaluation: ObjectEvaluation
    ) throws(StoreError) -> [ManagedObject] {
        var matching: [ManagedObject] = []
        for candidate in candidates {
            if try isThere(candidate), try evaluation.matches(candidate) {
                matching.append(object(with: candidate.objectID))
            }
        }
        return matching
    }

    func isThere(_ object: ManagedObject) throws(StoreError) -> Bool {
        guard !object.isDeleted, !object.hasNoRow else { return false }
        do throws(StoreError) {
            if object.presence != .realized { try object.realize() }
        } catch {
            guard error.code == .inaccessible else { throw error }
            return false
        }
        return !object.hasNoRow
    }

    /// Returns the number of a request's objects in the store that are not pending.
    func countVisible(_ plan: FetchPlan, _ overlay: Overlay) throws(StoreError) -> Int {
        let all = try count(plan, without: [])
        guard overlay.hiddenMax > 0, all > 0 else { return all }
        // Either list may be long; read the shorter one.
        guard all > overlay.hiddenMax else {
            return try saved(
                plan, limit: nil, offset: 0, readsRows: false, refreshes: false
            ).count { !isPendingAnywhere($0) }
        }
        var hidden: Set<ManagedObjectID> = []
        for here in lineage {
            for object in here.pendingIndex.objects(of: plan.layout, meeting: nil)
            where object.isStored {
                hidden.insert(object.objectID)
            }
        }
        return try count(plan, without: Array(hidden))
    }

    private func count(
        _ plan: FetchPlan, without ids: [ManagedObjectID]
    ) throws(StoreError) -> Int {
        try plan.counting(without: ids).integer(on: objectReader().connection)
    }
}
