import GraphModel
import SQLite

/// Compares what a save is about to write with the store, and lets the merge policy decide.
///
/// The first decision that changes objects keeps the whole context's state, so that a save that
/// fails after all leaves it as it was.
struct ConflictResolver {
    private let context: ManagedObjectContext
    private let session: WriteSession
    private var backup: ContextBackup?
    /// `Z_OPT` of rows as they are in the store.
    private(set) var versions: [ManagedObjectID: Int64] = [:]
    private var rounds = 0

    private var objects: ObjectSupport { context.container.objects }

    init(_ context: ManagedObjectContext, _ session: WriteSession) {
        self.context = context
        self.session = session
    }

    /// Puts the context back as it was before the first decision.
    func restore() {
        backup?.restore(context)
    }

    private mutating func prepareToChange() {
        if backup == nil { backup = ContextBackup(context) }
    }

    // MARK: Versions

    /// Finds rows that were changed or deleted since their objects were read.
    mutating func resolveVersions(_ pending: PendingObjects) throws(StoreError) {
        let watched = context.watched.filter { $0.pending == .none && $0.presence == .realized }
        let checked = (pending.updated + pending.deleted + watched).filter(\.isStored)
        guard !checked.isEmpty else { return }
        versions = try currentVersions(checked.map(\.objectID))
        var found: [(ManagedObject, MergeConflict)] = []
        for object in checked {
            let version = versions[object.objectID] ?? 0
            guard version != object.version else { continue }
            // Lists alone, and an object that nobody read, have no version to be old.
            if version != 0, object.presence != .realized || !touchesRow(object) { continue }
            if version == 0, object.pending == .deleted { continue }
            found.append((object, try conflict(of: object, version)))
        }
        guard !found.isEmpty else { return }
        let decided = try decide(found)
        prepareToChange()
        for (object, conflict, resolution) in decided {
            if conflict.kind == .deleted {
                try resolveDeleted(object, resolution)
            } else {
                try resolveChanged(object, resolution)
            }
        }
    }

    private func touchesRow(_ object: ManagedObject) -> Bool {
        guard object.pending == .updated else { return true }
        let mask = object.effectiveMask()
        let properties = object.layout.attributes.count + object.layout.toOnes.count
        return (0..<properties).contains { mask.contains($0) }
    }

    private func currentVersions(
        _ ids: [ManagedObjectID]
    ) throws(StoreError) -> [ManagedObjectID: Int64] {
        try storing { () throws(SQLiteError) in
            var versions: [ManagedObjectID: Int64] = [:]
            for (number, group) in Dictionary(grouping: ids, by: \.entityNumber) {
                guard let table = objects.layout(number)?.entity.table else { continue }
                let keys = group.map(\.primaryKey)
                for start in stride(from: 0, to: keys.count, by: ObjectReader.chunkSize) {
                    let chunk = keys[start..<min(start + ObjectReader.chunkSize, keys.count)]
                    let rows = try session.connection.prepare(
                        "SELECT Z_PK, Z_OPT FROM \(table) WHERE Z_ENT = \(number) AND Z_PK IN ("
                            + chunk.map(String.init).joined(separator: ",") + ")")
                    while try rows.step() {
                        let id = ManagedObjectID(
                            entityNumber: number, primaryKey: rows.integer(0))
                        versions[id] = rows.integer(1)
                    }
                }
            }
            return versions
        }
    }

    /// An object's row as it is inside the transaction.
    private func storedRow(_ id: ManagedObjectID) throws(StoreError) -> ObjectRow? {
        try ObjectReader(session.connection, objects, context.container.externalFiles).row(id)
    }

    private func conflict(
        of object: ManagedObject, _ version: Int64
    ) throws(StoreError) -> MergeConflict {
        let row = version == 0 ? nil : try storedRow(object.objectID)
        return MergeConflict(
            kind: version == 0 ? .deleted : .changed, objectID: object.objectID,
            entityName: object.layout.name, otherID: nil, constraint: [],
            oldVersion: object.version, newVersion: version, changedKeys: object.changedKeys,
            objectValues: Self.named(object.values, object.layout),
            storedValues: row.map { Self.named($0.values, object.layout) })
    }

    private static func named(
        _ values: [StoredValue], _ layout: EntityLayout
    ) -> [String: StoredValue] {
        guard values.count == layout.attributes.count else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: zip(layout.attributes.map(\.name), values).map { ($0, $1) })
    }

    /// Asks the policy; conflicts that it does not settle make the save fail, all together.
    private func decide(
        _ found: [(ManagedObject, MergeConflict)]
    ) throws(StoreError) -> [(ManagedObject, MergeConflict, MergePolicy.Resolution)] {
        var decided: [(ManagedObject, MergeConflict, MergePolicy.Resolution)] = []
        var unsettled: [MergeConflict] = []
        for (object, conflict) in found {
            let resolution: MergePolicy.Resolution
            do {
                resolution = try context.mergePolicy.resolve(conflict)
            } catch {
                throw StoreError(.conflict, "The merge policy refused: \(error)", cause: error)
            }
            if resolution == .fail {
                unsettled.append(conflict)
            } else {
                decided.append((object, conflict, resolution))
            }
        }
        guard unsettled.isEmpty else {
            let error = MergeError(conflicts: unsettled)
            throw StoreError(.conflict, error.description, cause: error)
        }
        return decided
    }

    private mutating func resolveDeleted(
        _ object: ManagedObject, _ resolution: MergePolicy.Resolution
    ) throws(StoreError) {
        switch resolution {
        case .fail: return
        case .objectTrump, .overwrite:
            // The row is made again, whole.
            for slot in object.lists.indices where object.lists[slot].isFault {
                object.lists[slot].load([], isOrdered: object.layout.toManys[slot].isOrdered)
            }
            object.isStored = false
            object.committed = nil
            object.pending = .inserted
        case .storeTrump, .rollback:
            object.isStored = false
            object.revert()
            object.pending = .deleted
            context.hasPendingDeletes = true
            context.unprocessedDeletes.append(object)
            try context.processPendingChanges()
        }
    }

    private mutating func resolveChanged(
        _ object: ManagedObject, _ resolution: MergePolicy.Resolution
    ) throws(StoreError) {
        guard let row = try storedRow(object.objectID) else { return }
        if object.pending == .deleted {
            guard resolution == .storeTrump || resolution == .rollback else {
                object.version = row.version
                return
            }
            try context.cancelDeletion(of: object)
        }
        let layout = object.layout
        let base = object.committed ?? ManagedObject.Snapshot(values: row.values, links: row.links)
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
        for slot in layout.toOnes.indices {
            let bit = layout.bit(toOne: slot)
            let mine = base.links[slot] != object.links[slot] && object.mask.contains(bit)
            if !keepsMine(mine, base.links[slot] != row.links[slot]),
                object.links[slot] != row.links[slot]
            {
                try context.setLink(object, slot, row.links[slot].map { context.object(with: $0) })
            }
        }
        object.committed = ManagedObject.Snapshot(values: row.values, links: row.links)
        object.version = row.version
        if resolution == .rollback { try context.revertLists(of: object) }
        for slot in layout.attributes.indices
        where !object.values[slot].isIdentical(to: row.values[slot]) {
            object.mask.insert(slot)
        }
        for slot in layout.toOnes.indices where object.links[slot] != row.links[slot] {
            object.mask.insert(layout.bit(toOne: slot))
        }
        if object.pending == .none, !object.effectiveMask().isEmpty || resolution == .overwrite {
            object.pending = .updated
            context.list(object)
        }
    }

    // MARK: Constraints

    /// Finds the objects that would have the same unique values as others.
    ///
    /// - Returns: whether anything was settled.
    mutating func resolveConstraints(_ pending: PendingObjects) throws(StoreError) -> Bool {
        rounds += 1
        guard rounds <= 100 else { return false }
        let found = try constraintConflicts(pending)
        guard !found.isEmpty else { return false }
        let decided = try decide(found)
        prepareToChange()
        for (object, conflict, resolution) in decided {
            guard object.pending != .none, !object.isGone, let otherID = conflict.otherID else {
                continue
            }
            try context.settle(object, with: otherID, resolution, stored: storedRow(otherID))
        }
        versions = try currentVersions(
            PendingObjects(context.listed).updated.filter(\.isStored).map(\.objectID))
        return true
    }

    private func constraintConflicts(
        _ pending: PendingObjects
    ) throws(StoreError) -> [(ManagedObject, MergeConflict)] {
        var found: [(ManagedObject, MergeConflict)] = []
        var taken: [ConstraintKey: ManagedObject] = [:]
        var touched: Set<ManagedObjectID> = []
        for object in pending.updated + pending.deleted
        where object.pending == .deleted || object.presence == .realized {
            touched.insert(object.objectID)
        }
        // What is there counts before what is new.
        for object in pending.updated + pending.inserted {
            let layout = object.layout
            guard object.presence == .realized else { continue }
            for constraint in layout.constraints {
                let values = constraint.map { object.values[$0] }
                guard !values.contains(.null) else { continue }
                let columns = constraint.compactMap { layout.attributes[$0].column }
                let key = ConstraintKey(
                    table: layout.entity.table, columns: columns, values: values)
                var other: ManagedObjectID?
                if let before = taken[key] {
                    other = before.objectID
                } else {
                    taken[key] = object
                    other = try holder(of: key, layout.entity.table, except: touched)
                }
                guard let other, other != object.objectID else { continue }
                var conflict = try self.conflict(of: object, object.version)
                conflict.kind = .constraint
                conflict.otherID = other
                conflict.constraint = constraint.map { layout.attributes[$0].name }
                conflict.storedValues = try storedRow(other).map {
                    Self.named($0.values, objects.layout(other.entityNumber) ?? layout)
                }
                found.append((object, conflict))
                break
            }
        }
        return found
    }

    /// The saved object that has those values and keeps them.
    private func holder(
        of key: ConstraintKey, _ table: String, except touched: Set<ManagedObjectID>
    ) throws(StoreError) -> ManagedObjectID? {
        try storing { () throws(SQLiteError) in
            let conditions = key.columns.map { "\($0) = ?" }.joined(separator: " AND ")
            let rows = try session.connection.cached(
                "SELECT Z_ENT, Z_PK FROM \(table) WHERE \(conditions)")
            for (position, value) in key.values.enumerated() {
                rows.bind(value, at: Int32(position) + 1)
            }
            defer { rows.reset() }
            guard try rows.step() else { return nil }
            let id = ManagedObjectID(entityNumber: rows.integer(0), primaryKey: rows.integer(1))
            return touched.contains(id) ? nil : id
        }
    }
}

/// The values of one constraint, texts by their bytes.
private struct ConstraintKey: Hashable {
    let table: String
    let columns: [String]
    let values: [StoredValue]
    private let bytes: [StoredValue]

    init(table: String, columns: [String], values: [StoredValue]) {
        self.table = table
        self.columns = columns
        self.values = values
        bytes = values.map { value in
            if case .text(let text) = value { .blob(Array(text.utf8)) } else { value }
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.table == right.table && left.columns == right.columns && left.bytes == right.bytes
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(table)
        hasher.combine(bytes)
    }
}
