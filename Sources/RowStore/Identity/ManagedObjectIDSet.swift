public import GraphModel

/// A set of object IDs, stored as ranges of keys, so a bulk insert of a million takes one range.
public struct ManagedObjectIDSet: Sendable, Hashable {
    /// The keys by entity number; no entity has an empty set.
    private var keys: [Int64: KeyRanges] = [:]

    /// An empty set.
    public init() {}

    /// Disjoint ranges of keys in ascending order, by entity number.
    ///
    /// - Complexity: O(*n*), where *n* is the number of ranges.
    public var ranges: [Int64: [ClosedRange<Int64>]] { keys.mapValues { Array($0) } }

    /// The numbers of the objects' entities, in ascending order.
    package var entityNumbers: [Int64] { keys.keys.sorted() }

    /// Returns the keys of an entity's objects.
    func keys(entityNumber: Int64) -> KeyRanges { keys[entityNumber] ?? KeyRanges() }

    /// The number of objects.
    public var count: Int { keys.values.reduce(0) { $0 + $1.count } }

    /// Whether the set is empty.
    public var isEmpty: Bool { keys.isEmpty }

    /// Returns the number of objects of an entity, without its sub-entities.
    public func count(entityNumber: Int64) -> Int { keys[entityNumber]?.count ?? 0 }

    /// Returns the number of objects of an entity, without its sub-entities, whose keys are larger
    /// than a key.
    ///
    /// - Complexity: O(*n*), where *n* is the number of ranges.
    package func count(entityNumber: Int64, above key: Int64) -> Int {
        keys(entityNumber: entityNumber).reduce(0) { count, range in
            guard range.upperBound > key else { return count }
            return count + (Swift.max(range.lowerBound, key + 1)...range.upperBound).count
        }
    }

    /// Returns whether the set contains an object.
    public func contains(_ id: ManagedObjectID) -> Bool {
        keys[id.entityNumber]?.contains(id.primaryKey) ?? false
    }

    /// Adds an object; fastest in ascending order of keys.
    public mutating func insert(_ id: ManagedObjectID) {
        insert(keys: id.primaryKey...id.primaryKey, entityNumber: id.entityNumber)
    }

    /// Adds objects of an entity with consecutive keys.
    package mutating func insert(keys range: ClosedRange<Int64>, entityNumber: Int64) {
        keys[entityNumber, default: KeyRanges()].insert(range)
    }

    /// Adds objects of an entity, whose keys are in ascending order.
    mutating func insert(risingKeys rising: [Int64], entityNumber: Int64) {
        guard !rising.isEmpty else { return }
        keys[entityNumber, default: KeyRanges()].formUnion(KeyRanges(rising: rising))
    }

    /// Adds all objects of another set, in time linear in the ranges of both, or less if one of
    /// them has few.
    mutating func formUnion(_ other: ManagedObjectIDSet) {
        for (number, list) in other.keys { keys[number, default: KeyRanges()].formUnion(list) }
    }

    /// Removes all objects of another set, in time linear in the ranges of this one, or less if the
    /// other has few.
    mutating func subtract(_ other: ManagedObjectIDSet) {
        for (number, list) in other.keys {
            keys[number]?.subtract(list)
            if keys[number]?.isEmpty == true { keys[number] = nil }
        }
    }

    /// Removes an object.
    public mutating func remove(_ id: ManagedObjectID) {
        keys[id.entityNumber]?.remove(id.primaryKey...id.primaryKey)
        if keys[id.entityNumber]?.isEmpty == true { keys[id.entityNumber] = nil }
    }

    /// All objects, sorted by entity and key.
    public var ids: [ManagedObjectID] {
        entityNumbers.flatMap { number in
            keys(entityNumber: number).flatMap { range in
                range.map { ManagedObjectID(entityNumber: number, primaryKey: $0) }
            }
        }
    }
}

extension ManagedObjectIDSet: CustomStringConvertible {
    private static let rangesShown = 20

    /// The first 20 ranges of keys, each after the number of its entity: `{1/p1, 3/p4…p9}`.
    public var description: String {
        var shown: [String] = []
        for number in entityNumbers {
            for range in keys(entityNumber: number) {
                guard shown.count < Self.rangesShown else {
                    return "{" + shown.joined(separator: ", ") + ", …}"
                }
                let isOne = range.lowerBound == range.upperBound
                let end = isOne ? "" : "…p\(range.upperBound)"
                shown.append("\(number)/p\(range.lowerBound)\(end)")
            }
        }
        return "{" + shown.joined(separator: ", ") + "}"
    }
}
