import GraphModel
import SQLite

/// One end of a relationship: the property and the objects that have it.
package final class LinkEnd: Sendable {
    let property: String
    let table: String
    /// The number of the hierarchy's root entity.
    let root: Int64
    /// The number of the only entity in the table; `nil` if the table has several.
    let entityNumber: Int64?
    fileprivate let id: UInt64

    fileprivate init(_ property: String, of entity: StoreLayout.Entity) {
        self.property = property
        table = entity.table
        root = entity.rootNumber
        entityNumber =
            entity.sharesTable || entity.familyNumbers.count != 1 ? nil : entity.number
        var hash = KeyHash()
        hash.combine(UInt64(bitPattern: entity.rootNumber))
        for byte in property.utf8 { hash.combine(UInt64(byte)) }
        id = hash.value
    }
}

extension StoreLayout {
    /// Returns the end of a relationship at an entity; `nil` if the entity has no such property.
    func linkEnd(_ property: String?, of entityName: String) -> LinkEnd? {
        guard let property, let entity = entity(named: entityName), holds(entity),
            entity.toOnes[property] != nil || entity.toManys[property] != nil
        else { return nil }
        return LinkEnd(property, of: entity)
    }

    /// Returns the inverse end of a relationship; `nil` if it has no inverse.
    package func inverseEnd(of relationship: RelationshipDescription) -> LinkEnd? {
        linkEnd(relationship.inverseName, of: relationship.destinationEntityName)
    }
}

/// The objects whose links a save changes, except the objects whose own rows it writes.
///
/// A link changes both of its ends, but only one end stores it. For example, if a task moves to
/// another category, only the task's row is written, but three objects change: the task, the old
/// category, and the new one. The commit raises the version of each of them once and records which
/// relationship changed.
///
/// Each change adds a hash of the link to the object's sum by exclusive or. If a later record
/// undoes the change, the sum is zero again, and the object counts as unchanged.
struct LinkEnds {
    private var ends: [LinkEnd] = []
    /// The identifiers of the ends, so that a search retains none of them.
    private var ids: [UInt64] = []
    private var sums: [LinkSums] = []
    private var touches: UInt64

    init() { touches = 0 }

    /// Creates a separate collection of changes that may be discarded; `add(_:)` merges it.
    init(apartFrom other: LinkEnds) { touches = other.touches }

    /// Whether no object's links differ from their saved state.
    var isEmpty: Bool { sums.allSatisfy(\.isEmpty) }

    /// Records that an object gained or lost a link.
    ///
    /// - Parameter hash: The hash of the link, which is the same if the link is undone.
    mutating func note(_ end: LinkEnd, _ primaryKey: Int64, _ hash: UInt64) {
        sums[place(of: end)].add(hash, to: primaryKey)
    }

    /// Records that objects gained or lost links.
    ///
    /// - Parameter first: The first key of the objects that are new, which are left out.
    mutating func note(
        _ end: LinkEnd, _ links: some Sequence<(key: Int64, hash: UInt64)>, below first: Int64
    ) {
        let place = place(of: end)
        for (key, hash) in links where key < first { sums[place].add(hash, to: key) }
    }

    private mutating func place(of end: LinkEnd) -> Int {
        let id = end.id
        if let place = ids.firstIndex(of: id) { return place }
        ids.append(id)
        ends.append(end)
        sums.append(LinkSums())
        return ids.count - 1
    }

    /// Records a change of an object's links that cannot be undone.
    mutating func note(_ end: LinkEnd, _ primaryKey: Int64) {
        touches += 1
        note(end, primaryKey, Self.hash(Int64(bitPattern: ~touches)))
    }

    /// Adds changes that were collected separately.
    mutating func add(_ later: LinkEnds) {
        touches = later.touches
        for (end, sums) in zip(later.ends, later.sums) {
            sums.forEachSum { note(end, $0, $1) }
            for key in sums.spilled.joined() { note(end, key) }
        }
    }

    /// Returns the keys of the objects whose links differ, in ascending order, for each end.
    func changed() -> [(end: LinkEnd, keys: KeyRanges)] {
        zip(ends, sums).compactMap { end, sums in
            let keys = sums.changed()
            return keys.isEmpty ? nil : (end, keys)
        }
    }

    /// Returns the hash of a link to an object.
    static func hash(_ primaryKey: Int64) -> UInt64 {
        var hash = KeyHash()
        hash.combine(UInt64(bitPattern: primaryKey))
        return hash.value
    }
}

/// For each object of one end, the exclusive or of the hashes of its changed links; a hash table
/// with linear probing.
private struct LinkSums {
    /// Maximum number of keys with a sum; the table then takes 2 MiB.
    ///
    /// Beyond that, changed keys are stored as ranges, and a later record can no longer undo their
    /// changes.
    private static let keysMax = 1 << 16

    private var keys: [Int64] = []
    private var sums: [UInt64] = []
    private var count = 0
    private var shift = UInt64.bitWidth
    private var kept = KeyRanges()

    /// The keys of changed objects beyond `keysMax`, which have no sum.
    var spilled: KeyRanges { kept }

    var isEmpty: Bool { kept.isEmpty && sums.allSatisfy { $0 == 0 } }

    mutating func add(_ hash: UInt64, to key: Int64) {
        // Zero marks an empty slot, and no row has this key.
        guard key != 0 else { return }
        if (count + 1) * 2 > keys.count { makeSpace() }
        var place = self.place(of: key)
        while keys[place] != key {
            if keys[place] == 0 {
                keys[place] = key
                count += 1
                break
            }
            place = (place + 1) & (keys.count - 1)
        }
        sums[place] ^= hash
    }

    private func place(of key: Int64) -> Int {
        Int(
            truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(shift))
    }

    func forEachSum(_ body: (Int64, UInt64) -> Void) {
        for (key, sum) in zip(keys, sums) where sum != 0 { body(key, sum) }
    }

    func changed() -> KeyRanges {
        var all = kept
        all.formUnion(keysWithSum())
        return all
    }

    private func keysWithSum() -> KeyRanges {
        var changed: [Int64] = []
        forEachSum { key, _ in changed.append(key) }
        changed.sort()
        return KeyRanges(rising: changed)
    }

    private mutating func makeSpace() {
        let (oldKeys, oldSums) = (keys, sums)
        if count >= Self.keysMax {
            kept.formUnion(keysWithSum())
            empty(capacity: keys.count)
            return
        }
        empty(capacity: max(8, keys.count * 2))
        for (key, sum) in zip(oldKeys, oldSums) where sum != 0 { add(sum, to: key) }
    }

    private mutating func empty(capacity: Int) {
        keys = Array(repeating: 0, count: capacity)
        sums = Array(repeating: 0, count: capacity)
        count = 0
        shift = UInt64.bitWidth - capacity.trailingZeroBitCount
    }
}
