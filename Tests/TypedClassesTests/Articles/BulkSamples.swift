import Foundation
import GraphModel
import GraphStore
import Synchronization
import Testing

/// What the articles "Bulk import" and "Deleting" show, as it is compiled and run.
@Suite("Articles: bulk import, deleting") struct BulkSamples {
    @Test func chunks() throws {
        let folder = try ExampleFolder()
        let model = try ManagedObjectModel.example("tasks")
        let storePath = folder.path("bulk.sqlite")
        let lines = (1...25).map { "Task \($0)" }
        do {
            let container = try PersistentContainer(
                model: model, .sqlite(at: storePath, opening: .create, options: .bulk))
            container.register(TasksClasses.all)
            let context = container.newContext()
            for chunk in stride(from: 0, to: lines.count, by: 10_000) {
                for line in lines[chunk..<min(chunk + 10_000, lines.count)] {
                    context.insert(Task.self) {
                        $0.id = UUID()
                        $0.title = line
                    }
                }
                try context.save()
                context.reset()
            }
            #expect(try context.count(for: Task.request) == 25)
            #expect(try PersistentContainer.verify(at: storePath, .full).isSound)
        }
        try PersistentContainer.destroy(at: storePath)
        #expect(!FileManager.default.fileExists(atPath: storePath))
    }

    @Test func upsert() throws {
        let container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let first = container.newContext()
        let home = first.insert(Category.self) { $0.name = "Home" }
        try first.save()
        let context = container.newContext()
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.insert(Category.self) { $0.name = "Home" }
        try context.save()
        #expect(try context.fetchIDs(Category.request) == [home.objectID])
    }

    @Test func rowsWithoutObjects() throws {
        let container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let context = container.newContext()
        let id = UUID()
        do {
            var request = BatchInsertRequest(
                entityName: "Task",
                objects: [
                    ["id": .value(id.storedValue), "title": "Buy milk", "category": "Home"],
                    ["id": .value(UUID().storedValue), "title": "Write it", "category": "Work"],
                ])
            request.key = ["id"]
            request.policy = .objectTrump
            request.links = ["category": .init(by: "name", missing: .create)]
            let result = try context.execute(request)
            #expect(result.inserted == 2)
        }
        let milk = try context.fetch(Task.request.where(\.id == id)).first
        #expect(milk?.category?.name == "Home")
        let rows: [[String: BatchValue]] = [["name": "Home"], ["name": "Garden"]]
        do {
            var importer = Importer(container, entityName: "Category", properties: ["name"])
            importer.key = ["name"]
            let result = try importer.run(rows, name: "categories")
            #expect(result.progress.rows == 2 && result.progress.inserted == 1)
        }
        #expect(
            try context.fetch(Category.request.sort(\.name)).map(\.name)
                == ["Garden", "Home", "Work"])
    }

    private struct TooMany: Error {}

    /// Three tasks in a category, one of them completed.
    private func filled() throws -> PersistentContainer {
        let container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        for number in 1...11 {
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Task \(number)"
                $0.isCompleted = number == 1
                $0.category = home
            }
        }
        try context.save()
        return container
    }

    @Test func batchRequests() throws {
        let container = try filled()
        let context = container.newContext()
        do {
            let raise = BatchUpdateRequest(
                entityName: "Task",
                predicate: try GraphPredicate(format: "isCompleted == NO AND priority < 2"),
                propertiesToUpdate: ["priority": try GraphExpression(format: "priority + 1")])
            let result = try context.execute(raise)
            #expect(result.updated == 10)
        }
        do {
            let request = BatchDeleteRequest(
                entityName: "Task", predicate: try GraphPredicate(format: "isCompleted == YES"),
                limit: .percent(10))
            let result = try context.execute(request)
            #expect(result.deleted == 1)
        }
        #expect(try context.count(for: Task.request.where(\.priority == 1)) == 10)
        let raise = BatchUpdateRequest(
            entityName: "Task",
            propertiesToUpdate: ["priority": try GraphExpression(format: "priority + 1")])
        do {
            try context.unitOfWork { context in
                _ = try context.execute(raise)
                let urgent = try context.count(for: Task.request.where(\.priority == 2))
                guard urgent < 100 else { throw TooMany() }
            }
        }
        #expect(try context.count(for: Task.request.where(\.priority == 2)) == 10)
        let names = ["Home", "Work", "Home"]
        do {
            for name in names {
                let known = try context.fetch(Category.request.where(\.name == name).limit(1)).first
                if known == nil { context.insert(Category.self) { $0.name = name } }
            }
            try context.save()
        }
        #expect(try context.count(for: Category.request) == 2)
    }

    @Test func objects() throws {
        let context = try filled().newContext()
        let category = try #require(context.fetch(Category.request).first)
        let keepers = try context.deletability(of: category)
        #expect(keepers == ["tasks"])
        for task in category.tasks {
            context.delete(task)
            try context.save()
        }
        #expect(try context.deletability(of: category) == [])
    }
}
