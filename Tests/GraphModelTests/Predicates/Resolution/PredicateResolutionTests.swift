import Testing

@testable import GraphModel

@Suite("Predicates against a model")
struct PredicateResolutionTests {
    static func model() throws -> ManagedObjectModel {
        try TaskModel.with(
            [
                .init(name: "id", type: .uuid), .init(name: "title", type: .string),
                .init(name: "isCompleted", type: .boolean),
                .init(name: "priority", type: .integer16),
                .init(name: "estimate", type: .double), .init(name: "price", type: .decimal),
                .init(name: "dueDate", type: .date), .init(name: "photo", type: .binary),
                .init(name: "address", type: .transformable),
            ], "category", to: "Category")
    }

    static let variables: [String: GraphValue] = [
        "now": .date(secondsSinceReference: 0), "limit": .integer(3), "text": .string("2024-02-29"),
    ]

    @Test(
        "gives constants the types of their columns",
        arguments: [
            ("isCompleted == 1", "isCompleted == YES"),
            ("isCompleted != false", "isCompleted != NO"),
            ("1 == isCompleted", "YES == isCompleted"), ("priority == YES", "priority == 1"),
            ("priority < 2.0", "priority < 2"), ("priority < 2.5", "priority < 2.5"),
            ("estimate == 2", "estimate == 2.0"),
            ("price IN {1, 2.5, nil}", "price IN {1.0, 2.5, nil}"),
            ("estimate == 9007199254740993", "estimate == 9007199254740993"),
            ("dueDate < $now", "dueDate < CAST('2001-01-01T00:00:00Z', 'NSDate')"),
            (
                "dueDate BETWEEN {'2001-01-01', $text}",
                "dueDate BETWEEN {CAST('2001-01-01T00:00:00Z', 'NSDate'), CAST('2024-02-29T00:00:00Z', 'NSDate')}"
            ),
            (
                "id == '00112233-4455-6677-8899-aabbccddeeff'",
                "id == CAST('00112233-4455-6677-8899-AABBCCDDEEFF', 'NSUUID')"
            ),
            ("priority + 1 > $limit", "priority + 1 > 3"), ("title == nil", "title == nil"),
            ("category.name BEGINSWITH[c] 'w'", "category.name BEGINSWITH[c] \"w\""),
            ("category == nil AND address == nil", "category == nil AND address == nil"),
            ("ANY tags.name == 'x'", "ANY tags.name == \"x\""),
            ("ALL category.tasks.priority IN {1, YES}", "ALL category.tasks.priority IN {1, 1}"),
            ("tags.@count > 0", "tags.@count > 0"), ("'x' IN tags.name", "\"x\" IN tags.name"),
            ("tags.name CONTAINS 'x'", "tags.name CONTAINS \"x\""),
            ("category.tasks.@sum.priority > 1.0", "category.tasks.@sum.priority > 1"),
            (
                "SUBQUERY(tags, $t, $t.name == title AND $t.tasks.@count > $limit).@count > 0",
                "SUBQUERY(tags, $t, $t.name == title AND $t.tasks.@count > 3).@count > 0"
            ),
            ("length(title) > 2", "length(title) > 2"), ("TRUEPREDICATE", "TRUEPREDICATE"),
            ("ternary(isCompleted == 1, 1, 2) == 1", "TERNARY(isCompleted == YES, 1, 2) == 1"),
            ("isCompleted == 1.0", "isCompleted == YES"),
            ("isCompleted == 0.0", "isCompleted == NO"),
            ("estimate == YES", "estimate == 1.0"), ("estimate != NO", "estimate != 0.0"),
            ("estimate == 0.12345678901234567890123", "estimate == 0.12345678901234568"),
            ("priority == 0.12345678901234567890123", "priority == 0.12345678901234568"),
            ("-isCompleted == 1", "-isCompleted == 1"),
            ("photo == CAST('AQID', 'NSData')", "photo == CAST('AQID', 'NSData')"),
            ("priority == {}[priority]", "priority == {}[priority]"),
            (
                "SUBQUERY(tags.name, $n, $n.length > 3).@count > 0",
                "SUBQUERY(tags.name, $n, length($n) > 3).@count > 0"
            ),
        ])
    func resolves(format: String, expected: String) throws {
        let resolved = try ParsedPredicate(format: format)
            .resolved(for: "Task", in: Self.model(), variables: Self.variables)
        #expect(resolved.description == expected)
        let plain = try GraphPredicate(format: format)
            .resolved(for: "Task", in: Self.model(), variables: Self.variables)
        #expect(plain == resolved)
    }

    @Test(
        "rejects invalid keys and types with the location",
        arguments: [
            (
                "titel == 'x'", 0, "predicate.unknown-key",
                "'Task' has no property 'titel'. Did you mean 'title'?"
            ),
            (
                "priority == 1 AND category.nane == 'x'", 18, "predicate.unknown-key",
                "'Category' has no property 'nane'. Did you mean 'name'?"
            ),
            (
                "title.size > 1", 0, "predicate.unknown-key",
                "'title' of 'Task' is an attribute and has no keys"
            ),
            ("title == 5", 9, "predicate.type", "Text cannot be compared with a number (5)"),
            (
                "priority > '5'", 11, "predicate.type",
                "A number cannot be compared with text (\"5\")"
            ),
            (
                "priority IN {1, '5'}", 16, "predicate.type",
                "A number cannot be compared with text (\"5\")"
            ),
            (
                "dueDate < 'tomorrow'", 10, "predicate.type",
                "'tomorrow' is not a date; write one such as \"2026-01-31\" or \"2026-01-31T18:30:00Z\""
            ),
            ("dueDate < 5", 10, "predicate.type", "A date cannot be compared with a number (5)"),
            (
                "isCompleted == 2", 15, "predicate.type",
                "A boolean cannot be compared with a number (2)"
            ),
            ("title == dueDate", 9, "predicate.type", "Text cannot be compared with a date"),
            (
                "address == 'x'", 11, "predicate.type",
                "A transformable value cannot be compared with text (\"x\")"
            ),
            (
                "tags.name == 'x'", 0, "predicate.to-many",
                "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count"
            ),
            ("ANY title == 'x'", 4, "predicate.to-many", "ANY needs a to-many key path after it"),
            (
                "title.@count > 1", 0, "predicate.to-many",
                "@count needs a to-many key path before it"
            ),
            ("tags.@sum.name > 1", 5, "predicate.type", "@sum needs numbers, not text"),
            (
                "dueDate < $noow", 10, "predicate.variable",
                "The variable '$noow' has no value. Did you mean 'now'?"
            ),
            ("$now.x == 1", 0, "predicate.variable", "'$now' is a value and has no keys"),
            ("title + 1 == 2", 0, "predicate.type", "Arithmetic needs numbers, not text"),
            (
                "title IN 5", 9, "predicate.type",
                "IN needs a list, a collection, or a text on its right, not a number"
            ),
            (
                "priority BETWEEN {1}", 17, "predicate.type",
                "BETWEEN needs a list of two bounds: {1, 5}"
            ),
            ("priority CONTAINS 'x'", 0, "predicate.type", "CONTAINS compares text, not a number"),
            ("category < category", 0, "predicate.type", "Objects have no order"),
            (
                "title MATCHES 'a(?=b)'", 14, "predicate.type",
                "Look-ahead and look-behind are not supported (column 2 of the pattern)"
            ),
            ("length(priority) > 1", 7, "predicate.function", "'length' needs text, not a number"),
            (
                "isCompleted == 0.5", 15, "predicate.type",
                "A boolean cannot be compared with a number (0.5)"
            ),
            (
                "ANY tags.name IN title", 17, "predicate.to-many",
                "ANY with IN needs a list or a collection on its right"
            ),
            (
                "title == tags.name", 9, "predicate.to-many",
                "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count"
            ),
            (
                "tags.name == nil", 0, "predicate.to-many",
                "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count"
            ),
            (
                "{1} == {2}", 7, "predicate.type",
                "Lists are not compared with each other; ask for values by IN"
            ),
            (
                "priority == CAST('1/p2', 'NSManagedObjectID')", 12, "predicate.type",
                "A number cannot be compared with an object (CAST('1/p2', 'NSManagedObjectID'))"
            ),
            (
                "lowercase(tags.name) == 'x'", 10, "predicate.function",
                "'lowercase' needs text, not a collection"
            ),
            (
                "uuid5(priority, 'a') == id", 6, "predicate.function",
                "'uuid5' needs a UUID, not a number"
            ),
            (
                "cast(tags, 'String') == 'x'", 5, "predicate.function",
                "cast cannot read a collection"
            ),
            (
                "tags.name.@max.x > 1", 10, "predicate.unknown-key",
                "The elements of the collection have no keys"
            ),
            (
                "category.tasks.@max.address == nil", 15, "predicate.type",
                "@max cannot order a transformable value"
            ),
            (
                "length(title).x == 1", 0, "predicate.unsupported",
                "Only key paths, variables, and elements of ordered relationships have keys"
            ),
            (
                "ANY tags.name.length > 3", 4, "predicate.unsupported",
                "The lengths of several texts cannot be compared at once"
            ),
            (
                "priority.length > 3", 0, "predicate.unknown-key",
                "'priority' of 'Task' is an attribute and has no keys"
            ),
            (
                "tags.name + 1 == 2", 0, "predicate.to-many",
                "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count"
            ),
            (
                "category + 1 == 2", 0, "predicate.type",
                "Arithmetic needs numbers, not an object (Category)"
            ),
            (
                "SUBQUERY(tags.name, $n, $n.x == 1).@count > 0", 24, "predicate.variable",
                "'$n' is a value and has no keys"
            ),
        ])
    func refuses(format: String, offset: Int, code: String, message: String) throws {
        let parsed = try ParsedPredicate(format: format)
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try parsed.resolved(for: "Task", in: model, variables: Self.variables)
        }
        #expect(error?.message == message)
        #expect(error?.byteOffset == offset)
        #expect(error?.code.rawValue == code)
    }

    @Test(
        "explains how to compare several values",
        arguments: [
            ("tags == nil", "write `tags.@count` to count the objects"),
            ("tags.name == 'x'", "write `ANY tags.name` to ask for at least one"),
            (
                "SUBQUERY(tags, $t, $t.name == 'x') == nil",
                "write `.@count` after the parenthesis to count its objects"
            ),
            ("split(title, ',') == 'x'", nil),
        ] as [(String, String?)])
    func severalValues(_ format: String, _ fix: String?) throws {
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try ParsedPredicate(format: format).resolved(for: "Task", in: model)
        }
        #expect(error?.code == .toMany)
        #expect(error?.fix == fix)
    }

    @Test(
        "decimals that keep their digits are compared with every kind of number",
        arguments: [
            ("amount == YES", "amount == 1"), ("amount != NO", "amount != 0"),
            (
                "cast(amount, 'Decimal') == 0.1234567890123456789",
                "cast(amount, \"Decimal\") == 0.1234567890123456789"
            ),
        ])
    func exactDecimals(_ format: String, _ expected: String) throws {
        var amount = AttributeDescription(name: "amount", type: .decimal)
        amount.keepsDigits = true
        let model = try TaskModel.with([amount], "category", to: "Category")
        let resolved = try ParsedPredicate(format: format).resolved(for: "Task", in: model)
        #expect(resolved.description == expected)
    }

    @Test("a variable must be a value")
    func variablesOfKeys() throws {
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphPredicate(format: "title == $key")
                .resolved(for: "Task", in: model, variables: ["key": GraphKey("title")])
        }
        #expect(error?.message == "'$key' must be a value or a list of values")
    }

    @Test("explains how to write a date in an expression that was built in code")
    func builtDates() throws {
        let model = try Self.model()
        let dueDate = try #require(model.attribute("dueDate", of: "Task"))
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphExpression(format: "priority + 1")
                .resolved(for: "Task", in: model, assignedTo: dueDate)
        }
        #expect(error?.fix == "a date is written cast('2026-01-31', 'Date')")
    }

    @Test("checks the values that are assigned to an attribute")
    func assignments() throws {
        let model = try Self.model()
        let priority = try #require(model.attribute("priority", of: "Task"))
        let dueDate = try #require(model.attribute("dueDate", of: "Task"))
        let sum = try ParsedExpression(format: "priority + 1")
            .resolved(for: "Task", in: model, assignedTo: priority)
        #expect(sum.description == "priority + 1")
        let date = try ParsedExpression(format: "'2001-01-01'")
            .resolved(for: "Task", in: model, assignedTo: dueDate)
        #expect(date == .constant(.date(secondsSinceReference: 0)))
        let error = #expect(throws: GraphPredicateError.self) {
            try ParsedExpression(format: "title").resolved(
                for: "Task", in: model, assignedTo: priority)
        }
        #expect(error?.message == "'priority' (Integer 16) cannot hold text")
    }

    @Test(
        "explains how to write a date if another value is assigned to a Date",
        arguments: [
            ("2026-05-05", "a date is written cast('2026-05-05', 'Date')"),
            ("priority + 1", "a date is written cast('2026-01-31', 'Date')"),
            ("'tomorrow'", "a date is written cast('2026-01-31', 'Date')"),
            ("title", "cast(title, 'Date') is its date"), ("{1, 2}", nil),
            ("coalesce(dueDate, '2026-05-05')", "a date is written cast('2026-05-05', 'Date')"),
            ("coalesce('x', dueDate)", "a date is written cast('2026-01-31', 'Date')"),
            ("coalesce(priority, 'x')", nil),
        ] as [(String, String?)])
    func dates(_ format: String, _ fix: String?) throws {
        let model = try Self.model()
        let dueDate = try #require(model.attribute("dueDate", of: "Task"))
        let error = #expect(throws: GraphPredicateError.self) {
            try ParsedExpression(format: format).resolved(
                for: "Task", in: model, assignedTo: dueDate)
        }
        #expect(error?.fix == fix)
    }

    @Test(
        "explains that a date needs quotes if a Date is compared with a number",
        arguments: [
            ("dueDate > 2026-11-01", "a date needs quotes: '2026-01-31'"),
            ("dueDate IN {5}", "a date needs quotes: '2026-01-31'"),
            ("dueDate > priority", nil),
        ] as [(String, String?)])
    func comparedDates(_ format: String, _ fix: String?) throws {
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try ParsedPredicate(format: format).resolved(for: "Task", in: model)
        }
        #expect(error?.fix == fix)
    }

    @Test("suggests the closest entity name")
    func unknownEntity() throws {
        let model = try Self.model()
        let error = #expect(throws: GraphPredicateError.self) {
            try GraphPredicate(format: "a == 1").resolved(for: "Tasc", in: model)
        }
        #expect(error?.description == "There is no entity 'Tasc'. Did you mean 'Task'?")
    }
}

/// Models of tasks with tags and one other entity, for tests of predicates.
enum TaskModel {
    /// Returns a model with a to-one relationship of tasks, whose inverse is `tasks`.
    static func with(
        _ attributes: [AttributeDescription], _ toOne: String, to entity: String,
        _ others: [RelationshipDescription] = []
    ) throws -> ManagedObjectModel {
        let toOneLink = RelationshipDescription(
            name: toOne, destinationEntityName: entity, inverseName: "tasks")
        let tags = RelationshipDescription(
            name: "tags", destinationEntityName: "Tag", inverseName: "tasks", isToMany: true)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Task", ownAttributes: attributes,
                ownRelationships: [toOneLink] + others + [tags]),
            named(entity, inverseOf: toOne), named("Tag", inverseOf: "tags"),
        ])
    }

    /// Returns an entity with a name and the tasks that refer to it.
    private static func named(_ entity: String, inverseOf link: String) -> EntityDescription {
        EntityDescription(
            name: entity, ownAttributes: [.init(name: "name", type: .string)],
            ownRelationships: [
                .init(
                    name: "tasks", destinationEntityName: "Task", inverseName: link, isToMany: true)
            ])
    }
}
