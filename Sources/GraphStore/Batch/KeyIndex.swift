/// Finds rows by their key in memory: 8 bytes an entry, whatever the key's type.
///
/// An entry holds 32 bits of the key's hash and the row's `Z_PK`. Different keys may share these
/// 32 bits, so a found row is a candidate whose key the caller compares; among a million keys
/// about one lookup in four thousand meets a stranger. Open addressing; the place of an entry
/// follows from its 32 bits, so that growing needs no keys. The first six bits choose one of 64
/// tables that grow each by itself, so that growing takes little more memory than what is grown;
/// a map of a known number of rows has as much as it needs at once.
struct KeyIndex: ~Copyable {
    /// A walk over the candidates for one key.
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

        /// Whether the next insert makes it grow.
        var isFull: Bool { (used + 1) * 10 > capacity * 7 }

        /// Where a walk over entries of that tag begins.
        func home(_ tag: UInt64) -> Int {
            // A shift binds tighter than a product.
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
    /// The bits of a tag behind those that choose the segment.
    private static let restBits: UInt64 = 26
    private let segments: UnsafeMutablePointer<Segment>
    /// The memory of all tables, in bytes.
    private(set) var byteCount: Int
    /// The largest `Z_PK` that was ever inserted.
    private(set) var largestKey: Int64 = 0

    /// - Parameter rows: how many are to come, as far as that is known.
    init(rows: Int64 = 0) {
        let capacity = Self.capacity(rows: rows)
        segments = .allocate(capacity: Self.segmentCount)
        for place in 0..<Self.segmentCount {
            (segments + place).initialize(to: Segment(capacity: capacity))
        }
        byteCount = Self.segmentCount * capacity * 8
    }

    /// The entries of each table that so many rows need; not all get the same number of them.
    private static func capacity(rows: Int64) -> Int {
        Int(clamping: rows) / segmentCount / 100 * 148 + 64
    }

    /// Large tables grow by less, so that few of the places that memory has room for stay empty.
    private static func capacity(after capacity: Int) -> Int {
        capacity < 1 << 14 ? capacity * 2 : capacity + capacity / 4
    }

    /// The memory of a map of so many rows, in bytes.
    static func byteCount(rows: Int64) -> Int { capacity(rows: rows) * segmentCount * 8 }

    deinit {
        for place in 0..<Self.segmentCount { segments[place].entries.deallocate() }
        segments.deallocate()
    }

    /// Tables that grow with their next entry.
    private var fullCount = 0

    /// Whether one of the next inserts makes a table grow.
    var isFull: Bool { fullCount > 0 }

    /// The memory of all tables after the next growth, in bytes, or somewhat more.
    var bytesAfterGrowth: Int { byteCount + byteCount / Self.segmentCount }

    /// Whether a row's key fits an entry.
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

    /// The next candidate's `Z_PK`, or nil when there is none left.
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

    mutating func insert(_ hash: UInt64, _ primaryKey: Int64) {
        largestKey = max(largestKey, primaryKey)
        let segment = segment(hash >> 32)
        if segment.pointee.isFull { grow(segment) }
        segment.pointee.place((hash >> 32) << 32 | UInt64(primaryKey))
        segment.pointee.used += 1
        if segment.pointee.isFull { fullCount += 1 }
    }

    /// Takes one row's entry out.
    mutating func remove(_ hash: UInt64, _ primaryKey: Int64) {
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
