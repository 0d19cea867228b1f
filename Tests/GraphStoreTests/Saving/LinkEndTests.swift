import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Both ends of every kind of relationship, changed in every way, by every path that supports it.
///
/// Each line of a case is an object that the save changed: its entry in the history and in the
/// merged change, and the versions that it got.
@Suite("Links change both ends") struct LinkEndTests {
    private static let entities = """
        Task:
          attributes: { name: String }
          relationships:
            list: { to: List, inverse: tasks }
            board: { to: Board, inverse: cards }
            badge: { to: Badge, inverse: task }
            tags: { to: Tag, many: true, inverse: tasks }
            steps: { to: Tag, many: true, ordered: true, inverse: stepsOf }
            friends: { to: Task, many: true, inverse: friends }
          unique: [[name]]
        List:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: list } }
          unique: [[name]]
        Board:
          attributes: { name: String }
          relationships: { cards: { to: Task, many: true, ordered: true, inverse: board } }
          unique: [[name]]
        Badge:
          attributes: { name: String }
          relationships: { task: { to: Task, inverse: badge } }
          unique: [[name]]
        Tag:
          attributes: { name: String }
          relationships:
            tasks: { to: Task, many: true, inverse: tags }
            stepsOf: { to: Task, many: true, inverse: steps }
          unique: [[name]]
        SpecialTag: { parent: Tag }
        """

    /// A way to change links.
    enum Path: String, CaseIterable, Sendable {
        case objects = "object save"
        case child = "save of a child context"
        case fewRows = "import with the index"
        case manyRows = "import with the map of keys"
        case insertRequest = "batch insert request"
        case request = "batch update or delete request"
        case mirror = "mirror"
    }

    /// The action of a case: sets a relationship of an object, or inserts or deletes an object.
    enum Action: Sendable {
        case set(String, String, String, [String])
        case insert(String, String, String, [String])
        case delete(String, String)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var action: Action
        var lines: [String]

        init(_ name: String, _ action: Action, _ lines: [String]) {
            testDescription = name
            self.action = action
            self.lines = lines
        }
    }

    private static let cases: [Case] = [
        Case(
            "to-one set", .set("Task", "free", "list", ["L1"]),
            ["update List L1 tasks +1", "update Task free list +1"]),
        Case(
            "to-one changed", .set("Task", "a", "list", ["L2"]),
            ["update List L1 tasks +1", "update List L2 tasks +1", "update Task a list +1"]),
        Case(
            "to-one cleared", .set("Task", "a", "list", []),
            ["update List L1 tasks +1", "update Task a list +1"]),
        Case(
            "to-one of a new object", .insert("Task", "new", "list", ["L1"]),
            ["insert Task new", "update List L1 tasks +1"]),
        Case(
            "to-many changed", .set("List", "L1", "tasks", ["a", "free"]),
            ["update List L1 tasks +1", "update Task b list +1", "update Task free list +1"]),
        Case(
            "to-many takes from another", .set("List", "L2", "tasks", ["b"]),
            ["update List L1 tasks +1", "update List L2 tasks +1", "update Task b list +1"]),
        Case(
            "to-many of a new object", .insert("List", "new", "tasks", ["a"]),
            ["insert List new", "update List L1 tasks +1", "update Task a list +1"]),
        Case(
            "target of a to-one deleted", .delete("List", "L1"),
            ["delete List L1", "update Task a list +1", "update Task b list +1"]),
        Case(
            "owner of links deleted", .delete("Task", "a"),
            [
                "delete Task a", "update Badge x task +1", "update Board B1 cards +1",
                "update List L1 tasks +1", "update SpecialTag q stepsOf +1",
                "update Tag p stepsOf,tasks +1", "update Task b friends +1",
            ]),
        Case(
            "ordered: to-one changed", .set("Task", "a", "board", ["B2"]),
            ["update Board B1 cards +1", "update Board B2 cards +1", "update Task a board +1"]),
        Case(
            "ordered: order changed", .set("Board", "B1", "cards", ["b", "a"]),
            ["update Board B1 cards +1"]),
        Case(
            "ordered: to-many changed", .set("Board", "B1", "cards", ["free", "a"]),
            ["update Board B1 cards +1", "update Task b board +1", "update Task free board +1"]),
        Case(
            "one-to-one set", .set("Task", "free", "badge", ["z"]),
            ["update Badge z task +1", "update Task free badge +1"]),
        Case(
            "one-to-one changed", .set("Task", "a", "badge", ["z"]),
            ["update Badge x task +1", "update Badge z task +1", "update Task a badge +1"]),
        Case(
            "one-to-one taken from another", .set("Task", "a", "badge", ["y"]),
            [
                "update Badge x task +1", "update Badge y task +1", "update Task a badge +1",
                "update Task b badge +1",
            ]),
        Case(
            "one-to-one cleared", .set("Badge", "x", "task", []),
            ["update Badge x task +1", "update Task a badge +1"]),
        Case(
            "one-to-one of a new object", .insert("Badge", "new", "task", ["a"]),
            ["insert Badge new", "update Badge x task +1", "update Task a badge +1"]),
        Case(
            "target of a one-to-one deleted", .delete("Badge", "x"),
            ["delete Badge x", "update Task a badge +1"]),
        Case(
            "many-to-many changed", .set("Task", "a", "tags", ["q"]),
            [
                "update SpecialTag q tasks +1", "update Tag p tasks +1", "update Task a tags +1",
            ]),
        Case(
            "many-to-many cleared", .set("Tag", "p", "tasks", []),
            ["update Tag p tasks +1", "update Task a tags +1", "update Task b tags +1"]),
        Case(
            "many-to-many of a new object", .insert("Task", "new", "tags", ["p", "q"]),
            ["insert Task new", "update SpecialTag q tasks +1", "update Tag p tasks +1"]),
        Case(
            "target of a many-to-many deleted", .delete("Tag", "q"),
            ["delete SpecialTag q", "update Task a steps +1"]),
        Case(
            "ordered many-to-many: order changed", .set("Task", "a", "steps", ["q", "p"]),
            ["update Task a steps +1"]),
        Case(
            "ordered many-to-many changed", .set("Task", "a", "steps", ["p", "r"]),
            ["update SpecialTag q stepsOf +1", "update Tag r stepsOf +1", "update Task a steps +1"]),
        Case(
            "its own inverse", .set("Task", "a", "friends", ["free"]),
            [
                "update Task a friends +1", "update Task b friends +1",
                "update Task free friends +1",
            ]),
    ]

    @Test(
        "every path increments both ends' versions once and names the relationship",
        arguments: cases)
    func everyPath(_ test: Case) throws {
        for path in Path.allCases {
            let store = try Self.filledStore()
            guard try Self.run(test.action, path, store) else { continue }
            let lines = try Self.changes(of: store)
            #expect(lines == test.lines, "\(path.rawValue)")
            try store.checkIntegrity()
        }
    }

    @Test("links that a later record reverts change nothing")
    func takenBack() throws {
        let store = try Self.filledStore()
        let before = try store.lines(Self.versions)
        let plan = Self.plan("Task", "list")
        for batchSize in [1, 10] {
            try store.container.load(
                plan, [["a", "L2"], ["b", nil], ["a", "L1"], ["b", "L1"]], batchSize: batchSize)
            #expect(try store.lines(Self.versions) == before)
        }
        try store.container.load(Self.plan("Task", "tags"), [["a", ["r"]], ["a", ["p"]]])
        try store.container.load(
            Self.plan("List", "tasks"), [["L2", ["a"]], ["L1", ["a", "b"]]])
        try store.container.load(Self.plan("Task", "badge"), [["a", "z"], ["a", "x"]])
        #expect(try store.lines(Self.versions) == before)
        #expect(try store.container.history().count == 1)
    }

    @Test("a rejected record does not change the objects that it links")
    func rejected() throws {
        let store = try TestStore(
            model(
                """
                Task:
                  attributes: { name: String, code: String }
                  relationships:
                    list: { to: List, inverse: tasks }
                    tags: { to: Tag, many: true, inverse: tasks }
                  unique: [[name], [code]]
                List:
                  attributes: { name: String }
                  relationships: { tasks: { to: Task, many: true, inverse: list } }
                  unique: [[name]]
                Tag:
                  attributes: { name: String }
                  relationships: { tasks: { to: Task, many: true, inverse: tags } }
                  unique: [[name]]
                """))
        for entity in ["List", "Tag"] {
            try store.container.load(
                BulkPlan(entity: entity, key: ["name"], attributes: ["name"]), [["x"], ["y"]])
        }
        let plan = BulkPlan(
            entity: "Task", key: ["name"], attributes: ["name", "code"],
            links: [
                .init(relationship: "list", destination: "List", attribute: "name"),
                .init(relationship: "tags", destination: "Tag", attribute: "name"),
            ])
        // The first round fills an empty table, which collects join rows; the second uses a table
        // with rows.
        for round in ["1", "2"] {
            let outcome = try store.container.load(
                plan,
                [
                    [.text("a" + round), .text("c" + round), "x", ["x"]],
                    [.text("b" + round), .text("c" + round), "y", ["y"]],
                ])
            #expect(outcome.counts == "1 new, 0 changed, 0 same, 0 superseded, 1 rejected")
        }
        try store.expect("SELECT ZNAME, Z_OPT FROM ZLIST ORDER BY 1", ["x|3", "y|1"])
        try store.expect("SELECT ZNAME, Z_OPT FROM ZTAG ORDER BY 1", ["x|3", "y|1"])
        try store.checkIntegrity()
    }

    @Test("a load with 70,000 links changes each linked object once")
    func manyEnds() throws {
        let count = 70_000
        let store = try TestStore(
            model(
                """
                Item:
                  attributes: { number: Integer 32 }
                  relationships: { owner: { to: Owner, inverse: items } }
                  unique: [[number]]
                Owner:
                  attributes: { number: Integer 32 }
                  relationships: { items: { to: Item, many: true, inverse: owner } }
                  unique: [[number]]
                """))
        try store.container.load(
            BulkPlan(entity: "Owner", key: ["number"], attributes: ["number"]),
            (1...count).map { [.integer(Int64($0))] })
        let plan = BulkPlan(
            entity: "Item", key: ["number"], attributes: ["number"],
            links: [.init(relationship: "owner", destination: "Owner", attribute: "number")])
        // The order is not sequential.
        let outcome = try store.container.load(
            plan,
            (0..<count).map { place in
                [.integer(Int64(place)), .integer(Int64(place * 7919 % count) + 1)]
            })
        #expect(outcome.changes.map { $0.updated.count } == [count])
        try store.expect("SELECT Z_OPT, count(*) FROM ZOWNER GROUP BY 1", ["2|\(count)"])
        try store.checkIntegrity()
    }

    // MARK: The store

    private static let tables = ["Task", "List", "Board", "Badge", "Tag"]
    private static let versions = tables.map {
        "SELECT Z_ENT, Z_PK, ZNAME, Z_OPT FROM Z\($0.uppercased())"
    }.joined(separator: " UNION ALL ")

    private static func filledStore() throws -> TestStore {
        let store = try TestStore(model(entities), history: HistoryOptions())
        let context = store.context()
        func insert(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.insert(entity)
            try object.setValue(.attribute(.text(name)), forKey: "name")
            return object
        }
        let tasks = try ["a", "b", "free"].map { try insert("Task", $0) }
        let lists = try ["L1", "L2"].map { try insert("List", $0) }
        let boards = try ["B1", "B2"].map { try insert("Board", $0) }
        let badges = try ["x", "y", "z"].map { try insert("Badge", $0) }
        let tags = [
            try insert("Tag", "p"), try insert("SpecialTag", "q"), try insert("Tag", "r"),
        ]
        for (place, task) in tasks.prefix(2).enumerated() {
            task[.toOne("list")] = lists[0]
            task[.toOne("badge")] = badges[place]
            task[.toMany("tags")] = [tags[0]]
        }
        boards[0][.toMany("cards")] = [tasks[0], tasks[1]]
        tasks[0][.toMany("steps")] = [tags[0], tags[1]]
        tasks[0][.toMany("friends")] = [tasks[1]]
        try context.save()
        return store
    }

    /// Returns `kind Entity name properties +versions` for each object that the last save changed.
    private static func changes(of store: TestStore) throws -> [String] {
        let transactions = try store.container.history()
        #expect(transactions.count == 2)
        guard let last = transactions.last else { return [] }
        let rows = try store.lines(versions)
        let names = ["a", "b", "free", "L1", "L2", "B1", "B2", "x", "y", "z", "p", "q", "r"]
        var lines: [String] = []
        var changed: Set<String> = []
        for change in last.changes {
            let id = change.objectID
            let entity = store.container.schema.entity(number: id.entityNumber)
            let start = "\(id.entityNumber)|\(id.primaryKey)|"
            let row = rows.first { $0.hasPrefix(start) }?.split(separator: "|")
            var line = "\(change.kind) \(entity?.name ?? "?")"
            if let row {
                line += " \(row[2])"
                changed.insert(start)
            } else {
                // Primary keys count from 1 in the order of the names above.
                let first = ["Task": 0, "List": 3, "Board": 5, "Badge": 7, "Tag": 10]
                let table = entity?.name == "SpecialTag" ? "Tag" : entity?.name ?? ""
                line += " \(names[(first[table] ?? 0) + Int(id.primaryKey) - 1])"
            }
            if change.kind == .update {
                line += " \(change.updatedProperties?.joined(separator: ",") ?? "null")"
                line += " +\((row.flatMap { Int($0[3]) } ?? 0) - 1)"
            } else if let row {
                #expect(row[3] == "1")
            }
            lines.append(line)
        }
        // No other row has a new version.
        for row in rows where !row.hasSuffix("|1") {
            let parts = row.split(separator: "|")
            #expect(changed.contains("\(parts[0])|\(parts[1])|"), "\(row)")
        }
        return lines.sorted()
    }

    private static func plan(_ entity: String, _ relationship: String) -> BulkPlan {
        let destinations = [
            "list": "List", "board": "Board", "badge": "Badge", "tags": "Tag", "steps": "Tag",
            "tasks": "Task", "cards": "Task", "task": "Task", "friends": "Task",
        ]
        return BulkPlan(
            entity: entity, key: ["name"], attributes: ["name"],
            links: [
                .init(
                    relationship: relationship, destination: destinations[relationship] ?? "",
                    attribute: "name", missing: .null)
            ])
    }

    private static func isToMany(_ relationship: String) -> Bool {
        relationship.hasSuffix("s")
    }

    // MARK: Paths

    /// Runs the action by the path.
    ///
    /// - Returns: `false` if the path does not support the action.
    private static func run(
        _ action: Action, _ path: Path, _ store: TestStore
    ) throws -> Bool {
        switch path {
        case .objects:
            let context = store.context()
            try change(action, in: context)
            try context.save()
        case .child:
            let context = store.context()
            let child = context.makeChild()
            try change(action, in: child)
            try child.save()
            try context.save()
        case .fewRows, .manyRows:
            guard let (plan, record) = record(of: action) else { return false }
            try store.container.load(
                plan, [record], keyMemoryBytes: path == .fewRows ? 0 : 192 << 20)
        case .insertRequest: return try insertRequest(action, store)
        case .request: return try request(action, store)
        case .mirror:
            guard case .delete(let entity, let name) = action else { return false }
            let context = store.context()
            let plan = BulkPlan(entity: entity, key: ["name"], attributes: ["name"])
            let writer = try context.bulkWriter(for: plan)
            let batch = RowBatch(width: 1)
            for other in try store.lines("SELECT ZNAME FROM Z\(entity.uppercased())")
            where other != name { batch.add([.text(other)]) }
            // Objects of a sub-entity share the table.
            try writer.apply(batch, firstToken: 1)
            try writer.finish()
            _ = writer.takeRejects()
            _ = try context.write(BatchDeleteRequest(entityName: entity), sparing: writer)
            try context.save()
        }
        return true
    }

    private static func change(_ action: Action, in context: ManagedObjectContext) throws {
        func object(_ entity: String, _ name: String) throws -> ManagedObject {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = try GraphPredicate(format: "name == '\(name)'")
            return try #require(try context.fetch(request).first)
        }
        func set(_ owner: ManagedObject, _ relationship: String, _ names: [String]) throws {
            let destination = plan("", relationship).links[0].destination
            let objects = try names.map { try object(destination, $0) }
            if isToMany(relationship) {
                owner[.toMany(relationship)] = objects
            } else {
                owner[.toOne(relationship)] = objects.first
            }
        }
        switch action {
        case .set(let entity, let name, let relationship, let names):
            try set(object(entity, name), relationship, names)
        case .insert(let entity, let name, let relationship, let names):
            let owner = try context.insert(entity)
            try owner.setValue(.attribute(.text(name)), forKey: "name")
            try set(owner, relationship, names)
        case .delete(let entity, let name): context.delete(try object(entity, name))
        }
    }

    private static func record(of action: Action) -> (BulkPlan, [TestValue])? {
        switch action {
        case .set(let entity, let name, let relationship, let names),
            .insert(let entity, let name, let relationship, let names):
            let cell: TestValue =
                isToMany(relationship)
                ? .list(names.map { .text($0) }) : names.first.map { .text($0) } ?? .null
            return (plan(entity, relationship), [.text(name), cell])
        case .delete: return nil
        }
    }

    private static func insertRequest(_ action: Action, _ store: TestStore) throws -> Bool {
        switch action {
        case .set(let entity, let name, let relationship, let names),
            .insert(let entity, let name, let relationship, let names):
            var isDone = false
            var request = BatchInsertRequest(
                entityName: entity, properties: ["name", relationship]
            ) { row in
                if isDone { return true }
                isDone = true
                row["name"] = .value(.text(name))
                row[relationship] = .keys(names.map { .text($0) })
                if !isToMany(relationship) {
                    row[relationship] = .value(names.first.map { .text($0) } ?? .null)
                }
                return false
            }
            request.key = ["name"]
            request.policy = .objectTrump
            request.links = [relationship: .init(by: "name", missing: .null)]
            let context = store.context()
            _ = try context.write(request)
            try context.save()
            return true
        case .delete: return false
        }
    }

    private static func request(_ action: Action, _ store: TestStore) throws -> Bool {
        let context = store.context()
        switch action {
        case .set(let entity, let name, let relationship, let names)
        where ["list", "board"].contains(relationship):
            var value = GraphValue.null
            if let destination = names.first {
                var request = FetchRequest<ManagedObject>(
                    entityName: plan(entity, relationship).links[0].destination)
                request.predicate = try GraphPredicate(format: "name == '\(destination)'")
                value = .object(try #require(try context.fetch(request).first).objectID)
            }
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: entity, predicate: GraphPredicate(format: "name == '\(name)'"),
                    propertiesToUpdate: [relationship: .constant(value)]))
        case .delete(let entity, let name):
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: entity, predicate: GraphPredicate(format: "name == '\(name)'")))
        default: return false
        }
        try context.save()
        return true
    }
}
