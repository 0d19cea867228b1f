import Foundation
import GraphModel
import Synchronization
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Reads during writes") struct ReadersTests {
    private func withTasks(_ count: Int, _ body: (TestStore) throws -> Void) throws {
        try withObjects { store in
            let context = store.context()
            for number in 0..<count {
                context.insert(Todo.self) {
                    $0.title = "t\(number)"
                    $0.number = 10
                }
            }
            try context.save()
            try body(store)
        }
    }

    /// Returns the sum of all numbers, read in every way.
    private func sums(_ context: ManagedObjectContext) throws -> [Int] {
        func sum(_ numbers: [Int?]) -> Int { numbers.reduce(0) { $0 + ($1 ?? 0) } }
        let request = Todo.request.sort("title")
        var sums = [sum(try context.fetch(request).map(\.number))]
        context.reset()
        sums.append(
            sum(try context.rows(request.select("number")).map { $0.value("number", as: Int.self) })
        )
        sums.append(try context.aggregate(request, .sum(Todo.Keys.number)) ?? 0)
        let cursor = try context.cursor(request.batches(of: 3))
        var numbers: [Int?] = []
        while let chunk = try cursor.nextChunk() { numbers += chunk.map(\.number) }
        sums.append(sum(numbers))
        return sums
    }

    @Test("rows 64-75: reads do not wait for an open transaction and return the saved state")
    func openTransaction() throws {
        try withTasks(10) { store in
            let writer = store.context()
            _ = try writer.write(
                BatchUpdateRequest(
                    entityName: "Task",
                    propertiesToUpdate: ["number": try GraphExpression(format: "number + 1")]))
            #expect(writer.hasChanges)
            // A reader that had to wait would time out and fail.
            #expect(try sums(store.context()) == [100, 100, 100, 100])
            #expect(try store.context().count(for: Todo.request.where("number == 10")) == 10)
            try writer.save()
            #expect(try sums(store.context()) == [110, 110, 110, 110])
        }
    }

    @Test("rows 64-75: reads never return a partial save")
    func whileSaving() throws {
        try withTasks(12) { store throws in
            let container = store.container
            let failure = Mutex<String?>(nil)
            let isDone = Atomic(false)
            let writer = Thread {
                do {
                    var random = SeededGenerator(seed: 3)
                    let context = container.newContext()
                    for _ in 0..<150 {
                        let tasks = try context.fetch(Todo.request)
                        let from = random.pick(tasks)
                        let to = random.pick(tasks)
                        let amount = random.pick(max(1, from.number ?? 0))
                        from.number = (from.number ?? 0) - amount
                        to.number = (to.number ?? 0) + amount
                        try context.save()
                    }
                } catch {
                    failure.withLock { $0 = "\(error)" }
                }
                isDone.store(true, ordering: .releasing)
            }
            writer.start()
            var rounds = 0
            while !isDone.load(ordering: .acquiring) || rounds == 0 {
                #expect(try sums(container.newContext()) == [120, 120, 120, 120])
                rounds += 1
            }
            #expect(failure.withLock { $0 } == nil)
        }
    }
}
