import Foundation
import TestSeeds
import Testing

@testable import GraphModel

/// Expressions that Swift's `Regex` also accepts must have the same matches.
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

    /// Foundation's regular expressions use ICU.
    @Test("a case-insensitive class contains the same scalars as in ICU")
    func caselessClasses() throws {
        let patterns = [
            "(?i)\\p{Lu}", "(?i)\\P{Lu}", "(?i)\\p{Ll}", "(?i)\\P{Ll}", "(?i)\\p{Lt}",
            "(?i)\\p{Lo}", "(?i)\\p{Mn}", "(?i)\\p{Greek}", "(?i)\\P{Greek}", "(?i)[\\p{Lu}]",
            "(?i)[^\\p{Lu}]", "(?i)[\\P{Lu}]", "(?i)[^\\P{Lu}]", "(?i)[[:upper:]]",
            "(?i)[[:^upper:]]", "(?i)[A-Z]", "(?i)[^A-Z]", "(?i)[[^a]]", "(?i)[^[^a]]",
            "(?i)[A-Z--b]", "(?i)[A-Z--[b]]", "(?i)[a-z&&[B]]", "(?i)[a-z&&B]",
            "(?i)[\\p{Lu}--[A]]", "(?i)[\\Qb\\E]", "(?i)[à-þ]", "(?i)[^ß]", "(?i)[iı]", "(?i)\\w",
            "(?i)\\W", "\\p{Lu}", "[a-z--b]",
        ]
        // Ranges with cased letters and some others, in which the Unicode versions do not differ.
        let ranges: [ClosedRange<UInt32>] = [
            1...0x24F, 0x300...0x52F, 0x1E00...0x1FFF, 0x2100...0x218F, 0x2C60...0x2C7F,
        ]
        for pattern in patterns {
            let compiled = try CompiledPattern(pattern)
            let reference = try NSRegularExpression(pattern: "^(?:\(pattern))$")
            var differing: [String] = []
            for value in ranges.joined() {
                guard let scalar = Unicode.Scalar(value),
                    scalar.properties.generalCategory != .unassigned, !scalar.isLineEnd
                else { continue }
                let text = String(scalar)
                let range = NSRange(text.startIndex..., in: text)
                let expected = reference.firstMatch(in: text, range: range) != nil
                if compiled.matches(text) != expected {
                    differing.append("U+\(String(value, radix: 16)) \(expected)")
                }
            }
            #expect(differing == [], "\(pattern)")
        }
    }

    /// Some classes are omitted, which ICU reads in another way.
    ///
    /// After `-[…]` and `&[…]`, it adds some characters to the wrong operand. A range from `&`
    /// begins with another character.
    @Test("random classes are accepted and match as in ICU")
    func randomClasses() throws {
        let tokens = [
            "a", "b", "c", "-", "-", "&", "&&", "--", "[", "]", "[a-c]", "[b]", "^", "\\d",
            "[:alpha:]", "\\Qb]\\E", "-[", "&[",
        ]
        let scalars = Array("abcdz-&[]^: 1_#A").map(String.init)
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        var differing: [String] = []
        for _ in 0..<5_000 {
            let items = (0...random.pick(8)).map { _ in random.pick(tokens) }
            let pattern = "[" + items.joined() + "]"
            if ["&-", "]-[", "]&["].contains(where: pattern.contains) { continue }
            let reference = try? NSRegularExpression(pattern: "^(?:\(pattern))$")
            let compiled = try? CompiledPattern(pattern)
            let expected = reference.map { reference in
                scalars.filter {
                    reference.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil
                }
            }
            let found = compiled.map { compiled in scalars.filter { compiled.matches($0) } }
            if found != expected { differing.append(pattern) }
        }
        #expect(differing == [])
    }

    @Test("a class of many nested classes that ignore case takes linear time")
    func nestedCaselessClasses() throws {
        let pattern =
            "(?i)" + String(repeating: "[k", count: 90) + String(repeating: "]", count: 90)
        #expect(try CompiledPattern(pattern).matches("\u{212A}"))
        #expect(try !CompiledPattern(pattern).matches("s"))
    }

    @Test("a script contains the same scalars as in Regex", arguments: ["Greek", "Common", "Zzzz"])
    func scripts(name: String) throws {
        let compiled = try CompiledPattern("\\p{\(name)}")
        let reference = try Regex("\\p{Script=\(name)}").matchingSemantics(.unicodeScalar)
        var differing: [UInt32] = []
        let values: [ClosedRange<UInt32>] = [
            0...0x3FFF, 0x3FFF0...0x4000F, 0xDFFF0...0xE020F, 0x10FFF0...0x10FFFF,
        ]
        for value in values.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let expected = try reference.wholeMatch(in: text) != nil
            if compiled.matches(text) != expected { differing.append(value) }
        }
        #expect(differing == [])
    }

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
        // `Regex` does not treat a digit or `_` before a non-ASCII scalar as a word character.
        let scalars: [Unicode.Scalar] = [
            "a", "b", "c", "A", "B", "é", "Ä", "ä", " ", ".", "\n", "α",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<random.pick(7) { text.append(random.pick(scalars)) }
        // Before the last line end, `$` matches here but not in `Regex`.
        while text.last == "\n" { text.removeLast() }
        return String(text)
    }

    @Test("3,000 random expressions match ten strings each as Regex does")
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

extension Unicode.Scalar {
    /// Whether `$` matches before this scalar in ICU.
    fileprivate var isLineEnd: Bool {
        (0x0A...0x0D).contains(value) || [0x85, 0x2028, 0x2029].contains(value)
    }
}
