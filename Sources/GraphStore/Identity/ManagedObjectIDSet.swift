public import GraphModel

/// A set of object IDs, kept as ranges of keys, so that a bulk insert of a million costs a line.
public struct ManagedObjectIDSet: Sendable, Hashable {
    /// For each entity number, disjoint ranges of keys in rising order.
    public private(set) var ranges: [Int64: [ClosedRange<Int64>]] = [:]

    /// An empty set.
    public init() {}

    /// How many objects.
    public var count: Int {
        ranges.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    }

    /// Whether there is none.
    public var isEmpty: Bool { ranges.isEmpty }

    /// How many objects of that entity alone.
    public func count(entityNumber: Int64) -> Int {
        ranges[entityNumber, default: []].reduce(0) { $0 + $1.count }
    }

    /// Whether the set holds the object.
    public func contains(_ id: ManagedObjectID) -> Bool {
        guard let list = ranges[id.entityNumber] else { return false }
        let position = list.partitioningIndex { $0.upperBound >= id.primaryKey }
        return position < list.count && list[position].contains(id.primaryKey)
    }

    /// Adds an object; cheapest in rising order of keys.
    public mutating func insert(_ id: ManagedObjectID) {
        let key = id.primaryKey
        ranges[id.entityNumber, default: []].insertKey(key)
    }

    /// Adds objects of an entity whose keys follow one another.
    mutating func insert(keys: ClosedRange<Int64>, entityNumber: Int64) {
        ranges[entityNumber, default: []].insertKeys(keys)
    }

    /// Adds objects of an entity, whose keys stand in rising order.
    mutating func insert(risingKeys keys: [Int64], entityNumber: Int64) {
        guard !keys.isEmpty else { return }
        var list: [ClosedRange<Int64>] = []
        for key in keys { list.insertKey(key) }
        ranges[entityNumber, default: []].formUnion(list)
    }

    /// Adds all objects of another set, in a time that grows with the ranges of both.
    mutating func formUnion(_ other: ManagedObjectIDSet) {
        for (number, list) in other.ranges { ranges[number, default: []].formUnion(list) }
    }

    /// Takes out all objects of another set, in a time that grows with the ranges of both.
    mutating func subtract(_ other: ManagedObjectIDSet) {
        for (number, list) in other.ranges {
            ranges[number]?.subtract(list)
            if ranges[number]?.isEmpty == true { ranges[number] = nil }
        }
    }

    /// Takes an object out.
    public mutating func remove(_ id: ManagedObjectID) {
        ranges[id.entityNumber]?.removeKey(id.primaryKey)
        if ranges[id.entityNumber]?.isEmpty == true { ranges[id.entityNumber] = nil }
    }

    /// Every object, by entity and key.
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
            // What it meets or touches becomes one with it.
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

    /// Adds ranges that are disjoint and rise, as these do.
    fileprivate mutating func formUnion(_ other: Self) {
        guard !isEmpty, let lowest = other.first else {
            if isEmpty { self = other }
            return
        }
        guard other.count > Self.putInMax else {
            for keys in other { insertKeys(keys) }
            return
        }
        // What is below all of them stays; the rest of both is gone through side by side.
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

    /// So many ranges are put in one by one, each of which may move all behind it.
    private static var putInMax: Int { 4 }

    /// Takes out ranges that are disjoint and rise, as these do.
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
                // What reaches as far as this range, or further, may be in the next one, too.
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

    /// The first place whose element meets the condition, which holds from there on.
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
    /// Whether it goes as far as the key before the other range, or further.
    fileprivate func reaches(_ other: Self) -> Bool {
        upperBound >= other.lowerBound || upperBound + 1 == other.lowerBound
    }
}
