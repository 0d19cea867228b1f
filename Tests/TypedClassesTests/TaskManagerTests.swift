import Foundation
import GraphModel
import GraphStore
import Testing

/// An app over generated classes; `Tasks/` is the output of `etl model swift` for `tasks.yaml`.
@Suite("A task manager over generated classes") struct TaskManagerTests {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
    }

    /// Creates two categories with three tasks, one of them an errand.
    private func fill() throws {
        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        let work = context.insert(Category.self) { $0.name = "Work" }
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = "Water the plants"
            $0.priority = 1
            $0.category = home
        }
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = "Write the report"
            $0.priority = 2
            $0.dueOn = Date(timeIntervalSinceReferenceDate: 86_400)
            $0.category = work
        }
        context.insert(Errand.self) {
            $0.id = UUID()
            $0.title = "Buy milk"
            $0.place = "Corner shop"
            $0.category = home
        }
        try context.save()
    }

    private func titles(_ request: FetchRequest<Task>) throws -> [String] {
        let context = container.newContext()
        return try context.fetch(request).map(\.title)
    }

    @Test("row 16: typed predicates and sort orders fetch the right objects")
    func typedRequests() throws {
        try fill()
        #expect(try titles(Task.request.where(\.title == "Buy milk")) == ["Buy milk"])
        #expect(
            try titles(Task.request.where(\.priority > 0 && \.isCompleted == false).sort(\.title))
                == ["Water the plants", "Write the report"])
        #expect(
            try titles(
                Task.request.where(\.category.name == "Home" || \.dueOn != nil)
                    .sort(\.priority, ascending: false).sort(\.title))
                == ["Write the report", "Water the plants", "Buy milk"])
        #expect(
            try titles(Task.request.where(!(\.category.name == "Home"))) == ["Write the report"])
        #expect(
            try titles(Task.request.where { $0.title.beginsWith("w", [.c]) }.sort(\.title))
                == ["Water the plants", "Write the report"])
        #expect(
            try titles(Task.request.sort(\.category.name).sort(\.title).where(\.priority < 2))
                == ["Buy milk", "Water the plants"])
        #expect(
            try titles(Task.request.where { $0.category.tasks.count > 1 }.sort(\.title))
                == ["Buy milk", "Water the plants"])
        let context = container.newContext()
        let home = try context.fetch(Category.request.where(\.name == "Home"))
        #expect(home.count == 1)
        #expect(try context.count(for: Task.request.where(\.category == home.first)) == 2)
        #expect(try context.count(for: Task.request.where { $0.category.in(home) }) == 2)
        #expect(
            try context.fetch(Category.request.where { $0.tasks.any.priority == 2 }).map(\.name)
                == ["Work"])
    }

    @Test("a subclass has the keys of its superclass, and requests for either find its objects")
    func inheritance() throws {
        try fill()
        let context = container.newContext()
        let errands = try context.fetch(
            Errand.request.where(\.place == "Corner shop" && \.title == "Buy milk"))
        #expect(errands.map(\.title) == ["Buy milk"])
        let all: [Task] = try context.fetch(Task.request.sort(\.title))
        #expect(all.map { $0 is Errand } == [true, false, false])
        #expect(try context.count(for: Item.request) == 3)
    }

    @Test("row 4: every type of attribute survives a save, in the object and in its row")
    func everyType() throws {
        let context = container.newContext()
        let id = UUID()
        let task = context.insert(Task.self)
        task.createdAt = Date(timeIntervalSinceReferenceDate: 1.5)
        task.id = id
        task.title = "Everything"
        task.notes = "ä\u{0}€"
        task.isCompleted = true
        task.priority = 2
        task.steps = .min
        task.views = .max
        task.dueOn = Date(timeIntervalSinceReferenceDate: -0.25)
        task.estimate = 0.1
        task.weight = 1.5
        task.price = Decimal(string: "19.99")
        task.link = URL(string: "https://example.org/a?b=c#d")
        task.photo = Data([0, 1, 255])
        task.address = Data(#"{"city":"Bonn"}"#.utf8)
        task.default = false
        task.category = context.insert(Category.self) { $0.name = "All" }
        let row = Task.Row(task)
        try context.save()

        let other = container.newContext()
        let again = try #require(other.existingObject(with: task.objectID) as? Task)
        #expect(Task.Row(again) == row)
        #expect(again.id == id && again.objectID == task.objectID)
        #expect(again.notes == "ä\u{0}€" && again.steps == .min && again.views == .max)
        #expect(again.createdAt.timeIntervalSinceReferenceDate == 1.5)
        #expect(again.dueOn?.timeIntervalSinceReferenceDate == -0.25)
        #expect(again.estimate == 0.1 && again.weight == 1.5)
        #expect(again.price == Decimal(string: "19.99"))
        #expect(again.link?.absoluteString == "https://example.org/a?b=c#d")
        #expect(again.photo == Data([0, 1, 255]) && again.default == false)
        #expect(again.address == Data(#"{"city":"Bonn"}"#.utf8))
        #expect(row.category == again.category.map { Ref($0) })

        let json = try JSONEncoder().encode(row)
        #expect(try JSONDecoder().decode(Task.Row.self, from: json) == row)
    }

    @Test("row 6: an unset required attribute reads as empty, and a save fails")
    func required() throws {
        let context = container.newContext()
        let task = context.insert(Task.self)
        #expect(task.title == "" && task.priority == 0 && task.isCompleted == false)
        #expect(task.id == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(codeOfFailure { try context.save() } == .validation)
        task.id = UUID()
        task.title = "Now"
        try context.save()
    }

    @Test("row 12: both ends of a relationship change together, and an ordered one keeps its order")
    func relationships() throws {
        let context = container.newContext()
        func task(_ title: String) -> Task {
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = title
            }
        }
        let move = task("Move")
        let (pack, load, drive) = (task("Pack"), task("Load"), task("Drive"))
        move.subtasks = [pack, drive]
        move.insertIntoSubtasks(load, at: 1)
        #expect(move.subtasks == [pack, load, drive])
        #expect(load.parent == move)
        move.removeFromSubtasks(pack)
        #expect(pack.parent == nil && move.subtasks == [load, drive])
        pack.related = [load, drive]
        #expect(load.related == [pack] && drive.related == [pack])
        let home = context.insert(Category.self) { $0.name = "Home" }
        home.addToTasks(move)
        home.tasks.insert(pack)
        #expect(move.category == home && pack.category == home)
        home.removeFromTasks(pack)
        #expect(home.tasks == [move])
        try context.save()
        let other = container.newContext()
        let again = try #require(other.fetch(Task.request.where(\.title == "Move")).first)
        #expect(again.subtasks.map(\.title) == ["Load", "Drive"])
        #expect(again.category?.tasks == [again])
    }

    @Test("rows 58, 59: subtasks are deleted with their task, and a category in use is not deleted")
    func deleting() throws {
        try fill()
        let context = container.newContext()
        let report = try #require(
            context.fetch(Task.request.where(\.title == "Write the report")).first)
        report.subtasks = [
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Collect figures"
            }
        ]
        try context.save()
        let work = try #require(report.category)
        context.delete(work)
        #expect(codeOfFailure { try context.save() } == .validation)
        context.rollback()
        context.delete(report)
        try context.save()
        #expect(try titles(Task.request.sort(\.title)) == ["Buy milk", "Water the plants"])
        context.delete(work)
        try context.save()
        #expect(try context.fetch(Category.request).map(\.name) == ["Home"])
    }

    @Test("row 31: a row can leave its context, and a reference finds the object in another one")
    func rows() async throws {
        try fill()
        let rows = try await container.background { context in
            try context.fetch(Task.request.sort(\.title).prefetch(\.category)).map(Task.Row.init)
        }
        #expect(rows.map(\.title) == ["Buy milk", "Water the plants", "Write the report"])
        let names = await container.background { context in
            rows.compactMap { $0.category.flatMap { context[$0]?.name } }
        }
        #expect(names == ["Home", "Home", "Work"])
    }

    @Test("row 105: objects of the view context update after a save in the background")
    @MainActor func liveReadBack() async throws {
        try fill()
        let view = container.viewContext
        let milk = try #require(view.fetch(Task.request.where(\.title == "Buy milk")).first)
        #expect(milk.isCompleted == false)
        let id = milk.objectID
        try await container.background { context in
            let task = try context.existingObject(with: id) as? Task
            task?.isCompleted = true
            try context.save()
        }
        try view.processPendingChanges()
        #expect(milk.isCompleted)
        #expect(try view.count(for: Task.request.where(\.isCompleted == true)) == 1)
    }
}

extension ManagedObjectModel {
    /// Returns a model of `Models/`.
    static func example(_ name: String) throws -> ManagedObjectModel {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try ManagedObjectModel(
            yamlFile: folder.appendingPathComponent("Models/\(name).yaml").path)
    }
}

/// Returns the code of the error that a save throws.
func codeOfFailure(_ save: () throws -> SaveResult) -> StoreError.Code? {
    do {
        _ = try save()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
