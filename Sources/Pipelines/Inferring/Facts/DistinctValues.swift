/// The distinct values of a field as 64-bit hashes, up to a limit.
///
/// A hash collision makes a field look as if a value repeated. This costs a guess but never data.
/// For a million values, it happens about once in 40 million samples.
struct DistinctValues {
    /// The maximum number of values to remember per field.
    static let countMax = 1_000_000

    let valueLimit: DistinctValueLimit
    /// Whether the field is inside a list, so that repeats are tracked per record instead of per
    /// file.
    private let isInList: Bool
    /// The file, or the record of a list, in which each value was last seen.
    private var seen: [UInt64: Int] = [:]
    /// Whether a value occurred twice in one file; for a field in a list, in one record.
    private(set) var hasRepeats = false
    /// Whether a value occurred in two files; for a field in a list, in two records.
    private(set) var repeatsBetween = false
    /// Whether there were more values than can be remembered.
    private(set) var isFull = false
    private(set) var hasEmpty = false
    /// Whether the values were dropped because they are no longer needed.
    private(set) var isDropped = false

    var count: Int { seen.count }

    /// Whether the set contains all values of the field: none was dropped or left out because of
    /// the limit.
    var isWhole: Bool { !isFull && !isDropped }

    init(in valueLimit: DistinctValueLimit, isInList: Bool = false) {
        self.valueLimit = valueLimit
        self.isInList = isInList
    }

    mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.isEmpty { hasEmpty = true }
        insert(hash: Self.hash(bytes))
    }

    mutating func insert(hash: UInt64) {
        guard !isDropped else { return }
        let place = isInList ? valueLimit.record : valueLimit.file
        if let last = seen[hash] {
            if last == place {
                hasRepeats = true
            } else {
                repeatsBetween = true
                seen[hash] = place
            }
        } else if seen.count < Self.countMax, valueLimit.left > 0 {
            seen[hash] = place
            valueLimit.left -= 1
        } else {
            isFull = true
        }
    }

    /// Returns the same values, which take space in the shared limit again.
    func copy() -> DistinctValues {
        var copy = self
        if valueLimit.left >= count { valueLimit.left -= count } else { copy.forget() }
        return copy
    }

    /// Drops the values, which frees their space in the shared limit.
    mutating func drop() {
        valueLimit.left += seen.count
        forget()
    }

    private mutating func forget() {
        seen = [:]
        isDropped = true
    }

    /// Returns whether each value is in `other` or `more`.
    func isSubset(of other: DistinctValues, or more: DistinctValues? = nil) -> Bool {
        count <= other.count + (more?.count ?? 0)
            && seen.keys.allSatisfy { other.contains($0) || more?.contains($0) == true }
    }

    /// Returns the number of values that are neither in `other` nor in `more`.
    func missingCount(in other: DistinctValues, or more: DistinctValues? = nil) -> Int {
        seen.keys.reduce(0) { count, hash in
            other.contains(hash) || more?.contains(hash) == true ? count : count + 1
        }
    }

    /// Returns whether the value with a hash is one of the values.
    func contains(_ hash: UInt64) -> Bool { seen[hash] != nil }

    /// Returns the FNV-1a hash with a final mixing step; ignores the case of UUIDs.
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let isUUID = ValueFacts.isUUID(bytes)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            let isCapital = isUUID && byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F")
            hash = (hash ^ UInt64(isCapital ? byte | 0x20 : byte)) &* 0x0000_0100_0000_01B3
        }
        return mixed(hash)
    }

    /// Returns the combined hash of several values, which depends on their order.
    static func hash(_ hash: UInt64, and other: UInt64) -> UInt64 {
        mixed(hash &* 0x9E37_79B9_7F4A_7C15 ^ other)
    }

    private static func mixed(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ (hash >> 29)
    }
}

/// The shared limit of remembered values, which bounds memory, and the position in the inputs.
package final class DistinctValueLimit {
    /// The maximum number of values, which take at most about 100 MiB.
    package static let countMax = 4_000_000

    /// The number of further values that may be remembered.
    fileprivate(set) var left: Int
    /// The number of the current file.
    var file = 0
    /// The number of the current record, counted across all files.
    var record = 0
    /// Returns the file and line of the current record for messages.
    var place: () -> String = { "" }

    init(_ count: Int) {
        left = count
    }
}
