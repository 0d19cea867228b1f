import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Two processes allocate the same primary key, or an allocated key is never written.
@Suite("Primary keys that another process takes") struct TakenKeyTests {
    /// Runs a test with a context and a second one of another process on the same store.
    private func withRivals(
        _ body: (TestStore, ManagedObjectContext, ManagedObjectContext) throws -> Void
    ) throws {
        try withObjects { store in
            let context = store.context()
            try body(store, context, try rival(store))
        }
    }

    private func rival(_ store: TestStore) throws -> ManagedObjectContext {
        let container = try PersistentContainer(model: nil, at: store.path)
        container.register(Todo.self, Bug.self, Category.self, Tag.self)
        return container.newContext()
    }

    @Test("a save fails and changes nothing if a damaged counter leaves no keys to the history")
    func historyAtItsEnd() throws {
        let store = try TestStore(
            model("A: { attributes: { x: String } }"), history: HistoryOptions())
        try store.foreign().execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_NAME = 'CHANGE'")
        let context = store.container.newContext()
        _ = try context.insert("A")
        let error = storeError { try context.save() }
        #expect(error?.code == .corrupt)
        #expect(
            error?.message == "The history has no free primary keys: its counter in Z_PRIMARYKEY"
                + " has reached its maximum, \(Int64.max)")
        try store.expect("SELECT count(*) FROM ZA", ["0"])
    }

    @Test("row 33: after the save, fetches and links find the other process's row by the lost key")
    func afterTheSave() throws {
        try withRivals { store, context, theirs in
            let mine = context.insert(Category.self) { $0.name = "mine" }
            let made = theirs.insert(Category.self) { $0.name = "theirs" }
            theirs.insert(Todo.self) {
                $0.title = "t"
                $0.category = made
            }
            #expect(made.objectID == mine.objectID)
            try theirs.save()
            try context.save()
            let found = try context.fetch(FetchRequest<Category>().sort("name"))
            #expect(found.map(\.name) == ["mine", "theirs"])
            #expect(try task("t", in: context)?.category?.name == "theirs")
            #expect(found.last?.tasks.map(\.title) == ["t"])
            #expect((context.object(with: made.objectID) as? Category)?.name == "theirs")
            if let last = found.last { context.delete(last) }
            try context.save()
            try store.expect("SELECT ZNAME FROM ZCATEGORY", ["mine"])
        }
    }

    @Test("row 33: a fetched row keeps its key, and the new object with this key gets another")
    func beforeTheSave() throws {
        try withRivals { store, context, theirs in
            let shared = Category(in: context)
            try context.save()
            _ = shared.name
            let mine = context.insert(Todo.self) {
                $0.title = "mine"
                $0.category = shared
            }
            let other = context.insert(Todo.self) { $0.parent = mine }
            let sharedThere = try #require(try theirs.fetch(FetchRequest<Category>()).first)
            let made = theirs.insert(Todo.self) {
                $0.title = "theirs"
                $0.category = sharedThere
            }
            #expect(made.objectID == mine.objectID)
            try theirs.save()
            let titles = try context.fetch(FetchRequest<Todo>().sort("title")).map(\.title)
            #expect(titles == ["mine", "theirs", "untitled"])
            #expect(try context.count(for: FetchRequest<Todo>()) == 3)
            #expect(other.parent === mine)
            try context.refresh(shared, mergeChanges: true)
            #expect(Set(shared.tasks.map(\.title)) == ["mine", "theirs"])
            try context.save()
            try store.expect(
                "SELECT t.ZTITLE, p.ZTITLE FROM ZTASK t LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT"
                    + " ORDER BY 1", ["mine|-", "theirs|-", "untitled|mine"])
        }
    }

    @Test("row 33: a new object does not get the key of a row that was read before")
    func afterReading() throws {
        try withRivals { store, context, theirs in
            let made = theirs.insert(Category.self) { $0.name = "theirs" }
            theirs.insert(Todo.self) {
                $0.title = "t"
                $0.category = made
            }
            try theirs.save()
            // Only the link has registered its category.
            let found = try #require(try task("t", in: context))
            #expect(found.title == "t")
            let mine = context.insert(Category.self) { $0.name = "mine" }
            #expect(mine.objectID != made.objectID && found.category?.name == "theirs")
            try context.save()
            try store.expect("SELECT Z_PK, ZNAME FROM ZCATEGORY", ["1|theirs", "2|mine"])
        }
    }

    @Test("row 33: links to the other process's row do not resolve to the new object with its key")
    func linksToTheirs() throws {
        try withRivals { store, context, theirs in
            let saved = context.insert(Todo.self) { $0.title = "saved" }
            try context.save()
            let mine = context.insert(Category.self) { $0.name = "mine" }
            let tag = context.insert(Tag.self) { $0.name = "my tag" }
            let there = try #require(try task("saved", in: theirs))
            there.category = theirs.insert(Category.self) { $0.name = "theirs" }
            there.tags = [theirs.insert(Tag.self) { $0.name = "their tag" }]
            try theirs.save()
            try context.refresh(saved, mergeChanges: false)
            #expect(saved.category?.name == "theirs")
            #expect(saved.tags.map(\.name) == ["their tag"])
            #expect(mine.tasks.isEmpty && tag.tasks.isEmpty)
            try context.save()
            try store.expect("SELECT ZNAME FROM ZCATEGORY ORDER BY 1", ["mine", "theirs"])
        }
    }

    @Test("row 33: merging another process's insert gives the new object with its key another key")
    func merged() throws {
        try withRivals { _, context, theirs in
            let mine = context.insert(Category.self) { $0.name = "mine" }
            let made = theirs.insert(Category.self) { $0.name = "theirs" }
            try context.merge(try theirs.save().change)
            #expect(mine.objectID != made.objectID && mine.isInserted)
            #expect((context.object(with: made.objectID) as? Category)?.name == "theirs")
        }
    }

    @Test("row 33: a child context's copy of an object adopts the object's new key")
    func children() throws {
        try withRivals { store, context, theirs in
            let saved = context.insert(Todo.self) { $0.title = "t" }
            try context.save()
            let mine = context.insert(Category.self) { $0.name = "mine" }
            saved.category = mine
            let child = context.makeChild()
            let held = try #require(child.object(with: mine.objectID) as? Category)
            let task = try #require(child.object(with: saved.objectID) as? Todo)
            #expect(held.name == "mine" && task.category === held && held.tasks == [task])
            theirs.insert(Category.self) { $0.name = "theirs" }
            try theirs.save()
            try context.save()
            #expect(held.objectID == mine.objectID)
            #expect(task.category === held && held.tasks == [task])
            held.name = "changed"
            try child.save()
            try context.save()
            try store.expect("SELECT ZNAME FROM ZCATEGORY ORDER BY 1", ["changed", "theirs"])
        }
    }

    @Test("row 33: a child's new object gets another key if the parent fetches a row with its key")
    func childsOwn() throws {
        try withRivals { store, context, theirs in
            let child = context.makeChild()
            let mine = child.insert(Category.self) { $0.name = "mine" }
            let made = theirs.insert(Category.self) { $0.name = "theirs" }
            try theirs.save()
            let found = try context.fetch(FetchRequest<Category>())
            #expect(found.map(\.name) == ["theirs"] && mine.objectID != made.objectID)
            try child.save()
            #expect(found.map(\.name) == ["theirs"])
            try context.save()
            try store.expect("SELECT ZNAME FROM ZCATEGORY ORDER BY 1", ["mine", "theirs"])
        }
    }

    @Test("row 33: undo restores a link to an object that has a new key")
    func undone() throws {
        try withRivals { store, context, theirs in
            context.isUndoEnabled = true
            let first = context.insert(Todo.self) { $0.title = "t" }
            try context.save()
            let mine = context.insert(Category.self) { $0.name = "mine" }
            first.category = mine
            try context.processPendingChanges()
            first.category = nil
            try context.processPendingChanges()
            theirs.insert(Category.self) { $0.name = "theirs" }
            try theirs.save()
            try context.save()
            try context.undo()
            #expect(first.category === mine && mine.tasks == [first])
            try context.save()
            try store.expect(
                "SELECT ZNAME FROM ZCATEGORY WHERE Z_PK = (SELECT ZCATEGORY FROM ZTASK)", ["mine"])
        }
    }

    @Test("row 33: all contexts of a container save if another process took their keys")
    func severalContexts() throws {
        try withRivals { store, context, theirs in
            let second = store.context()
            context.insert(Category.self) { $0.name = "one" }
            second.insert(Category.self) { $0.name = "two" }
            for name in ["a", "b"] { theirs.insert(Category.self) { $0.name = name } }
            try theirs.save()
            try context.save()
            try second.save()
            try store.expect(
                "SELECT ZNAME FROM ZCATEGORY ORDER BY 1", ["a", "b", "one", "two"])
        }
    }

    @Test("row 33: another process can reuse the key of an object that was merged into a row")
    func united() throws {
        try withRivals { store, context, theirs in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let saved = context.insert(Tag.self) { $0.name = "same" }
            try context.save()
            let new = context.insert(Tag.self) { $0.name = "same" }
            let old = new.objectID
            let child = context.makeChild()
            let held = try #require(child.object(with: old) as? Tag)
            #expect(held.name == "same")
            try context.save()
            #expect(context.object(with: old) === saved)
            #expect(held.objectID == saved.objectID && child.object(with: old) === held)
            let made = theirs.insert(Tag.self) { $0.name = "theirs" }
            theirs.insert(Todo.self) { $0.tags = [made] }
            try theirs.save()
            #expect(made.objectID == old)
            #expect(try context.fetch(FetchRequest<Todo>()).first?.tags.map(\.name) == ["theirs"])
            let names = try context.fetch(FetchRequest<Tag>().sort("name")).map(\.name)
            #expect(names == ["same", "theirs"])
            #expect((context.object(with: old) as? Tag)?.name == "theirs")
            #expect((store.context().object(with: old) as? Tag)?.name == "theirs")
        }
    }

    @Test("row 33: the old ID of a merged object resolves to the row that has this key now")
    func oldIDs() throws {
        try withRivals { _, context, theirs in
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.insert(Tag.self) { $0.name = "same" }
            try context.save()
            let old = context.insert(Tag.self) { $0.name = "same" }.objectID
            try context.save()
            theirs.insert(Tag.self) { $0.name = "theirs" }
            try theirs.save()
            #expect((context.object(with: old) as? Tag)?.name == "theirs")
        }
    }

    @Test("row 33: a failed unit of work does not restore the lost key of an object")
    func failedUnit() throws {
        struct Stop: Error {}
        try withRivals { store, context, theirs in
            let mine = context.insert(Category.self) { $0.name = "mine" }
            let task = context.insert(Todo.self) { $0.category = mine }
            theirs.insert(Category.self) { $0.name = "theirs" }
            try theirs.save()
            #expect(throws: Stop.self) {
                try context.unitOfWork { context in
                    #expect(try context.count(for: FetchRequest<Category>()) == 2)
                    let found = try context.fetch(FetchRequest<Category>().sort("name"))
                    #expect(found.map(\.name) == ["mine", "theirs"])
                    throw Stop()
                }
            }
            #expect(task.category === mine && mine.objectID.primaryKey == 2)
            try context.save()
            try store.expect("SELECT ZNAME FROM ZCATEGORY ORDER BY 1", ["mine", "theirs"])
        }
    }

    @Test("row 33: a page still returns its new objects after the save changes their keys")
    func pages() throws {
        try withRivals { _, context, theirs in
            context.insert(Category.self) { $0.name = "mine" }
            let page = try context.fetchPage(FetchRequest<Category>())
            theirs.insert(Category.self) { $0.name = "theirs" }
            try theirs.save()
            try context.save()
            #expect(page.map(\.name) == ["mine"])
        }
    }

    @Test("row 34: reserved keys and the URIs of unsaved objects stay valid after the save")
    func permanentIDs() throws {
        try withRivals { store, context, theirs in
            let mine = context.insert(Category.self) { $0.name = "mine" }
            let made = theirs.insert(Category.self) { $0.name = "theirs" }
            try context.obtainPermanentIDs(for: [mine])
            let uri = try #require(store.container.uri(for: mine.objectID))
            try theirs.save()
            #expect(mine.objectID.primaryKey == 1 && made.objectID.primaryKey == 2)
            #expect(mine.isInserted)
            try store.expect("SELECT ZNAME FROM ZCATEGORY", ["theirs"])
            let child = context.makeChild()
            let small = child.insert(Category.self) { $0.name = "small" }
            try child.obtainPermanentIDs(for: [small])
            try child.save()
            try context.save()
            try store.expect(
                "SELECT Z_PK, ZNAME FROM ZCATEGORY", ["1|mine", "2|theirs", "3|small"])
            let id = try #require(store.container.managedObjectID(forURI: uri))
            #expect(try store.context().existingObject(Category.self, with: id).name == "mine")
        }
    }

    @Test("a child can undo a deletion that it has saved into its parent")
    func undoneDeletionOfAChild() throws {
        try withObjects { store in
            let parent = store.context()
            let task = parent.insert(Todo.self) { $0.title = "t" }
            try parent.save()
            let child = parent.makeChild()
            child.isUndoEnabled = true
            child.delete(child.object(with: task.objectID))
            try child.save()
            try child.undo()
            try child.save()
            try parent.save()
            try store.expect("SELECT Z_PK, ZTITLE FROM ZTASK", ["1|t"])
        }
    }
}
