import Testing

@testable import GraphModel

/// Trees that code builds are not checked by the parser.
@Suite("Evaluation of trees built in code")
struct PredicateTreeTests {
    private static func id(_ key: Int64) -> ManagedObjectID {
        ManagedObjectID(entityNumber: 1, primaryKey: key)
    }

    private static let task: GraphRecord = {
        var task: GraphRecord = [
            "title": "Milk", "priority": 2, "limits": [1, 3], "nils": [nil], "words": ["a", "b"],
            "nan": .value(.double(.nan)), "nested": [[1, 2], 3],
        ]
        task.id = id(1)
        task.fields["tags"] = .list([
            .record(GraphRecord(id: id(7), ["name": "food"])),
            .record(GraphRecord(id: id(8), ["name": "shop"])),
        ])
        return task
    }()

    private static let title = GraphExpression.keyPath(["title"])

    @Test(
        "an expression has the value for the record",
        arguments: [
            (GraphExpression.evaluatedObject, GraphValue.object(id(1))),
            (.keyPath([]), .object(id(1))),
            (.member(.evaluatedObject, ["title"]), .string("Milk")),
            (.keyPath(["nan"]), .null),
            (
                .constant(.decimal("0.1234567890123456789")), .decimal("0.1234567890123456789")
            ),
            (matching("tags", .member(.variable("x", []), ["name"]), "food"), .integer(1)),
        ])
    func computes(expression: GraphExpression, expected: GraphValue) throws {
        #expect(try expression.value(with: Self.task) == expected)
    }

    /// Returns the number of elements for which an expression of `$x` equals the text.
    private static func matching(
        _ collection: String, _ expression: GraphExpression, _ text: String
    ) -> GraphExpression {
        let condition = GraphPredicate.comparison(
            GraphComparison(expression, .equal, .constant(.string(text))))
        return .collection(
            .subquery(.keyPath([collection]), variable: "x", condition), .count, [])
    }

    @Test(
        "an expression fails if it has several values, or if a value has no keys",
        arguments: [
            (.aggregate([.constant(.integer(1))]), EvaluationError.severalValues),
            (.collection(.keyPath(["limits"]), .unionOfObjects, []), .severalValues),
            (
                .subquery(.keyPath(["limits"]), variable: "x", .constant(true)), .severalValues
            ),
            (.function("split", [title, .constant(.string(","))]), .severalValues),
            (.member(.keyPath(["tags"]), ["name"]), .severalValues),
            (.member(title, ["x"]), .wrongKind(needed: "An object", found: "text")),
            (
                matching("words", .member(.variable("x", []), ["y"]), "a"),
                .wrongKind(needed: "An object", found: "text")
            ),
        ] as [(GraphExpression, EvaluationError)])
    func fails(expression: GraphExpression, expected: EvaluationError) {
        #expect(throws: expected) { try expression.value(with: Self.task) }
    }

    @Test(
        "an expression with an unknown name or a wrong number of arguments is invalid",
        arguments: [
            (.function("nope", []), "There is no function 'nope'"),
            (.function("length", []), "'length' does not take 0 arguments"),
        ] as [(GraphExpression, String)])
    func rejects(expression: GraphExpression, message: String) {
        let error = #expect(throws: GraphPredicateError.self) {
            try expression.value(with: Self.task)
        }
        #expect(error?.message == message)
        #expect(error?.code == .function)
    }

    @Test("a predicate that is nested too deeply is invalid")
    func rejectsDeepTrees() {
        var deep = GraphKey("priority") == 2
        for _ in 0..<1_001 { deep = !deep }
        let error = #expect(throws: GraphPredicateError.self) { try deep.evaluate(with: Self.task) }
        #expect(error?.code == .tooDeep)
    }

    @Test(
        "a predicate without a model reports what is wrong",
        arguments: [
            ("{1, 2}.@sum.x == 3", "There is no field 'x'"),
            ("SUBQUERY({1, 2}, $x, $x.y == 1).@count == 1", "'$x' is a value and has no keys"),
            (
                "SUBQUERY({1}, $element, $elemnt == 1).@count == 1",
                "The variable '$elemnt' has no value. Did you mean 'element'?"
            ),
        ])
    func rejectsFormats(format: String, message: String) throws {
        let predicate = try GraphPredicate(format: format)
        let error = #expect(throws: GraphPredicateError.self) {
            try predicate.evaluate(with: Self.task)
        }
        #expect(error?.message == message)
    }

    @Test("an invalid date pattern is reported with the pattern that was probably meant")
    func suggestsPatterns() throws {
        let predicate = try GraphPredicate(format: "date(title, 'YYYY-MM-DD') == nil")
        let error = #expect(throws: GraphPredicateError.self) {
            try predicate.evaluate(with: Self.task)
        }
        #expect(error?.message.hasSuffix(", as in 'yyyy-MM-dd'") == true)
    }

    @Test(
        "nil elements of a collection have no keys, and lists of a record can be bounds",
        arguments: [
            ("priority BETWEEN limits", true), ("5 BETWEEN limits", false),
            ("ANY nils.name == 1", false), ("nils.@sum.weight == 0", true),
            ("SUBQUERY(nils, $x, $x.name == nil).@count == 1", true),
            ("SUBQUERY(tags, $x, $x.name == 'shop').@count == 1", true),
        ])
    func evaluates(format: String, expected: Bool) throws {
        #expect(try GraphPredicate(format: format).evaluate(with: Self.task) == expected)
    }

    @Test("a value in a collection has no keys in a SUBQUERY")
    func rejectsKeysOfElements() throws {
        let predicate = try GraphPredicate(format: "SUBQUERY(words, $x, $x.name == 1).@count == 1")
        #expect(throws: EvaluationError.wrongKind(needed: "An object", found: "text")) {
            try predicate.evaluate(with: Self.task)
        }
    }

    @Test("a distinct union compares values of every type")
    func distinctValues() throws {
        let values: [GraphValue] = [
            .date(secondsSinceReference: 1), .uuid([UInt8](repeating: 1, count: 16)),
            .binary([1]), .object(Self.id(3)), .decimal("0.1234567890123456789"), .integer(1),
            .double(0.5), .string("a"),
        ]
        let twice = GraphRecord(["list": .list((values + values).map { .value($0) })])
        let union = GraphExpression.collection(.keyPath(["list"]), .distinctUnionOfObjects, [])
        #expect(try union.values(with: twice) == values)
    }

    @Test("the values of a collection are the IDs of its objects, and nested lists are flattened")
    func collections() throws {
        #expect(
            try GraphExpression.keyPath(["tags"]).values(with: Self.task)
                == [.object(Self.id(7)), .object(Self.id(8))])
        #expect(
            try GraphExpression.keyPath(["nested"]).values(with: Self.task)
                == [.integer(1), .integer(2), .integer(3)])
    }

    @Test("the last value of a repeated key is used in a record")
    func repeatedKeys() {
        let key = "a"
        let record: GraphRecord = ["a": 1, key: 2]
        #expect(record == ["a": 2])
        let outer: GraphRecord = ["inner": ["a": 1, key: 2]]
        #expect(outer == ["inner": ["a": 2]])
    }

    // MARK: Objects of a model

    private static func scheme() throws -> ModelScheme {
        let handles = ["title": 0, "tags": 1, "name": 2, ObjectNumber.explicitKey: 3]
        return ModelScheme(try PredicateResolutionTests.model(), entityName: "Task") { handles[$1] }
    }

    @Test(
        "a path of keys has handles if the model and the objects have each key",
        arguments: [
            (["title"], [0]), (["tags", "name"], [1, 2]), (["objectID"], [3]),
            (["tags", "objectID"], [1, 3]), (["objectID", "name"], nil), (["photo"], nil),
            (["title", "name"], nil), (["nope"], nil),
        ] as [([String], [Int]?)])
    func paths(keys: [String], handles: [Int]?) throws {
        var scheme = try Self.scheme()
        #expect(scheme.path(of: keys, from: 0)?.handles == handles)
    }

    @Test("objects cannot be sorted by a to-many key path")
    func rejectsSortKeys() throws {
        var scheme = try Self.scheme()
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphSorter([GraphSortDescriptor(["tags", "name"])], over: &scheme)
        }
        #expect(error?.message == "Objects cannot be sorted by 'tags.name', which is to-many")
        #expect(error?.code == .toMany)
    }
}
