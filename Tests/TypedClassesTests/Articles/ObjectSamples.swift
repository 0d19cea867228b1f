import Foundation
import GraphStore
import Testing

/// The samples of the articles under "Objects", compiled and run.
@Suite("Articles: objects") struct ObjectSamples {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
    }

    @Test func createsReadsChangesAndDeletes() async throws {
        try await container.background { context in
            let home = context.insert(Category.self) { $0.name = "Home" }
            let milk = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Buy milk"
                $0.category = home
            }
            try context.save()
            let reference = Ref(milk)

            let other = ManagedObjectID(entityNumber: milk.objectID.entityNumber, primaryKey: 99)
            let same = try context.existingObject(with: milk.objectID)
            let again = context[reference]
            let title = try milk.value(forKey: "title")
            let missing = context.registeredObject(for: other)
            #expect(same === milk && again === milk && missing == nil)
            guard case .attribute(.text("Buy milk")) = title else {
                Issue.record("\(title)")
                return
            }

            milk.title = "Buy oat milk"
            let changes = milk.changedValues
            let before = try milk.committedValues(forKeys: ["title"])
            try context.save()
            #expect(changes.keys.sorted() == ["title"] && before.keys.sorted() == ["title"])

            func category(named name: String, in context: ManagedObjectContext) throws -> Category {
                let request = Category.request.where(\.name == name).limit(1)
                if let known = try context.fetch(request).first { return known }
                return context.insert(Category.self) { $0.name = name }
            }
            #expect(try category(named: "Home", in: context) === home)
            let garden = try category(named: "Garden", in: context)
            #expect(try category(named: "Garden", in: context) === garden)

            let keepers = try context.deletability(of: home)
            context.delete(milk)
            context.delete(home)
            try context.save()
            #expect(keepers == ["tasks"])
            #expect(milk.managedObjectContext == nil && !milk.isDeleted)
            #expect(try context.count(for: Category.request) == 1)
        }
    }

    func task(_ title: String, in context: ManagedObjectContext) -> Task {
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = title
        }
    }

    @Test func relationships() async throws {
        try await container.background { context in
            let home = context.insert(Category.self) { $0.name = "Home" }
            let report = task("Write the report", in: context)
            let draft = task("Draft", in: context)
            let review = task("Review", in: context)
            report.category = home
            report.subtasks = [draft, review]
            report.related.insert(draft)
            try context.save()
            #expect(home.tasks == [report] && draft.parent === report && draft.related == [report])

            home.addToTasks(draft)
            home.removeFromTasks(draft)
            report.insertIntoSubtasks(task("Outline", in: context), at: 0)
            let count = try home.objectIDs(for: "tasks").count
            #expect(count == 1 && report.subtasks.map(\.title) == ["Outline", "Draft", "Review"])

            let busy = Category.request.where {
                $0.tasks.count > 1 && $0.tasks.any.priority > 1
            }
            let tasks = Task.request.where(\.category == home)
            let free = Task.request.where(\.category == nil)
            #expect(try context.fetch(busy) == [])
            #expect(try context.fetch(tasks) == [report])
            #expect(try context.count(for: free) == 3)
        }
    }
}
