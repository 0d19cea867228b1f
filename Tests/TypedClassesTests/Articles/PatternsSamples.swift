import Foundation
import GraphModel
import GraphStore
import Synchronization
import Testing

/// What the article "Patterns" shows, as it is compiled and run.
@Suite("Article: patterns") struct PatternsSamples {
    @Test func unitsAndRepositories() throws {
        let container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        try container.unitOfWork { context in
            let home = context.insert(Category.self) { $0.name = "Home" }
            try context.unitOfWork { context in
                let task = context.insert(Task.self)
                task.id = UUID()
                task.title = "Buy milk"
                task.category = home
            }
        }
        let context = container.newContext()
        let found = try context.fetch(Task.request.where(\.category.name == "Home"))
        #expect(found.map(\.isCompleted) == [false])
        let tasks = GraphRepository<Task>(context)
        let open = try GraphPredicate(format: "isCompleted == NO")
        for task in try tasks.objects(where: open, sortedBy: [], limit: 10) {
            task.isCompleted = true
        }
        try tasks.save()
        #expect(found.map(\.isCompleted) == [true] && !context.hasChanges)
    }
}
