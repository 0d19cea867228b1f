import GraphModel
import Testing

@Suite("Predicate errors")
struct PredicateErrorTests {
    static func model() throws -> ManagedObjectModel {
        try TaskModel.with(
            [
                .init(name: "title", type: .string), .init(name: "isCompleted", type: .boolean),
                .init(name: "priority", type: .integer16),
                .init(name: "dueDate", type: .date), .init(name: "photo", type: .binary),
                .init(name: "draft", type: .string, isTransient: true),
            ], "owner", to: "Person",
            [
                .init(
                    name: "steps", destinationEntityName: "Task", inverseName: "steps",
                    isToMany: true, isOrdered: true)
            ])
    }

    /// The printed errors; the format is the second line.
    static let cases = (syntaxErrors + "\n\n" + meaningErrors)
        .split(separator: "\n\n").map(String.init)

    static var formats: [String] { cases.compactMap(format) }

    private static func format(_ rendered: String) -> String? {
        let lines = rendered.split(separator: "\n")
        return lines.count == 3 ? String(lines[1].dropFirst(2)) : nil
    }

    private func rendered(_ format: String) throws -> String {
        let model = try Self.model()
        do throws(GraphPredicateError) {
            let parsed = try ParsedPredicate(
                format: format, arguments: format.contains("%") ? ["x"] : [])
            let resolved = try parsed.resolved(
                for: "Task", in: model, variables: ["limit": 3, "list": [1, 2]])
            return "no error: \(resolved)"
        } catch {
            return error.rendered
        }
    }

    @Test("an error shows what is wrong, and where", arguments: cases)
    func renders(expected: String) throws {
        let format = try #require(Self.format(expected))
        #expect(try rendered(format) == expected)
    }

    @Test("an error shows the line that it is in, even an empty one")
    func rendersLines() throws {
        #expect(try rendered("") == "The predicate is empty [predicate.syntax]\n  ^")
        #expect(
            try rendered("title == 'x' AND\n    priority = 'five'") == """
                A number cannot be compared with text ("five") [predicate.type]
                      priority = 'five'
                                 ^
                """)
    }

    @Test("rejects trees that are built too deep in code, without a location")
    func refusesDeepTrees() throws {
        var deep = GraphKey("priority") == 1
        for _ in 0..<1_000 { deep = !deep }
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try deep.resolved(for: "Task", in: model)
        }
        #expect(error?.rendered == "The predicate is nested too deeply [predicate.too-deep]")
        let argument = #expect(throws: GraphPredicateError.self) {
            try GraphPredicate(format: "NOT %@", deep)
        }
        #expect(argument?.code == .tooDeep)
    }

    @Test(
        "replaces an index by its value if the elements are known",
        arguments: [
            ("{1, 2, 3}[FIRST] == priority", "1 == priority"),
            ("priority == {1, 2, 3}[LAST]", "priority == 3"),
            ("priority == {1, 2, 3}[7]", "priority == nil"),
            ("$list[SIZE] == priority", "2 == priority"),
            ("priority == {1, 2}[priority]", "priority == {1, 2}[priority]"),
            ("tags[SIZE] > 1", "tags.@count > 1"),
            ("split(title, ',')[SIZE] > 1", "split(title, \",\")[SIZE] > 1"),
            ("split(title, ',')[0] == 'x'", "split(title, \",\")[0] == \"x\""),
            ("steps[FIRST].isCompleted == 1", "steps[FIRST].isCompleted == YES"),
            ("steps[0].steps.@count > 1.0", "steps[0].steps.@count > 1"),
            ("ANY steps[LAST].tags.name == 'x'", "ANY steps[LAST].tags.name == \"x\""),
            ("steps[FIRST] == SELF", "steps[FIRST] == SELF"),
            ("cast(title, 'NSDate') > dueDate", "cast(title, \"Date\") > dueDate"),
            ("priority IN $list", "priority IN {1, 2}"),
            ("priority BETWEEN $list", "priority BETWEEN {1, 2}"),
        ])
    func resolvesIndexes(format: String, expected: String) throws {
        let resolved = try ParsedPredicate(format: format)
            .resolved(for: "Task", in: Self.model(), variables: ["list": [1, 2]])
        #expect(resolved.description == expected)
    }
}
