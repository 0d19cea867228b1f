import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// The order in which a save applies deletions, and the rules that prevent them.
@Suite("Order of deletions") struct DeletionOrderTests {
    @Test("row 58: a cascade that meets a Deny rule deletes nothing")
    func cascadeMeetsDeny() throws {
        try withStore(
            """
            A: { relationships: { bs: { to: B, many: true, inverse: a, delete: cascade } } }
            B: { relationships: { a: { to: A, inverse: bs }, cs: { to: C, many: true, inverse: b, delete: deny } } }
            C: { relationships: { b: { to: B, inverse: cs } } }
            """
        ) { store in
            let context = store.context()
            let (a, b, c) = (
                try context.insert("A"), try context.insert("B"), try context.insert("C")
            )
            b[.toOne("a")] = a
            c[.toOne("b")] = b
            try context.save()
            context.delete(a)
            #expect(
                storeError { try context.save() }?.validationError?.failures.map(\.code)
                    == [.deletionDenied])
            try store.expect("SELECT (SELECT count(*) FROM ZA), (SELECT count(*) FROM ZB)", ["1|1"])
            context.delete(c)
            try context.save()
            try store.expect("SELECT count(*) FROM ZB", ["0"])
        }
    }

    @Test("row 56: a deletion inside willSave cascades in the same save")
    func deletionInsideWillSave() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            let child = context.insert(Todo.self) { $0.parent = task }
            context.insert(Todo.self) { $0.parent = child }
            try context.save()
            task.onWillSave = {
                if let child = $0.subtasks.first, !child.isDeleted {
                    $0.managedObjectContext?.delete(child)
                }
            }
            task.title = "changed"
            try context.save()
            try store.expect("SELECT ZTITLE FROM ZTASK", ["changed"])
            #expect(task.subtasks == [] && !context.hasChanges)
        }
    }

    @Test("row 56: a deletion inside willSave is denied in the same save")
    func deniedInsideWillSave() throws {
        try withObjects { store in
            let context = store.context()
            let project = try context.insert("Project")
            let task = Todo(in: context)
            project[.toMany("steps")] = [task]
            try context.save()
            task.onWillSave = {
                guard let context = $0.managedObjectContext else { return }
                for object in context.registeredObjects where object.entityName == "Project" {
                    context.delete(object)
                }
            }
            task.title = "changed"
            #expect(
                storeError { try context.save() }?.validationError?.failures.map(\.code)
                    == [.deletionDenied])
            try store.expect(
                "SELECT (SELECT count(*) FROM ZPROJECT), ZTITLE FROM ZTASK", ["1|untitled"])
        }
    }

    @Test("row 56: validation of a deleted object sees its links, but linked objects omit it")
    func validatedWithLinks() throws {
        try withObjects { store in
            let context = store.context()
            let category = Category(in: context)
            let task = context.insert(Todo.self) { $0.category = category }
            try context.save()
            var seen: [String] = []
            task.onValidate = { task, operation, _ in
                seen.append("\(operation) \(task.category === category) \(category.tasks.count)")
            }
            context.delete(task)
            try context.save()
            #expect(seen == ["delete true 0"])
        }
    }

    @Test("row 50: an object that a batch request inserted calls only awakeFromFetch")
    func batchRows() throws {
        try withObjects { store in
            let context = store.context()
            _ = try context.execute(
                BatchInsertRequest(entityName: "Task", objects: [["title": "x"]]))
            let found = try context.fetch(FetchRequest<Todo>().materialize(.rows))
            #expect(found.map(\.calls) == [["fetch"]])
        }
    }

    // MARK: Saves that write nothing

    @Test("row 36: a save without changes succeeds while another connection has the write lock")
    func cleanSave() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            try context.save()
            let foreign = try store.foreign()
            try foreign.execute("BEGIN IMMEDIATE")
            #expect(try context.save().change.isEmpty)
            task.title = task.title
            #expect(try context.save().change.isEmpty)
            try foreign.execute("ROLLBACK")
        }
    }

    @Test("row 48: changedValues and committedValues read no relationship")
    func changesWithoutReading() throws {
        try withObjects { store in
            let first = store.context()
            let tag = first.insert(Tag.self) { $0.name = "t" }
            let made = first.insert(Todo.self) { $0.tags = [tag] }
            let category = Category(in: first)
            try first.save()
            let context = store.context()
            let task = try context.existingObject(Todo.self, with: made.objectID)
            task.category = try context.existingObject(Category.self, with: category.objectID)
            #expect(Set(task.changedValues.keys) == ["category"])
            let committed = try task.committedValues()
            #expect(committed["title"] != nil && committed["category"] != nil)
            #expect(committed["tags"] == nil && context.statistics.listsFired == 0)
            _ = task.tags
            #expect(try task.committedValues()["tags"]?.objects?.count == 1)
        }
    }

    @Test("row 47: overriding value(forKey:) adds a key for a computed property")
    func overriddenValues() throws {
        let store = try TestStore("Item: { attributes: { name: String } }")
        store.container.register(Initialed.self)
        let context = store.context()
        let item: ManagedObject = try context.insert("Item")
        try item.setValue("milk", forKey: "name")
        #expect(try item.value(forKey: "initial").value() == "m")
        #expect(try item.value(forKey: "name").value() == "milk")
        #expect(storeError { _ = try item.value(forKey: "size") }?.code == .unknownKey)
    }

    @Test("row 16: an object is identified by its ID")
    func identity() throws {
        try withObjects { store in
            func identity<Value: Identifiable>(_ value: Value) -> Value.ID { value.id }
            let task = Todo(in: store.context())
            #expect(identity(task) == task.objectID)
        }
    }
}

private final class Initialed: ManagedObject {
    override class var entityName: String { "Item" }

    override func value(forKey key: String) throws(StoreError) -> PropertyValue {
        guard key == "initial" else { return try super.value(forKey: key) }
        return PropertyValue(self[.string("name")].map { String($0.prefix(1)) })
    }
}
