import TestSeeds
import Testing

@testable import GraphModel

@Suite("Regular expressions")
struct PatternTests {
    @Test(
        "a pattern matches a complete text only",
        arguments: [
            ("[A-Z]{2}[0-9]{4}", "AB1234", true), ("[A-Z]{2}[0-9]{4}", "AB12345", false),
            ("[A-Z]{2}[0-9]{4}", "xAB1234", false), ("a|ab", "ab", true), (".", "e\u{301}", false),
            ("(ab)+c*", "ababcc", true), ("(a+b?){1,3}", "aabab", true), ("", "", true),
            ("", "a", false), ("\\(a+\\)*", "(aa)))", true), ("[(+*)]+x", "(+x", true),
            ("(a+)+", "aaaa", true), ("(a*)*b", "aab", true), ("a{,2}", "aa", true),
            ("a{,2}", "aaa", false), ("a{2,}", "a", false), ("a{ 1 , 2 }", "aa", true),
            ("a{x}", "a{x}", true), ("(|a){3}", "aa", true), ("a|", "", true),
            ("(?:a|b)*?c", "abac", true), ("(?<name>a)(?P<n2>b)", "ab", true),
            ("a(?#no part of it)b", "ab", true), ("\\Qa*\\E+", "a**", true),
            ("[\\Q-]\\E]", "]", true), ("\\u00e9\\x{1F600}\\x41\\t", "é😀A\t", true),
            ("\\U0001F600", "😀", true), ("\\0101", "A", true), ("\\cA", "\u{1}", true),
        ])
    func matches(pattern: String, text: String, expected: Bool) throws {
        #expect(try CompiledPattern(pattern).matches(text) == expected)
    }

    @Test(
        "matches character classes",
        arguments: [
            ("[^a]", "\n", true), ("[a-c&&[^b]]", "b", false), ("[a-c&&[^b]]", "c", true),
            ("[a-c--b]", "b", false), ("[a-c--b]", "a", true), ("[a[0-9]]", "7", true),
            ("[]]", "]", true), ("[]a]", "a", true), ("[^]]", "]", false),
            ("[abc-[def]]", "-", true), ("[abc-[def]]", "e", true), ("[]", "]", nil),
            ("[[a-z]-[aeiou]]", "e", false), ("[[a-z]-[aeiou]]", "d", true),
            ("[[a-z]&[aeiou]]", "d", false), ("[[a-z]&[aeiou]]", "e", true),
            ("[[a]-[b]b]", "b", true), ("[\\p{L}-[a]]", "a", false), ("[\\d-[1]]", "1", true),
            ("[a-c&[b]]", "&", true), ("[a-c--b&&b]", "b", false), ("[:alpha:]", "b", true),
            ("[[:a]b]", ":", true), ("[a---c]", "c", false), ("[\\Qa\\E-c]", "b", true),
            ("\\p{scx=Greek}", "·", true), ("\\p{sc=Greek}", "·", false), ("[a-]", "-", true),
            ("[-a]", "-", true), ("[a&b]", "&", true),
            ("[[:alpha:]]", "é", true), ("[[:^alpha:]]", "1", true), ("[\\d_]", "_", true),
            ("[^\\W]", "é", true), ("\\d", "٣", true), ("\\d", "²", false),
            ("\\w", "\u{301}", true), ("\\w", "-", false), ("\\s", "\u{A0}", true),
            ("\\h", "\t", true), ("\\h", "\n", false), ("\\v", "\u{2028}", true),
            ("\\N", "a", true), ("\\R", "\r\n", true), ("\\R", "\u{85}", true),
            (".", "\r", false), ("(?s).", "\r", true), ("\\p{Lu}", "Ä", true),
            ("\\p{Lu}", "ä", false), ("\\P{Letter}", "1", true), ("\\p{^L}", "1", true),
            ("\\p{gc=Nd}", "1", true), ("\\p{Greek}", "α", true), ("\\p{Script=Han}", "漢", true),
            ("\\p{script=Greek}", "a", false), ("\\p{White_Space}", " ", true),
            ("[\\b]", "\u{8}", true), ("[\\x41-\\u0043]", "B", true), ("[é-ü]", "ö", true),
        ] as [(String, String, Bool?)])
    func classes(pattern: String, text: String, expected: Bool?) {
        #expect((try? CompiledPattern(pattern).matches(text)) == expected)
    }

    @Test(
        "folds case if an option sets it",
        arguments: [
            ("(?i)straße", "STRAẞE", true), ("(?i)k", "\u{212A}", true), ("(?i)[a-z]", "ſ", true),
            ("(?i)σ", "ς", true), ("(?i)[^a]", "A", false), ("(?i)i", "ı", false),
            ("a(?i)b", "aB", true), ("a(?i)b", "AB", false), ("a(?i:b)c", "aBC", false),
            ("(?i)a(?-i)b", "Ab", true), ("(?i)a(?-i)b", "AB", false), ("(?i)ǆ", "ǅ", true),
            ("((?i)a|b)c", "Bc", true), ("((?i)a)c", "aC", false), ("(?i)\\p{Lu}", "a", true),
            ("(?x) a b # comment\n c", "abc", true), ("(?x)[a ]", " ", false),
            ("(?x)[a\\ ]", " ", true), ("(?x)[ a - c ]", "b", true),
        ])
    func options(pattern: String, text: String, expected: Bool) throws {
        #expect(try CompiledPattern(pattern).matches(text) == expected)
    }

    @Test(
        "matches assertions",
        arguments: [
            ("^a$", "a", true), ("a$\\n", "a\n", true), ("a$\\R", "a\r\n", true),
            ("a\\r$\\n", "a\r\n", false), ("a\\z\\n", "a\n", false), ("a\\Z\\n", "a\n", true),
            ("a$\\nb", "a\nb", false), ("(?m)a$\\n^b", "a\nb", true), ("a^b", "ab", false),
            ("(?m)a\\n^", "a\n", false), ("\\bword\\b", "word", true), ("a\\bb", "ab", false),
            ("a\\Bb", "ab", true), ("a\\b b", "a b", true), ("\\b", "", false),
            ("\\B", "", true), ("(^|x)a", "xa", true), ("(\\b)+a", "a", true),
            ("é\\b\\W", "é-", true),
        ])
    func assertions(pattern: String, text: String, expected: Bool) throws {
        #expect(try CompiledPattern(pattern).matches(text) == expected)
    }

    @Test("rejects unsupported and invalid patterns with the column")
    func refuses() {
        let patterns = [
            "(a", "a)", "*a", "a**", "a{2}{3}", "{2}", "a{3,1}", "(a)\\1", "(?<n>a)\\k<n>",
            "ab(?=c)", "(?<!a)b", "(?>a)", "a*+", "a{2}+", "\\q", "é\\", "[", "[]", "[z-a]",
            "[a-\\d]", "[a&&]", "[--a]", "[a&-z]", "\\p{Foo}", "\\pL", "(?u)a", "a{10000}",
            "(a{100}){100}",
            "(?:(?:a{99}){99}){99}", "\\X", "\\u12", "\\x{110000}", "(?<n", "\\b{wb}",
            String(repeating: "(", count: 1_000) + String(repeating: ")", count: 1_000),
            String(repeating: "[", count: 1_000),
            "[a" + String(repeating: "&&a", count: 100_000) + "]",
            "[" + String(repeating: "\\d", count: 100_000) + "]",
            String(repeating: "a", count: 10_001),
        ]
        let told = patterns.map { pattern in
            do throws(PatternError) {
                _ = try CompiledPattern(pattern)
                return "\(pattern.prefix(30)): none"
            } catch {
                return "\(pattern.prefix(30)): \(error.description)"
            }
        }
        #expect(
            told.joined(separator: "\n") == #"""
                (a: '(' is not closed (column 1 of the pattern)
                a): ')' closes no group (column 2 of the pattern)
                *a: '*' has nothing to repeat (column 1 of the pattern)
                a**: '*' has nothing to repeat (column 3 of the pattern)
                a{2}{3}: '{' has nothing to repeat (column 5 of the pattern)
                {2}: '{' has nothing to repeat (column 1 of the pattern)
                a{3,1}: The bounds are reversed (column 2 of the pattern)
                (a)\1: Back-references are not supported (column 4 of the pattern)
                (?<n>a)\k<n>: Back-references are not supported (column 8 of the pattern)
                ab(?=c): Look-ahead and look-behind are not supported (column 3 of the pattern)
                (?<!a)b: Look-ahead and look-behind are not supported (column 1 of the pattern)
                (?>a): Atomic groups are not supported (column 1 of the pattern)
                a*+: Possessive quantifiers are not supported (column 3 of the pattern)
                a{2}+: Possessive quantifiers are not supported (column 5 of the pattern)
                \q: '\q' is not an escape (column 1 of the pattern)
                é\: The pattern ends with a backslash (column 2 of the pattern)
                [: '[' is not closed (column 1 of the pattern)
                []: '[' is not closed (column 1 of the pattern)
                [z-a]: The range is reversed (column 2 of the pattern)
                [a-\d]: A range ends with a character (column 4 of the pattern)
                [a&&]: The class has nothing here (column 5 of the pattern)
                [--a]: The class has nothing here (column 2 of the pattern)
                [a&-z]: A range that begins with '&' needs a backslash: \& (column 3 of the pattern)
                \p{Foo}: There is no character property 'Foo' (column 1 of the pattern)
                \pL: '\p' needs a property, as in \p{Lu} (column 1 of the pattern)
                (?u)a: The options are i, m, s, and x, not 'u' (column 3 of the pattern)
                a{10000}: '{10000}' makes more than 10,000 states (column 2 of the pattern)
                (a{100}){100}: '{100}' makes more than 10,000 states (column 9 of the pattern)
                (?:(?:a{99}){99}){99}: '{99}' makes more than 10,000 states (column 18 of the pattern)
                \X: '\X' is not an escape (column 1 of the pattern)
                \u12: The escape names no character (column 1 of the pattern)
                \x{110000}: The escape names no character (column 1 of the pattern)
                (?<n: The group's name is not closed by '>' (column 1 of the pattern)
                \b{wb}: '\b{' is not supported (column 1 of the pattern)
                ((((((((((((((((((((((((((((((: Groups are nested more than 100 deep (column 101 of the pattern)
                [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[: Groups are nested more than 100 deep (column 101 of the pattern)
                [a&&a&&a&&a&&a&&a&&a&&a&&a&&a&: The pattern has more than 10,000 states from here (column 30000 of the pattern)
                [\d\d\d\d\d\d\d\d\d\d\d\d\d\d\: The pattern has more than 10,000 states from here (column 20000 of the pattern)
                aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: The pattern has more than 10,000 states from here (column 10000 of the pattern)
                """#)
    }

    @Test("every text compiles to a program or gives an error")
    func compilesAnything() {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let signs = Array("()[]{}|*+?.^$\\-&,:#<>=!Pabcdimsx019pQE \n\u{e9}\u{301}")
        for _ in 0..<20_000 {
            let pattern = String((0..<random.pick(14)).map { _ in random.pick(signs) })
            guard let compiled = try? CompiledPattern(pattern) else { continue }
            let text = String((0..<random.pick(6)).map { _ in random.pick(signs) })
            _ = compiled.matches(text)
        }
    }

    @Test("reads each invalid part of UTF-8 as a replacement character")
    func damagedText() throws {
        let bytes: [UInt8] = [0x61, 0xC3, 0xED, 0xA0, 0x80, 0xFF, 0xF0, 0x9F]
        let pattern = try CompiledPattern("a\u{FFFD}{6}")
        #expect(bytes.withUnsafeBufferPointer { pattern.matches($0) })
    }

    @Test("a small table of states gives the same answers as a large one")
    func smallTable() throws {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        for pattern in ["(a|b)*a(a|b){6}", "(ab?c*)*\\b(d|é)?", "[a-c]*é{2,5}.*"] {
            let large = try CompiledPattern(pattern)
            let small = try CompiledPattern(pattern, ignoresCase: false, tableMax: 1)
            for _ in 0..<300 {
                let text = String((0..<random.pick(20)).map { _ in random.pick(Array("abcdé ")) })
                #expect(large.matches(text) == small.matches(text), "\(pattern) \(text)")
            }
        }
    }
}
