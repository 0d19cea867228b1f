import Testing

@testable import GraphModel

@Suite("Numbers of objects in predicates")
struct ObjectNumberTests {
    private static func model() throws -> ManagedObjectModel {
        let tasks = try PredicateResolutionTests.model()
        let tagged = EntityDescription(
            name: "Tagged",
            ownAttributes: [AttributeDescription(name: "objectID", type: .string)])
        return try ManagedObjectModel(entities: tasks.entities + [tagged])
    }

    @Test(
        "objectID resolves to an integer and prints as it is parsed",
        arguments: [
            ("objectID == 42", "objectID == 42"), ("#objectID == 42", "#objectID == 42"),
            ("objectID IN {1, 2.0, $limit}", "objectID IN {1, 2, 3}"),
            ("category.objectID == 3", "category.objectID == 3"),
            ("SELF.objectID < 3", "objectID < 3"),
            ("ANY tags.objectID BETWEEN {1, 2}", "ANY tags.objectID BETWEEN {1, 2}"),
            ("tags.@max.objectID > 1", "tags.@max.objectID > 1"),
            (
                "SUBQUERY(tags, $x, $x.#objectID == 1).@count > 0",
                "SUBQUERY(tags, $x, $x.#objectID == 1).@count > 0"
            ),
        ])
    func resolve(format: String, expected: String) throws {
        let resolved = try GraphPredicate(format: format)
            .resolved(for: "Task", in: Self.model(), variables: ["limit": GraphValue.integer(3)])
        #expect(resolved.description == expected)
        #expect(try GraphPredicate(format: expected) == resolved)
    }

    @Test("objectID accepts placeholders for the key and the value")
    func placeholders() throws {
        let predicate = try GraphPredicate(format: "%K == %d", "category.objectID", 3)
        #expect(
            try predicate.resolved(for: "Task", in: Self.model()).description
                == "category.objectID == 3")
        let built: GraphPredicate = GraphKey("objectID") == 42
        #expect(try built == GraphPredicate(format: "objectID == 42"))
    }

    @Test("a property named objectID hides the primary key, except with #")
    func propertiesWin() throws {
        let model = try Self.model()
        func resolved(_ format: String) throws -> String {
            try GraphPredicate(format: format).resolved(for: "Tagged", in: model).description
        }
        #expect(try resolved("objectID == 'a'") == "objectID == \"a\"")
        #expect(try resolved("#'objectID' == 'a'") == "objectID == \"a\"")
        #expect(try resolved("#objectID == 1") == "#objectID == 1")
        #expect(throws: GraphPredicateError.self) { try resolved("objectID == 1") }
        #expect(throws: GraphPredicateError.self) { try resolved("#objectID == 'a'") }
    }

    @Test(
        "objectID is checked as a number",
        arguments: [
            ("objectID == 'x'", "A number cannot be compared with text (\"x\")"),
            ("objectID.name == 1", "'objectID' is a number and has no keys"),
            (
                "category.objectId == 1",
                "'Category' has no property 'objectId'. Did you mean 'objectID'?"
            ),
        ])
    func mistakes(format: String, message: String) throws {
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphPredicate(format: format).resolved(for: "Task", in: model)
        }
        #expect(error?.message == message)
    }

    @Test("objectID of a record is the primary key of its object, or nil without one")
    func records() throws {
        let numbered = try GraphPredicate(format: "objectID == 7")
        let object = GraphRecord(
            id: ManagedObjectID(entityNumber: 1, primaryKey: 7), ["owner": ["name": "a"]])
        #expect(try numbered.evaluate(with: object))
        #expect(try !numbered.evaluate(with: ["owner": nil]))
    }
}
