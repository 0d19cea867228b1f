/// A bit set of an object's changed properties, with one inline 64-bit word.
///
/// Attribute bits come first, then to-one bits, then to-many bits; see `EntityLayout`.
struct ChangeMask: Sendable, Hashable {
    private var first: UInt64 = 0
    /// The words for bits 64 and higher; empty for almost every entity.
    private var rest: [UInt64] = []

    var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

    func contains(_ bit: Int) -> Bool {
        if bit < 64 { return first & 1 << UInt64(bit) != 0 }
        let word = bit / 64 - 1
        return word < rest.count && rest[word] & 1 << UInt64(bit % 64) != 0
    }

    mutating func insert(_ bit: Int) {
        if bit < 64 {
            first |= 1 << UInt64(bit)
            return
        }
        let word = bit / 64 - 1
        while rest.count <= word { rest.append(0) }
        rest[word] |= 1 << UInt64(bit % 64)
    }

    mutating func remove(_ bit: Int) {
        if bit < 64 {
            first &= ~(1 << UInt64(bit))
            return
        }
        let word = bit / 64 - 1
        if word < rest.count { rest[word] &= ~(1 << UInt64(bit % 64)) }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.first == right.first && left.words == right.words
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(words)
    }

    private var words: ArraySlice<UInt64> {
        rest[..<((rest.lastIndex { $0 != 0 } ?? -1) + 1)]
    }
}
