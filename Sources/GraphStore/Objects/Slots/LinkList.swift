import GraphModel

/// The destination IDs of a to-many, without duplicates, in order, and with fast lookup.
struct LinkList {
    /// The list size above which a dictionary of positions replaces linear searches.
    private static let searchMax = 16

    private(set) var ids: [ManagedObjectID]
    private var positions: [ManagedObjectID: Int]?
    private let isOrdered: Bool

    init(_ ids: [ManagedObjectID], isOrdered: Bool) {
        self.ids = ids
        self.isOrdered = isOrdered
    }

    var count: Int { ids.count }

    mutating func position(of id: ManagedObjectID) -> Int? {
        if ids.count <= Self.searchMax { return ids.firstIndex(of: id) }
        if positions == nil {
            positions = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        }
        return positions?[id]
    }

    mutating func contains(_ id: ManagedObjectID) -> Bool { position(of: id) != nil }

    /// Appends an object; returns `false` if the list already contains it.
    @discardableResult
    mutating func append(_ id: ManagedObjectID) -> Bool {
        guard !contains(id) else { return false }
        positions?[id] = ids.count
        ids.append(id)
        return true
    }

    /// Removes an object; returns `false` if the list does not contain it.
    ///
    /// In an unordered list, the last object moves to its position.
    @discardableResult
    mutating func remove(_ id: ManagedObjectID) -> Bool {
        guard let position = position(of: id) else { return false }
        if isOrdered {
            ids.remove(at: position)
            positions = nil
            return true
        }
        positions?[id] = nil
        let last = ids.removeLast()
        if position < ids.count {
            ids[position] = last
            positions?[last] = position
        }
        return true
    }

    /// Replaces the list, for example with another order.
    mutating func replace(with ids: [ManagedObjectID]) {
        self.ids = ids
        positions = nil
    }
}

/// The state of one object's to-many: a separate fault with its pending changes.
struct ToManyState {
    /// The saved list; `nil` for a fault.
    var committed: [ManagedObjectID]?
    /// The current list; `nil` for a fault.
    var current: LinkList?
    /// The objects that were added while it was a fault.
    private(set) var added = LinkList([], isOrdered: true)
    /// The objects that were removed while it was a fault.
    var removed: Set<ManagedObjectID> = []
    /// The pending order of an ordered relationship that became a fault again.
    var wished: [ManagedObjectID]?

    var isFault: Bool { current == nil }

    /// Returns the state of a list that is empty in the store.
    static func empty(isOrdered: Bool) -> ToManyState {
        ToManyState(committed: [], current: LinkList([], isOrdered: isOrdered))
    }

    /// Loads the saved list and applies the pending changes.
    mutating func load(_ saved: [ManagedObjectID], isOrdered: Bool) {
        let known = Set(saved)
        var list = LinkList(
            removed.isEmpty ? saved : saved.filter { !removed.contains($0) }, isOrdered: isOrdered)
        for id in added.ids where !known.contains(id) || removed.contains(id) { list.append(id) }
        if let wished {
            var there = Set(list.ids)
            let first = wished.filter { there.remove($0) != nil }
            list.replace(with: first + list.ids.filter(there.contains))
        }
        self = ToManyState(committed: saved, current: list)
    }

    /// Adds an object; returns `false` if it is known to be a member.
    mutating func insert(_ id: ManagedObjectID) -> Bool {
        if current != nil { return current?.append(id) ?? false }
        // A removed object stays in `removed`, so that it is appended at the end.
        return added.append(id)
    }

    /// Removes an object; returns `false` if it is known not to be a member.
    mutating func remove(_ id: ManagedObjectID) -> Bool {
        if current != nil { return current?.remove(id) ?? false }
        added.remove(id)
        return removed.insert(id).inserted
    }

    /// The objects that a save must add and remove.
    var difference: (added: [ManagedObjectID], removed: [ManagedObjectID]) {
        guard let current, let committed else {
            return (added.ids, removed.sorted())
        }
        if current.ids == committed { return ([], []) }
        let before = Set(committed)
        let after = Set(current.ids)
        return (
            current.ids.filter { !before.contains($0) }, committed.filter { !after.contains($0) }
        )
    }

    /// Drops changes of a fault that change nothing in the store.
    mutating func drop(added known: [ManagedObjectID], removed missing: [ManagedObjectID]) {
        for id in known { added.remove(id) }
        removed.subtract(missing)
    }

    /// Returns whether the members differ from the saved ones, or their order if it matters.
    func isChanged(isOrdered: Bool) -> Bool {
        guard let current, let committed else {
            return added.count > 0 || !removed.isEmpty || wished != nil
        }
        if current.ids == committed { return false }
        return isOrdered || Set(current.ids) != Set(committed)
    }

    /// Marks the current list as saved.
    mutating func commit() {
        self = ToManyState(committed: current?.ids ?? committed, current: current)
    }

    /// Restores the saved list.
    mutating func revert(isOrdered: Bool) {
        let saved = committed.map { LinkList($0, isOrdered: isOrdered) }
        self = ToManyState(committed: committed, current: saved ?? current)
    }

    /// Turns the list into a fault, keeping pending changes.
    mutating func turnIntoFault(isOrdered: Bool) {
        guard let current else { return }
        if isOrdered, isChanged(isOrdered: true) { wished = current.ids }
        let difference = self.difference
        added = LinkList(difference.added, isOrdered: true)
        removed = Set(difference.removed)
        committed = nil
        self.current = nil
    }

    /// Records that another save has added an object.
    mutating func rebase(inserting id: ManagedObjectID) {
        guard let committed else {
            added.remove(id)
            return
        }
        if !committed.contains(id) { self.committed?.append(id) }
    }

    /// Records that another save has removed an object.
    mutating func rebase(removing id: ManagedObjectID) {
        committed?.removeAll { $0 == id }
        removed.remove(id)
    }

    /// Replaces IDs that objects no longer have, in all lists.
    mutating func rename(
        _ new: [ManagedObjectID: ManagedObjectID]
    ) {
        func renamed(_ ids: [ManagedObjectID]) -> [ManagedObjectID]? {
            guard ids.contains(where: { new[$0] != nil }) else { return nil }
            var seen: Set<ManagedObjectID> = []
            return ids.map { new[$0] ?? $0 }.filter { seen.insert($0).inserted }
        }
        if let ids = committed.flatMap(renamed) { committed = ids }
        if let ids = current.flatMap({ renamed($0.ids) }) { current?.replace(with: ids) }
        if let ids = wished.flatMap(renamed) { wished = ids }
        if let ids = renamed(added.ids) { added.replace(with: ids) }
        if let ids = renamed(Array(removed)) { removed = Set(ids) }
    }
}
