import GraphModel

/// The objects of a to-many, each once: an order, and a quick answer to whether one is there.
struct LinkList {
    /// From this size on positions are kept, so that no search walks a long list.
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
            positions = Dictionary(
                ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }
        return positions?[id]
    }

    mutating func contains(_ id: ManagedObjectID) -> Bool { position(of: id) != nil }

    /// Adds an object at the end, unless it is there.
    @discardableResult
    mutating func append(_ id: ManagedObjectID) -> Bool {
        guard !contains(id) else { return false }
        positions?[id] = ids.count
        ids.append(id)
        return true
    }

    /// Takes an object out; where there is no order, the last one takes its place.
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

    /// Puts the objects into another order, or other objects in their place.
    mutating func replace(with ids: [ManagedObjectID]) {
        self.ids = ids
        positions = nil
    }
}

/// A to-many relationship of one object: a fault of its own, with what was changed meanwhile.
struct ToManyState {
    /// As saved; nil while it is a fault.
    var committed: [ManagedObjectID]?
    /// As it is now; nil while it is a fault.
    var current: LinkList?
    /// What was added while it was a fault.
    private(set) var added = LinkList([], isOrdered: true)
    /// What was taken out while it was a fault.
    var removed: Set<ManagedObjectID> = []
    /// The order that was given to an ordered one before it became a fault again.
    var wished: [ManagedObjectID]?

    var isFault: Bool { current == nil }

    /// A list that is known to be empty in the store.
    static func empty(isOrdered: Bool) -> ToManyState {
        ToManyState(committed: [], current: LinkList([], isOrdered: isOrdered))
    }

    /// Puts the saved objects in, under what was changed.
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
        committed = saved
        current = list
        added = LinkList([], isOrdered: true)
        removed = []
        wished = nil
    }

    /// Adds an object; true where it was not known to be there.
    mutating func insert(_ id: ManagedObjectID) -> Bool {
        if current != nil { return current?.append(id) ?? false }
        // What was taken out before stays among the removed: it comes back at the end.
        return added.append(id)
    }

    /// Takes an object out; false where it is known not to be there.
    mutating func remove(_ id: ManagedObjectID) -> Bool {
        if current != nil { return current?.remove(id) ?? false }
        added.remove(id)
        return removed.insert(id).inserted
    }

    /// What a save must add and take out.
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

    /// Whether what is there, or its order where that matters, is not what is saved.
    func isChanged(isOrdered: Bool) -> Bool {
        guard let current, let committed else {
            return added.count > 0 || !removed.isEmpty || wished != nil
        }
        if current.ids == committed { return false }
        return isOrdered || Set(current.ids) != Set(committed)
    }

    /// After a save: what is there now is what is saved.
    mutating func commit() {
        if let current { committed = current.ids }
        added = LinkList([], isOrdered: true)
        removed = []
        wished = nil
    }

    /// Back to what is saved.
    mutating func revert(isOrdered: Bool) {
        if let committed { current = LinkList(committed, isOrdered: isOrdered) }
        added = LinkList([], isOrdered: true)
        removed = []
        wished = nil
    }

    /// Becomes a fault again, keeping what was changed.
    mutating func turnIntoFault(isOrdered: Bool) {
        guard let current else { return }
        if isOrdered, isChanged(isOrdered: true) { wished = current.ids }
        let difference = self.difference
        added = LinkList(difference.added, isOrdered: true)
        removed = Set(difference.removed)
        committed = nil
        self.current = nil
    }

    /// Another save has put an object in.
    mutating func rebase(inserting id: ManagedObjectID) {
        guard let committed else {
            added.remove(id)
            return
        }
        if !committed.contains(id) { self.committed?.append(id) }
    }

    /// Another save has taken an object out.
    mutating func rebase(removing id: ManagedObjectID) {
        committed?.removeAll { $0 == id }
        removed.remove(id)
    }

    /// Replaces IDs that objects no longer have, wherever they are.
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
