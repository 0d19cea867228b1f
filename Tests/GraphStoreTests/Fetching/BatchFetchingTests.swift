import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Batched fetching") struct BatchFetchingTests {
    private func withTasks(
        _ count: Int, _ body: (TestStore, ManagedObjectContext) throws -> Void
    ) throws {
        try withObjects { store in
            let context = store.context()
            let home = context.insert(Category.self) { $0.name = "home" }
            let tags = ["x", "y"].map { name in context.insert(Tag.self) { $0.name = name } }
            for number in 0..<count {
                let type: Todo.Type = number % 5 == 4 ? Bug.self : Todo.self
                context.insert(type) {
                    $0.title = "t\(number)"
                    $0.number = number
                    $0.category = number % 2 == 0 ? home : nil
                    $0.tags = [tags[number % 2]]
                }
            }
            try context.save()
            try body(store, store.context())
        }
    }

    private let byNumber = Todo.request.sort("number")

    @Test("row 66: a page reads the batch of the accessed index and keeps two batches")
    func page() throws {
        try withTasks(100) { _, context in
            let page = try context.fetchPage(byNumber.batches(of: 10))
            #expect(page.count == 100 && context.statistics.rowsRead == 0)
            #expect(page[25].number == 25 && context.statistics.rowsRead == 10)
            #expect(page[29].title == "t29" && context.statistics.rowsRead == 10)
            #expect(page[90].number == 90 && context.statistics.rowsRead == 20)
            #expect(page[20].number == 20 && context.statistics.rowsRead == 20)
            #expect(page.reversed().map(\.number) == (0..<100).reversed().map { $0 })
            #expect(context.statistics.faultsFired == 0)
            #expect(context.registeredObjects.count <= 20)
            #expect(page.objectIDs.map { Int($0.primaryKey) } == Array(1...100))
            #expect(page[4].entityName == "Bug" && page[5].entityName == "Task")
        }
    }

    @Test("rows 65, 66: a page includes unsaved changes and does not change afterwards")
    func pageOverChanges() throws {
        try withTasks(10) { _, context in
            context.delete(try #require(try task("t3", in: context)))
            context.insert(Todo.self) {
                $0.title = "new"
                $0.number = 2
            }
            let page = try context.fetchPage(byNumber.limit(4).offset(1).batches(of: 2))
            #expect(page.map { $0.title ?? "-" } == ["t1", "t2", "new", "t4"])
            context.delete(page[0])
            #expect(page.count == 4 && page[0].isDeleted)
        }
    }

    @Test("rows 30, 66: pages and batches in a child context include the parent's changes")
    func children() throws {
        try withTasks(40) { _, context in
            let changed = try #require(try task("t7", in: context))
            changed.title = "parent's"
            let child = context.makeChild()
            let before = child.statistics.rowsRead
            let page = try child.fetchPage(byNumber.batches(of: 10))
            #expect(page[7].title == "parent's" && page[8].title == "t8")
            #expect(child.statistics.rowsRead - before == 10)
            let tasks = try child.fetch(byNumber.batches(of: 10))
            let fired = child.statistics.faultsFired
            #expect(tasks[35].title == "t35" && tasks[31].title == "t31")
            #expect(child.statistics.faultsFired == fired)
            // A context does not see its child's changes before the child saves.
            page[0].title = "child's"
            #expect(try context.fetchPage(byNumber)[0].title == "t0")
        }
    }

    @Test("row 66: accessing one object of a batch reads its batch and no other")
    func batches() throws {
        try withTasks(10) { _, context in
            let tasks = try context.fetch(byNumber.batches(of: 4))
            #expect(context.statistics.rowsRead == 4)
            #expect(tasks.filter { $0.presence == .fault }.count == 6)
            #expect(tasks[5].title == "t5" && context.statistics.rowsRead == 8)
            #expect(tasks[7].title == "t7" && tasks[7].calls == ["fetch"])
            #expect(tasks[6].calls == [] && context.statistics.rowsRead == 8)
            #expect(context.statistics.faultsFired == 0)
        }
    }

    @Test("rows 37, 66: a reset invalidates the objects of a page")
    func resetPage() throws {
        try withTasks(3) { _, context in
            let page = try context.fetchPage(byNumber)
            #expect(page[0].title == "t0")
            context.reset()
            #expect(
                storeError { _ = try page[0].value(forKey: "title") }?.code == .invalidated)
            #expect(page.count == 3)
        }
    }

    @Test("row 67: a fetch returns faults, faults with cached rows, or realized objects")
    func materialize() throws {
        try withTasks(3) { _, context in
            let bare = try context.fetch(byNumber.materialize(.ids))
            #expect(bare.allSatisfy { $0.presence == .fault })
            #expect(context.statistics.rowsRead == 0)
            let faults = try context.fetch(byNumber)
            #expect(faults.allSatisfy { $0.presence == .cached && $0.calls.isEmpty })
            let rows = try context.fetch(byNumber.materialize(.rows))
            #expect(rows.allSatisfy { $0.presence == .realized && $0.calls == ["fetch"] })
            var request = byNumber
            request.includesPropertyValues = false
            #expect(request.materialize == .ids)
            request.returnsObjectsAsFaults = false
            #expect(request.materialize == .rows && request.includesPropertyValues)
            request.returnsObjectsAsFaults = true
            #expect(request.materialize == .faults)
        }
    }

    @Test("row 68: parent and child contexts prefetch key paths of several relationships")
    func prefetching() throws {
        try withTasks(700) { store, context in
            context.insert(Todo.self)
            for context in [store.context(), context.makeChild()] {
                let tasks = try context.fetch(
                    byNumber.prefetch("tags.tasks", "category"))
                let before = context.statistics
                for task in tasks {
                    #expect(task.tags.allSatisfy { $0.tasks.count == 350 } || task.isInserted)
                    let home: String? = (task.number ?? 1) % 2 == 0 ? "home" : nil
                    #expect(task.category?.name == home)
                }
                #expect(context.statistics.listsFired == before.listsFired)
                #expect(context.statistics.faultsFired == before.faultsFired)
            }
            let wrong = byNumber.prefetch("title")
            #expect(storeError { _ = try context.fetch(wrong) }?.code == .invalidRequest)
        }
    }

    @Test("row 69: a partial fetch reads the selected values; other values read the complete row")
    func partialRows() throws {
        try withTasks(4) { store, context in
            let tasks = try context.fetch(byNumber.select("title", "category"))
            let first = tasks[0]
            #expect(tasks.allSatisfy { $0.presence == .fault && $0.isFault })
            #expect(first.title == "t0" && first.category?.name == "home")
            #expect(tasks[1].category == nil)
            #expect(first.presence == .fault && first.calls.isEmpty)
            // Another value needs the row.
            #expect(first.number == 0 && first.presence == .realized && first.calls == ["fetch"])
            // A change reads the row first, so the other values are kept.
            tasks[1].title = "changed"
            #expect(tasks[1].number == 1)
            #expect(!tasks[2].hasChanges)
            let change = try context.save().change
            #expect(change.updated.ids == [tasks[1].objectID])
            try store.expect(
                "SELECT ZTITLE, ZNUMBER FROM ZTASK ORDER BY ZNUMBER",
                ["t0|0", "changed|1", "t2|2", "t3|3"])
            // A refresh drops the values that were read.
            try store.foreign().execute("UPDATE ZTASK SET ZTITLE = 'theirs' WHERE ZNUMBER = 2")
            #expect(tasks[2].title == "t2")
            try context.refresh(tasks[2], mergeChanges: false)
            #expect(tasks[2].title == "theirs")
        }
    }

    @Test(
        "row 69: a fetch of objects rejects columns other than stored attributes and to-ones",
        arguments: [
            "tags", "category.name", "draft", "nothing", "objectID", .count(),
            ExpressionDescription(name: "twice", expression: GraphKey("number") * 2),
        ])
    func badProperties(column: ExpressionDescription) throws {
        try withTasks(1) { _, context in
            let error = storeError { _ = try context.fetch(byNumber.select(column)) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("row 70: objects cannot be grouped")
    func groupedObjects() throws {
        try withTasks(1) { _, context in
            let request = byNumber.group(by: "category")
            #expect(storeError { _ = try context.fetch(request) }?.code == .invalidRequest)
        }
    }

    @Test("row 71: count(for:) equals the number of fetched objects and reads no rows")
    func counting() throws {
        try withTasks(400) { _, context in
            let low = byNumber.where(GraphKey("number") < 100)
            #expect(try context.count(for: low) == 100)
            for task in try context.fetch(byNumber.limit(300)) { task.number = 500 }
            context.delete(try #require(try task("t399", in: context)))
            for number in [7, 8, 900] {
                context.insert(Todo.self) { $0.number = number }
            }
            let before = context.statistics
            #expect(try context.count(for: low) == 2)
            #expect(try context.count(for: byNumber) == 402)
            #expect(try context.count(for: byNumber.limit(10).offset(400)) == 2)
            #expect(try context.count(for: byNumber.limit(10)) == 10)
            #expect(try context.count(for: byNumber.offset(1000)) == 0)
            #expect(context.statistics.rowsRead == before.rowsRead)
            let requests = [
                low, byNumber, byNumber.limit(10).offset(400), byNumber.limit(.max).offset(1),
            ]
            for request in requests {
                #expect(try context.fetch(request).count == context.count(for: request))
            }
        }
    }

    @Test("row 72: fetchIDs returns IDs in the requested order and includes pending changes")
    func sortedIDs() throws {
        try withTasks(6) { _, context in
            try #require(try task("t0", in: context)).number = 10
            let new = context.insert(Todo.self) { $0.number = 3 }
            let ids = try context.fetchIDs(byNumber.sort("title", ascending: false))
            #expect(ids.map(\.primaryKey) == [2, 3, new.objectID.primaryKey, 4, 5, 6, 1])
            var saved = byNumber.sort("title")
            saved.includesPendingChanges = false
            #expect(try context.fetchIDs(saved).map(\.primaryKey) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("row 76: builder methods narrow a copy of a request")
    func builder() throws {
        try withTasks(10) { _, context in
            let low = try Todo.request.where("number < %d", 6)
            let lowest = low.where(GraphKey("title") != "t0")
                .sort(Todo.Keys.number, ascending: false).limit(2).offset(1)
            #expect(try context.fetch(lowest).map { $0.title ?? "-" } == ["t4", "t3"])
            #expect(try context.fetch(low).count == 6)
            let bound = try Bug.request.where("number > $least").bind("least", to: .integer(5))
            let bugs: [Bug] = try context.fetch(bound)
            #expect(bugs.map(\.number) == [9])
            #expect(throws: GraphPredicateError.self) { try Todo.request.where("number <") }
        }
    }
}
