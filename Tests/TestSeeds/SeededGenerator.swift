/// Random numbers that a seed repeats, everywhere the same (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter seed: with which the same numbers come again.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 to below `count`.
    public mutating func pick(_ count: Int) -> Int { .random(in: 0..<count, using: &self) }

    /// One of some values.
    public mutating func pick<T>(_ values: [T]) -> T { values[pick(values.count)] }

    /// Whether something that comes so often does.
    public mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }

    /// Whether something that comes `part` times in `whole` does.
    public mutating func chance(_ part: Int, of whole: Int) -> Bool { pick(whole) < part }
}
