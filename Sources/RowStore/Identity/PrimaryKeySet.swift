/// A set of primary keys, stored as a bitmap.
struct PrimaryKeySet {
    /// The first key that is stored individually, because the bitmap would exceed 32 MiB.
    private static let limit: Int64 = 1 << 28

    private var bits = Bits()
    private var large: Set<Int64> = []

    private func isLarge(_ key: Int64) -> Bool { key < 0 || key >= Self.limit }

    /// Adds a key.
    ///
    /// - Returns: Whether the key is new.
    mutating func insert(_ key: Int64) -> Bool {
        isLarge(key) ? large.insert(key).inserted : bits.insert(Int(key))
    }

    func contains(_ key: Int64) -> Bool {
        isLarge(key) ? large.contains(key) : bits.contains(Int(key))
    }

    mutating func remove(_ key: Int64) {
        if isLarge(key) { large.remove(key) } else { bits.remove(Int(key)) }
    }
}
