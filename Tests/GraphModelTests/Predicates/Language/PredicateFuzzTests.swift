import Foundation
import TestSeeds
import Testing

@testable import GraphModel

/// A mutator of the formats that other tests use; the same seed gives the same inputs.
private struct FormatMutator {
    var random: SeededGenerator
    private let corpus: [[UInt8]]

    /// Parts that help mistakes reach deep code: keywords, punctuation, and numbers at their
    /// limits.
    private static let pieces: [String] = [
        " AND ", " OR ", "NOT ", "!", "(", ")", "{", "}", "[", "]", ",", ".", "..", "==", "=<",
        " IN ", " BETWEEN ", " CONTAINS[cd] ", " LIKE ", " MATCHES ", "ANY ", "ALL ", "NONE ",
        "SUBQUERY(", ", $x, ", ".@count", ".@sum.", ".@allKeys", "TERNARY(", "CAST(", "'NSDate')",
        "'NSUUID')", "'NSData')", "'NSManagedObjectID')", "'NSNumber')", "FIRST]", "SIZE]", "[0]",
        "%@", "%K", "%d", "%f", "$", "$x", "#", "#'", "'", "\"", "\\", "\\u", "\\uD83D", "\\uDE00",
        "\\u0000", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-",
        "--", "0x", "0xFFFFFFFFFFFFFFFF", "0x8000000000000000", "0b2", "1e308", "1e309", "1e-400",
        "1e", ".5", "nil", "YES", "SELF", "TRUEPREDICATE", "\0", "\u{FEFF}", "é", "e\u{301}",
        "\u{10FFFF}", "\r\n", "\t", "2024-02-29T25:61:61Z", "12/p", "/p-1", "====", "inf", "nan",
    ]

    init(seed: UInt64, corpus: [String]) {
        random = SeededGenerator(seed: seed)
        self.corpus = corpus.map { Array($0.utf8) }
    }

    mutating func next() -> String {
        var bytes = pick(corpus)
        for _ in 0..<(1 + below(4)) { mutate(&bytes) }
        if bytes.count > 4_096 { bytes.removeSubrange(4_096...) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let end = place + below(min(bytes.count - place, 24) + 1)
        switch below(8) {
        case 0: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: pick(Self.pieces).utf8, at: place)
        case 3: bytes.replaceSubrange(place..<end, with: pick(Self.pieces).utf8)
        case 4:
            let piece = Array(bytes[place..<end])
            for _ in 0..<(1 + below(1 << below(8))) { bytes.insert(contentsOf: piece, at: place) }
        case 5:
            let other = pick(corpus)
            bytes.replaceSubrange(place..., with: other[below(other.count + 1)...])
        case 6 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        default:
            let other = pick(corpus)
            let start = below(other.count + 1)
            bytes.insert(
                contentsOf: other[start..<(start + below(other.count - start + 1))], at: place)
        }
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}

@Suite("Predicate fuzzing")
struct PredicateFuzzTests {
    private static let corpus =
        PredicateFormats.documented.map(\.format) + PredicateFormats.arguments.map(\.format)
        + PredicateFormats.builderWritten.map(\.format) + PredicateErrorTests.formats
        + found

    private static let arguments: [any GraphPredicateArgument] = [
        "name", 1, [1, 2], GraphKey("a") == 1, GraphKey("a.b") + 1, 2.5, Bool?.none, "tasks.@count",
    ]

    /// Inputs that failed in the past.
    static let found = [
        "(list.@min.intCa).b == 1", "(list.@unionOfObjects.a).@count > 1",
        "size < 9223372036854775808.0", "size > -9223372036854775808.0",
    ]

    /// Parses a format, and prints, parses, resolves, or renders a part of the formats; nothing may
    /// trap.
    private func run(
        _ format: String, _ model: ManagedObjectModel, isWhole: Bool
    ) -> String? {
        // As many arguments as placeholders, unless the text contains a percent sign.
        let arguments = Self.arguments.prefix(format.utf8.count { $0 == UInt8(ascii: "%") })
        do {
            let parsed = try ParsedPredicate(format: format, arguments: Array(arguments))
            return check(parsed, model, isWhole)
        } catch {
            return isWhole && error.rendered.isEmpty ? "an empty error" : nil
        }
    }

    private func check(
        _ parsed: ParsedPredicate, _ model: ManagedObjectModel, _ isWhole: Bool
    ) -> String? {
        if !isWhole { return nil }
        let print = parsed.predicate.description
        do throws(GraphPredicateError) {
            guard try GraphPredicate(format: print) == parsed.predicate else {
                return "the print is another tree: \(print)"
            }
        } catch {
            return "the print does not parse: \(error)"
        }
        if parsed.source.offsets.count != TreeSize(parsed.predicate).nodes {
            return "nodes without place"
        }
        do {
            let variables: [String: any GraphPredicateArgument] = ["ids": [1, 2], "RANGE": 1...2]
            _ = try parsed.resolved(for: "Task", in: model, variables: variables).description
        } catch {
            if error.rendered.isEmpty { return "an empty error" }
        }
        return nil
    }

    @Test("formats that fuzzing has found do not fail again", arguments: found)
    func remembers(format: String) throws {
        #expect(run(format, try PredicateErrorTests.model(), isWhole: true) == nil)
    }

    /// The number of shards that run in parallel.
    private static let shards = 2

    /// Tests 200,000 mutations, or as many as `ETL_FUZZ_SECONDS` allows.
    @Test("no mutated format traps, hangs, or prints as another predicate", arguments: 0..<shards)
    func survivesMutations(shard: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["ETL_FUZZ_SECONDS"].flatMap(Double.init)
        let seed = TestSeed.ofThisRun
        print("predicate fuzzing: seed \(seed), shard \(shard)")
        let model = try PredicateErrorTests.model()
        let clock = ContinuousClock()
        let start = clock.now
        var mutator = FormatMutator(seed: seed &+ UInt64(shard), corpus: Self.corpus)
        var round = 0
        while true {
            if let seconds {
                if start.duration(to: clock.now) > .seconds(seconds) { break }
            } else if round == 200_000 / Self.shards {
                break
            }
            let format = mutator.next()
            let before = clock.now
            let problem = run(format, model, isWhole: round.isMultiple(of: 8) || seconds != nil)
            let time = before.duration(to: clock.now)
            if let problem {
                Issue.record(
                    "seed \(seed), round \(round): \(problem) from \(format.debugDescription)")
            }
            if time > .seconds(5) {
                Issue.record("seed \(seed), round \(round): slow \(format.debugDescription)")
            }
            round += 1
            if seconds != nil, round.isMultiple(of: 1_000_000) {
                print("predicate fuzzing: seed \(seed), round \(round)")
            }
        }
        print("predicate fuzzing: \(round) formats in \(start.duration(to: clock.now))")
    }
}
