import Testing

@testable import GraphModel

/// The parser accepts the language as the reference describes it.
@Suite("Table of the predicate language")
struct PredicateLanguageTableTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              title: String
              isCompleted: Boolean
              dueOn: Date
              priority: Integer 16
            relationships:
              parent: { to: Task, inverse: subtasks }
              subtasks: { to: Task, many: true, inverse: parent }
              tags: { to: Tag, many: true, inverse: tasks }
          Tag:
            attributes: { name: String }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
        """

    private static let conditions =
        PredicateTerm.comparisons + PredicateTerm.modifiers + PredicateTerm.options
        + PredicateTerm.connectives + PredicateTerm.constants + PredicateTerm.collections
        + PredicateTerm.collectionFunctions

    @Test("each example of a condition resolves against a model", arguments: conditions)
    func conditionExamples(_ term: PredicateTerm) throws {
        let model = try ManagedObjectModel(yaml: Self.model)
        _ = try ParsedPredicate(format: term.example)
            .resolved(for: "Task", in: model, variables: ["now": GraphValue.null])
        #expect(!term.meaning.isEmpty)
    }

    @Test(
        "each example of arithmetic resolves against a model", arguments: PredicateTerm.arithmetic)
    func arithmeticExamples(_ term: PredicateTerm) throws {
        let model = try ManagedObjectModel(yaml: Self.model)
        _ = try ParsedExpression(format: term.example).resolved(for: "Task", in: model)
    }

    @Test(
        "each example of a function has the result in the table", arguments: PredicateFunction.all)
    func functionExamples(_ function: PredicateFunction) throws {
        let example = try ParsedExpression(format: function.example)
        #expect(function.example.contains(function.name + "("))
        guard !function.isOfGeneratedRecords else { return }
        let value = try example.expression.value(with: GraphRecord([:]), now: 0)
        guard let result = function.exampleResult else { return #expect(value != .null) }
        #expect(
            try GraphExpression(format: result).value(with: GraphRecord([:]), now: 0) == value)
    }

    @Test("the table lists all functions and keywords of the parser")
    func complete() {
        let functions = PredicateFunction.all.map(\.name)
        #expect(Set(functions).count == functions.count)
        // `~` is an operator, and listed as one.
        #expect(Set(PredicateFunction.named.keys).subtracting(functions) == ["~"])
        #expect(PredicateTerm.arithmetic.contains { $0.spellings == ["~"] })
        let spelled = Self.conditions.flatMap(\.spellings)
        #expect(Set(spelled).count == spelled.count)
        #expect(Set(PredicateKeywords.reserved).subtracting(spelled) == [])
        #expect(
            PredicateTerm.comparisons.map(\.spellings).prefix(4) == [
                ["==", "="], ["!=", "<>"], ["<"], ["<=", "=<"],
            ])
    }
}
