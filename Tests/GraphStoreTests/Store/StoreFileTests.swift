import Files
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Store files") struct StoreFileTests {
    private let entities = """
        A:
          attributes: { x: String, data: { type: Binary, external: true } }
          relationships: { b: { to: B, inverse: as } }
          unique: [[x]]
        B:
          attributes: { y: String }
          relationships: { as: { to: A, many: true, inverse: b } }
        """
    private let plan = BulkPlan(entity: "A", key: ["x"], attributes: ["x"])

    private func support(_ store: TestStore) throws -> String {
        let folder = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("row 23: destroy deletes the store's file, its WAL, and its external values")
    func destroysEverything() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let store = try TestStore(entities)
            try store.container.load(plan, [["a"]])
            // The state after a process was killed: the WAL still exists.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: store.path + suffix, toPath: path + suffix)
            }
        }
        let support = folder.file(".store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(
            atPath: support, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: support + "/one"))
        try Data([1]).write(to: URL(fileURLWithPath: folder.file("other")))
        try PersistentContainer.destroy(at: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
        try PersistentContainer.destroy(at: path)
        try PersistentContainer.destroy(at: folder.file("no/such"))
    }

    @Test("row 23: destroy fails as busy and deletes nothing while the store is in use")
    func doesNotDestroyWhatIsInUse() throws {
        let store = try TestStore(entities)
        try store.container.load(plan, [["a"]])
        let reader = try Connection(path: store.path, mode: .readOnly)
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM ZA")
        let error = storeError {
            try PersistentContainer.destroy(at: store.path, timeoutMilliseconds: 10)
        }
        #expect(error?.code == .busy)
        try reader.execute("COMMIT")
        // An idle open container would lose its later saves.
        #expect(
            storeError {
                try PersistentContainer.destroy(at: store.path, timeoutMilliseconds: 10)
            }?.code == .busy)
        #expect(try reader.integer("SELECT count(*) FROM ZA") == 1)
        try store.checkIntegrity()
    }

    @Test("row 23: a copy contains the last save, and not the changes of a pending write")
    func copiesWhileOthersWrite() throws {
        let store = try TestStore(entities)
        try Data([1, 2]).write(to: URL(fileURLWithPath: support(store) + "/one"))
        try store.container.load(plan, [["a"], ["b"]])
        let context = store.container.newContext()
        let writer = try context.bulkWriter(for: plan)
        let batch = RowBatch(width: 1)
        batch.add(["c"])
        try writer.apply(batch, firstToken: 1)
        try writer.finish()
        let copy = store.folder.file("copy.sqlite")
        try store.container.copyStore(to: copy)
        try context.save()
        #expect(
            try lines("SELECT ZX FROM ZA ORDER BY 1", on: Connection(path: copy, mode: .readOnly))
                == ["a", "b"])
        #expect(
            try Data(
                contentsOf: URL(
                    fileURLWithPath: store.folder.file(
                        ".copy_SUPPORT/_EXTERNAL_DATA/one"))) == Data([1, 2]))
        let opened = try PersistentContainer(model: nil, at: copy)
        try opened.load(plan, [["d"]])
        #expect(try store.integer("SELECT count(*) FROM ZA") == 3)
        #expect(storeError { try store.container.copyStore(to: copy) }?.code == .exists)
        // No object refers to the copied file.
        #expect(
            try PersistentContainer.verify(at: copy, .full).findings.map(\.kind)
                == [.externalOrphan])
    }

    @Test("rows 19, 23: an in-memory store can be copied to a file")
    func copiesFromMemory() throws {
        let folder = try TemporaryFolder()
        let container = try PersistentContainer.ephemeral(model: model(entities))
        try container.load(plan, [["a"]])
        let path = folder.file("a.sqlite")
        try container.copyStore(to: path)
        let opened = try PersistentContainer(model: nil, at: path)
        try opened.load(plan, [["b"]])
        #expect(try Connection(path: path, mode: .readOnly).integer("SELECT count(*) FROM ZA") == 2)
    }

    @Test("row 22: metadata can be read without opening the store, and saves keep all keys")
    func keepsMetadata() throws {
        let store = try TestStore(entities)
        let container = store.container
        try container.setMetadata(.string("7"), forKey: "AppVersion")
        #expect(container.metadata["AppVersion"] == .string("7"))
        #expect(try PersistentContainer.metadata(at: store.path).metadata["AppVersion"] == nil)
        // Another program writes its own key before the save.
        let other = try PersistentContainer(model: nil, at: store.path)
        try other.setMetadata(.integer(1), forKey: "Theirs")
        try other.saveMetadata()
        try container.load(plan, [["a"]])
        let (uuid, metadata) = try PersistentContainer.metadata(at: store.path)
        #expect(uuid == container.storeUUID)
        #expect(metadata["AppVersion"] == .string("7"))
        #expect(metadata["Theirs"] == .integer(1))
        #expect(metadata["NSStoreType"] == .string("SQLite"))
        #expect(metadata.count == 10)
        try container.setMetadata(nil, forKey: "Theirs")
        try container.saveMetadata()
        #expect(try PersistentContainer.metadata(at: store.path).metadata.count == 9)
        for key in [
            "NSStoreModelVersionHashes", "_NSAutoVacuumLevel", "NSPersistenceFrameworkVersion",
        ] {
            #expect(
                storeError { try container.setMetadata(.integer(1), forKey: key) }?.code
                    == .invalidRequest)
        }
        try store.checkIntegrity()
    }

    @Test("row 22: inspecting a closed store leaves its folder unchanged")
    func inspectsWithoutATrace() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        do {
            let container = try PersistentContainer(
                model: model(entities), at: path, opening: .create)
            try container.load(plan, [["a"]])
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        _ = try PersistentContainer.metadata(at: path)
        _ = try PersistentContainer.model(ofStoreAt: path)
        _ = try PersistentContainer.verify(at: path, .full)
        try PersistentContainer.checkReplaceable(at: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.sqlite"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("row 22: forkUUID gives a store a new UUID, which the next save writes")
    func forksTheIdentity() throws {
        let store = try TestStore(entities)
        let before = store.container.storeUUID
        let uuid = store.container.forkUUID()
        #expect(uuid != before)
        #expect(store.container.storeUUID == uuid)
        #expect(try PersistentContainer.metadata(at: store.path).storeUUID == before)
        try store.container.load(plan, [["a"]])
        #expect(try PersistentContainer.metadata(at: store.path).storeUUID == uuid)
    }

    @Test("row 22: metadata changes survive a rollback, and the next save writes them")
    func keepsMetadataOverARollback() throws {
        let store = try TestStore(entities)
        try store.container.setMetadata(.string("7"), forKey: "AppVersion")
        let context = store.container.newContext()
        _ = try context.write(BatchDeleteRequest(entityName: "A"))
        context.rollback()
        #expect(try PersistentContainer.metadata(at: store.path).metadata["AppVersion"] == nil)
        try store.container.load(plan, [["a"]])
        #expect(
            try PersistentContainer.metadata(at: store.path).metadata["AppVersion"] == .string("7"))
    }

    @Test("row 25: verification finds no problem in a valid store")
    func findsNothingWrong() throws {
        let store = try TestStore(everythingModel)
        for level in [StoreVerification.Level.quick, .full] {
            #expect(
                try PersistentContainer.verify(at: store.path, level, model: model(everythingModel))
                    .isSound)
        }
    }

    @Test(
        "row 25: verification reports wrong hashes, keys, links, missing files, and damaged pages")
    func findsDamage() throws {
        let store = try TestStore(entities)
        try store.container.load(plan, [["a"], ["b"]])
        let file = "11111111-2222-3333-4444-555555555555"
        let foreign = try store.foreign()
        try foreign.execute(
            """
            UPDATE ZA SET ZB = 99 WHERE ZX = 'a';
            UPDATE ZA SET ZDATA = CAST(x'02' || '\(file)' AS BLOB) WHERE ZX = 'b';
            INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) VALUES (7, 1, 1);
            """)
        let other = try model("A: { attributes: { z: String } }")
        let quick = [
            "The version hashes differ from the one given: A, B",
            "B: key 7 is used, but Z_PRIMARYKEY counts only to 0",
            "B: 1 row has an entity of another table",
        ]
        #expect(
            try PersistentContainer.verify(at: store.path, model: other).problems == quick)
        #expect(
            try PersistentContainer.verify(at: store.path, .full, model: other).problems
                == quick + ["A.b: 1 link leads nowhere", "A.data: the file \(file) is missing"])
        let garbage = store.folder.file("garbage")
        try Data("SQLite format 3".utf8).write(to: URL(fileURLWithPath: garbage))
        #expect(
            try PersistentContainer.verify(at: garbage).problems
                == ["The file does not begin as an SQLite file does"])
        try store.container.checkpoint()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        bytes.replaceSubrange(8192..<16384, with: Data(repeating: 0xAA, count: 8192))
        let damaged = store.folder.file("damaged.sqlite")
        try bytes.write(to: URL(fileURLWithPath: damaged))
        #expect(try !PersistentContainer.verify(at: damaged).isSound)
        #expect(
            storeError { _ = try PersistentContainer.verify(at: garbage + "x") }?.code == .missing)
    }

    @Test("row 11: a partial index is created in the file, and SQLite uses it")
    func makesPartialIndexes() throws {
        let model = try ManagedObjectModel {
            Entity("Task") {
                Attribute("done", .boolean)
                Attribute("due", .date)
                Attribute("title", .string)
                Index(
                    "open", .descending("due"), "title", where: "done == NO AND title != \"it's\"")
            }
        }
        try withStore(model) { store in
            try store.expect(
                "SELECT sql FROM sqlite_master WHERE name = 'Z_Task_open'",
                [
                    "CREATE INDEX Z_Task_open ON ZTASK (ZDUE COLLATE BINARY DESC, ZTITLE COLLATE"
                        + " BINARY ASC) WHERE (ZDONE IS 0 AND ZTITLE IS NOT 'it''s')"
                ])
            let plan = try store.lines(
                "EXPLAIN QUERY PLAN SELECT Z_PK FROM ZTASK WHERE ZDONE IS 0"
                    + " AND ZTITLE IS NOT 'it''s' AND ZDUE < 5")
            #expect(plan.contains { $0.contains("INDEX Z_Task_open (ZDUE<?)") })
        }
    }

    @Test(
        "row 11: an index covers the rows that its predicate selects, or else all rows",
        arguments: [
            ("n > 1", "ZN > 1"), ("n <= 5 AND title == nil", "(ZN <= 5 AND ZTITLE IS NULL)"),
            ("n == 1 OR d >= 0.5", "(ZN IS 1 OR ZD >= 0.5)"),
            ("day < '2001-01-01T00:00:02Z'", "ZDAY < 2.0"),
            (
                "key == '01020304-0506-0708-090A-0B0C0D0E0F10'",
                "ZKEY IS x'0102030405060708090A0B0C0D0E0F10'"
            ),
            ("TRUEPREDICATE", nil), ("NOT (n == 1)", nil), ("n == 1 AND NOT (d > 1)", nil),
            ("title BEGINSWITH 'x'", nil), ("title ==[c] 'x'", nil), ("n == d", nil),
            ("n + 1 == 2", nil), ("n IN {1, 2}", nil),
        ] as [(String, String?)])
    func partialIndexes(format: String, condition: String?) throws {
        var task = EntityDescription(name: "Task")
        for (name, type) in [
            ("n", .integer16), ("d", .double), ("day", .date), ("key", .uuid), ("title", .string),
        ] as [(String, AttributeType)] {
            task.ownAttributes.append(AttributeDescription(name: name, type: type))
        }
        // A model file may not have all of these, but an app's model may.
        task.indexes = [
            FetchIndexDescription(
                name: "some", elements: [.init(propertyName: "n")], partialIndexPredicate: format)
        ]
        try withStore(ManagedObjectModel(entities: [task])) { store in
            let sql = try #require(
                try store.lines("SELECT sql FROM sqlite_master WHERE name = 'Z_Task_some'").first)
            #expect(
                sql.lowercased()
                    == ("CREATE INDEX Z_Task_some ON ZTASK (ZN COLLATE BINARY ASC)"
                    + (condition.map { " WHERE " + $0 } ?? "")).lowercased())
        }
    }

    @Test("the index lists of older models become indexes of the columns that exist")
    func oldIndexes() throws {
        var task = EntityDescription(name: "Task")
        for (name, type) in [("n", .integer16), ("title", .string)] as [(String, AttributeType)] {
            task.ownAttributes.append(AttributeDescription(name: name, type: type))
        }
        task.extras = ["compoundIndexes": "n,title;title,gone;gone,lost"]
        try withStore(ManagedObjectModel(entities: [task])) { store in
            try store.expect(
                "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZTASK'"
                    + " ORDER BY name",
                [
                    "ZTASK_ZN_ZTITLE|CREATE INDEX ZTASK_ZN_ZTITLE ON ZTASK (ZN, ZTITLE)",
                    "ZTASK_ZTITLE_INDEX|CREATE INDEX ZTASK_ZTITLE_INDEX ON ZTASK (ZTITLE)",
                ])
        }
    }

    @Test("a path through links leads to the file that they name, even before that file exists")
    func followsLinks() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        let real = try #require(FileSystem.resolved(folder.path)?.exactText)
        let root = "/missing-\(UUID())"
        for (link, target) in [
            ("one", "two"), ("two", "new.sqlite"), ("whole", folder.file("new.sqlite")),
            ("lost", "nowhere/new.sqlite"), ("round", "about"), ("about", "round"), ("root", root),
        ] {
            try files.createSymbolicLink(
                atPath: folder.file(link), withDestinationPath: target)
        }
        for (name, expected) in [
            ("new.sqlite", folder.file("new.sqlite")), ("one", "\(real)/new.sqlite"),
            ("whole", "\(real)/new.sqlite"), ("lost", folder.file("nowhere/new.sqlite")),
            ("round", folder.file("round")), ("root", root),
        ] {
            #expect(StoreFiles.resolved(folder.file(name)) == expected, "\(name)")
        }
        // The store is created at the end of the links, and found there by every path.
        _ = try PersistentContainer(
            model: model(entities), .sqlite(at: folder.file("one"), opening: .create))
        #expect(files.fileExists(atPath: folder.file("new.sqlite")))
        #expect(StoreFiles.resolved(folder.file("whole")) == "\(real)/new.sqlite")
        try PersistentContainer.destroy(at: folder.file("two"))
        #expect(!files.fileExists(atPath: folder.file("new.sqlite")))
        #expect((try? files.destinationOfSymbolicLink(atPath: folder.file("two"))) == nil)
    }

    @Test("views get free names, and show a large value only if it is in the row")
    func views() throws {
        let entities = """
            A: { attributes: { data: { type: Binary, external: true } } }
            Sqlite_log: { attributes: { x: String } }
            ZA: { attributes: { x: String } }
            """
        try withStore(entities) { store in
            let context = store.container.newContext()
            for data in [[1, 2], [UInt8](repeating: 8, count: 200_000)] {
                try context.insert("A")[.binary("data")] = data
            }
            try context.save()
            // The table of A is ZA, and a user has a view of the next name.
            try store.foreign().execute("CREATE VIEW ZA_view AS SELECT 1")
            #expect(try store.container.renewViews())
            try store.expect(
                "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name",
                ["A", "ZA_view", "ZA_view2", "view_Sqlite_log"])
            try store.expect("SELECT data FROM A ORDER BY _id", ["x0102", "-"])
            #expect(try !store.container.renewViews())
        }
    }

    private func fileSize(_ path: String) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: path)).count
    }

    @Test("row 21: compacting returns the pages of deleted objects to the file system")
    func compacts() throws {
        try withStore("Task: { attributes: { title: String } }") { store in
            let context = store.container.newContext()
            for _ in 0..<1_000 {
                try context.insert("Task")[.string("title")] = String(repeating: "x", count: 1_000)
            }
            try context.save()
            try store.container.truncateAll()
            try store.container.checkpoint()
            let before = try fileSize(store.path)
            try store.container.compact()
            try store.container.checkpoint()
            let after = try fileSize(store.path)
            #expect(before > 1_000_000 && after < 200_000, "\(before) and \(after) bytes")
            try store.expect("PRAGMA freelist_count", ["0"])
            _ = try context.insert("Task")
            try context.save()
        }
    }

    @Test("row 11: opening a store for writing replaces its indexes with the model's")
    func followsIndexes() throws {
        func model(_ indexes: String) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                yaml: """
                    model: 1
                    entities:
                      Task:
                        attributes: { id: String, due: Date, title: String }
                        unique: [[id]]
                        indexes: { \(indexes) }
                    """)
        }
        let first = try model("byTitle: [title], byDue: [due]")
        try withStore(first) { store in
            let context = store.container.newContext()
            for title in ["b", "a"] {
                let task = try context.insert("Task")
                try task.setValue(PropertyValue(title), forKey: "id")
                try task.setValue(PropertyValue(title), forKey: "title")
            }
            try context.save()
            let indexes = "SELECT sql FROM sqlite_master WHERE name LIKE 'Z^_Task^_by%' ESCAPE '^'"
            let before = try store.lines(indexes)
            let second = try model("byDue: [title, due], byID: [id]")

            // A read-only open changes nothing.
            var reading = StoreOptions()
            reading.isReadOnly = true
            _ = try PersistentContainer(
                model: second, stores: [.sqlite(at: store.path, options: reading)])
            try store.expect(indexes, before)

            let container = try PersistentContainer(model: second, at: store.path)
            let expected = [
                "CREATE INDEX Z_Task_byDue ON ZTASK (ZTITLE COLLATE BINARY ASC, ZDUE COLLATE BINARY ASC)",
                "CREATE INDEX Z_Task_byID ON ZTASK (ZID COLLATE BINARY ASC)",
            ]
            try store.expect(indexes, expected)
            #expect(try container.newContext().count(for: FetchRequest(entityName: "Task")) == 2)
            #expect(try PersistentContainer.verify(at: store.path).problems == [])
            // The file also contains the indexes for callers without a model.
            let alone = try PersistentContainer(model: nil, at: store.path)
            #expect(alone.model.entity(named: "Task")?.indexes.map(\.name) == ["byDue", "byID"])
            try store.expect(indexes, expected)
        }
    }
}
