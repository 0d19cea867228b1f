/// A set of primary keys, stored as disjoint ranges in ascending order.
///
/// The ranges are in chunks of limited size. In one array, a key in the middle would move all ranges
/// after it, so that keys in random order would take quadratic time.
///
/// ```
/// keys     1 2 3 7 8 20 30 31
/// chunks   [1...3, 7...8] [20...20, 30...31]
/// ```
struct KeyRanges: Sendable {
    /// The index of a range; the chunk of the end does not exist.
    private struct Position: Equatable {
        var chunk: Int
        var place: Int
    }

    /// The maximum number of ranges in a chunk; inserting one moves at most 8 KiB.
    private static let chunkMax = 512

    /// The chunks, none of which is empty.
    private var chunks: [[ClosedRange<Int64>]] = []

    /// An empty set.
    init() {}

    /// Creates a set of keys in ascending order.
    init(rising keys: [Int64]) {
        for key in keys { insert(key...key) }
    }

    /// The number of keys.
    var count: Int { reduce(0) { $0 + $1.count } }

    var isEmpty: Bool { chunks.isEmpty }

    /// The number of ranges.
    private var rangeCount: Int { chunks.reduce(0) { $0 + $1.count } }

    /// The range with the largest keys.
    var last: ClosedRange<Int64>? { chunks.last?.last }

    func contains(_ key: Int64) -> Bool {
        let position = firstPosition { $0.upperBound >= key }
        return position.chunk < chunks.count && self[position].contains(key)
    }

    // MARK: Inserting

    /// Adds keys; fastest in ascending order.
    mutating func insert(_ keys: ClosedRange<Int64>) {
        guard let last, last.upperBound >= keys.lowerBound else { return append(keys) }
        let first = firstPosition { $0.reaches(keys) }
        var end = first
        var (lower, upper) = (keys.lowerBound, keys.upperBound)
        while end.chunk < chunks.count, keys.reaches(self[end]) {
            lower = Swift.min(lower, self[end].lowerBound)
            upper = Swift.max(upper, self[end].upperBound)
            end = position(after: end)
        }
        guard first != end else { return insert(keys, at: first) }
        chunks[first.chunk][first.place] = lower...upper
        remove(position(after: first), upTo: end)
    }

    /// Adds keys of which none is less than the last range's.
    private mutating func append(_ keys: ClosedRange<Int64>) {
        guard let last, let chunk = chunks.indices.last else { return chunks = [[keys]] }
        if last.reaches(keys) {
            chunks[chunk][chunks[chunk].count - 1] =
                last.lowerBound...Swift.max(last.upperBound, keys.upperBound)
        } else if chunks[chunk].count < Self.chunkMax {
            chunks[chunk].append(keys)
        } else {
            chunks.append([keys])
        }
    }

    /// Inserts a range that touches no other; the position must be that of a range.
    private mutating func insert(_ keys: ClosedRange<Int64>, at position: Position) {
        chunks[position.chunk].insert(keys, at: position.place)
        let count = chunks[position.chunk].count
        guard count > Self.chunkMax else { return }
        let upper = Array(chunks[position.chunk][(count / 2)...])
        chunks[position.chunk].removeSubrange((count / 2)...)
        chunks.insert(upper, at: position.chunk + 1)
    }

    // MARK: Removing

    /// Removes keys.
    mutating func remove(_ keys: ClosedRange<Int64>) {
        let first = firstPosition { $0.upperBound >= keys.lowerBound }
        var end = first
        var rest: [ClosedRange<Int64>] = []
        while end.chunk < chunks.count, self[end].lowerBound <= keys.upperBound {
            let range = self[end]
            if range.lowerBound < keys.lowerBound {
                rest.append(range.lowerBound...(keys.lowerBound - 1))
            }
            if range.upperBound > keys.upperBound {
                rest.append((keys.upperBound + 1)...range.upperBound)
            }
            end = position(after: end)
        }
        guard first != end else { return }
        remove(first, upTo: end)
        for keys in rest { insert(keys) }
    }

    /// Removes the ranges from a position up to the one before `end`.
    private mutating func remove(_ start: Position, upTo end: Position) {
        guard start != end else { return }
        if start.chunk == end.chunk {
            chunks[start.chunk].removeSubrange(start.place..<end.place)
        } else {
            if end.chunk < chunks.count { chunks[end.chunk].removeSubrange(..<end.place) }
            chunks[start.chunk].removeSubrange(start.place...)
            chunks.removeSubrange((start.chunk + 1)..<end.chunk)
        }
        if chunks[start.chunk].isEmpty { chunks.remove(at: start.chunk) }
    }

    // MARK: Sets

    /// Adds the keys of another set, in time linear in the ranges of both, or less if one of them
    /// has few.
    mutating func formUnion(_ other: KeyRanges) {
        guard let lowest = other.chunks.first?.first else { return }
        guard !isEmpty else { return self = other }
        guard !other.isSmall(for: self) else {
            for keys in other { insert(keys) }
            return
        }
        // Ranges below all new ones stay; merge the others with the new ones.
        let start = firstPosition { $0.reaches(lowest) }
        let rest = ranges(from: start)
        remove(start, upTo: Position(chunk: chunks.count, place: 0))
        var place = 0
        for keys in other {
            while place < rest.count, rest[place].lowerBound <= keys.lowerBound {
                append(rest[place])
                place += 1
            }
            append(keys)
        }
        for keys in rest[place...] { append(keys) }
    }

    /// Removes the keys of another set, in time linear in the ranges of this one, or less if the
    /// other has few.
    mutating func subtract(_ other: KeyRanges) {
        guard let lowest = other.chunks.first?.first, let highest = other.last else { return }
        guard !other.isSmall(for: self) else {
            for keys in other { remove(keys) }
            return
        }
        let start = firstPosition { $0.upperBound >= lowest.lowerBound }
        let end = firstPosition { $0.lowerBound > highest.upperBound }
        guard start != end else { return }
        let rest = ranges(from: start)
        remove(start, upTo: Position(chunk: chunks.count, place: 0))
        for range in rest {
            var lower = range.lowerBound
            var place = other.firstPosition { $0.upperBound >= lower }
            var isUsedUp = false
            while !isUsedUp, place.chunk < other.chunks.count,
                other[place].lowerBound <= range.upperBound
            {
                let gone = other[place]
                if lower < gone.lowerBound { append(lower...(gone.lowerBound - 1)) }
                isUsedUp = gone.upperBound >= range.upperBound
                if !isUsedUp { lower = gone.upperBound + 1 }
                place = other.position(after: place)
            }
            if !isUsedUp { append(lower...range.upperBound) }
        }
    }

    /// Returns whether it is faster to search each range in the other set than to read all of it.
    private func isSmall(for other: KeyRanges) -> Bool {
        let count = rangeCount
        return count <= 4 || count * 8 < other.rangeCount
    }

    // MARK: Positions

    private subscript(position: Position) -> ClosedRange<Int64> {
        chunks[position.chunk][position.place]
    }

    private func position(after position: Position) -> Position {
        position.place + 1 < chunks[position.chunk].count
            ? Position(chunk: position.chunk, place: position.place + 1)
            : Position(chunk: position.chunk + 1, place: 0)
    }

    /// Returns the position of the first range that meets the condition, as do all ranges after it.
    private func firstPosition(where condition: (ClosedRange<Int64>) -> Bool) -> Position {
        let chunk = chunks.partitioningIndex { chunk in condition(chunk[chunk.count - 1]) }
        guard chunk < chunks.count else { return Position(chunk: chunk, place: 0) }
        return Position(chunk: chunk, place: chunks[chunk].partitioningIndex(where: condition))
    }

    private func ranges(from start: Position) -> [ClosedRange<Int64>] {
        guard start.chunk < chunks.count else { return [] }
        return Array(chunks[start.chunk][start.place...])
            + chunks[(start.chunk + 1)...].joined()
    }
}

extension KeyRanges: Sequence {
    func makeIterator() -> FlattenSequence<[[ClosedRange<Int64>]]>.Iterator {
        chunks.joined().makeIterator()
    }
}

extension KeyRanges: Hashable {
    // Equal sets may have different chunks.
    static func == (one: KeyRanges, other: KeyRanges) -> Bool { one.elementsEqual(other) }

    func hash(into hasher: inout Hasher) {
        for range in self { hasher.combine(range) }
    }
}

extension Array {
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
