@testable import GraphModel

/// Calls `body` with the UTF-8 bytes of a text.
func withBytes<R>(_ text: String, _ body: (ByteView) -> R) -> R {
    var text = text
    return text.withUTF8 { body($0) }
}

/// What a formatter writes, as text.
func written(
    capacity: Int = 512, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
        let count = body(buffer)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

/// Random numbers that a seed reproduces (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
