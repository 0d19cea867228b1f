import Foundation
import GraphStore
import Testing

/// The samples of the articles under "Fetching objects", compiled and run.
@Suite("Articles: fetching objects") struct FetchingSamples {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        for (title, priority) in [("Buy milk", 2), ("Call Ann", 0), ("level", 1)] {
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = title
                $0.priority = Int16(priority)
                $0.category = priority == 2 ? home : nil
            }
        }
        try context.save()
    }

    @Test func predicates() async throws {
        try await container.background { context in
            let urgent = Task.request
                .where(\.priority > 1 && \.isCompleted == false || \.category.name == "Home")
                .sort(\.dueOn, nullOrder: .last)
                .sort(\.title, textOrder: .localizedStandard)
                .limit(20)
            let tasks = try context.fetch(urgent)
            #expect(tasks.map(\.title) == ["Buy milk"])
            do {
                let late = Task.request
                    .where(\.views > \.priority && -\.steps <= \.priority - 1)
                    .where(2 ** \.priority < \.views)
                    .where(\.views & 4 == 4)
                #expect(try context.fetch(late).isEmpty)
            }
            do {
                let request = Task.request
                    .where { $0.title.contains("milk", [.c, .d]) && $0.priority.in([1, 2]) }
                    .where { $0.dueOn.isNil || $0.subtasks.any.title.beginsWith("Call") }
                #expect(try context.fetch(request).map(\.title) == ["Buy milk"])
            }
            let long = Task.request
                .where { $0.priority.key * 2 > $0.steps.key }
                .where { GraphFunction.length($0.title.key) > 10 }
                .where { _ in subquery("subtasks") { $0.isCompleted == false }.count > 2 }
            #expect(try context.fetch(long).isEmpty)
            do {
                let predicate = try GraphPredicate(
                    format: "title CONTAINS[cd] %@ AND dueOn < $day", "milk")
                let now = Date().timeIntervalSinceReferenceDate
                let request = FetchRequest<Task>(predicate: predicate)
                    .bind("day", to: .date(secondsSinceReference: now))
                let same = try Task.request.where("priority > %d", 1)
                #expect(try context.fetch(request).isEmpty)
                #expect(try context.fetch(same).map(\.title) == ["Buy milk"])
            }
            let palindromes = try context.fetchInMemory(
                Task.request.where(\.isCompleted == false),
                where: { task in task.title == String(task.title.reversed()) })
            #expect(palindromes.map(\.title) == ["level"])
        }
    }

    @Test func faulting() async throws {
        let id = try #require(
            container.newContext().fetchIDs(Task.request.where(\.title == "Buy milk")).first)
        try await container.background { context in
            do {
                let task = context.object(with: id)
                let before = task.isFault
                let title = try task.value(forKey: "title")
                let after = task.isFault
                #expect(before && !after)
                guard case .attribute(.text("Buy milk")) = title else {
                    Issue.record("\(title)")
                    return
                }
                try context.refresh(task, mergeChanges: true)
                try context.refresh(task, mergeChanges: false)
                try context.refreshAllObjects()
                #expect(!task.hasChanges)
            }
            do {
                let request = Task.request.prefetch(\.category).prefetch("subtasks.related")
                let tasks = try context.fetch(request)
                let names = tasks.map { $0.category?.name }
                #expect(names == ["Home", nil, nil])
            }
            var count = 0
            let page = try context.fetchPage(Task.request.sort(\.title).batches(of: 50))
            let first = page.first?.title
            let cursor = try context.cursor(Task.request)
            while let chunk = try cursor.nextChunk() {
                count += chunk.count
            }
            #expect(first == "Buy milk" && count == 3)
        }
    }

    @Test func explanation() async throws {
        let model = try ManagedObjectModel {
            Entity("Task") {
                Attribute("title", .string)
                Attribute("isCompleted", .boolean, default: false)
                Attribute("dueOn", .date)
            }
        }
        let plain = try PersistentContainer.ephemeral(model: model)
        try await plain.background { context in
            for _ in 1...1_200 { _ = try context.insert("Task") }
            try context.save()
            let request = Task.request
                .where(\.isCompleted == false && \.dueOn < Date()).sort(\.dueOn)
            let explanation = try context.explain(request)
            print(explanation)
            let article = try String(
                contentsOfFile: ExampleFolder.root
                    + "/Sources/GraphStore/GraphStore.docc/Performance.md", encoding: .utf8)
            #expect(article.contains("```text\n\(explanation)\n```"), "\(explanation)")
            #expect(explanation.scannedObjects == 1_200)
        }
        let statistics = try await container.background { context in
            let names = try context.fetch(Task.request).map { $0.category?.name ?? "-" }
            print(Set(names).sorted().joined(separator: ", "))
            return context.statistics
        }
        print(statistics.faultsFired, statistics.singleFaultRuns)
        #expect(statistics.fetches == 1 && statistics.faultsFired == 1)
    }

    @Test func indexOfAnExistingStore() throws {
        let folder = try ExampleFolder()
        let storePath = folder.path("tasks.sqlite")
        func model(_ parts: [EntityPart]) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Task") {
                    Attribute("title", .string)
                    parts
                }
            }
        }
        func scanned(_ model: ManagedObjectModel) throws -> Int {
            let container = try PersistentContainer(model: model, at: storePath, opening: .create)
            let context = container.newContext()
            if try context.count(for: FetchRequest<ManagedObject>(entityName: "Task")) == 0 {
                _ = try context.insert("Task")
                try context.save()
            }
            return try context.explain(Task.request.where(\.title == "x")).scannedObjects
        }
        #expect(try scanned(model([])) == 1)
        let indexedModel = try model(EntityBuilder.buildExpression(Index("byTitle", "title")))
        do {
            let container = try PersistentContainer(model: indexedModel, at: storePath)
            _ = container
        }
        #expect(try scanned(indexedModel) == 0)
    }

    @Test func explanationOfPartOfAFamily() throws {
        let context = container.newContext()
        var request = Task.request.where(\.title == "x").limit(1)
        let all = try context.explain(request)
        request.includesSubentities = false
        let own = try context.explain(request)
        #expect(all.sql != own.sql && own.sentences != all.sentences)
    }
}
