import GraphModel
import Testing

@testable import GraphStore

/// The migration path, which `LinkEndTests` does not cover: a migration is not a save.
///
/// As in Core Data, links are copied unchanged. No object gets a new version, whichever end the new
/// model keeps. No transaction is added to the history: its changes get the new names.
@Suite("Links in a migration") struct LinkMigrationTests {
    private static let before = """
        Task:
          attributes: { name: String, done: Boolean }
          relationships:
            list: { to: List, inverse: tasks }
            badge: { to: Badge, inverse: task }
            tags: { to: Tag, many: true, inverse: tasks }
        List:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: list } }
        Badge:
          attributes: { name: String }
          relationships: { task: { to: Task, inverse: badge } }
        Tag:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
        """

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The parts of the model that are replaced.
        var edits: [(String, String)]
        var mappings: [EntityMapping] = []
        /// The objects of the new store: their links, and their versions.
        var objects: [String]
        /// The names of the second save's changes in the new model; `nil` if the history is deleted
        /// because its primary keys would not match the objects.
        var history: [String]?
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "relationships stay, beside a new attribute",
            edits: [("done: Boolean }", "done: Boolean, note: String }")],
            objects: [
                "Badge x task=#1 version 1",
                "List L tasks=[#2] version 2",
                "List M tasks=[#1] version 2",
                "Tag p tasks=[#1 #2] version 2",
                "Task a badge=#1 list=#2 tags=[#1] version 2",
                "Task b badge=- list=#1 tags=[#1] version 2",
            ],
            history: [
                "update List 1 tasks",
                "update List 2 tasks",
                "update Tag 1 tasks",
                "update Task 1 list",
                "update Task 2 tags",
            ]),
        Case(
            testDescription: "both ends of each relationship are renamed",
            edits: [
                (
                    "    list: { to: List, inverse: tasks }",
                    "    folder: { to: List, inverse: items, renamed-from: list }"
                ),
                (
                    "    badge: { to: Badge, inverse: task }",
                    "    sign: { to: Badge, inverse: owner, renamed-from: badge }"
                ),
                (
                    "    tags: { to: Tag, many: true, inverse: tasks }",
                    "    labels: { to: Tag, many: true, inverse: uses, renamed-from: tags }"
                ),
                (
                    "{ tasks: { to: Task, many: true, inverse: list } }",
                    "{ items: { to: Task, many: true, inverse: folder, renamed-from: tasks } }"
                ),
                (
                    "{ task: { to: Task, inverse: badge } }",
                    "{ owner: { to: Task, inverse: sign, renamed-from: task } }"
                ),
                (
                    "{ tasks: { to: Task, many: true, inverse: tags } }",
                    "{ uses: { to: Task, many: true, inverse: labels, renamed-from: tasks } }"
                ),
            ],
            objects: [
                "Badge x owner=#1 version 1",
                "List L items=[#2] version 2",
                "List M items=[#1] version 2",
                "Tag p uses=[#1 #2] version 2",
                "Task a folder=#2 labels=[#1] sign=#1 version 2",
                "Task b folder=#1 labels=[#1] sign=- version 2",
            ],
            history: [
                "update List 1 items",
                "update List 2 items",
                "update Tag 1 uses",
                "update Task 1 folder",
                "update Task 2 labels",
            ]),
        Case(
            testDescription: "a to-one becomes a to-many",
            edits: [
                (
                    "    list: { to: List, inverse: tasks }",
                    "    lists: { to: List, many: true, inverse: tasks, renamed-from: list }"
                ),
                ("inverse: list }", "inverse: lists }"),
            ],
            objects: [
                "Badge x task=#1 version 1",
                "List L tasks=[#2] version 2",
                "List M tasks=[#1] version 2",
                "Tag p tasks=[#1 #2] version 2",
                "Task a badge=#1 lists=[#2] tags=[#1] version 2",
                "Task b badge=- lists=[#1] tags=[#1] version 2",
            ],
            history: [
                "update List 1 tasks",
                "update List 2 tasks",
                "update Tag 1 tasks",
                "update Task 1 lists",
                "update Task 2 tags",
            ]),
        Case(
            testDescription: "relationships are removed",
            edits: [
                ("    list: { to: List, inverse: tasks }\n", ""),
                ("    tags: { to: Tag, many: true, inverse: tasks }\n", ""),
                ("  relationships: { tasks: { to: Task, many: true, inverse: list } }\n", ""),
                ("\n  relationships: { tasks: { to: Task, many: true, inverse: tags } }", ""),
            ],
            objects: [
                "Badge x task=#1 version 1",
                "List L version 2",
                "List M version 2",
                "Tag p version 2",
                "Task a badge=#1 version 2",
                "Task b badge=- version 2",
            ],
            history: [
                "update List 1 ",
                "update List 2 ",
                "update Tag 1 ",
                "update Task 1 ",
                "update Task 2 ",
            ]),
        Case(
            testDescription: "a to-many is split by a mapping, with the objects at its end",
            edits: [
                (
                    "List:\n",
                    "Done:\n  attributes: { name: String }\n  relationships: { list: { to: List, inverse: dones } }\nList:\n"
                ),
                (
                    "inverse: list } }",
                    "inverse: list }, dones: { to: Done, many: true, inverse: list } }"
                ),
            ],
            mappings: [
                EntityMapping(from: "Task", to: "Task", where: "done != YES"),
                EntityMapping(
                    from: "Task", to: "Done", where: "done == YES", set: ["list": "list"]),
            ],
            objects: [
                "Badge x task=#1 version 1",
                "Done b list=#1 version 2",
                "List L dones=[#2] tasks=[] version 2",
                "List M dones=[] tasks=[#1] version 2",
                "Tag p tasks=[#1] version 2",
                "Task a badge=#1 list=#2 tags=[#1] version 2",
            ], history: nil),
    ]

    @Test(
        "links and object versions survive a migration; a filtering mapping drops the history",
        arguments: cases)
    func brings(_ test: Case) throws {
        var new = Self.before
        for (old, part) in test.edits {
            #expect(new.contains(old), "\(old)")
            new = new.replacing(old, with: part)
        }
        let store = try MigratedStore(from: Self.before, to: new, history: true, Self.fill)
        try Self.changeLinks(of: store)
        let transactions = try store.lines("SELECT * FROM ATRANSACTION ORDER BY 1")
        #expect(transactions.count == 2)
        let manager =
            test.mappings.isEmpty
            ? store.manager
            : MigrationManager(
                storeAt: store.path, to: store.new, mapping: MappingModel(test.mappings))
        try manager.migrate()
        try store.check()
        let objects = try Self.objects(of: store)
        #expect(objects == test.objects)
        let history = try Self.history(of: store)
        #expect(history == test.history ?? [])
        let after = try store.lines("SELECT * FROM ATRANSACTION ORDER BY 1")
        #expect(after == (test.history == nil ? [] : transactions))
    }

    private static func fill(_ context: ManagedObjectContext) throws {
        let lists = try ["L", "M"].map { try context.make("List", ["name": .attribute(.text($0))]) }
        let badge = try context.make("Badge", ["name": "x"])
        let tag = try context.make("Tag", ["name": "p"])
        try context.make(
            "Task",
            [
                "name": "a", "done": false, "list": .object(lists[0]), "badge": .object(badge),
                "tags": .objects([tag]),
            ])
        try context.make("Task", ["name": "b", "done": true, "list": .object(lists[0])])
    }

    /// Runs the second save, after which some objects have version 2.
    private static func changeLinks(of store: MigratedStore) throws {
        let container = try PersistentContainer(model: nil, at: store.path)
        let context = container.newContext()
        let tasks = try context.fetch(FetchRequest(entityName: "Task"))
        let lists = try context.fetch(FetchRequest(entityName: "List"))
        let tags = try context.fetch(FetchRequest(entityName: "Tag"))
        let (a, b) = (tasks[0], tasks[1])
        let names = try tasks.map { try $0.value(forKey: "name").text }
        #expect(names == ["a", "b"])
        try a.setValue(.object(lists[1]), forKey: "list")
        try b.setValue(.objects(tags), forKey: "tags")
        try context.save()
    }

    /// Returns `Entity name relationship=… version N` for each object.
    private static func objects(of store: MigratedStore) throws -> [String] {
        let container = try PersistentContainer(model: nil, at: store.path)
        let context = container.newContext()
        var lines: [String] = []
        for entity in container.model.entities {
            let versions = try store.lines(
                "SELECT Z_OPT FROM Z\(entity.name.uppercased()) ORDER BY Z_PK")
            let objects = try context.fetch(FetchRequest(entityName: entity.name))
                .sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
            for (object, version) in zip(objects, versions) {
                let links = try container.model.relationships(of: entity.name).map(\.name).sorted()
                    .map { "\($0)=\(try object.value(forKey: $0).text)" }
                let parts = [entity.name, try object.value(forKey: "name").text] + links
                lines.append((parts + ["version \(version)"]).joined(separator: " "))
            }
        }
        return lines
    }

    /// Returns `kind Entity key properties` for each change of the second save.
    private static func history(of store: MigratedStore) throws -> [String] {
        let container = try PersistentContainer(model: nil, at: store.path)
        return try (container.history().last?.changes ?? []).map { change in
            let entity = container.schema.entity(number: change.objectID.entityNumber)
            return "\(change.kind) \(entity?.name ?? "?") \(change.objectID.primaryKey)"
                + " \(change.updatedProperties?.joined(separator: ",") ?? "null")"
        }
    }
}
