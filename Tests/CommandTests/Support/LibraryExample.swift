import GraphModel
import GraphStore

func tidy(storeAt path: String, modelAt modelPath: String) throws -> StoreChange {
    let model = try ManagedObjectModel(yamlFile: modelPath)
    let container = try PersistentContainer(model: model, at: path)
    return try container.newBackgroundContext().performAndWait { context in
        let raise = BatchUpdateRequest(
            entityName: "Task", predicate: try GraphPredicate(format: "priority < %d", 2),
            propertiesToUpdate: ["priority": try GraphExpression(format: "priority + 1")])
        let remove = BatchDeleteRequest(
            entityName: "Task",
            predicate: try GraphPredicate(format: "category.name == %@", "Errands"))
        _ = (try context.execute(raise), try context.execute(remove))
        return try context.save().change
    }
}
