import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Plans of migrations") struct MigrationPlanTests {
    private static let before = "Task: { attributes: { name: String } }"

    private func store(to after: String) throws -> MigratedStore {
        try MigratedStore(from: Self.before, to: after) { try $0.make("Task", ["name": "a"]) }
    }

    @Test("a plan names the parts of other programs that the new store will not have")
    func leftovers() throws {
        let store = try store(to: Self.before.replacing("String", with: "String, note: String"))
        try store.run(
            """
            CREATE VIRTUAL TABLE ZSEARCH USING RTREE (id, low, high);
            CREATE TRIGGER ZT_TASK AFTER INSERT ON ZTASK BEGIN SELECT 1; END;
            CREATE INDEX ZI_TASK ON ZTASK (lower(ZNAME));
            CREATE TABLE OTHER (X);
            INSERT INTO OTHER VALUES (5);
            CREATE VIEW OTHERS AS SELECT X + 1 AS Y FROM OTHER;
            """)
        let plan = try store.manager.plan()
        #expect(
            plan.notes.sorted() == [
                "the index ZI_TASK of ZTASK, over an expression, is not copied, because the model does"
                    + " not name it",
                "the table ZSEARCH is not copied", "the trigger ZT_TASK is not copied",
            ])
        try store.manager.migrate()
        #expect(try store.objects("Task", "name", "note") == ["name=a note=-"])
        #expect(try store.lines("SELECT Y FROM OTHERS") == ["6"])
        let left =
            "SELECT name FROM sqlite_master WHERE name GLOB 'Z*_TASK' OR name GLOB 'ZSEARCH*'"
        #expect(try store.lines(left) == [])
    }

    @Test("a plan for the model of the store states that nothing is to do")
    func sameModel() throws {
        let store = try store(to: Self.before)
        let plan = try store.manager.plan()
        #expect(plan.isEmpty)
        #expect(plan.text == "The store already has this model. No action needed.\n")
        #expect(try store.manager.migrate().backupPath == nil)
    }

    @Test("a plan states that a difference changes no object")
    func onlyIndexes() throws {
        let store = try store(
            to: Self.before.replacing(" } }", with: " }, indexes: { byName: [name] } }"))
        #expect(
            try store.manager.plan().text
                == "No difference changes an object.\n\nTask: 1 object\n")
        try store.migrate()
    }

    @Test("a plan counts no object of an empty entity as left out by a condition")
    func emptyEntity() throws {
        let before = Self.before + "\nNote: { attributes: { text: String } }"
        let store = try MigratedStore(from: before, to: before) {
            try $0.make("Task", ["name": "a"])
        }
        let mappings = ["Task", "Note"].map {
            EntityMapping(from: $0, to: $0, where: "FALSEPREDICATE")
        }
        let manager = MigrationManager(
            storeAt: store.path, to: try model(before + "\nOther: {}"),
            mapping: MappingModel(mappings))
        let plan = try manager.plan()
        #expect(plan.leftBehind == ["Task": 1])
        #expect(plan.objects == ["Task": 0, "Note": 0, "Other": 0])
        try manager.migrate()
        #expect(try store.objects("Task", "name") == [])
    }

    @Test("the error for a foreign model names at most five entities of each model")
    func manyEntities() throws {
        let names = (1...6).map { "Old\($0)" }
        let store = try MigratedStore(
            from: names.map { "\($0): { attributes: { x: String } }" }.joined(separator: "\n"),
            to: "New: { attributes: { x: String } }"
        ) { try $0.make("Old1", ["x": "a"]) }
        let error = storeError { _ = try store.manager.plan() }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message == """
                \(store.path): no entity of the store ('Old1', 'Old2', 'Old3', 'Old4', 'Old5', and \
                1 more) continues in the new model, which has 'New'; give the model of the app that \
                created the store, or map its entities
                """)
    }

    @Test("a store of a configuration gets only the new entities that continue its own ones")
    func configuration() throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder.file("store.sqlite"), folder.file("other.sqlite"))
        let entities = Self.before + "\nTag: { attributes: { name: String } }"
        let old = try ManagedObjectModel(
            entities: model(entities).entities, configurations: ["A": ["Task"], "B": ["Tag"]])
        do {
            let container = try PersistentContainer(
                model: old,
                stores: [
                    StoreDescription(.sqlite, at: path, opening: .create, configuration: "A"),
                    StoreDescription(.sqlite, at: other, opening: .create, configuration: "B"),
                ])
            let context = container.newContext()
            try context.make("Task", ["name": "a"])
            try context.save()
        }
        let later = entities.replacing("Task: {", with: "Todo: { renamed-from: Task,")
        let new = try ManagedObjectModel(
            entities: model(later + "\nChore: { parent: Todo }").entities,
            configurations: ["A": ["Chore", "Todo"], "B": ["Tag"]])
        let manager = MigrationManager(storeAt: path, to: new)
        #expect(try manager.plan().objects == ["Chore": 0, "Todo": 1])
        try manager.migrate()
        let connection = try Connection(path: path, mode: .readOnly)
        #expect(
            try lines("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1", on: connection)
                == ["Chore|0", "Todo|1"])
        #expect(try lines("SELECT ZNAME FROM ZTODO", on: connection) == ["a"])
        #expect(try !connection.hasTable("ZTAG"))
        #expect(try PersistentContainer.verify(at: path, .full).problems == [])
    }
}
