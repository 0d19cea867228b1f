import TestSeeds
import Testing

@testable import GraphModel

@Suite("Predicate parser")
struct PredicateParserTests {
    @Test(
        "prints a parsed predicate in canonical form",
        arguments: [
            ("a = 1", "a == 1"), ("a <> 1", "a != 1"), ("a =< 1", "a <= 1"),
            ("a => 1", "a >= 1"), ("a==1&&b==2||!c==3", "a == 1 AND b == 2 OR NOT c == 3"),
            ("a == 1 or b == 2 and not c == 3", "a == 1 OR b == 2 AND NOT c == 3"),
            ("a == 1 and b == 2 and c == 3", "a == 1 AND b == 2 AND c == 3"),
            ("(a == 1 and b == 2) and c == 3", "(a == 1 AND b == 2) AND c == 3"),
            ("not a == 1 and b == 2", "NOT a == 1 AND b == 2"),
            ("a == yes and b == FALSE and c == nil", "a == YES AND b == NO AND c == nil"),
            ("a == NULL", "a == nil"), ("name == 'it\\'s'", "name == \"it's\""),
            ("name == \"a\\\"b\\\\c\\n\"", "name == \"a\\\"b\\\\c\\n\""),
            ("name contains[CD] 'x'", "name CONTAINS[cd] \"x\""),
            ("name beginswith [c] 'x'", "name BEGINSWITH[c] \"x\""),
            ("name matches '\\d+'", "name MATCHES \"\\\\d+\""),
            ("name LIKE 'a\\*b*'", "name LIKE \"a\\\\*b*\""),
            ("a in {1, 2.5, 'x', nil}", "a IN {1, 2.5, \"x\", nil}"), ("a IN {}", "a IN {}"),
            ("a not in {1}", "NOT a IN {1}"), ("a between {1, 5}", "a BETWEEN {1, 5}"),
            ("any tags.name == 'x'", "ANY tags.name == \"x\""),
            ("SOME tags.name == 'x'", "ANY tags.name == \"x\""),
            ("all tags.n > 1", "ALL tags.n > 1"), ("NONE tags.n > 1", "NONE tags.n > 1"),
            ("tags.@count > 0", "tags.@count > 0"),
            ("tasks.@sum.estimate >= 10", "tasks.@sum.estimate >= 10"),
            (
                "subquery(tasks, $x, $x.done == YES).@count > 0",
                "SUBQUERY(tasks, $x, $x.done == YES).@count > 0"
            ),
            ("ternary(a > 1, b, c) == 2", "TERNARY(a > 1, b, c) == 2"),
            ("lowercase:(name) == 'x'", "lowercase(name) == \"x\""),
            ("a + b * c - d / 2 > 0", "a + b * c - d / 2 > 0"),
            ("(a + b) * c == -1", "(a + b) * c == -1"), ("-(a) == - b", "-a == -b"),
            ("a - (b - c) == a / (b * c)", "a - (b - c) == a / (b * c)"),
            ("a == --b and a == --5", "a == --b AND a == --5"),
            (
                "not (a == 1 or b == 2) and (c == 3 or d == 4)",
                "NOT (a == 1 OR b == 2) AND (c == 3 OR d == 4)"
            ),
            ("a - -1 == -(1)", "a - -1 == -(1)"), ("a -1 == 0", "a - 1 == 0"),
            ("a == -9223372036854775808", "a == -9223372036854775808"),
            ("a == 1.0 OR b == 1e3", "a == 1.0 OR b == 1000.0"),
            (
                "#in == 1 and a.#order == 2 and a.in == 3",
                "#in == 1 AND a.order == 2 AND a.#in == 3"
            ),
            ("#'Full Name' == 'x'", "#\"Full Name\" == \"x\""), ("SELF == $x", "SELF == $x"),
            ("SELF.a == $x.b.c", "a == $x.b.c"), ("TRUEPREDICATE", "TRUEPREDICATE"),
            ("falsepredicate and a == 1", "FALSEPREDICATE AND a == 1"),
            ("d < CAST('2024-02-29', 'NSDate')", "d < CAST('2024-02-29T00:00:00Z', 'NSDate')"),
            ("d < CAST(0.1, 'NSDate')", "d < CAST('2001-01-01T00:00:00.1Z', 'NSDate')"),
            (
                "u == cast('00112233-4455-6677-8899-aabbccddeeff', 'NSUUID')",
                "u == CAST('00112233-4455-6677-8899-AABBCCDDEEFF', 'NSUUID')"
            ),
            ("é == 'ü'", "é == \"ü\""), ("  a\n==\t1  ", "a == 1"),
            ("count:(owner.tasks) > 1", "owner.tasks.@count > 1"),
            ("average:(tasks.hours) > sum(tasks.cost)", "tasks.@avg.hours > tasks.@sum.cost"),
            (
                "d < CAST('inf', 'NSDate') OR d > CAST('-inf', 'NSDate')",
                "d < CAST('inf', 'NSDate') OR d > CAST('-inf', 'NSDate')"
            ),
            (
                ".1234567890123456789012345678901234567890123 == a",
                "0.1234567890123456789012345678901234567890123 == a"
            ),
        ])
    func prints(format: String, expected: String) throws {
        let predicate = try GraphPredicate(format: format)
        #expect(predicate.description == expected)
        #expect(try GraphPredicate(format: predicate.description) == predicate)
    }

    @Test("substitutes arguments for placeholders")
    func arguments() throws {
        let predicate = try GraphPredicate(
            format: "%K == %@ AND n IN %@ AND m BETWEEN {%d, %f} AND %K.@count > %ld AND z == %@",
            "owner.name", "x", [1, 2], 3, 4.5, "tags", 0, String?.none)
        #expect(
            predicate.description == "owner.name == \"x\" AND n IN {1, 2} AND m BETWEEN {3, 4.5} "
                + "AND tags.@count > 0 AND z == nil")
    }

    @Test(
        "reports what is wrong, and where",
        arguments: [
            ("a == ", 5, "predicate.syntax", "A value is missing at the end"),
            ("", 0, "predicate.syntax", "The predicate is empty"),
            (
                "a", 0, "predicate.syntax",
                "'a' alone is not a condition; compare it, as in '== YES' or '!= nil'"
            ),
            ("a == 'x", 5, "predicate.syntax", "The quoted text is not closed"),
            ("a == 1 b", 7, "predicate.syntax", "AND, OR, or the end is expected here"),
            ("a 1", 2, "predicate.syntax", "An operator is missing before this value"),
            (
                "a == 1 == 2", 7, "predicate.syntax",
                "A comparison ends here; join it with AND or OR"
            ),
            ("a == 1)", 6, "predicate.syntax", "AND, OR, or the end is expected here"),
            ("(a == 1", 0, "predicate.syntax", "')' is missing"),
            (
                "a == IN", 5, "predicate.syntax",
                "'IN' is a keyword; a key of that name is written #IN"
            ),
            (
                "a CONTAINS[x] 'b'", 11, "predicate.syntax",
                "'x' is not an option; the options are c, d, and n"
            ),
            ("a IN (1, 2)", 5, "predicate.syntax", "A list is written in braces: {1, 2}"),
            ("(a == 1) == 2", 0, "predicate.syntax", "A value is needed here, not a condition"),
            ("a ` 1", 2, "predicate.syntax", "'`' has no meaning here"),
            ("a & 1", 2, "predicate.syntax", "A comparison is missing"),
            (
                "a.$b == 1", 2, "predicate.syntax",
                "A dictionary is not a value here; after the dot, write a key or %K"
            ),
            ("a == 12x", 7, "predicate.syntax", "A number ends in a letter"),
            ("a == 1e999", 5, "predicate.syntax", "The number is too large"),
            (
                "a == lenght(b)", 5, "predicate.function",
                "There is no function 'lenght'. Did you mean 'length'?"
            ),
            ("a == length(b, c)", 5, "predicate.function", "'length' takes 1 argument, not 2"),
            (
                "FUNCTION('x', 'y') == 1", 0, "predicate.function",
                "FUNCTION(…) calls methods by name, which is not allowed"
            ),
            (
                "tasks.@cuont > 1", 6, "predicate.syntax",
                "There is no collection operator '@cuont'. Did you mean '@count'?"
            ),
            (
                "sum:(hours) > 1", 5, "predicate.syntax",
                "A key path is expected here; write tasks.@sum.hours"
            ),
            (
                "count:(5) > 1", 7, "predicate.syntax",
                "A key path is expected here; write tasks.@count"
            ),
            (
                "'x' IS NULL", 4, "predicate.syntax",
                "IS NULL is SQL; predicates compare with nil"
            ),
            ("a == %@", 5, "predicate.argument", "There is no argument for %@"),
            (
                "a[] == 1", 2, "predicate.syntax",
                "FIRST, LAST, SIZE, or a number is missing in the brackets"
            ),
            ("d == CAST('x', 'NSDate')", 5, "predicate.type", "The value is not of type NSDate"),
        ])
    func reportsErrors(format: String, offset: Int, code: String, message: String) {
        let error = #expect(throws: GraphPredicateError.self) { try GraphPredicate(format: format) }
        #expect(error?.byteOffset == offset)
        #expect(error?.code.rawValue == code)
        #expect(error?.message == message)
    }

    @Test(
        "reports arguments that do not fit their placeholders",
        arguments: [
            ("%K == 1", ["a..b"], 0, "The argument for %K must be a key path"),
            ("%K == 1", ["a.@nope"], 0, "The argument for %K must be a key path"),
            ("a.%K == 1", [], 2, "There is no argument for %K"),
            ("a.%K == 1", ["SELF"], 2, "The argument for %K must be a key path"),
            ("a.%K == 1", ["@count.x"], 2, "The argument for %K must be a key path"),
            (
                "a.@sum.%K == 1", ["b.@count"], 7,
                "One collection operator cannot follow another"
            ),
        ] as [(String, [String], Int, String)])
    func reportsArguments(format: String, arguments: [String], offset: Int, message: String) {
        let error = #expect(throws: GraphPredicateError.self) {
            try ParsedPredicate(format: format, arguments: arguments)
        }
        #expect(error?.byteOffset == offset)
        #expect(error?.message == message)
    }

    @Test("reports an expression without any text")
    func rejectsEmptyExpressions() {
        let error = #expect(throws: GraphPredicateError.self) { try GraphExpression(format: " ") }
        #expect(error?.message == "The expression is empty")
    }

    @Test("prints values and trees that only code can build")
    func printsBuiltTrees() throws {
        #expect(GraphPredicate.and([]).description == "TRUEPREDICATE")
        #expect(GraphPredicate.or([]).description == "FALSEPREDICATE")
        #expect(GraphExpression.keyPath([]).description == "SELF")
        #expect(GraphValue.uuid([1]).description == "CAST('AQ==', 'NSData')")
        let notANumber = try GraphPredicate(format: "a == CAST('nan', 'NSNumber')")
        #expect(notANumber.description == "a == CAST('nan', 'NSNumber')")
    }

    @Test("shows the location below the line")
    func rendersErrors() {
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphPredicate(format: "é == 1 AND\n\tb == 'x")
        }
        #expect(
            error?.rendered == """
                The quoted text is not closed [predicate.syntax]
                  \tb == 'x
                  \t     ^
                """)
        #expect(error?.description == "The quoted text is not closed (column 18)")
    }

    @Test("rejects a format that nests too deeply instead of overflowing the stack")
    func limitsDepth() {
        let many = 100_000
        for format in [
            String(repeating: "(", count: many), String(repeating: "NOT ", count: many),
            String(repeating: "!", count: many),
            "a == " + String(repeating: "-", count: many) + "b",
            "a == " + String(repeating: "1 + ", count: many) + "1",
            "a IN " + String(repeating: "{", count: many),
            "a == " + String(repeating: "abs(", count: many),
        ] {
            let error = #expect(throws: GraphPredicateError.self) {
                try GraphPredicate(format: format)
            }
            #expect(error?.code == .tooDeep, "\(format.prefix(20))")
        }
    }

    @Test("a long chain of conditions does not count as depth")
    func allowsLongChains() throws {
        let parts = (0..<5_000).map { "a == \($0)" }
        guard case .or(let found) = try GraphPredicate(format: parts.joined(separator: " OR "))
        else {
            Issue.record("no OR")
            return
        }
        #expect(found.count == 5_000)
    }

    @Test("a printed predicate parses to the same tree")
    func printsAndParses() throws {
        let seed = TestSeed.ofThisRun
        var generator = PredicateGenerator(seed: seed)
        for _ in 0..<5_000 {
            let predicate = generator.predicate(depth: 4)
            let parsed = try ParsedPredicate(format: predicate.description)
            #expect(parsed.predicate == predicate, "seed \(seed): \(predicate)")
            #expect(
                parsed.source.offsets.count == TreeSize(predicate).nodes,
                "seed \(seed): \(predicate)")
        }
    }

    @Test(arguments: ["-(4)", "-(4.5)", "-(0.1234567890123456789012345)"])
    func keepsTheMinusBeforeANumberInBrackets(text: String) throws {
        let predicate = try GraphPredicate(format: "\(text) == a")
        #expect(predicate.description == "\(text) == a")
        #expect(try GraphPredicate(format: predicate.description) == predicate)
    }

    @Test("never traps, for any bytes")
    func survivesAnyBytes() {
        let seed = TestSeed.ofThisRun
        var generator = PredicateGenerator(seed: seed)
        var alphabet = Array("aA1.0 '\"\\#$@%K()[]{},<>=!&|+-*/:é\n\t_\0eE".utf8)
        alphabet += [0xFF, 0xC3, 0x80]
        for round in 0..<30_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = (0..<Int.random(in: 0...40, using: &generator.random)).map { _ in
                    alphabet.randomElement(using: &generator.random) ?? 0
                }
            } else {
                bytes = Array(generator.predicate(depth: 3).description.utf8)
                for _ in 0..<3 {
                    let place = Int.random(in: 0..<bytes.count, using: &generator.random)
                    switch Int.random(in: 0...2, using: &generator.random) {
                    case 0: bytes[place] = alphabet.randomElement(using: &generator.random) ?? 0
                    case 1: bytes.removeSubrange(place...)
                    default: bytes.insert(contentsOf: bytes[place...], at: place)
                    }
                    if bytes.isEmpty { bytes = [0x20] }
                }
            }
            let format = String(decoding: bytes, as: UTF8.self)
            do {
                let predicate = try GraphPredicate(format: format)
                #expect(
                    try GraphPredicate(format: predicate.description) == predicate,
                    "seed \(seed): \(format)")
            } catch {
                _ = error.rendered
            }
        }
    }
}
