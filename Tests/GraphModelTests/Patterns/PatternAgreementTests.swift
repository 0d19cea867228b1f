import TestSeeds
import Testing

@testable import GraphModel

/// What Swift's `Regex` also reads, it also matches.
@Suite("Regular expressions: agreement with Regex")
struct PatternAgreementTests {
    private static let atoms = [
        "a", "b", "c", "é", "Ä", "_", " ", ".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S",
        "[ab]", "[^a]", "[a-c]", "[^b-é]", "[a-z&&[^b]]", "[a-c--b]", "[[:alpha:]1]", "\\p{L}",
        "\\P{Lu}", "\\x61", "\\u0062", "\\.", "\\h", "[\\d_]", "\\b", "^", "$", "\\A",
        "\\z", "(?i:a)", "(?i:[a-b]Ä)", "\\QaB\\E", "[^\\w]", "\\n", "(?m:$)", "(?s:.)",
        "\\p{Greek}", "",
    ]
    private static let quantifiers = [
        "*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "*?", "+?", "??", "{,2}",
    ]

    private static func pattern(_ random: inout SeededGenerator, _ depth: Int) -> String {
        guard depth > 0 else { return random.pick(atoms) }
        let first = pattern(&random, depth - 1)
        switch random.pick(7) {
        case 0, 1: return first + pattern(&random, depth - 1)
        case 2: return "(\(first)|\(pattern(&random, depth - 1)))"
        case 3, 4: return "(?:\(first))" + random.pick(quantifiers)
        case 5: return "(\(first))"
        default: return first + random.pick(atoms)
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        // `Regex` takes a digit or `_` before a scalar beyond ASCII for no word character.
        let scalars: [Unicode.Scalar] = [
            "a", "b", "c", "A", "B", "é", "Ä", "ä", " ", ".", "\n", "α",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<random.pick(7) { text.append(random.pick(scalars)) }
        // Before the last line's end `$` holds here and not there.
        while text.last == "\n" { text.removeLast() }
        return String(text)
    }

    @Test("of 3,000 random expressions on ten texts each")
    func agrees() throws {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        var matched = 0
        for _ in 0..<3_000 {
            let pattern = Self.pattern(&random, random.pick(5))
            guard let regex = try? Regex(pattern) else { continue }
            let reference = regex.matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
            let compiled = try CompiledPattern(pattern)
            for _ in 0..<10 {
                let text = Self.text(&random)
                let expected = try reference.wholeMatch(in: text) != nil
                if expected { matched += 1 }
                #expect(
                    compiled.matches(text) == expected,
                    "\(pattern.debugDescription) on \(text.debugDescription)")
            }
        }
        #expect(matched > 1_000)
    }
}
