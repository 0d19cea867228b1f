import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Salvage") struct StoreSalvageTests {
    private func lines(_ path: String, _ sql: String) throws -> [String] {
        try GraphStoreTests.lines(sql, on: Connection(path: path, mode: .readOnly))
    }

    @Test("salvage of a valid store keeps all rows, the UUID, and the metadata")
    func sound() throws {
        let store = try BreakableStore()
        do {
            let connection = try Connection(path: store.path, mode: .readWrite)
            var metadata = try #require(try StoreMetadata(readingFrom: connection))
            metadata.propertyList["AppVersion"] = .string("7")
            try metadata.write(to: connection)
        }
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(salvage.isComplete)
        #expect(
            salvage.objects == ["Person": 1, "Boss": 1, "Passport": 2, "Task": 3, "Tag": 2])
        for table in ["ZPERSON", "ZPASSPORT", "ZTASK", "ZTAG", store.pairs.table, "Z_PRIMARYKEY"] {
            let rows = "SELECT * FROM \(table) ORDER BY 1, 2"
            #expect(try lines(new, rows) == lines(store.path, rows))
        }
        #expect(
            try PersistentContainer.metadata(at: new).storeUUID
                == PersistentContainer.metadata(at: store.path).storeUUID)
        #expect(
            try PersistentContainer.metadata(at: new).metadata["AppVersion"] == .string("7"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
                == ["new.sqlite", "store.sqlite"])
        #expect(
            storeError { _ = try PersistentContainer.salvage(at: store.path, to: new) }?.code
                == .exists)
    }

    @Test("salvage fails if the new store's support folder exists, and does not change it")
    func leftFolder() throws {
        let store = try BreakableStore()
        let folder = store.folder.file(".new_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/x"))
        let new = store.folder.file("new.sqlite")
        let error = storeError { _ = try PersistentContainer.salvage(at: store.path, to: new) }
        #expect(error?.code == .exists)
        #expect(
            error?.message == "\(store.folder.file(".new_SUPPORT")), where \(new) would keep its"
                + " external files, exists already")
        #expect(!FileManager.default.fileExists(atPath: new))
        #expect(FileManager.default.contents(atPath: folder + "/x") == Data([1]))
    }

    @Test("salvage does not copy the history, and gives the new store another one")
    func history() throws {
        let store = try TestStore(
            model("Task: { attributes: { title: String } }"),
            history: HistoryOptions(keeping: .untilPurged))
        let context = store.context()
        try context.make("Task", ["title": "a"])
        try context.save()
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(
            salvage.losses.map(\.description) == [
                "The history is not copied; its readers must read the complete new store"
            ])
        #expect(try lines(new, "SELECT ZTITLE FROM ZTASK") == ["a"])
        let (old, found) = (
            try PersistentContainer.metadata(at: store.path).metadata[StoreMetadata.lineageKey],
            try PersistentContainer.metadata(at: new).metadata[StoreMetadata.lineageKey]
        )
        #expect(found != nil && found != old)
    }

    @Test("salvage of a store of a configuration saves the entities of this store only")
    func configuration() throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder.file("store.sqlite"), folder.file("other.sqlite"))
        let entities = """
            Task: { attributes: { title: String } }
            Tag: { attributes: { name: String } }
            """
        let split = try ManagedObjectModel(
            entities: model(entities).entities, configurations: ["A": ["Task"], "B": ["Tag"]])
        do {
            let container = try PersistentContainer(
                model: split,
                stores: [
                    StoreDescription(.sqlite, at: path, opening: .create, configuration: "A"),
                    StoreDescription(.sqlite, at: other, opening: .create, configuration: "B"),
                ])
            let context = container.newContext()
            try context.make("Task", ["title": "a"])
            try context.save()
        }
        let new = folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: path, to: new)
        #expect(salvage.isComplete)
        #expect(salvage.objects == ["Task": 1])
        #expect(try lines(new, "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") == ["Task|1"])
        #expect(try lines(new, "SELECT ZTITLE FROM ZTASK") == ["a"])
    }

    @Test("salvage numbers an order again if the next position would exceed the largest integer")
    func fullOrder() throws {
        let store = try BreakableStore()
        try store.run(
            "UPDATE ZTASK SET \(store.order) = CASE Z_PK WHEN 1 THEN \(Int64.max) END")
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(
            salvage.losses.map(\.description) == [
                "Task.owner: 2 objects had no position in the order, and are at its end (objects 2, 3)"
            ])
        #expect(salvage.remaining == [])
        let step = OrderPositions.step
        #expect(
            try lines(new, "SELECT Z_PK, \(store.order) FROM ZTASK ORDER BY 1")
                == ["1|\(step)", "2|\(step)", "3|\(2 * step)"])
    }

    @Test("salvage recovers the deferred links of an interrupted load")
    func recoversDeferredLinks() throws {
        let store = try BreakableStore()
        let pairs = store.pairs
        let table = try #require(store.schema.joinTables.first { $0.name == pairs.table })
        let columns =
            table.firstColumn == pairs.ownerColumn
            ? "l.OWNER, l.DESTINATION" : "l.DESTINATION, l.OWNER"
        let expected = try lines(store.path, "SELECT * FROM \(pairs.table) ORDER BY 1, 2")
        try store.run(
            """
            CREATE TABLE ETL_LINKS_\(pairs.table) (OWNER INTEGER, DESTINATION INTEGER);
            CREATE TABLE ETL_RELINKED_\(pairs.table) (OWNER INTEGER PRIMARY KEY, UP_TO INTEGER);
            INSERT INTO ETL_LINKS_\(pairs.table)
                SELECT \(pairs.ownerColumn), \(pairs.destinationColumn) FROM \(pairs.table);
            DELETE FROM \(pairs.table);
            INSERT INTO ETL_PENDING VALUES ('ETL_LINKS_\(pairs.table)',
                'INSERT OR IGNORE INTO \(pairs.table) (\(table.firstColumn), \
            \(table.secondColumn)) SELECT \(columns) FROM ETL_LINKS_\
            \(pairs.table) l LEFT JOIN ETL_RELINKED_\(pairs.table) r ON r.OWNER = l.OWNER \
            WHERE r.UP_TO IS NULL OR l.rowid > r.UP_TO ORDER BY 1, 2; DROP TABLE x');
            """)
        let found = try PersistentContainer.verify(at: store.path, .quick).findings
        #expect(
            found.map(\.description).contains(
                "A first load or a large deletion is not finished: 1 index or join table is incomplete;"
                    + " run the spec or repeat the import, which completes them"), "\(found)")
        let new = store.folder.file("new.sqlite")
        _ = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(expected.count == 3)
        #expect(try lines(new, "SELECT * FROM \(pairs.table) ORDER BY 1, 2") == expected)
    }

    @Test("salvage separates objects that have the same position in an order")
    func sharedPositions() throws {
        let store = try BreakableStore()
        try store.run("UPDATE ZTASK SET \(store.order) = 1024 WHERE Z_PK = 3")
        #expect(
            try store.findings() == [
                "Task.owner: 1 place in the order has several objects (object 1)"
            ])
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(
            salvage.losses.map(\.description) == [
                "Task.owner: 1 place in the order had several objects, which now follow each other by"
                    + " their keys (object 1)"
            ])
        #expect(salvage.remaining == [])
        #expect(
            try lines(new, "SELECT \(store.order) FROM ZTASK ORDER BY Z_PK")
                == ["1024", "1024", "2048"])
    }

    @Test("salvage and verify tell unreadable files of large values from missing ones")
    func unreadableFiles() throws {
        let store = try BreakableStore()
        let names = (0..<2).map { _ in UUID().uuidString }
        for (key, name) in zip(1...2, names) {
            try store.run(
                """
                UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || '\(name)' || x'00' AS BLOB)
                WHERE Z_PK = \(key)
                """)
        }
        // A folder in the place of a file cannot be read, whoever tries it.
        try FileManager.default.createDirectory(
            atPath: store.folder.file(".store_SUPPORT/_EXTERNAL_DATA/\(names[1])"),
            withIntermediateDirectories: true)
        let found = try PersistentContainer.verify(at: store.path, .full).findings.map(
            \.description)
        #expect(
            found == [
                "Person.photo: the file \(names[0]) is missing (object 1)",
                "Person.photo: the file \(names[1]) is unreadable (object 2)",
            ])
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(
            salvage.losses.map(\.description) == [
                "Person.photo: 1 value is null, whose file is missing (object 1)",
                "Person.photo: 1 value is null, whose file cannot be read (object 2)",
            ])
        #expect(salvage.remaining == [])
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: store.folder.file(".new_SUPPORT/_EXTERNAL_DATA")) == [])
    }

    @Test("salvage repairs or drops inconsistent data, reports it, and keeps the old store")
    func broken() throws {
        let store = try BreakableStore()
        try store.run(
            """
            DROP INDEX Z_Person_UNIQUE_name;
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPASSPORT) VALUES
                (3, \(store.number("Person")), 1, 'Ann', NULL),
                (4, \(store.number("Person")), NULL, 'Dan', 2),
                (5, 77, 1, 'Eve', NULL);
            UPDATE ZTASK SET ZOWNER = 3 WHERE Z_PK = 2;
            UPDATE ZTASK SET \(store.order) = NULL WHERE Z_PK = 3;
            DELETE FROM ZTAG WHERE Z_PK = 2;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
            UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || 'F' AS BLOB) WHERE Z_PK = 1;
            """)
        let before = try store.files()
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(
            salvage.losses.map(\.description) == [
                "Person: 1 row has an entity of another table, and is omitted (object 5)",
                "Person: 1 object has a key that others have, and is left out (object 3)",
                "Person.passport: 1 link did not match the other end, and is removed (object 4)",
                "Task.owner: 1 link had no destination object, and was removed (object 2)",
                "Task.owner: 1 object had no position in the order, and is at its end (object 3)",
                "Task.tags: 2 links had no destination object, and were removed (objects 1, 2)",
                "Person.photo: 1 value is null, whose file is missing (object 1)",
            ])
        #expect(salvage.remaining == [])
        #expect(
            try lines(new, "SELECT Z_PK, Z_OPT, ZNAME, ZPASSPORT, ZPHOTO FROM ZPERSON") == [
                "1|1|Ann|1|-", "2|1|Bob|2|-", "4|1|Dan|-|-",
            ])
        #expect(
            try lines(new, "SELECT Z_PK FROM ZTASK WHERE ZOWNER = 1 ORDER BY \(store.order)")
                == ["1", "3"])
        #expect(
            try lines(new, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'") == ["4"])
        for (name, bytes) in before { #expect(try store.files()[name] == bytes) }
    }

    @Test("salvage copies external values")
    func externalValues() throws {
        let store = try BreakableStore()
        let support = store.folder.file(".store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(
            atPath: support, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data("large".utf8).write(to: URL(fileURLWithPath: "\(support)/\(name)"))
        try store.run(
            "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || '\(name)' AS BLOB) WHERE Z_PK = 1")
        let new = store.folder.file("new.sqlite")
        #expect(try PersistentContainer.salvage(at: store.path, to: new).isComplete)
        #expect(
            FileManager.default.contents(
                atPath: store.folder.file(".new_SUPPORT/_EXTERNAL_DATA/\(name)"))
                == Data("large".utf8))
    }

    @Test("salvage recovers the objects on undamaged pages and counts the lost objects")
    func damagedPages() throws {
        let store = try BreakableStore()
        try store.run(
            """
            DELETE FROM \(store.pairs.table); DELETE FROM ZTASK;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
                SELECT i, \(store.number("Task")), 1, printf('%0100d', i) FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 5000 WHERE Z_NAME = 'Task';
            """)
        // A leaf of the table: a page of kind 13 that holds texts of tasks.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        let pages = stride(from: 4096, to: bytes.count, by: 4096).filter { start in
            bytes[start] == 13
                && bytes[start..<(start + 4096)].range(of: Data(repeating: 0x30, count: 90)) != nil
        }
        #expect(pages.count > 50)
        let seed = TestSeed.ofThisRun
        let damaged = [pages[3 + Int(seed % 20)], pages[40]]
        for page in damaged { bytes.replaceSubrange(page..<(page + 8), with: Data(count: 8)) }
        try bytes.write(to: URL(fileURLWithPath: store.path))
        #expect(try !PersistentContainer.verify(at: store.path, .full).isSound)
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        let saved = try #require(salvage.objects["Task"])
        let lost = try #require(salvage.losses.first)
        #expect(saved + lost.count == 5000, "seed \(seed)")
        #expect(saved > 4850, "seed \(seed)")
        #expect(lost.kind == .file)
        #expect(salvage.remaining == [])
        #expect(salvage.objects["Person"] == 1)
        #expect(
            try lines(
                new, "SELECT count(*) FROM ZTASK WHERE ZTITLE = printf('%0100d', Z_PK)")
                == ["\(saved)"])
    }

    @Test("salvage of an unreadable or missing file fails and creates no file")
    func nothingToRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        try Data("garbage".utf8).write(to: URL(fileURLWithPath: path))
        let new = folder.file("new.sqlite")
        #expect(
            storeError { _ = try PersistentContainer.salvage(at: path, to: new) }?.code
                == .corrupt)
        #expect(
            storeError { _ = try PersistentContainer.salvage(at: folder.file("b"), to: new) }?.code
                == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.sqlite"])
    }

    @Test("salvage uses the given model if the store's models cannot be read")
    func givenModel() throws {
        let store = try BreakableStore()
        try store.run("UPDATE ETL_MODEL SET MODEL = 'x'")
        let cached = try PersistentContainer.salvage(
            at: store.path, to: store.folder.file("cached.sqlite"))
        #expect(
            cached.losses.map(\.message) == [
                "The model in ETL_MODEL cannot be read, and is replaced by the one in Z_MODELCACHE"
            ])
        #expect(cached.remaining == [])
        try store.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
        let new = store.folder.file("new.sqlite")
        #expect(
            storeError { _ = try PersistentContainer.salvage(at: store.path, to: new) }?.code
                == .noModel)
        let salvage = try PersistentContainer.salvage(
            at: store.path, to: new, model: store.schema.model)
        #expect(salvage.isComplete)
        #expect(try PersistentContainer(model: nil, at: new).model == store.schema.model)
    }
}
