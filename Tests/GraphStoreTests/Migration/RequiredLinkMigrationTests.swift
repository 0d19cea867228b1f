import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

/// Links that the new model requires; the migration checks them as validation does in a save.
@Suite("Migration to required links") struct RequiredLinkMigrationTests {
    private static func text(
        tasks: String = "", task: String = "", owner: String = ""
    ) -> String {
        """
        Person:
          attributes: { name: String }
          relationships:
            tasks: { to: Task, many: true, inverse: owner\(tasks) }
            tags: { to: Tag, many: true, inverse: people }
        Task:
          attributes: { title: String\(task) }
          relationships: { owner: { to: Person, inverse: tasks\(owner) } }
        Tag:
          attributes: { name: String }
          relationships: { people: { to: Person, many: true, inverse: tags } }
        """
    }

    /// Inserts Ann with two tasks, Bob with one, and Cem with none.
    private static func fill(_ context: ManagedObjectContext) throws {
        let ann = try context.make("Person", ["name": "Ann"])
        let bob = try context.make("Person", ["name": "Bob"])
        try context.make("Person", ["name": "Cem"])
        for (title, owner) in [("a", ann), ("b", ann), ("c", bob)] {
            try context.make("Task", ["title": .attribute(.text(title)), "owner": .object(owner)])
        }
    }

    private func store(from before: String = text(), to after: String) throws -> MigratedStore {
        try MigratedStore(from: before, to: after, Self.fill)
    }

    /// Expects that the migration fails and leaves the store unchanged.
    private func expectRefusal(
        _ store: MigratedStore, _ reason: String, by mapping: [EntityMapping] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try store.lines("SELECT * FROM ZPERSON")
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel(mapping))
        let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) {
            try manager.migrate()
        }
        #expect(error.code == .migrationRefused, sourceLocation: sourceLocation)
        #expect(
            error.message == "\(store.path) cannot be migrated: \(reason)",
            sourceLocation: sourceLocation)
        #expect(try store.lines("SELECT * FROM ZPERSON") == before, sourceLocation: sourceLocation)
        #expect(
            try PersistentContainer.model(ofStoreAt: store.path) == store.old,
            sourceLocation: sourceLocation)
        #expect(
            try StoreFiles.names(in: store.folder.path).filter { $0.contains(".migrating") } == [],
            sourceLocation: sourceLocation)
    }

    @Test("a migration fails if a to-many becomes required and is empty")
    func becomesRequired() throws {
        try expectRefusal(
            store(to: Self.text(tasks: ", optional: false")),
            "Person.tasks is required, and 1 object has none; link them in a mapping")
    }

    @Test("a migration fails if a to-many is new and required, unless a lookup fills it")
    func newPairs() throws {
        let after = Self.text().replacing(
            "tags: { to: Tag, many: true, inverse: people }",
            with: "labels: { to: Tag, many: true, inverse: people, optional: false }"
        ).replacing("inverse: tags", with: "inverse: labels")
        let store = try store(to: after)
        try expectRefusal(
            store, "Person.labels is required, and 3 objects have none; link them in a mapping")
        // A lookup fills it.
        let mapping = EntityMapping(
            from: "Person", to: "Person",
            lookups: [RelationshipLookup("labels", by: "name", from: "name")])
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([mapping]))
        #expect(try manager.plan().objects["Tag"] == 3)
        try manager.migrate()
        #expect(try store.objects("Tag", "name", "people").count == 3)
        try store.check()
    }

    @Test("a migration enforces new minimum and maximum numbers of linked objects")
    func counts() throws {
        let least = try store(to: Self.text(tasks: ", count: 2..5"))
        // An optional relationship may be empty.
        try expectRefusal(
            least,
            "Person.tasks needs at least 2 objects, and 1 object has fewer; link more in a mapping")
        try expectRefusal(
            store(to: Self.text(tasks: ", count: 2..5, optional: false")),
            "Person.tasks needs at least 2 objects, and 2 objects have fewer; link more in a mapping"
        )
        try expectRefusal(
            store(to: Self.text(tasks: ", count: 0..1")),
            "Person.tasks holds at most 1 object, and 1 object has more; link fewer in a mapping")
        try store(to: Self.text(tasks: ", count: 0..2")).migrate()
    }

    @Test("a migration fails if a mapping omits the objects of a required relationship")
    func leftBehind() throws {
        let required = Self.text(tasks: ", optional: false")
        let store = try MigratedStore(from: required, to: required + "\nNote: {}") { context in
            let ann = try context.make("Person", ["name": "Ann"])
            try context.make("Task", ["title": "a", "owner": .object(ann)])
        }
        try expectRefusal(
            store, "Person.tasks is required, and 1 object has none; link them in a mapping",
            by: [EntityMapping(from: "Task", to: "Task", where: "title != 'a'")])
        try store.migrate()
    }

    @Test("a required relationship that was already empty does not block a migration")
    func brokenBefore() throws {
        let required = Self.text(tasks: ", optional: false")
        let store = try MigratedStore(
            from: required, to: Self.text(tasks: ", optional: false", task: ", done: Boolean")
        ) { context in
            let ann = try context.make("Person", ["name": "Ann"])
            try context.make("Task", ["title": "a", "owner": .object(ann)])
        }
        try store.run("UPDATE ZTASK SET ZOWNER = NULL")
        try store.migrate()
    }

    @Test("a migration fails if a lookup leaves a required to-one empty")
    func toOne() throws {
        let before = Self.text().replacing(
            "owner: { to: Person, inverse: tasks }",
            with: "owner: { to: Person, inverse: tasks }, boss: { to: Person }")
        let after = before.replacing(
            "boss: { to: Person }", with: "lead: { to: Person, optional: false }")
        let store = try store(from: before, to: after)
        let refused = "Task.lead is required, and 3 objects have none; set it in a mapping"
        try expectRefusal(store, refused)
        let mapping = EntityMapping(
            from: "Task", to: "Task",
            lookups: [RelationshipLookup("lead", by: "name", from: "owner.phone")])
        let error = try #require(throws: StoreError.self) {
            try MigrationManager(
                storeAt: store.path, to: store.new, mapping: MappingModel([mapping])
            ).migrate()
        }
        #expect(error.code == .invalidRequest, "\(error)")
        let some = EntityMapping(
            from: "Task", to: "Task",
            lookups: [
                RelationshipLookup(
                    "lead", by: "name", from: "ternary(title == 'a', 'Ann', nil)")
            ])
        let empty = try #require(throws: StoreError.self) {
            try MigrationManager(
                storeAt: store.path, to: store.new, mapping: MappingModel([some])
            ).migrate()
        }
        #expect(empty.code == .migrationRefused, "\(empty)")
        #expect(empty.message.contains("Task.lead: 2 objects lack an object, which is required"))
    }
}
