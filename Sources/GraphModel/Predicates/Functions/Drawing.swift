/// The source of random values for the functions that generate rows.
///
/// A value depends only on the seed, the position of its function in its expression, and the row.
/// So rows can be generated in any order, and repeatedly, with the same values.
package struct Drawing: Sendable, Hashable {
    /// The unique name of the property that the expression fills, such as `Task.title`.
    package var name: String
    /// The seed that the caller chose; equal seeds give equal values.
    package var seed: Int64
    /// The key path of the row's number.
    package var rowPath: [String]

    /// Creates the source of values for the expression that fills one property.
    package init(name: String, seed: Int64, rowPath: [String]) {
        self.name = name
        self.seed = seed
        self.rowPath = rowPath
    }

    /// Returns the ID of the random sequence for one function call.
    ///
    /// - Parameter place: The position of the call in its expression.
    package func stream(_ place: Int) -> Int64 {
        // FNV-1a; `mix` distributes its bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let seeded = Self.mix(hash ^ Self.mix(UInt64(bitPattern: seed)))
        return Int64(bitPattern: Self.mix(seeded &+ UInt64(place)))
    }

    /// Returns the pseudorandom number that a stream has for a row.
    ///
    /// It is the output function of SplitMix64.
    package static func draw(stream: Int64, row: Int64, round: UInt64 = 0) -> UInt64 {
        draw(seed: seed(stream: stream, row: row), round: round)
    }

    /// Returns the seed of all numbers for a stream and a row.
    static func seed(stream: Int64, row: Int64) -> UInt64 {
        mix(UInt64(bitPattern: stream) ^ mix(UInt64(bitPattern: row)))
    }

    static func draw(seed: UInt64, round: UInt64 = 0) -> UInt64 { mix(seed &+ round) }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Maps a random number to the range from 0 to below `count`, with negligible bias.
    package static func place(_ number: UInt64, below count: UInt64) -> UInt64 {
        number.multipliedFullWidth(by: count).high
    }

    /// The words of the placeholder text that printers have used since the 1500s.
    package static let words = [
        "lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "do",
        "eiusmod", "tempor", "incididunt", "ut", "labore", "et", "dolore", "magna", "aliqua",
        "enim", "ad", "minim", "veniam", "quis", "nostrud", "exercitation", "ullamco", "laboris",
        "nisi", "aliquip", "ex", "ea", "commodo", "consequat", "duis", "aute", "irure", "in",
        "reprehenderit", "voluptate", "velit", "esse", "cillum", "eu", "fugiat", "nulla",
        "pariatur", "excepteur", "sint", "occaecat", "cupidatat", "non", "proident", "sunt",
        "culpa", "qui", "officia", "deserunt", "mollit", "anim", "id", "est", "laborum",
    ]
}
