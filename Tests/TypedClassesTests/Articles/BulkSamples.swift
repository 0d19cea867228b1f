import Foundation
import GraphStore
import Testing

/// The samples of the articles under "Many objects at once", compiled and run.
@Suite("Articles: many objects at once") struct BulkSamples {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
    }

    @Test func chunks() async throws {
        let folder = try ExampleFolder()
        let model = try ManagedObjectModel.example("tasks")
        let storePath = folder.path("bulk.sqlite")
        let lines = (1...25).map { "Task \($0)" }
        let container = try PersistentContainer(
            model: model, .sqlite(at: storePath, opening: .create, options: .bulk))
        container.register(TasksClasses.all)
        try await container.background { context in
            for chunk in stride(from: 0, to: lines.count, by: 10_000) {
                for line in lines[chunk..<min(chunk + 10_000, lines.count)] {
                    context.insert(Task.self) {
                        $0.id = UUID()
                        $0.title = line
                    }
                }
                try context.save()
                context.reset()
            }
        }
        #expect(try container.newContext().count(for: Task.request) == 25)
        let report = try PersistentContainer.verify(at: storePath, .full)
        print(report.problems.joined(separator: "\n"))
        #expect(report.isSound)
    }

    @Test func rowsWithoutObjects() async throws {
        try await container.background { context in
            let id = UUID()
            do {
                var request = BatchInsertRequest(
                    entityName: "Task",
                    objects: [
                        ["id": .value(id.storedValue), "title": "Buy milk", "category": "Home"],
                        [
                            "id": .value(UUID().storedValue), "title": "Write it",
                            "category": "Work",
                        ],
                    ])
                request.key = ["id"]
                request.policy = .objectTrump
                request.links = ["category": .init(by: "name", missing: .create)]
                let result = try context.execute(request)
                #expect(result.inserted == 2)
            }
            // A request that was committed leaves nothing to save.
            try context.save()
            let milk = try context.fetch(Task.request.where(\.id == id)).first
            #expect(milk?.category?.name == "Home")
            let rows: [[String: BatchValue]] = [["name": "Home"], ["name": "Garden"]]
            var counts: [Int] = []
            do {
                var importer = Importer(container, entityName: "Category", properties: ["name"])
                importer.key = ["name"]
                let result = try importer.run(rows, name: "categories") { progress in
                    counts.append(progress.rows)
                }
                #expect(result.progress.rows == 2 && result.progress.inserted == 1)
            }
            #expect(counts == [2])
            let other = container.newContext()
            func upsert(_ context: ManagedObjectContext) throws {
                context.mergePolicy = .mergeByPropertyObjectTrump
                context.insert(Category.self) { $0.name = "Home" }
                try context.save()
            }
            try upsert(other)
            #expect(
                try other.fetch(Category.request.sort(\.name)).map(\.name)
                    == ["Garden", "Home", "Work"])
        }
    }

    @Test func batchRequests() async throws {
        try await container.background { context in
            for number in 1...11 {
                context.insert(Task.self) {
                    $0.id = UUID()
                    $0.title = "Task \(number)"
                    $0.isCompleted = number == 1
                }
            }
            try context.save()
            do {
                let raise = BatchUpdateRequest(
                    entityName: "Task",
                    predicate: try GraphPredicate(format: "isCompleted == NO AND priority < 2"),
                    propertiesToUpdate: ["priority": try GraphExpression(format: "priority + 1")])
                let result = try context.execute(raise)
                #expect(result.updated == 10)
            }
            do {
                let tomorrow = Date(timeIntervalSinceNow: 86_400)
                let raise = BatchUpdateRequest(
                    Task.request.where(\.isCompleted == false && \.priority < 2),
                    set: [\.priority: \.priority + 1, \.dueOn: .value(tomorrow), \.notes: nil])
                let result = try context.execute(raise)
                #expect(result.updated == 10)
            }
            do {
                var request = BatchDeleteRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: "isCompleted == YES"),
                    limit: .percent(10))
                request.resultType = .objectIDs
                let result = try context.execute(request)
                #expect(result.deleted == 1 && result.objectIDs?.count == 1)
            }
            try context.save()
            #expect(try context.count(for: Task.request.where(\.priority == 2)) == 10)
            do {
                var rows = ["Home", "Garden", "Work"].makeIterator()
                var insert = BatchInsertRequest(entityName: "Category", properties: ["name"]) {
                    row in
                    guard let name = rows.next() else { return true }
                    row = ["name": .value(.text(name))]
                    return false
                }
                insert.key = ["name"]
                insert.policy = .storeTrump
                let result = try context.execute(insert)
                #expect(result.inserted == 3)
            }
            try context.save()
        }
        let deleted = try await container.background { context in
            try context.execute(BatchDeleteRequest(entityName: "Task")).deleted
        }
        #expect(deleted == 10)
    }
}
