/// A set of primary keys, a bit each.
struct PrimaryKeySet {
    /// Larger keys are kept one by one: a bit for each would take more than 32 MiB.
    private static let limit: Int64 = 1 << 28

    private var bits = Bits()
    private var large: Set<Int64> = []

    private func isLarge(_ key: Int64) -> Bool { key < 0 || key >= Self.limit }

    /// Adds a key.
    ///
    /// - Returns: whether it was new.
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
