/// An in-memory hash map from keys to rows, with 8 bytes per entry for keys of any type.
///
/// An entry contains 32 bits of the key's hash and the row's `Z_PK`. Different keys may share these
/// 32 bits, so a found row is a candidate whose key the caller compares. With a million keys, about
/// one lookup in 4,000 finds a wrong candidate.
///
/// The map uses open addressing. The slot of an entry follows from its 32 bits, so growing does not
/// need the keys. The first six bits choose one of 64 tables. Each table grows separately, so
/// growing needs little additional memory. A map for a known number of rows is allocated at its
/// final size.
struct KeyIndex: ~Copyable {
    /// An iteration over the candidates for one key.
    struct Probe {
        fileprivate(set) var slot: Int
        fileprivate let tag: UInt64
    }

    private struct Segment {
        var entries: UnsafeMutablePointer<UInt64>
        var capacity: Int
        var used = 0

        init(capacity: Int) {
            self.capacity = capacity
            entries = .allocate(capacity: capacity)
            entries.initialize(repeating: 0, count: capacity)
        }

        /// Whether the next insert makes the table grow.
        var isFull: Bool { (used + 1) * 10 > capacity * 7 }

        /// Returns the first slot to probe for a tag.
        func home(_ tag: UInt64) -> Int {
            // In Swift, a shift has a higher precedence than a multiplication.
            Int(((tag & (1 << KeyIndex.restBits - 1)) * UInt64(capacity)) >> KeyIndex.restBits)
        }

        func place(_ entry: UInt64) {
            var slot = home(entry >> 32)
            while entries[slot] != 0 { slot = next(slot) }
            entries[slot] = entry
        }

        func next(_ slot: Int) -> Int { slot + 1 == capacity ? 0 : slot + 1 }
    }

    private static let removed: UInt64 = .max
    private static let segmentCount = 64
    /// The number of tag bits after those that choose the segment.
    private static let restBits: UInt64 = 26
    private let segments: UnsafeMutablePointer<Segment>
    /// The memory of all tables in bytes.
    private(set) var byteCount: Int
    /// The largest `Z_PK` that was ever inserted.
    private(set) var largestKey: Int64 = 0

    /// Creates an empty map with space for the expected rows.
    ///
    /// - Parameter rows: The expected number of rows, if known.
    init(rows: Int64 = 0) {
        let capacity = Self.capacity(rows: rows)
        segments = .allocate(capacity: Self.segmentCount)
        for place in 0..<Self.segmentCount {
            (segments + place).initialize(to: Segment(capacity: capacity))
        }
        byteCount = Self.segmentCount * capacity * 8
    }

    /// Returns the capacity of each table for a total number of rows, which are not evenly
    /// distributed.
    private static func capacity(rows: Int64) -> Int {
        Int(clamping: rows) / segmentCount / 100 * 148 + 64
    }

    /// Returns the next capacity.
    ///
    /// Large tables grow by a quarter, so that few of the allocated slots stay empty.
    private static func capacity(after capacity: Int) -> Int {
        capacity < 1 << 14 ? capacity * 2 : capacity + capacity / 4
    }

    /// Returns the memory of a map for a number of rows, in bytes.
    static func byteCount(rows: Int64) -> Int { capacity(rows: rows) * segmentCount * 8 }

    deinit {
        for place in 0..<Self.segmentCount { segments[place].entries.deallocate() }
        segments.deallocate()
    }

    /// The number of tables that grow with their next entry.
    private var fullCount = 0

    /// Whether one of the next inserts makes a table grow.
    var isFull: Bool { fullCount > 0 }

    /// The memory of all tables after the next growth in bytes; an upper bound.
    var bytesAfterGrowth: Int { byteCount + byteCount / Self.segmentCount }

    /// Returns whether a primary key fits in an entry.
    static func canHold(_ primaryKey: Int64) -> Bool {
        primaryKey > 0 && primaryKey < Int64(UInt32.max)
    }

    private func segment(_ tag: UInt64) -> UnsafeMutablePointer<Segment> {
        segments + Int(tag >> Self.restBits)
    }

    func probe(_ hash: UInt64) -> Probe {
        let tag = hash >> 32
        return Probe(slot: segment(tag).pointee.home(tag), tag: tag)
    }

    /// Returns the next candidate's `Z_PK`; `nil` if there are no more candidates.
    func next(_ probe: inout Probe) -> Int64? {
        let segment = segment(probe.tag).pointee
        while true {
            let entry = segment.entries[probe.slot]
            guard entry != 0 else { return nil }
            probe.slot = segment.next(probe.slot)
            if entry >> 32 == probe.tag, entry != Self.removed {
                return Int64(entry & 0xFFFF_FFFF)
            }
        }
    }

    /// Adds a row, whose primary key must be one that `canHold(_:)` accepts.
    mutating func insert(_ hash: UInt64, _ primaryKey: Int64) {
        precondition(Self.canHold(primaryKey), "The key does not fit in an entry of the map")
        largestKey = max(largestKey, primaryKey)
        let segment = segment(hash >> 32)
        if segment.pointee.isFull { grow(segment) }
        segment.pointee.place((hash >> 32) << 32 | UInt64(primaryKey))
        segment.pointee.used += 1
        if segment.pointee.isFull { fullCount += 1 }
    }

    /// Removes the entry of one row.
    mutating func remove(_ hash: UInt64, _ primaryKey: Int64) {
        guard Self.canHold(primaryKey) else { return }
        let entry = (hash >> 32) << 32 | UInt64(primaryKey)
        let segment = segment(hash >> 32).pointee
        var slot = segment.home(hash >> 32)
        while segment.entries[slot] != 0 {
            if segment.entries[slot] == entry {
                segment.entries[slot] = Self.removed
                return
            }
            slot = segment.next(slot)
        }
    }

    private mutating func grow(_ segment: UnsafeMutablePointer<Segment>) {
        let old = segment.pointee
        var new = Segment(capacity: Self.capacity(after: old.capacity))
        for slot in 0..<old.capacity
        where old.entries[slot] != 0 && old.entries[slot] != Self.removed {
            new.place(old.entries[slot])
            new.used += 1
        }
        old.entries.deallocate()
        segment.pointee = new
        byteCount += (new.capacity - old.capacity) * 8
        fullCount -= 1
    }
}
