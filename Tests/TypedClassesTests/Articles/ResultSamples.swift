import Foundation
import GraphStore
import Testing

final class TaskList: FetchedResultsControllerDelegate {
    var titles: [String] = []
    var inserted: [ResultIndexPath] = []

    func controller(
        _ controller: FetchedResultsController<Task>, didChangeContentWith diff: ResultDiff
    ) {
        inserted = diff.inserts
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Task>) {
        titles = controller.fetchedObjects?.map(\.title) ?? []
    }
}

/// The samples of the articles under "Values and live results", compiled and run.
@Suite("Articles: values and live results") struct ResultSamples {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        for (title, priority) in [("Buy milk", 2), ("Call Ann", 1), ("Water plants", 1)] {
            let new = task(title, in: context)
            new.priority = Int16(priority)
            new.category = title == "Call Ann" ? nil : home
        }
        try context.save()
    }

    private func task(_ title: String, in context: ManagedObjectContext) -> Task {
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = title
        }
    }

    @Test func rows() async throws {
        try await container.background { context in
            var lines: [String] = []
            let rows = try context.rows(
                Task.request.sort(\.title).select("title", "category.name", "objectID"))
            for row in rows {
                let title = row.value("title", as: String.self) ?? ""
                lines.append("\(title): \(row.value("category.name", as: String.self) ?? "-")")
            }
            #expect(lines == ["Buy milk: Home", "Call Ann: -", "Water plants: Home"])
        }
        struct Line: Decodable, Sendable {
            var title: String
            var dueOn: Date?
            var urgency: Int
        }
        let urgency = ExpressionDescription(
            name: "urgency", expression: GraphKey("priority") * 10)
        let lines = try await container.background { context in
            try context.rows(
                Task.request.sort(\.title).select("title", "dueOn", urgency), as: Line.self)
        }
        #expect(lines.map(\.urgency) == [20, 10, 10])
        try await container.background { context in
            let groups = try context.rows(
                Task.request
                    .select("category.name", .count(), .sum("priority", as: "total"))
                    .group(by: "category.name")
                    .having(GraphKey("total") > 1)
                    .sort("category.name"))
            #expect(groups.map { $0.value("total", as: Int.self) } == [3])
            let open = Task.request.where(\.isCompleted == false)
            let number = try context.count(for: open)
            let (total, mean, latest) = try context.aggregate(
                open, .sum(Task.Keys.priority), .average(Task.Keys.priority),
                .maximum(Task.Keys.dueOn))
            #expect(number == 3 && total == 4 && mean == 4.0 / 3 && latest == nil)
            var characters = 0
            try context.forEachRow(Task.request.select("title")) { row in
                characters += row.value("title", as: String.self)?.count ?? 0
                return characters < 1_000_000
            }
            #expect(characters == 28)
        }
    }

    @Test func fetchedResults() async throws {
        try await container.background { context in
            let list = TaskList()
            let controller = FetchedResultsController(
                Task.request.sort(\.category.name).sort(\.title), in: context,
                sectionNameKeyPath: "category.name")
            controller.delegate = list
            try controller.performFetch()
            let sections = controller.sections?.map { "\($0.name): \($0.numberOfObjects)" }
            _ = task("Answer mail", in: context)
            try context.processPendingChanges()
            #expect(sections == [": 1", "Home: 2"])
            #expect(list.titles == ["Answer mail", "Call Ann", "Buy milk", "Water plants"])
            #expect(list.inserted == [ResultIndexPath(section: 0, row: 0)])
        }
    }

    func firstTitles(of container: PersistentContainer) async throws -> [String] {
        var rows: [[ManagedObjectID]] = []
        let request = Task.request.where(\.isCompleted == false).sort(\.title).limit(20)
        for try await diff in container.liveResults(request) {
            rows = diff.apply(to: rows) { diff.results[$0] }
            if !rows.joined().isEmpty { break }
        }
        let ids = rows.flatMap { $0 }
        return try await container.background { context in
            try context.fault(ids).compactMap { ($0 as? Task)?.title }
        }
    }

    @Test func liveResults() async throws {
        #expect(
            try await firstTitles(of: container) == ["Buy milk", "Call Ann", "Water plants"])
    }

    @Test func events() async throws {
        try await container.background { context in
            var saved = 0
            let token = context.observeEvents { event in
                if case .didSave(let change) = event { saved += change.inserted.count }
            }
            _ = task("Call Ann", in: context)
            try context.save()
            context.stopObservingEvents(token)
            #expect(saved == 1)
        }
    }
}
