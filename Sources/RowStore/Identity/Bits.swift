/// A set of small integers, stored as a bitmap.
struct Bits {
    private var words: [UInt64] = []

    init() {}

    /// Creates a set of all numbers below `count`.
    init(below count: Int) {
        words = Array(repeating: ~0, count: (count + 63) / 64)
        if count & 63 != 0 { words[words.count - 1] = ~(~0 << UInt64(count & 63)) }
    }

    /// Adds a number.
    ///
    /// - Returns: Whether the number was not in the set.
    mutating func insert(_ number: Int) -> Bool {
        let word = number >> 6
        if word >= words.count {
            words.append(
                contentsOf: repeatElement(0, count: max(word + 1, words.count * 2) - words.count))
        }
        let bit = UInt64(1) << UInt64(number & 63)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        return true
    }

    /// Removes a number.
    ///
    /// - Returns: Whether the number was in the set.
    @discardableResult
    mutating func remove(_ number: Int) -> Bool {
        guard contains(number) else { return false }
        words[number >> 6] &= ~(1 << UInt64(number & 63))
        return true
    }

    func contains(_ number: Int) -> Bool {
        let word = number >> 6
        return word < words.count && words[word] & 1 << UInt64(number & 63) != 0
    }

    /// Returns the smallest number in the set that is at least `start`; `nil` if no number is.
    func first(from start: Int) -> Int? {
        var word = start >> 6
        guard word < words.count else { return nil }
        var bits = words[word] & ~0 << UInt64(start & 63)
        while bits == 0 {
            word += 1
            guard word < words.count else { return nil }
            bits = words[word]
        }
        return word << 6 + bits.trailingZeroBitCount
    }
}
