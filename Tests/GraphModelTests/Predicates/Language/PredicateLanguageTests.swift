import Foundation
import GraphModel
import TestSeeds
import Testing

/// Formats from NSPredicate's documentation, object stores, and open reimplementations.
enum PredicateFormats {
    /// A format, the values of its placeholders, and the canonical text.
    struct Shape: Sendable, CustomTestStringConvertible {
        var format: String
        var arguments: [any GraphPredicateArgument]
        var expected: String
        var testDescription: String { format }

        init(_ format: String, _ arguments: any GraphPredicateArgument..., prints: String) {
            self.format = format
            self.arguments = arguments
            expected = prints
        }
    }

    static let documented: [Shape] = [
        .init("TRUEPREDICATE", prints: "TRUEPREDICATE"),
        .init(
            "(truepredicate) && !(FALSEPREDICATE)", prints: "TRUEPREDICATE AND NOT FALSEPREDICATE"),
        .init("firstName IN {'Ann', \"Bob\"}", prints: "firstName IN {\"Ann\", \"Bob\"}"),
        .init("1 BETWEEN {0, 33}", prints: "1 BETWEEN {0, 33}"),
        .init("attr BETWEEN %@", [1, 10], prints: "attr BETWEEN {1, 10}"),
        .init("attr BETWEEN %@", 1...10, prints: "attr BETWEEN {1, 10}"),
        .init("attr BETWEEN $RANGE", prints: "attr BETWEEN $RANGE"),
        .init("attr == %@", prints: "attr == nil"),
        .init("group.name matches \"work.*\"", prints: "group.name MATCHES \"work.*\""),
        .init("ALL children.age > 18", prints: "ALL children.age > 18"),
        .init("ANY children.age > 18", prints: "ANY children.age > 18"),
        .init("SOME children.age<18", prints: "ANY children.age < 18"),
        .init("NONE children.age < 18", prints: "NONE children.age < 18"),
        .init("NOT ANY children.age < 18", prints: "NOT ANY children.age < 18"),
        .init("name LIKE[cdn] 'a*'", prints: "name LIKE[cdn] \"a*\""),
        .init("name LIKE[NDC] 'a*'", prints: "name LIKE[cdn] \"a*\""),
        .init("name beginswith[ dc ] %@", "x", prints: "name BEGINSWITH[cd] \"x\""),
        .init(
            "name ==[c] %@ AND name IN[cd] %@", "x", ["y"],
            prints: "name ==[c] \"x\" AND name IN[cd] {\"y\"}"),
        .init("name BETWEEN[c] {'a', 'b'}", prints: "name BETWEEN[c] {\"a\", \"b\"}"),
        .init("SELF IN {'a', 'b'}", prints: "SELF IN {\"a\", \"b\"}"),
        .init(
            "self == %@", ManagedObjectID(entityNumber: 2, primaryKey: 7),
            prints: "SELF == CAST('2/p7', 'NSManagedObjectID')"),
        .init("SELF IN $ids", prints: "SELF IN $ids"),
        .init("SELF.name == $x.name", prints: "name == $x.name"),
        .init("#self == 1 AND #'select' == 2", prints: "#self == 1 AND select == 2"),
        .init(
            "tags[FIRST] == 'x' OR tags[last] == 'y'",
            prints: "tags[FIRST] == \"x\" OR tags[LAST] == \"y\""),
        .init("tags[size] > 2 AND tags[0] == 1", prints: "tags[SIZE] > 2 AND tags[0] == 1"),
        .init("tags[#first] == tags[first + 1]", prints: "tags[#first] == tags[first + 1]"),
        .init("tags[0].owner.tags[LAST].name == 1", prints: "tags[0].owner.tags[LAST].name == 1"),
        .init(
            "$x.tags[$i].name == 1 AND {1, 2}[FIRST] == 1",
            prints: "$x.tags[$i].name == 1 AND {1, 2}[FIRST] == 1"),
        .init("split(name, ',')[SIZE] == 2", prints: "split(name, \",\")[SIZE] == 2"),
        .init("(a + b)[0].c == 1 AND (a).b == 1", prints: "(a + b)[0].c == 1 AND a.b == 1"),
        .init("tags[0].tasks.@count > 1", prints: "tags[0].tasks.@count > 1"),
        .init(
            "a == 0x1F AND b == 0o17 AND c == 0b101 AND d == 1.5E-3",
            prints: "a == 31 AND b == 15 AND c == 5 AND d == 0.0015"),
        .init(
            "a == -0x8000000000000000 AND b == .5 AND c == 1e3",
            prints: "a == -9223372036854775808 AND b == 0.5 AND c == 1000.0"),
        .init(
            #"a == "\u00e9\uD83D\uDE00" AND b == '\u12' AND c == '\"'"#,
            prints: #"a == "é😀" AND b == "\\u12" AND c == "\"""#),
        .init(
            #"a == 'it\'s' AND b == "say 'hi'" AND c == '\\d'"#,
            prints: #"a == "it's" AND b == "say 'hi'" AND c == "\\d""#),
        .init("a == '\0\u{7F}'", prints: #"a == "\u0000\u007F""#),
        .init(
            "date < CAST(631152000.000000, \"NSDate\")",
            prints: "date < CAST('2021-01-01T00:00:00Z', 'NSDate')"),
        .init("CAST(a, \"Integer 64\") == 1", prints: "cast(a, \"Integer 64\") == 1"),
        .init("a == CAST('inf', 'NSNumber')", prints: "a == CAST('inf', 'NSNumber')"),
        .init(
            "tasks.@max.estimate >= 1 and tasks.@avg.estimate < 2 && tasks.@sum.a == tasks.@min.b",
            prints:
                "tasks.@max.estimate >= 1 AND tasks.@avg.estimate < 2 AND tasks.@sum.a == tasks.@min.b"
        ),
        .init(
            "'x' IN tasks.@distinctUnionOfObjects.name",
            prints: "\"x\" IN tasks.@distinctUnionOfObjects.name"),
        .init(
            "ANY tasks.@unionOfObjects.name CONTAINS[c] 'x'",
            prints: "ANY tasks.@unionOfObjects.name CONTAINS[c] \"x\""),
        .init(
            "SUBQUERY(tasks, $t, $t.done = NO AND ANY $t.tags.name = 'x').@count > 2",
            prints: "SUBQUERY(tasks, $t, $t.done == NO AND ANY $t.tags.name == \"x\").@count > 2"),
        .init(
            "subquery(a, $x, subquery($x.b, $y, $y.c == $x.d).@count != 0).@count == 0",
            prints: "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == $x.d).@count != 0).@count == 0"),
        .init(
            "SUBQUERY(tasks, $t, $t.done == NO).@max.estimate > 1",
            prints: "SUBQUERY(tasks, $t, $t.done == NO).@max.estimate > 1"),
        .init("{a, b + 1, length(c)} CONTAINS 2", prints: "{a, b + 1, length(c)} CONTAINS 2"),
        .init("TERNARY(a > 1, 'x', nil) != nil", prints: "TERNARY(a > 1, \"x\", nil) != nil"),
        .init("nOt nOT a=1 oR b<>2", prints: "NOT NOT a == 1 OR b != 2"),
        .init(
            "a => 1 && b =< 2 || c >= 3 && !d <= 4",
            prints: "a >= 1 AND b <= 2 OR c >= 3 AND NOT d <= 4"),
        .init("$VALUE == a", prints: "$VALUE == a"),
        .init(
            "a|b^c&d<<1+2*3**2 == ~x", prints: "a | b ^ c & d << 1 + 2 * 3 ** 2 == ~x"),
        .init(
            "(a | b) & c == 2 ** (3 ** 2) AND (2 ** 3) ** 2 == -x ** 2",
            prints: "(a | b) & c == 2 ** 3 ** 2 AND (2 ** 3) ** 2 == -x ** 2"),
        .init("a - -1 == 2 * -(3 + b) / 4", prints: "a - -1 == 2 * -(3 + b) / 4"),
        .init("größe == 1 AND 名前 == '太郎'", prints: "größe == 1 AND 名前 == \"太郎\""),
    ]

    static let arguments: [Shape] = [
        .init("%K == %@", "owner.name", "x", prints: "owner.name == \"x\""),
        .init(
            "owner.%K == 1 AND owner.%K > 2", "address.city", "tasks.@count",
            prints: "owner.address.city == 1 AND owner.tasks.@count > 2"),
        .init(
            "%K > 1 AND %K.@count > 2", "tasks.@count", "tags",
            prints: "tasks.@count > 1 AND tags.@count > 2"),
        .init(
            "%K == 1 AND %K == 2", "SELF.in", "tasks.@sum.estimate",
            prints: "#in == 1 AND tasks.@sum.estimate == 2"),
        .init(
            "tasks.@sum.%K == 1 AND tasks.@max.owner.%K > 2", "estimate", "address.number",
            prints: "tasks.@sum.estimate == 1 AND tasks.@max.owner.address.number > 2"),
        .init("ANY %K.name IN %@", "tags", ["a", "b"], prints: "ANY tags.name IN {\"a\", \"b\"}"),
        .init("$x.%K == 1", "a", prints: ""),
        .init(
            "a IN {%d, %i, %u, %x, %ld, %lu, %lld, %llu, %f, %lf, %g}", 1, Int8(-2), UInt8(3),
            Int16(4), UInt16(5), Int32(-6), UInt32(7), UInt64.max, Float(0.5), 1.25, Int64.min,
            prints: "a IN {1, -2, 3, 4, 5, -6, 7, 1.8446744073709552e+19, 0.5, 1.25, "
                + "-9223372036854775808}"),
        .init(
            "a == %@ AND b == %@", Decimal(string: "12.5") ?? 0, Decimal(7),
            prints: "a == 12.5 AND b == 7"),
        .init(
            "a == %@", Date(timeIntervalSinceReferenceDate: 0.5),
            prints: "a == CAST('2001-01-01T00:00:00.5Z', 'NSDate')"),
        .init(
            "a == %@", UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"),
            prints: "a == CAST('00112233-4455-6677-8899-AABBCCDDEEFF', 'NSUUID')"),
        .init(
            "a == %@ OR a == %@", Data([1, 2, 3]), [1, 2, 3] as [UInt8],
            prints: "a == CAST('AQID', 'NSData') OR a == CAST('AQID', 'NSData')"),
        .init(
            "a == %@", URL(string: "https://example.org/a?b=c"),
            prints: "a == \"https://example.org/a?b=c\""),
        .init(
            "SELF IN %@", [ManagedObjectID(entityNumber: 1, primaryKey: 2)],
            prints: "SELF IN {CAST('1/p2', 'NSManagedObjectID')}"),
        .init("a == %@ AND b == %@", Bool?.none, true as Bool?, prints: "a == nil AND b == YES"),
        .init("a IN %@", Set(["x"]), prints: "a IN {\"x\"}"),
        .init(
            "%K == 1 AND %K.@count > 2", GraphKey("a.b"), GraphExpression.keyPath(["c"]),
            prints: "a.b == 1 AND c.@count > 2"),
        .init("%K == $x", "SELF", prints: "SELF == $x"),
        .init("a == %@", "xyz".dropFirst(), prints: "a == \"yz\""),
        .init("a IN {%u, %u}", UInt(3), UInt.max, prints: "a IN {3, 1.8446744073709552e+19}"),
        .init("a IN %@", [1, nil, 3] as [Int?], prints: "a IN {1, nil, 3}"),
        .init(
            "a == 1 AND %@ OR NOT %@", GraphKey("b") == 2,
            (GraphKey("c") == 3 || GraphKey("d") == 4),
            prints: "a == 1 AND b == 2 OR NOT (c == 3 OR d == 4)"),
        .init(
            "%@ > length(%@)", GraphKey("a") + 1, GraphExpression.keyPath(["b"]),
            prints: "a + 1 > length(b)"),
        .init(
            "%@[FIRST] == 1 AND {%@, 2}[%d] == 2", [1, 2], 1, 1,
            prints: "{1, 2}[FIRST] == 1 AND {1, 2}[1] == 2"),
        .init("a == '%@' AND b == %@", 1, prints: "a == \"%@\" AND b == 1"),
    ].filter { !$0.expected.isEmpty }

    /// The output of the query builder of a well-known object store.
    static let builderWritten: [Shape] = [
        .init("(%@ IN list)", 1, prints: "1 IN list"),
        .init("(NOT %@ IN list)", 1, prints: "NOT 1 IN list"),
        .init("(ANY list IN %@)", [1, 2], prints: "ANY list IN {1, 2}"),
        .init("(NOT ANY linkingObjects IN %@)", [1], prints: "NOT ANY linkingObjects IN {1}"),
        .init("(a BETWEEN {%@, %@})", 1, 2, prints: "a BETWEEN {1, 2}"),
        .init("((a >= %@) && (a < %@))", 1, 2, prints: "a >= 1 AND a < 2"),
        .init("(!(a >= %@) && (a < %@))", 1, 2, prints: "NOT a >= 1 AND a < 2"),
        .init(
            "((list.@min >= %@) && (list.@max <= %@))", 1, 2,
            prints: "list.@min >= 1 AND list.@max <= 2"),
        .init("(list.@min.intCol <= %@)", 1, prints: "list.@min.intCol <= 1"),
        .init(
            "(object.list.@avg.doubleValue != %@)", 1.5,
            prints: "object.list.@avg.doubleValue != 1.5"),
        .init("(object.set.@count == %@)", 3, prints: "object.set.@count == 3"),
        .init(
            "(ANY map.@allKeys CONTAINS[cd] %@)", "foo",
            prints: "ANY map.@allKeys CONTAINS[cd] \"foo\""),
        .init("(ANY map.@allValues ==[d] %@)", "Foó", prints: "ANY map.@allValues ==[d] \"Foó\""),
        .init(
            "(NOT ANY map.@allValues !=[c] %@)", "x", prints: "NOT ANY map.@allValues !=[c] \"x\""),
        .init(
            "map.@allKeys == %@ OR map.@allValues LIKE[c] %@", "x", "y*",
            prints: "map.@allKeys == \"x\" OR map.@allValues LIKE[c] \"y*\""),
        .init("(map[%@] == %@)", "foo", 1, prints: "map[\"foo\"] == 1"),
        .init("map['foo'] == 1 AND any[%@][%@] == 2 AND col[*] == 3", "a", 0, prints: ""),
        .init(
            "(NOT map[%@] CONTAINS[cd] %@)", "foo", "x",
            prints: "NOT map[\"foo\"] CONTAINS[cd] \"x\""),
        .init(
            "((a != %@) || (anyCol[%@][%@] == %@))", 1, "foo", 0, 2,
            prints: "a != 1 OR anyCol[\"foo\"][0] == 2"),
        .init(
            "(((a == %@) || (b == %@)) && ((a != %@) || (b != %@)))", 1, 2, 3, 4,
            prints: "(a == 1 OR b == 2) AND (a != 3 OR b != 4)"),
        .init(
            "(NOT ((a == %@) || (b CONTAINS %@)) && (b == %@))", 1, "x", "y",
            prints: "NOT (a == 1 OR b CONTAINS \"x\") AND b == \"y\""),
        .init(
            "(SUBQUERY(arrayCol, $col1, (($col1.arrayInt.@count >= %@) && "
                + "(SUBQUERY(arrayCol, $col2, ($col2.intCol != %@)).@count > %@))).@count > %@)",
            0, 123, 0, 0,
            prints: "SUBQUERY(arrayCol, $col1, $col1.arrayInt.@count >= 0 AND "
                + "SUBQUERY(arrayCol, $col2, $col2.intCol != 123).@count > 0).@count > 0"),
        .init(
            "(SUBQUERY(arrayCol, $obj, ($obj.stringCol == stringCol)).@count == %@)", 0,
            prints: "SUBQUERY(arrayCol, $obj, $obj.stringCol == stringCol).@count == 0"),
        .init("(stringCol BEGINSWITH[cd] stringCol)", prints: "stringCol BEGINSWITH[cd] stringCol"),
        .init("(arrayCol.@count == setCol.@count)", prints: "arrayCol.@count == setCol.@count"),
        .init("(stringCol == %@)", String?.none, prints: "stringCol == nil"),
        .init("(location IN %@)", [1.5, 2.5], prints: "location IN {1.5, 2.5}"),
    ].filter { !$0.expected.isEmpty }

    static var all: [Shape] {
        documented.filter { !$0.format.contains("%@") } + arguments + builderWritten
    }
}

@Suite("Predicate language")
struct PredicateLanguageTests {
    @Test(
        "parses every form, and its printed text gives the same tree",
        arguments: PredicateFormats.all)
    func parsesShapes(_ shape: PredicateFormats.Shape) throws {
        let parsed = try ParsedPredicate(format: shape.format, arguments: shape.arguments)
        #expect(parsed.predicate.description == shape.expected)
        #expect(try GraphPredicate(format: shape.expected) == parsed.predicate)
    }

    @Test("an encoded predicate decodes to the same tree")
    func codes() throws {
        let seed = TestSeed.ofThisRun
        var generator = PredicateGenerator(seed: seed)
        for _ in 0..<1_000 {
            let predicate = generator.predicate(depth: 3)
            let data = try JSONEncoder().encode([predicate])
            let decoded = try JSONDecoder().decode([GraphPredicate].self, from: data)
            #expect(decoded == [predicate], "seed \(seed): \(predicate)")
        }
    }

    @Test("the encoding is the canonical text")
    func encodesText() throws {
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        }
        let predicate = try GraphPredicate(format: "a = 'x' && b > 2")
        #expect(try text(predicate) == #""a == \"x\" AND b > 2""#)
        #expect(try text(GraphExpression(format: "a+1")) == #""a + 1""#)
        #expect(try text(GraphValue.boolean(true)) == #""YES""#)
        guard case .and(let parts) = predicate, case .comparison(let second) = parts[1] else {
            Issue.record("no AND")
            return
        }
        #expect(try text(second) == #""b > 2""#)
        let sort = GraphSortDescriptor(["a", "b"], ascending: false)
        let decoded = try JSONDecoder().decode(
            GraphSortDescriptor.self, from: try JSONEncoder().encode(sort))
        #expect(decoded == sort)
    }

    @Test(
        "decoding rejects text that is not a predicate or is too deep",
        arguments: [
            #""a ==""#, "5", #"{"and":[]}"#,
            "\"" + String(repeating: "(", count: 500) + "a == 1"
                + String(repeating: ")", count: 500) + "\"",
            "\"a == 1" + String(repeating: " + 1", count: 500) + "\"",
        ])
    func refusesToDecode(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GraphPredicate.self, from: Data(json.utf8))
        }
    }

    @Test("expressions, values, and comparisons decode from their text")
    func decodesParts() throws {
        func decoded<Part: Decodable>(_ json: String, as type: Part.Type) throws -> Part {
            try JSONDecoder().decode(type, from: Data(json.utf8))
        }
        #expect(
            try decoded(#""a + 1""#, as: GraphExpression.self)
                == .arithmetic(.add, .keyPath(["a"]), .constant(.integer(1))))
        #expect(try decoded(#""YES""#, as: GraphValue.self) == .boolean(true))
        #expect(
            try decoded(#""a > 1""#, as: GraphComparison.self)
                == GraphComparison(.keyPath(["a"]), .greater, .constant(.integer(1))))
        #expect(throws: DecodingError.self) { try decoded(#""a""#, as: GraphValue.self) }
        #expect(throws: DecodingError.self) {
            try decoded(#""a > 1 AND b > 1""#, as: GraphComparison.self)
        }
        #expect(throws: DecodingError.self) { try decoded(#""a +""#, as: GraphExpression.self) }
    }

    @Test("encoding rejects trees that cannot be decoded")
    func refusesToEncode() {
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(GraphExpression.function("rm -rf", []))
        }
        var deep = GraphKey("a") == 1
        for _ in 0..<1_000 { deep = !deep }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(deep) }
        var deepValue = GraphExpression.keyPath(["a"])
        for _ in 0..<1_000 { deepValue = .negation(deepValue) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(deepValue) }
    }

    @Test("substitutes values, lists, and objects for variables")
    func substitutes() throws {
        let format =
            "a IN $ids AND b == $b AND $c.d == 1 AND $later > 2 "
            + "AND SUBQUERY(e, $b, $b.f == $ids).@count > 0"
        let predicate = try GraphPredicate(format: format)
        #expect(predicate.variables == ["ids", "b", "c", "later"])
        let bound = try predicate.substituting(variables: [
            "ids": [1, 2], "b": ManagedObjectID(entityNumber: 1, primaryKey: 2),
            "c": GraphKey("owner"),
        ])
        #expect(
            bound.description == "a IN {1, 2} AND b == CAST('1/p2', 'NSManagedObjectID') "
                + "AND owner.d == 1 AND $later > 2 "
                + "AND SUBQUERY(e, $b, $b.f == {1, 2}).@count > 0")
        let error = #expect(throws: GraphPredicateError.self) {
            try predicate.substituting(variables: ["c": 1])
        }
        #expect(error?.message == "'$c' is a value and has no keys")
    }

    @Test("parsing takes time linear in the length, up to the limit")
    func isLinear() throws {
        let bytes = 1 << 17
        func time(_ piece: String, _ before: String, _ after: String, _ count: Int) -> Duration {
            let format = before + String(repeating: piece, count: count) + after
            let start = threadTime()
            _ = try? GraphPredicate(format: format)
            return threadTime() - start
        }
        for (piece, before, after) in [
            ("a.", "", "a == 1"), ("a == 1 AND ", "", "a == 1"), ("1, ", "a IN {", "1}"),
            ("a", "", " == 1"), ("a", "", "(1) == 1"), ("\\u0041", "a == '", "'"),
            ("9", "a == ", ""), ("f", "a == 0x", ""), (" ", "", "a == 1"), ("(", "", ""),
            ("{", "a == ", ""), ("NOT ", "", ""), ("-", "a == ", ""), ("a[", "", ""),
            ("abs(", "", ""), ("SUBQUERY(a, $x, ", "", ""), ("1 + ", "a == ", ""), ("'", "", ""),
            ("TERNARY(", "", ""), ("a == 1, ", "", ""), ("@", "a.", ""), ("#", "", ""),
            ("é", "", " == 1"), ("[0]", "a", " == 1"), ("(a == 1) OR ", "", "a == 1"),
        ] {
            let count = bytes / piece.utf8.count
            let small = time(piece, before, after, count / 16)
            let large = time(piece, before, after, count)
            #expect(large < small * 64 + .milliseconds(200), "\(piece): \(small), then \(large)")
        }
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphPredicate(format: String(repeating: " ", count: 1 << 21))
        }
        #expect(error?.code == .tooLong)
    }

    /// Returns the CPU time of this thread, which other threads do not affect.
    private func threadTime() -> Duration {
        var time = timespec()
        #expect(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("error codes are stable")
    func keepsCodes() {
        #expect(
            GraphPredicateError.Code.allCases.map(\.rawValue) == [
                "predicate.syntax", "predicate.too-deep", "predicate.too-long",
                "predicate.argument", "predicate.unknown-key", "predicate.function",
                "predicate.type", "predicate.to-many", "predicate.variable",
                "predicate.unsupported",
            ])
    }
}
