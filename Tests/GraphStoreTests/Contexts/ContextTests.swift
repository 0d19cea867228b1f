import Dispatch
import Foundation
import GraphModel
import SQLite
import Synchronization
import Testing

@testable import GraphStore

private let entities = """
    Task:
      attributes: { id: Integer 32, title: String }
      relationships: { tags: { to: Tag, many: true, inverse: tasks } }
      unique: [[id]]
    Tag:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: tags } }
      unique: [[name]]
    """
private let plan = BulkPlan(
    entity: "Task", key: ["id"], attributes: ["id", "title"],
    links: [.init(relationship: "tags", destination: "Tag", attribute: "name", missing: .create)])

private final class Log: Sendable {
    private let changes = Mutex<[StoreChange]>([])
    func add(_ change: StoreChange) { changes.withLock { $0.append(change) } }
    var all: [StoreChange] { changes.withLock { $0 } }
}

private func change(
    inserted: [(Int64, Int64)] = [], updated: [(Int64, Int64)] = [], deleted: [(Int64, Int64)] = []
) -> StoreChange {
    func set(_ ids: [(Int64, Int64)]) -> ManagedObjectIDSet {
        var set = ManagedObjectIDSet()
        for (entity, key) in ids { set.insert(.init(entityNumber: entity, primaryKey: key)) }
        return set
    }
    var change = StoreChange()
    change.inserted = set(inserted)
    change.updated = set(updated)
    change.deleted = set(deleted)
    return change
}

@Suite("Contexts") struct ContextTests {
    private func add(_ records: [[TestValue]], in context: ManagedObjectContext) throws {
        let writer = try context.bulkWriter(for: plan)
        let batch = RowBatch(width: plan.width)
        for record in records { batch.add(record) }
        try writer.apply(batch, firstToken: 1)
        try writer.finish()
    }

    @Test func saveAndObserversReportExactlyTheChangedObjects() async throws {
        let store = try TestStore(entities)
        let log = Log()
        let token = store.container.observeChanges { log.add($0) }
        let stream = store.container.changes
        let context = store.container.newContext()
        try add([[1, "a", ["x", "y"]], [2, "b", []], [3, "c", nil]], in: context)
        let first = try context.save()
        try add([[1, "a", ["x", "y"]], [2, "B", ["x"]], [4, "d", ["z"]]], in: context)
        _ = try context.execute(
            BatchDeleteRequest(
                entityName: "Task", predicate: try GraphPredicate(format: "id IN {3, 4}")))
        let second = try context.save()
        // Without changes, no notification is sent.
        try add([[1, "a", ["x", "y"]]], in: context)
        let third = try context.save()
        let fourth = try context.save()
        let expected = [
            change(inserted: [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)]),
            change(inserted: [(1, 3)], updated: [(1, 1), (2, 2)], deleted: [(2, 3)]),
        ]
        #expect([first.change, second.change] == expected)
        #expect([third.change, fourth.change] == [StoreChange(), StoreChange()])
        #expect(log.all == expected)
        var heard: [StoreChange] = []
        for await change in stream {
            heard.append(change)
            if heard.count == 2 { break }
        }
        #expect(heard == expected)
        store.container.stopObserving(token)
        try add([[9, "n", nil]], in: context)
        try context.save()
        #expect(log.all.count == 2)
        try store.checkIntegrity()
    }

    @Test func readersDoNotSeeUnsavedChanges() throws {
        try withStore(entities) { store in
            let context = store.container.newContext()
            try add([[1, "a", nil]], in: context)
            try store.expect("SELECT count(*) FROM ZTASK", ["0"])
            let request = RowRequest(entityName: "Task", fields: [["id"]])
            let before = try context.cursor(request).integers()
            #expect(before == [])
            try context.save()
            let after = try context.cursor(request).integers()
            #expect(after == [1])
        }
    }

    @Test func releasesTheWriteLeaseWhenTheContextIsFreed() throws {
        try withStore(entities) { store in
            do {
                let context = store.container.newContext()
                try add([[1, "a", nil]], in: context)
            }
            let context = store.container.newContext()
            try add([[2, "b", nil]], in: context)
            try context.save()
            try store.expect("SELECT ZID FROM ZTASK", ["2"])
        }
    }

    @Test func writersWaitForEachOther() async throws {
        let store = try TestStore(entities)
        let log = Log()
        store.container.observeChanges { log.add($0) }
        let container = store.container
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in Int64(0)..<4 {
                let context = container.newBackgroundContext()
                group.addTask {
                    for round in Int64(0)..<20 {
                        try await context.perform { context in
                            let writer = writer * 1000 + round
                            let batch = RowBatch(width: plan.width)
                            batch.add([.integer(writer), "t", ["shared"]])
                            // The writer must release its statements before the save releases the
                            // connection.
                            do {
                                let bulk = try context.bulkWriter(for: plan)
                                try bulk.apply(batch, firstToken: 1)
                                try bulk.finish()
                            }
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.lines("SELECT count(*), count(DISTINCT ZID) FROM ZTASK") == ["80|80"])
        #expect(try store.lines("SELECT ZNAME FROM ZTAG") == ["shared"])
        // If several contexts save at once, one of them notifies for all, so the last notification
        // may be pending.
        while log.all.count < 80 { await Task.yield() }
        // The order of notifications is the order of saves, and so of keys.
        let keys = log.all.flatMap { $0.inserted.ranges[2] ?? [] }.map(\.lowerBound)
        #expect(keys == Array(1...80))
        try store.container.buildPendingIndexes()
        try store.checkIntegrity()
    }

    @Test func performAndWaitReturnsTheClosuresResult() throws {
        let store = try TestStore(entities)
        let context = store.container.newBackgroundContext()
        let count = try context.performAndWait { context in
            _ = try context.execute(BatchDeleteRequest(entityName: "Task"))
            return try context.save().change.deleted.count
        }
        #expect(count == 0)
    }

    @Test("nested performAndWait calls of two contexts run inline on the caller's queues")
    func performAndWaitWithinAnother() async throws {
        struct Refused: Error {}
        let store = try TestStore(entities)
        let first = store.container.newBackgroundContext()
        let second = store.container.newBackgroundContext()
        // Runs inline if the caller is already on the queue, by whatever path.
        let inner: @Sendable () -> [Bool] = {
            first.performAndWait { context in
                let outside = ObjectIdentifier(context)
                return second.performAndWait { context in
                    let other = ObjectIdentifier(context)
                    return first.performAndWait {
                        [ObjectIdentifier($0) == outside, ObjectIdentifier($0) == other]
                    }
                }
            }
        }
        #expect(inner() == [true, false])
        #expect(await first.perform { _ in inner() } == [true, false])
        #expect(await second.perform { _ in inner() } == [true, false])
        // A failure also releases the queue from the thread that left it.
        #expect(throws: Refused.self) {
            try first.performAndWait { _ in
                try second.performAndWait { _ in throw Refused() }
            }
        }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { inner() == [true, false] }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test("a lock error says whether another container of this process has the store open")
    func namesOwnContainers() throws {
        try withStore(entities) { store in
            let path = store.path
            let text =
                "\(path) is in use, and another container of this process has it open; finish its "
                + "save or release it, or try again later"
            func lockError() -> String? {
                storeError { _ = try Connection.exclusive(path, timeoutMilliseconds: 0) }?.message
            }
            var options = StoreOptions()
            options.busyTimeoutMilliseconds = 0
            var other: PersistentContainer? = try PersistentContainer(
                model: nil, .sqlite(at: path, options: options))
            let context = store.container.newContext()
            try add([[1, "a", nil]], in: context)
            let waiting = try #require(other?.newContext())
            #expect(storeError { try add([[2, "b", nil]], in: waiting) }?.message == text)
            #expect(lockError() == text)
            try context.save()
            try store.container.buildPendingIndexes()
            other = nil
        }
        // Released stores are no longer counted.
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        _ = try PersistentContainer(model: model(entities), at: path, opening: .create)
        let foreign = try Connection(path: path, mode: .readWrite)
        try foreign.execute("BEGIN IMMEDIATE")
        let error = storeError { _ = try Connection.exclusive(path, timeoutMilliseconds: 0) }
        #expect(error?.message == "\(path) is in use by another process; try again later")
    }

    @Test func writeFailsAsBusyWhileAnotherConnectionHasTheLock() throws {
        try withStore(entities) { store in
            let other = try store.foreign()
            try other.execute("BEGIN IMMEDIATE")
            let context = store.container.newContext()
            let error = storeError { try add([[1, "a", nil]], in: context) }
            #expect(error?.code == .busy)
            #expect(
                error?.message == "\(store.path) is in use by another process; try again later")
            #expect(!context.hasChanges)
            try other.execute("ROLLBACK")
            try add([[1, "a", nil]], in: context)
            try context.save()
            try store.expect("SELECT ZID FROM ZTASK", ["1"])
            try store.container.buildPendingIndexes()
        }
    }
}
