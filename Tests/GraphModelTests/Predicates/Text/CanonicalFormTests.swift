@_spi(_Unicode) internal import Swift
import TestSeeds
import Testing

@testable import GraphModel

/// The canonical forms agree with those inside the standard library.
@Suite("Canonical forms of Unicode") struct CanonicalFormTests {
    /// All characters that this version of Swift knows and that are in the table's version.
    private static let scalars: [Unicode.Scalar] = (0...0x10FFFF).compactMap { value in
        guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age,
            age.major <= CanonicalDecompositions.unicodeVersion
        else { return nil }
        return scalar
    }

    private static func decomposed(_ text: String) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        CanonicalForm.decompose(text.unicodeScalars) {
            result.append($0)
            return true
        }
        return result
    }

    private static func check(_ text: String) -> Bool {
        decomposed(text) == Array(text._nfd)
            && CanonicalForm.composed(text.unicodeScalars) == Array(text._nfc)
    }

    @Test("every character has the forms of the standard library")
    func characters() {
        #expect(Self.scalars.count > 100_000)
        let wrong = Self.scalars.filter { !Self.check(String($0)) }
        #expect(wrong.map { String($0.value, radix: 16) } == [])
    }

    @Test("strings of letters, marks, and syllables have the forms of the standard library")
    func strings() {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        // The standard library does not sort the parts of these among the marks around them.
        let unsorted: Set<Unicode.Scalar> = ["\u{F73}", "\u{F75}", "\u{F81}"]
        let scalars = Self.scalars.filter { !unsorted.contains($0) }
        let combining = scalars.filter {
            $0.properties.canonicalCombiningClass != .notReordered
                || Array(String($0)._nfd).count > 1
        }
        let letters = Array("aeiouAEIOUsdlα한각각".unicodeScalars)
        for number in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<(1 + random.pick(8)) {
                text.append(
                    random.chance(30)
                        ? random.pick(letters)
                        : random.chance(60) ? random.pick(combining) : random.pick(scalars))
            }
            let description = text.map { String($0.value, radix: 16) }.joined(separator: " ")
            #expect(Self.check(String(text)), "\(number): \(description)")
        }
    }

    @Test("composes letters, accents in any order, and Korean syllables")
    func examples() {
        func composed(_ text: String) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: CanonicalForm.composed(text.unicodeScalars))
            return view.map { String($0.value, radix: 16) }.joined(separator: " ")
        }
        #expect(composed("e\u{301}") == "e9")
        #expect(composed("a\u{302}\u{323}") == "1ead")
        #expect(composed("\u{1112}\u{1161}\u{11AB}") == "d55c")
        #expect(composed("\u{212B}") == "c5")
        #expect(composed("\u{915}\u{93C}") == "915 93c")
        #expect(composed("a\u{315}\u{300}\u{5AE}\u{62}") == "e0 5ae 315 62")
        #expect(composed("") == "")
    }

    @Test("a decomposition stops when the body returns false")
    func stops() {
        var seen: [Unicode.Scalar] = []
        CanonicalForm.decompose("ab\u{E9}\u{323}cd".unicodeScalars) {
            seen.append($0)
            return seen.count < 4
        }
        #expect(seen == ["a", "b", "e", "\u{323}"])
    }
}
