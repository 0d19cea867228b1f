import GraphModel

/// A log of objects' states before groups of changes.
///
/// A group stores each changed object once, with its earlier state. Arrays are shared until they
/// change, so this is cheap. Undoing swaps the states, which yields the group for redoing.
final class UndoLog {
    /// The earlier state of an object.
    struct State {
        var exists: Bool
        /// The values; `nil` of a fault, whose values did not change.
        var snapshot: ManagedObject.Snapshot?
        var lists: [ToManyState]
    }

    struct Group {
        var objects: [ManagedObject] = []
        var states: [ObjectIdentifier: State] = [:]

        /// Replaces IDs that objects no longer have.
        mutating func rename(_ ids: [ManagedObjectID: ManagedObjectID]) {
            for key in states.keys {
                states[key]?.snapshot?.replaceLinks(ids)
                for slot in states[key]?.lists.indices ?? 0..<0 {
                    states[key]?.lists[slot].rename(ids)
                }
            }
        }
    }

    private(set) var undoable: [Group] = []
    private(set) var redoable: [Group] = []
    private var open = Group()
    private var depth = 0
    private var isRestoring = false
    /// The maximum number of groups to keep; 0 keeps all.
    var levelsMax = 0

    /// Records an object's state; call it before the object changes.
    ///
    /// - Parameter existed: `false` if the object is being inserted.
    func note(_ object: ManagedObject, existed: Bool) {
        guard !isRestoring else { return }
        redoable.removeAll()
        Self.note(object, existed: existed, in: &open)
    }

    private static func note(
        _ object: ManagedObject, existed: Bool, in group: inout Group
    ) {
        let key = ObjectIdentifier(object)
        let snapshot = object.presence == .realized ? object.snapshot : nil
        if let state = group.states[key] {
            // The row was loaded after the group began, and changes only now.
            if state.snapshot == nil, state.exists { group.states[key]?.snapshot = snapshot }
            // The lists were, too.
            for slot in object.lists.indices where state.lists.isEmpty || state.lists[slot].isFault
            {
                if state.lists.isEmpty {
                    group.states[key]?.lists = object.lists
                    break
                }
                group.states[key]?.lists[slot] = object.lists[slot]
            }
            return
        }
        group.objects.append(object)
        let exists = existed && object.pending != .deleted && !object.hasNoRow
        group.states[key] = State(exists: exists, snapshot: snapshot, lists: object.lists)
    }

    func begin() { depth += 1 }

    func end() {
        depth = max(0, depth - 1)
        closeEvent()
    }

    /// Ends an event, and its group unless one is held open.
    func closeEvent() {
        guard depth == 0, !open.objects.isEmpty, !isRestoring else { return }
        undoable.append(open)
        open = Group()
        if levelsMax > 0, undoable.count > levelsMax {
            undoable.removeFirst(undoable.count - levelsMax)
        }
    }

    func removeAll() {
        undoable.removeAll()
        redoable.removeAll()
        open = Group()
    }

    /// Replaces IDs that objects no longer have.
    func rename(_ ids: [ManagedObjectID: ManagedObjectID]) {
        open.rename(ids)
        for place in undoable.indices { undoable[place].rename(ids) }
        for place in redoable.indices { redoable[place].rename(ids) }
    }

    func undo(in context: ManagedObjectContext) {
        depth = 0
        closeEvent()
        read(undoable.last, in: context)
        guard let group = undoable.popLast() else { return }
        redoable.append(restore(group, in: context))
    }

    func redo(in context: ManagedObjectContext) {
        read(redoable.last, in: context)
        guard let group = redoable.popLast() else { return }
        undoable.append(restore(group, in: context))
    }

    /// Loads the objects that a group changes, while the group still receives new IDs of objects.
    private func read(_ group: Group?, in context: ManagedObjectContext) {
        guard let group else { return }
        isRestoring = true
        defer { isRestoring = false }
        for object in group.objects {
            if let state = group.states[ObjectIdentifier(object)] {
                context.readForRestoring(object, state)
            }
        }
    }

    private func restore(_ group: Group, in context: ManagedObjectContext) -> Group {
        isRestoring = true
        defer { isRestoring = false }
        var reverse = Group()
        for object in group.objects {
            Self.note(object, existed: !object.hasNoRow && object.pending != .deleted, in: &reverse)
        }
        for object in group.objects {
            if let state = group.states[ObjectIdentifier(object)] {
                context.restore(object, to: state)
            }
        }
        context.noting { () throws(StoreError) in try context.annihilateNew() }
        return reverse
    }
}

extension ManagedObjectContext {
    /// Whether changes can be undone; off by default because it costs memory.
    public var isUndoEnabled: Bool {
        get { undoLog != nil }
        set {
            guard newValue != isUndoEnabled else { return }
            undoLog = newValue ? UndoLog() : nil
        }
    }

    /// The maximum number of groups that can be undone; 0 is no limit.
    public var levelsOfUndo: Int {
        get { undoLog?.levelsMax ?? 0 }
        set { undoLog?.levelsMax = max(0, newValue) }
    }

    /// Whether there are changes to undo.
    public var canUndo: Bool {
        undoLog?.closeEvent()
        return undoLog?.undoable.isEmpty == false
    }

    /// Whether there are changes to redo.
    public var canRedo: Bool { undoLog?.redoable.isEmpty == false }

    /// Undoes the last group of changes; changes that were already saved become pending again.
    ///
    /// A group ends with `processPendingChanges()`, and therefore with every fetch and save.
    public func undo() throws(StoreError) {
        try processPendingChanges()
        undoLog?.undo(in: self)
    }

    /// Redoes the changes that the last `undo()` undid.
    public func redo() throws(StoreError) {
        try processPendingChanges()
        undoLog?.redo(in: self)
    }

    /// Combines all changes in the body into one group.
    public func undoGroup<R>(_ body: () throws -> R) throws -> R {
        try processPendingChanges()
        undoLog?.begin()
        defer { undoLog?.end() }
        let result = try body()
        try processPendingChanges()
        return result
    }

    /// Loads the values that an undo changes, since a redo restores them.
    func readForRestoring(_ object: ManagedObject, _ state: UndoLog.State) {
        guard object.link === link, object.isStored, !object.hasNoRow else { return }
        do throws(StoreError) {
            if state.snapshot != nil { try fire(object) }
            guard !state.lists.isEmpty else { return }
            object.prepareLists()
            for slot in object.lists.indices { try loadList(of: object, slot) }
        } catch {
            // A missing row is inserted again from the known values.
            if error.code != .inaccessible { note(error) }
        }
    }

    /// Restores an object's earlier state.
    func restore(_ object: ManagedObject, to state: UndoLog.State) {
        guard object.link === link else { return }
        if let snapshot = state.snapshot {
            // An object whose row cannot be read has no values to restore, and stays unchanged.
            if object.presence != .realized {
                guard (try? fire(object)) != nil else { return }
            }
            if object.isStored, object.committed == nil { object.committed = object.snapshot }
            object.values = snapshot.values
            object.links = snapshot.links
        }
        restoreLists(of: object, state)
        object.changeCount &+= 1
        noteForEvent { change in
            if state.exists {
                change.noteUpdated(object.objectID)
            } else {
                change.noteDeleted(object.objectID)
            }
        }
        list(object)
        if state.exists || !object.isStored {
            object.hasNoRow = false
            object.isDeletedElsewhere = false
            register(object)
        }
        guard state.exists else {
            object.pending = .deleted
            hasPendingDeletes = true
            if !object.isStored { deletedNew.append(object) }
            return
        }
        guard object.isStored else {
            // A row that is inserted again has no links in the store yet.
            object.forgetSavedLists()
            object.pending = .inserted
            return
        }
        object.markDifferences()
        object.pending = object.mask.isEmpty ? .none : .updated
    }

    private func restoreLists(of object: ManagedObject, _ state: UndoLog.State) {
        guard !state.lists.isEmpty else { return }
        object.prepareLists()
        for slot in object.lists.indices {
            let list = state.lists[slot]
            // A list that was not in memory was not changed by the group.
            guard !list.isFault else { continue }
            if object.isStored, object.lists[slot].isFault {
                noting { () throws(StoreError) in try loadList(of: object, slot) }
            }
            // Apply the earlier list to the list that is saved now.
            if object.lists[slot].committed == nil {
                object.lists[slot] = list
            } else {
                object.lists[slot].current = list.current
            }
        }
    }
}
