import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

private let tasks = """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: { type: String, optional: false, length: 1..5 }
        code: { type: String, pattern: "[A-Z]+" }
        priority: { type: Integer 16, range: "..9" }
        count: Integer 64
        price: Decimal
        done: Boolean
        due: Date
      relationships:
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, inverse: parent }
      unique: [[id], [code]]
    """
private let ranked = "Item: { attributes: { rank: Integer 32, done: Boolean }, unique: [[rank]] }"
private let plan = BulkPlan(
    entity: "Task", key: ["id"],
    attributes: ["id", "title", "code", "priority", "count", "price", "done", "due"],
    links: [.init(relationship: "parent", destination: "Task", attribute: "id")])

@Suite("Batch update") struct BatchUpdateTests {
    private func withTasks(_ body: (TestStore) throws -> Void) throws {
        try withStore(tasks) { store in
            try store.container.load(
                plan,
                [
                    [1, "a", "A", 1, 10, 5.0, 0, .real(0), nil],
                    [2, "b", "B", 2, .integer(.max), 2.5, 1, .real(100), 1],
                    [3, "c", nil, nil, nil, nil, nil, nil, 2],
                ])
            try body(store)
        }
    }

    private func request(
        _ predicate: String?, _ set: [String: String], variables: [String: GraphValue] = [:],
        limit: ObjectLimit? = nil
    ) throws -> BatchUpdateRequest {
        BatchUpdateRequest(
            entityName: "Task", predicate: try predicate.map { try GraphPredicate(format: $0) },
            propertiesToUpdate: try set.mapValues { try GraphExpression(format: $0) },
            variables: variables, limit: limit)
    }

    /// Returns a request that sets `done` of items and returns the IDs of the objects it updated.
    private func itemRequest(_ predicate: String, done: String) throws -> BatchUpdateRequest {
        var request = BatchUpdateRequest(
            entityName: "Item", predicate: try GraphPredicate(format: predicate),
            propertiesToUpdate: ["done": try GraphExpression(format: done)])
        request.resultType = .objectIDs
        return request
    }

    /// Gives the item of rank 4 a key that makes the table count as large: row numbers are
    /// estimated from keys.
    private func makeLarge(_ store: TestStore) throws {
        try store.foreign().execute(
            """
            UPDATE ZITEM SET Z_PK = \(ConcurrentCount.rowsMin) WHERE ZRANK = 4;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(ConcurrentCount.rowsMin);
            """)
    }

    private func run(_ store: TestStore, _ request: BatchUpdateRequest) throws -> (
        BatchUpdateResult, StoreChange
    ) {
        let context = store.container.newContext()
        let result = try context.write(request)
        return (result, try context.save().change)
    }

    private func keys(_ set: ManagedObjectIDSet) -> [Int64] { set.ids.map(\.primaryKey) }

    /// The index returns the rows in no key order, and of more than one entity.
    @Test func reportsObjectsOfSeveralEntitiesFoundByAnIndex() throws {
        let family = """
            Item:
              attributes: { rank: Integer 32, done: Boolean }
              unique: [[rank]]
            Special: { parent: Item }
            """
        try withStore(family) { store in
            let ranks: [TestValue] = [5, 1, 9, 3, 7]
            for (place, rank) in ranks.enumerated() {
                let entity = place % 2 == 0 ? "Item" : "Special"
                try store.container.load(
                    BulkPlan(entity: entity, key: ["rank"], attributes: ["rank"]), [[rank]])
            }
            let (result, change) = try run(store, itemRequest("rank > 2", done: "YES"))
            #expect(result.matched == 4)
            #expect(result.updated == 4)
            #expect(result.objectIDs == change.updated)
            #expect(change.updated.ranges == [1: [1...1, 3...3, 5...5], 2: [4...4]])
            try store.expect(
                "SELECT Z_PK, ZDONE, Z_OPT FROM ZITEM",
                ["1|1|2", "2|-|1", "3|1|2", "4|1|2", "5|1|2"])
        }
    }

    /// The rows come from an index on one entity's table, and a trigger updates other rows of the
    /// table, which must not be reported.
    @Test(arguments: [false, true])
    func reportsOnlyTheRowsThatTheRequestUpdates(hasTrigger: Bool) throws {
        try withStore(ranked) { store in
            try store.container.load(
                BulkPlan(entity: "Item", key: ["rank"], attributes: ["rank"]),
                [[5], [1], [9], [3], [7]])
            if hasTrigger {
                try store.foreign().execute(
                    """
                    CREATE TRIGGER OTHERS AFTER UPDATE OF ZDONE ON ZITEM
                    BEGIN UPDATE ZITEM SET ZDONE = 0 WHERE ZRANK < 3; END
                    """)
            }
            let (result, _) = try run(store, itemRequest("rank > 4", done: "YES"))
            #expect(result.matched == 3)
            #expect(result.updated == 3)
            #expect(result.objectIDs?.ranges == [1: [1...1, 3...3, 5...5]])
            try store.expect(
                "SELECT Z_PK, ZDONE, Z_OPT FROM ZITEM",
                ["1|1|2", hasTrigger ? "2|0|1" : "2|-|1", "3|1|2", "4|-|1", "5|1|2"])
        }
    }

    /// A large table is counted on another thread during the update.
    ///
    /// The count sees the state before the request, including earlier changes of the transaction.
    @Test func countsRowsThatMatchedBeforeTheUpdate() throws {
        try withStore(ranked) { store in
            try store.container.load(
                BulkPlan(entity: "Item", key: ["rank"], attributes: ["rank", "done"]),
                [[1, 0], [2, 0], [3, 1], [4, 0]])
            try makeLarge(store)
            let context = store.container.newContext()
            let large = Int64(ConcurrentCount.rowsMin)
            let first = try context.write(itemRequest("done == NO AND rank != 2", done: "YES"))
            #expect(first.matched == 2)
            #expect(first.updated == 2)
            #expect(first.objectIDs?.ranges == [1: [1...1, large...large]])
            let second = try context.write(itemRequest("done == YES", done: "NO"))
            #expect(second.matched == 3)
            #expect(second.updated == 3)
            try context.save()
            let third = try context.write(itemRequest("rank < 3 OR rank == 4", done: "NO"))
            #expect(third.matched == 3)
            #expect(third.updated == 0)
            try store.expect("SELECT ZRANK, ZDONE FROM ZITEM", ["1|0", "2|0", "3|0", "4|0"])
        }
    }

    /// SQLite plans this count again when it starts, which needs its connection.
    @Test func countsMatchesWithAPartialIndex() throws {
        let partial = """
            Item:
              attributes: { rank: Integer 32, done: Boolean, open: Boolean }
              unique: [[rank]]
              indexes: { byOpen: { properties: [rank], where: open == YES } }
            """
        try withStore(partial) { store in
            try store.container.load(
                BulkPlan(entity: "Item", key: ["rank"], attributes: ["rank", "open"]),
                [[1, 1], [2, 1], [3, 0], [4, 1]])
            try makeLarge(store)
            let (result, _) = try run(
                store, itemRequest("open == YES AND rank > 1", done: "YES"))
            #expect(result.matched == 2)
            #expect(result.updated == 2)
        }
    }

    @Test func updatesOnlyObjectsThatMatchThePredicate() throws {
        try withTasks { store in
            let (result, change) = try run(
                store, request("priority < 5", ["title": "'x'", "done": "YES"]))
            #expect(result == BatchUpdateResult(matched: 2, updated: 2))
            #expect(keys(change.updated) == [1, 2])
            #expect(change.inserted.isEmpty && change.deleted.isEmpty)
            try store.expect(
                "SELECT ZID, ZTITLE, ZDONE, Z_OPT FROM ZTASK", ["1|x|1|2", "2|x|1|2", "3|c|-|1"])
        }
    }

    @Test func skipsObjectsThatAlreadyHaveTheValues() throws {
        try withTasks { store in
            let (result, change) = try run(store, request(nil, ["done": "YES", "title": "title"]))
            #expect(result == BatchUpdateResult(matched: 3, updated: 2))
            #expect(keys(change.updated) == [1, 3])
            try store.expect("SELECT ZID, ZDONE, Z_OPT FROM ZTASK", ["1|1|2", "2|1|1", "3|1|2"])
            let (again, nothing) = try run(store, request(nil, ["done": "YES"]))
            #expect(again == BatchUpdateResult(matched: 3, updated: 0))
            #expect(nothing == StoreChange())
        }
    }

    @Test func computesValuesFromAttributesOfTheObject() throws {
        try withTasks { store in
            let (result, _) = try run(
                store,
                request(
                    nil, ["priority": "priority + 1", "price": "price / 2", "count": "priority"]))
            #expect(result == BatchUpdateResult(matched: 3, updated: 2))
            try store.expect(
                "SELECT ZID, ZPRIORITY, ZPRICE, ZCOUNT FROM ZTASK",
                ["1|2|2.5|1", "2|3|1.25|2", "3|-|-|-"])
        }
    }

    @Test func computesValuesFromRelatedObjectsBeforeTheUpdate() throws {
        try withTasks { store in
            _ = try run(store, request("parent != nil", ["title": "parent.title"]))
            try store.expect("SELECT ZID, ZTITLE FROM ZTASK", ["1|a", "2|a", "3|b"])
        }
    }

    @Test func takesVariablesAndNull() throws {
        try withTasks { store in
            let (result, _) = try run(
                store,
                request(
                    "due < $limit", ["due": "nil", "code": "$code"],
                    variables: [
                        "limit": .date(secondsSinceReference: 50), "code": .string("X"),
                    ]))
            #expect(result == BatchUpdateResult(matched: 1, updated: 1))
            try store.expect("SELECT ZDUE, ZCODE FROM ZTASK WHERE ZID = 1", ["-|X"])
        }
    }

    @Test(
        "changes nothing if a result breaks a validation rule",
        arguments: [
            (["title": "nil"], StoreError.Code.validation), (["title": "'toolong'"], .validation),
            (["title": "''"], .validation), (["code": "'abc'"], .validation),
            (["priority": "priority + 8"], .validation), (["priority": "-40000"], .validation),
            (["count": "count + 1"], .validation), (["code": "'A'"], .unique),
        ] as [([String: String], StoreError.Code)])
    func doesNothingWhereAResultBreaksARule(set: [String: String], code: StoreError.Code) throws {
        try withTasks { store in
            let before = try store.lines("SELECT * FROM ZTASK")
            let context = store.container.newContext()
            let request = try request("id == 2", set.merging(["done": "NO"]) { $1 })
            let error = storeError { _ = try context.write(request) }
            #expect(error?.code == code)
            #expect(!context.hasChanges)
            let change = try context.save().change
            #expect(change == StoreChange())
            try store.expect("SELECT * FROM ZTASK", before)
        }
    }

    @Test func failedRequestKeepsEarlierChangesOfTheContext() throws {
        try withTasks { store in
            let context = store.container.newContext()
            _ = try context.write(request("id == 1", ["title": "'x'"]))
            let bad = try request(nil, ["title": "nil"])
            #expect(storeError { _ = try context.write(bad) }?.code == .validation)
            #expect(context.hasChanges)
            let change = try context.save().change
            #expect(keys(change.updated) == [1])
            try store.expect("SELECT ZTITLE, Z_OPT FROM ZTASK", ["x|2", "b|1", "c|1"])
        }
    }

    @Test(
        "fails and changes nothing above its limit",
        arguments: [
            (ObjectLimit.count(1), false), (.count(2), true), (.percent(66), false),
            (.percent(67), true),
        ])
    func holdsToItsLimit(limit: ObjectLimit, isAllowed: Bool) throws {
        try withTasks { store in
            let context = store.container.newContext()
            let request = try request("id < 3", ["title": "'x'"], limit: limit)
            let error = storeError { _ = try context.write(request) }
            #expect(error?.code == (isAllowed ? nil : .tooMany))
            #expect(context.hasChanges == isAllowed)
            try context.save()
            try store.expect(
                "SELECT count(*) FROM ZTASK WHERE ZTITLE = 'x'", [isAllowed ? "2" : "0"])
        }
    }

    @Test(arguments: [
        ["nothing": "1"], ["priority": "'x'"], ["title": "priority"], ["parent": "id"],
    ])
    func failsIfAnUpdateDoesNotFitTheModel(set: [String: String]) throws {
        try withTasks { store in
            let context = store.container.newContext()
            let request = try request(nil, set)
            #expect(throws: (any Error).self) { try context.write(request) }
            #expect(!context.hasChanges)
        }
    }
}
