import GraphModel

/// An object whose row others deleted and the save makes again, and where it led before.
struct RemadeRow {
    let object: ManagedObject
    let links: [ManagedObjectID?]
    let lists: [[ManagedObjectID]]

    init(_ object: ManagedObject) {
        object.prepareLists()
        self.object = object
        links = object.links
        lists = object.lists.map { $0.current?.ids ?? $0.added.ids }
    }
}

extension MergePolicy.Resolution {
    /// Whether the object counts more than the deletion of its row.
    var makesRowsAgain: Bool { self == .objectTrump || self == .overwrite }
}

/// What happens to relationships in a conflict.
extension ConflictResolver {
    /// The row is made again, whole: the store has none of its links any more.
    func makeAgain(_ object: ManagedObject) {
        for slot in object.lists.indices {
            if object.lists[slot].isFault {
                object.lists[slot].load([], isOrdered: object.layout.toManys[slot].isOrdered)
            }
            object.lists[slot].committed = []
        }
        object.isStored = false
        object.committed = nil
        object.pending = .inserted
    }

    /// Links a row that is made again with the objects that it led to, if they are still there and
    /// do not lead to another object by now.
    func link(_ row: RemadeRow) throws(StoreError) {
        let object = row.object
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard let id = row.links[slot] else { continue }
            let isLinked =
                switch toOne.inverse {
                case .toOne(let inverse): try link(id, inverse, to: object)
                case .none, .toMany: try isThere(id)
                }
            object.links[slot] = isLinked ? id : nil
        }
        for (slot, toMany) in object.layout.toManys.enumerated() {
            for id in row.lists[slot] {
                let isLinked =
                    switch toMany.inverse {
                    case .toOne(let inverse): try link(id, inverse, to: object)
                    case .none, .toMany: try isThere(id)
                    }
                if !isLinked {
                    _ = object.lists[slot].remove(id)
                } else if case .toOne = toMany.inverse {
                    // The conflict of the other object may have taken it out.
                    _ = object.lists[slot].insert(id)
                }
            }
        }
    }

    /// Whether an object can be linked with: a new one, or one that has a row.
    private func isThere(_ id: ManagedObjectID) throws(StoreError) -> Bool {
        if let other = context.registeredObject(for: id), !other.isStored { return !other.isGone }
        return try finder.storedRow(id) != nil
    }

    /// Makes a to-one of an object in another row lead to a row that is made again.
    ///
    /// - Returns: whether it does; not if the object is gone, or leads to another one.
    private func link(
        _ id: ManagedObjectID, _ slot: Int, to object: ManagedObject
    ) throws(StoreError) -> Bool {
        let other = context.object(with: id)
        if other.isStored {
            guard let row = try finder.storedRow(id) else { return false }
            try context.takeStored(row, into: other)
        }
        guard other.pending != .deleted, !other.isGone, other.links[slot] == nil else {
            return other.links[slot] == object.objectID
        }
        context.willChange(other, bit: other.layout.bit(toOne: slot))
        other.links[slot] = object.objectID
        return true
    }

    /// Takes in the rows at the other ends of one-to-one relationships that others changed.
    func takePartners(
        of object: ManagedObject, _ base: [ManagedObjectID?], _ stored: [ManagedObjectID?]
    ) throws(StoreError) {
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard case .toOne = toOne.inverse, base[slot] != stored[slot], let id = stored[slot],
                let row = try finder.storedRow(id)
            else { continue }
            let partner = context.object(with: id)
            if partner.isStored { try context.takeStored(row, into: partner) }
        }
    }

    /// The object here leads elsewhere than its row: what the row leads to must not lead back.
    func leavePartner(
        of object: ManagedObject, _ slot: Int, _ stored: ManagedObjectID?
    ) throws(StoreError) {
        guard case .toOne(let inverse) = object.layout.toOnes[slot].inverse, let stored,
            object.links[slot] != stored
        else { return }
        let partner = context.object(with: stored)
        guard partner.presence == .realized, partner.pending != .deleted,
            partner.links[inverse] == object.objectID
        else { return }
        context.willChange(partner, bit: partner.layout.bit(toOne: inverse))
        partner.links[inverse] = nil
    }
}
