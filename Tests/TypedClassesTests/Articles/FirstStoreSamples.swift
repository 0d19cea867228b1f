import Foundation
import GraphModel
import GraphStore
import Synchronization
import Testing

/// What the article "A first store" shows, as it is compiled and run.
@Suite("Article: a first store") struct FirstStoreSamples {
    @Test func modelInSwift() throws {
        let model = try ManagedObjectModel(version: "tasks-1") {
            Entity("Task") {
                Attribute("title", .string, optional: false, length: 1...500)
                Attribute("priority", .integer16, optional: false, default: 0)
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

    @Test func severalStores() async throws {
        let folder = try ExampleFolder()
        let userPath = folder.path("user.sqlite")
        let cataloguePath = folder.path("catalogue.sqlite")
        let model = try ManagedObjectModel {
            Entity("Product") { Attribute("name", .string) }
            Entity("Favourite") { Attribute("product", .string) }
            Configuration("Catalogue", ["Product"])
        }
        let shipped = StoreDescription.sqlite(
            at: cataloguePath, opening: .create, configuration: "Catalogue")
        _ = try PersistentContainer(model: model, shipped)

        var catalogue = StoreDescription.sqlite(at: cataloguePath, configuration: "Catalogue")
        catalogue.options.isReadOnly = true
        let container = try await PersistentContainer.load(
            model: model, stores: [.sqlite(at: userPath, opening: .create), catalogue])
        #expect(container.stores.map(\.entityNames) == [["Favourite"], ["Product"]])
    }

    @Test func opensInsertsFetchesAndChanges() throws {
        let folder = try ExampleFolder()
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

        let request = Task.request.where {
            $0.title.contains("milk", [.c, .d]) && $0.category.tasks.count > 2
        }
        #expect(try context.count(for: request) == 0)

        milk.isCompleted = true
        home.tasks.remove(milk)
        try context.save()
        #expect(milk.category == nil && milk.isCompleted)
    }
}
