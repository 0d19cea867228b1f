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
        Box:
          attributes: { name: String }
          relationships: { things: { to: Thing, many: true } }
          unique: [[name]]
        Thing:
          attributes: { name: String }
          unique: [[name]]
        Club:
          attributes: { name: String }
          relationships: { members: { to: Member, many: true, inverse: clubs, delete: no action } }
          unique: [[name]]
        Member:
          attributes: { name: String }
          relationships: { clubs: { to: Club, many: true, inverse: members, delete: no action } }
          unique: [[name]]
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

    /// The action of a case: sets a relationship of an object, adds objects to a to-many or removes
    /// them without loading it, or inserts or deletes an object.
    enum Action: Sendable {
        case set(String, String, String, [String])
        case add(String, String, String, [String])
        case remove(String, String, String, [String])
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
        Case(
            "without inverse: changed", .set("Box", "X1", "things", ["t2"]),
            ["update Box X1 things +1"]),
        Case(
            "without inverse: taken from another", .set("Box", "X2", "things", ["t1"]),
            ["update Box X1 things +1", "update Box X2 things +1"]),
        Case(
            "without inverse: of a new object", .insert("Box", "new", "things", ["t1", "t2"]),
            ["insert Box new", "update Box X1 things +1"]),
        Case("without inverse: owner deleted", .delete("Box", "X1"), ["delete Box X1"]),
        Case("without inverse: target deleted", .delete("Thing", "t1"), ["delete Thing t1"]),
        Case(
            "many-to-many with the rule No Action: owner deleted", .delete("Club", "C"),
            ["delete Club C", "update Member m clubs +1"]),
        Case("added to a to-many: known", .add("List", "L1", "tasks", ["a"]), []),
        Case(
            "added to a to-many: known and new", .add("List", "L1", "tasks", ["a", "free"]),
            ["update List L1 tasks +1", "update Task free list +1"]),
        Case("added to an ordered to-many: known", .add("Board", "B1", "cards", ["a"]), []),
        Case("added without inverse: known", .add("Box", "X1", "things", ["t1"]), []),
        Case("added to a many-to-many: known", .add("Task", "a", "tags", ["p"]), []),
        Case("added to an ordered many-to-many: known", .add("Task", "a", "steps", ["p"]), []),
        Case(
            "added to a many-to-many: known and new", .add("Task", "a", "tags", ["p", "r"]),
            ["update Tag r tasks +1", "update Task a tags +1"]),
        Case("added to its own inverse: known", .add("Task", "b", "friends", ["a"]), []),
        Case("removed from a to-many: unknown", .remove("List", "L1", "tasks", ["free"]), []),
        Case("removed from a many-to-many: unknown", .remove("Task", "a", "tags", ["r"]), []),
        Case("removed without inverse: unknown", .remove("Box", "X2", "things", ["t1"]), []),
        Case(
            "removed from a many-to-many: known and unknown",
            .remove("Tag", "p", "tasks", ["a", "free"]),
            ["update Tag p tasks +1", "update Task a tags +1"]),
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
            // A repetition of a set or added link changes nothing.
            switch test.action {
            case .set, .add, .remove:
                let count = try store.container.history().count
                let before = try store.lines(Self.versions)
                _ = try Self.run(test.action, path, store)
                #expect(try store.lines(Self.versions) == before, "\(path.rawValue), again")
                #expect(try store.container.history().count == count, "\(path.rawValue), again")
            case .insert, .delete: break
            }
            try store.checkIntegrity()
        }
    }

    @Test("links that a later record reverts change nothing")
    func reverted() throws {
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

    @Test("links of objects that are set and set back before the save change nothing")
    func setBackInMemory() throws {
        let store = try Self.filledStore()
        let before = try store.lines(Self.versions)
        let context = store.context()
        func object(_ entity: String, _ name: String) throws -> ManagedObject {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = try GraphPredicate(format: "name == '\(name)'")
            return try #require(try context.fetch(request).first)
        }
        let task = try object("Task", "a")
        let (list, other) = (try object("List", "L1"), try object("List", "L2"))
        let (tag, otherTag) = (try object("Tag", "p"), try object("Tag", "r"))
        task[.toOne("list")] = other
        task[.toOne("list")] = list
        task.remove(tag, from: .toMany("tags"))
        task.add(otherTag, to: .toMany("tags"))
        task.remove(otherTag, from: .toMany("tags"))
        task.add(tag, to: .toMany("tags"))
        try context.save()
        #expect(try store.lines(Self.versions) == before)
        #expect(try store.container.history().count == 1)
        // The objects are those of the store, so that a later change conflicts with nothing.
        other[.toMany("tasks")] = [task]
        try context.save()
        #expect(
            try Self.changes(of: store) == [
                "update List L1 tasks +1", "update List L2 tasks +1", "update Task a list +1",
            ])
        try store.checkIntegrity()
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

    private static let tables = [
        "Task", "List", "Board", "Badge", "Tag", "Box", "Thing", "Club", "Member",
    ]
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
        let boxes = try ["X1", "X2"].map { try insert("Box", $0) }
        let things = try ["t1", "t2"].map { try insert("Thing", $0) }
        boxes[0][.toMany("things")] = [things[0]]
        let club = try insert("Club", "C")
        club[.toMany("members")] = [try insert("Member", "m")]
        try context.save()
        return store
    }

    /// Returns `kind Entity name properties +versions` for each object that the last save changed.
    private static func changes(of store: TestStore) throws -> [String] {
        let transactions = try store.container.history()
        let rows = try store.lines(versions)
        guard let last = transactions.dropFirst().last else {
            #expect(rows.filter { !$0.hasSuffix("|1") } == [])
            return []
        }
        #expect(transactions.count == 2)
        let names = [
            "a", "b", "free", "L1", "L2", "B1", "B2", "x", "y", "z", "p", "q", "r", "X1", "X2",
            "t1", "t2", "C", "m",
        ]
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
                let first = [
                    "Task": 0, "List": 3, "Board": 5, "Badge": 7, "Tag": 10, "Box": 13,
                    "Thing": 15, "Club": 17, "Member": 18,
                ]
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
}
