import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Migration of relationships that change their kind") struct ChangedLinkTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The relationships of tasks and tags in the old and the new model.
        var before: (task: String, tag: String)
        var after: (task: String, tag: String)
        var unclear: [String]
    }

    private static func text(_ relationships: (task: String, tag: String)) -> String {
        """
        Task: { attributes: { name: String }, relationships: { \(relationships.task) } }
        Tag: { attributes: { name: String }, relationships: { \(relationships.tag) } }
        List: { attributes: { name: String } }
        """
    }

    private static let toMany = (
        task: "tags: { to: Tag, many: true, inverse: tasks }",
        tag: "tasks: { to: Task, many: true, inverse: tags }"
    )
    private static let toOne = (
        task: "tag: { to: Tag, inverse: tasks }",
        tag: "tasks: { to: Task, many: true, inverse: tag }"
    )

    private static let cases: [Case] = [
        Case(
            testDescription: "to-many relationships become inverses of each other",
            before: (
                toMany.task + ", likes: { to: Tag, many: true, inverse: fans }",
                toMany.tag + ", fans: { to: Task, many: true, inverse: likes }"
            ),
            after: (
                "tags: { to: Tag, many: true, inverse: fans }",
                "fans: { to: Task, many: true, inverse: tags }"
            ),
            unclear: ["Tag.fans and Task.tags were not inverses of each other"]),
        Case(
            testDescription: "a to-one and a to-many become inverses of each other",
            before: (
                toOne.task + ", like: { to: Tag, inverse: fans }",
                toOne.tag + ", fans: { to: Task, many: true, inverse: like }"
            ),
            after: (
                "tag: { to: Tag, inverse: fans }", "fans: { to: Task, many: true, inverse: tag }"
            ),
            unclear: ["Task.tag and Tag.fans were not inverses of each other"]),
        Case(
            testDescription: "a one-to-many relationship becomes one-to-one", before: toOne,
            after: (
                "tag: { to: Tag, inverse: task }",
                "task: { to: Task, inverse: tag, renamed-from: tasks }"
            ),
            unclear: [
                "Tag.task leads to one object now",
                "Tag.task leads to one object now, and several may lead to it",
            ]),
        Case(
            testDescription: "a to-one gets an inverse to-one", before: ("tag: { to: Tag }", ""),
            after: ("tag: { to: Tag, inverse: task }", "task: { to: Task, inverse: tag }"),
            unclear: [
                "the links of Task.tag are stored at the inverse end now",
                "Tag.task leads to one object now, and several may lead to it",
            ]),
        Case(
            testDescription: "a many-to-many relationship loses its inverse", before: toMany,
            after: ("", "tasks: { to: Task, many: true }"),
            unclear: ["Tag.tasks is no longer many-to-many"]),
        Case(
            testDescription: "a to-one without an inverse becomes a to-many",
            before: ("", "task: { to: Task }"), after: ("", "task: { to: Task, many: true }"),
            unclear: ["the links of Tag.task are stored at the inverse end now"]),
        Case(
            testDescription: "a to-one leads to another entity", before: ("tag: { to: Tag }", ""),
            after: ("tag: { to: List }", ""), unclear: ["Task.tag leads to List, was Tag"]),
        Case(
            testDescription: "a to-many leads to another entity", before: toMany,
            after: (
                "tags: { to: Task, many: true, inverse: users }, "
                    + "users: { to: Task, many: true, inverse: tags }", ""
            ),
            unclear: ["Task.tags leads to Task, was Tag"]),
    ]

    @Test(
        "a relationship that does not say which objects it links needs a mapping", arguments: cases)
    func unclear(_ test: Case) throws {
        let store = try MigratedStore(from: Self.text(test.before), to: Self.text(test.after)) {
            try $0.make("Task", ["name": "a"])
        }
        let plan = try store.manager.plan()
        #expect(plan.unclear == test.unclear)
        let reasons = test.unclear.map { "Needs a mapping: \($0)\n" }.joined()
        #expect(plan.text == plan.outline + reasons)
        let error = storeError { try store.manager.migrate() }
        #expect(error?.code == .needsMapping)
    }

    @Test("a lookup replaces the links of a to-many that leads to another entity")
    func lookedUp() throws {
        let before = Self.text(Self.toMany)
        let after = """
            Task:
              attributes: { name: String }
              relationships: { tags: { to: List, many: true, inverse: tasks } }
            Tag: { attributes: { name: String } }
            List:
              attributes: { name: String }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
            """
        let store = try MigratedStore(from: before, to: after) { context in
            let tag = try context.make("Tag", ["name": "x"])
            try context.make("Task", ["name": "a", "tags": .objects([tag])])
        }
        #expect(try store.manager.plan().unclear == ["Task.tags leads to List, was Tag"])
        let mapping = EntityMapping(
            from: "Task", to: "Task",
            lookups: [RelationshipLookup("tags", by: "name", from: "name")])
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([mapping]))
        try manager.migrate()
        try store.check()
        #expect(try store.objects("Task", "name", "tags") == ["name=a tags=[#1]"])
        #expect(try store.objects("List", "name", "tasks") == ["name=a tasks=[#1]"])
    }

    @Test("a to-many that loses its inverse keeps its objects, with or without an order")
    func lostInverse() throws {
        for order in ["", ", ordered: true"] {
            let store = try MigratedStore(
                from: Self.text(Self.toOne),
                to: Self.text(("", "tasks: { to: Task, many: true\(order) }"))
            ) { context in
                let tag = try context.make("Tag", ["name": "x"])
                try context.make("Task", ["name": "a", "tag": .object(tag)])
                try context.make("Task", ["name": "b"])
                try context.make("Task", ["name": "c", "tag": .object(tag)])
            }
            try store.migrate()
            #expect(try store.objects("Tag", "name", "tasks") == ["name=x tasks=[#1 #3]"])
        }
    }

    @Test("a to-many that was its own inverse keeps its links in both directions")
    func reflexive() throws {
        let store = try MigratedStore(
            from: """
                Task:
                  attributes: { name: String }
                  relationships: { friends: { to: Task, many: true, inverse: friends } }
                """,
            to: """
                Task:
                  attributes: { name: String }
                  relationships:
                    friends: { to: Task, many: true, inverse: fans }
                    fans: { to: Task, many: true, inverse: friends }
                """
        ) { context in
            let first = try context.make("Task", ["name": "a"])
            try context.make("Task", ["name": "b", "friends": .objects([first])])
        }
        try store.migrate()
        #expect(
            try store.objects("Task", "name", "friends", "fans")
                == ["name=a friends=[#2] fans=[#2]", "name=b friends=[#1] fans=[#1]"])
    }

    @Test("an entity that becomes abstract must have no objects of its own")
    func abstract() throws {
        let before = "Base: { attributes: { name: String } }\nTask: { parent: Base }"
        let after = before.replacing("Base: {", with: "Base: { abstract: true,")
        let store = try MigratedStore(from: before, to: after) {
            try $0.make("Base", ["name": "a"])
            try $0.make("Task", ["name": "b"])
        }
        let plan = try store.manager.plan()
        let obstacle =
            "Base is abstract now, and has 1 object; set the new entity in a mapping"
        #expect(plan.obstacles == [obstacle])
        #expect(plan.text == plan.outline + "Refused: \(obstacle)\n")
        try store.run("UPDATE ZBASE SET Z_ENT = 2")
        try store.migrate()
        #expect(try store.objects("Task", "name") == ["name=a", "name=b"])
    }

    @Test("a new constraint over a relationship is checked, and an old one is not checked again")
    func constraints() throws {
        let plain = Self.text(Self.toOne)
        let unique = plain.replacing(
            Self.toOne.task + " }", with: Self.toOne.task + " }, unique: [[tag, name]]")
        let store = try MigratedStore(from: plain, to: unique) { context in
            let tag = try context.make("Tag", ["name": "x"])
            for name in ["a", "b"] {
                try context.make(
                    "Task", ["name": .attribute(.text(name)), "tag": .object(tag)])
            }
        }
        try store.run("UPDATE ZTASK SET ZNAME = 'a'")
        #expect(
            try store.manager.plan().obstacles == [
                "Task is unique by (tag, name) now, and 1 key has several objects, such as 1, 'a'"
            ])
        try store.run("UPDATE ZTASK SET ZNAME = 'b' WHERE Z_PK = 2")
        try store.migrate()
        let later = unique.replacing(
            "List: { attributes: { name: String } }",
            with: "List: { attributes: { name: String, note: String } }")
        try MigrationManager(storeAt: store.path, to: model(later)).migrate()
        #expect(try store.objects("Task", "name", "tag") == ["name=a tag=#1", "name=b tag=#1"])
    }
}
