import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Cursors and streams") struct CursorTests {
    private let byNumber = Todo.request.sort("number")

    private func fill(_ store: TestStore, _ count: Int) throws {
        let context = store.context()
        for number in 0..<count {
            context.insert(Todo.self) {
                $0.title = "t\(number)"
                $0.number = number
            }
        }
        try context.save()
    }

    private func titles(_ cursor: FetchCursor<Todo>) throws -> [[String]] {
        var chunks: [[String]] = []
        while let chunk = try cursor.nextChunk() { chunks.append(chunk.map { $0.title ?? "-" }) }
        return chunks
    }

    @Test("row 66: a cursor returns chunks and retains no objects")
    func chunks() throws {
        try withObjects { store in
            try fill(store, 10)
            let context = store.context()
            let cursor = try context.cursor(byNumber.batches(of: 4))
            #expect(
                try titles(cursor) == [
                    ["t0", "t1", "t2", "t3"], ["t4", "t5", "t6", "t7"], ["t8", "t9"],
                ])
            #expect(try cursor.nextChunk() == nil)
            #expect(context.registeredObjects.isEmpty && context.statistics.rowsRead == 10)
            #expect(context.statistics.faultsFired == 0)
        }
    }

    @Test("rows 65, 66: a cursor applies limit and offset after merging pending changes")
    func pendingChanges() throws {
        try withObjects { store in
            try fill(store, 10)
            let context = store.context()
            try #require(try task("t2", in: context)).number = 7
            context.delete(try #require(try task("t5", in: context)))
            context.insert(Todo.self) {
                $0.title = "new"
                $0.number = 0
            }
            for (limit, offset) in [(0, 0), (3, 2), (4, 6), (2, 9), (0, 8)] {
                let request = byNumber.limit(limit).offset(offset).batches(of: 3)
                let expected = try context.fetch(request).map { $0.title ?? "-" }
                #expect(try titles(context.cursor(request)).flatMap(\.self) == expected)
            }
            let child = context.makeChild()
            try #require(try task("t9", in: child)).number = 1
            let expected = try child.fetch(byNumber).map { $0.title ?? "-" }
            #expect(try titles(child.cursor(byNumber)).flatMap(\.self) == expected)
        }
    }

    @Test(
        "rows 65, 66: a cursor returns the same objects as a fetch after random changes",
        arguments: [UInt64(4), 5])
    func randomChanges(seed: UInt64) throws {
        try withObjects { store in
            var random = SeededGenerator(seed: seed)
            try fill(store, 60)
            for _ in 0..<40 {
                let context = store.context()
                for task in try context.fetch(byNumber) where random.chance(20) {
                    switch random.pick(3) {
                    case 0: context.delete(task)
                    case 1: task.number = random.pick(60)
                    default: task.title = "u\(random.pick(60))"
                    }
                }
                for _ in 0..<random.pick(5) {
                    context.insert(Todo.self) { $0.number = random.pick(60) }
                }
                let request = try Todo.request.where("number < %d", 20 + random.pick(60))
                    .sort(random.pick(["number", "title"]), ascending: random.chance(50))
                    .limit(random.pick(30)).offset(random.pick(10)).batches(of: 1 + random.pick(9))
                let expected = try context.fetch(request).map(\.objectID)
                var found: [ManagedObjectID] = []
                let cursor = try context.cursor(request)
                while let chunk = try cursor.nextChunk() { found += chunk.map(\.objectID) }
                #expect(found == expected, "seed \(seed)")
            }
        }
    }

    @Test("row 75: a cursor reads the state at its opening and does not block saves")
    func snapshot() throws {
        try withObjects { store in
            try fill(store, 9)
            let context = store.context()
            let cursor = try context.cursor(byNumber.batches(of: 3))
            #expect(try cursor.nextChunk()?.count == 3)
            let writer = store.context()
            for task in try writer.fetch(byNumber) { task.title = "new" }
            try writer.save()
            #expect(
                try titles(cursor) == [["t3", "t4", "t5"], ["t6", "t7", "t8"]])
            #expect(try titles(store.context().cursor(byNumber)).first?.first == "new")
        }
    }

    @Test("row 75: a cursor on an in-memory store does not block saves")
    func inMemory() throws {
        let container = try PersistentContainer.ephemeral(model: model(objectModel))
        container.register(Todo.self, Bug.self, Category.self, Tag.self)
        let context = container.newContext()
        for number in 0..<5 { context.insert(Todo.self) { $0.number = number } }
        try context.save()
        let cursor = try context.cursor(byNumber.batches(of: 2))
        #expect(try cursor.nextChunk()?.map(\.number) == [0, 1])
        let writer = container.newContext()
        writer.insert(Todo.self) { $0.number = 100 }
        try writer.save()
        #expect(try cursor.nextChunk()?.map(\.number) == [2, 3])
        #expect(try cursor.nextChunk()?.map(\.number) == [4])
        #expect(try cursor.nextChunk() == nil)
    }

    @Test("rows 37, 66: a cursor fails after a reset of its context")
    func reset() throws {
        try withObjects { store in
            try fill(store, 5)
            let context = store.context()
            let cursor = try context.cursor(byNumber.batches(of: 2))
            #expect(try cursor.nextChunk()?.count == 2)
            context.reset()
            #expect(storeError { _ = try cursor.nextChunk() }?.code == .invalidated)
        }
    }

    @Test("rows 40, 66: a cursor of a pinned context reads the pinned state")
    func pinned() throws {
        try withObjects { store in
            try fill(store, 2)
            let context = store.context()
            try context.pinQueryGeneration()
            try store.foreign().execute("UPDATE ZTASK SET ZTITLE = 'theirs'")
            #expect(try titles(context.cursor(byNumber)) == [["t0", "t1"]])
            try context.unpinQueryGeneration()
            context.reset()
            #expect(try titles(context.cursor(byNumber)) == [["theirs", "theirs"]])
        }
    }

    @Test("row 75: each iteration over a stream returns all chunks")
    func stream() async throws {
        let store = try TestStore(objectModel)
        store.container.register(Todo.self, Bug.self, Category.self, Tag.self)
        try fill(store, 10)
        let context = store.context()
        for _ in 0..<2 {
            var sizes: [Int] = []
            for try await chunk in context.stream(byNumber.batches(of: 4)) {
                sizes.append(chunk.count)
            }
            #expect(sizes == [4, 4, 2])
        }
    }

    @Test("row 75: another thread can interrupt a cursor")
    func interrupting() throws {
        try withObjects { store in
            try fill(store, 10)
            let cursor = try store.context().cursor(byNumber.batches(of: 1))
            #expect(try cursor.nextChunk()?.first?.title == "t0")
            let interrupter = cursor.interrupter
            let thread = Thread { interrupter.interrupt() }
            thread.start()
            while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
            #expect(storeError { _ = try cursor.nextChunk() }?.message == "interrupted")
        }
    }

    @Test("row 75: a stream in a canceled task throws CancellationError")
    func cancelling() async throws {
        let store = try TestStore(objectModel)
        store.container.register(Todo.self, Bug.self, Category.self, Tag.self)
        try fill(store, 1000)
        let container = store.container
        let task = Task {
            let context = container.newContext()
            var count = 0
            for try await chunk in context.stream(Todo.request.sort("number").batches(of: 1)) {
                count += chunk.count
                if count == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let context = container.newContext()
            for try await _ in context.stream(Todo.request) { return false }
            return true
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }
}
