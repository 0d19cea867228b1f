import GraphModel
import GraphStore
import SQLite
import Testing

/// Keys without a constraint: several objects may share one, and other programs may add more.
@Suite("Keys of bulk loads that objects share") struct SharedKeyTests {
    private func appending(_ entity: String) -> BulkPlan {
        var plan = BulkPlan(entity: entity, key: [], attributes: ["title", "text"])
        plan.found = .append
        return plan
    }

    /// The index contains the rows of both entities.
    @Test(
        "finds the objects of a sub-entity by a key, with and without an index",
        arguments: ["[title]", "[text]"], [0, 192 << 20])
    func subentity(index: String, keyMemory: Int) throws {
        try withStore(
            """
            Note:
              attributes: { title: String, text: String }
              indexes: { byTitle: \(index) }
            Memo: { parent: Note }
            """
        ) { store in
            try store.container.load(appending("Note"), [["a", "n"]])
            try store.container.load(
                appending("Memo"), [["b", "1"], ["b", "2"], ["b", "3"], ["c", "4"]])
            let plan = BulkPlan(entity: "Memo", key: ["title"], attributes: ["title", "text"])
            do {
                let context = store.container.newContext()
                let shared = try context.bulkWriter(for: plan).sharedKeys()
                #expect(shared.map { "\($0.path) \($0.entity) \($0.count)" } == ["key Memo 1"])
                context.rollback()
            }
            let outcome = try store.container.load(
                plan, [["a", "x"], ["b", "y"], ["c", "z"]], keyMemoryBytes: keyMemory)
            #expect(outcome.counts == "1 new, 1 changed, 0 same, 0 superseded, 1 rejected")
            let message = "Several 'Memo' objects have title 'b': primary keys 2 and 3"
            let messages = outcome.rejects.map(\.message)
            #expect(messages == [message + " and others"])
            try store.expect(
                "SELECT Z_ENT, ZTITLE, ZTEXT FROM ZNOTE ORDER BY Z_PK",
                ["1|a|n", "2|b|1", "2|b|2", "2|b|3", "2|c|z", "2|a|x"])
        }
    }

    @Test("sees the rows that another connection wrote between saves", arguments: [0, 192 << 20])
    func otherConnection(keyMemory: Int) throws {
        try withStore("Note: { attributes: { title: String, text: String } }") { store in
            func records(_ range: Range<Int>, _ text: TestValue) -> [[TestValue]] {
                range.map { [.text("k\($0)"), text] }
            }
            let plan = BulkPlan(entity: "Note", key: ["title"], attributes: ["title", "text"])
            try store.container.load(plan, records(0..<10, "1"))
            let outcome = try store.container.load(
                plan, records(0..<5, "1") + records(20..<25, "1") + records(0..<30, "2"),
                batchSize: 5, saveEvery: 10, keyMemoryBytes: keyMemory
            ) { position in
                guard position == 10 else { return }
                try store.foreign().execute(
                    """
                    DELETE FROM ZNOTE WHERE ZTITLE IN ('k0', 'k21');
                    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE)
                    SELECT max(Z_PK) + 1, 1, 1, 'k28' FROM ZNOTE;
                    UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZNOTE)
                    """)
            }
            #expect(outcome.rejects == [])
            try store.expect(
                "SELECT count(*), count(DISTINCT ZTITLE), min(ZTEXT), max(ZTEXT) FROM ZNOTE",
                ["30|30|2|2"])
        }
    }

    @Test("finds nested objects that another connection wrote between saves")
    func nestedBetweenSaves() throws {
        try withStore(
            """
            Book:
              attributes: { name: String }
              relationships: { notes: { to: Note, many: true, inverse: book } }
              unique: [[name]]
            Note:
              attributes: { title: String, text: String }
              relationships: { book: { to: Book, inverse: notes } }
              unique: [[title]]
            """
        ) { store in
            var notes = BulkPlan.Link(
                relationship: "notes", destination: "Note", attribute: "title")
            notes.nested = BulkPlan(
                entity: "Note", key: ["title"], attributes: ["title", "text"])
            let plan = BulkPlan(
                entity: "Book", key: ["name"], attributes: ["name"], links: [notes])
            let outcome = try store.container.load(
                plan, [["A", ["a", "1", "b", "2"]], ["B", ["c", "3"]]], batchSize: 1, saveEvery: 1
            ) { position in
                guard position == 1 else { return }
                try store.foreign().execute(
                    """
                    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE)
                    SELECT max(Z_PK) + 1, 2, 1, 'c' FROM ZNOTE;
                    UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZNOTE) WHERE Z_ENT = 2
                    """)
            }
            #expect(outcome.rejects == [])
            try store.expect(
                """
                SELECT b.ZNAME, n.ZTITLE, n.ZTEXT FROM ZNOTE n JOIN ZBOOK b ON b.Z_PK = n.ZBOOK
                ORDER BY 2
                """, ["A|a|1", "A|b|2", "B|c|3"])
            try store.expect("SELECT count(*) FROM ZNOTE", ["3"])
        }
    }

    /// The records come in no order of the rows, so a map is built; it grows, first in memory that
    /// pages use, and later it is given up.
    @Test("finds rows in any order with little memory", arguments: [40_000, 100_000, 200_000])
    func anyOrder(keyMemory: Int) throws {
        try withStore(
            "Row: { attributes: { key: String, value: Integer 32 }, unique: [[key]] }"
        ) { store in
            func records(_ range: Range<Int>) -> [[TestValue]] {
                range.reversed().map { [.text("k\($0)"), 1] }
            }
            let plan = BulkPlan(entity: "Row", key: ["key"], attributes: ["key", "value"])
            try store.container.load(plan, records(0..<5000).reversed())
            let outcome = try store.container.load(
                plan, records(0..<12_000), keyMemoryBytes: keyMemory)
            #expect(outcome.counts == "7000 new, 0 changed, 5000 same, 0 superseded, 0 rejected")
            try store.expect(
                "SELECT count(*), count(DISTINCT ZKEY), sum(ZVALUE) FROM ZROW",
                ["12000|12000|12000"])
        }
    }

    private let people = """
        Person:
          attributes: { name: String }
          relationships:
            friend: { to: Person, inverse: friendOf }
            friendOf: { to: Person, many: true, inverse: friend }
            favorite: { to: Task, inverse: fans }
            todo: { to: Task, many: true, inverse: doers }
            tasks: { to: Task, many: true, inverse: owner }
        Task:
          attributes: { title: String }
          relationships:
            owner: { to: Person, inverse: tasks }
            fans: { to: Person, many: true, inverse: favorite }
            doers: { to: Person, many: true, inverse: todo }
        """

    /// Fills the store with the persons a, a, and p, who has the tasks t, u, and u.
    private func fill(_ store: TestStore) throws {
        var persons = BulkPlan(entity: "Person", key: [], attributes: ["name"])
        persons.found = .append
        try store.container.load(persons, [["a"], ["a"], ["p"]])
        var tasks = BulkPlan(
            entity: "Task", key: [], attributes: ["title"],
            links: [.init(relationship: "owner", destination: "Person", attribute: "name")])
        tasks.found = .append
        try store.container.load(tasks, [["t", "p"], ["u", "p"], ["u", "p"]])
    }

    private static let byTitle = [BulkPlan.KeyPart("title")]
    private static let byOwner = [
        BulkPlan.KeyPart("title"),
        BulkPlan.KeyPart("owner", to: "Person", by: [BulkPlan.KeyPart("name")]),
    ]
    private static let shared: [(link: BulkPlan.Link, value: TestValue, reason: String)] = [
        (
            .init(relationship: "friend", destination: "Person", attribute: "name"), "a",
            "friend: Several 'Person' objects have name 'a': primary keys 1 and 2"
        ),
        (
            .init(relationship: "todo", destination: "Task", key: byTitle), ["t", "u"],
            "todo: Several 'Task' objects have title 'u': primary keys 2 and 3"
        ),
        (
            .init(relationship: "todo", destination: "Task", key: byOwner), ["t", "p", "t", "a"],
            "todo: Several 'Person' objects have name 'a': primary keys 1 and 2"
        ),
        (
            .init(relationship: "favorite", destination: "Task", key: byOwner), ["t", "a"],
            "favorite: Several 'Person' objects have name 'a': primary keys 1 and 2"
        ),
    ]

    @Test("rejects a link to objects that share a key", arguments: shared, [0, 192 << 20])
    func links(
        shared: (link: BulkPlan.Link, value: TestValue, reason: String), keyMemory: Int
    ) throws {
        try withStore(people) { store in
            try fill(store)
            let plan = BulkPlan(
                entity: "Person", key: ["name"], attributes: ["name"], links: [shared.link])
            let outcome = try store.container.load(
                plan, [["b", shared.value], ["c", .absent]], keyMemoryBytes: keyMemory)
            #expect(
                outcome.rejects.map {
                    "\($0.token) \($0.code) \($0.property ?? "-"): \($0.message)"
                } == ["1 key " + shared.reason])
            try store.expect("SELECT ZNAME FROM ZPERSON ORDER BY Z_PK", ["a", "a", "p", "c"])
        }
    }

    @Test(
        "finds an object by a key that leads through the loaded entity", arguments: [0, 192 << 20])
    func keyThroughOwn(keyMemory: Int) throws {
        try withStore(people) { store in
            try fill(store)
            let plan = BulkPlan(
                entity: "Person", key: ["name"], attributes: ["name"],
                links: [.init(relationship: "favorite", destination: "Task", key: Self.byOwner)])
            let outcome = try store.container.load(
                plan, [["b", nil], ["c", ["t", "p"]], ["d", ["t", "b"]]], keyMemoryBytes: keyMemory)
            #expect(outcome.rejectedCodes == ["3 link"])
            try store.expect(
                """
                SELECT p.ZNAME, t.ZTITLE FROM ZPERSON p LEFT JOIN ZTASK t ON t.Z_PK = p.ZFAVORITE
                WHERE p.Z_PK > 3 ORDER BY 1
                """, ["b|-", "c|t"])
        }
    }
}
