import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Indexes and join tables that are written as pages") struct PageBuildTests {
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
            id: { type: String, optional: false }
            size: Double
            count: Integer 64
            note: Binary
          relationships:
            area: { to: Area, inverse: tasks }
            tags: { to: Tag, many: true, inverse: tasks }
          indexes:
            bySize: { properties: [size desc, id asc] }
            byNote: { properties: [note, count desc] }
          unique: [[id]]
        """
    private static let plan = BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "size", "count", "note"],
        links: [
            .init(relationship: "area", destination: "Area", attribute: "name", missing: .create),
            .init(relationship: "tags", destination: "Tag", attribute: "name", missing: .create),
        ])

    private struct Numbered {
        var random: SeededGenerator

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        /// Some records repeat the key of another one; some keys and notes do not fit in a page.
        mutating func record() -> [TestValue] {
            let id = number(0..<2_000)
            let text = "k\(id)" + String(repeating: "ä", count: id % 211 == 0 ? 5_000 : id % 7)
            let sizes: [TestValue] = [
                nil, .real(Double(number(-5..<5)) / 2), .real(-0.0), .real(1e300),
                .real(Double(1 << 50)), .real(4e18),
            ]
            let counts: [TestValue] = [
                nil, .integer(Int64(number(-200..<200))), .integer(.max), .integer(.min),
                .integer(1 << 40),
            ]
            let note = [UInt8](
                repeating: UInt8(number(0..<3)), count: number(0..<4) * number(0..<700))
            return [
                .text(text), sizes[number(0..<sizes.count)], counts[number(0..<counts.count)],
                number(0..<3) == 0 ? nil : .blob(note), .text("a\(number(0..<5))"),
                .list((0..<number(0..<6)).map { _ in .text("t\(number(0..<40))") }),
            ]
        }
    }

    /// Returns a store with deferred indexes, which no connection has open.
    private func stopped(_ seed: UInt64, in folder: TemporaryFolder) throws -> String {
        let path = folder.file("store.sqlite")
        let container = try PersistentContainer(
            model: model(Self.entities), .sqlite(at: path, opening: .create))
        var numbers = Numbered(random: SeededGenerator(seed: seed))
        let records = (0..<3_000).map { _ in numbers.record() }
        try container.load(
            Self.plan, records, batchSize: 100, saveEvery: 500, buildsIndexes: false)
        return path
    }

    private func build(
        _ path: String, memoryBytes: Int = 1 << 20
    ) throws -> (connection: Connection, build: PageBuild?) {
        let connection = try Connection(path: path, mode: .readWrite)
        let build = try PageBuild(
            PendingIndexes.notesByName(on: connection), StoreLayout(model(Self.entities)),
            on: connection, memoryBytes: memoryBytes, pagesMin: 0)
        return (connection, build)
    }

    /// Opens the store, which completes the load, and returns all that it contains.
    private func content(_ path: String) throws -> [String] {
        _ = try PersistentContainer(model: nil, at: path, opening: .existing)
        let connection = try Connection(path: path, mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        let join = StoreLayout(try model(Self.entities)).joinTables[0].name
        return try lines(
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name", on: connection)
            + lines("SELECT * FROM ETL_PENDING", on: connection)
            + lines("SELECT rowid, * FROM \(join) ORDER BY rowid", on: connection)
            + lines("SELECT * FROM ZTASK ORDER BY Z_PK", on: connection)
            + lines("SELECT * FROM Z_PRIMARYKEY", on: connection)
    }

    @Test("written pages equal those of SQL statements", arguments: [1 << 17, 1 << 22])
    func equal(memoryBytes: Int) throws {
        let seed = TestSeed.ofThisRun
        let folder = try TemporaryFolder()
        let bySQL = try content(stopped(seed, in: folder))
        let other = try TemporaryFolder()
        let path = try stopped(seed, in: other)
        do {
            let (connection, build) = try build(path, memoryBytes: memoryBytes)
            try #require(build).run()
            // Only the notes about the owner and the log are left.
            #expect(
                try lines("SELECT NAME FROM ETL_PENDING ORDER BY NAME", on: connection)
                    == ["ETL_LOADER", "ETL_LOG"])
            #expect(
                try lines(
                    "SELECT count(*) FROM ZTASK INDEXED BY Z_Task_UNIQUE_id WHERE ZID >= 'k'",
                    on: connection)
                    == lines("SELECT count(*) FROM ZTASK NOT INDEXED", on: connection))
        }
        #expect(try content(path) == bySQL, "seed \(seed)")
    }

    @Test("SQL statements build the indexes if another connection is open")
    func others() throws {
        let seed = TestSeed.ofThisRun
        let folder = try TemporaryFolder()
        let path = try stopped(seed, in: folder)
        do {
            let reader = try Connection(path: path, mode: .readOnly)
            #expect(try reader.integer("SELECT count(*) FROM ETL_PENDING") == 7)
            let (connection, build) = try build(path)
            try #require(build).run()
            #expect(try connection.integer("SELECT count(*) FROM ETL_PENDING") == 8)
            #expect(try reader.text("PRAGMA journal_mode") == "wal")
        }
        let other = try TemporaryFolder()
        #expect(try content(path) == content(stopped(seed, in: other)), "seed \(seed)")
    }

    @Test("SQL statements build the indexes of a small file")
    func small() throws {
        let folder = try TemporaryFolder()
        let path = try stopped(1, in: folder)
        let connection = try Connection(path: path, mode: .readWrite)
        let build = try PageBuild(
            PendingIndexes.notesByName(on: connection), StoreLayout(model(Self.entities)),
            on: connection, memoryBytes: 1 << 20, pagesMin: PageBuild.pagesMin)
        #expect(build == nil)
    }

    @Test(
        "the next opening completes the pages, wherever the process was killed",
        arguments: 1...3)
    func killed(steps: Int) throws {
        let seed = TestSeed.ofThisRun
        let folder = try TemporaryFolder()
        let path = try stopped(seed, in: folder)
        do {
            let (connection, made) = try build(path)
            let build = try #require(made)
            try PendingIndexes.noteLog(on: connection)
            #expect(try connection.leaveLog())
            try build.createTrees()
            if steps > 1 {
                let filled = try build.fill().get()
                if steps > 2 { #expect(try build.turnIntoIndexes(filled)) }
            }
            // A filled tree is a table whose keys may be null, until it is an index.
            let faults = try lines("PRAGMA integrity_check", on: connection)
            #expect(
                faults == ["ok"]
                    || steps == 2 && faults.allSatisfy { $0.contains("NULL value in ETL_TREE_") })
        }
        let other = try TemporaryFolder()
        #expect(try content(path) == content(stopped(seed, in: other)), "seed \(seed)")
    }

    @Test("two rows with the same key fail with SQLite's message")
    func duplicate() throws {
        let folder = try TemporaryFolder()
        let path = try stopped(1, in: folder)
        do {
            let (connection, build) = try build(path)
            try connection.execute("UPDATE ZTASK SET ZID = 'same' WHERE Z_PK < 3")
            try #require(build).run()
            #expect(try connection.integer("SELECT count(*) FROM ETL_PENDING") == 8)
            #expect(
                try lines(
                    "SELECT name FROM sqlite_master WHERE name GLOB 'ETL_TREE*'", on: connection)
                    == [])
        }
        let error = storeError {
            _ = try PersistentContainer(model: nil, at: path, opening: .existing)
        }
        #expect(error?.code == .unique)
    }

    @Test("SQL statements build the indexes if another program writes after they are filled")
    func writtenSince() throws {
        let folder = try TemporaryFolder()
        let path = try stopped(1, in: folder)
        do {
            let (connection, made) = try build(path)
            let build = try #require(made)
            try PendingIndexes.noteLog(on: connection)
            #expect(try connection.leaveLog())
            try build.createTrees()
            let filled = try build.fill().get()
            try Connection(path: path, mode: .readWrite).execute(
                "INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZID) VALUES (9000, 3, 1, 'new')")
            #expect(try !build.turnIntoIndexes(filled))
        }
        #expect(try content(path).filter { $0.contains("|new|") }.count == 1)
    }

    @Test("readers roll back a killed process's pages and report the unfinished load")
    func hotJournal() throws {
        struct Killed: Error {}
        let folder = try TemporaryFolder()
        let path = try stopped(1, in: folder)
        do {
            let (connection, _) = try build(path)
            #expect(try connection.leaveLog())
            try connection.execute("PRAGMA user_version = 1")
            #expect(chmod(path, 0o640) == 0)
            #expect(throws: Killed.self) {
                _ = try connection.fill([], reading: []) { _ in
                    var status = stat()
                    #expect(stat(path + "-journal", &status) == 0)
                    #expect(status.st_mode & 0o777 == 0o640)
                    throw Killed()
                }
            }
        }
        #expect(access(path + "-journal", F_OK) == 0)
        var options = StoreOptions()
        options.isReadOnly = true
        let error = storeError {
            _ = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
        }
        #expect(error?.isUnfinishedLoad == true, "\(String(describing: error))")
        #expect(access(path + "-journal", F_OK) != 0)
    }

    @Test("pages are written for a small index of a table whose pages end the file")
    func tableAtTheEnd() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let model = try model(
            """
            Item:
              attributes: { id: { type: Integer 64 }, note: Binary }
              unique: [[id]]
            """)
        do {
            let container = try PersistentContainer(
                model: model, .sqlite(at: path, opening: .create))
            try container.load(
                BulkPlan(entity: "Item", key: ["id"], attributes: ["id", "note"]),
                (0..<100).map { [.integer($0), .blob([UInt8](repeating: 1, count: 28_000))] },
                buildsIndexes: false)
        }
        let connection = try Connection(path: path, mode: .readWrite)
        let build = try PageBuild(
            PendingIndexes.notesByName(on: connection), StoreLayout(model), on: connection,
            memoryBytes: 1 << 20, pagesMin: 0)
        try #require(build).run()
        #expect(
            try lines("SELECT NAME FROM ETL_PENDING ORDER BY NAME", on: connection)
                == ["ETL_LOADER", "ETL_LOG"])
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }
}
