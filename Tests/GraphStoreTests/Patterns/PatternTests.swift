import Foundation
import GraphModel
import Testing

@testable import GraphStore

@Suite("Patterns") struct PatternTests {
    private struct Refused: Error {}

    private let names = "SELECT ZNAME FROM ZCATEGORY ORDER BY 1"

    @Test("row 127: a repository inserts, finds, counts, and deletes the objects of one class")
    func repository() throws {
        try withObjects { store in
            let context = store.context()
            let tags = GraphRepository<Tag>(context)
            for name in ["b", "a", "c"] { try tags.insert { $0.name = name } }
            #expect(throws: Refused.self) {
                try tags.insert {
                    $0.name = "never"
                    throw Refused()
                }
            }
            try tags.save()
            let order = [GraphSortDescriptor(["name"])]
            let later = try GraphPredicate(format: "name > 'a'")
            #expect(try tags.objects(where: nil, sortedBy: order).map(\.name) == ["a", "b", "c"])
            #expect(try tags.first(where: later, sortedBy: order)?.name == "b")
            #expect(try tags.count(where: later) == 2)
            let id = try #require(try tags.first(where: later)?.objectID)
            try tags.delete(try #require(try tags.object(with: id)))
            try tags.save()
            #expect(try tags.object(with: id) == nil)
            // The ID of another entity's object is not a tag's.
            let other = context.insert(Category.self)
            #expect(try tags.object(with: other.objectID) == nil)
            #expect(try tags.all().count == 2)
        }
    }

    @Test("row 128: a unit of work saves all its changes or none")
    func unitOfWork() throws {
        try withObjects { store in
            let id = try store.container.unitOfWork { context in
                context.insert(Category.self) { $0.name = "kept" }.objectID
            }
            #expect(throws: Refused.self) {
                try store.container.unitOfWork { context in
                    context.insert(Category.self) { $0.name = "dropped" }
                    (context.object(with: id) as? Category)?.name = "changed"
                    _ = try context.execute(BatchDeleteRequest(entityName: "Task"))
                    throw Refused()
                }
            }
            try store.expect(names, ["kept"])
        }
    }

    @Test("row 128: an error in a nested unit of work reverts only its own objects and rows")
    func nestedUnits() throws {
        try withObjects { store in
            let context = store.context()
            let old = context.insert(Category.self) { $0.name = "old" }
            try context.save()
            let task = context.insert(Todo.self) { $0.title = "before" }
            old.name = "outer"
            var inner: Category?
            #expect(throws: Refused.self) {
                try context.unitOfWork { context in
                    old.name = "inner"
                    inner = context.insert(Category.self) { $0.name = "inner" }
                    task.category = inner
                    _ = try context.execute(
                        BatchInsertRequest(entityName: "Project", objects: [["name": "p"]]))
                    throw Refused()
                }
            }
            #expect(old.name == "outer" && task.category == nil)
            #expect(inner?.isInserted == false && context.insertedObjects == [task])
            try context.unitOfWork { context in
                _ = try context.execute(
                    BatchInsertRequest(entityName: "Project", objects: [["name": "first"]]))
                try? context.unitOfWork { context in
                    _ = try context.execute(
                        BatchInsertRequest(entityName: "Project", objects: [["name": "second"]]))
                    context.delete(old)
                    throw Refused()
                }
                task.category = old
            }
            #expect(!old.isDeleted)
            try context.save()
            try store.expect(names, ["outer"])
            try store.expect("SELECT ZNAME FROM ZPROJECT", ["first"])
            try store.expect("SELECT ZTITLE, ZCATEGORY FROM ZTASK", ["before|1"])
        }
    }

    // MARK: Importing

    private func rows(_ range: ClosedRange<Int>) -> [[String: BatchValue]] {
        range.map { number in
            [
                "code": .value(.text("c\(number)")), "title": .value(.text("t\(number)")),
                // Every tenth value is out of the model's range.
                "number": .value(.integer(number % 10 == 0 ? 9999 : Int64(number))),
            ]
        }
    }

    @Test("row 131: an interrupted import resumes after its last saved chunk")
    func importer() throws {
        try withObjects { store in
            var importer = Importer(
                store.container, entityName: "Task", properties: ["code", "title", "number"])
            importer.key = ["code"]
            importer.chunkSize = 10
            var seen: [Int] = []
            #expect(throws: Refused.self) {
                try importer.run(rows(1...45), name: "tasks") { progress in
                    seen.append(progress.rows)
                    if progress.rows == 20 { throw Refused() }
                }
            }
            try store.expect("SELECT count(*) FROM ZTASK", ["18"])
            // Another process would find the position in the file.
            let again = try PersistentContainer(model: nil, at: store.path)
            var second = Importer(
                again, entityName: "Task", properties: ["code", "title", "number"])
            second.key = ["code"]
            second.chunkSize = 10
            let result = try second.run(rows(1...45), name: "tasks") { seen.append($0.rows) }
            #expect(seen == [10, 20, 30, 40, 45])
            #expect(result.resumedAfter == 20)
            #expect((result.progress.inserted, result.progress.rejected) == (23, 2))
            #expect(result.rejects.map(\.row) == [30, 40])
            // After a complete run, the next run of that name starts over and finds everything
            // unchanged.
            let third = try second.run(rows(1...45), name: "tasks")
            #expect((third.resumedAfter, third.progress.unchanged) == (0, 41))
            try again.buildPendingIndexes()
            try store.expect("SELECT count(*) FROM ZTASK", ["41"])
        }
    }

    // MARK: Synchronizing

    @Test("row 130: a repeated pull changes nothing, and a push sends only local changes")
    func sync() throws {
        let store = try TestStore(
            model(objectModel), history: HistoryOptions(keeping: .untilPurged))
        store.container.register(Todo.self, Tag.self)
        let engine = SyncEngine(store.container, name: "server")
        func pull(_ titles: [String]) throws -> BatchInsertResult {
            var request = BatchInsertRequest(
                entityName: "Task",
                objects: titles.map { ["code": .value(.text($0)), "title": .value(.text($0))] })
            request.key = ["code"]
            request.policy = .objectTrump
            return try engine.pull(request)
        }
        #expect(try pull(["a", "b"]).inserted == 2)
        let again = try pull(["a", "b"])
        #expect((again.inserted, again.updated, again.unchanged) == (0, 0, 2))
        #expect(try engine.push().isEmpty)
        let context = store.context()
        let mine = context.insert(Todo.self) { $0.title = "mine" }
        try task("a", in: context)?.number = 5
        try context.save()
        context.delete(try #require(try task("b", in: context)))
        try context.save()
        let outgoing = try engine.push()
        #expect(outgoing.change.inserted.ids == [mine.objectID])
        #expect(outgoing.change.updated.count == 1 && outgoing.change.deleted.count == 1)
        // If the push did not arrive, the next one repeats it and adds the new changes.
        context.insert(Tag.self) { $0.name = "t" }
        try context.save()
        let more = try engine.push()
        #expect(more.change.inserted.count == 2)
        try engine.acknowledge(more.token)
        #expect(try engine.push().isEmpty)
        #expect(SyncEngine(store.container, name: "server").acknowledged == more.token)
        try store.checkIntegrity()
    }

    @Test("row 129: a data service reads and writes plain values")
    func service() async throws {
        let store = try TestStore(objectModel)
        let service: any DataService = GraphDataService(store.container)
        let category = try await service.save(
            ObjectData(entityName: "Category", attributes: ["name": .text("c")]))
        let id = try await service.save(
            ObjectData(
                entityName: "Task", attributes: ["title": .text("t")],
                links: ["category": [category]]))
        let found = try #require(try await service.object(with: id))
        #expect(found.attributes["title"] == .text("t"))
        #expect(found.attributes["isDone"] == .integer(0))
        try store.expect("SELECT ZCATEGORY FROM ZTASK", ["1"])
        _ = try await service.save(
            ObjectData(objectID: id, entityName: "Task", attributes: ["number": .integer(7)]))
        let seven = try GraphPredicate(format: "number == 7")
        #expect(try await service.objects(of: "Task", where: seven).map(\.objectID) == [id])
        try await service.delete(id)
        #expect(try await service.object(with: id) == nil)
        try store.checkIntegrity()
    }
}
