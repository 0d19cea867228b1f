import CSwiftRuntime
import GraphModel
import Synchronization

/// The objects of a context by their IDs, none of which it keeps alive.
///
/// An entry is an object's bare address. A weak reference would give each object a side table,
/// through which all its reference counting goes from then on; here the object itself takes its
/// entry out, in `deinit`. Two things make that safe:
///
/// - **An entry never outlives its object.** `deinit` takes it out before the memory goes, by the
///   ID under which it was put in: `ManagedObject.objectID` takes it out before it changes.
/// - **An object that is going is not brought back.** Contexts stay on one thread at a time, but
///   whoever sends one away may let go of an object a moment later than the other begins. So both
///   the search and the removal hold a lock, and the search retains by the runtime's
///   `swift_tryRetain`, which refuses an object whose `deinit` has begun, as the loading of a weak
///   reference does.
///
/// The table is open addressing with linear probing. Keys are dense in most stores, so sixteen
/// keys in a row have neighbouring places, and their blocks are scattered.
final class ObjectRegistry: Sendable {
    private struct Entry {
        var id = ManagedObjectID(entityNumber: 0, primaryKey: 0)
        /// 0 in a free place.
        var address: UInt = 0
    }

    private struct Table {
        static let smallest = 64
        var entries = ContiguousArray(repeating: Entry(), count: smallest)
        var count = 0

        /// The place where a search for an ID begins; the number of places is a power of two.
        private func home(_ id: ManagedObjectID) -> Int {
            let key = UInt64(bitPattern: id.primaryKey)
            let block = (key >> 4) ^ UInt64(bitPattern: id.entityNumber) << 40
            let scattered = (block &* 0x9E37_79B9_7F4A_7C15) >> 28
            return Int(truncatingIfNeeded: scattered << 4 | key & 15) & (entries.count - 1)
        }

        /// The place of an ID, or the free one where it would be.
        func place(of id: ManagedObjectID) -> Int {
            let mask = entries.count - 1
            var place = home(id)
            while entries[place].address != 0, entries[place].id != id {
                place = (place + 1) & mask
            }
            return place
        }

        mutating func set(_ id: ManagedObjectID, _ address: UInt) {
            if count * 8 >= entries.count * 5 { resize(entries.count * 2) }
            let place = place(of: id)
            if entries[place].address == 0 { count += 1 }
            entries[place] = Entry(id: id, address: address)
        }

        /// Takes an entry out and moves those up that stand behind it for want of its place.
        mutating func remove(_ id: ManagedObjectID, _ address: UInt) {
            var free = place(of: id)
            guard entries[free].address == address else { return }
            let mask = entries.count - 1
            var next = (free + 1) & mask
            while entries[next].address != 0 {
                // Whether the free place lies between the entry's home and where it stands.
                if (next &- home(entries[next].id)) & mask >= (next &- free) & mask {
                    entries[free] = entries[next]
                    free = next
                }
                next = (next + 1) & mask
            }
            entries[free] = Entry()
            count -= 1
            if entries.count > Self.smallest, count * 16 < entries.count {
                resize(entries.count / 4)
            }
        }

        private mutating func resize(_ size: Int) {
            let old = entries
            entries = ContiguousArray(repeating: Entry(), count: max(size, Self.smallest))
            for entry in old where entry.address != 0 { entries[place(of: entry.id)] = entry }
        }
    }

    private let table = Mutex(Table())

    /// The object with that ID, if somebody holds one.
    func object(for id: ManagedObjectID) -> ManagedObject? {
        let address = table.withLock { table -> UInt in
            let address = table.entries[table.place(of: id)].address
            return Self.retain(address) ? address : 0
        }
        return Self.retained(address)
    }

    /// Every object that somebody holds.
    var objects: [ManagedObject] {
        let addresses = table.withLock { table in
            var held: [UInt] = []
            held.reserveCapacity(table.count)
            for entry in table.entries where Self.retain(entry.address) {
                held.append(entry.address)
            }
            return held
        }
        return addresses.compactMap(Self.retained)
    }

    /// Makes an ID lead to an object.
    func set(_ object: ManagedObject) {
        let (id, address) = (object.objectID, Self.address(of: object))
        table.withLock { $0.set(id, address) }
    }

    /// Takes an object out, unless its ID leads to another.
    func remove(_ object: ManagedObject) {
        let (id, address) = (object.objectID, Self.address(of: object))
        table.withLock { $0.remove(id, address) }
    }

    func removeAll() {
        table.withLock { $0 = Table() }
    }

    // MARK: Addresses

    private static func address(of object: ManagedObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    private static func retain(_ address: UInt) -> Bool {
        UnsafeMutableRawPointer(bitPattern: address).map { etl_try_retain($0) != nil } ?? false
    }

    private static func retained(_ address: UInt) -> ManagedObject? {
        UnsafeRawPointer(bitPattern: address).map {
            Unmanaged<ManagedObject>.fromOpaque($0).takeRetainedValue()
        }
    }
}
