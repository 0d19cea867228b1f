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

    /// Takes an object out.
    public mutating func remove(_ id: ManagedObjectID) {
        guard var list = ranges[id.entityNumber] else { return }
        list.removeKey(id.primaryKey)
        ranges[id.entityNumber] = list.isEmpty ? nil : list
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
            for key in keys { insertKey(key) }
            return
        }
        if self[last].upperBound == keys.lowerBound - 1 {
            self[last] = self[last].lowerBound...keys.upperBound
        } else {
            append(keys)
        }
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
