import Foundation
import GraphModel
import SQLite
import Synchronization
import Testing

@testable import GraphStore

@Suite("Merging and cancellation") struct MergingTests {
    @Test("row 104: a container merges one change into several contexts")
    func mergeIntoMany() async throws {
        let store = try TestStore(objectModel)
        let container = store.container
        container.register(Category.self)
        let writer = container.newBackgroundContext()
        let id = try await writer.perform { context in
            let category = context.insert(Category.self) { $0.name = "old" }
            try context.save()
            return category.objectID
        }
        let readers = [container.newBackgroundContext(), container.newBackgroundContext()]
        for reader in readers {
            let name = try await reader.perform { context in
                context.retainsRegisteredObjects = true
                return try (context.existingObject(with: id) as? Category)?.name
            }
            #expect(name == "old")
        }
        let change = try await writer.perform { context in
            (context.object(with: id) as? Category)?.name = "new"
            return try context.save().change
        }
        func names() async -> [String?] {
            var names: [String?] = []
            for reader in readers {
                names.append(await reader.perform { ($0.object(with: id) as? Category)?.name })
            }
            return names
        }
        #expect(await names() == ["old", "old"])
        try await container.merge(change, into: readers)
        #expect(await names() == ["new", "new"])
        try store.checkIntegrity()
    }

    @Test("row 45: saveChain writes once and rejects a chain with a missing context")
    func chain() throws {
        try withObjects { store in
            let root = store.context()
            let child = root.makeChild()
            let grandchild = child.makeChild()
            grandchild.insert(Category.self) { $0.name = "one" }
            #expect(
                storeError { try PersistentContainer.saveChain([grandchild, root]) }?.code
                    == .invalidRequest)
            try store.expect("SELECT ZNAME FROM ZCATEGORY", [])
            let result = try PersistentContainer.saveChain([grandchild, child, root])
            #expect(result.change.inserted.count == 1 && result.change.updated.isEmpty)
            try store.expect("SELECT ZNAME FROM ZCATEGORY", ["one"])
        }
    }

    @Test("row 105: a background context merges other contexts' saves only while this is enabled")
    func backgroundMerges() async throws {
        let store = try TestStore(objectModel)
        store.container.register(Category.self)
        let reader = store.container.newBackgroundContext()
        let writer = store.container.newBackgroundContext()
        let id = try await writer.perform { context in
            let category = context.insert(Category.self) { $0.name = "old" }
            try context.save()
            return category.objectID
        }
        func name() async -> String? {
            await reader.perform { ($0.object(with: id) as? Category)?.name }
        }
        func rename(_ name: String) async throws {
            try await writer.perform { context in
                (context.object(with: id) as? Category)?.name = name
                try context.save()
            }
        }
        await reader.perform { $0.retainsRegisteredObjects = true }
        await reader.setAutomaticallyMergesChangesFromParent(true)
        #expect(await name() == "old")
        try await rename("new")
        while await name() != "new" { await Task.yield() }
        await reader.setAutomaticallyMergesChangesFromParent(false)
        try await rename("newer")
        for _ in 0..<20 { await Task.yield() }
        #expect(await name() == "new")
    }

    @Test("rows 40, 105: a pinned context merges changes after it is unpinned")
    func pinnedMerges() throws {
        try withObjects { store in
            let (pinned, other) = (store.context(), store.context())
            let made = other.insert(Category.self) { $0.name = "old" }
            try other.save()
            pinned.automaticallyMergesChangesFromParent = true
            let category = try pinned.existingObject(Category.self, with: made.objectID)
            try pinned.pinQueryGeneration()
            made.name = "new"
            try other.save()
            try pinned.processPendingChanges()
            #expect(category.name == "old")
            try pinned.unpinQueryGeneration()
            try pinned.processPendingChanges()
            #expect(category.name == "new")
        }
    }

    @Test("row 27: unsaved changes of background work are discarded")
    func unsavedWork() async throws {
        let store = try TestStore(objectModel)
        store.container.register(Category.self)
        await store.container.background { context in
            _ = context.insert(Category.self) { $0.name = "lost" }
            #expect(context.hasChanges)
        }
        try store.expect("SELECT ZNAME FROM ZCATEGORY", [])
        try await store.container.background { context in
            context.insert(Category.self) { $0.name = "kept" }
            try context.save()
        }
        try store.expect("SELECT ZNAME FROM ZCATEGORY", ["kept"])
    }

    @Test("row 29: canceling a task cancels its work between and within SQL statements")
    func cancellation() async throws {
        let store = try TestStore(objectModel)
        let context = store.container.newBackgroundContext()
        let isRunning = Atomic(false)
        let work = Task {
            try await context.performCancellable { context in
                let reader = try context.objectReader().connection
                isRunning.store(true, ordering: .releasing)
                // A statement that would run forever.
                let endless = """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT count(*) FROM n
                    """
                _ = try reader.integer(endless)
            }
        }
        while !isRunning.load(ordering: .acquiring) { await Task.yield() }
        work.cancel()
        let result = await work.result
        #expect(throws: StoreError.self) { try result.get() }
        #expect((result.failure as? StoreError)?.code == .cancelled)

        let late = Task {
            try await context.performCancellable { context in
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Task"))
            }
        }
        #expect(((await late.result).failure as? StoreError)?.code == .cancelled)

        // The context remains usable.
        let count = try await context.performCancellable { context in
            _ = try context.insert("Category")
            try context.save()
            return try context.count(for: FetchRequest<ManagedObject>(entityName: "Category"))
        }
        #expect(count == 1)
        try store.checkIntegrity()
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
