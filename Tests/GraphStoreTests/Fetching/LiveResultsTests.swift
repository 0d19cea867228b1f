import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Live results") struct LiveResultsTests {
    private func store() throws -> TestStore {
        let store = try TestStore(objectModel)
        store.container.register(Todo.self, Bug.self, Category.self, Tag.self)
        return store
    }

    private func words(_ diff: ResultDiff?) -> [String] {
        guard let diff else { return ["end"] }
        return diff.deletes.map { "-\($0)" } + diff.inserts.map { "+\($0)" }
            + diff.moves.map { "\($0.from)>\($0.to)" }
            + diff.updates.map { "\($0.from)=\($0.to)" }
    }

    @Test("row 77: live results return the first results, then a diff per save, within the limit")
    func following() async throws {
        let store = try store()
        let context = store.context()
        for number in [2, 4, 6] { context.insert(Todo.self) { $0.number = number } }
        try context.save()
        let live = store.container.liveResults(Todo.request.sort("number").limit(3))
        var iterator = live.makeAsyncIterator()
        let first = try await iterator.next()
        #expect(words(first) == ["+0.0", "+0.1", "+0.2"])
        #expect(first?.results.objectIDs.map(\.primaryKey) == [1, 2, 3])
        context.insert(Todo.self) { $0.number = 3 }
        try context.save()
        #expect(words(try await iterator.next()) == ["-0.2", "+0.1"])
        // Changes that do not affect the results are skipped.
        context.insert(Tag.self) { $0.name = "x" }
        try context.save()
        let tasks = try context.fetch(Todo.request.sort("number"))
        tasks[0].title = "changed"
        try context.save()
        #expect(words(try await iterator.next()) == ["0.0=0.0"])
        tasks[0].number = 5
        try context.save()
        #expect(words(try await iterator.next()) == ["0.0>0.2"])
        context.delete(tasks[1])
        try context.save()
        #expect(words(try await iterator.next()) == ["-0.0", "+0.2"])
    }

    @Test("row 77: live results fail for a request without an order")
    func unsorted() async throws {
        let store = try store()
        var iterator = store.container.liveResults(Todo.request).makeAsyncIterator()
        await #expect(throws: StoreError.self) { _ = try await iterator.next() }
    }

    @Test(
        "row 77: applying the diffs of random saves in sequence gives the results",
        arguments: [UInt64(11), 12])
    func replay(seed: UInt64) async throws {
        let store = try store()
        var random = SeededGenerator(seed: seed)
        let context = store.context()
        for name in ["p", "q"] { context.insert(Category.self) { $0.name = name } }
        try context.save()
        let request = try Todo.request.where("number < 8").sort("category.name").sort("number")
            .limit(10)
        let live = store.container.liveResults(request, sectionNameKeyPath: "category.name")
        var iterator = live.makeAsyncIterator()
        var mirror: [[ManagedObjectID]] = []
        for step in 0..<100 {
            let before = try context.fetchIDs(request)
            if let diff = try await (step == 0 ? iterator.next() : nil) {
                mirror = diff.apply(to: mirror) { diff.results[$0] }
            }
            let tasks = try context.fetch(Todo.request.sort("title"))
            let categories = try context.fetch(FetchRequest<Category>().sort("name"))
            for task in tasks where random.chance(20) {
                switch random.pick(3) {
                case 0: context.delete(task)
                case 1: task.category = random.pick(categories)
                default: task.number = random.pick(10)
                }
            }
            context.insert(Todo.self) {
                $0.title = "n\(step)"
                $0.number = random.pick(10)
                $0.category = random.pick(categories)
            }
            let change = try context.save().change
            let after = try context.fetchIDs(request)
            guard before != after || after.contains(where: change.updated.contains) else {
                continue
            }
            while mirror.flatMap(\.self) != after {
                let diff = try #require(try await iterator.next())
                mirror = diff.apply(to: mirror) { diff.results[$0] }
                #expect(mirror == diff.results.sections.map(\.objectIDs), "seed \(seed)")
            }
        }
    }
}
