import Testing

@testable import GraphModel

/// One check of a text reports every mistake in it.
@Suite("Every mistake of a format") struct FormatCheckTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              title: String
              number: Integer 32
              due: Date
              age: { type: Integer 32, transient: true }
            relationships:
              owner: { to: Person, inverse: tasks }
              steps: { to: Task, many: true }
          Person:
            attributes: { name: String }
            relationships: { tasks: { to: Task, many: true, inverse: owner, ordered: true } }
        """

    private static func check(_ entity: String? = "Task") throws -> FormatCheck {
        let model = try ManagedObjectModel(yaml: Self.model)
        return FormatCheck(
            entityName: entity, model: model, variables: ["n": GraphValue.integer(1)])
    }

    private static func text(_ mistakes: [GraphPredicateError]) -> [String] {
        mistakes.map { "\($0.column ?? 0) \($0.message)" }
    }

    @Test(
        "reports every mistake of a predicate",
        arguments: [
            ("title == 'x' AND number > $n", []),
            ("title == $n", ["10 Text cannot be compared with a number ($n)"]),
            (
                "titel == 'x' AND numbr > $m",
                [
                    "1 'Task' has no property 'titel'. Did you mean 'title'?",
                    "18 'Task' has no property 'numbr'. Did you mean 'number'?",
                    "26 The variable '$m' has no value. Did you mean 'n'?",
                ]
            ),
            (
                "title IN {'a', 5, nil, YES} AND number BETWEEN {'x', $m}",
                [
                    "16 Text cannot be compared with a number (5)",
                    "24 Text cannot be compared with a boolean (YES)",
                    "49 A number cannot be compared with text (\"x\")",
                    "54 The variable '$m' has no value. Did you mean 'n'?",
                ]
            ),
            // The text after a syntax error is not read.
            (
                "uper(title) == 'X' AND number >",
                ["1 There is no function 'uper'", "32 A value is missing at the end"]
            ),
            (
                "length(title, 1) > 2 AND lowercase(number) == 'x'",
                ["1 'length' takes 1 argument, not 2", "36 'lowercase' needs text, not a number"]
            ),
            (
                "~2.5 == 1 AND number & 2.5 == 1",
                [
                    "2 '~' takes whole numbers, not fractions",
                    "24 '&' takes whole numbers, not fractions",
                ]
            ),
            (
                "owner.tasks[0].owner.tasks[0].owner.tasks[0].owner.tasks[0]"
                    + ".owner.tasks[0].title == 'x' AND numbr == 1",
                [
                    "72 A key path has more than 4 elements by index, which SQLite cannot nest",
                    "93 'Task' has no property 'numbr'. Did you mean 'number'?",
                ]
            ),
            (
                "owner.tasks[0].owner.tasks[LAST].owner.tasks[LAST].owner.tasks[LAST].title == 'x'",
                []
            ),
            // Consequences of a mistake are not reported separately.
            (
                "lowercase(titel) == 'x' AND due > numbr + 1 AND owner.nam IN {1, 'x'}",
                [
                    "11 'Task' has no property 'titel'. Did you mean 'title'?",
                    "35 'Task' has no property 'numbr'. Did you mean 'number'?",
                    "49 'Person' has no property 'nam'. Did you mean 'name'?",
                ]
            ),
            // The positions after a mistake still refer to the original text.
            (
                "SUBQUERY(owner, $t, $t.x == 1 AND nope == 2).@count > 1 AND due == 5",
                [
                    "10 SUBQUERY needs a collection or a list, not an object (Person)",
                    "35 'Task' has no property 'nope'",
                    "68 A date cannot be compared with a number (5)",
                ]
            ),
            (
                "SUBQUERY(step, $t, $t.x == nope).@count > 1 OR ANY steps.titl == 'x' "
                    + "OR steps[0] == nil OR owner.tasks[titel].numbr > 1",
                [
                    "10 'Task' has no property 'step'. Did you mean 'steps'?",
                    "28 'Task' has no property 'nope'",
                    "52 'Task' has no property 'titl'. Did you mean 'title'?",
                    "78 This collection has no order, so it has no element by index",
                    "103 'Task' has no property 'numbr'. Did you mean 'number'?",
                    "104 'Task' has no property 'titel'. Did you mean 'title'?",
                ]
            ),
            (
                "ternary(a == 1, number, title) == 1 AND -due > 1 AND cast(b, 'Foo') == age",
                [
                    "9 'Task' has no property 'a'",
                    "25 The alternatives are of different types, a number and text",
                    "42 Arithmetic needs numbers, not a date",
                    "59 'Task' has no property 'b'",
                    "62 cast needs the name of an attribute's type, such as 'Integer 64'",
                    "72 'age' of 'Task' is transient, so its values are not stored",
                ]
            ),
        ])
    func predicates(_ format: String, _ expected: [String]) throws {
        let (resolved, mistakes) = try Self.check().predicate(format)
        #expect(Self.text(mistakes) == expected)
        #expect(!mistakes.isEmpty || resolved != nil)
        // The library still throws one of the errors: the first one that it finds.
        do throws(GraphPredicateError) {
            let model = try Self.parsedModel()
            _ = try ParsedPredicate(format: format)
                .resolved(for: "Task", in: model, variables: ["n": GraphValue.integer(1)])
            #expect(mistakes.isEmpty)
        } catch {
            #expect(mistakes.contains { $0.code == error.code })
        }
    }

    @Test("counts errors beyond twenty, and clips long lines around the caret")
    func manyMistakes() throws {
        let text = { (count: Int) in
            (0..<count).map { "nope\($0) == 1" }.joined(separator: " OR ")
        }
        #expect(try Self.check().predicate(text(21)).mistakes.count == 21)
        for (count, last) in [
            (22, "There are 2 more errors from here"), (500, "There are 480 more errors from here"),
            (30_000, "There are at least 981 more errors from here"),
        ] {
            let mistakes = try Self.check().predicate(text(count)).mistakes
            #expect(mistakes.count == 21)
            #expect(Self.text(mistakes).first == "1 'Task' has no property 'nope0'")
            #expect(mistakes.last?.message == last)
        }
        let third = try Self.check().predicate(text(500)).mistakes[10]
        let indent = String(repeating: " ", count: 61)
        #expect(
            third.excerpt == """
                … OR nope6 == 1 OR nope7 == 1 OR nope8 == 1 OR nope9 == 1 OR \
                nope10 == 1 OR nope11 == 1 OR nope12 == 1 OR nope13 == 1 OR …
                \(indent)^
                """)
    }

    private static func parsedModel() throws(GraphPredicateError) -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(yaml: Self.model)
        } catch {
            throw GraphPredicateError(.unsupported, error.description)
        }
    }

    @Test(
        "reports every mistake of a value for an attribute",
        arguments: [
            ("number + 1", "number", []),
            ("title", "number", ["1 'number' (Integer 32) cannot hold text"]),
            (
                "numbr + titel", "number",
                [
                    "1 'Task' has no property 'numbr'. Did you mean 'number'?",
                    "9 'Task' has no property 'titel'. Did you mean 'title'?",
                ]
            ),
        ])
    func assignments(_ format: String, _ attribute: String, _ expected: [String]) throws {
        let model = try ManagedObjectModel(yaml: Self.model)
        let target = try #require(model.attribute(attribute, of: "Task"))
        let mistakes = try Self.check().expression(format, assignedTo: target).mistakes
        #expect(Self.text(mistakes) == expected)
    }

    @Test(
        "reports the mistakes that do not depend on the keys if the entity is unknown",
        arguments: [nil, "X"])
    func anyKeys(_ entity: String?) throws {
        let mistakes = try Self.check(entity)
            .predicate("a.b == $x AND lowercase(5) == foo(c) AND d < $n").mistakes
        #expect(
            Self.text(mistakes) == [
                "8 The variable '$x' has no value. Did you mean 'n'?",
                "25 'lowercase' needs text, not a number",
                "31 There is no function 'foo'",
            ])
    }

    @Test("accepts any collection and any index if the entity is unknown")
    func anyCollections() throws {
        let mistakes = try Self.check(nil)
            .predicate("a.b.@sum.c > 1 AND a[0] == 1 AND a.@count > 1 AND lowercase(5) == 'x'")
            .mistakes
        #expect(Self.text(mistakes) == ["61 'lowercase' needs text, not a number"])
    }
}
