@_spi(_Unicode) internal import Swift
import TestSeeds
import Testing

@testable import GraphModel

/// Folding and search of texts that take quadratic time in a naive implementation.
@Suite("Long texts")
struct LongTextTests {
    @Test("folds long runs of combining marks in the canonical order")
    func marks() {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let scalars: [Unicode.Scalar] = [
            "\u{301}", "\u{323}", "\u{344}", "\u{F73}", "\u{345}", "\u{F71}", "\u{F72}",
            "\u{5B0}", "\u{316}", "\u{301}", "\u{323}",
            "\u{F75}", "\u{F81}",
        ]
        for number in 0..<200 {
            var text = "aé".unicodeScalars
            for _ in 0..<(20 + random.pick(100)) {
                if random.chance(1) { text.append("é") }
                text.append(random.pick(scalars))
            }
            let bytes = Array(String(text).utf8)
            for options in [ComparisonOptions.caseInsensitive, .diacriticInsensitive, []] {
                let folded = bytes.withUnsafeBufferPointer {
                    TextComparison.composed($0, options)
                }
                #expect(folded == Self.plainlyFolded(String(text), options), "\(number)")
            }
        }
    }

    @Test("decomposes a long run of each scalar and a mark as the standard library does")
    func everyMark() {
        var wrong: [Unicode.Scalar] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            switch scalar.properties.generalCategory {
            case .unassigned, .privateUse: continue
            default: break
            }
            let text = "a" + String(repeating: "\(scalar)\u{316}", count: 20)
            var decomposed: [Unicode.Scalar] = []
            CanonicalForm.decompose(text.unicodeScalars) {
                decomposed.append($0)
                return true
            }
            if decomposed != Self.decomposed(text) { wrong.append(scalar) }
        }
        #expect(wrong == [])
    }

    /// Returns the NFD of a text.
    ///
    /// The standard library does not sort the parts of U+0F73, U+0F75, and U+0F81 among the marks
    /// around them, because these scalars are no marks themselves.
    private static func decomposed(_ text: String) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var marks: [Unicode.Scalar] = []
        func order(_ scalar: Unicode.Scalar) -> UInt8 {
            scalar.properties.canonicalCombiningClass.rawValue
        }
        func endRun() {
            result += marks.enumerated()
                .sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }
                .map(\.element)
            marks = []
        }
        for scalar in text._nfd {
            if order(scalar) == 0 {
                endRun()
                result.append(scalar)
            } else {
                marks.append(scalar)
            }
        }
        endRun()
        return result
    }

    private static func plainlyFolded(_ text: String, _ options: ComparisonOptions) -> [UInt8] {
        var scalars = String.UnicodeScalarView()
        for scalar in decomposed(text) {
            if options.contains(.diacriticInsensitive),
                scalar.properties.generalCategory == .nonspacingMark
            {
                continue
            }
            guard options.contains(.caseInsensitive) else {
                scalars.append(scalar)
                continue
            }
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                scalars.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
            }
        }
        var composed = String.UnicodeScalarView()
        for scalar in String(scalars)._nfc { composed.append(scalar) }
        return Array(String(composed).utf8)
    }

    @Test("finds long substrings at the same index as a plain search")
    func parts() {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        for _ in 0..<3_000 {
            let text = (0..<(1 + random.pick(300))).map { _ in random.pick([0x61, 0x62] as [UInt8])
            }
            let start = random.pick(text.count)
            var part = Array(text[start...].prefix(1 + random.pick(80)))
            if random.chance(30) { part[part.count - 1] ^= 3 }
            let from = random.pick(text.count)
            let found = text.withUnsafeBufferPointer { text in
                part.withUnsafeBufferPointer {
                    TextComparison.firstIndex(of: $0, in: text, from: from)
                }
            }
            var expected: Int?
            for index in from..<text.count
            where expected == nil && text[index...].starts(with: part) { expected = index }
            #expect(found == expected)
        }
    }

    @Test("handles megabytes of combining marks and of near misses")
    func megabytes() {
        let marks = "a" + String(repeating: "\u{301}\u{323}", count: 200_000)
        let folded = Array(marks.utf8).withUnsafeBufferPointer {
            TextComparison.folded($0, .caseInsensitive)
        }
        #expect(folded.count == marks.utf8.count)
        let text = [UInt8](repeating: 0x61, count: 1_000_000)
        let part = [UInt8](repeating: 0x61, count: 500_000) + [0x62]
        let holds = text.withUnsafeBufferPointer { text in
            part.withUnsafeBufferPointer { TextComparison.holds(.contains, text, $0, []) }
        }
        #expect(!holds)
    }
}
