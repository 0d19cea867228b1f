import Foundation
import GraphStore
import Testing

/// The samples of the articles "Migrating a store" and "Migrating while opening", compiled and run.
@Suite("Articles: migrating a store") struct MigrationSamples {
    private static let oldText = """
        model: 1
        entities:
          Task: { attributes: { title: String, level: String, tagText: String } }
        """
    private static let newText = """
        model: 1
        entities:
          Task:
            attributes: { title: String, priority: Integer 16 }
            relationships: { tags: { to: Tag, many: true, inverse: tasks } }
          Tag:
            attributes: { name: String }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
        """
    private let oldModel: ManagedObjectModel
    private let newModel: ManagedObjectModel

    init() throws {
        oldModel = try ManagedObjectModel(yaml: Self.oldText)
        newModel = try ManagedObjectModel(yaml: Self.newText)
    }

    private func store(in folder: ExampleFolder) throws -> String {
        let path = folder.path("store.sqlite")
        let container = try PersistentContainer(model: oldModel, at: path, opening: .create)
        let context = container.newContext()
        let task = try context.insert("Task")
        try task.setValue("high", forKey: "level")
        try task.setValue("a, b", forKey: "tagText")
        try context.save()
        return path
    }

    @Test func plansAndMigrates() throws {
        let folder = try ExampleFolder()
        let storePath = try store(in: folder)
        var backup: String?
        func migrate() throws {
            let manager = MigrationManager(storeAt: storePath, to: newModel)
            let plan = try manager.plan()
            print(plan.text)
            guard plan.isPossible else { return }
            let result = try manager.migrate()
            backup = result.backupPath
        }
        try migrate()
        #expect(backup == storePath + ".bak-v1")
    }

    @Test func migratesWhileOpening() throws {
        let folder = try ExampleFolder()
        let storePath = try store(in: folder)
        let mappingPath = folder.path("mapping.yaml")
        try """
        mapping: 1
        entities:
          Task: { set: { priority: "ternary(level == 'high', 2, 0)" } }
        """.write(toFile: mappingPath, atomically: true, encoding: .utf8)
        func open() throws -> PersistentContainer {
            var options = StoreOptions()
            options.migration = .automatic
            let container = try PersistentContainer(
                model: newModel, .sqlite(at: storePath, options: options))
            for path in container.migrationBackupPaths { print("The old store is \(path)") }
            return container
        }
        #expect(try open().migrationBackupPaths == [storePath + ".bak-v1"])
        try PersistentContainer.replace(at: storePath, with: storePath + ".bak-v1")
        var options = StoreOptions()
        let mapping = try MappingModel(yamlFile: mappingPath, from: oldModel, to: newModel)
        options.migration = .automatic(
            through: ModelHistory([oldModel, newModel]), mappings: [.init(from: 0, to: 1): mapping],
            report: { progress in print(progress.phase, progress.fraction) })
        let container = try PersistentContainer(
            model: newModel, .sqlite(at: storePath, options: options))
        let task = try #require(
            try container.newContext().fetch(
                FetchRequest<ManagedObject>(entityName: "Task")
            ).first)
        #expect(try "\(task.value(forKey: "priority"))".contains("integer(2)"))
    }

    @Test func mapsAndChains() throws {
        let (first, second) = (try ExampleFolder(), try ExampleFolder())
        var storePath = try store(in: first)
        let mapping = MappingModel([
            EntityMapping(
                from: "Task", to: "Task",
                set: ["priority": "ternary(level == 'high', 2, 0)"],
                lookups: [RelationshipLookup("tags", by: "name", from: "tagText", split: ",")])
        ])
        try MigrationManager(storeAt: storePath, to: newModel, mapping: mapping).migrate()
        func tags() throws -> Int {
            let container = try PersistentContainer(model: newModel, at: storePath)
            return try container.newContext().count(
                for: FetchRequest<ManagedObject>(entityName: "Tag"))
        }
        #expect(try tags() == 2)

        storePath = try store(in: second)
        var done: [Int] = []
        try ModelHistory([oldModel, newModel]).migrate(
            storeAt: storePath, mappings: [.init(from: 0, to: 1): mapping],
            didMigrate: { stage in done.append(stage.to) })
        #expect(done == [1])
        #expect(try tags() == 2)
    }

    @Test func triesEveryVersion() throws {
        let history = ModelHistory([oldModel, newModel])
        let mapping = MappingModel([
            EntityMapping(
                from: "Task", to: "Task",
                set: ["priority": "ternary(level == 'high', 2, 0)"],
                lookups: [RelationshipLookup("tags", by: "name", from: "tagText", split: " ")])
        ])
        let tester = MigrationTester(history, mappings: [.init(from: 0, to: 1): mapping])
        for trial in tester.trials() {
            #expect(trial.problems == [], "\(trial)")
            #expect(trial.after["Task"]?.count == 20)
        }
    }
}
