import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// Common mistakes in guides to these stores, each as a test of the correct behavior.
@Suite("Common mistakes") struct CommonDefectTests {
    @Test("rows 19, 132: a batch delete and a reset work on an in-memory store")
    func batchDeleteInMemory() throws {
        let container = try PersistentContainer.ephemeral(model: model(objectModel))
        let context = container.newContext()
        let held = try context.insert("Category")
        try context.save()
        let result = try context.execute(BatchDeleteRequest(entityName: "Category"))
        #expect(result.deleted == 1)
        try context.save()
        context.reset()
        #expect(storeError { try held.setValue("x", forKey: "name") }?.code == .invalidated)
        #expect(
            try context.count(for: FetchRequest<ManagedObject>(entityName: "Category")) == 0)
        _ = try context.insert("Category")
        try context.save()
        #expect(
            try context.count(for: FetchRequest<ManagedObject>(entityName: "Category")) == 1)
    }

    @Test("rows 37, 66: a reset during a batched fetch causes errors and no crash")
    func resetWhileIterating() throws {
        try withObjects { store in
            let context = store.context()
            for number in 0..<50 { context.insert(Todo.self) { $0.number = number } }
            try context.save()
            context.reset()
            var request = FetchRequest<Todo>(
                sortDescriptors: [GraphSortDescriptor(["number"])])
            request.fetchBatchSize = 10
            var read: [Int] = []
            var errors: [StoreError.Code] = []
            for (place, task) in try context.fetch(request).enumerated() {
                if place == 25 { context.reset() }
                do throws(StoreError) {
                    guard case .attribute(.integer(let number)) = try task.value(forKey: "number")
                    else { continue }
                    read.append(Int(number))
                } catch {
                    errors.append(error.code)
                }
            }
            #expect(read == Array(0..<25))
            #expect(errors == Array(repeating: .invalidated, count: 25))
        }
    }

    @Test("rows 27, 45: concurrent saves of several contexts lose no object")
    func savesInOrder() async throws {
        let store = try TestStore(objectModel)
        let contexts = (0..<3).map { _ in store.container.newBackgroundContext() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for context in contexts {
                group.addTask {
                    for _ in 0..<10 {
                        try await context.perform { context in
                            _ = try context.insert("Category")
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.expect("SELECT count(*), max(Z_PK) FROM ZCATEGORY", ["30|30"])
        try store.checkIntegrity()
    }

    @Test("row 61: a failed save throws, writes nothing, and keeps the changes")
    func failuresAreErrors() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Todo.self) { $0.title = nil }
            #expect(throws: StoreError.self) { try context.save() }
            #expect(context.hasChanges)
            try store.expect("SELECT count(*) FROM ZTASK", ["0"])
            context.rollback()
            #expect(try context.save().change.isEmpty)
        }
    }

    @Test("row 4: URI and Decimal attributes are stored, queried, and updated in batches")
    func uriAndDecimal() throws {
        try withStore("Link: { attributes: { address: URI, price: Decimal } }") { store in
            let context = store.context()
            let cheap = try context.insert("Link")
            cheap[.string("address")] = "https://example.org/a?b=c#d"
            cheap[.decimal("price")] = Decimal(string: "0.99")
            let dear = try context.insert("Link")
            dear[.string("address")] = "mailto:someone@example.org"
            dear[.decimal("price")] = 1200
            try context.save()
            let other = store.context()
            func addresses(_ format: String) throws -> [String?] {
                try other.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Link", predicate: try GraphPredicate(format: format))
                ).map { $0[.string("address")] }
            }
            #expect(try addresses("price < 1") == ["https://example.org/a?b=c#d"])
            #expect(try addresses("price == 0.99") == ["https://example.org/a?b=c#d"])
            #expect(
                try addresses("address BEGINSWITH 'mailto:'") == ["mailto:someone@example.org"])
            let read = try other.existingObject(with: cheap.objectID)
            #expect(read[.decimal("price")] == Decimal(string: "0.99"))
            _ = try context.execute(
                BatchUpdateRequest(
                    entityName: "Link",
                    propertiesToUpdate: ["price": try GraphExpression(format: "price * 2")]))
            try context.save()
            try store.expect("SELECT ZPRICE FROM ZLINK ORDER BY Z_PK", ["1.98", "2400"])
        }
    }
}
