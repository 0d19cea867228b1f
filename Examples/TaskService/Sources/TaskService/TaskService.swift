import Foundation
import GraphStore

/// Inserts, links, and fetches objects of a new store, which is deleted at the end.
@main struct TaskService {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("TaskService-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try openStore(at: folder.appendingPathComponent("tasks.sqlite").path)
        for line in try await report(on: container) { print(line) }
    }

    /// Opens the store with the model that is embedded in the program.
    static func openStore(at path: String) throws -> PersistentContainer {
        let text = String(decoding: PackageResources.tasks_yaml, as: UTF8.self)
        let model = try ManagedObjectModel(yaml: text, name: "tasks.yaml")
        let container = try PersistentContainer(model: model, at: path, opening: .create)
        container.register(TasksClasses.all)
        return container
    }

    /// Fills the store, and describes what is open.
    static func report(on container: PersistentContainer) async throws -> [String] {
        try await container.background { context in
            let home = context.insert(Category.self) { $0.name = "Home" }
            for (title, priority) in [("Buy milk", 1), ("Water plants", 2), ("Call Ada", 0)] {
                context.insert(TodoTask.self) {
                    $0.title = title
                    $0.priority = Int16(priority)
                    $0.category = home
                }
            }
            try context.save()
            let urgent = try context.fetch(
                TodoTask.request.where(\.priority > 0).sort(\.priority, ascending: false))
            urgent.last?.isCompleted = true
            try context.save()
            let open = TodoTask.request.where(\.isCompleted == false)
            return try urgent.map { "\($0.category?.name ?? "None"): \($0.title)" }
                + ["\(context.count(for: open)) of \(home.tasks.count) tasks are open"]
        }
    }
}
