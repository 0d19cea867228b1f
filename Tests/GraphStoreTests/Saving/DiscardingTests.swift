import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Discarding conflicts after a failed save") struct DiscardingTests {
    @Test("row 95: discarding the conflict of a duplicate lets the next save succeed")
    func duplicate() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Tag.self) { $0.name = "a" }
            try context.save()
            let task = context.insert(Todo.self) { $0.title = "kept" }
            let duplicate = context.insert(Tag.self) {
                $0.name = "a"
                $0.tasks = [task]
            }
            let error = try #require(storeError { try context.save() }?.mergeError)
            #expect(error.conflicts.map(\.objectID) == [duplicate.objectID])
            #expect(storeError { try context.save() }?.mergeError == error)
            try context.discard(error)
            #expect(task.tags.isEmpty && duplicate.managedObjectContext == nil)
            #expect(context.insertedObjects == [task])
            try context.save()
            try store.expect("SELECT ZNAME FROM ZTAG", ["a"])
            try store.expect("SELECT ZTITLE FROM ZTASK", ["kept"])
        }
    }

    @Test("row 95: discarding a conflict restores the object's values and links from the store")
    func changed() throws {
        try withObjects { store in
            let context = store.context()
            let old = context.insert(Category.self) { $0.name = "old" }
            let new = context.insert(Category.self) { $0.name = "new" }
            let tag = context.insert(Tag.self) { $0.name = "t" }
            let task = context.insert(Todo.self) {
                $0.title = "title"
                $0.category = old
            }
            try context.save()
            try store.foreign().execute(
                "UPDATE ZTASK SET ZTITLE = 'theirs', Z_OPT = Z_OPT + 1")
            task.title = "mine"
            task.category = new
            task.tags = [tag]
            new.name = "newer"
            let error = try #require(storeError { try context.save() }?.mergeError)
            try context.discard(try #require(error.conflicts.first))
            #expect(task.title == "theirs" && task.category == old && task.tags.isEmpty)
            #expect(old.tasks == [task] && new.tasks.isEmpty && tag.tasks.isEmpty)
            try context.save()
            try store.expect("SELECT ZTITLE, Z_OPT FROM ZTASK", ["theirs|2"])
            try store.expect("SELECT ZNAME FROM ZCATEGORY ORDER BY 1", ["newer", "old"])
        }
    }

    @Test("row 95: discarding a conflict drops the object of a deleted row and reverts a deletion")
    func droppedAndDeleted() throws {
        try withObjects { store in
            let context = store.context()
            let category = context.insert(Category.self) { $0.name = "c" }
            let gone = context.insert(Todo.self) {
                $0.title = "gone"
                $0.category = category
            }
            let kept = context.insert(Todo.self) {
                $0.title = "kept"
                $0.category = category
            }
            try context.save()
            let foreign = try store.foreign()
            try foreign.execute("DELETE FROM ZTASK WHERE ZTITLE = 'gone'")
            try foreign.execute("UPDATE ZTASK SET ZNUMBER = 7, Z_OPT = Z_OPT + 1")
            gone.number = 1
            context.delete(kept)
            let error = try #require(storeError { try context.save() }?.mergeError)
            #expect(Set(error.conflicts.map(\.objectID)) == [gone.objectID, kept.objectID])
            try context.discard(error)
            #expect(kept.number == 7 && !kept.isDeleted)
            #expect(category.tasks == [kept])
            try context.save()
            try store.expect("SELECT ZTITLE, ZNUMBER, ZCATEGORY FROM ZTASK", ["kept|7|1"])
        }
    }

    @Test("row 63: a save reports the failures of hooks together with the model's failures")
    func ownFailures() throws {
        try withObjects { store in
            let context = store.context()
            let task = context.insert(Todo.self) { $0.number = 5000 }
            task.onValidate = { task, operation, failures in
                failures.add("\(operation.rawValue): no title like that", task, key: "title")
                failures.add("and no luck", task)
            }
            let error = try #require(storeError { try context.save() }?.validationError)
            #expect(error.code == .multiple)
            #expect(
                error.failures.map { "\($0.code.rawValue) \($0.key ?? "-"): \($0.message)" } == [
                    "1610 number: 'number' must be from 0 to 1000, and is 5000",
                    "1550 title: insert: no title like that", "1550 -: and no luck",
                ])
            task.onValidate = nil
            task.number = 1
            try context.save()
        }
    }

    @Test(
        "row 58: `deletionHooks` decides whether objects that only a cascade loads call hooks",
        arguments: DeletionHooks.allCases)
    func hooks(_ hooks: DeletionHooks) throws {
        try withObjects { store in
            let context = store.context()
            let parent = context.insert(Todo.self) { $0.title = "parent" }
            for title in ["loaded", "not loaded"] {
                context.insert(Todo.self) {
                    $0.title = title
                    $0.parent = parent
                }
            }
            try context.save()
            let other = store.context()
            other.deletionHooks = hooks
            other.retainsRegisteredObjects = true
            let loaded = try #require(try task("loaded", in: other))
            _ = loaded.number
            loaded.calls = []
            other.delete(try #require(try task("parent", in: other)))
            try other.processPendingChanges()
            let child = try #require(
                other.deletedObjects.compactMap { $0 as? Todo }.first { $0.title == "not loaded" })
            try other.save()
            #expect(loaded.calls == ["delete in -", "willSave", "didSave"])
            #expect(
                child.calls
                    == (hooks == .all ? ["fetch", "delete in -", "willSave", "didSave"] : []))
            try store.expect("SELECT count(*) FROM ZTASK", ["0"])
        }
    }
}
