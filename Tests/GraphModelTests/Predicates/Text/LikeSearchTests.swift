import TestSeeds
import Testing

@testable import GraphModel

@Suite("LIKE in linear time")
struct LikeSearchTests {
    private typealias Match = (ByteView, ByteView) -> Bool

    private static func holds(_ text: [UInt8], _ pattern: [UInt8], _ match: Match) -> Bool {
        text.withUnsafeBufferPointer { text in
            pattern.withUnsafeBufferPointer { match(text, $0) }
        }
    }

    @Test("finds the same as trying each position")
    func agrees() {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let texts: [[UInt8]] = [
            [0x61], [0x61], [0x62], Array("é".utf8), Array("€".utf8), Array("😀".utf8),
            [0xE2, 0x82],
            [0x80], [0x2A],
        ]
        let patterns: [[UInt8]] = [
            [0x61], [0x61], [0x62], Array("é".utf8), Array("€".utf8), Array("?".utf8),
            Array("?".utf8), Array("*".utf8), Array("*".utf8), Array("\\*".utf8),
        ]
        var matched = 0
        for _ in 0..<50_000 {
            let text = (0..<random.pick(9)).flatMap { _ in random.pick(texts) }
            let pattern = (0..<random.pick(7)).flatMap { _ in random.pick(patterns) }
            let expected = Self.holds(text, pattern, TextComparison.like)
            if expected { matched += 1 }
            #expect(
                Self.holds(text, pattern, LikeSearch.matches) == expected, "\(text) \(pattern)")
        }
        #expect(matched > 1_000)
    }

    @Test("long strings and long patterns take linear time")
    func longPatterns() {
        let text = [UInt8](repeating: 0x61, count: 100_000)
        let part = String(repeating: "a", count: 20_000)
        let mixed = String(repeating: "a?", count: 1_000)
        for (pattern, expected) in [
            ("*\(part)b*", false), ("*\(part)*\(part)*", true), ("*\(mixed)b*", false),
            ("*\(mixed)*", true), ("\(part)*b", false), ("*\(mixed)", true),
        ] {
            #expect(Self.holds(text, Array(pattern.utf8), TextComparison.like) == expected)
        }
    }
}
