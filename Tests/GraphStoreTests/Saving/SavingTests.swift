import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Saving objects") struct SavingTests {
    @Test("row 50: awakeFromInsert runs once, and awakeFromFetch runs when a fault is filled")
    func awaking() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            try context.save()
            try context.refresh(task, mergeChanges: false)
            _ = task.title
            #expect(
                task.calls == [
                    "insert untitled", "willSave", "didSave", "willTurnIntoFault",
                    "didTurnIntoFault", "fetch",
                ])
        }
    }

    @Test("row 50: refreshing a fault calls no hook, and each later read calls awakeFromFetch")
    func refreshingFaults() throws {
        try withObjects { store in
            let writer = store.context()
            writer.insert(Todo.self) { $0.title = "one" }
            try writer.save()
            let context = store.context()
            // The fetch keeps the row, and the object is still a fault.
            let task = try #require(try context.fetch(FetchRequest<Todo>()).first)
            #expect(task.isFault)
            for (number, title) in ["two", "three", "four"].enumerated() {
                try store.foreign().execute(
                    "UPDATE ZTASK SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1")
                task.calls.removeAll()
                try context.refresh(task, mergeChanges: number == 1)
                let turned = number == 0 ? [] : ["willTurnIntoFault", "didTurnIntoFault"]
                #expect(task.isFault && task.calls == turned)
                try context.refresh(task, mergeChanges: false)
                try context.refresh(task, mergeChanges: true)
                try context.refreshAllObjects()
                #expect(task.isFault && task.calls == turned)
                #expect(task.title == title)
                #expect(task.title == title)
                #expect(!task.isFault && task.calls == turned + ["fetch"])
            }
        }
    }

    @Test("inserts fail with `.corrupt` if the primary key counter is at its maximum")
    func keysAtTheirEnd() throws {
        let store = try TestStore("Item: { attributes: { name: String }, unique: [[name]] }")
        let early = store.context()
        _ = try early.insert("Item")
        try store.foreign().execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max)")
        var errors = [storeError { _ = try early.save() }]
        let plan = BulkPlan(entity: "Item", key: ["name"], attributes: ["name"])
        for container in [store.container, try PersistentContainer(model: nil, at: store.path)] {
            errors.append(storeError { _ = try container.load(plan, [["a"]]) })
            errors.append(storeError { _ = try container.newContext().insert("Item") })
            // Requests that insert no object still work.
            let context = container.newContext()
            _ = try context.write(BatchDeleteRequest(entityName: "Item"))
            try context.save()
        }
        #expect(errors.map { $0?.code } == Array(repeating: .corrupt, count: 5))
        #expect(
            Set(errors.compactMap { $0?.message }) == [
                "Item has no free primary keys: its counter in Z_PRIMARYKEY has reached its"
                    + " maximum, 9223372036854775807"
            ])
        try store.expect("SELECT count(*) FROM ZITEM", ["0"])
    }

    @Test("row 51: a save writes the changes of willSave and calls willSave of the changed objects")
    func willSaveChanges() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            let other = Todo(in: context)
            try context.save()
            other.calls.removeAll()
            task.onWillSave = { task in
                if task.number != 7 { task.number = 7 }
                let other = task.managedObjectContext?.registeredObjects
                    .compactMap { $0 as? Todo }.first { $0 !== task }
                if other?.number != 8 { other?.number = 8 }
            }
            task.title = "x"
            try context.save()
            #expect(other.calls == ["willSave", "didSave"])
            try store.expect("SELECT ZNUMBER FROM ZTASK", ["7", "8"])
        }
    }

    @Test("row 51: a save fails and names the object if its willSave never stops changing it")
    func runawayWillSave() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            var count = 0
            task.onWillSave = {
                count += 1
                $0.number = count
            }
            let error = storeError { try context.save() }
            #expect(error?.code == .hook)
            #expect(
                error?.message == "willSave of 'Task' p1 kept changing objects;"
                    + " set a property only where that changes it")
            #expect(count == 100 && context.hasChanges)
        }
    }

    @Test("rows 52, 54: prepareForDeletion runs once, with links, and the save drops the object")
    func deletion() throws {
        try withObjects { store in
            let context = store.context()
            let category = context.insert(Category.self) { $0.name = "c" }
            let task = context.insert(Todo.self) { $0.category = category }
            try context.save()
            task.calls.removeAll()
            context.delete(task)
            context.delete(task)
            #expect(task.calls == ["delete in c"] && task.isDeleted)
            try context.processPendingChanges()
            #expect(category.tasks == [])
            let result = try context.save()
            #expect(result.change.deleted.ids == [task.objectID])
            #expect(result.change.updated.ids == [category.objectID])
            #expect(!task.isDeleted && !task.hasChanges)
            #expect(context.registeredObject(for: task.objectID) == nil)
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 0)
        }
    }

    @Test("row 54: an unsaved insert that is deleted never reaches the store")
    func annihilation() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            task[.integer("number")] = 5000
            context.delete(task)
            let result = try context.save()
            #expect(result.change.isEmpty)
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 0)
        }
    }

    @Test("row 57: nullify clears to-ones of loaded and unloaded objects and deletes join rows")
    func nullify() throws {
        try withObjects { store in
            let context = store.context()
            let category = context.insert(Category.self)
            let tag = context.insert(Tag.self) { $0.name = "t" }
            let tasks = (0..<3).map { _ in
                context.insert(Todo.self) {
                    $0.category = category
                    $0.tags = [tag]
                }
            }
            try context.save()
            let other = store.context()
            let first = try #require(try other.existingObject(with: tasks[0].objectID) as? Todo)
            other.delete(other.object(with: category.objectID))
            other.delete(other.object(with: tag.objectID))
            let change = try other.save().change
            #expect(first.category == nil && first.tags == [])
            #expect(change.updated.ids == tasks.map(\.objectID))
            try store.expect(
                "SELECT ZCATEGORY, Z_OPT FROM ZTASK", ["-|2", "-|2", "-|2"])
            let join = try store.joinTable("tags", of: "Task")
            #expect(try store.integer("SELECT count(*) FROM \(join.table)") == 0)
            first.title = "again"
            try other.save()
        }
    }

    @Test("row 57: a save fails with 1570 if a deletion clears a required to-one")
    func requiredNullified() throws {
        try withStore(
            """
            A:
              relationships: { many: { to: B, many: true, inverse: one } }
            B:
              relationships: { one: { to: A, inverse: many, optional: false } }
            """
        ) { store in
            let context = store.context()
            let one = try context.insert("A")
            for _ in 0..<2 { try context.insert("B")[.toOne("one")] = one }
            try context.save()
            let other = store.context()
            other.delete(other.object(with: one.objectID))
            let error = storeError { try other.save() }
            #expect(
                error?.validationError?.failures.map(\.description) == [
                    "'one' is required [1570, B p1]", "'one' is required [1570, B p2]",
                ])
            #expect(error?.validationError?.code == .multiple)
            #expect(other.hasChanges)
            other.rollback()
            #expect(try store.integer("SELECT count(*) FROM ZA") == 1)
        }
    }

    @Test("row 58: cascades follow every object's rules, handle cycles, and call hooks")
    func cascade() throws {
        try withObjects { store in
            let context = store.context()
            let root = context.insert(Todo.self) { $0.title = "root" }
            let child = context.insert(Todo.self) {
                $0.title = "child"
                $0.parent = root
            }
            let leaf = context.insert(Bug.self) {
                $0.title = "leaf"
                $0.parent = child
            }
            try context.save()
            // A cycle: the root becomes a child of the leaf.
            root.parent = leaf
            try context.save()
            let other = store.context()
            other.delete(other.object(with: root.objectID))
            try other.processPendingChanges()
            #expect(other.deletedObjects.count == 3)
            #expect(other.deletedObjects.allSatisfy { ($0 as? Todo)?.calls.last == "delete in -" })
            let change = try other.save().change
            #expect(change.deleted.count == 3)
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 0)
        }
    }

    @Test("row 59: a deny rule fails the save unless the related objects are deleted, too")
    func deny() throws {
        try withObjects { store in
            let context = store.context()
            let project = try context.insert("Project")
            let task = Todo(in: context)
            project[.toMany("steps")] = [task]
            try context.save()
            #expect(try context.deletability(of: project) == ["steps"])
            context.delete(project)
            let error = storeError { try context.save() }
            #expect(error?.validationError?.code == .deletionDenied)
            #expect(
                error?.message
                    == "'steps' is not empty, and its Deny rule keeps the object [1600, Project p1]"
            )
            #expect(project.isDeleted && context.hasChanges)
            context.delete(task)
            try context.save()
            #expect(try store.integer("SELECT count(*) FROM ZPROJECT") == 0)
        }
    }

    @Test("row 60: the delete rule `no action` leaves dangling keys")
    func noAction() throws {
        try withStore(
            """
            A:
              relationships: { many: { to: B, many: true, inverse: one, delete: no action } }
            B:
              relationships: { one: { to: A, inverse: many } }
            """
        ) { store in
            let context = store.context()
            let one = try context.insert("A")
            let many = try context.insert("B")
            many[.toOne("one")] = one
            try context.save()
            context.delete(one)
            try context.save()
            try store.expect("SELECT ZONE FROM ZB", ["1"])
        }
    }

    @Test("row 61: a save reports all failures, inserted objects before updated objects")
    func aggregation() throws {
        try withObjects { store in
            let context = store.context()
            let old = Todo(in: context)
            try context.save()
            old.title = String(repeating: "x", count: 21)
            old.onValidate = { task, operation, failures in
                failures.add("Not on a \(operation.rawValue)", task, key: "number")
            }
            let new = Todo(in: context)
            new.title = nil
            new.number = -1
            let plan = try context.insert("Plan")
            let error = storeError { try context.save() }
            #expect(error?.code == .validation)
            let failures = try #require(error?.validationError).failures
            #expect(
                failures.map(\.description) == [
                    "'title' is required [1570, Task p2]",
                    "'number' must be from 0 to 1000, and is -1 [1620, Task p2]",
                    "'owner' is required [1570, Plan p1]",
                    "'title' must have from 1 to 20 characters, and has 21 [1660, Task p1]",
                    "Not on a update [1550, Task p1]",
                ])
            #expect(failures[3].value == .text(String(repeating: "x", count: 21)))
            #expect(plan.isInserted && old.isUpdated)
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 1)
        }
    }

    @Test("row 61: failures come in the order of deletions, insertions, and updates")
    func orderOfFailures() throws {
        try withObjects { store in
            let context = store.context()
            let changed = Todo(in: context)
            let deleted = Todo(in: context)
            let project = try context.insert("Project")
            let step = Todo(in: context)
            step[.toOne("project")] = project
            try context.save()
            for task in [changed, deleted] {
                task.onValidate = { task, operation, failures in
                    failures.add("Not on \(operation.rawValue)", task, key: "number")
                }
            }
            // The changes are made in the opposite order.
            changed.title = ""
            let new = Todo(in: context)
            new.number = 1001
            context.delete(deleted)
            context.delete(project)
            let error = storeError { try context.save() }
            #expect(
                try #require(error?.validationError).failures.map(\.description) == [
                    "Not on delete [1550, Task p2]",
                    "'steps' is not empty, and its Deny rule keeps the object [1600, Project p1]",
                    "'number' must be from 0 to 1000, and is 1001 [1610, Task p4]",
                    "'title' must have from 1 to 20 characters, and has 0 [1670, Task p1]",
                    "Not on update [1550, Task p1]",
                ])
            #expect(project.isDeleted && deleted.isDeleted && new.isInserted && changed.isUpdated)
            try store.expect("SELECT count(*) FROM ZTASK", ["3"])
            try store.expect("SELECT count(*) FROM ZPROJECT", ["1"])
        }
    }

    @Test("row 61: a save keeps 1,000 failures and counts all")
    func manyFailures() throws {
        try withObjects { store in
            let context = store.context()
            for _ in 0..<1500 { context.insert(Todo.self) { $0.title = nil } }
            guard
                case .multiple(let failures, let total)? =
                    storeError({ try context.save() })?.validationError
            else {
                Issue.record("no failures")
                return
            }
            #expect(failures.count == 1000 && total == 1500)
        }
    }

    @Test("rows 14, 62: a save checks object rules, patterns, and relationship counts")
    func rules() throws {
        try withStore(
            """
            Team:
              attributes: { low: Integer 16, high: Integer 16, tag: { type: String, pattern: "[a-z]+" } }
              relationships: { members: { to: Person, many: true, inverse: team, count: 2..3 } }
              validate: [{ rule: "low <= high", message: "low is above high" }]
            Person:
              relationships: { team: { to: Team, inverse: members } }
            """
        ) { store in
            let context = store.context()
            let team = try context.insert("Team")
            team[.integer("low")] = 2
            team[.integer("high")] = 1
            team[.string("tag")] = "A1"
            func failures() -> [String] {
                storeError { try context.save() }?.validationError?.failures.map(\.description)
                    ?? []
            }
            #expect(
                failures() == [
                    "'tag' does not match [a-z]+ [1680, Team p1]",
                    "low is above high [1550, Team p1]",
                ])
            team[.integer("high")] = 2
            team[.string("tag")] = "a"
            let people = try (0..<4).map { _ in try context.insert("Person") }
            team.add(people[0], to: .toMany("members"))
            #expect(
                failures() == ["'members' must have 2 objects at least, and has 1 [1580, Team p1]"])
            team[.toMany("members")] = people
            #expect(
                failures() == ["'members' may have 3 objects at most, and has 4 [1590, Team p1]"])
            team[.toMany("members")] = []
            #expect(failures() == [])
        }
    }

    @Test("the save pipeline: one save can move a unique value from one object to another")
    func freedValues() throws {
        try withObjects { store in
            let context = store.context()
            let tasks = (0..<3).map { number in
                context.insert(Todo.self) { $0.code = "c\(number)" }
            }
            try context.save()
            (tasks[0].code, tasks[1].code) = (tasks[1].code, tasks[0].code)
            context.delete(tasks[2])
            context.insert(Todo.self) { $0.code = "c2" }
            try context.save()
            try store.expect("SELECT Z_PK, ZCODE FROM ZTASK ORDER BY 1", ["1|c1", "2|c0", "4|c2"])
        }
    }

    @Test("the save pipeline: a failed save keeps the changes, and succeeds after a correction")
    func failedSave() throws {
        try withObjects { store in
            let context = store.context()
            let task = context.insert(Todo.self) { $0.code = "taken" }
            try context.save()
            let category = Category(in: context)
            task.category = category
            let new = context.insert(Todo.self) { $0.code = "taken" }
            let error = storeError { try context.save() }
            #expect(error?.code == .conflict)
            #expect(error?.mergeError?.code == 133_021)
            #expect(error?.message == "Task p2 has the same code as p1")
            #expect(new.isInserted && task.isUpdated && category.isInserted)
            #expect(task.category === category)
            #expect(try store.integer("SELECT count(*) FROM ZCATEGORY") == 0)
            new.code = "free"
            try context.save()
            try store.expect("SELECT ZCODE, ZCATEGORY FROM ZTASK", ["taken|1", "free|-"])
        }
    }

    @Test("row 106: one save commits objects and a pending batch request in one transaction")
    func objectsWithBatches() throws {
        try withObjects { store in
            let context = store.context()
            let task = Todo(in: context)
            try context.save()
            let log = ChangeLog()
            store.container.observeChanges { log.add($0) }
            let new = Todo(in: context)
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "Task",
                    propertiesToUpdate: ["number": .constant(.integer(5))]))
            try store.expect("SELECT ZNUMBER FROM ZTASK", ["-"])
            let change = try context.save().change
            #expect(change.inserted.ids == [new.objectID])
            #expect(change.updated.ids == [task.objectID])
            #expect(log.all == [change])
            try store.expect("SELECT Z_PK, ZNUMBER FROM ZTASK", ["1|5", "2|-"])
            // If an object save fails, the batch request remains pending.
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "Task",
                    propertiesToUpdate: ["number": .constant(.integer(6))]))
            new.title = nil
            #expect(storeError { try context.save() }?.code == .validation)
            new.title = "x"
            #expect(storeError { try context.save() }?.code == .conflict)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            try store.expect("SELECT ZTITLE, ZNUMBER FROM ZTASK", ["untitled|6", "x|6"])
            context.insert(Todo.self)
            _ = try context.write(BatchDeleteRequest(entityName: "Task"))
            context.rollback()
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == 2)
        }
    }
}

/// The changes in the order of their notifications.
final class ChangeLog: @unchecked Sendable {
    // Tests that use it save on one thread.
    private(set) var all: [StoreChange] = []
    func add(_ change: StoreChange) { all.append(change) }
}
