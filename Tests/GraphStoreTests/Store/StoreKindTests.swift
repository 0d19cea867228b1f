import Files
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Kinds of stores") struct StoreKindTests {
    private let entities = """
        Task:
          attributes: { id: Integer 64, title: String, weight: Double, data: Binary }
          relationships: { tags: { to: Tag, many: true, inverse: tasks } }
          unique: [[id]]
        Tag:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
          unique: [[name]]
        """
    private let plan = BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "title", "weight", "data"],
        links: [
            BulkPlan.Link(
                relationship: "tags", destination: "Tag", attribute: "name", missing: .create)
        ])
    private let records: [[TestValue]] = [
        [1, "one", 1.0, .blob([0, 255]), ["a", "b"]], [2, "two \"x\" é", -0.5, nil, ["b"]],
        [3, nil, 1e300, .blob([]), []],
    ]

    private func rows(_ container: PersistentContainer) throws -> [String] {
        let reader = try container.newReader()
        return try lines("SELECT ZID, ZTITLE, ZWEIGHT, ZDATA FROM ZTASK ORDER BY ZID", on: reader)
            + lines("SELECT count(*) FROM Z_1TASKS", on: reader)
    }

    private let expected = ["1|one|1.0|x00ff", "2|two \"x\" é|-0.5|-", "3|-|1e+300|x", "3"]

    @Test("rows 19, 20, 132: an in-memory store supports loads, batch requests, and history")
    func worksInMemory() throws {
        let container = try PersistentContainer.ephemeral(
            model: model(entities), history: HistoryOptions())
        try container.load(plan, records)
        #expect(try rows(container) == expected)
        let context = container.newContext()
        let updated = try context.write(
            BatchUpdateRequest(
                entityName: "Task", predicate: GraphPredicate(format: "id == 2"),
                propertiesToUpdate: ["title": .constant(.string("zwei"))]))
        #expect(updated.updated == 1)
        let deleted = try context.write(
            BatchDeleteRequest(
                entityName: "Task", predicate: GraphPredicate(format: "id == 1")))
        #expect(deleted.deleted == 1)
        try context.save()
        #expect(try rows(container) == ["2|zwei|-0.5|-", "3|-|1e+300|x", "1"])
        #expect(try container.history().map(\.changes.count) == [5, 4])
        #expect(
            try container.newReader().text("PRAGMA integrity_check") == "ok")
    }

    @Test("row 20: containers share an in-memory store only by its name")
    func sharesMemoryByName() throws {
        let model = try model(entities)
        let name = "shared \(UUID())?&%"
        let first = try PersistentContainer(model: model, .inMemory(name: name))
        try first.load(plan, records)
        let second = try PersistentContainer(model: nil, .inMemory(name: name))
        #expect(second.storeUUID == first.storeUUID)
        #expect(try rows(second) == expected)
        let other = try PersistentContainer.ephemeral(model: model)
        #expect(try rows(other) == ["0"])
        #expect(
            storeError { _ = try PersistentContainer(model: nil, .inMemory(name: "none")) }?.code
                == .noModel)
    }

    @Test("row 10: an in-memory store keeps one object per unique key")
    func keepsConstraintsInMemory() throws {
        let container = try PersistentContainer.ephemeral(model: model(entities))
        let outcome = try container.load(
            BulkPlan(entity: "Tag", key: ["name"], attributes: ["name"]), [["a"], ["a"], ["b"]])
        #expect(outcome.counts == "2 new, 0 changed, 0 same, 1 superseded, 0 rejected")
    }

    @Test(
        "row 19: an atomic store writes its complete file at each save, and reads it back",
        arguments: [StoreDescription.Kind.binary, .json])
    func writesWholeFiles(kind: StoreDescription.Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.\(kind.rawValue)")
        var description = StoreDescription(kind, at: path, opening: .create)
        description.options.filePermissions = 0o600
        description.options.history = HistoryOptions()
        let uuid: String
        do {
            let container = try PersistentContainer(model: model(entities), description)
            uuid = container.storeUUID
            #expect(FileManager.default.fileExists(atPath: path))
            try container.load(plan, records)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let again = try PersistentContainer(model: nil, StoreDescription(kind, at: path))
        #expect(again.storeUUID == uuid)
        #expect(try rows(again) == expected)
        #expect(again.model == (try model(entities)))
        #expect(try again.history().count == 1)
        let context = again.newContext()
        _ = try context.write(BatchDeleteRequest(entityName: "Tag"))
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        context.rollback()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        _ = try context.write(BatchDeleteRequest(entityName: "Tag"))
        try context.save()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != before)
        let third = try PersistentContainer(model: nil, StoreDescription(kind, at: path))
        #expect(try rows(third).last == "0")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                == ["store.\(kind.rawValue)"])
    }

    @Test("row 19: a save fails and changes nothing if its file cannot be written")
    func failsWholeWhereTheFileCannotBeWritten() throws {
        let folder = try TemporaryFolder()
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        let container = try PersistentContainer(
            model: model(entities), .binary(at: inner + "/store", opening: .create))
        try FileManager.default.removeItem(atPath: inner)
        let context = container.newContext()
        _ = try context.write(BatchDeleteRequest(entityName: "Tag"))
        let writer = try context.bulkWriter(
            for: BulkPlan(entity: "Tag", key: ["name"], attributes: ["name"]))
        let batch = RowBatch(width: 1)
        batch.add(["x"])
        try writer.apply(batch, firstToken: 1)
        try writer.finish()
        #expect(storeError { try context.save() }?.code == .missing)
        context.rollback()
        #expect(try container.newReader().integer("SELECT count(*) FROM ZTAG") == 0)
    }

    @Test(
        "row 19: a file that is not an atomic store is reported as corrupt",
        arguments: [StoreDescription.Kind.binary, .json])
    func refusesOtherFiles(kind: StoreDescription.Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("garbage")
        for bytes in [Data("garbage".utf8), Data(), Data(repeating: 7, count: 5000)] {
            try bytes.write(to: URL(fileURLWithPath: path))
            let error = storeError {
                _ = try PersistentContainer(
                    model: model(entities), StoreDescription(kind, at: path, opening: .create))
            }
            #expect(error?.code == .corrupt)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test(
        "row 19: a JSON store of another format, or with damaged values, is refused",
        arguments: [
            ("\"format\":1", "\"format\":2", StoreError.Code.notAStore, "is of format 2, not 1"),
            ("\"-0.5\"", "\"x\"", .corrupt, "'x' is not a number"),
            ("CREATE TABLE ZTAG ", "CREATE TABLE ZTASK ", .corrupt, "cannot be read: "),
        ])
    func refusesOtherJSON(
        part: String, other: String, code: StoreError.Code, words: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.json")
        try PersistentContainer(model: model(entities), .json(at: path, opening: .create))
            .load(plan, records)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(part))
        try Data(text.replacing(part, with: other).utf8).write(to: URL(fileURLWithPath: path))
        let error = storeError {
            _ = try PersistentContainer(model: nil, .json(at: path))
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(words) == true, "\(error as Any)")
    }

    @Test("row 19: an atomic store that does not exist is not created for reading")
    func missesFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        var options = StoreOptions()
        options.isReadOnly = true
        for description in [
            StoreDescription(.json, at: path),
            StoreDescription(.binary, at: path, opening: .create, options: options),
        ] {
            let error = storeError {
                _ = try PersistentContainer(model: model(entities), description)
            }
            #expect(error?.code == .missing)
            #expect(error?.message == "\(path) does not exist")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("row 132: truncating deletes all objects, notifies observers, and reuses no primary key")
    func truncates() throws {
        try withStore(entities) { store in
            let support = StoreFiles.supportFolder(of: store.path)
            try FileManager.default.createDirectory(
                atPath: support + "/_EXTERNAL_DATA", withIntermediateDirectories: true)
            try store.container.load(plan, records)
            let told = LockedList()
            store.container.observeChanges { told.add($0.deleted.count) }
            let result = try store.container.truncateAll()
            #expect(result.change.deleted.count == 5)
            #expect(told.values == [5])
            try store.expect("SELECT count(*) FROM ZTASK", ["0"])
            try store.expect("SELECT count(*) FROM Z_1TASKS", ["0"])
            #expect(!FileManager.default.fileExists(atPath: support))
            try store.container.load(plan, records)
            try store.expect("SELECT Z_PK FROM ZTASK", ["4", "5", "6"])
        }
    }

    @Test(
        "a batch request changes nothing if its file cannot replace the old one",
        arguments: [StoreDescription.Kind.binary, .json])
    func failsWholeWhereTheFileCannotTakeItsPlace(kind: StoreDescription.Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let description: StoreDescription =
            kind == .binary
            ? .binary(at: path, opening: .create) : .json(at: path, opening: .create)
        let container = try PersistentContainer(model: model(entities), description)
        try container.load(plan, records)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let request = try BatchUpdateRequest(
            entityName: "Task", predicate: GraphPredicate(format: "id == 2"),
            propertiesToUpdate: ["title": .constant(.string("zwei"))])
        let context = container.newContext()
        // A file must not replace a folder.
        let files = FileManager.default
        try files.moveItem(atPath: path, toPath: path + ".kept")
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let error = storeError { _ = try context.execute(request) }
        #expect(error?.message.contains("\(path) ") == true)
        #expect(try rows(container) == expected)
        #expect(
            try files.contentsOfDirectory(atPath: folder.file("")).sorted() == [
                "store", "store.kept",
            ])
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: path + ".kept", toPath: path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        _ = try context.execute(request)
        let changed = ["1|one|1.0|x00ff", "2|zwei|-0.5|-", "3|-|1e+300|x", "3"]
        #expect(try rows(container) == changed)
        #expect(try rows(PersistentContainer(model: nil, description)) == changed)
        #expect(try files.contentsOfDirectory(atPath: folder.file("")) == ["store"])
    }

    @Test("discarding an atomic file after it was placed restores the previous file")
    func givesThePlaceBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
        let first = try AtomicFile(Array("1".utf8), for: path, permissions: nil)
        try first.place()
        #expect(try text() == "1")
        try first.discard()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")) == [])
        try AtomicFile(Array("1".utf8), for: path, permissions: nil).commit()
        let second = try AtomicFile(Array("2".utf8), for: path, permissions: nil)
        try second.place()
        #expect(try text() == "2")
        try second.discard()
        #expect(try text() == "1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")) == ["store"])
    }

    @Test(
        "opening and saving delete the temporary files of killed saves",
        arguments: [StoreDescription.Kind.binary, .json])
    func removesLeftFiles(kind: StoreDescription.Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let files = FileManager.default
        // Process 1 runs as long as the machine does; no process has the other number.
        let left = ["store.etl-new-2147483646", "store.etl-old-2147483646"]
        let kept = [
            "other.etl-old-2147483646", "store", "store.etl-new-1", "store.etl-new-2147483645",
            "store.etl-old-1", "store.etl-old-x",
        ]
        func leave(_ names: [String]) throws {
            // Younger files may belong to a process in another container.
            let time = Date(timeIntervalSinceNow: -7_200)
            for name in names {
                try Data().write(to: URL(fileURLWithPath: folder.file(name)))
                try files.setAttributes(
                    [.modificationDate: time], ofItemAtPath: folder.file(name))
            }
        }
        func names() throws -> [String] {
            try files.contentsOfDirectory(atPath: folder.file("")).sorted()
        }
        try leave(left + kept.filter { $0 != "store" })
        try Data().write(to: URL(fileURLWithPath: folder.file("store.etl-new-2147483645")))
        let description = StoreDescription(kind, at: path, opening: .create)
        let container = try PersistentContainer(model: model(entities), description)
        #expect(try names() == kept)
        try leave(left)
        let context = container.newContext()
        _ = try context.insert("Tag")
        try context.save()
        #expect(try names() == kept)
        try leave(left)
        var options = StoreOptions()
        options.isReadOnly = true
        _ = try PersistentContainer(
            model: nil, StoreDescription(kind, at: path, options: options))
        #expect(try names() == (kept + left).sorted())
        _ = try PersistentContainer(model: nil, description)
        #expect(try names() == kept)
    }

    @Test("a new snapshot folder deletes older unlocked ones, whatever process ID they name")
    func removesLeftFolders() throws {
        let temporary = FileManager.default.temporaryDirectory.path
        // Process 1 runs as long as the machine does; no process has the other number.
        let left = "\(temporary)/etl-look-1-\(UUID().uuidString)"
        let held = "\(temporary)/etl-look-2147483646-\(UUID().uuidString)"
        let older = "\(temporary)/etl-look-2147483646-\(UUID().uuidString)"
        let files = FileManager.default
        defer { for folder in [left, held, older] { try? files.removeItem(atPath: folder) } }
        for folder in [left, held, older] {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        for folder in [left, held] {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/\(SnapshotFolder.lockName)"))
        }
        let lock = try FileSystem.open("\(held)/\(SnapshotFolder.lockName)", .writing)
        defer { FileSystem.close(lock) }
        #expect(FileSystem.lock(lock))
        var made = ""
        do {
            let folder = try SnapshotFolder.make()
            made = folder.path
            #expect([left, held, older].map(files.fileExists(atPath:)) == [false, true, false])
            // The folder is locked, so another call does not delete it.
            _ = try SnapshotFolder.make()
            #expect(files.fileExists(atPath: folder.path))
        }
        #expect(!files.fileExists(atPath: made))
    }
}

/// Numbers that a handler collects on any thread.
final class LockedList: Sendable {
    private let list = LockedBox<[Int]>([])

    var values: [Int] { list.value }

    func add(_ number: Int) { list.change { $0.append(number) } }
}

/// A value that is protected by a lock.
final class LockedBox<Value: Sendable>: @unchecked Sendable {
    // Protected by the lock.
    private var stored: Value
    private let lock = NSLock()

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
