import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Batch request features that Core Data lacks: relationships, rules, results, and notifications.
@Suite("Batch requests") struct BatchRequestRowTests {
    /// Creates three tasks: 1 and 2 are in project 1, 3 is in none; 2 is a subtask of 1.
    private func withTasks(
        _ body: (TestStore, ManagedObjectContext) throws -> Void
    ) throws {
        try withObjects { store in
            let context = store.context()
            let first = try context.insert("Project")
            _ = try context.insert("Project")
            let tasks = (1...3).map { number in
                context.insert(Todo.self) {
                    $0.title = "task \(number)"
                    $0.number = number
                }
            }
            first[.toMany("steps")] = Array(tasks.prefix(2))
            tasks[1].parent = tasks[0]
            try context.save()
            try body(store, context)
        }
    }

    private func update(
        _ predicate: String, _ property: String, _ value: GraphValue
    ) throws -> BatchUpdateRequest {
        BatchUpdateRequest(
            entityName: "Task", predicate: try GraphPredicate(format: predicate),
            propertiesToUpdate: [property: .constant(value)])
    }

    private let steps =
        "SELECT ZNUMBER, ZPROJECT, Z_FOK_PROJECT NOT NULL FROM ZTASK ORDER BY Z_FOK_PROJECT, Z_PK"

    @Test("row 107: an update sets a to-one of all matches and appends them to the ordered inverse")
    func toOne() throws {
        try withTasks { store, context in
            let project = try #require(container(store, "Project", 2))
            let reader = store.context()
            reader.automaticallyMergesChangesFromParent = true
            let seen = reader.object(with: project)
            #expect(try seen.objectIDs(for: "steps").isEmpty)
            var request = try update("number IN {1, 3}", "project", .object(project))
            request.resultType = .objectIDs
            let result = try context.write(request)
            try context.save()
            #expect((result.matched, result.updated) == (2, 2))
            #expect(result.objectIDs?.ids.map(\.primaryKey) == [1, 3])
            try store.expect(steps, ["1|2|1", "2|1|1", "3|2|1"])
            try reader.processPendingChanges()
            #expect(try seen.objectIDs(for: "steps").map(\.primaryKey) == [1, 3])
            // The links exist already, so nothing changes.
            #expect(try context.write(request).updated == 0)
            _ = try context.write(try update("number == 3", "project", .null))
            try context.save()
            try store.expect("SELECT ZPROJECT, Z_FOK_PROJECT FROM ZTASK WHERE ZNUMBER = 3", ["-|-"])
        }
    }

    @Test("row 107: newly linked objects follow the existing ones in an ordered inverse")
    func toOneBehindOthers() throws {
        try withTasks { store, context in
            let project = try #require(container(store, "Project", 1))
            for number in 4...6 {
                context.insert(Todo.self) {
                    $0.title = "task \(number)"
                    $0.number = number
                }
            }
            try context.save()
            let places =
                "SELECT ZNUMBER, Z_FOK_PROJECT - (SELECT max(Z_FOK_PROJECT) FROM ZTASK"
                + " WHERE ZNUMBER < 3) FROM ZTASK WHERE ZPROJECT = 1 AND ZNUMBER > 2 ORDER BY 1"
            try store.expect(places, [])
            let request = BatchUpdateRequest(
                entityName: "Task", predicate: try GraphPredicate(format: "number != 4"),
                propertiesToUpdate: [
                    "project": .constant(.object(project)),
                    "title": try GraphExpression(format: "'x'"),
                ])
            let result = try context.write(request)
            try context.save()
            #expect((result.matched, result.updated) == (5, 5))
            // The first two also change and keep their positions; the others are ordered by key.
            try store.expect(places, ["3|3072", "5|4096", "6|5120"])
        }
    }

    private func container(
        _ store: TestStore, _ entity: String, _ key: Int64
    ) -> ManagedObjectID? {
        store.container.managedObjectID(
            forURI: "x-coredata://\(store.container.storeUUID)/\(entity)/p\(key)")
    }

    @Test("row 107: an update fails and changes nothing if a to-one cannot hold the value")
    func wrongToOne() throws {
        try withTasks { store, context in
            let project = try #require(container(store, "Project", 1))
            let nowhere = try #require(container(store, "Project", 99))
            for (property, value) in [
                ("project", GraphValue.integer(1)), ("project", .object(nowhere)),
                ("category", .object(project)), ("plan", .null),
            ] {
                let request = try update("number > 0", property, value)
                #expect(
                    storeError { _ = try context.write(request) }?.code == .invalidRequest,
                    "\(property) = \(value)")
            }
            #expect(!context.hasChanges)
        }
    }

    @Test(
        "row 108: a delete applies or ignores the delete rules, and always deletes join rows",
        arguments: [BatchDeleteRules.enforce, .ignore])
    func rules(_ rules: BatchDeleteRules) throws {
        try withTasks { store, context in
            let tag = context.insert(Tag.self) { $0.name = "t" }
            try task("task 1", in: context)?.tags = [tag]
            try context.save()
            var request = BatchDeleteRequest(
                entityName: "Task", predicate: try GraphPredicate(format: "number == 1"))
            request.rules = rules
            request.resultType = .objectIDs
            let result = try context.write(request)
            let join = try store.joinTable("tags", of: "Task")
            // The cascade also deletes its subtask.
            let gone = rules == .enforce ? [Int64(1), 2] : [1]
            #expect(result.objectIDs?.ids.map(\.primaryKey) == gone)
            #expect(result.cascaded == (rules == .enforce ? ["Task": 1] : [:]))
            let change = try context.save().change
            #expect(change.deleted.ids.map(\.primaryKey) == gone)
            try store.expect("SELECT count(*) FROM \(join.table)", ["0"])
            try store.expect(
                "SELECT ZNUMBER, ZPARENT FROM ZTASK ORDER BY 1",
                rules == .enforce ? ["3|-"] : ["2|1", "3|-"])
            var projects = BatchDeleteRequest(entityName: "Project")
            projects.rules = rules
            // If the rules were ignored, task 2 is still a step of the first project.
            let denied = try context.write(projects)
            #expect((denied.denied, denied.deleted) == (0, 2))
            context.rollback()
            try task("task 3", in: context)?.setValue(
                .object(try context.insert("Project")), forKey: "project")
            try context.save()
            let kept = try context.write(projects)
            #expect((kept.denied, kept.deleted) == (rules == .enforce ? (1, 2) : (0, 3)))
            context.rollback()
        }
    }

    @Test("row 107: an update with the rules `.ignore` skips the model's validation rules")
    func updateRules() throws {
        try withTasks { store, context in
            var request = try update("number == 1", "number", .integer(5000))
            #expect(storeError { _ = try context.execute(request) }?.code == .validation)
            request.rules = .ignore
            #expect(try context.execute(request).updated == 1)
            try store.expect("SELECT ZNUMBER FROM ZTASK ORDER BY Z_PK", ["5000", "2", "3"])
            for (property, value) in [("title", GraphValue.null), ("number", .integer(70_000))] {
                var wrong = try update("number == 2", property, value)
                wrong.rules = .ignore
                #expect(storeError { _ = try context.execute(wrong) } != nil, "\(property)")
            }
            try store.expect(
                "SELECT ZNUMBER, ZTITLE FROM ZTASK ORDER BY Z_PK",
                ["5000|task 1", "2|task 2", "3|task 3"])
        }
    }

    @Test("rows 40, 107: a pinned context keeps its snapshot after its own batch request")
    func pinned() throws {
        try withTasks { _, context in
            let task = try #require(try task("task 1", in: context))
            try context.pinQueryGeneration()
            _ = try context.execute(try update("number == 1", "number", .integer(7)))
            let numbers = FetchRequest<Todo>().sort("number")
            #expect(context.isPinned && task.number == 1)
            #expect(try context.fetch(numbers).map(\.number) == [1, 2, 3])
            try context.unpinQueryGeneration()
            try context.refreshAllObjects()
            #expect(task.number == 7)
            #expect(try context.fetch(numbers).map(\.number) == [2, 3, 7])
        }
    }

    @Test("rows 9, 108: saving a batch delete deletes the files of large values")
    func files() throws {
        let words = """
            Paper:
              attributes:
                name: String
                scan: { type: Binary, external: true }
            """
        try withStore(words) { store in
            let context = store.context()
            for name in ["a", "b"] {
                let paper = try context.insert("Paper")
                paper[.string("name")] = name
                paper[.binary("scan")] = [UInt8](repeating: 7, count: 200_000)
            }
            try context.save()
            #expect(try store.container.externalFiles.names().count == 2)
            let request = BatchDeleteRequest(
                entityName: "Paper", predicate: try GraphPredicate(format: "name == 'a'"))
            _ = try context.write(request)
            context.rollback()
            #expect(try store.container.externalFiles.names().count == 2)
            _ = try context.write(request)
            try context.save()
            #expect(try store.container.externalFiles.names().count == 1)
            #expect(try store.container.sweepExternalFiles() == 0)
        }
    }

    @Test(
        "rows 109, 110: a save reports each request's change, and contexts merge it automatically")
    func news() throws {
        try withTasks { store, context in
            let reader = store.context()
            reader.automaticallyMergesChangesFromParent = true
            let task = try #require(try task("task 3", in: reader))
            #expect(task.number == 3)
            _ = try context.write(try update("number == 3", "number", .integer(30)))
            let insert = BatchInsertRequest(
                entityName: "Task", objects: [["title": "new", "number": 4]])
            _ = try context.write(insert)
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: "number == 2")))
            let change = try context.save().change
            // Project 1 and task 1, which were linked to the deleted task, and task 3.
            #expect(change.updated.ids.map(\.primaryKey) == [1, 1, 3])
            #expect(change.inserted.ids.map(\.primaryKey) == [4])
            #expect(change.deleted.ids.map(\.primaryKey) == [2])
            try reader.processPendingChanges()
            #expect(task.number == 30)
        }
    }

    // MARK: Inserting

    private let titles = "SELECT ZTITLE, ZNUMBER, ZISDONE FROM ZTASK ORDER BY Z_PK"

    @Test(
        "row 106: an insert streams rows from a handler, fills defaults, and rejects only bad rows")
    func streaming() throws {
        try withObjects { store in
            let context = store.context()
            var number = 0
            var request = BatchInsertRequest(
                entityName: "Task", properties: ["title", "number"]
            ) { row in
                guard number < 2500 else { return true }
                number += 1
                row["title"] = .value(.text("row \(number)"))
                // One value is out of the model's range, and one has the wrong type.
                row["number"] =
                    number == 7
                    ? 5000 : number == 9 ? "nine" : .value(.integer(Int64(number % 1000)))
                return false
            }
            request.resultType = .objectIDs
            let result = try context.write(request)
            #expect((result.inserted, result.updated, result.rejected) == (2498, 0, 2))
            #expect(result.rejects.map(\.row) == [7, 9])
            #expect(result.rejects.map(\.property) == ["number", "number"])
            #expect(result.objectIDs?.count == 2498)
            try store.expect("SELECT count(*) FROM ZTASK", ["0"])
            try context.save()
            try store.expect("SELECT count(*), count(ZISDONE) FROM ZTASK", ["2498|2498"])
            try store.container.buildPendingIndexes()
        }
    }

    @Test("row 106: the policy decides whether a row with an existing key updates its object")
    func upsert() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Todo.self) {
                $0.title = "old"
                $0.code = "A"
                $0.number = 5
                $0.isDone = true
            }
            try context.save()
            let objects: [[String: BatchValue]] = [
                ["code": "A", "title": "new"], ["code": "B", "title": "other", "number": 1],
            ]
            var request = BatchInsertRequest(entityName: "Task", objects: objects)
            request.key = ["code"]
            request.policy = .storeTrump
            var result = try context.write(request)
            #expect((result.inserted, result.updated, result.unchanged) == (1, 0, 1))
            request = BatchInsertRequest(entityName: "Task", objects: objects)
            request.key = ["code"]
            request.policy = .objectTrump
            result = try context.write(request)
            #expect((result.inserted, result.updated, result.unchanged) == (0, 1, 1))
            request = BatchInsertRequest(entityName: "Task", objects: objects)
            request.key = ["code"]
            result = try context.write(request)
            #expect((result.inserted, result.rejected) == (0, 2))
            try context.save()
            try store.expect(titles, ["new|5|1", "other|1|0"])
        }
    }

    @Test("a request for objects writes all rows each time it is executed")
    func repeatedRequest() throws {
        try withObjects { store in
            let context = store.context()
            let objects: [[String: BatchValue]] = [
                ["code": "A", "title": "a"], ["code": "B", "title": "b"],
            ]
            var request = BatchInsertRequest(entityName: "Task", objects: objects)
            request.key = ["code"]
            request.policy = .objectTrump
            let first = try context.execute(request)
            let second = try context.execute(request)
            #expect((first.inserted, second.unchanged) == (2, 2))
        }
    }

    @Test("a request for an empty list of objects inserts nothing, with and without a key")
    func emptyRequest() throws {
        try withObjects { store in
            let context = store.context()
            var request = BatchInsertRequest(entityName: "Task", objects: [])
            let withoutKey = try context.execute(request)
            request.key = ["code"]
            request.policy = .objectTrump
            let withKey = try context.execute(request)
            #expect([withoutKey, withKey] == [BatchInsertResult(), BatchInsertResult()])
        }
    }

    @Test("a key that is not one of the properties of the rows fails")
    func unknownKey() throws {
        try withObjects { store in
            let context = store.context()
            var request = BatchInsertRequest(entityName: "Task", objects: [["title": "a"]])
            request.key = ["cod"]
            let error = storeError { _ = try context.execute(request) }
            #expect(error?.message == "The key 'cod' is not one of the properties of the rows")
        }
    }

    @Test("row 106: rows set relationships by the keys of the destination objects")
    func links() throws {
        try withObjects { store in
            let context = store.context()
            for name in ["x", "y"] { context.insert(Tag.self) { $0.name = name } }
            try context.save()
            var request = BatchInsertRequest(
                entityName: "Task",
                objects: [
                    ["title": "a", "tags": ["x", "y"]], ["title": "b", "tags": ["new"]],
                    ["title": "c", "tags": ["y", "nobody"]],
                ])
            request.links = ["tags": .init(by: "name", missing: .create)]
            #expect(try context.write(request).inserted == 3)
            try context.save()
            let join = try store.joinTable("tags", of: "Task")
            try store.expect(
                "SELECT t.ZTITLE, g.ZNAME FROM \(join.table) j JOIN ZTASK t ON t.Z_PK ="
                    + " j.\(join.ownerColumn) JOIN ZTAG g ON g.Z_PK = j.\(join.destinationColumn)"
                    + " ORDER BY 1, 2", ["a|x", "a|y", "b|new", "c|nobody", "c|y"])
            request.links = ["tags": .init(by: "name")]
            request.replaceObjects([["title": "d", "tags": ["none"]]])
            let result = try context.write(request)
            #expect(result.rejects.map(\.property) == ["tags"])
            context.rollback()
        }
    }

    @Test("with `.null`, a row omits a to-many link if no object has the key")
    func missingInToMany() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Tag.self) { $0.name = "x" }
            try context.save()
            var request = BatchInsertRequest(
                entityName: "Task",
                objects: [
                    ["title": "a", "tags": ["x", "none"]], ["title": "b", "tags": ["none"]],
                ])
            request.links = ["tags": .init(by: "name", missing: .null)]
            let result = try context.write(request)
            #expect((result.inserted, result.unchanged, result.rejected) == (2, 0, 0))
            try context.save()
            let join = try store.joinTable("tags", of: "Task")
            try store.expect(
                "SELECT t.ZTITLE, j.\(join.destinationColumn) FROM ZTASK t LEFT JOIN"
                    + " \(join.table) j ON t.Z_PK = j.\(join.ownerColumn) ORDER BY 1, 2",
                ["a|1", "b|-"])
        }
    }

    @Test("rows set relationships by the primary keys of the destination objects")
    func linksByNumber() throws {
        try withObjects { store in
            let context = store.context()
            let tags = ["x", "y", "z"].map { name in context.insert(Tag.self) { $0.name = name } }
            let project = try context.insert("Project")
            try context.save()
            let numbers = tags.map { StoredValue.integer($0.objectID.primaryKey) }
            var request = BatchInsertRequest(
                entityName: "Task",
                objects: [
                    [
                        "title": "a", "tags": .keys([numbers[2], numbers[0]]),
                        "project": .value(.integer(project.objectID.primaryKey)),
                    ],
                    ["title": "b", "tags": .keys([numbers[1]]), "project": nil],
                    ["title": "c", "project": 99], ["title": "d", "project": "p1"],
                ])
            request.links = [
                "tags": .init(by: "objectID"), "project": .init(by: "#objectID"),
            ]
            let result = try context.write(request)
            #expect(result.inserted == 2)
            #expect(
                result.rejects.map { "\($0.row) \($0.code) \($0.property ?? ""): \($0.message)" }
                    == [
                        "3 link project: No Project has objectID 99",
                        "4 kind project: 'Task.objectID' (Integer 64) cannot hold the text 'p1'",
                    ])
            try context.save()
            let join = try store.joinTable("tags", of: "Task")
            try store.expect(
                "SELECT t.ZTITLE, g.ZNAME, t.ZPROJECT FROM \(join.table) j JOIN ZTASK t ON t.Z_PK ="
                    + " j.\(join.ownerColumn) JOIN ZTAG g ON g.Z_PK = j.\(join.destinationColumn)"
                    + " ORDER BY 1, 2", ["a|x|1", "a|z|1", "b|y|-"])
            request.links["project"] = .init(by: "objectID", missing: .create)
            #expect(throws: StoreError.self) { try context.write(request) }
        }
    }
}
