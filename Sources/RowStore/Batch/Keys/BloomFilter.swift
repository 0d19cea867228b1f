/// A set of keys that may return false positives, but no false negatives.
///
/// While there are few keys, it stores the keys themselves. After that, it stores three bits of
/// each key (a Bloom filter, https://doi.org/10.1145/362686.362692).
struct BloomFilter {
    /// The memory per key in a set that has just grown, in bytes.
    private static let setBytes = 32

    private let memoryBytes: Int
    private var keys: Set<UInt64> = []
    private var words: [UInt64] = []

    init(memoryBytes: Int) {
        self.memoryBytes = memoryBytes
    }

    mutating func insert(_ key: UInt64) {
        guard words.isEmpty else { return mark(key) }
        keys.insert(key)
        guard keys.count > memoryBytes / Self.setBytes else { return }
        // A power of two, so that bits of the key can be used as indexes.
        let count = max(1, memoryBytes / 8)
        words = Array(repeating: 0, count: 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount))
        for key in keys { mark(key) }
        keys = []
    }

    mutating func removeAll() { self = BloomFilter(memoryBytes: memoryBytes) }

    func mayContain(_ key: UInt64) -> Bool {
        guard !words.isEmpty else { return keys.contains(key) }
        return has(key) && has(Self.second(key)) && has(Self.third(key))
    }

    private mutating func mark(_ key: UInt64) {
        for part in [key, Self.second(key), Self.third(key)] {
            words[word(part)] |= 1 << (part & 63)
        }
    }

    private func has(_ part: UInt64) -> Bool { words[word(part)] & 1 << (part & 63) != 0 }

    private func word(_ part: UInt64) -> Int {
        Int(truncatingIfNeeded: part >> 6) & (words.count - 1)
    }

    /// A key is already a hash, so its parts serve as several hashes.
    private static func second(_ key: UInt64) -> UInt64 { key >> 21 | key << 43 }
    private static func third(_ key: UInt64) -> UInt64 { key >> 42 | key << 22 }
}
