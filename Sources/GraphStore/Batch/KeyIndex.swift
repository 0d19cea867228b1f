/// Finds rows by their key in memory: 8 bytes an entry, whatever the key's type.
///
/// An entry holds 32 bits of the key's hash and the row's `Z_PK`. Different keys may share these
/// 32 bits, so a found row is a candidate whose key the caller compares; among a million keys
/// about one lookup in four thousand meets a stranger. Open addressing; the place of an entry
/// follows from its 32 bits, so that growing needs no keys.
struct KeyIndex: ~Copyable {
    /// A walk over the candidates for one key.
    struct Probe {
        fileprivate var slot: Int
        fileprivate let tag: UInt64
    }

    private static let removed: UInt64 = .max
    private var entries: UnsafeMutablePointer<UInt64>
    private var shift: UInt64
    private var capacity: Int
    private var used = 0

    init() {
        capacity = 1 << 12
        shift = 32 - 12
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: 0, count: capacity)
    }

    deinit {
        entries.deallocate()
    }

    /// The memory that the next growth will need at its height, in bytes.
    var bytesAfterGrowth: Int { capacity * 3 * 8 }

    /// Whether the next insert makes the table grow.
    var isFull: Bool { (used + 1) * 10 > capacity * 7 }

    /// Whether a row's key fits an entry.
    static func canHold(_ primaryKey: Int64) -> Bool {
        primaryKey > 0 && primaryKey < Int64(UInt32.max)
    }

    func probe(_ hash: UInt64) -> Probe {
        let tag = hash >> 32
        return Probe(slot: Int(tag >> shift), tag: tag)
    }

    /// The next candidate's `Z_PK`, or nil when there is none left.
    func next(_ probe: inout Probe) -> Int64? {
        while true {
            let entry = entries[probe.slot]
            guard entry != 0 else { return nil }
            probe.slot = (probe.slot + 1) & (capacity - 1)
            if entry >> 32 == probe.tag, entry != Self.removed {
                return Int64(entry & 0xFFFF_FFFF)
            }
        }
    }

    mutating func insert(_ hash: UInt64, _ primaryKey: Int64) {
        if isFull { grow() }
        place((hash >> 32) << 32 | UInt64(primaryKey))
        used += 1
    }

    /// Takes one row's entry out.
    mutating func remove(_ hash: UInt64, _ primaryKey: Int64) {
        let entry = (hash >> 32) << 32 | UInt64(primaryKey)
        var slot = Int((hash >> 32) >> shift)
        while entries[slot] != 0 {
            if entries[slot] == entry {
                entries[slot] = Self.removed
                return
            }
            slot = (slot + 1) & (capacity - 1)
        }
    }

    private func place(_ entry: UInt64) {
        var slot = Int((entry >> 32) >> shift)
        while entries[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
        entries[slot] = entry
    }

    private mutating func grow() {
        let old = entries
        let oldCapacity = capacity
        capacity *= 2
        shift -= 1
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: 0, count: capacity)
        used = 0
        for slot in 0..<oldCapacity where old[slot] != 0 && old[slot] != Self.removed {
            place(old[slot])
            used += 1
        }
        old.deallocate()
    }
}
