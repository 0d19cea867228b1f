import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Managed object contexts") struct ContextObjectTests {
    @Test("row 30: a child sees its parent's changes and saves into the parent, not the store")
    func children() throws {
        try withObjects { store in
            let parent = store.context()
            let saved = parent.insert(Todo.self) { $0.title = "saved" }
            try parent.save()
            let category = parent.insert(Category.self) { $0.name = "unsaved" }
            saved.category = category
            let child = parent.makeChild()
            let mine = try #require(try child.existingObject(with: saved.objectID) as? Todo)
            #expect(mine !== saved && mine.category?.name == "unsaved")
            #expect(mine.category?.tasks == [mine])
            mine.title = "changed"
            let new = child.insert(Todo.self) {
                $0.title = "new"
                $0.category = mine.category
            }
            #expect(saved.title == "saved")
            try child.save()
            #expect(saved.title == "changed" && !child.hasChanges)
            #expect(category.tasks.map(\.objectID) == [saved.objectID, new.objectID])
            try store.expect("SELECT ZTITLE FROM ZTASK", ["saved"])
            child.delete(new)
            try child.save()
            #expect(category.tasks == [saved])
            try parent.save()
            try store.expect("SELECT ZTITLE, ZCATEGORY FROM ZTASK", ["changed|1"])
        }
    }

    @Test("row 30: a child's fetch includes the parent's unsaved changes before limit and offset")
    func childFetches() throws {
        try withObjects { store in
            let parent = store.context()
            for title in ["a", "c", "e"] { parent.insert(Todo.self) { $0.title = title } }
            try parent.save()
            parent.insert(Todo.self) { $0.title = "b" }
            parent.delete(try #require(try task("c", in: parent)))
            let child = parent.makeChild()
            child.insert(Todo.self) { $0.title = "d" }
            var request = FetchRequest<Todo>(sortDescriptors: [GraphSortDescriptor(["title"])])
            #expect(try child.fetch(request).map(\.title) == ["a", "b", "d", "e"])
            request.fetchLimit = 2
            request.fetchOffset = 1
            #expect(try child.fetch(request).map(\.title) == ["b", "d"])
            request.fetchBatchSize = 1
            #expect(try child.fetch(request).map(\.title) == ["b", "d"])
            let grandchild = child.makeChild()
            #expect(try grandchild.fetch(request).map(\.title) == ["b", "d"])
        }
    }

    @Test("rows 30, 45: a child's save validates, and saveChain saves child and parent in order")
    func childSaves() throws {
        try withObjects { store in
            let parent = store.context()
            let child = parent.makeChild()
            let task = child.insert(Todo.self) { $0.title = nil }
            #expect(storeError { try child.save() }?.code == .validation)
            task.title = "x"
            let result = try PersistentContainer.saveChain([child, parent])
            #expect(result.change.inserted.ids == [task.objectID])
            try store.expect("SELECT ZTITLE FROM ZTASK", ["x"])
            #expect(
                storeError { try PersistentContainer.saveChain([parent, child]) }?.code
                    == .invalidRequest)
            task.title = "y"
            try PersistentContainer.saveChain([child, parent])
            try store.expect("SELECT ZTITLE, Z_OPT FROM ZTASK", ["y|2"])
        }
    }

    @Test("rows 103, 105: a merge takes other contexts' saves and keeps unsaved changes")
    func merging() throws {
        try withObjects { store in
            let one = store.context()
            one.automaticallyMergesChangesFromParent = true
            let category = Category(in: one)
            let tasks = (0..<3).map { number in
                one.insert(Todo.self) {
                    $0.title = "t\(number)"
                    $0.category = category
                }
            }
            try one.save()
            #expect(category.tasks.count == 3)
            tasks[1].number = 5
            let other = store.context()
            let theirs = try other.fault(tasks.map(\.objectID)).compactMap { $0 as? Todo }
            theirs[0].title = "theirs"
            theirs[1].title = "theirs"
            other.delete(theirs[2])
            let new = other.insert(Todo.self) {
                $0.category = other.object(with: category.objectID) as? Category
            }
            try other.save()
            #expect(tasks[0].title == "t0")
            try one.processPendingChanges()
            #expect(tasks[0].title == "theirs")
            #expect(tasks[1].title == "theirs" && tasks[1].number == 5)
            #expect(tasks[2].isDeleted && tasks[2].title == "t2")
            #expect(
                category.tasks.map(\.objectID)
                    == [tasks[0].objectID, tasks[1].objectID, new.objectID])
            try one.save()
            try store.expect(
                "SELECT Z_PK, ZTITLE, ZNUMBER, Z_OPT FROM ZTASK ORDER BY 1",
                ["1|theirs|-|2", "2|theirs|5|3", "4|untitled|-|1"])
        }
    }

    @Test("row 40: a pinned context reads one state of the store until it saves")
    func pinning() throws {
        try withObjects { store in
            let context = store.context()
            let task = context.insert(Todo.self) { $0.title = "old" }
            try context.save()
            let pinned = store.context()
            try pinned.pinQueryGeneration()
            #expect(pinned.isPinned)
            task.title = "new"
            try context.save()
            let mine = try #require(try pinned.existingObject(with: task.objectID) as? Todo)
            #expect(mine.title == "old")
            #expect(try pinned.count(for: FetchRequest<Todo>()) == 1)
            context.insert(Todo.self)
            try context.save()
            #expect(try pinned.count(for: FetchRequest<Todo>()) == 1)
            pinned.insert(Todo.self)
            try pinned.save()
            #expect(try pinned.count(for: FetchRequest<Todo>()) == 3)
            try pinned.unpinQueryGeneration()
            try pinned.refreshAllObjects()
            #expect(mine.title == "new" && !pinned.isPinned)
        }
    }

    @Test("row 40: a container lists its pinned contexts, oldest first")
    func pinnedGenerations() throws {
        try withObjects { store in
            let names = { store.container.pinnedGenerations.map(\.contextName) }
            let first = store.context()
            first.name = "report"
            try first.pinQueryGeneration()
            try first.pinQueryGeneration()
            let child = first.makeChild()
            #expect(names() == ["report"])
            do {
                let second = store.context()
                try second.pinQueryGeneration()
                #expect(names() == ["report", nil])
                // A save moves the context to a new state.
                first.insert(Todo.self)
                try first.save()
                #expect(names() == [nil, "report"])
                withExtendedLifetime(second) {}
            }
            #expect(names() == ["report"])
            try child.unpinQueryGeneration()
            #expect(names() == [])
        }
    }

    @Test("row 42: undo and redo work on groups of changes, including saved ones")
    func undo() throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let category = Category(in: context)
            let task = context.insert(Todo.self) { $0.title = "a" }
            try context.save()
            task.title = "b"
            task.category = category
            try context.processPendingChanges()
            task.title = "c"
            try context.undo()
            #expect(task.title == "b" && task.category === category)
            try context.undo()
            #expect(task.title == "a" && task.category == nil && category.tasks == [])
            #expect(!task.hasChanges && context.canRedo)
            try context.redo()
            try context.redo()
            #expect(task.title == "c" && category.tasks == [task] && !context.canRedo)
            try context.save()
            try context.undo()
            #expect(task.title == "b" && task.isUpdated)
            try context.save()
            try store.expect("SELECT ZTITLE, ZCATEGORY FROM ZTASK", ["b|1"])
            context.delete(task)
            try context.save()
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 0)
            try context.undo()
            #expect(task.isInserted && category.tasks == [task])
            try context.save()
            try store.expect("SELECT Z_PK, ZTITLE, ZCATEGORY FROM ZTASK", ["1|b|1"])
        }
    }

    @Test("rows 42, 59: undoing a child's insert unlinks it, so its deny rule allows the deletion")
    func undoOfAChildsInsert() throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let task = Todo(in: context)
            try context.save()
            let child = context.makeChild()
            let project = try child.insert("Project")
            child.object(with: task.objectID)[.toOne("project")] = project
            try child.save()
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["1"])
            let mine = context.object(with: project.objectID)
            try context.refreshAllObjects()
            try context.undo()
            #expect(mine.isDeleted && task[.toOne("project")] == nil)
            #expect(try context.deletability(of: mine) == [])
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["-"])
            try store.expect("SELECT count(*) FROM ZPROJECT", ["0"])
            try context.redo()
            #expect(mine[.toMany("steps")] == [task])
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["1"])
        }
    }

    @Test("rows 42, 59: a save fails if an undo restores a link to a deleted unsaved object")
    func undoneLinkToADeletedNewObject() throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let task = Todo(in: context)
            try context.save()
            let project = try context.insert("Project")
            task[.toOne("project")] = project
            context.delete(project)
            try context.processPendingChanges()
            context.delete(task)
            try context.undo()
            #expect(!task.isDeleted)
            let error = storeError { try context.save() }
            #expect(error?.validationError?.failures.map(\.code) == [.deletionDenied])
            task[.toOne("project")] = nil
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["-"])
            try store.expect("SELECT count(*) FROM ZPROJECT", ["0"])
        }
    }

    @Test(
        "rows 42, 59: a save fails if an undo restores a link to a deleted object",
        arguments: [true, false])
    func undoneLinkToADeletedObject(continues: Bool) throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let task = Todo(in: context)
            let project = try context.insert("Project")
            task[.toOne("project")] = project
            try context.save()
            context.delete(project)
            try context.processPendingChanges()
            context.delete(task)
            try context.save()
            try context.undo()
            #expect(task.isInserted)
            context.isUndoEnabled = continues
            let error = storeError { try context.save() }
            #expect(error?.validationError?.failures.map(\.code) == [.deletionDenied])
            task[.toOne("project")] = nil
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["-"])
        }
    }

    @Test("row 42: a redo of a denied deletion is denied again")
    func redoneDeniedDeletion() throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let task = Todo(in: context)
            try context.save()
            let project = try context.insert("Project")
            try context.processPendingChanges()
            task[.toOne("project")] = project
            try context.processPendingChanges()
            context.delete(project)
            try context.undo()
            #expect(project.isInserted)
            try context.redo()
            #expect(project.isDeleted && task[.toOne("project")] === project)
            let error = storeError { try context.save() }
            #expect(error?.validationError?.failures.map(\.code) == [.deletionDenied])
            try context.undo()
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["1"])
            try store.expect("SELECT Z_PK FROM ZPROJECT", ["1"])
            try context.undo()
            try context.undo()
            #expect(task[.toOne("project")] == nil && project.isDeleted)
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["-"])
            try store.expect("SELECT Z_PK FROM ZPROJECT", [])
        }
    }

    @Test("row 42: undoing the change that allowed a denied deletion denies it again")
    func undoneReleaseOfADeniedDeletion() throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let task = Todo(in: context)
            let project = try context.insert("Project")
            task[.toOne("project")] = project
            try context.processPendingChanges()
            context.delete(project)
            try context.processPendingChanges()
            task[.toOne("project")] = nil
            try context.save()
            try store.expect("SELECT Z_PK FROM ZPROJECT", [])
            try context.undo()
            #expect(task[.toOne("project")] === project && project.isDeleted)
            let error = storeError { try context.save() }
            #expect(error?.validationError?.failures.map(\.code) == [.deletionDenied])
            try context.undo()
            try context.save()
            try store.expect("SELECT ZPROJECT FROM ZTASK", ["1"])
            try store.expect("SELECT Z_PK FROM ZPROJECT", ["1"])
        }
    }

    @Test("row 42: undo recreates the unread destination of a link that another context deleted")
    func undoneLinkToWhatOthersDeleted() throws {
        try withObjects { store in
            let setup = store.context()
            let id = setup.insert(Todo.self) {
                $0.category = setup.insert(Category.self) { $0.name = "a" }
            }.objectID
            try setup.save()
            let context = store.context()
            context.automaticallyMergesChangesFromParent = true
            context.isUndoEnabled = true
            let task = context.object(with: id)
            task[.toOne("category")] = nil
            try context.save()
            try setup.refreshAllObjects()
            for category in try setup.fetch(FetchRequest<Category>()) { setup.delete(category) }
            try setup.save()
            try context.undo()
            try context.save()
            try store.expect("SELECT ZCATEGORY FROM ZTASK", ["1"])
            try store.expect("SELECT Z_PK, ZNAME FROM ZCATEGORY", ["1|a"])
        }
    }

    @Test("row 42: undo reverts a whole group, keeps limited levels, and is cleared by a rollback")
    func undoGroups() throws {
        try withObjects { store in
            let context = store.context()
            context.isUndoEnabled = true
            let task = Todo(in: context)
            try context.save()
            try context.undoGroup {
                task.title = "a"
                try context.processPendingChanges()
                task.title = "b"
                context.insert(Todo.self)
            }
            try context.undo()
            #expect(task.title == "untitled" && context.insertedObjects == [])
            context.levelsOfUndo = 2
            for number in 1...4 {
                task.number = number
                try context.processPendingChanges()
            }
            while context.canUndo { try context.undo() }
            #expect(task.number == 2)
            context.rollback()
            #expect(!context.canUndo && !context.canRedo && task.number == nil)
        }
    }

    @Test("rows 26, 105: the view context runs on the main actor and merges automatically")
    @MainActor func viewContext() async throws {
        let store = try TestStore(objectModel)
        store.container.register(Todo.self)
        defer { store.container.releaseViewContext() }
        let context = store.container.viewContext
        let task = context.insert(Todo.self) { $0.title = "mine" }
        try context.save()
        let id = task.objectID
        try await store.container.background { context in
            (context.object(with: id) as? Todo)?.title = "theirs"
            try context.save()
        }
        while task.title != "theirs" { await Task.yield() }
        #expect(store.container.viewContext === context)
        try store.checkIntegrity()
    }

    @Test("rows 28, 41: a nested performAndWait runs inline, and its end processes pending changes")
    func reentrancy() throws {
        let store = try TestStore(objectModel)
        let background = store.container.newBackgroundContext()
        let count = try background.performAndWait { context in
            let category = try context.insert("Category")
            let inner = try background.performAndWait { context in
                let task = try context.insert("Task")
                context.delete(task)
                return try context.save().change.inserted.count
            }
            #expect(category.hasChanges == false)
            return inner
        }
        #expect(count == 1)
        let left = background.performAndWait { context -> Int in
            let objects = context.registeredObjects
            objects.forEach(context.delete)
            return context.unprocessedDeletes.count
        }
        #expect(left == background.performAndWait { $0.deletedObjects.count } + left)
        #expect(background.performAndWait { $0.unprocessedDeletes.count } == 0)
    }
}
