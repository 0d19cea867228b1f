import Foundation
import GraphModel
import SQLite
import Synchronization
import Testing

@testable import GraphStore

/// When a batch request is durable, and which contexts see it.
@Suite("Committing batch requests") struct BatchCommitTests {
    /// Creates tasks 1 to 4.
    private func withTasks(_ body: (TestStore, ManagedObjectContext) throws -> Void) throws {
        try withObjects { store in
            let context = store.context()
            for number in 1...4 {
                context.insert(Todo.self) {
                    $0.title = "t\(number)"
                    $0.number = number
                }
            }
            try context.save()
            try body(store, context)
        }
    }

    private func raise(_ format: String? = nil) throws -> BatchUpdateRequest {
        BatchUpdateRequest(
            entityName: "Task", predicate: try format.map { try GraphPredicate(format: $0) },
            propertiesToUpdate: ["number": try GraphExpression(format: "number + 10")])
    }

    private func delete(_ format: String) throws -> BatchDeleteRequest {
        BatchDeleteRequest(entityName: "Task", predicate: try GraphPredicate(format: format))
    }

    private var insert: BatchInsertRequest {
        BatchInsertRequest(
            entityName: "Task",
            objects: [["title": "new", "number": .value(.integer(9))]])
    }

    private func numbers(_ context: ManagedObjectContext) throws -> [Int?] {
        try context.fetch(Todo.request.sort("title")).map(\.number)
    }

    private let rows = "SELECT ZTITLE, ZNUMBER FROM ZTASK ORDER BY 1"

    private struct Refused: Error {}

    @Test("a request is committed before `execute` returns, and needs no save")
    func committed() throws {
        try withTasks { store, context in
            let news = Mutex<[StoreChange]>([])
            store.container.observeChanges { change in news.withLock { $0.append(change) } }
            #expect(try context.execute(raise("number < 3")).updated == 2)
            try store.expect(rows, ["t1|11", "t2|12", "t3|3", "t4|4"])
            #expect(try context.execute(delete("number == 3")).deleted == 1)
            #expect(try context.execute(insert).inserted == 1)
            try store.expect(rows, ["new|9", "t1|11", "t2|12", "t4|4"])
            #expect(!context.hasChanges)
            #expect(try context.save().change.isEmpty)
            #expect(
                news.withLock {
                    $0.map { [$0.inserted.count, $0.updated.count, $0.deleted.count] }
                }
                    == [[0, 2, 0], [0, 0, 1], [1, 0, 0]])
            // No context keeps the write lease.
            let other = store.context()
            other.insert(Todo.self)
            try other.save()
        }
    }

    @Test("a batch request leaves object changes pending, and a rollback drops only these changes")
    func pendingObjects() throws {
        try withTasks { store, context in
            let first = try #require(try task("t1", in: context))
            first.title = "a1"
            _ = try context.execute(raise())
            try store.expect(rows, ["t1|11", "t2|12", "t3|13", "t4|14"])
            #expect(first.isUpdated && first.title == "a1" && first.number == 11)
            context.rollback()
            #expect(first.title == "t1" && first.number == 11)
            first.title = "b1"
            try context.save()
            try store.expect(rows, ["b1|11", "t2|12", "t3|13", "t4|14"])
        }
    }

    @Test("a batch request updates the objects, lists, and deletions of the executing context")
    func mergedIntoObjects() throws {
        try withTasks { store, context in
            let category = context.insert(Category.self) { $0.name = "c" }
            let tasks = try context.fetch(Todo.request.sort("title"))
            category.tasks = tasks
            try context.save()
            _ = try context.execute(raise())
            #expect(tasks.map(\.number) == [11, 12, 13, 14])
            _ = try context.execute(delete("title == 't2'"))
            #expect(tasks[1].isDeleted)
            #expect(Set(category.tasks) == [tasks[0], tasks[2], tasks[3]])
            #expect(
                try context.fetch(Todo.request.sort("title")) == [tasks[0], tasks[2], tasks[3]])
        }
    }

    @Test("a child context's batch request updates the child and its parents")
    func children() throws {
        try withTasks { store, parent in
            let child = parent.makeChild()
            let above = try parent.fetch(Todo.request.sort("title"))
            let below = try child.fetch(Todo.request.sort("title"))
            #expect(below.map(\.number) == [1, 2, 3, 4])
            _ = try child.execute(raise())
            try store.expect(rows, ["t1|11", "t2|12", "t3|13", "t4|14"])
            #expect(above.map(\.number) == [11, 12, 13, 14])
            #expect(below.map(\.number) == [11, 12, 13, 14])
            below[0].number = 5
            try child.save()
            try parent.save()
            try store.expect(rows, ["t1|5", "t2|12", "t3|13", "t4|14"])
            #expect(throws: Refused.self) {
                try child.unitOfWork { context in
                    _ = try context.execute(raise())
                    #expect(below.map(\.number) == [15, 22, 23, 24])
                    throw Refused()
                }
            }
            #expect(below.map(\.number) == [5, 12, 13, 14])
            #expect(above.map(\.number) == [5, 12, 13, 14])
        }
    }

    @Test("a batch request in the view context updates its objects and fetched results")
    @MainActor func followers() throws {
        try withTasks { store, _ in
            let view = store.container.viewContext
            let tasks = try view.fetch(Todo.request.sort("title"))
            let follower = Follower()
            let controller = try FetchedResultsController(
                Todo.request.where("number < 10").sort("title"), in: view)
            controller.delegate = follower
            try controller.performFetch()
            _ = try view.execute(raise("number > 2"))
            #expect(tasks.map(\.number) == [1, 2, 13, 14])
            #expect(follower.titles == [["t1", "t2"]])
            _ = try view.execute(delete("number == 1"))
            #expect(follower.titles == [["t1", "t2"], ["t2"]])
            store.container.releaseViewContext()
        }
    }

    @Test("inside a unit of work the context reads its own writes, and no other context does")
    func ownWrites() throws {
        try withTasks { store, context in
            let tasks = try context.fetch(Todo.request.sort("title"))
            let other = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(raise())
                #expect(tasks.map(\.number) == [11, 12, 13, 14])
                #expect(try numbers(context) == [11, 12, 13, 14])
                #expect(try context.count(for: Todo.request.where("number > 10")) == 4)
                #expect(
                    try context.rows(Todo.request.sort("title").select("number"))
                        .map { $0.value("number", as: Int.self) } == [11, 12, 13, 14])
                #expect(
                    try context.cursor(Todo.request.sort("title")).nextChunk()?.map(\.number)
                        == [11, 12, 13, 14])
                _ = try context.execute(insert)
                #expect(try task("new", in: context)?.number == 9)
                #expect(try numbers(other) == [1, 2, 3, 4])
                try store.expect(rows, ["t1|1", "t2|2", "t3|3", "t4|4"])
            }
            // The end of the unit of work commits.
            try store.expect(rows, ["new|9", "t1|11", "t2|12", "t3|13", "t4|14"])
            #expect(!context.hasChanges)
            #expect(tasks.map(\.number) == [11, 12, 13, 14])
            other.insert(Todo.self) { $0.title = "other" }
            try other.save()
        }
    }

    @Test("an error in a unit of work rolls back its requests, in the store and in memory")
    func undoneUnit() throws {
        try withTasks { store, context in
            let tasks = try context.fetch(Todo.request.sort("title"))
            let follower = Follower()
            let controller = try FetchedResultsController(
                Todo.request.where("number < 10").sort("title"), in: context)
            controller.delegate = follower
            try controller.performFetch()
            var seen: Todo?
            #expect(throws: Refused.self) {
                try context.unitOfWork { context in
                    _ = try context.execute(raise("number > 1"))
                    _ = try context.execute(delete("number == 1"))
                    #expect(tasks[0].isDeleted)
                    seen = try task("t2", in: context)
                    #expect(seen?.number == 12)
                    throw Refused()
                }
            }
            try store.expect(rows, ["t1|1", "t2|2", "t3|3", "t4|4"])
            #expect(tasks.map(\.number) == [1, 2, 3, 4] && seen?.number == 2)
            #expect(!tasks[0].isDeleted)
            #expect(try context.fetch(Todo.request.sort("title")) == tasks)
            #expect(follower.titles.last == ["t1", "t2", "t3", "t4"])
            // In nested units, only the inner one is rolled back.
            try context.unitOfWork { context in
                _ = try context.execute(raise())
                try? context.unitOfWork { context in
                    _ = try context.execute(raise())
                    #expect(tasks.map(\.number) == [21, 22, 23, 24])
                    throw Refused()
                }
                #expect(tasks.map(\.number) == [11, 12, 13, 14])
            }
            try store.expect(rows, ["t1|11", "t2|12", "t3|13", "t4|14"])
            #expect(tasks.map(\.number) == [11, 12, 13, 14])
        }
    }

    @Test("rolling back a unit of work restores the objects that a request deleted")
    func undoneDeletions() throws {
        try withTasks { store, context in
            let tasks = try context.fetch(Todo.request.sort("title"))
            tasks[1].number = 20
            try context.unitOfWork { context in
                _ = try context.execute(delete("number > 0"))
                #expect(tasks[0].isDeleted)
                context.rollback()
            }
            #expect(tasks.map(\.isDeleted) == [false, false, false, false])
            #expect(tasks.map(\.number) == [1, 2, 3, 4])
            #expect(try context.fetch(Todo.request.sort("title")) == tasks)
            // An object that was read within the unit.
            var seen: Todo?
            let other = store.context()
            #expect(throws: Refused.self) {
                try other.unitOfWork { context in
                    seen = try task("t3", in: context)
                    _ = try context.execute(delete("number == 3"))
                    throw Refused()
                }
            }
            #expect(seen?.isDeleted == false && seen?.number == 3)
            #expect(try task("t3", in: other) === seen)
            try store.expect(rows, ["t1|1", "t2|2", "t3|3", "t4|4"])
        }
    }

    @Test("a unit of work fails if a nested unit loses the transaction, even if the body continues")
    func lostUnit() throws {
        try withTasks { store, context in
            let tasks = try context.fetch(Todo.request.sort("title"))
            var later = true
            let error = #expect(throws: StoreError.self) {
                try context.unitOfWork { context in
                    _ = try context.execute(raise())
                    try? context.unitOfWork { context in
                        // SQLite rolls back by itself, for example, when the disk is full.
                        _ = try context.whole { session in
                            try session.connection.execute("ROLLBACK")
                            throw StoreError(.full, "The disk is full")
                        }
                    }
                    later = (try? context.execute(insert)) != nil
                }
            }
            #expect(error?.code == .full && !later)
            try store.expect(rows, ["t1|1", "t2|2", "t3|3", "t4|4"])
            #expect(tasks.map(\.number) == [1, 2, 3, 4])
            _ = try context.execute(raise())
            try store.expect(rows, ["t1|11", "t2|12", "t3|13", "t4|14"])
        }
    }

    @Test("a container's unit of work commits requests and objects together, or neither")
    func containerUnit() throws {
        try withTasks { store, _ in
            try store.container.unitOfWork { context in
                _ = try context.execute(raise())
                #expect(try numbers(context) == [11, 12, 13, 14])
                let first = try #require(try task("t1", in: context))
                first.number = (first.number ?? 0) + 1
                try store.expect(rows, ["t1|1", "t2|2", "t3|3", "t4|4"])
            }
            try store.expect(rows, ["t1|12", "t2|12", "t3|13", "t4|14"])
            #expect(throws: Refused.self) {
                try store.container.unitOfWork { context in
                    _ = try context.execute(raise())
                    throw Refused()
                }
            }
            try store.expect(rows, ["t1|12", "t2|12", "t3|13", "t4|14"])
        }
    }

    // MARK: The right to write

    @Test("a writer throws after busyTimeoutMilliseconds and names the context that is writing")
    func timeout() throws {
        try withObjects { store in
            var options = StoreOptions()
            options.busyTimeoutMilliseconds = 50
            let container = try PersistentContainer(
                model: nil, .sqlite(at: store.path, options: options))
            container.register(Todo.self, Bug.self, Category.self, Tag.self)
            let context = container.newContext()
            context.name = "sync"
            let (held, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let failure = Mutex<StoreError?>(nil)
            let waiting = Thread {
                held.wait()
                let other = container.newContext()
                other.insert(Todo.self)
                let error = storeError { try other.save() }
                failure.withLock { $0 = error }
                done.signal()
            }
            waiting.start()
            try context.unitOfWork { context in
                _ = try context.execute(raise())
                held.signal()
                done.wait()
            }
            let error = failure.withLock { $0 }
            #expect(error?.code == .busy)
            #expect(
                error?.message
                    == "\(store.path) is being written by the context 'sync', which did not end in"
                    + " time; try again later, or raise `busyTimeoutMilliseconds`")
            let other = container.newContext()
            other.insert(Todo.self)
            try other.save()
        }
    }

    @Test("a call throws at once if it would wait for a transaction of the same thread")
    func ownThread() throws {
        try withTasks { store, context in
            context.transactionAuthor = "cleaner"
            let start = ContinuousClock.now
            let expected =
                "\(store.path) is being written by a context of 'cleaner' on this thread, which"
                + " cannot wait for itself; write in that context, or end its unit of work first"
            let container = store.container
            try context.unitOfWork { context in
                _ = try context.execute(raise())
                let other = store.context()
                other.insert(Todo.self)
                #expect(storeError { try other.save() }?.message == expected)
                #expect(
                    storeError { _ = try store.context().execute(insert) }?.message == expected)
                try container.setMetadata(.string("x"), forKey: "mark")
                #expect(storeError { try container.saveMetadata() }?.message == expected)
                #expect(storeError { try container.checkpoint() }?.message == expected)
                #expect(storeError { try container.buildPendingIndexes() }?.message == expected)
            }
            // Another context cannot save within a handler; its error also fails the request.
            var isFirst = true
            let request = BatchInsertRequest(entityName: "Task", properties: ["title"]) { row in
                defer { isFirst = false }
                guard isFirst else { return true }
                row = ["title": "from the handler"]
                let other = store.context()
                other.insert(Todo.self)
                try other.save()
                return false
            }
            #expect(storeError { _ = try context.execute(request) }?.message == expected)
            #expect(ContinuousClock.now - start < .seconds(4))
            try container.saveMetadata()
            try store.expect(rows, ["t1|11", "t2|12", "t3|13", "t4|14"])
        }
    }

    private func inMemory() throws -> PersistentContainer {
        var options = StoreOptions()
        options.busyTimeoutMilliseconds = 50
        let container = try PersistentContainer(
            model: model(objectModel), .inMemory(options: options))
        container.register(Todo.self, Bug.self, Category.self, Tag.self)
        let context = container.newContext()
        for number in 1...4 {
            context.insert(Todo.self) {
                $0.title = "t\(number)"
                $0.number = number
            }
        }
        try context.save()
        return container
    }

    @Test("an in-memory store allows reads during a write and keeps pinned snapshots")
    func readersInMemory() throws {
        let container = try inMemory()
        let (reader, pinned, writer) =
            (container.newContext(), container.newContext(), container.newContext())
        try pinned.pinQueryGeneration()
        let request = Todo.request.sort("title").batches(of: 1)
        let cursor = try reader.cursor(request)
        #expect(try cursor.nextChunk()?.map(\.number) == [1])
        try writer.unitOfWork { writer in
            _ = try writer.execute(raise())
            #expect(try numbers(reader) == [1, 2, 3, 4])
            #expect(try numbers(pinned) == [1, 2, 3, 4])
        }
        // The cursor resumes in the snapshot in which it began.
        let rest = container.newContext()
        let late = try rest.cursor(request)
        #expect(try late.nextChunk()?.map(\.number) == [11])
        var left: [Int?] = []
        while let chunk = try cursor.nextChunk() { left += chunk.map(\.number) }
        #expect(left == [2, 3, 4])
        #expect(try numbers(pinned) == [1, 2, 3, 4])
        #expect(try numbers(container.newContext()) == [11, 12, 13, 14])
        try pinned.unpinQueryGeneration()
        pinned.reset()
        #expect(try numbers(pinned) == [11, 12, 13, 14])
    }

    @Test("the folder of an in-memory store is private and is deleted on close")
    func fileInMemory() throws {
        var folder = ""
        do {
            let container = try inMemory()
            let path = try #require(
                try container.newReader().text(
                    "SELECT file FROM pragma_database_list WHERE name = 'main'"))
            folder = (path as NSString).deletingLastPathComponent
            let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions]
            #expect(mode as? Int == 0o700)
        }
        #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
    }
}

/// Records the titles of the fetched results after each change.
private final class Follower: FetchedResultsControllerDelegate {
    var titles: [[String]] = []

    func controllerDidChangeContent(_ controller: FetchedResultsController<Todo>) {
        titles.append(controller.fetchedObjects?.map { $0.title ?? "-" } ?? [])
    }
}
