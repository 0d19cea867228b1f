import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Fetching objects") struct FetchingTests {
    private func predicate(_ format: String) throws -> GraphPredicate {
        try ParsedPredicate(format: format).predicate
    }

    private func titles(
        _ format: String? = nil, in context: ManagedObjectContext,
        sort: [GraphSortDescriptor] = [GraphSortDescriptor(["title"])], limit: Int = 0,
        offset: Int = 0
    ) throws -> [String] {
        let request = FetchRequest<Todo>(
            predicate: try format.map { try predicate($0) }, sortDescriptors: sort,
            fetchLimit: limit, fetchOffset: offset)
        let titles = try context.fetch(request).map { $0.title ?? "-" }
        #expect(try context.count(for: request) == titles.count)
        #expect(try context.fetchIDs(request).count == titles.count)
        return titles
    }

    private func fill(_ store: TestStore, _ titles: [String]) throws {
        let context = store.context()
        for (number, title) in titles.enumerated() {
            context.insert(Todo.self) {
                $0.title = title
                $0.number = number
            }
        }
        try context.save()
    }

    @Test("row 64: a fetch includes unsaved inserts, updates, and deletions")
    func overlay() throws {
        try withObjects { store in
            try fill(store, ["alpha", "bravo", "charlie", "delta"])
            let context = store.context()
            #expect(try titles("title < \"c\"", in: context) == ["alpha", "bravo"])
            let alpha = try #require(try task("alpha", in: context))
            let delta = try #require(try task("delta", in: context))
            alpha.title = "zulu"
            delta.title = "able"
            context.insert(Todo.self) { $0.title = "bingo" }
            context.delete(try #require(try task("charlie", in: context)))
            #expect(try titles("title < \"c\"", in: context) == ["able", "bingo", "bravo"])
            #expect(try titles(in: context) == ["able", "bingo", "bravo", "zulu"])
            var saved = FetchRequest<Todo>(predicate: try predicate("title < \"c\""))
            saved.includesPendingChanges = false
            #expect(try context.fetch(saved).map { $0.title ?? "-" } == ["zulu", "bravo"])
            try context.save()
            #expect(try titles("title < \"c\"", in: context) == ["able", "bingo", "bravo"])
        }
    }

    @Test("row 65: limit and offset apply after merging pending changes")
    func windows() throws {
        try withObjects { store in
            try fill(store, ["alpha", "bravo", "delta"])
            let context = store.context()
            let bravo = try #require(try task("bravo", in: context))
            context.delete(bravo)
            context.insert(Todo.self) { $0.title = "charlie" }
            #expect(try titles(in: context, limit: 2, offset: 1) == ["charlie", "delta"])
            #expect(try titles(in: context, limit: 1) == ["alpha"])
            #expect(try titles(in: context, limit: 5, offset: 2) == ["delta"])
            #expect(try titles(in: context, offset: 3) == [])
        }
    }

    @Test(
        "rows 64, 65: a fetch returns the same before and after saving random changes", .serialized,
        arguments: [UInt64(1), 2, 3])
    func randomOverlays(seed: UInt64) throws {
        try withObjects { store in
            var random = SeededGenerator(seed: seed)
            try fill(store, (0..<40).map { _ in "t\(random.pick(20))" })
            let context = store.context()
            let all = try context.fetch(FetchRequest<Todo>())
            for task in all {
                switch random.pick(4) {
                case 0: task.title = "t\(random.pick(20))"
                case 1: task.number = random.pick(40)
                case 2 where random.chance(50): context.delete(task)
                default: break
                }
            }
            for _ in 0..<5 {
                context.insert(Todo.self) {
                    $0.title = random.chance(80) ? "t\(random.pick(20))" : nil
                    $0.number = random.pick(40)
                }
            }
            var expected: [[String]] = []
            var found: [[String]] = []
            func run(into results: inout [[String]], _ context: ManagedObjectContext) throws {
                for format in [nil, "number < 20", "NOT title > \"t12\"", "title == nil"] {
                    for (limit, offset) in [(0, 0), (3, 0), (7, 2), (50, 30)] {
                        for ascending in [true, false] {
                            let request = FetchRequest<Todo>(
                                predicate: try format.map { try predicate($0) },
                                sortDescriptors: [
                                    GraphSortDescriptor(["title"], ascending: ascending),
                                    GraphSortDescriptor(["number"]),
                                ], fetchLimit: limit, fetchOffset: offset)
                            results.append(
                                try context.fetchIDs(request).map { "\($0.primaryKey)" })
                        }
                    }
                }
            }
            try run(into: &found, context)
            // A title is required; these rows were written without validation.
            for task in try context.fetch(FetchRequest<Todo>()) where task.title == nil {
                task.onValidate = { _, _, _ in }
                task.title = "\u{1}"
            }
            found.removeAll()
            try run(into: &found, context)
            try context.save()
            try run(into: &expected, store.context())
            #expect(found == expected, "seed \(seed)")
        }
    }

    @Test("row 64: predicates and orders over relationships use unsaved changes of the destination")
    func changesElsewhere() throws {
        try withObjects { store in
            let context = store.context()
            let home = context.insert(Category.self) { $0.name = "home" }
            let work = context.insert(Category.self) { $0.name = "work" }
            for (title, category) in [("a", home), ("b", work), ("c", home)] {
                context.insert(Todo.self) {
                    $0.title = title
                    $0.category = category
                }
            }
            try context.save()
            home.name = "zoo"
            #expect(try titles("category.name == \"zoo\"", in: context) == ["a", "c"])
            #expect(
                try titles(in: context, sort: [GraphSortDescriptor(["category", "name"])])
                    == ["b", "a", "c"])
            #expect(try titles("category.name == \"home\"", in: store.context()) == ["a", "c"])
        }
    }

    @Test("row 67: fetched objects are faults with cached rows, or realized on request")
    func materializing() throws {
        try withObjects { store in
            try fill(store, ["a", "b"])
            let context = store.context()
            var request = FetchRequest<Todo>()
            var tasks = try context.fetch(request)
            #expect(tasks.allSatisfy { $0.isFault && $0.calls.isEmpty })
            #expect(tasks[0].title == "a" && tasks[0].calls == ["fetch"])
            #expect(context.statistics.faultsFired == 0)
            request.returnsObjectsAsFaults = false
            tasks = try context.fetch(request)
            #expect(tasks.allSatisfy { !$0.isFault && $0.calls == ["fetch"] })
        }
    }

    @Test("row 74: a fetch keeps the values in memory unless refreshing is set")
    func refetching() throws {
        try withObjects { store in
            try fill(store, ["a"])
            let context = store.context()
            let task = try #require(try task("a", in: context))
            #expect(task.title == "a")
            try store.foreign().execute("UPDATE ZTASK SET ZTITLE = 'b', Z_OPT = 2")
            var request = FetchRequest<Todo>()
            #expect(try context.fetch(request).first?.title == "a")
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request).first?.title == "b")
            try store.foreign().execute("UPDATE ZTASK SET ZTITLE = 'c', Z_OPT = 3")
            request.shouldRefreshRefetchedObjects = false
            #expect(try context.fetch(request).first?.title == "b")
            context.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request).first?.title == "c")
        }
    }

    @Test("row 66: a fetch with a batch size reads only the first batch")
    func batches() throws {
        try withObjects { store in
            try fill(store, (0..<10).map { "t\($0)" })
            let context = store.context()
            var request = FetchRequest<Todo>()
            request.fetchBatchSize = 4
            let tasks = try context.fetch(request)
            #expect(context.statistics.rowsRead == 4)
            #expect(tasks.filter { $0.presence == .fault }.count == 6)
        }
    }

    @Test("row 79: a request with an unknown entity or an unusable property fails")
    func badRequests() throws {
        try withObjects { store in
            let context = store.context()
            let unknown = FetchRequest<Todo>(predicate: try predicate("nope == 1"))
            #expect(storeError { _ = try context.fetch(unknown) }?.code == .invalidRequest)
            let entity = FetchRequest<ManagedObject>(entityName: "Nobody")
            #expect(storeError { _ = try context.fetch(entity) }?.code == .invalidRequest)
            let transient = FetchRequest<Todo>(predicate: try predicate("draft == \"x\""))
            #expect(storeError { _ = try context.fetch(transient) }?.code == .invalidRequest)
            let order = FetchRequest<Todo>().sort("draft")
            #expect(storeError { _ = try context.fetch(order) }?.code == .invalidRequest)
            // With pending changes of another entity, the order is never passed to SQLite.
            context.insert(Category.self)
            let elsewhere = FetchRequest<Todo>(predicate: try predicate("category.name == \"x\""))
            #expect(
                storeError { _ = try context.fetch(elsewhere.sort("draft")) }?.code
                    == .invalidRequest)
            let sort = FetchRequest<Todo>(sortDescriptors: [GraphSortDescriptor(["tags"])])
            #expect(storeError { _ = try context.fetch(sort) }?.code == .invalidRequest)
        }
    }
}
