import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

/// Tags of tasks, whose join table starts with the tag, and tasks of areas, whose join table starts
/// with the area; entities are numbered by name.
private let entities = """
    Area:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: areas } }
      unique: [[name]]
    Tag:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: tags } }
      unique: [[name]]
    Task:
      attributes: { id: Integer 32 }
      relationships:
        areas: { to: Area, many: true, inverse: tasks }
        tags: { to: Tag, many: true, inverse: tasks }
      unique: [[id]]
    """

@Suite("Join rows that a first load defers") struct DeferredJoinRowsTests {
    private func plan(_ entity: String, _ key: String, _ link: String, _ to: String) -> BulkPlan {
        BulkPlan(
            entity: entity, key: [key], attributes: [key],
            links: [
                .init(
                    relationship: link, destination: to, attribute: to == "Task" ? "id" : "name",
                    missing: .create)
            ])
    }

    /// Loads from both sides, with repeated links, and links that replace others before and after
    /// these were written.
    private func load(_ store: TestStore, linkBytes: Int) throws {
        try store.container.load(
            plan("Task", "id", "tags", "Tag"),
            [
                [1, ["b", "a", "b"]], [2, ["a"]], [1, ["c", "a"]], [3, []], [2, ["a"]],
                [4, ["a", "b", "c"]], [4, []], [1, ["b"]], [5, ["c"]],
            ], batchSize: 2, saveEvery: 4, buildsIndexes: false)
        try store.container.buildPendingIndexes(linkBytes: linkBytes)
        try store.container.load(
            plan("Area", "name", "tasks", "Task"),
            [["x", [2, 1, 2]], ["y", [5]], ["x", [3]], ["z", [4, 1]]], buildsIndexes: false)
        try store.container.buildPendingIndexes(linkBytes: linkBytes)
    }

    /// Returns the join rows in insertion order: the rows of tags and tasks come first.
    private func pairs(_ store: TestStore) throws -> [[String]] {
        try ["Z_2TASKS", "Z_1TASKS"].map {
            try store.lines("SELECT * FROM \($0) ORDER BY rowid")
        }
    }

    @Test(arguments: [0, 32, 100, 1 << 20])
    func writesJoinRowsInOrderUnderAnyMemoryLimit(linkBytes: Int) throws {
        try withStore(entities) { store in
            try load(store, linkBytes: linkBytes)
            #expect(
                try pairs(store) == [["1|1", "2|2", "3|5"], ["1|3", "2|5", "3|1", "3|4"]])
            try store.expect("SELECT count(*) FROM ETL_PENDING", ["0"])
            try store.expect("SELECT name FROM sqlite_master WHERE name GLOB 'ETL_[LR]*'", [])
            try store.checkIntegrity()
        }
    }

    @Test func writesJoinRowsWithKeysBeyond32Bits() throws {
        try withStore(entities) { store in
            try store.foreign().execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 4294967292 WHERE Z_NAME = 'Task'")
            try load(store, linkBytes: 1 << 20)
            #expect(
                try pairs(store) == [
                    ["1|4294967293", "2|4294967294", "3|4294967297"],
                    ["1|4294967295", "2|4294967297", "3|4294967293", "3|4294967296"],
                ])
        }
    }

    @Test(arguments: [
        (1 << 20, 5, true), (32, 5, true), (31, 5, false), (1 << 20, 4_294_967_292, false),
    ])
    func sortsInMemoryIfTheJoinRowsFit(linkBytes: Int, lastKey: Int, expected: Bool) throws {
        try withStore(entities) { store in
            let file = try store.foreign()
            try file.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(lastKey) WHERE Z_NAME = 'Task'")
            try store.container.load(
                plan("Task", "id", "tags", "Tag"),
                [[1, ["b", "a"]], [2, []], [3, []], [4, ["a"]]],
                buildsIndexes: false)
            let name = DeferredJoinRows.name(of: "Z_2TASKS")
            let note = try #require(
                try file.text("SELECT SQL FROM ETL_PENDING WHERE NAME = '\(name)'"))
            let links = try #require(try DeferredJoinRows(name: name, note: note, on: file))
            #expect(try links.complete(on: file, memoryBytes: linkBytes) == expected)
            #expect(try file.integer("SELECT count(*) FROM Z_2TASKS") == (expected ? 3 : 0))
            let other = try DeferredJoinRows(name: name, note: note + " ", on: file)
            #expect(other == nil)
        }
    }

    @Test("salvage reports the deferred links of a stopped load whose note is lost")
    func lostNote() throws {
        try withStore(entities) { store in
            try store.container.load(
                plan("Task", "id", "tags", "Tag"), [[1, ["b", "a"]], [2, ["a"]]],
                buildsIndexes: false)
            try store.foreign().execute("DELETE FROM ETL_PENDING WHERE NAME = 'ETL_LINKS_Z_2TASKS'")
            let salvage = try PersistentContainer.salvage(
                at: store.path, to: store.folder.file("new.sqlite"))
            #expect(
                salvage.losses.map(\.description).filter { $0.contains("deferred") } == [
                    "Z_2TASKS: not all deferred links of a stopped load can be read"
                ])
            try store.foreign().execute("DROP TABLE ETL_LINKS_Z_2TASKS")
        }
    }

    @Test func keepsTheJoinRowsOfTheLastRecordOfEachOwner() throws {
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        var last: [Int: Set<String>] = [:]
        var records: [[TestValue]] = []
        for _ in 0..<400 {
            let id = Int.random(in: 0..<80, using: &random)
            // Some lists are longer than a deferred row can hold.
            let names = Bool.random(using: &random) ? 5 : 2 * PackedLinks.linksMax
            let tags = (0..<names).map { "t\($0)" }.filter { _ in Bool.random(using: &random) }
            records.append([.integer(Int64(id)), .list(tags.map { .text($0) })])
            last[id] = Set(tags)
        }
        let expected = last.flatMap { id, tags in tags.map { "\(id)|\($0)" } }.sorted()
        for linkBytes in [0, 12_000, 1 << 20] {
            try withStore(entities) { store in
                try store.container.load(
                    plan("Task", "id", "tags", "Tag"), records, batchSize: 7, saveEvery: 21,
                    buildsIndexes: false)
                try store.container.buildPendingIndexes(linkBytes: linkBytes)
                let found = try store.lines(
                    "SELECT t.ZID, g.ZNAME FROM Z_2TASKS p JOIN ZTASK t ON t.Z_PK = p.Z_3TASKS1"
                        + " JOIN ZTAG g ON g.Z_PK = p.Z_2TAGS")
                #expect(found.sorted() == expected, "seed \(seed), \(linkBytes) bytes")
            }
        }
    }

    /// Otherwise, all replaced links would be read again each time.
    @Test func marksUnchangedOwnersAsRelinkedIfOthersChangeOften() throws {
        try withStore(entities) { store in
            let names = (0..<PackedLinks.linksMax).map { TestValue.text("t\($0)") }
            var records: [[TestValue]] = [[1, .list(names)], [2, ["t0"]]]
            for turn in 0..<80 {
                records.append([1, .list(Array(names.dropLast(1 - turn % 2)))])
                records.append([2, ["t0"]])
            }
            let outcome = try store.container.load(
                plan("Task", "id", "tags", "Tag"), records, buildsIndexes: false)
            #expect(
                outcome.counts
                    == "2 new, 0 changed, 0 same, 160 superseded, 0 rejected, 60 targets")
            try store.expect("SELECT OWNER FROM ETL_RELINKED_Z_2TASKS ORDER BY 1", ["1", "2"])
            try store.container.buildPendingIndexes()
            try store.expect(
                "SELECT Z_3TASKS1, count(*) FROM Z_2TASKS GROUP BY 1", ["1|60", "2|1"])
        }
    }

    /// A note from another version of etl still states the remaining work.
    @Test func runsTheStatementStoredInThePendingNote() throws {
        try withStore(entities) { store in
            try store.container.load(
                plan("Task", "id", "tags", "Tag"), [[1, ["a"]]], buildsIndexes: false)
            try store.foreign().execute(
                "UPDATE ETL_PENDING SET SQL = replace(SQL, 'ORDER BY 1, 2', 'LIMIT 0')"
                    + " WHERE NAME = 'ETL_LINKS_Z_2TASKS'")
            try store.container.buildPendingIndexes()
            #expect(try pairs(store) == [[], []])
        }
    }
}
