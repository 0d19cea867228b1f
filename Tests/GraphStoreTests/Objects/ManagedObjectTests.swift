import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Managed objects") struct ManagedObjectTests {
    @Test("row 46: an inserted object has its defaults and an ID, and its insert hook has run")
    func insertion() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            #expect(task.title == "untitled")
            #expect(task.calls == ["insert untitled"])
            #expect(task.isInserted && !task.isUpdated && !task.isDeleted && !task.isFault)
            #expect(task.managedObjectContext === context)
            #expect(task.objectID == ManagedObjectID(entityNumber: 6, primaryKey: 1))
            let other = context.insert(Category.self) { $0.name = "home" }
            task.category = other
            #expect(other.tasks == [task])
            try context.save()
            #expect(!task.hasChanges && !context.hasChanges)
            try store.expect(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZISDONE, ZCATEGORY FROM ZTASK",
                ["1|6|1|untitled|0|1"])
        }
    }

    @Test("row 46: an object of an unknown entity fails the next save")
    func insertionOfNothing() throws {
        final class UnknownObject: ManagedObject {}
        try withObjects { store in
            let context = store.context()
            let object = UnknownObject(in: context)
            #expect(object.managedObjectContext == nil)
            #expect(storeError { try context.save() }?.code == .invalidRequest)
            #expect(storeError { _ = try context.insert("Nobody") }?.code == .invalidRequest)
        }
    }

    @Test("row 33: two contexts of a container never allocate the same key")
    func keys() throws {
        try withObjects { store in
            let one = store.context()
            let other = store.context()
            let ids = (0..<10).map { Todo(in: $0 % 2 == 0 ? one : other).objectID.primaryKey }
            #expect(ids == Array(1...10))
            try other.save()
            try one.save()
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 10)
            #expect(try store.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME='Task'") == 10)
        }
    }

    @Test("row 33: the save changes a key that another process took, also in links to the object")
    func takenKeys() throws {
        try withObjects { store in
            let context = store.context()
            let category = Category(in: context)
            let task = Todo(in: context)
            task.category = category
            let old = category.objectID
            let foreign = try store.foreign()
            try foreign.execute(
                "INSERT INTO ZCATEGORY (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'theirs');"
                    + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Category'")
            category.name = "mine"
            try context.save()
            #expect(category.objectID.primaryKey == 2)
            // The old ID now refers to the other process's row.
            #expect((context.object(with: old) as? Category)?.name == "theirs")
            try store.expect(
                "SELECT Z_PK, ZNAME FROM ZCATEGORY ORDER BY 1", ["1|theirs", "2|mine"])
            try store.expect("SELECT ZCATEGORY FROM ZTASK", ["2"])
        }
    }

    @Test("row 34: the URI of an ID resolves only in its own store")
    func uris() throws {
        try withObjects { store in
            let context = store.context()
            let bug = Bug(in: context)
            let uri = try #require(store.container.uri(for: bug.objectID))
            #expect(uri == "x-coredata://\(store.container.storeUUID)/Bug/p1")
            #expect(store.container.managedObjectID(forURI: uri) == bug.objectID)
            let host = "x-coredata://\(store.container.storeUUID)"
            for wrong in [
                "x-coredata://\(UUID().uuidString)/Bug/p1", "\(host)/Bug/t1", "\(host)/Nobody/p1",
                "\(host)/Bug/p0", "\(host)/Bug", "http://\(store.container.storeUUID)/Bug/p1",
            ] {
                #expect(store.container.managedObjectID(forURI: wrong) == nil, "\(wrong)")
            }
        }
    }

    @Test("row 47: values are read and set by name; unknown keys and wrong types are errors")
    func keyValueCoding() throws {
        try withObjects { store in
            let context = store.context()
            let task: ManagedObject = try context.insert("Bug")
            try task.setValue("milk", forKey: "title")
            try task.setValue(7, forKey: "number")
            try task.setValue(nil, forKey: "category")
            guard case .attribute(.text("milk")) = try task.value(forKey: "title") else {
                Issue.record("no title")
                return
            }
            #expect(task[.string("title")] == "milk")
            #expect(task[.integer("number")] == 7)
            #expect(storeError { _ = try task.value(forKey: "nope") }?.code == .unknownKey)
            #expect(
                storeError { try task.setValue("x", forKey: "number") }?.code == .invalidRequest)
            #expect(storeError { try task.setValue(70_000, forKey: "number") }?.code == .validation)
            let tag = Tag(in: context)
            #expect(
                storeError { try task.setValue(.object(tag), forKey: "category") }?.code
                    == .invalidRequest)
            // An accessor cannot throw, so the save throws.
            task[.integer("number")] = 70_000
            #expect(task[.integer("number")] == 7)
            #expect(storeError { try context.save() }?.code == .validation)
            try context.save()
        }
    }

    @Test("row 4: values of every type are stored and read back unchanged")
    func types() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            task[.date("due")] = Date(timeIntervalSinceReferenceDate: 12.5)
            task[.double("weight")] = 3
            task[.decimal("price")] = Decimal(string: "0.99")
            task[.boolean("isDone")] = true
            try context.save()
            try store.expect(
                "SELECT ZDUE, ZWEIGHT, ZPRICE, ZISDONE FROM ZTASK", ["12.5|3.0|0.99|1"])
            let second = store.context()
            let again = try #require(
                try second.existingObject(with: task.objectID) as? Todo)
            #expect(again[.date("due")] == Date(timeIntervalSinceReferenceDate: 12.5))
            #expect(again[.double("weight")] == 3)
            #expect(again[.decimal("price")] == Decimal(string: "0.99"))
            #expect(again.isDone)
        }
    }

    @Test("rows 36, 48: changed keys are tracked; setting an equal value writes no row")
    func changes() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            task.title = "a"
            let category = Category(in: context)
            category.name = "c"
            try context.save()
            #expect(task.changedKeys == [])
            task.title = "a"
            #expect(task.hasChanges && context.hasChanges && !task.hasPersistentChangedValues)
            #expect(task.changedKeys == ["title"])
            task[.string("draft")] = "x"
            #expect(!task.hasPersistentChangedValues)
            let result = try context.save()
            #expect(result.change.isEmpty)
            #expect(try store.integer("SELECT Z_OPT FROM ZTASK") == 1)
            task.title = "b"
            task.category = category
            #expect(task.changedKeys == ["title", "category"])
            #expect(category.changedKeys == ["tasks"])
            let committed = try task.committedValues(forKeys: ["title", "category"])
            guard case .attribute(.text("a"))? = committed["title"],
                case .object(nil)? = committed["category"]
            else {
                Issue.record("\(committed)")
                return
            }
            try task.setPrimitiveValue(.text("primitive"), forKey: "code")
            #expect(!task.changedKeys.contains("code"))
            try context.save()
            try store.expect("SELECT ZTITLE, ZCODE, Z_OPT FROM ZTASK", ["b|-|2"])
        }
    }

    @Test("row 7: a rollback reverts a transient attribute, and a save does not store it")
    func transient() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            task[.string("draft")] = "first"
            try context.save()
            task[.string("draft")] = "second"
            #expect(context.hasChanges)
            context.rollback()
            #expect(task[.string("draft")] == "first")
            let second = store.context()
            let other = try #require(
                try second.existingObject(with: task.objectID) as? Todo)
            #expect(other[.string("draft")] == nil)
        }
    }

    @Test("row 43: an object of another context cannot be linked")
    func foreignObjects() throws {
        try withObjects { store in
            let task = Todo(in: store.context())
            let context = store.context()
            let other = Todo(in: context)
            let category = Category(in: context)
            #expect(
                storeError { try task.setValue(.object(category), forKey: "category") }?.code
                    == .invalidated)
            #expect(
                storeError { try other.setValue(.object(task), forKey: "parent") }?.code
                    == .foreignContext)
            let second = store.context()
            let third = Todo(in: second)
            #expect(
                storeError { try other.setValue(.object(third), forKey: "parent") }?.code
                    == .foreignContext)
        }
    }
}
