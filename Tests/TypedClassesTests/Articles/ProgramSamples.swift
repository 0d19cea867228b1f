import Foundation
import GraphStore
import Testing

@Suite struct InboxTests {
    let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
    }

    @Test func newTasksAreOpen() async throws {
        let isOpen = try await container.background { context in
            let task = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Buy milk"
            }
            try context.save()
            return !task.isCompleted
        }
        #expect(isOpen)
    }
}

/// The samples of the articles under "Programs" and "Errors and files", compiled and run.
@Suite("Articles: programs") struct ProgramSamples {
    private let folder: ExampleFolder
    private let model: ManagedObjectModel
    private let container: PersistentContainer

    init() throws {
        folder = try ExampleFolder()
        model = try .example("tasks")
        container = try PersistentContainer(
            model: model, at: folder.path("tasks.sqlite"), opening: .create)
        container.register(TasksClasses.all)
    }

    @Test func unitsAndRepositories() async throws {
        try container.unitOfWork { context in
            let home = context.insert(Category.self) { $0.name = "Home" }
            try context.unitOfWork { context in
                let task = context.insert(Task.self)
                task.id = UUID()
                task.title = "Buy milk"
                task.category = home
            }
        }
        try await container.background { context in
            let tasks = GraphRepository<Task>(context)
            let open = try GraphPredicate(format: "isCompleted == NO")
            for task in try tasks.objects(where: open, sortedBy: [], limit: 10) {
                task.isCompleted = true
            }
            try tasks.save()
            #expect(!context.hasChanges)
        }
        let context = container.newContext()
        #expect(try context.fetch(Task.request).map(\.isCompleted) == [true])
        let moved = try await container.background { context in
            try context.unitOfWork { context in
                let work = context.insert(Category.self) { $0.name = "Work" }
                for task in try context.fetch(Task.request) { task.category = work }
            }
            return try context.save().change.updated.count
        }
        #expect(moved >= 1)
        do {
            let service = GraphDataService(container)
            let id = try await service.save(
                ObjectData(entityName: "Category", attributes: ["name": .text("Garden")]))
            let garden = try await service.object(with: id)
            try await service.delete(id)
            #expect(garden?.attributes["name"] == .text("Garden"))
        }
        #expect(try context.count(for: Category.request) == 2)
    }

    @Test func testing() async throws {
        let id = UUID()
        do {
            let context = container.newContext()
            let home = context.insert(Category.self) { $0.name = "Home" }
            context.insert(Task.self) {
                $0.id = id
                $0.title = "Buy milk"
                $0.category = home
            }
            try context.save()
        }
        let copyPath = folder.path("copy.sqlite")
        do {
            try container.copyStore(to: copyPath)
            let context = container.newContext()
            try context.fetch(Task.request.limit(1)).first?.title = "Changed"
            try context.save()
            let difference = try container.difference(from: copyPath)
            #expect(difference.entities.map(\.properties) == [["title": 1]])
        }
        var names: Set<String> = []
        let context = container.newContext()
        let tasks = try context.fetch(Task.request.prefetch(\.category))
        for task in tasks { names.insert(task.category?.name ?? "") }
        #expect(context.statistics.faultsFired == 0)
        #expect(names == ["Home"])
        try await container.background { context in
            let explanation = try context.explain(Task.request.where(\.id == id))
            #expect(explanation.scannedObjects == 0)
        }
        try container.truncateAll()
        #expect(try container.newContext().count(for: Task.request) == 0)
    }

    @Test func fullDisk() throws {
        var options = StoreOptions()
        options.pragmas["max_page_count"] = "60"
        let small = try PersistentContainer(
            model: model, .sqlite(at: folder.path("tasks.sqlite"), options: options))
        small.register(TasksClasses.all)
        let context = small.newContext()
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = "Large"
            $0.notes = String(repeating: "x", count: 1_000_000)
        }
        #expect(codeOfFailure { try context.save() } == .full)
    }

    @Test func errors() throws {
        var reported: [String] = []
        func report(_ messages: [String]) { reported += messages }
        func save(_ context: ManagedObjectContext) throws(StoreError) -> Bool {
            do {
                try context.save()
                return true
            } catch {
                switch error.code {
                case .validation: report(error.validationError?.failures.map(\.message) ?? [])
                case .conflict: report(error.mergeError?.conflicts.map(\.description) ?? [])
                case .busy: return false
                default: throw error
                }
                context.rollback()
                return true
            }
        }
        let context = container.newContext()
        let task = context.insert(Task.self) { $0.id = UUID() }
        #expect(try save(context))
        #expect(reported.count == 1 && !context.hasChanges)
        withExtendedLifetime(task) {}
    }

    @Test func notedErrorsAndRecovery() async throws {
        try await container.background { context in
            var messages: [String] = []
            let task = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Buy milk"
            }
            task.estimate = .infinity
            for error in context.takeNotedErrors() { messages.append(error.message) }
            #expect(messages.count == 1)
            try context.save()
        }
        var messages: [String] = []
        let storePath = folder.path("tasks.sqlite")
        let report = try PersistentContainer.verify(at: storePath, .full)
        for finding in report.findings { messages.append("\(finding)") }
        #expect(messages == [])
        let damagedPath = folder.path("damaged.sqlite")
        let newPath = folder.path("new.sqlite")
        try container.copyStore(to: damagedPath)
        let salvage = try PersistentContainer.salvage(at: damagedPath, to: newPath)
        for loss in salvage.losses { messages.append("\(loss)") }
        if salvage.isComplete { try PersistentContainer.replace(at: damagedPath, with: newPath) }
        #expect(messages == [] && !FileManager.default.fileExists(atPath: newPath))
    }
}
