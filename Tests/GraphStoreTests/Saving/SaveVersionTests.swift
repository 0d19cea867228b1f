import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// Objects that several records, requests, or objects change in one save.
@Suite("A save gives each object one new version") struct SaveVersionTests {
    private static let entities = """
        List:
          attributes: { name: String, a: Integer 64, b: Integer 64 }
          relationships: { tasks: { to: Task, many: true, inverse: list } }
          unique: [[name]]
        Order:
          attributes: { name: String, a: Integer 64 }
          relationships: { lines: { to: Line, many: true, inverse: order } }
          unique: [[name]]
        Line:
          attributes: { name: String, a: Integer 64, b: Integer 64, code: String }
          relationships: { order: { to: Order, inverse: lines } }
          unique: [[name], [code]]
        Task:
          attributes: { name: String, a: Integer 64, b: Integer 64 }
          relationships: { list: { to: List, inverse: tasks } }
          unique: [[name]]
        """

    @Test("raising a missing or the largest version gives 1")
    func raising() throws {
        let connection = try Connection(path: "", mode: .create)
        try connection.execute(
            "CREATE TABLE T (Z_OPT INTEGER); INSERT INTO T VALUES (NULL), (1), (\(Int64.max));"
                + " UPDATE T SET \(RowVersion.raise)")
        #expect(try connection.texts("SELECT Z_OPT FROM T ORDER BY rowid") == ["1", "2", "1"])
    }

    /// A way to change objects several times in one save.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// `kind Entity name properties version` of each change of the save.
        var lines: [String]
        var run: @Sendable (TestStore) throws -> Void

        init(
            _ name: String, _ lines: [String], _ run: @escaping @Sendable (TestStore) throws -> Void
        ) {
            testDescription = name
            self.lines = lines
            self.run = run
        }
    }

    private static let tasks = BulkPlan(
        entity: "Task", key: ["name"], attributes: ["name", "a", "b"],
        links: [.init(relationship: "list", destination: "List", attribute: "name")])
    private static let orders: BulkPlan = {
        var lines = BulkPlan.Link(relationship: "lines", destination: "Line", attribute: "name")
        lines.nested = BulkPlan(
            entity: "Line", key: ["name"], attributes: ["name", "a", "b", "code"])
        lines.many = .add
        return BulkPlan(entity: "Order", key: ["name"], attributes: ["name", "a"], links: [lines])
    }()

    private static func update(
        _ entity: String, _ name: String, _ value: Int64, where format: String = "name == 't'"
    ) throws -> BatchUpdateRequest {
        BatchUpdateRequest(
            entityName: entity, predicate: try GraphPredicate(format: format),
            propertiesToUpdate: [name: .constant(.integer(value))])
    }

    private static func insert(_ name: String, b: Int64) -> BatchInsertRequest {
        var isDone = false
        var request = BatchInsertRequest(entityName: "Task", properties: ["name", "b"]) { row in
            defer { isDone = true }
            guard !isDone else { return true }
            row["name"] = .value(.text(name))
            row["b"] = .value(.integer(b))
            return false
        }
        request.key = ["name"]
        request.policy = .objectTrump
        return request
    }

    private static func object(
        _ entity: String, _ name: String, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try GraphPredicate(format: "name == '\(name)'")
        return try #require(try context.fetch(request).first)
    }

    private static let ways: [Way] = [
        Way("two records of one object", ["update Task t a,b 2"]) { store in
            try store.container.load(tasks, [["t", 1], ["t", .absent, 2]])
        },
        Way("three records, the second taken back", ["update Task t a,b 2"]) { store in
            try store.container.load(tasks, [["t", 1], ["t", 0], ["t", .absent, 2], ["t", 3]])
        },
        Way(
            "a record of an object whose link another moves",
            ["update List L1 tasks 2", "update List L2 a,tasks 2", "update Task t list 2"]
        ) { store in
            let context = store.container.newContext()
            let batch = RowBatch(width: tasks.width)
            let writer = try context.bulkWriter(for: tasks)
            batch.add(["t", .absent, .absent, "L2"])
            try writer.apply(batch, firstToken: 1)
            try writer.flush()
            let lists = BulkPlan(entity: "List", key: ["name"], attributes: ["name", "a"])
            let other = try context.bulkWriter(for: lists)
            let more = RowBatch(width: lists.width)
            more.add(["L2", 1])
            try other.apply(more, firstToken: 1)
            try other.flush()
            try context.save()
        },
        Way("records that insert and change an object", ["insert Task new 1"]) { store in
            try store.container.load(tasks, [["new", 1], ["new", 2, 2]], batchSize: 1)
        },
        Way(
            "two records that contain one object",
            ["update Line l a,b 2"]
        ) { store in
            try store.container.load(
                orders,
                [
                    ["o", .absent, ["l", 1, .absent, .absent]],
                    ["o", .absent, ["l", .absent, 2, .absent]],
                ])
        },
        Way(
            "a rejected record between two that contain one object",
            ["update Line l b 2"]
        ) { store in
            let outcome = try store.container.load(
                orders,
                [
                    [
                        "o", .absent,
                        ["l", 1, .absent, .absent, "new", .absent, .absent, "taken"],
                    ],
                    ["o", .absent, ["l", .absent, 2, .absent]],
                ])
            #expect(outcome.rejectedCodes == ["1 unique"])
        },
        Way("two batch updates", ["update Task t a,b 2"]) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                _ = try context.execute(update("Task", "b", 2))
            }
        },
        Way(
            "two batch updates of some rows",
            ["update Task s b 2", "update Task t a,b 2"]
        ) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                _ = try context.execute(update("Task", "b", 2, where: "TRUEPREDICATE"))
            }
        },
        Way(
            "a batch update and one of a relationship",
            ["update List L1 tasks 2", "update Task t a,list 2"]
        ) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                var request = try update("Task", "a", 1)
                request.propertiesToUpdate = ["list": .constant(.null)]
                _ = try context.execute(request)
            }
        },
        Way("a batch update and a batch insert", ["update Task t a,b 2"]) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                _ = try context.execute(insert("t", b: 2))
            }
        },
        Way("a batch insert and a batch update", ["update Task t a,b 2"]) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(insert("t", b: 2))
                _ = try context.execute(update("Task", "a", 1))
            }
        },
        Way("a batch update of an inserted object", ["insert Task new 1"]) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(insert("new", b: 2))
                _ = try context.execute(update("Task", "a", 1, where: "name == 'new'"))
            }
        },
        Way(
            "a batch update of an object and of its links",
            ["delete List L1", "update Task t a,list 2"]
        ) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                _ = try context.execute(
                    BatchDeleteRequest(
                        entityName: "List", predicate: GraphPredicate(format: "name == 'L1'")))
            }
        },
        Way("a batch update and an object", ["update Task t a,b 2"]) { store in
            try store.container.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                try object("Task", "t", in: context)[.integer("b")] = 2
            }
        },
        Way("an object read before a batch update", ["update Task t a,b 2"]) { store in
            try store.container.unitOfWork { context in
                let task = try object("Task", "t", in: context)
                task[.integer("b")] = 2
                _ = try context.execute(update("Task", "a", 1))
            }
        },
        Way("a request that fails after one that does not", ["update Task t a 2"]) { store in
            let context = store.context()
            try context.unitOfWork { context in
                _ = try context.execute(update("Task", "a", 1))
                #expect(throws: StoreError.self) {
                    try context.unitOfWork { context in
                        _ = try context.execute(update("Task", "b", 2))
                        throw StoreError(.cancelled, "a test")
                    }
                }
            }
        },
    ]

    @Test("each way", arguments: ways)
    func raisesVersionOnce(_ way: Way) throws {
        let store = try Self.filledStore()
        try way.run(store)
        let transactions = try store.container.history()
        #expect(transactions.count == 2)
        let lines = (transactions.last?.changes ?? []).map { Self.line($0, store) }
        #expect(lines.sorted() == way.lines)
        try store.checkIntegrity()
        // The objects can be saved after that.
        let context = store.context()
        for entity in ["Task", "Line"] {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
                object[.integer("a")] = 99
            }
        }
        try context.save()
    }

    @Test("a conflict that the save resolves is not in the history")
    func resolvedConflict() throws {
        let store = try Self.filledStore()
        let context = store.context()
        context.mergePolicy = .mergeByPropertyStoreTrump
        let line = try Self.object("Line", "l", in: context)
        line[.integer("a")] = 1
        line[.string("code")] = "taken"
        try context.save()
        let last = try #require(try store.container.history().last)
        #expect(last.changes.map { Self.line($0, store) } == ["update Line l a 2"])
        try store.checkIntegrity()
    }

    /// The largest version, which only a damaged store contains, must not end the process.
    @Test(
        "versions start again after the largest integer",
        arguments: ["import", "batch update", "object", "link"])
    func largestVersion(_ path: String) throws {
        let store = try Self.filledStore()
        try store.foreign().execute("UPDATE ZTASK SET Z_OPT = \(Int64.max)")
        let context = store.context()
        switch path {
        case "import": try store.container.load(Self.tasks, [["t", 1]])
        case "batch update": _ = try context.execute(Self.update("Task", "a", 1))
        case "object":
            try Self.object("Task", "t", in: context)[.integer("a")] = 1
            try context.save()
        default:
            _ = try context.execute(
                BatchDeleteRequest(
                    entityName: "List", predicate: GraphPredicate(format: "name == 'L1'")))
        }
        try store.expect(
            "SELECT ZNAME, Z_OPT FROM ZTASK ORDER BY 1", ["s|\(Int64.max)", "t|1"])
        // A change that a later record takes back restores the version.
        try store.foreign().execute("UPDATE ZTASK SET Z_OPT = \(Int64.max)")
        try store.container.load(
            Self.tasks, [["t", 5], ["t", 6], ["t", path == "link" ? 0 : 1]])
        try store.expect(
            "SELECT ZNAME, Z_OPT FROM ZTASK ORDER BY 1", ["s|\(Int64.max)", "t|\(Int64.max)"])
        try store.checkIntegrity()
    }

    private static func filledStore() throws -> TestStore {
        let store = try TestStore(model(entities), history: HistoryOptions())
        let context = store.context()
        func insert(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.insert(entity)
            object[.string("name")] = name
            object[.integer("a")] = 0
            return object
        }
        let lists = try ["L1", "L2"].map { try insert("List", $0) }
        let order = try insert("Order", "o")
        order[.toMany("lines")] = [try insert("Line", "l")]
        try insert("Line", "k")[.string("code")] = "taken"
        try insert("Task", "t")[.toOne("list")] = lists[0]
        _ = try insert("Task", "s")
        try context.save()
        return store
    }

    private static func line(_ change: HistoryChange, _ store: TestStore) -> String {
        let id = change.objectID
        let entity = store.container.schema.entity(number: id.entityNumber)
        let table = entity?.table ?? ""
        let row = try? store.lines(
            "SELECT ZNAME, Z_OPT FROM \(table) WHERE Z_PK = \(id.primaryKey)"
        ).first?.split(separator: "|")
        let name = row.map { "\($0[0])" } ?? "L\(id.primaryKey)"
        let version = row.map { " \($0[1])" } ?? ""
        let names = change.updatedProperties.map { " \($0.joined(separator: ","))" } ?? ""
        return "\(change.kind) \(entity?.name ?? "?") \(name)\(names)\(version)"
    }
}
