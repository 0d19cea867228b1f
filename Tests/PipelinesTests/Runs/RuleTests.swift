import Diagnostics
import GraphModel
import GraphStore
import Testing

@testable import Pipelines

/// Model rules over the complete object, as imports and updates enforce them.
@Suite("Rules over whole objects")
struct RuleTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 64, optional: false }
              done: { type: Boolean, default: false }
              at: Date
            unique: [[id]]
            validate:
              - { rule: "at == nil OR done == YES", message: "a completion date needs a completed task" }
        """

    @Test("rejects a record that would violate a rule, for new and existing objects")
    func imports() throws {
        let folder = try Workspace()
        try folder.write(
            "a.ndjson",
            """
            {"id":1,"done":true,"at":"2026-01-01"}
            {"id":2,"at":"2026-01-01"}
            {"id":3}
            {"id":3,"at":"2026-01-01"}
            {"id":1,"done":false}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: a.ndjson, into: Task }", top: "rejects: { allow: 3 }")
        #expect(run.lines == ["import import-a: 5 read, 2 inserted, 3 rejected"])
        #expect(
            try folder.rows("SELECT ZID, ZDONE, ZAT IS NULL FROM ZTASK ORDER BY ZID") == [
                "1|1|0", "3|0|1",
            ])
    }

    @Test("an update that would violate a rule changes nothing")
    func updates() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":1,"done":true,"at":"2026-01-01"}"#)
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: Task }
            - { update: undo, entity: Task, where: ALL, set: { done: false } }
            """)
        #expect(run.status == .dataError)
        #expect(run.text.contains("a completion date needs a completed task"))
        #expect(try folder.rows("SELECT ZDONE, Z_OPT FROM ZTASK") == ["1|1"])
    }

    @Test(
        "the message for a value out of range formats it by the attribute's type",
        arguments: [
            (AttributeType.integer16, 5.0, 7.0, "'x' must be at most 5, and is 7"),
            (.double, 5.5, 7.25, "'x' must be at most 5.5, and is 7.25"),
            (
                .date, 0, 86_400,
                "'x' must be at most 2001-01-01T00:00:00Z, and is 2001-01-02T00:00:00Z"
            ),
        ])
    func ranges(_ type: AttributeType, _ most: Double, _ value: Double, _ message: String) {
        var attribute = AttributeDescription(name: "x", type: type)
        attribute.range = NumberRange(minimum: nil, maximum: most)
        #expect(AttributeValidator(attribute).problem(with: .real(value)) == message)
    }

    @Test("the message for a value outside a range or length with one end names this end")
    func oneEnd() {
        var day = AttributeDescription(name: "x", type: .date)
        day.range = NumberRange(minimum: 86_400, maximum: nil)
        #expect(
            AttributeValidator(day).problem(with: .integer(0))
                == "'x' must be at least 2001-01-02T00:00:00Z, and is 2001-01-01T00:00:00Z")
        var price = AttributeDescription(name: "x", type: .decimal)
        price.range = NumberRange(minimum: nil, maximum: 5)
        var name = AttributeDescription(name: "x", type: .string)
        name.length = NumberRange(minimum: 3, maximum: nil)
        for (attribute, text, expected) in [
            (price, "6.5", "'x' must be at most 5, and is 6.5"), (price, "-6.5", nil),
            (name, "ab", "'x' must have at least 3 characters, and has 2"), (name, "abc", nil),
        ] {
            var text = text
            let problem = text.withUTF8 { AttributeValidator(attribute).problem(with: .text($0)) }
            #expect(problem == expected)
        }
    }

    @Test("skips a pattern that the engine cannot compile")
    func brokenPattern() {
        let validator = AttributeValidator(
            AttributeDescription(name: "code", type: .string, pattern: "["))
        var text = "x"
        let problem = text.withUTF8 { validator.problem(with: .text($0)) }
        #expect(problem == nil)
    }

    @Test(
        "a constant fits an attribute if it can be cast to it",
        arguments: [
            ("plain words", []), ("https://a.b", [.uri]), (":x", []), ("yes", [.boolean]),
            ("7", [.integer16, .integer32, .integer64, .double, .float, .decimal]),
            ("70000", [.integer32, .integer64, .double, .float, .decimal]),
            ("2026-01-02", [.date]), ("YQ==", [.binary]),
        ] as [(String, Set<AttributeType>)])
    func constants(text: String, types: Set<AttributeType>) {
        let constant = ConstantValue.text(
            TemplateText(literal: text, at: SourceLocation(file: "a", line: 1, column: 1)))
        let fitting = AttributeType.allCases.filter { type in
            let attribute = AttributeDescription(name: "a", type: type)
            return ConstantCheck.wanted(constant, for: attribute) == nil
        }
        #expect(Set(fitting) == types.union([.string, .transformable]))
    }
}
