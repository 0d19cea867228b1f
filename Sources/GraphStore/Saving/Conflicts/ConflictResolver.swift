import GraphModel

/// A comparison of a save with the store that applies the merge policy to each conflict.
///
/// Before the first decision changes objects, it saves the state of the complete context, so that a
/// save that fails later leaves the context unchanged.
struct ConflictResolver {
    let context: ManagedObjectContext
    let finder: ConflictFinder
    private var backup: ContextBackup?
    /// The current `Z_OPT` of the rows in the store.
    private(set) var versions: [ManagedObjectID: Int64] = [:]
    /// New objects that were merged into existing objects: the former ID and the existing ID.
    private(set) var united: [ManagedObjectID: ManagedObjectID] = [:]
    private var rounds = 0

    init(_ context: ManagedObjectContext, _ session: WriteSession) {
        self.context = context
        finder = ConflictFinder(
            context.container.objects, session, context.container.externalFiles,
            isDetailed: context.mergePolicy.showsConflicts)
    }

    /// Restores the context to its state before the first decision.
    func restore() {
        backup?.restore(context)
    }

    mutating func prepareToChange() {
        if backup == nil { backup = ContextBackup(context) }
    }

    // MARK: Versions

    /// Resolves conflicts with rows that were changed or deleted since their objects were read.
    mutating func resolveVersions(_ pending: PendingObjects) throws(StoreError) {
        let watched = context.watched.filter { $0.pending == .none && $0.presence == .realized }
        let checked = (pending.updated + pending.deleted + watched).filter(\.isStored)
        guard !checked.isEmpty else { return }
        versions = try finder.currentVersions(checked.map(\.objectID))
        var found: [(ManagedObject, MergeConflict)] = []
        for object in checked {
            let version = versions[object.objectID] ?? 0
            guard version != object.version else { continue }
            // A change of to-many lists only, or an object that was never read, has no version to
            // compare.
            if version != 0, object.presence != .realized || !touchesRow(object) { continue }
            if version == 0, object.pending == .deleted { continue }
            found.append((object, try finder.conflict(of: object, version)))
        }
        guard !found.isEmpty else { return }
        let decided = try decide(found)
        prepareToChange()
        let again = decided.filter { $0.1.kind == .deleted && $0.2.recreatesRows }
            .map { RemadeRow($0.0) }
        for (object, conflict, resolution) in decided {
            if conflict.kind == .deleted {
                try resolveDeleted(object, resolution)
            } else {
                try resolveChanged(object, resolution)
            }
        }
        for row in again { try link(row) }
    }

    private func touchesRow(_ object: ManagedObject) -> Bool {
        guard object.pending == .updated else { return true }
        let mask = object.effectiveMask()
        let properties = object.layout.attributes.count + object.layout.toOnes.count
        return (0..<properties).contains { mask.contains($0) }
    }

    /// Asks the policy to decide each conflict; the save fails with all conflicts left unresolved.
    private func decide(
        _ found: [(ManagedObject, MergeConflict)]
    ) throws(StoreError) -> [(ManagedObject, MergeConflict, MergePolicy.Resolution)] {
        var decided: [(ManagedObject, MergeConflict, MergePolicy.Resolution)] = []
        var undecided: [MergeConflict] = []
        for (object, conflict) in found {
            let resolution: MergePolicy.Resolution
            do {
                resolution = try context.mergePolicy.resolve(conflict)
            } catch {
                throw StoreError(.conflict, "The merge policy refused: \(error)", cause: error)
            }
            if resolution == .fail {
                undecided.append(conflict)
            } else {
                decided.append((object, conflict, resolution))
            }
        }
        guard undecided.isEmpty else {
            let error = MergeError(conflicts: undecided)
            throw StoreError(.conflict, error.description, cause: error)
        }
        return decided
    }

    private mutating func resolveDeleted(
        _ object: ManagedObject, _ resolution: MergePolicy.Resolution
    ) throws(StoreError) {
        switch resolution {
        case .fail: return
        case .objectTrump, .overwrite: recreate(object)
        case .storeTrump, .rollback:
            object.isStored = false
            object.revert()
            context.markDeleted(object)
            try context.processPendingChanges()
        }
    }

    private mutating func resolveChanged(
        _ object: ManagedObject, _ resolution: MergePolicy.Resolution
    ) throws(StoreError) {
        guard let row = try finder.storedRow(object.objectID) else { return }
        if object.pending == .deleted {
            guard resolution == .storeTrump || resolution == .rollback else {
                object.version = row.version
                return
            }
            try context.cancelDeletion(of: object)
        }
        let layout = object.layout
        let base = object.committed ?? row.snapshot
        func keepsMine(_ isMine: Bool, _ isTheirs: Bool) -> Bool {
            switch resolution {
            case .objectTrump: isMine
            case .storeTrump: isMine && !isTheirs
            case .overwrite: true
            case .rollback, .fail: false
            }
        }
        var values = object.values
        for slot in layout.attributes.indices where layout.attributes[slot].column != nil {
            let mine =
                !base.values[slot].isIdentical(to: object.values[slot])
                && object.mask.contains(slot)
            if !keepsMine(mine, !base.values[slot].isIdentical(to: row.values[slot])) {
                values[slot] = row.values[slot]
            }
        }
        object.values = values
        try takePartners(of: object, base.links, row.links)
        for slot in layout.toOnes.indices {
            let bit = layout.bit(toOne: slot)
            let mine = base.links[slot] != object.links[slot] && object.mask.contains(bit)
            if !keepsMine(mine, base.links[slot] != row.links[slot]),
                object.links[slot] != row.links[slot]
            {
                try context.setLink(object, slot, row.links[slot].map { context.object(with: $0) })
            }
            context.rebase(object, slot, from: base.links[slot], to: row.links[slot])
            try leavePartner(of: object, slot, row.links[slot])
        }
        let saved = row.snapshot
        object.committed = saved
        object.version = row.version
        if resolution == .rollback { try context.revertLists(of: object) }
        object.markDifferences(from: saved)
        if object.pending == .none, !object.effectiveMask().isEmpty || resolution == .overwrite {
            object.pending = .updated
            context.list(object)
        }
    }

    // MARK: Constraints

    /// Resolves conflicts between objects that would have the same unique values.
    ///
    /// - Returns: Whether any conflict was resolved.
    mutating func resolveConstraints(_ pending: PendingObjects) throws(StoreError) -> Bool {
        rounds += 1
        guard rounds <= 100 else { return false }
        let found = try finder.constraintConflicts(pending)
        guard !found.isEmpty else { return false }
        let decided = try decide(found)
        prepareToChange()
        var renamed: [ManagedObjectID: ManagedObjectID] = [:]
        for (object, conflict, resolution) in decided {
            guard object.pending != .none, !object.hasNoRow, let otherID = conflict.otherID else {
                continue
            }
            if let old = try context.resolve(
                object, with: otherID, resolution, stored: finder.storedRow(otherID))
            {
                renamed[old] = object.objectID
            }
        }
        context.replaceLinks(renamed)
        united.merge(renamed) { $1 }
        versions = try finder.currentVersions(
            PendingObjects(context.listed).updated.filter(\.isStored).map(\.objectID))
        return true
    }
}
