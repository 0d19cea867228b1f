import Testing

@testable import GraphModel

/// The time of each pattern is at most linear, in steps of its machine.
@Suite("Regular expressions: growth")
struct PatternGrowthTests {
    /// Expressions that take exponential or polynomial time in backtracking engines, and others.
    static let patterns = [
        "(a|a)*b", "(?:.?){40}ZZ", ".*.*.*.*.*b", "(a+)+b", "(a*)*b", "(a|aa)+b", "(a|a?)+b",
        "((a+)+)+b", "((a*)*)*b", "(.*)*b", "(.+)+b", "(a+a+)+b", "a*a*a*a*a*a*b", "(a?){60}b",
        "(a?){30}a{30}", "(?:a{1,5}){1,20}b", "([a-z]+)*b", "([a-z]*)*1", "(\\w+\\s?)+!",
        "(\\w|\\d)*-", "^(a|b|ab)*c$", "(a|b|ab|ba)*c", "(x+x+)+y", "(a+)*(a+)*b",
        ".*a.{10}", "(a|b)*a(a|b){8}", "(.*)(.*)(.*)(.*)b", "(.*?)*b", "(?:a|b|c|d|e)*f",
        "(?i)(A|a)*b", "(?i)[A-Z]*1", "\\b(a+)\\b.*b", "(\\ba*\\b)*c", "(?m)(^a*$)*b",
        "(?s).*.*.*1", "[^b]*[^b]*[^b]*b", "(a{2,4}){2,4}.*b", "(ab?)*c", "(a?b?c?)*d",
        "(\\p{L}+)*1", "(\\p{L}|\\p{Lu})*1", "([[:alpha:]]|a)*1", "(é|a)*b", "(é*a*)*b",
        "(a*b*c*d*)*e", "(a|ab|abc|abcd)*e", "((a|b)+(a|b)+)+c", "(a*)+(b*)+c", "(|a)*b",
        "(|a|aa)+b", "(a|)+b", "(.{0,3}){20}b", "(a.?a.?)*b", "(a[^b]*)*b", "([^c]*a)*c",
        "(\\S+\\s*)*1", "(\\d*\\w*)*-", "(a+|b+|c+)*d", "a.*b.*c.*d.*e", "(?:a*?)*?b",
        "(a{0,50}){0,50}b", "(.a|a.)*b",
    ]

    private static let texts: [@Sendable (Int) -> String] = [
        { String(repeating: "a", count: $0) }, { String(repeating: "ab", count: $0 / 2) },
        { String(repeating: "aé1 ", count: $0 / 4) },
    ]

    @Test("matching text of twice the length takes at most twice the steps", arguments: patterns)
    func steps(pattern: String) throws {
        for text in Self.texts {
            let (once, twice) = (text(2_000), text(4_000))
            // With a full-size table, and with a table that is emptied for almost each state.
            for tableMax in [nil, 1] {
                func steps(_ text: String) throws -> Int {
                    let compiled = try CompiledPattern(
                        pattern, ignoresCase: false, tableMax: tableMax)
                    _ = compiled.matches(text)
                    return compiled.steps
                }
                let (few, many) = (try steps(once), try steps(twice))
                // The first scalars build the table.
                #expect(many <= 2 * few + 4_000, "\(few) steps, then \(many)")
            }
        }
    }

    @Test("a long text takes one step per scalar", arguments: patterns.prefix(3))
    func longText(pattern: String) throws {
        let compiled = try CompiledPattern(pattern)
        #expect(!compiled.matches(String(repeating: "a", count: 65_536)))
        #expect(compiled.steps < 66_500)
    }
}
