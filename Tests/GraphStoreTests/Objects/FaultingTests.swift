import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Faults") struct FaultingTests {
    private func makeTasks(_ count: Int, in store: TestStore) throws -> [ManagedObjectID] {
        let context = store.context()
        let category = Category(in: context)
        category.name = "c"
        let tasks = (0..<count).map { number in
            context.insert(Todo.self) {
                $0.title = "t\(number)"
                $0.category = category
            }
        }
        try context.save()
        return tasks.map(\.objectID)
    }

    @Test("row 32: existingObject reads the row; object(with:) and registeredObject read nothing")
    func threeWays() throws {
        try withObjects { store in
            let id = try makeTasks(1, in: store)[0]
            let context = store.context()
            #expect(context.registeredObject(for: id) == nil)
            let task = context.object(with: id)
            #expect(task.isFault && context.statistics == ContextStatistics())
            #expect(context.registeredObject(for: id) === task)
            #expect(try context.existingObject(with: id) === task)
            #expect(!task.isFault && context.statistics.faultsFired == 1)
            let missing = ManagedObjectID(entityNumber: id.entityNumber, primaryKey: 99)
            #expect(context.object(with: missing).isFault)
            #expect(
                storeError { _ = try context.existingObject(with: missing) }?.code == .inaccessible)
            #expect(context[Ref<Todo>(id: id)] === task)
        }
    }

    @Test("row 49: a to-many has its own fault, and reading its IDs creates no objects")
    func toManyFaults() throws {
        try withObjects { store in
            let ids = try makeTasks(3, in: store)
            let context = store.context()
            let task = try #require(try context.existingObject(with: ids[0]) as? Todo)
            #expect(task.calls == ["fetch"])
            let category = try #require(task.category)
            #expect(category.isFault && category.hasFault(for: "tasks"))
            #expect(try category.objectIDs(for: "tasks") == ids)
            #expect(!category.hasFault(for: "tasks"))
            #expect(context.registeredObject(for: ids[1]) == nil)
            #expect(category.tasks.map(\.title) == ["t0", "t1", "t2"])
            #expect(context.statistics.listsFired == 1)
        }
    }

    @Test("row 49: fault(_:) reads the rows of many objects before they are accessed")
    func batchFaulting() throws {
        try withObjects { store in
            let ids = try makeTasks(1200, in: store)
            let context = store.context()
            let objects = try context.fault(ids)
            #expect(objects.allSatisfy { $0.presence == .cached })
            #expect(context.statistics.rowsRead == 1200)
            #expect(objects.compactMap { ($0 as? Todo)?.title } == (0..<1200).map { "t\($0)" })
            #expect(context.statistics.faultsFired == 0)
        }
    }

    @Test("row 125: the statistics count faults that fire one after another")
    func singleFaults() throws {
        try withObjects { store in
            let ids = try makeTasks(150, in: store)
            let context = store.context()
            let objects = ids.map { context.object(with: $0) as? Todo }
            for object in objects { #expect(object?.title != nil) }
            #expect(context.statistics.singleFaultRuns == ["Task": 150])
        }
    }

    @Test("row 125: the statistics count to-manys that are read one after another")
    func singleLists() throws {
        try withObjects { store in
            let ids = try makeTasks(150, in: store)
            let context = store.context()
            let objects = try context.fault(ids)
            for object in objects.prefix(99) { _ = try object.objectIDs(for: "subtasks") }
            #expect(context.statistics.singleListRuns == [:])
            for object in objects { _ = try object.objectIDs(for: "subtasks") }
            #expect(context.statistics.listsFired == 150)
            #expect(context.statistics.singleListRuns == ["Task.subtasks": 150])
        }
    }

    @Test("row 125: the statistics count saves by their duration")
    func savesByDuration() throws {
        try withObjects { store in
            let context = store.context()
            for number in 0..<3 {
                context.insert(Todo.self) { $0.title = "t\(number)" }
                try context.save()
            }
            try context.save()
            #expect(context.statistics.saves == 3)
            #expect(context.statistics.savesByDuration.reduce(0, +) == 3)
        }
        var statistics = ContextStatistics()
        for microseconds in [0, 999, 1_000, 1_999, 2_000, 3_999, 4_000, 70_000] {
            statistics.noteSave(.microseconds(microseconds))
        }
        #expect(statistics.savesByDuration == [2, 2, 2, 1, 0, 0, 0, 1])
    }

    @Test(
        "row 35: a context holds clean objects weakly and changed objects strongly until the save"
    )
    func uniquing() throws {
        try withObjects { store in
            let id = try makeTasks(1, in: store)[0]
            let context = store.context()
            weak var weakTask: ManagedObject?
            do {
                let task = try context.existingObject(with: id)
                #expect(context.object(with: id) === task)
                weakTask = task
            }
            #expect(weakTask == nil)
            do {
                let task = context.object(with: id) as? Todo
                task?.title = "changed"
                weakTask = task
            }
            #expect(weakTask != nil)
            try context.save()
            #expect(weakTask == nil)
            context.retainsRegisteredObjects = true
            weakTask = context.object(with: id)
            #expect(weakTask != nil)
            context.reset()
            #expect(weakTask == nil)
        }
    }

    @Test("row 37: a reset invalidates every object of the context")
    func reset() throws {
        try withObjects { store in
            let id = try makeTasks(1, in: store)[0]
            let context = store.context()
            let task = try #require(try context.existingObject(with: id) as? Todo)
            context.reset()
            #expect(task.managedObjectContext == nil)
            #expect(storeError { try task.setValue("x", forKey: "title") }?.code == .invalidated)
            let again = try context.existingObject(with: id)
            #expect(again !== task)
            #expect(!context.hasChanges)
        }
    }

    @Test("row 37: after a reset, accessors return no values, and the next save reports their use")
    func resetObjectsGiveNothing() throws {
        try withObjects { store in
            let id = try makeTasks(1, in: store)[0]
            let context = store.context()
            let task = try #require(try context.existingObject(with: id) as? Todo)
            let tags = task.tags
            task.title = "changed"
            let new = context.insert(Todo.self) { $0.tags = tags }
            context.delete(try #require(task.category))
            context.reset()
            #expect(!task.hasChanges && !new.isInserted && task.changedKeys == [])
            for object in [task, new] {
                for key in ["title", "number", "category", "tags", "project"] {
                    #expect(storeError { _ = try object.value(forKey: key) }?.code == .invalidated)
                    #expect(
                        storeError { _ = try object.committedValues(forKeys: [key]) }?.code
                            == (object === task ? .invalidated : nil))
                }
                #expect(storeError { _ = try object.objectIDs(for: "tags") }?.code == .invalidated)
                #expect(
                    storeError { try object.setPrimitiveValue(.text("x"), forKey: "title") }?.code
                        == .invalidated)
            }
            try context.save()
            let uses: [(Todo) -> Void] = [
                { #expect($0.title == nil) }, { #expect($0.tags == []) },
                { #expect($0.category == nil) }, { $0.number = 5 }, { $0.category = nil },
                { $0.tags = [] },
            ]
            for (object, use) in uses.flatMap({ use in [(task, use), (new, use)] }) {
                use(object)
                let error = storeError { try context.save() }
                #expect(error?.code == .invalidated)
                #expect(
                    error?.message == "An object of 'Task' was used after its context was reset")
                try context.save()
            }
            try store.expect("SELECT ZTITLE FROM ZTASK", ["t0"])
        }
    }

    @Test("row 37: objects outlive their context with the values in memory but cannot change")
    func objectsOutliveTheirContext() throws {
        try withObjects { store in
            let id = try makeTasks(1, in: store)[0]
            let task = try #require(try store.context().existingObject(with: id) as? Todo)
            #expect(task.managedObjectContext == nil && task.title == "t0")
            #expect(storeError { try task.setValue("x", forKey: "title") }?.code == .invalidated)
            #expect(storeError { _ = try task.value(forKey: "tags") }?.code == .invalidated)
        }
    }

    @Test("row 38: a rollback restores changed and deleted objects and unregisters inserted ones")
    func rollback() throws {
        try withObjects { store in
            let ids = try makeTasks(2, in: store)
            let context = store.context()
            let tasks = try context.fault(ids).compactMap { $0 as? Todo }
            let category = tasks[0].category
            tasks[0].title = "x"
            tasks[0].category = nil
            context.delete(tasks[1])
            let new = Todo(in: context)
            new.category = category
            #expect(category?.tasks == [new])
            context.rollback()
            #expect(tasks[0].title == "t0" && tasks[0].category === category)
            #expect(category?.tasks == tasks)
            #expect(!tasks[1].isDeleted && !context.hasChanges)
            #expect(context.registeredObject(for: new.objectID) == nil)
        }
    }

    @Test("rows 39, 53: refresh discards the changes or merges them with the new row")
    func refresh() throws {
        try withObjects { store in
            let ids = try makeTasks(2, in: store)
            let context = store.context()
            let tasks = try context.fault(ids).compactMap { $0 as? Todo }
            tasks[0].title = "mine"
            tasks[1].title = "mine"
            try store.foreign().execute(
                "UPDATE ZTASK SET ZTITLE = 'theirs', ZNUMBER = 5, Z_OPT = Z_OPT + 1")
            try context.refresh(tasks[0], mergeChanges: false)
            #expect(tasks[0].isFault && !tasks[0].hasChanges)
            #expect(tasks[0].title == "theirs")
            #expect(
                tasks[0].calls == ["fetch", "willTurnIntoFault", "didTurnIntoFault", "fetch"])
            try context.refreshAllObjects()
            #expect(tasks[1].title == "mine" && tasks[1].number == 5)
            try context.save()
            try store.expect(
                "SELECT ZTITLE, ZNUMBER, Z_OPT FROM ZTASK", ["theirs|5|2", "mine|5|3"])
        }
    }

    @Test("row 39: refresh(ids:) reloads many objects and merges or discards their changes")
    func refreshMany() throws {
        try withObjects { store in
            let context = store.context()
            let tasks = (0..<3).map { n in context.insert(Todo.self) { $0.title = "t\(n)" } }
            try context.save()
            tasks[0].number = 7
            tasks[1].number = 8
            try store.foreign().execute("UPDATE ZTASK SET ZTITLE = 'new', Z_OPT = Z_OPT + 1")
            try context.refresh(ids: tasks.map(\.objectID))
            #expect(tasks[2].isFault)
            #expect(tasks.map(\.title) == ["new", "new", "new"])
            #expect(tasks.map(\.number) == [7, 8, nil])
            try context.refresh(ids: [tasks[0].objectID], mergeChanges: false)
            #expect(tasks[0].number == nil && tasks[1].number == 8)
            try context.save()
            try store.expect("SELECT ZTITLE, ZNUMBER FROM ZTASK", ["new|-", "new|8", "new|-"])
        }
    }

    @Test("row 44: firing the fault of a deleted row is an error, or by policy deletes the object")
    func inaccessible() throws {
        try withObjects { store in
            let id = try makeTasks(1, in: store)[0]
            let context = store.context()
            let task = try #require(context.object(with: id) as? Todo)
            try store.foreign().execute("DELETE FROM ZTASK")
            #expect(task.title == nil)
            let error = storeError { try context.save() }
            #expect(error?.code == .inaccessible)
            #expect(error?.message == "The row of 'Task' p1 no longer exists (133000)")
            context.faultPolicy = .treatAsDeleted
            #expect(task.title == nil && task.isDeleted)
            try context.save()
        }
    }

    @Test("row 68: a fetch prefetches relationships along key paths")
    func prefetching() throws {
        try withObjects { store in
            let context = store.context()
            let tags = (0..<5).map { number in
                context.insert(Tag.self) { $0.name = "tag\(number)" }
            }
            for number in 0..<50 {
                context.insert(Todo.self) {
                    $0.tags = [tags[number % 5], tags[(number + 1) % 5]]
                }
            }
            try context.save()
            let other = store.context()
            var request = FetchRequest<Todo>()
            request.relationshipKeyPathsForPrefetching = ["tags.tasks"]
            let tasks = try other.fetch(request)
            #expect(
                tasks.map { $0.tags.map { $0.tasks.count } }
                    == Array(repeating: [20, 20], count: 50))
            #expect(tasks.allSatisfy { $0.tags.allSatisfy { $0.name != nil } })
            #expect(other.statistics.faultsFired == 0 && other.statistics.listsFired == 0)
        }
    }
}
