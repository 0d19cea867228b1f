import GraphModel

/// The objects of a context by ID, mostly as weak references.
///
/// The registry belongs to the region of its context. But an object may be freed on another thread:
/// a caller that sends a context away may release its objects a moment after the receiver has
/// started. So an entry is a weak reference, which returns either `nil` or an object that stays
/// alive.
///
/// The first weak reference to an object allocates memory and makes later uses of the object
/// slower. Objects that the context keeps alive anyway, because they have changes or take part in a
/// save, get a strong reference until `release()`. Most of them are freed then, without ever having
/// a weak reference.
///
/// Entries of freed objects stay until the table is full or `objects` is read. Freeing an object
/// does not touch the table.
///
/// The table uses open addressing with linear probing. Keys are dense in most stores, so 16
/// consecutive keys have adjacent positions, and their blocks are scattered.
final class ObjectRegistry {
    private struct Entry {
        /// The ID; a free position has the entity number 0, which no entity has.
        var id = ManagedObjectID(entityNumber: 0, primaryKey: 0)
        weak var reference: ManagedObject?
        /// A strong reference to the object until `release()`.
        var held: ManagedObject?

        var object: ManagedObject? { held ?? reference }
        var isFree: Bool { id.entityNumber == 0 }

        /// Drops the strong reference and, if the object stays alive, refers to it weakly.
        mutating func release() {
            guard held != nil else { return }
            if !isKnownUniquelyReferenced(&held) { reference = held }
            held = nil
        }
    }

    private static let smallest = 64
    private var entries = ContiguousArray(repeating: Entry(), count: smallest)
    /// The number of positions in use.
    private var count = 0
    /// The IDs of entries that may hold strong references.
    private var heldIDs: [ManagedObjectID] = []
    /// Whether every added object is held strongly.
    private var holdsAll = false

    /// Returns the object with an ID if it is in memory.
    func object(for id: ManagedObjectID) -> ManagedObject? {
        entries[position(of: id)].object
    }

    /// All objects in memory.
    ///
    /// - Complexity: O(*n*) in the largest number of objects that were in memory at once.
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

    /// Adds an object under its ID, replacing another object with that ID.
    ///
    /// - Parameter isHeld: whether to keep the object alive until `release()`.
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

    /// Keeps every object that is added from now on alive until `release()`.
    func holdAll() { holdsAll = true }

    /// Drops all strong references.
    ///
    /// - Complexity: O(*n*) in the objects held since the last call.
    func release() {
        holdsAll = false
        for id in heldIDs { entries[position(of: id)].release() }
        heldIDs.removeAll()
    }

    /// Removes an object, unless its ID refers to another one.
    func remove(_ object: ManagedObject) {
        var free = position(of: object.objectID)
        guard entries[free].object === object else { return }
        // Move entries up that a search would not find after the free position.
        let mask = entries.count - 1
        var next = (free + 1) & mask
        while !entries[next].isFree {
            // Whether the free position is between the home and the position of an entry.
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

    /// The number of positions.
    var capacity: Int { entries.count }

    /// Returns the position where a search for an ID begins; the table size is a power of two.
    private func home(_ id: ManagedObjectID) -> Int {
        let key = UInt64(bitPattern: id.primaryKey)
        let block = (key >> 4) ^ UInt64(bitPattern: id.entityNumber) << 40
        let scattered = (block &* 0x9E37_79B9_7F4A_7C15) >> 28
        return Int(truncatingIfNeeded: scattered << 4 | key & 15) & (entries.count - 1)
    }

    /// Returns the position of an ID, or the free position where it belongs.
    private func position(of id: ManagedObjectID) -> Int {
        let mask = entries.count - 1
        var position = home(id)
        while !entries[position].isFree, entries[position].id != id {
            position = (position + 1) & mask
        }
        return position
    }

    /// Drops the entries of freed objects, and leaves space for as many objects again.
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
