import Foundation
import GraphStore
import Testing

/// The samples of the articles under "Contexts and changes", compiled and run.
@Suite("Articles: contexts and changes") struct ContextsSamples {
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

    @Test func pinned() async throws {
        let folder = try ExampleFolder()
        let container = try PersistentContainer(
            model: .example("tasks"), at: folder.path("pinned.sqlite"), opening: .create)
        container.register(TasksClasses.all)
        let other = container.newContext()
        _ = insertTask(other)
        try await container.background { context in
            try context.pinQueryGeneration()
            let before = try context.count(for: Task.request)
            try other.save()
            let after = try context.count(for: Task.request)
            try context.unpinQueryGeneration()
            #expect(before == 0 && after == 0)
            #expect(try context.count(for: Task.request) == 1)
        }
    }

    @Test func drafts() async throws {
        try await container.background { context in
            let task = insertTask(context)
            try context.save()
            let draft = context.makeChild()
            let copy = draft.object(with: task.objectID) as? Task
            copy?.title = "Changed in the child"
            try draft.save()
            let change = try context.save().change
            #expect(change.updated.ids == [task.objectID])
            #expect(task.title == "Changed in the child")
            var problems: [String] = []
            let form = context.makeChild()
            let title = ""
            form.insert(Task.self) {
                $0.id = UUID()
                $0.title = title
            }
            do throws(StoreError) {
                try form.save()
            } catch {
                problems = error.validationError?.failures.map(\.message) ?? []
                form.rollback()
            }
            #expect(problems.count == 1 && !form.hasChanges && !context.hasChanges)
            do {
                let page = context.makeChild()
                let dialog = page.makeChild()
                let note = dialog.insert(Task.self) {
                    $0.id = UUID()
                    $0.title = "Three levels down"
                }
                let result = try PersistentContainer.saveChain([dialog, page, context])
                #expect(result.change.inserted.ids == [note.objectID])
            }
        }
        let count = try await container.background { context in
            let draft = context.makeChild()
            draft.insert(Category.self) { $0.name = "Garden" }
            try draft.save()
            return try context.save().change.inserted.count
        }
        #expect(count == 1)
    }

    @Test func undo() async throws {
        try await container.background { context in
            let task = insertTask(context)
            try context.save()
            context.isUndoEnabled = true
            task.title = "Something else"
            try context.processPendingChanges()
            try context.undo()
            #expect(task.title == "A task")
            if context.canRedo {
                try context.redo()
            }
            #expect(task.title == "Something else")
            try context.save()
            try context.undoGroup {
                task.title = "Call Ben"
                task.priority = 2
                context.insert(Task.self) {
                    $0.id = UUID()
                    $0.title = "Prepare the call"
                }
            }
            try context.save()
            try context.undo()
            try context.save()
            #expect(task.title == "Something else")
            #expect(try context.count(for: Task.request) == 1)
        }
    }

    @Test func conflicts() async throws {
        try await container.background { context in
            let task = insertTask(context)
            try context.save()
            let other = container.newContext()
            func changeElsewhere(_ title: String) throws {
                other.reset()
                try #require(other.existingObject(with: task.objectID) as? Task).title = title
                try other.save()
            }
            var messages: [String] = []
            try changeElsewhere("Theirs")
            task.title = "Mine"
            do throws(StoreError) {
                try context.save()
            } catch {
                for conflict in error.mergeError?.conflicts ?? [] {
                    messages.append(conflict.description)
                    try context.discard(conflict)
                }
                try context.save()
            }
            #expect(messages.count == 1 && task.title == "Theirs")
            try changeElsewhere("Theirs again")
            task.title = "Mine again"
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(task.title == "Mine again")
            context.mergePolicy = MergePolicy { conflict in
                conflict.changedKeys == ["views"] ? .storeTrump : .fail
            }
            try changeElsewhere("Theirs at last")
            task.views = 7
            try context.save()
            #expect(task.title == "Theirs at last")
        }
    }

    @Test func constraints() async throws {
        let first = container.newContext()
        let home = first.insert(Category.self) { $0.name = "Home" }
        try first.save()
        do {
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.insert(Category.self) { $0.name = "Home" }
            try context.save()
            #expect(try context.fetchIDs(Category.request) == [home.objectID])
        }
        try await container.background { context in
            let category = try context.fetch(Category.request.where(\.name == "Home")).first
            if let category, category.name == "Home" { context.detectConflicts(for: category) }
            home.name = "House"
            try first.save()
            _ = insertTask(context)
            #expect(codeOfFailure { try context.save() } == .conflict)
        }
    }
}
