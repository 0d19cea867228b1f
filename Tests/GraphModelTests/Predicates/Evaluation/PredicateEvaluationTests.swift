import TestSeeds
import Testing

@testable import GraphModel

/// A row of values that owns their bytes.
final class TestRow: EvaluationRow {
    private let arena = EvaluationArena()
    private var values: [EvaluatedValue] = []
    private(set) var slots: [String: Int] = [:]

    /// Sets the fields that the tests use: `t` text, `c…` CSV fields, `n…` JSON numbers, and so on.
    init() {
        set("nothing", .null)
        set("yes", .boolean(true))
        set("three", .integer(3))
        set("half", .double(0.5))
        set("nan", .double(.nan))
        set("title", .text(arena.store("Äpfel und Birnen".utf8)))
        set("empty", .text(arena.store("".utf8)))
        set("digits", .text(arena.store("5".utf8)))
        set("cFive", .untypedText(arena.store("5".utf8)))
        set("cWord", .untypedText(arena.store("five".utf8)))
        set("cYes", .untypedText(arena.store("Yes".utf8)))
        set("cDate", .untypedText(arena.store("2001-01-02".utf8)))
        set("nBig", .number(arena.store("9007199254740993".utf8)))
        set("nHuge", .number(arena.store("12345678901234567890".utf8)))
        set("jOne", .number(arena.store("1.0".utf8)))
        set("jTen", .number(arena.store("1e1".utf8)))
        set("jLong", .number(arena.store("1234567890123e6".utf8)))
        set("cThree", .untypedText(arena.store("3.0".utf8)))
        set("list", .nested(isList: true))
        set("object", .nested(isList: false))
        set("date", .date(86_400))
        set("uuid", .uuid(arena.store([UInt8](repeating: 0x11, count: 16))))
        set("max", .integer(.max))
        set("min", .integer(.min))
        set("spaces", .text(arena.store(" \u{A0}\tx y\u{3000}\n".utf8)))
        set("decomposed", .text(arena.store("e\u{301}".utf8)))
        set("composed", .text(arena.store("\u{E9}".utf8)))
    }

    func value(at slot: Int) -> EvaluatedValue { values[slot] }

    private func set(_ name: String, _ value: EvaluatedValue) {
        slots[name] = values.count
        values.append(value)
    }
}

@Suite("rows 80–85, 90, 92: predicates in memory")
struct PredicateEvaluationTests {
    private func test(_ format: String) throws -> Bool {
        let row = TestRow()
        let parsed = try ParsedPredicate(format: format)
        let compiled = try CompiledPredicate(
            parsed.predicate, source: parsed.source, variables: ["x": .integer(3)], now: 90_000
        ) { row.slots[$0.joined(separator: ".")] }
        return try compiled.evaluate(row)
    }

    @Test(
        "comparisons with nil follow the rules for nil",
        arguments: [
            ("nothing == nil", true), ("nothing != 5", true), ("5 != nothing", true),
            ("nothing == 5", false), ("nothing != nil", false), ("three != nil", true),
            ("nothing < 5", false), ("nothing > 5", false), ("5 > nothing", false),
            ("nothing <= 5", false), ("nothing >= 5", false), ("nothing <= nil", true),
            ("nothing >= nil", true), ("nothing < nil", false), ("nothing IN {nil, 1}", true),
            ("nothing IN {1}", false), ("NOT (nothing IN {1})", true), ("nothing IN {}", false),
            ("nothing BETWEEN {1, 5}", false), ("three BETWEEN {nil, 5}", false),
            ("nothing CONTAINS 'x'", false), ("title CONTAINS nil", false),
            ("nothing LIKE '*'", false), ("nothing MATCHES '.*'", false), ("nan == nil", true),
            ("nan < 1", false), ("nothing + 1 == nil", true), ("three / 0 == nil", true),
            ("half / 0 == nil", true), ("-nothing == nil", true), ("nil == nothing", true),
            ("list == nil", false), ("list != nil", true), ("nil == object", false),
            ("object <> NULL", true), ("TERNARY(list == nil, 1, 2) == 2", true),
            ("nothing == nil AND object != nil", true),
        ])
    func followsNilRules(format: String, expected: Bool) throws {
        #expect(try test(format) == expected)
    }

    @Test(
        "compares numbers exactly",
        arguments: [
            ("three == 3.0", true), ("three IN {1, 3}", true), ("three BETWEEN {3, 3}", true),
            ("three BETWEEN {4, 5}", false), ("half < 1", true), ("yes == 1", true),
            ("yes == YES", true), ("jOne == 1", true), ("jOne == YES", true),
            ("nBig == 9007199254740993", true), ("nBig == 9007199254740992.0", false),
            ("nBig > 9007199254740992.0", true), ("nHuge > 9223372036854775807", true),
            ("max < 9223372036854775808.0", true), ("min >= -9223372036854775808.0", true),
            ("three == $x", true), ("7 / 2 == 3", true), ("-7 / 2 == -3", true),
            ("7 / 2.0 == 3.5", true), ("three * 2 + 1 == 7", true), ("three - -1 == 4", true),
            ("cFive == 5", true), ("cFive > 4.5", true), ("cFive + 1 == 6", true),
            ("cFive IN {4, 5}", true), ("cYes == YES", true), ("cYes == NO", false),
            ("abs(-3) == three", true), ("floor(-0.5) == -1", true), ("ceiling(half) == 1", true),
            ("round(half) == 1", true), ("coalesce(nothing, three) == 3", true),
            ("ternary(three > 2, 1, 2) == 1", true),
            // Only numbers written without a decimal point and an exponent are integers.
            ("jOne / 2 == 0.5", true), ("jTen / 4 == 2.5", true), ("cThree / 2 == 1.5", true),
            ("cFive / 2 == 2", true), ("-jOne / 2 == -0.5", true), ("round(jTen) / 4 == 2.5", true),
            ("nBig / 2 == 4503599627370496", true), ("cast(cFive, 'Double') / 2 == 2.5", true),
            ("jTen == 10", true), ("jTen IN {10}", true), ("cThree == three", true),
            ("three IN {cThree}", true), ("jOne < cThree", true), ("cThree BETWEEN {3, 3}", true),
            ("jLong == 1234567890123000000", true), ("jLong < 1234567890123000001", true),
            ("cast(jOne, 'Boolean') == YES", true), ("cast(jTen, 'Integer 16') == 10", true),
        ])
    func comparesNumbers(format: String, expected: Bool) throws {
        #expect(try test(format) == expected)
    }

    @Test(
        "compares text by its bytes",
        arguments: [
            ("title == 'Äpfel und Birnen'", true), ("decomposed == composed", false),
            ("decomposed ==[c] composed", true), ("composed ==[d] 'e'", true),
            ("composed ==[cd] 'E'", true), ("composed ==[c] 'É'", true),
            ("title ==[c] 'äPFEL UND BIRNEN'", true), ("title == 'äpfel und birnen'", false),
            ("title CONTAINS 'und'", true), ("title CONTAINS[c] 'UND'", true),
            ("title CONTAINS ''", false), ("title BEGINSWITH ''", false),
            ("title ENDSWITH ''", false), ("empty CONTAINS ''", false), ("empty == ''", true),
            ("title BEGINSWITH 'Äpf'", true), ("title BEGINSWITH[cd] 'apf'", true),
            ("title ENDSWITH 'nen'", true), ("title ENDSWITH 'Äpfel und Birnen!'", false),
            ("title LIKE '?pfel*Birne?'", true), ("title LIKE 'pfel*'", false),
            ("title LIKE '*'", true), ("empty LIKE ''", true), ("empty LIKE '?'", false),
            ("'a*b' LIKE 'a\\*b'", true), ("'axb' LIKE 'a\\*b'", false),
            ("'aXbXc' LIKE[c] '*x?'", true), ("title MATCHES '.pfel.*'", true),
            ("title MATCHES 'pfel'", false), ("title MATCHES[c] 'ÄPFEL UND .*'", true),
            ("'a' < 'b'", true), ("'Z' < 'a'", true), ("'Z' <[c] 'a'", false),
            ("'ß' ==[c] 'SS'", true), ("digits == '5'", true), ("cFive == '5'", true),
            ("length(title) == 16", true), ("trim(spaces) == 'x y'", true),
            ("lowercase(title) == 'äpfel und birnen'", true), ("uppercase('ß') == 'SS'", true),
            ("'b' BETWEEN {'a', 'c'}", true), ("'b' IN {'a', 'b'}", true),
            ("'B' IN[c] {'a', 'b'}", true),
            // Without [c], comparisons are case-sensitive, also with [d].
            ("'A' ==[d] 'a'", false), ("'a' !=[d] 'A'", true), ("'A' IN[d] {'a'}", false),
            ("'Á' IN[d] {'a', 'A'}", true), ("'A' <[d] 'B'", true), ("'a' <[d] 'B'", false),
            ("'a' >[d] 'B'", true), ("'á' >[d] 'Z'", true), ("'a' <=[d] 'A'", false),
            ("'a' BETWEEN[d] {'A', 'B'}", false), ("'a' <[cd] 'B'", true),
        ])
    func comparesText(format: String, expected: Bool) throws {
        #expect(try test(format) == expected)
    }

    @Test(
        "compares dates, UUIDs, and conditions",
        arguments: [
            ("date == CAST('2001-01-02', 'NSDate')", true), ("date < now()", true),
            ("date == today()", true), ("cDate == date", true), ("date > '2001-01-01'", true),
            ("uuid == '11111111-1111-1111-1111-111111111111'", true),
            ("uuid == CAST('11111111-1111-1111-1111-111111111111', 'NSUUID')", true),
            ("three == 3 AND (yes == NO OR half == 0.5)", true), ("NOT three == 3", false),
            ("TRUEPREDICATE", true), ("FALSEPREDICATE OR TRUEPREDICATE", true),
            ("three == 3 OR cWord > 1", true),
        ])
    func comparesOthers(format: String, expected: Bool) throws {
        #expect(try test(format) == expected)
    }

    @Test(
        "fails for comparisons and arithmetic without an answer",
        arguments: [
            ("cWord > 1", .notANumber("five")), ("cWord == YES", .notABoolean("five")),
            ("cWord == date", .notADate("five")), ("cWord == uuid", .notAUUID("five")),
            ("digits == 5", .incomparable("text", "a number")),
            ("jOne == '1'", .incomparable("a number", "text")),
            ("date == 5", .incomparable("a number", "a date")),
            ("title + 1 == 2", .wrongKind(needed: "A number", found: "text")),
            ("three CONTAINS 'x'", .wrongKind(needed: "Text", found: "a number")),
            ("list == 'x'", .nested(field: "list", isList: true)),
            ("list == nothing", .nested(field: "list", isList: true)),
            ("1 < list", .nested(field: "list", isList: true)),
            ("list == YES", .nested(field: "list", isList: true)),
            ("list IN {nil}", .nested(field: "list", isList: true)),
            ("three IN {1, list}", .nested(field: "list", isList: true)),
            ("coalesce(list, 1) == 1", .nested(field: "list", isList: true)),
            ("cast(list, 'String') == 'x'", .nested(field: "list", isList: true)),
            ("object CONTAINS 'x'", .nested(field: "object", isList: false)),
            ("object + 1 == 2", .nested(field: "object", isList: false)),
            ("length(object) == 1", .nested(field: "object", isList: false)),
            ("max + 1 == 0", .overflow), ("min - 1 == 0", .overflow), ("min / -1 == 0", .overflow),
            ("-min == 0", .overflow), ("abs(min) == 0", .overflow), ("max * 2 == 0", .overflow),
        ] as [(String, EvaluationError)])
    func rejects(format: String, expected: EvaluationError) {
        #expect(throws: expected) { try test(format) }
    }

    @Test(
        "rejects predicates that it cannot compile, with the location",
        arguments: [
            ("three == 3 AND missing == 1", 15, "There is no field 'missing'"),
            ("three == $other", 9, "The variable '$other' has no value"),
            ("ANY a.b == 1", 4, "There is no field 'a.b'"),
            ("ANY three == 1", 10, "ANY needs a to-many key path after it"),
            ("SELF == nil", 0, "A record is not an object, so there is no SELF"),
            ("three.@count == 1", 6, "@count needs a to-many key path before it"),
            (
                "split(title, ',') == 'x'", 18,
                "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count"
            ),
            ("date(title, 'QQ') == nil", 0, nil),
            ("three IN 5", 6, "IN needs a list on its right: {1, 2}"),
            ("title MATCHES 5", 6, "MATCHES needs text on its right, such as 'a'"),
            ("title BEGINSWITH YES", 6, "BEGINSWITH needs text on its right, such as 'a'"),
            ("three == {1}", 6, "A list has its place after IN and BETWEEN only"),
            ("title MATCHES '('", 6, nil),
            (
                "cast(title, 'Text') == 'x'", 0,
                "cast needs the name of an attribute's type, such as 'Integer 64'"
            ),
        ] as [(String, Int, String?)])
    func refuses(format: String, offset: Int, message: String?) {
        let error = #expect(throws: GraphPredicateError.self) { try test(format) }
        #expect(error?.byteOffset == offset)
        if let message { #expect(error?.message == message) }
    }

    @Test("evaluates trees as deep as the parser allows")
    func runsDeepTrees() throws {
        let sum = String(repeating: "1 + ", count: 390) + "1"
        #expect(try test("three == 3 AND \(sum) == 391"))
        let brackets =
            String(repeating: "(", count: 60) + "three" + String(repeating: ")", count: 60)
        #expect(try test("\(brackets) == 3"))
        let negated = String(repeating: "NOT ", count: 60) + "three == 3"
        #expect(try test(negated))
        let resolved = try ParsedPredicate(format: "priority < \(sum)")
            .resolved(for: "Task", in: PredicateResolutionTests.model())
        #expect(try GraphPredicate(format: resolved.description) == resolved)
    }

    @Test("a compiled expression computes the same value each time")
    func computesValues() throws {
        let row = TestRow()
        let compiled = try CompiledExpression(
            GraphExpression(format: "coalesce(nothing, uppercase(cWord))")
        ) { row.slots[$0.joined(separator: ".")] }
        for _ in 0..<3 {
            let bytes = try #require(try compiled.evaluate(row).textBytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "FIVE")
        }
    }

    @Test("never traps on generated predicates")
    func survivesGeneratedPredicates() throws {
        let seed = TestSeed.ofThisRun
        var generator = PredicateGenerator(seed: seed)
        let row = TestRow()
        let count = row.slots.count
        var answers = 0
        for _ in 0..<20_000 {
            let predicate = generator.predicate(depth: 3)
            do {
                let compiled = try CompiledPredicate(predicate, variables: ["x": .integer(3)]) {
                    $0.reduce(0) { $0 + $1.utf8.count } % count
                }
                _ = try compiled.evaluate(row)
                answers += 1
            } catch is GraphPredicateError {
            } catch is EvaluationError {
            }
        }
        #expect(answers > 100, "seed \(seed)")
    }
}
