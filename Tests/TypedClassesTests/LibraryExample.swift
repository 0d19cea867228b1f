import Foundation
import GraphStore

func tidy(storeAt path: String, modelAt modelPath: String) throws -> StoreChange {
    let model = try ManagedObjectModel(yamlFile: modelPath)
    let container = try PersistentContainer(model: model, at: path, opening: .create)
    container.register(TasksClasses.all)
    return try container.newBackgroundContext().performAndWait { context in
        let inbox = context.insert(Category.self) { $0.name = "Inbox" }
        let late = Task.request.where(\.isCompleted == false && \.dueOn < Date()).sort(\.dueOn)
        for task in try context.fetch(late) where task.category == nil {
            task.category = inbox
            task.priority += 1
        }
        return try context.save().change
    }
}
