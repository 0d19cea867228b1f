public import GraphModel

/// A set of object IDs, stored as ranges of keys, so a bulk insert of a million takes one range.
public struct ManagedObjectIDSet: Sendable, Hashable {
    /// Disjoint ranges of keys in ascending order, by entity number.
    public private(set) var ranges: [Int64: [ClosedRange<Int64>]] = [:]

    /// An empty set.
    public init() {}

    /// The number of objects.
    public var count: Int {
        ranges.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Returns the number of objects of an entity, without its sub-entities.
    public func count(entityNumber: Int64) -> Int {
        ranges[entityNumber, default: []].reduce(0) { $0 + $1.count }
    }

    /// Returns whether the set contains an object.
    public func contains(_ id: ManagedObjectID) -> Bool {
        guard let list = ranges[id.entityNumber] else { return false }
        let position = list.partitioningIndex { $0.upperBound >= id.primaryKey }
        return position < list.count && list[position].contains(id.primaryKey)
    }

    /// Adds an object; fastest in ascending order of keys.
    public mutating func insert(_ id: ManagedObjectID) {
        let key = id.primaryKey
        ranges[id.entityNumber, default: []].insertKey(key)
    }

    /// Adds objects of an entity with consecutive keys.
    mutating func insert(keys: ClosedRange<Int64>, entityNumber: Int64) {
        ranges[entityNumber, default: []].insertKeys(keys)
    }

    /// Adds objects of an entity, whose keys are in ascending order.
    mutating func insert(risingKeys keys: [Int64], entityNumber: Int64) {
        guard !keys.isEmpty else { return }
        var list: [ClosedRange<Int64>] = []
        for key in keys { list.insertKey(key) }
        ranges[entityNumber, default: []].formUnion(list)
    }

    /// Adds all objects of another set, in time linear in the ranges of both.
    mutating func formUnion(_ other: ManagedObjectIDSet) {
        for (number, list) in other.ranges { ranges[number, default: []].formUnion(list) }
    }

    /// Removes all objects of another set, in time linear in the ranges of both.
    mutating func subtract(_ other: ManagedObjectIDSet) {
        for (number, list) in other.ranges {
            ranges[number]?.subtract(list)
            if ranges[number]?.isEmpty == true { ranges[number] = nil }
        }
    }

    /// Removes an object.
    public mutating func remove(_ id: ManagedObjectID) {
        ranges[id.entityNumber]?.removeKey(id.primaryKey)
        if ranges[id.entityNumber]?.isEmpty == true { ranges[id.entityNumber] = nil }
    }

    /// All objects, sorted by entity and key.
    public var ids: [ManagedObjectID] {
        ranges.sorted { $0.key < $1.key }.flatMap { number, list in
            list.flatMap { range in
                range.map { ManagedObjectID(entityNumber: number, primaryKey: $0) }
            }
        }
    }
}

extension [ClosedRange<Int64>] {
    fileprivate mutating func insertKey(_ key: Int64) {
        if let last = indices.last, self[last].upperBound < key {
            if self[last].upperBound == key - 1 {
                self[last] = self[last].lowerBound...key
            } else {
                append(key...key)
            }
            return
        }
        let position = partitioningIndex { $0.upperBound >= key }
        guard position < count else { return append(key...key) }
        guard !self[position].contains(key) else { return }
        let joinsLeft = position > 0 && self[position - 1].upperBound == key - 1
        let joinsRight = self[position].lowerBound == key + 1
        switch (joinsLeft, joinsRight) {
        case (true, true):
            self[position - 1] = self[position - 1].lowerBound...self[position].upperBound
            remove(at: position)
        case (true, false):
            self[position - 1] = self[position - 1].lowerBound...key
        case (false, true):
            self[position] = key...self[position].upperBound
        case (false, false):
            insert(key...key, at: position)
        }
    }

    fileprivate mutating func insertKeys(_ keys: ClosedRange<Int64>) {
        guard let last = indices.last else { return append(keys) }
        guard self[last].upperBound < keys.lowerBound else {
            // Merge the ranges that overlap or touch the new one.
            let first = partitioningIndex { $0.reaches(keys) }
            let end = partitioningIndex { $0.lowerBound > keys.upperBound && !keys.reaches($0) }
            guard first < end else { return insert(keys, at: first) }
            let lower = Swift.min(self[first].lowerBound, keys.lowerBound)
            let upper = Swift.max(self[end - 1].upperBound, keys.upperBound)
            return replaceSubrange(first..<end, with: CollectionOfOne(lower...upper))
        }
        if self[last].upperBound == keys.lowerBound - 1 {
            self[last] = self[last].lowerBound...keys.upperBound
        } else {
            append(keys)
        }
    }

    /// Adds ranges that are disjoint and ascending, like the ranges of `self`.
    fileprivate mutating func formUnion(_ other: Self) {
        guard !isEmpty, let lowest = other.first else {
            if isEmpty { self = other }
            return
        }
        guard other.count > Self.putInMax else {
            for keys in other { insertKeys(keys) }
            return
        }
        // Ranges below all new ones stay; merge the rest of both lists in one pass.
        let start = partitioningIndex { $0.reaches(lowest) }
        var merged: Self = []
        merged.reserveCapacity(Swift.max(count - start, other.count))
        var (left, right) = (start, 0)
        while left < count || right < other.count {
            let takesLeft =
                right == other.count
                || left < count && self[left].lowerBound <= other[right].lowerBound
            let next = takesLeft ? self[left] : other[right]
            if takesLeft { left += 1 } else { right += 1 }
            if let last = merged.last, last.reaches(next) {
                merged[merged.count - 1] =
                    last.lowerBound...Swift.max(last.upperBound, next.upperBound)
            } else {
                merged.append(next)
            }
        }
        replaceSubrange(start..., with: merged)
    }

    /// Up to this many ranges are inserted one by one; each may move all ranges after it.
    private static var putInMax: Int { 4 }

    /// Removes ranges that are disjoint and ascending, like the ranges of `self`.
    fileprivate mutating func subtract(_ other: Self) {
        guard let lowest = other.first, let highest = other.last else { return }
        let start = partitioningIndex { $0.upperBound >= lowest.lowerBound }
        let end = partitioningIndex { $0.lowerBound > highest.upperBound }
        guard start < end else { return }
        var rest: Self = []
        let lower = self[start].lowerBound
        var place = other.partitioningIndex { $0.upperBound >= lower }
        for range in self[start..<end] {
            var lower = range.lowerBound
            while place < other.count, other[place].upperBound < lower { place += 1 }
            var isUsedUp = false
            while !isUsedUp, place < other.count, other[place].lowerBound <= range.upperBound {
                let gone = other[place]
                if lower < gone.lowerBound { rest.append(lower...(gone.lowerBound - 1)) }
                // A removed range that reaches the end of this one may also overlap the next.
                isUsedUp = gone.upperBound >= range.upperBound
                if !isUsedUp {
                    lower = gone.upperBound + 1
                    place += 1
                }
            }
            if !isUsedUp { rest.append(lower...range.upperBound) }
        }
        replaceSubrange(start..<end, with: rest)
    }

    fileprivate mutating func removeKey(_ key: Int64) {
        let position = partitioningIndex { $0.upperBound >= key }
        guard position < count, self[position].contains(key) else { return }
        let range = self[position]
        var rest: [ClosedRange<Int64>] = []
        if range.lowerBound < key { rest.append(range.lowerBound...(key - 1)) }
        if range.upperBound > key { rest.append((key + 1)...range.upperBound) }
        replaceSubrange(position...position, with: rest)
    }

    /// Returns the first index whose element meets the condition, as do all elements after it.
    fileprivate func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ClosedRange<Int64> {
    /// Returns whether the range ends at or after the key before the other range.
    fileprivate func reaches(_ other: Self) -> Bool {
        upperBound >= other.lowerBound || upperBound + 1 == other.lowerBound
    }
}
