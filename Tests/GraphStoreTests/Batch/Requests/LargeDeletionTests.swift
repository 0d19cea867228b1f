import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Large batch deletes that rebuild indexes after the commit") struct LargeDeletionTests {
    private static let entities = """
        Area:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: area } }
          unique: [[name]]
        Tag:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
          unique: [[name]]
        Task:
          attributes:
            id: { type: Integer 64, optional: false }
            note: String
            rest: Integer 16
          relationships:
            area: { to: Area, inverse: tasks }
            tags: { to: Tag, many: true, inverse: tasks }
          indexes:
            byNote: { properties: [note desc, id asc] }
          unique: [[id]]
        """
    private static let plan = BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "note", "rest"],
        links: [
            .init(relationship: "area", destination: "Area", attribute: "name", missing: .create),
            .init(relationship: "tags", destination: "Tag", attribute: "name", missing: .create),
        ])
    private static let count: Int64 = 18_000

    /// Returns a store that is large enough for indexes that are written as pages.
    private func filled(
        _ folder: TemporaryFolder, _ entities: String = entities
    ) throws -> String {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let path = folder.file("store.sqlite")
        let container = try PersistentContainer(
            model: model(entities), .sqlite(at: path, opening: .create))
        let filler = String(repeating: "x", count: 900)
        let records = (0..<Self.count).map { number -> [TestValue] in
            [
                .integer(number), .text("\(Int.random(in: 0..<500, using: &random)) \(filler)"),
                .integer(number % 4),
                .text("area \(Int.random(in: 0..<20, using: &random))"),
                .list(
                    (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                        .text("tag \(Int.random(in: 0..<50, using: &random))")
                    }),
            ]
        }
        try container.load(Self.plan, records, saveEvery: 3_000)
        return path
    }

    /// Deletes three quarters of the tasks.
    private func delete(
        _ container: PersistentContainer, defers: Bool
    ) throws -> (deleted: Int, change: StoreChange) {
        let context = container.newContext()
        var request = BatchDeleteRequest(
            entityName: "Task", predicate: try GraphPredicate(format: "rest != 1"))
        request.defersIndexes = defers
        let result = try context.write(request)
        let change = try context.save().change
        return (result.deleted, change)
    }

    /// Opens the store and returns all that it contains.
    private func content(_ path: String) throws -> [String] {
        _ = try PersistentContainer(model: nil, at: path, opening: .existing)
        let connection = try Connection(path: path, mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        let join = StoreLayout(try model(Self.entities)).joinTables[0].name
        var lines: [String] = []
        for query in [
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
            "SELECT * FROM ETL_PENDING", "SELECT * FROM \(join) ORDER BY 1, 2",
            "SELECT Z_PK, Z_OPT, ZID, ZAREA, length(ZNOTE) FROM ZTASK ORDER BY Z_PK",
            "SELECT * FROM ZTAG ORDER BY Z_PK", "SELECT * FROM ZAREA ORDER BY Z_PK",
            "SELECT * FROM Z_PRIMARYKEY",
        ] {
            let rows = try connection.prepare(query)
            while try rows.step() {
                lines.append(
                    (0..<rows.columnCount).map { "\(rows.value($0))" }.joined(separator: "|"))
            }
        }
        return lines
    }

    @Test("the store and the changes are the same as without deferral")
    func equal() throws {
        let folders = try (TemporaryFolder(), TemporaryFolder())
        let direct = try filled(folders.0)
        var changes: [(deleted: Int, change: StoreChange)] = []
        do {
            let container = try PersistentContainer(model: nil, at: direct, opening: .existing)
            changes.append(try delete(container, defers: false))
            #expect(try pending(direct) == [])
        }
        let deferred = try filled(folders.1)
        do {
            let container = try PersistentContainer(model: nil, at: deferred, opening: .existing)
            changes.append(try delete(container, defers: true))
            let layout = StoreLayout(try model(Self.entities))
            let links = layout.joinTables[0]
            let indexes = try #require(layout.table(named: "ZTASK")).indexes.map(\.name)
            #expect(indexes.count == 3)
            #expect(
                try pending(deferred)
                    == (["ETL_LINKS_\(links.name)", "ETL_LOADER", links.reverseIndex.name]
                    + indexes).sorted())
            try container.buildPendingIndexes()
            #expect(try pending(deferred) == [])
        }
        #expect(changes.map(\.deleted) == [13_500, 13_500])
        let isSame = changes[0].change == changes[1].change
        #expect(isSame)
        let expected = try content(direct)
        #expect(try content(deferred) == expected, "seed \(TestSeed.ofThisRun)")
    }

    private func pending(_ path: String) throws -> [String] {
        let connection = try Connection(path: path, mode: .readOnly)
        let names = try connection.prepare("SELECT NAME FROM ETL_PENDING ORDER BY 1")
        var found: [String] = []
        while try names.step() { found.append(names.string(0)) }
        return found
    }

    @Test("the next opening completes a deletion whose process ended before the indexes were built")
    func completed() throws {
        let folder = try TemporaryFolder()
        let path = try filled(folder)
        do {
            let container = try PersistentContainer(model: nil, at: path, opening: .existing)
            _ = try delete(container, defers: true)
        }
        let container = try PersistentContainer(model: nil, at: path, opening: .existing)
        #expect(try pending(path) == [])
        let context = container.newContext()
        let tasks = try context.fetch(FetchRequest(entityName: "Task"))
        #expect(tasks.count == Int(Self.count) / 4)
        let other = try TemporaryFolder()
        let direct = try filled(other)
        do {
            let container = try PersistentContainer(model: nil, at: direct, opening: .existing)
            _ = try delete(container, defers: false)
        }
        let expected = try content(direct)
        #expect(try content(path) == expected, "seed \(TestSeed.ofThisRun)")
    }

    @Test("nothing is deferred while another connection has the store open")
    func shared() throws {
        let folder = try TemporaryFolder()
        let path = try filled(folder)
        let container = try PersistentContainer(model: nil, at: path, opening: .existing)
        let other = try PersistentContainer(model: nil, at: path, opening: .existing)
        let reader = other.newContext()
        let count = FetchRequest<ManagedObject>(
            entityName: "Task", predicate: try GraphPredicate(format: "ANY tags.name != nil"))
        let before = try reader.count(for: count)
        _ = try delete(container, defers: true)
        #expect(try pending(path) == [])
        let after = try other.newContext().count(for: count)
        #expect(after > 0)
        #expect(after < before)
        let writer = other.newContext()
        try writer.insert("Tag")[.string("name")] = "new"
        try writer.save()
    }

    @Test("nothing is deferred in a store with derived attributes, which are right after the save")
    func derived() throws {
        let folder = try TemporaryFolder()
        let entities = Self.entities.replacing(
            "Tag:\n  attributes: { name: String }",
            with: "Tag:\n  attributes: { name: String,"
                + " used: { type: Integer 64, derived: \"tasks.@count\" } }")
        try #require(entities != Self.entities)
        let path = try filled(folder, entities)
        let container = try PersistentContainer(model: nil, at: path, opening: .existing)
        _ = try delete(container, defers: true)
        #expect(try pending(path) == [])
        let connection = try Connection(path: path, mode: .readOnly)
        let join = StoreLayout(try model(entities)).joinTables[0].name
        let links = try connection.integer("SELECT count(*) FROM \(join)") ?? 0
        #expect(links > 0)
        #expect(try connection.integer("SELECT sum(ZUSED) FROM ZTAG") == links)
    }

    @Test("a trigger of the join table runs for the deleted links only")
    func trigger() throws {
        let folder = try TemporaryFolder()
        let path = try filled(folder)
        let join = StoreLayout(try model(Self.entities)).joinTables[0].name
        let rows = "SELECT count(*) FROM \(join)"
        var before: Int64 = 0
        // Closed before the deletion, which would otherwise defer nothing.
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.execute(
                """
                CREATE TABLE GONE (NUMBER INTEGER);
                CREATE TRIGGER NOTE AFTER DELETE ON \(join)
                BEGIN INSERT INTO GONE VALUES (old.ROWID); END
                """)
            before = try #require(try connection.integer(rows))
        }
        do {
            let alone = try PersistentContainer(model: nil, at: path, opening: .existing)
            _ = try delete(alone, defers: true)
            #expect(try !pending(path).contains(DeferredJoinRows.name(of: join)))
            try alone.buildPendingIndexes()
        }
        let connection = try Connection(path: path, mode: .readOnly)
        let gone = try #require(try connection.integer("SELECT count(*) FROM GONE"))
        #expect(gone > 0)
        #expect(try connection.integer(rows) == before - gone)
    }

    @Test("a reader that opens the store before the indexes are built waits for them")
    func awaited() async throws {
        let folder = try TemporaryFolder()
        let path = try filled(folder)
        let container = try PersistentContainer(model: nil, at: path, opening: .existing)
        _ = try delete(container, defers: true)
        let reader = Task.detached {
            var options = StoreOptions()
            options.isReadOnly = true
            options.busyTimeoutMilliseconds = 60_000
            let other = try PersistentContainer(
                model: nil, .sqlite(at: path, opening: .existing, options: options))
            return try other.newContext().count(for: FetchRequest(entityName: "Task"))
        }
        try await Task.sleep(for: .milliseconds(200))
        try container.buildPendingIndexes()
        #expect(try await reader.value == Int(Self.count) / 4)
    }

    @Test("another deletion in the same transaction sees the links")
    func twice() throws {
        let folder = try TemporaryFolder()
        let path = try filled(folder)
        let container = try PersistentContainer(model: nil, at: path, opening: .existing)
        let context = container.newContext()
        for format in ["rest != 1", "ANY tags.name BEGINSWITH 'tag 1'"] {
            var request = BatchDeleteRequest(
                entityName: "Task", predicate: try GraphPredicate(format: format))
            request.defersIndexes = true
            let result = try context.write(request)
            #expect(result.deleted > 0)
        }
        try context.save()
        try container.buildPendingIndexes()
        let count = try container.newContext().count(
            for: FetchRequest(
                entityName: "Task", predicate: try GraphPredicate(format: "ANY tags.name != nil")))
        #expect(count > 0)
        #expect(count < Int(Self.count) / 4)
    }
}
