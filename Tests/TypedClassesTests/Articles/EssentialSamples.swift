import Foundation
import GraphStore
import Testing

/// The samples of the articles under "Essentials", compiled and run.
@Suite("Articles: essentials") struct EssentialSamples {
    private let folder: ExampleFolder
    private let model: ManagedObjectModel

    init() throws {
        folder = try ExampleFolder()
        model = try .example("tasks")
    }

    @Test func landingPage() async throws {
        let storePath = folder.path("tasks.sqlite")
        let container = try PersistentContainer(model: model, at: storePath, opening: .create)
        container.register(TasksClasses.all)
        let overdue = try await container.background { context in
            try context.fetch(Task.request.where(\.dueOn < Date()).sort(\.dueOn)).map(Task.Row.init)
        }
        #expect(overdue.isEmpty)
    }

    @Test func modelInSwift() throws {
        let model = try ManagedObjectModel(version: "tasks-1") {
            Entity("Task") {
                Attribute("id", .uuid, optional: false)
                Attribute("title", .string, optional: false, length: 1...500)
                Attribute("isCompleted", .boolean, optional: false, default: false)
                Attribute("priority", .integer16, optional: false, default: 0)
                Attribute("dueOn", .date)
                Relationship("category", to: "Category", inverse: "tasks")
            }
            Entity("Category") {
                Attribute("name", .string, optional: false)
                Relationship("tasks", to: "Task", .many, inverse: "category", delete: .deny)
                Unique("name")
            }
        }
        #expect(model.entities.map(\.name) == ["Category", "Task"])
    }

    @Test func opensInsertsFetchesAndChanges() async throws {
        let modelPath = ExampleFolder.model("tasks")
        let storePath = folder.path("tasks.sqlite")
        let model = try ManagedObjectModel(yamlFile: modelPath)
        let container = try PersistentContainer(model: model, at: storePath, opening: .create)
        container.register(TasksClasses.all)

        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        let milk = context.insert(Task.self) {
            $0.id = UUID()
            $0.title = "Buy milk"
            $0.priority = 1
            $0.category = home
        }
        let result = try context.save()
        #expect(result.change.inserted.count == 2)
        #expect(home.tasks == [milk])

        var titles: [String] = []
        let urgent = try context.fetch(
            Task.request
                .where(\.isCompleted == false && \.priority > 0)
                .sort(\.dueOn).sort(\.title))
        for task in urgent {
            titles.append("\(task.title) in \(task.category?.name ?? "no category")")
        }
        #expect(titles == ["Buy milk in Home"])

        milk.isCompleted = true
        home.tasks.remove(milk)
        try context.save()
        #expect(milk.category == nil && milk.isCompleted)

        let open = try await container.background { context in
            try context.count(for: Task.request.where(\.isCompleted == false))
        }
        #expect(open == 0)
    }

    @Test func fetchesAndChangesInTheBackground() async throws {
        let container = try PersistentContainer.ephemeral(model: model)
        container.register(TasksClasses.all)
        let titles = try await container.background { context in
            let home = context.insert(Category.self) { $0.name = "Home" }
            let milk = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Buy milk"
                $0.priority = 1
                $0.category = home
            }
            var titles: [String] = []
            let urgent = try context.fetch(
                Task.request
                    .where(\.isCompleted == false && \.priority > 0)
                    .sort(\.dueOn).sort(\.title))
            for task in urgent {
                titles.append("\(task.title) in \(task.category?.name ?? "no category")")
            }
            milk.isCompleted = true
            home.tasks.remove(milk)
            try context.save()
            #expect(milk.category == nil && milk.isCompleted)
            return titles
        }
        #expect(titles == ["Buy milk in Home"])
    }

    @Test func modeling() throws {
        let model = try ManagedObjectModel(
            yaml: """
                model: 1
                version: tasks-2
                entities:
                  Task:
                    attributes:
                      title: { type: String, optional: false, searchable: true }
                      titleLength: { type: Integer 32, derived: "length:(title)" }
                      priority: { type: Integer 16, default: 0, range: 0..2 }
                      dueOn: Date
                      completedOn: Date
                    relationships:
                      category: { to: Category, inverse: tasks }
                    indexes: { byDueDate: [dueOn, priority desc] }
                    validate:
                      - { rule: "completedOn == nil OR completedOn >= dueOn", message: done too early }
                    fetched:
                      alike: { entity: Task, where: "category == $FETCH_SOURCE.category" }
                  Category:
                    attributes: { name: { type: String, optional: false, length: 1..80 } }
                    relationships: { tasks: { to: Task, many: true, inverse: category } }
                    unique: [[name]]
                requests:
                  overdue: { entity: Task, where: "dueOn < $day" }
                """)
        let container = try PersistentContainer.ephemeral(model: model)
        let context = container.newContext()
        let task = try context.insert("Task")
        task[.string("title")] = "Buy milk"
        try context.save()
        let length = task[.integer("titleLength")]
        let alike = task[.fetched("alike")]
        let overdue = try context.fetch(
            model.fetchRequest(named: "overdue", substituting: ["day": Date()]))
        #expect(length == 8 && overdue.isEmpty && alike.count <= 1)
    }

    @Test func options() throws {
        let storePath = folder.path("options.sqlite")
        var options = StoreOptions.durable
        options.busyTimeoutMilliseconds = 500
        options.filePermissions = 0o600
        options.history = HistoryOptions(keeping: .days(30))
        let container = try PersistentContainer(
            model: model, .sqlite(at: storePath, opening: .create, options: options))
        #expect(container.keepsHistory)
        let mode = try FileManager.default.attributesOfItem(atPath: storePath)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func severalStores() async throws {
        let userPath = folder.path("user.sqlite")
        let catalogPath = folder.path("catalog.sqlite")
        let model = try ManagedObjectModel {
            Entity("Product") { Attribute("name", .string) }
            Entity("Favorite") { Attribute("product", .string) }
            Configuration("Catalog", ["Product"])
        }
        let shipped = StoreDescription.sqlite(
            at: catalogPath, opening: .create, configuration: "Catalog")
        _ = try PersistentContainer(model: model, shipped)

        var catalog = StoreDescription.sqlite(at: catalogPath, configuration: "Catalog")
        catalog.options.isReadOnly = true
        let container = try await PersistentContainer.load(
            model: model, stores: [.sqlite(at: userPath, opening: .create), catalog])
        #expect(container.stores.map(\.entityNames) == [["Favorite"], ["Product"]])
    }

    @Test func copies() throws {
        let backupPath = folder.path("backup.sqlite")
        let container = try PersistentContainer(
            model: model, at: folder.path("original.sqlite"), opening: .create)
        try container.copyStore(to: backupPath)
        let (uuid, metadata) = try PersistentContainer.metadata(at: backupPath)
        try PersistentContainer.destroy(at: backupPath)
        #expect(uuid == container.storeUUID && !metadata.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: backupPath))
    }

    @Test func carriedModel() throws {
        let appStorePath = folder.path("app.sqlite")
        _ = try PersistentContainer(model: model, at: appStorePath, opening: .create)
        let container = try PersistentContainer(model: nil, at: appStorePath)
        let remarks = container.origin.remarks
        #expect(remarks == [] && container.model.entity(named: "Task") != nil)
    }

    @Test func fromCoreData() async throws {
        let storePath = folder.path("tasks.sqlite")
        do {
            let container = try PersistentContainer(model: model, at: storePath, opening: .create)
            container.register(TasksClasses.all)
            let context = container.newContext()
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Buy milk"
            }
            try context.save()
        }
        let container = try PersistentContainer(model: model, at: storePath, opening: .create)
        container.register(TasksClasses.all)
        try await container.background { context in
            let request = try Task.request.where("isCompleted == NO").sort("title")
            for task in try context.fetch(request) {
                try task.setValue(.attribute(.integer(1)), forKey: "isCompleted")
            }
            try context.save()
        }
        #expect(try container.newContext().fetch(Task.request).map(\.isCompleted) == [true])
    }
}
