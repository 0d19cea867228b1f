import GraphModel

/// The objects of a context by their IDs, which it keeps alive only for a while.
///
/// The registry belongs to the region of its context, like everything about objects. But an object
/// may be freed on another thread: a caller that sends a context away may release its objects a
/// moment after the receiver has started. So an entry is a weak reference, which gives either nil or
/// an object that stays.
///
/// The first weak reference to an object allocates memory and makes later uses of the object slower.
/// Objects that the context keeps alive anyway, because they have changes or take part in a save,
/// get a strong reference until `release()`. Most of them are freed then, and never had a weak one.
///
/// Entries of freed objects stay until the table has no room or `objects` is read, and are dropped
/// then. An object has nothing to do with it when it is freed.
///
/// The table uses open addressing with linear probing. Keys are dense in most stores, so sixteen
/// keys in a row have adjacent positions, and their blocks are scattered.
final class ObjectRegistry {
    private struct Entry {
        /// The entity number is 0 in a free position; no entity has it.
        var id = ManagedObjectID(entityNumber: 0, primaryKey: 0)
        weak var reference: ManagedObject?
        /// The object, until `release()`.
        var held: ManagedObject?

        var object: ManagedObject? { held ?? reference }
        var isFree: Bool { id.entityNumber == 0 }

        /// Frees the object if nothing else holds it; otherwise refers to it weakly.
        mutating func release() {
            guard held != nil else { return }
            if !isKnownUniquelyReferenced(&held) { reference = held }
            held = nil
        }
    }

    private static let smallest = 64
    private var entries = ContiguousArray(repeating: Entry(), count: smallest)
    /// Positions that are not free.
    private var count = 0
    /// The IDs whose entries may hold their objects.
    private var heldIDs: [ManagedObjectID] = []
    /// Whether every object that is entered is held.
    private var holdsAll = false

    /// The object with that ID, if it is in memory.
    func object(for id: ManagedObjectID) -> ManagedObject? {
        entries[position(of: id)].object
    }

    /// Every object in memory.
    ///
    /// - Complexity: O(*n*) in the objects that were in memory at one time.
    var objects: [ManagedObject] {
        var found: [ManagedObject] = []
        for entry in entries where !entry.isFree {
            if let object = entry.object { found.append(object) }
        }
        if entries.count > Self.smallest, found.count * 16 < entries.count {
            rebuild(for: found.count)
        }
        return found
    }

    /// Makes the ID of an object lead to it.
    ///
    /// - Parameter isHeld: whether it keeps the object alive until `release()`.
    func set(_ object: ManagedObject, isHeld: Bool = false) {
        if count * 8 >= entries.count * 5 {
            rebuild(for: entries.count { $0.object != nil })
        }
        let position = position(of: object.objectID)
        if entries[position].isFree {
            count += 1
            entries[position].id = object.objectID
        }
        if isHeld || holdsAll {
            entries[position].reference = nil
            entries[position].held = object
            heldIDs.append(object.objectID)
        } else {
            entries[position].held = nil
            entries[position].reference = object
        }
    }

    /// Keeps every object alive that is entered from now on, until `release()`.
    func holdAll() { holdsAll = true }

    /// Keeps no object alive any more.
    ///
    /// - Complexity: O(*n*) in the objects entered as held since the last call.
    func release() {
        holdsAll = false
        for id in heldIDs { entries[position(of: id)].release() }
        heldIDs.removeAll()
    }

    /// Removes an object, unless its ID leads to another one.
    func remove(_ object: ManagedObject) {
        var free = position(of: object.objectID)
        guard entries[free].object === object else { return }
        // Moves up those entries that would not be found any more behind a free position.
        let mask = entries.count - 1
        var next = (free + 1) & mask
        while !entries[next].isFree {
            // Whether the free position is between an entry's first position and its own.
            if (next &- home(entries[next].id)) & mask >= (next &- free) & mask {
                entries.swapAt(free, next)
                free = next
            }
            next = (next + 1) & mask
        }
        entries[free] = Entry()
        count -= 1
    }

    func removeAll() {
        entries = ContiguousArray(repeating: Entry(), count: Self.smallest)
        count = 0
        heldIDs.removeAll()
    }

    // MARK: The table

    /// Positions in all.
    var capacity: Int { entries.count }

    /// The position where a search for an ID begins; the number of positions is a power of two.
    private func home(_ id: ManagedObjectID) -> Int {
        let key = UInt64(bitPattern: id.primaryKey)
        let block = (key >> 4) ^ UInt64(bitPattern: id.entityNumber) << 40
        let scattered = (block &* 0x9E37_79B9_7F4A_7C15) >> 28
        return Int(truncatingIfNeeded: scattered << 4 | key & 15) & (entries.count - 1)
    }

    /// The position of an ID, or the free one where it would be.
    private func position(of id: ManagedObjectID) -> Int {
        let mask = entries.count - 1
        var position = home(id)
        while !entries[position].isFree, entries[position].id != id {
            position = (position + 1) & mask
        }
        return position
    }

    /// Drops the entries of freed objects, and leaves room for as many objects again.
    private func rebuild(for living: Int) {
        var size = Self.smallest
        while size * 5 < living * 16 { size *= 2 }
        var old = ContiguousArray(repeating: Entry(), count: size)
        swap(&old, &entries)
        count = 0
        for position in old.indices where old[position].object != nil {
            swap(&entries[self.position(of: old[position].id)], &old[position])
            count += 1
        }
    }
}
