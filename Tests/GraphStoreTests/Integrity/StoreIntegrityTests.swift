import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

/// A small store with every kind of relationship, filled by plain SQL.
struct BreakableStore {
    static let model = """
        Person:
          attributes:
            name:  { type: String, optional: false }
            photo: { type: Binary, external: true }
          relationships:
            tasks: { to: Task, many: true, ordered: true, inverse: owner }
            passport: { to: Passport, inverse: person }
          unique: [[name]]
        Boss: { parent: Person }
        Passport:
          attributes: { number: Integer 32 }
          relationships: { person: { to: Person, inverse: passport } }
        Task:
          attributes: { title: String, uid: UUID, due: Date, done: Boolean, price: Decimal }
          relationships:
            owner: { to: Person, inverse: tasks }
            tags: { to: Tag, many: true, inverse: tasks }
        Tag:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
        """

    let folder: TemporaryFolder
    var path: String { folder.file("store.sqlite") }
    let schema: StoreLayout
    /// The join table of tasks and tags, from the side of the tasks.
    let pairs: StoreLayout.Join

    /// Creates persons 1 and 2 (a boss), their passports 1 and 2, tasks 1 to 3, and tags 1 and 2.
    init() throws {
        folder = try TemporaryFolder()
        let model = try GraphStoreTests.model(Self.model)
        schema = StoreLayout(model)
        guard case .joinTable(let join) = schema.entity(named: "Task")?.toManys["tags"] else {
            throw CocoaError(.featureUnsupported)
        }
        pairs = join
        _ = try PersistentContainer(model: model, at: path, opening: .create)
        let (person, boss) = (number("Person"), number("Boss"))
        try run(
            """
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPASSPORT) VALUES
                (1, \(person), 1, 'Ann', 1), (2, \(boss), 1, 'Bob', 2);
            INSERT INTO ZPASSPORT (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZPERSON, \(companion("Passport", "person")))
                VALUES (1, \(number("Passport")), 1, 11, 1, \(person)),
                (2, \(number("Passport")), 1, 22, 2, \(boss));
            INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZUID, ZDUE, ZDONE, ZPRICE, ZOWNER,
                \(companion("Task", "owner")), \(order)) VALUES
                (1, \(number("Task")), 1, 'a', x'\(String(repeating: "0A", count: 16))', 5, 1, 1.5,
                    1, \(person), 1024),
                (2, \(number("Task")), 1, 'b', NULL, 5.5, 0, 2, 2, \(boss), 1024),
                (3, \(number("Task")), 1, 'c', NULL, NULL, NULL, NULL, 1, \(person), 2048);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES
                (1, \(number("Tag")), 1, 'home'), (2, \(number("Tag")), 1, 'work');
            INSERT INTO \(pairs.table) (\(pairs.ownerColumn), \(pairs.destinationColumn))
                VALUES (1, 1), (1, 2), (2, 2);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_SUPER = 0;
            """)
    }

    private func entity(_ name: String) -> StoreLayout.Entity {
        schema.entities.first { $0.name == name } ?? schema.entities[0]
    }

    func number(_ name: String) -> Int64 { entity(name).number }

    /// Returns the column that holds the entity of a to-one relationship's object.
    func companion(_ name: String, _ relationship: String) -> String {
        entity(name).toOnes[relationship]?.columns?.entityColumn ?? "?"
    }

    /// The column with a task's position among its owner's tasks.
    var order: String { entity("Task").toOnes["owner"]?.columns?.orderColumn ?? "?" }

    func run(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute(sql)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func findings(_ level: StoreVerification.Level = .full) throws -> [String] {
        try PersistentContainer.verify(at: path, level).findings.map(\.description)
    }

    /// Returns the content of every file in the folder.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            files[name] = FileManager.default.contents(atPath: folder.file(name)) ?? Data()
        }
        return files
    }
}

@Suite("Integrity") struct StoreIntegrityTests {
    @Test("verification finds nothing in a valid store")
    func sound() throws {
        let store = try BreakableStore()
        #expect(try store.findings() == [])
        #expect(try store.findings(.quick) == [])
    }

    @Test(
        "verification reports inconsistent rows and tables, and does not change the store",
        arguments: [
            (
                "UPDATE ZTASK SET ZOWNER = 99 WHERE Z_PK = 2",
                ["Task.owner: 1 link leads nowhere (object 2)"]
            ),
            (
                "UPDATE ZTASK SET ZOWNER = 2 WHERE Z_PK = 1",
                [
                    "Task.owner: 1 link names another entity than the object that it leads to is of "
                        + "(object 1)",
                    "Task.owner: 1 place in the order has several objects (object 1)",
                ]
            ),
            (
                "UPDATE ZTASK SET FOK = NULL",
                ["Task.owner: 3 objects have no position in the order (objects 1, 2, 3)"]
            ),
            (
                "UPDATE ZTASK SET FOK = 1024",
                ["Task.owner: 1 place in the order has several objects (object 1)"]
            ),
            (
                "UPDATE ZPERSON SET ZPASSPORT = 2",
                [
                    "Passport.person: 1 object that it leads to does not lead back (object 1)",
                    "Person.passport: 1 object that it leads to does not lead back (object 1)",
                ]
            ),
            (
                "DELETE FROM ZTAG WHERE Z_PK = 2",
                ["Task.tags: 2 links lead nowhere (objects 1, 2)"]
            ),
            (
                "DELETE FROM ZTASK WHERE Z_PK = 1",
                ["Tag.tasks: 2 links lead nowhere (objects 1, 2)"]
            ),
            (
                "UPDATE ZPERSON SET ZNAME = NULL WHERE Z_PK = 2",
                ["Person.name: 1 object lacks a value, which is required (object 2)"]
            ),
            (
                "DROP INDEX Z_Person_UNIQUE_name; UPDATE ZPERSON SET ZNAME = 'x'",
                [
                    "The index Z_Person_UNIQUE_name is missing, so that keys may come twice",
                    "Person: 1 key (name) has several objects (object 1)",
                ]
            ),
            (
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Tag'",
                ["Tag: key 2 is used, but Z_PRIMARYKEY counts only to 1 (object 2)"]
            ),
            (
                "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Passport'",
                ["Passport: key 2 is used, but Z_PRIMARYKEY counts only to 0 (object 2)"]
            ),
            (
                "UPDATE ZTAG SET Z_ENT = 77, Z_OPT = NULL WHERE Z_PK = 1",
                [
                    "Tag: 1 row has an entity of another table (object 1)",
                    "Tag: 1 row does not count its changes (object 1)",
                ]
            ),
            (
                "UPDATE ZTASK SET ZTITLE = x'00', ZUID = x'0102', ZDUE = 'x', ZDONE = 1.5,"
                    + " ZPRICE = x'00' WHERE Z_PK = 3",
                [
                    "Task.done: 1 value is not a valid Boolean (object 3)",
                    "Task.due: 1 value is not a valid Date (object 3)",
                    "Task.price: 1 value is not a valid Decimal (object 3)",
                    "Task.title: 1 value is not a valid String (object 3)",
                    "Task.uid: 1 value is not a valid UUID (object 3)",
                ]
            ),
            (
                "UPDATE ZPERSON SET ZPASSPORT = NULL; DELETE FROM ZPASSPORT;"
                    + " DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Passport'",
                ["Passport: it has no key counter in Z_PRIMARYKEY"]
            ),
            (
                "DROP INDEX Z_Person_UNIQUE_name;"
                    + " INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME)"
                    + " SELECT Z_PK + 2, Z_ENT, 1, ZNAME FROM ZPERSON;"
                    + " UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Person'",
                [
                    "The index Z_Person_UNIQUE_name is missing, so that keys may come twice",
                    "Person: 2 keys (name) have several objects (objects 1, 2)",
                ]
            ),
            (
                "CREATE TABLE X AS SELECT * FROM ZTASK WHERE Z_PK = 2; UPDATE X SET Z_PK = 4;"
                    + " INSERT INTO ZTASK SELECT * FROM X; DROP TABLE X;"
                    + " UPDATE ZTASK SET FOK = 1024;"
                    + " UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Task'",
                ["Task.owner: 2 places in the order have several objects (objects 1, 2)"]
            ),
            (
                "INSERT INTO ETL_PENDING VALUES ('x', 'y')",
                [
                    "A first load or a large deletion is not finished: 1 index or join table is"
                        + " incomplete; run the spec or repeat the import, which completes them"
                ]
            ),
            ("DELETE FROM Z_METADATA", ["The table Z_METADATA is empty"]),
            (
                "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || 'F' || Z_PK AS BLOB)",
                ["Person.photo: 2 files are missing, such as F1 (objects 1, 2)"]
            ),
            ("DROP TABLE ZPASSPORT", ["The table ZPASSPORT is missing"]),
            (
                "DROP INDEX Z_Person_UNIQUE_name; ALTER TABLE ZPERSON DROP COLUMN ZNAME",
                [
                    "The column ZPERSON.ZNAME is missing",
                    "The index Z_Person_UNIQUE_name is missing, so that keys may come twice",
                ]
            ),
            (
                "UPDATE ETL_MODEL SET MODEL = 'x'", ["The model in the store cannot be read"]
            ),
            ("DROP TABLE Z_METADATA", ["The table Z_METADATA is missing"]),
            (
                "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || 'F' AS BLOB) WHERE Z_PK = 1",
                ["Person.photo: the file F is missing (object 1)"]
            ),
        ])
    func broken(_ sql: String, _ expected: [String]) throws {
        let store = try BreakableStore()
        try store.run(sql.replacing("FOK", with: store.order))
        let before = try store.files()
        #expect(
            try store.findings().map { $0.replacing(store.path, with: "PATH") } == expected)
        #expect(try store.files() == before)
    }

    @Test("verification reports files of large values without an object")
    func orphans() throws {
        let store = try BreakableStore()
        let support = store.folder.file(".store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(
            atPath: support, withIntermediateDirectories: true)
        for name in ["A", "B", "C"] {
            try Data(name.utf8).write(to: URL(fileURLWithPath: "\(support)/\(name)"))
        }
        try store.run(
            "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || 'B' AS BLOB) WHERE Z_PK = 1")
        #expect(
            try store.findings() == ["2 files in \(support) belong to no object, such as A"])
    }

    @Test("verification reports changes without a transaction, and keys that no counter counts")
    func history() throws {
        let store = try TestStore(
            model("Task: { attributes: { title: String } }"),
            history: HistoryOptions(keeping: .untilPurged))
        let context = store.context()
        try context.make("Task", ["title": "a"])
        try context.save()
        try store.foreign().execute(
            """
            DELETE FROM ATRANSACTION;
            DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistorySchema.changeEntity)
            """)
        let found = try PersistentContainer.verify(at: store.path, .full).findings
        #expect(
            found.map(\.description) == [
                "The history has 1 change of no transaction",
                "ACHANGE: key 1 is used, but Z_PRIMARYKEY counts only to 0",
            ])
    }

    @Test("verification reads the WAL without changing the store's files")
    func logs() throws {
        let store = try BreakableStore()
        let writer = try Connection(path: store.path, mode: .readWrite)
        try writer.execute("UPDATE ZTASK SET ZOWNER = 99 WHERE Z_PK = 2")
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: store.path + suffix, toPath: copy.file("s.sqlite" + suffix))
        }
        func files() throws -> [String: Data?] {
            Dictionary(
                uniqueKeysWithValues: try FileManager.default.contentsOfDirectory(
                    atPath: copy.path
                ).map { ($0, FileManager.default.contents(atPath: copy.file($0))) })
        }
        let before = try files()
        #expect(before.keys.sorted() == ["s.sqlite", "s.sqlite-wal"])
        #expect(
            try PersistentContainer.verify(at: copy.file("s.sqlite"), .full).problems
                == ["Task.owner: 1 link leads nowhere"])
        #expect(try files() == before)
        // A store in use is verified in its current state.
        #expect(try store.findings() == ["Task.owner: 1 link leads nowhere (object 2)"])
        try writer.execute("UPDATE ZTASK SET ZOWNER = NULL WHERE Z_PK = 2")
        #expect(try store.findings().count == 0)
    }

    @Test("verification reports random flipped bits and does not change the file")
    func flippedBytes() throws {
        let store = try BreakableStore()
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.path))
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        for round in 0..<40 {
            var bytes = whole
            for _ in 0..<200 { bytes[random.pick(bytes.count)] ^= UInt8(1 << random.pick(8)) }
            let path = store.folder.file("flipped-\(round).sqlite")
            try bytes.write(to: URL(fileURLWithPath: path))
            do {
                let found = try PersistentContainer.verify(at: path, .full)
                #expect(!found.isSound, "seed \(seed), round \(round)")
            } catch let error where error.code == .encoding {
                // The flipped bit is the one in the header that sets the text encoding.
            } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }
}
