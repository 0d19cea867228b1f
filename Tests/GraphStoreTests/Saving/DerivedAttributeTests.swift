import Foundation
import GraphModel
import Testing

@testable import GraphStore

private let entities = """
    List:
      attributes:
        name: String
        folded: { type: String, derived: "canonical:(name)" }
        lower: { type: String, derived: "lowercase:(name)" }
        count: { type: Integer 64, derived: "entries.@count" }
        total: { type: Double, derived: "entries.@sum.price" }
        saved: { type: Date, derived: "now()" }
      relationships:
        entries: { to: Entry, many: true, inverse: list }
      unique: [[name]]
    Entry:
      attributes:
        key: String
        price: Double
        listName: { type: String, derived: "list.name" }
      relationships:
        list: { to: List, inverse: entries }
      unique: [[key]]
    """

private let tasks = """
    Category:
      attributes:
        name: String
        taskCount: { type: Integer 64, derived: "tasks.@count" }
      relationships: { tasks: { to: Task, many: true, inverse: category } }
      unique: [[name]]
    Task:
      attributes:
        key: String
        categoryName: { type: String, derived: "category.name" }
      relationships: { category: { to: Category, inverse: tasks } }
      unique: [[key]]
    """

@Suite("Derived attributes") struct DerivedAttributeTests {
    private let lists = "SELECT ZNAME, ZFOLDED, ZLOWER, ZCOUNT, ZTOTAL FROM ZLIST ORDER BY Z_PK"
    private let entries = "SELECT ZKEY, ZLISTNAME FROM ZENTRY ORDER BY Z_PK"

    /// Creates two lists, the first with two entries.
    private func withLists(
        _ body: (TestStore, ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws {
        try withStore(entities) { store in
            let context = store.context()
            var made: [ManagedObject] = []
            for name in ["\u{C9}t\u{E9}", "Home"] {
                let list = try context.insert("List")
                list[.string("name")] = name
                made.append(list)
            }
            for (key, price) in [("a", 1.5), ("b", 2)] {
                let entry = try context.insert("Entry")
                entry[.string("key")] = key
                entry[.double("price")] = price
                entry[.toOne("list")] = made[0]
                made.append(entry)
            }
            try context.save()
            try body(store, context, made)
        }
    }

    @Test("a save updates derived attributes in the store and in memory")
    func saves() throws {
        try withLists { store, context, made in
            try store.expect(
                lists, ["\u{C9}t\u{E9}|ete|\u{E9}t\u{E9}|2|3.5", "Home|home|home|0|0.0"])
            try store.expect(entries, ["a|\u{C9}t\u{E9}", "b|\u{C9}t\u{E9}"])
            #expect(
                made[0][.integer("count")] == 2 && made[2][.string("listName")] == "\u{C9}t\u{E9}")
            #expect(!context.hasChanges)
            made[2][.toOne("list")] = made[1]
            made[1][.string("name")] = "HOUSE"
            context.delete(made[3])
            let change = try context.save().change
            try store.expect(
                lists, ["\u{C9}t\u{E9}|ete|\u{E9}t\u{E9}|0|0.0", "HOUSE|house|house|1|1.5"])
            try store.expect(entries, ["a|HOUSE"])
            #expect(made[1][.string("folded")] == "house" && made[1][.integer("count")] == 1)
            // Derived values are published like any other change.
            #expect(change.updated.ids.map(\.primaryKey).sorted() == [1, 1, 2])
        }
    }

    @Test(
        "creating a store with an invalid derivation leaves no file",
        arguments: ["nothing", "uppercase(name", "name", "parts.@count"])
    func invalidDerivation(_ text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("items.sqlite")
        let model = try model(
            """
            Item: { attributes: { name: String, size: { type: Integer 64, derived: "\(text)" } } }
            Part: { attributes: { name: String } }
            """)
        var guarded = StoreOptions()
        guarded.filePermissions = 0o600
        var rollback = StoreOptions()
        rollback.journalMode = .delete
        for description in [
            StoreDescription.sqlite(at: path, opening: .create),
            .sqlite(at: path, opening: .create, options: guarded),
            .sqlite(at: path, opening: .create, options: rollback),
            .binary(at: path, opening: .create), .json(at: path, opening: .create),
        ] {
            let error = storeError { _ = try PersistentContainer(model: model, description) }
            #expect(error?.code == .invalidRequest)
            #expect(
                error?.message.hasPrefix("'Item.size' cannot be derived from '\(text)': ") == true)
            #expect(error?.message.contains("\n") == false)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("now() is the time when the row itself was last saved")
    func moments() throws {
        try withLists { store, context, made in
            let before = try #require(made[0][.date("saved")])
            let other = try #require(made[1][.date("saved")])
            #expect(abs(before.timeIntervalSinceNow) < 60)
            made[0][.string("name")] = "changed"
            try context.save()
            #expect(try #require(made[0][.date("saved")]) > before)
            #expect(made[1][.date("saved")] == other)
            try store.expect("SELECT count(DISTINCT ZSAVED) FROM ZLIST", ["2"])
        }
    }

    @Test("batch requests and loads update derived attributes")
    func batches() throws {
        try withLists { store, context, made in
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "List", predicate: try GraphPredicate(format: "name == 'Home'"),
                    propertiesToUpdate: ["name": try GraphExpression(format: "'Barn'")]))
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: "Entry", predicate: try GraphPredicate(format: "key == 'a'")))
            try context.save()
            try store.expect(
                lists, ["\u{C9}t\u{E9}|ete|\u{E9}t\u{E9}|1|2.0", "Barn|barn|barn|0|0.0"])
            let plan = BulkPlan(
                entity: "Entry", key: ["key"], attributes: ["key", "price"],
                links: [
                    .init(
                        relationship: "list", destination: "List", attribute: "name",
                        missing: .create)
                ])
            let writer = try context.bulkWriter(for: plan)
            let batch = RowBatch(width: plan.width)
            batch.add(["b", 4, "Barn"])
            batch.add(["c", 8, "Shed"])
            try writer.apply(batch, firstToken: 1)
            try writer.finish()
            try context.save()
            try store.expect(
                lists,
                [
                    "\u{C9}t\u{E9}|ete|\u{E9}t\u{E9}|0|0.0", "Barn|barn|barn|1|4.0",
                    "Shed|shed|shed|1|8.0",
                ])
            try store.expect(entries, ["b|Barn", "c|Shed"])
        }
    }

    @Test("a first load defers derived counts to its end and reports their changes once")
    func firstLoad() throws {
        let store = try TestStore(model(tasks), history: HistoryOptions(keeping: .untilPurged))
        let context = store.context()
        try context.insert("Category")[.string("name")] = "Home"
        try context.save()
        try context.insert("Category")[.string("name")] = "Work"
        try context.save()
        let counts = "SELECT ZNAME, ZTASKCOUNT FROM ZCATEGORY ORDER BY ZNAME"
        let versions = "SELECT Z_PK, Z_OPT FROM ZCATEGORY ORDER BY Z_PK"
        let plan = BulkPlan(
            entity: "Task", key: ["key"], attributes: ["key"],
            links: [
                .init(
                    relationship: "category", destination: "Category", attribute: "name",
                    missing: .create)
            ])
        try store.container.load(
            plan, [["a", "Home"], ["b", "Home"], ["c", "Shed"]], batchSize: 1, saveEvery: 1,
            buildsIndexes: false)
        try store.expect(counts, ["Home|0", "Shed|-", "Work|0"])
        // Values derived from a row's own to-one links are available at once.
        let names = "SELECT ZKEY, ZCATEGORYNAME FROM ZTASK ORDER BY ZKEY"
        try store.expect(names, ["a|Home", "b|Home", "c|Shed"])
        let before = try store.lines(versions)
        let token = try store.container.currentHistoryToken()
        let other = store.context()
        other.automaticallyMergesChangesFromParent = true
        let home = try #require(
            try other.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Category", predicate: try GraphPredicate(format: "name == 'Home'"))
            ).first)
        #expect(home[.integer("taskCount")] == 0)
        try store.container.buildPendingIndexes()
        try store.expect("SELECT count(*) FROM ETL_PENDING", ["0"])
        try store.expect(counts, ["Home|2", "Shed|1", "Work|0"])
        try store.expect(names, ["a|Home", "b|Home", "c|Shed"])
        #expect(try store.lines(versions) == before)
        try other.processPendingChanges()
        #expect(home[.integer("taskCount")] == 2)
        let changes = try store.container.history(after: token).flatMap(\.changes)
        #expect(
            changes.map { "\($0.objectID.entityNumber) \($0.objectID.primaryKey)" }.sorted()
                == ["1 1", "1 3"])
        #expect(changes.allSatisfy { $0.updatedProperties == ["taskCount"] })
        // No more changes are reported.
        try store.container.buildPendingIndexes()
        #expect(try store.container.history(after: token).count == 1)
        // After the indexes are built, each save updates and reports derived values.
        try store.container.load(plan, [["d", "Work"]])
        try store.expect(counts, ["Home|2", "Shed|1", "Work|1"])
        try store.checkIntegrity()
    }

    @Test("history and other contexts receive changes of derived attributes")
    func othersLearn() throws {
        let store = try TestStore(model(entities), history: HistoryOptions(keeping: .untilPurged))
        let context = store.context()
        let list = try context.insert("List")
        let entry = try context.insert("Entry")
        try context.save()
        let other = store.context()
        other.automaticallyMergesChangesFromParent = true
        let seen = try other.existingObject(with: list.objectID)
        #expect(seen[.integer("count")] == 0)
        entry[.toOne("list")] = list
        try context.save()
        try other.processPendingChanges()
        #expect(seen[.integer("count")] == 1)
        let last = try #require(try store.container.history().last)
        let change = try #require(last.changes.first { $0.objectID == list.objectID })
        #expect(Set(change.updatedProperties ?? []).isSuperset(of: ["count"]))
        try store.checkIntegrity()
    }

    @Test("creating a store fails if a derivation expression is invalid")
    func refused() throws {
        for text in ["nothing.@count", "name + 1", "name =="] {
            let words =
                "List:\n  attributes: { name: String, a: { type: Integer 64, derived: \"\(text)\" } }"
            #expect(storeError { _ = try TestStore(words) }?.code == .invalidRequest)
        }
    }

    @Test("a save fails and names the attribute if a derived value is too large")
    func overflow() throws {
        let entities = """
            Item:
              attributes:
                size: Integer 64
                bytes: { type: Integer 64, derived: "size * 4096" }
            """
        try withStore(entities) { store in
            let context = store.context()
            let item = try context.insert("Item")
            item[.integer("size")] = Int.max
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(
                error?.message == """
                    'Item.bytes' of an object cannot be derived: The result of the arithmetic is too \
                    large
                    """)
            item[.integer("size")] = 2
            try context.save()
            try store.expect("SELECT ZSIZE, ZBYTES FROM ZITEM", ["2|8192"])
        }
    }

}
