import Foundation
import GraphModel
import GraphStore
import Synchronization
import Testing

/// What the article "Contexts" shows, as it is compiled and run.
@Suite("Article: contexts") struct ContextsSamples {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
    }

    private func insertTask(_ context: ManagedObjectContext) -> Task {
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = "A task"
            $0.priority = 2
        }
    }

    @Test func background() async throws {
        let context = container.newContext()
        _ = insertTask(context)
        try context.save()
        let titles = try await container.background { context in
            try context.fetch(Task.request.where(\.priority == 2).sort(\.title)).map(\.title)
        }
        #expect(titles == ["A task"])
    }

    @Test @MainActor func view() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let task = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "From the background"
            }
            try context.save()
            return task.objectID
        }
        let view = container.viewContext
        let tasks = try view.fetch(Task.request.sort(\.title))
        let rows = tasks.map(Task.Row.init)
        #expect(rows.map(\.title) == ["From the background"])
        var names: [String] = []
        if let task = try view.existingObject(with: id) as? Task {
            names.append(task.title)
        }
        #expect(names == ["From the background"])
    }

    @Test func drafts() throws {
        let context = container.newContext()
        let task = insertTask(context)
        try context.save()
        let draft = context.makeChild()
        let copy = draft.object(with: task.objectID) as? Task
        copy?.title = "Changed in the child"
        try draft.save()
        let change = try context.save().change
        #expect(change.updated.ids == [task.objectID])
        #expect(task.title == "Changed in the child")
    }

    @Test func refusedSave() throws {
        let context = container.newContext()
        let task = insertTask(context)
        task.title = ""
        var messages: [String] = []
        context.mergePolicy = .mergeByPropertyObjectTrump
        do {
            try context.save()
        } catch {
            switch error.code {
            case .validation: messages = error.validationError?.failures.map(\.message) ?? []
            case .conflict: messages = error.mergeError?.conflicts.map(\.description) ?? []
            default: throw error
            }
            context.rollback()
        }
        #expect(messages.count == 1 && !context.hasChanges)
    }

    @Test func undo() throws {
        let context = container.newContext()
        let task = insertTask(context)
        try context.save()
        context.isUndoEnabled = true
        task.title = "Something else"
        try context.processPendingChanges()
        try context.undo()
        #expect(task.title == "A task")
    }

    @Test func pinned() throws {
        let folder = try ExampleFolder()
        let container = try PersistentContainer(
            model: .example("tasks"), at: folder.path("pinned.sqlite"), opening: .create)
        container.register(TasksClasses.all)
        let other = container.newContext()
        _ = insertTask(other)
        let context = container.newContext()
        try context.pinQueryGeneration()
        let before = try context.count(for: Task.request)
        try other.save()
        let after = try context.count(for: Task.request)
        try context.unpinQueryGeneration()
        #expect(before == 0 && after == 0)
        #expect(try context.count(for: Task.request) == 1)
    }

    @Test func told() throws {
        let log = Mutex<[Int]>([])
        let context = container.newContext()
        _ = insertTask(context)
        let token = container.observeChanges { change in
            log.withLock { $0.append(change.inserted.count) }
        }
        try context.save()
        container.stopObserving(token)
        #expect(log.withLock { $0 } == [1])
    }
}
