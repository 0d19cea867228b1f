import GraphModel
import Testing

@testable import GraphStore

@Suite("Mistakes in mappings of a program") struct MappingMistakeTests {
    private static let before = """
        Task:
          attributes: { title: String, tagText: String }
          relationships: { owner: { to: Person, inverse: tasks } }
        Person:
          attributes: { name: String }
          relationships:
            tasks: { to: Task, many: true, inverse: owner }
            company: { to: Company, inverse: people }
        Company:
          attributes: { title: String }
          relationships:
            people: { to: Person, many: true, inverse: company }
            boss: { to: Person }
        """
    private static let after = """
        Task:
          attributes: { title: String }
          relationships:
            owner: { to: Person, inverse: tasks }
            firm: { to: Company }
            tags: { to: Tag, many: true, inverse: tasks }
            parts: { to: Part, many: true, inverse: task }
            badge: { to: Badge, inverse: task }
            kind: { to: Kind }
            place: { to: Place }
        Person:
          attributes: { name: String }
          relationships:
            tasks: { to: Task, many: true, inverse: owner }
            friends: { to: Company, many: true }
        Company: { attributes: { title: String } }
        Tag:
          attributes: { name: String, weight: Double }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
        Part:
          attributes: { name: String }
          relationships: { task: { to: Task, inverse: parts } }
        Badge:
          attributes: { name: String }
          relationships: { task: { to: Task, inverse: badge } }
        Kind: { abstract: true, attributes: { name: String } }
        Sort: { parent: Kind }
        Place: { attributes: { name: String, street: { type: String, optional: false } } }
        """

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var mapping: EntityMapping
        var message: String
    }

    private static func lookup(_ relationship: String, by key: String = "name") -> EntityMapping {
        EntityMapping(
            from: "Task", to: "Task",
            lookups: [RelationshipLookup(relationship, by: key, from: "tagText")])
    }

    private static func setting(_ name: String, to value: String) -> EntityMapping {
        EntityMapping(from: "Task", to: "Task", set: [name: value])
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "a lookup of an unknown relationship", mapping: lookup("labels"),
            message: "The mapping of 'Task.labels' names no relationship"),
        Case(
            testDescription: "a lookup by a number with a fraction",
            mapping: lookup("tags", by: "weight"),
            message: "The mapping of 'Task.tags' looks up objects by 'Tag.weight', which is neither"
                + " a string nor an integer"),
        Case(
            testDescription: "a lookup by an unknown attribute", mapping: lookup("tags", by: "id"),
            message: "The mapping of 'Task.tags' looks up objects by 'Tag.id', which is neither"
                + " a string nor an integer"),
        Case(
            testDescription: "a lookup of a one-to-many relationship", mapping: lookup("parts"),
            message: "The mapping of 'Task.parts' looks up objects that can belong to one object"
                + " only; map the other side"),
        Case(
            testDescription: "a lookup of a one-to-one relationship", mapping: lookup("badge"),
            message: "The mapping of 'Task.badge' looks up objects that can belong to one object"
                + " only; map the other side"),
        Case(
            testDescription: "a lookup that would create abstract objects", mapping: lookup("kind"),
            message: "'Task.kind' leads to 'Kind', which is abstract"),
        Case(
            testDescription: "a lookup that would create incomplete objects",
            mapping: lookup("place"),
            message: "The mapping of 'Task.place' makes objects of 'Place', whose 'street' is"
                + " required and has no default"),
        Case(
            testDescription: "a condition over an unknown attribute",
            mapping: EntityMapping(from: "Task", to: "Task", where: "gone == YES"),
            message: """
                The condition of the mapping of 'Task' cannot be read: 'Task' has no property 'gone' \
                [predicate.unknown-key]
                """),
        Case(
            testDescription: "a text without quotation marks",
            mapping: setting("title", to: "hello"),
            message: """
                The mapping of 'Task.title' cannot be read: 'Task' has no property 'hello' \
                [predicate.unknown-key]
                  hello
                  ^
                  put text in its own quotation marks: "'hello'"
                """),
        Case(
            testDescription: "a path with an unknown relationship",
            mapping: setting("firm", to: "owner.employer"),
            message:
                "The mapping sets 'Task.firm' to 'owner.employer': 'Person' has no relationship"
                + " 'employer'"),
        Case(
            testDescription: "a path with a to-many relationship",
            mapping: setting("firm", to: "owner.tasks.owner"),
            message: "The mapping sets 'Task.firm' to 'owner.tasks.owner': 'Person.tasks' is a"
                + " to-many relationship"),
        Case(
            testDescription: "a path to objects of another entity",
            mapping: setting("owner", to: "owner.company"),
            message: "The mapping sets 'Task.owner' to 'owner.company', whose objects do not become"
                + " objects of 'Person'"),
        Case(
            testDescription: "a path for links that the other end stores",
            mapping: setting("parts", to: "owner.company"),
            message: "The mapping sets 'Task.parts' to 'owner.company', but the links are at the"
                + " other end; set 'Part.task' instead"),
        Case(
            testDescription: "a path for links that the other end stores without a relationship",
            mapping: EntityMapping(
                from: "Person", to: "Person", set: ["friends": "company.boss"]),
            message: "The mapping sets 'Person.friends' to 'company.boss', but the links are at the"
                + " other end; set them there instead"),
        Case(
            testDescription: "the same object without a second mapping",
            mapping: setting("owner", to: EntityMapping.sameObject),
            message: "The mapping of 'Task.owner' uses the object that another mapping of 'Task'"
                + " creates from the same object, but that mapping does not exist"),
    ]

    @Test("a mapping that cannot be carried out is rejected with the reason", arguments: cases)
    func mistakes(_ test: Case) throws {
        let store = try MigratedStore(from: Self.before, to: Self.after) { context in
            try context.make("Task", ["title": "a"])
        }
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([test.mapping]))
        let error = try #require(throws: StoreError.self) { try manager.migrate() }
        #expect(error.code == .invalidRequest)
        #expect(error.message == test.message)
        #expect(try PersistentContainer.model(ofStoreAt: store.path) == store.old)
        #expect(try store.lines("SELECT ZTITLE FROM ZTASK") == ["a"])
    }

    @Test("a mapping cannot set values outside the range of the new type")
    func outOfRange() throws {
        let store = try MigratedStore(
            from: "Task: { attributes: { number: Integer 32 } }",
            to: "Task: { attributes: { level: Integer 16 } }"
        ) { context in
            try context.make("Task", ["number": 70_000])
            try context.make("Task", ["number": 5])
        }
        let mapping = EntityMapping(from: "Task", to: "Task", set: ["level": "number"])
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([mapping]))
        #expect(
            try manager.plan().obstacles == [
                "Task.level would not be a valid Integer 16 for 1 object, such as 70000"
            ])
        try store.run("UPDATE ZTASK SET ZNUMBER = 7 WHERE ZNUMBER > 9")
        try manager.migrate()
        try store.check()
        #expect(try store.objects("Task", "level") == ["level=7", "level=5"])
    }
}
