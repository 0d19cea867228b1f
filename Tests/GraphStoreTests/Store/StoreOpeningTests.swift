import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Opening a store") struct StoreOpeningTests {
    private let plain = "A: { attributes: { x: String } }"

    private func open(
        _ path: String, _ model: ManagedObjectModel?, _ opening: StoreOpening = .existing
    ) -> StoreError? {
        storeError { _ = try PersistentContainer(model: model, at: path, opening: opening) }
    }

    @Test func usesTheModelInTheStore() throws {
        let model = try model(everythingModel)
        let store = try TestStore(model)
        let again = try PersistentContainer(model: nil, at: store.path)
        #expect(again.model == model)
        #expect(again.storeUUID == store.container.storeUUID)
        #expect(try PersistentContainer.model(ofStoreAt: store.path) == model)
        #expect(open(store.path, model) == nil)
        #expect(open(store.path, model, .create) == nil)
        try store.checkIntegrity()
    }

    @Test func reportsTheEntitiesThatDiffer() throws {
        let store = try TestStore(
            """
            A: { attributes: { x: String } }
            B: { attributes: { x: String } }
            C: { attributes: { x: String } }
            """)
        let other = try model(
            """
            A: { attributes: { x: String } }
            B: { attributes: { x: Date } }
            D: { attributes: { x: String } }
            """)
        let error = open(store.path, other)
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message == "\(store.path) was created with another version of the model; these "
                + "entities differ: B, C, D; migrate it by `MigrationManager` or"
                + " `etl migrate`, or open it for writing with"
                + " `StoreOptions.migration = .automatic`")
    }

    @Test func opensWithAModelThatHasEqualHashes() throws {
        let store = try TestStore(plain)
        let other = try model(
            "A: { attributes: { x: { type: String, default: a, length: 1..3 } } }")
        let container = try PersistentContainer(model: other, at: store.path)
        #expect(container.model == other)
    }

    @Test func openingAMissingFileFailsWithoutCreate() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("missing.sqlite")
        let error = open(path, try model(plain))
        #expect(error?.code == .missing)
        #expect(
            error?.message
                == "\(path) does not exist; `open: create` makes it when it is missing")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(open(path, nil, .create)?.code == .noModel)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(open(path, try model(plain), .create) == nil)
        #expect(open(path, nil) == nil)
    }

    @Test func reportsAMissingFolder() throws {
        let folder = try TemporaryFolder()
        let error = open(folder.file("no/such/store.sqlite"), try model(plain), .create)
        #expect(error?.code == .missing)
        #expect(error?.message == "The folder \(folder.file("no/such")) does not exist")
    }

    @Test func rejectsAFileThatIsNotSQLite() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("garbage.sqlite")
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: path))
        for opening in [StoreOpening.existing, .create] {
            let error = open(path, try model(plain), opening)
            #expect(error?.code == .corrupt)
            #expect(error?.message == "\(path) is not an SQLite file, or is damaged")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 8192)
        let model = storeError { _ = try PersistentContainer.model(ofStoreAt: path) }
        #expect(model?.code == .corrupt)
    }

    @Test func fillsAnEmptyFileOnlyWithCreate() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("empty.sqlite")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(open(path, try model(plain))?.code == .notAStore)
        #expect(open(path, try model(plain), .create) == nil)
        #expect(open(path, nil) == nil)
    }

    @Test func rejectsADatabaseThatIsNotAStore() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("foreign.sqlite")
        try Connection(path: path, mode: .create).execute("CREATE TABLE t (a)")
        for opening in [StoreOpening.existing, .create] {
            let error = open(path, try model(plain), opening)
            #expect(error?.code == .notAStore)
            #expect(error?.message == "\(path) is an SQLite file, but not a store")
        }
        #expect(
            try lines("SELECT name FROM sqlite_master", on: Connection(path: path, mode: .readOnly))
                == ["t"])
    }

    @Test func doesNotOpenAnAppStoreForWritingByDefault() throws {
        let store = try TestStore(plain)
        try store.foreign().execute("DROP TABLE ETL_MODEL")
        let error = open(store.path, try model(plain))
        #expect(error?.code == .permission)
        #expect(
            error?.message
                == "\(store.path) was created by an app, and is read-only unless "
                + "`StoreOptions.appStores` is `.writing`")
    }

    @Test(.enabled(if: geteuid() != 0, "permissions do not bind root"))
    func creatingInAReadOnlyFolderFails() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.path)
        }
        let error = open(folder.file("store.sqlite"), try model(plain), .create)
        #expect(error?.code == .permission)
    }

    @Test(
        "notes of a run replace a damaged file of notes, and are in the store if its name is long")
    func keepsNotesOfRuns() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        let container = try PersistentContainer(model: model(plain), at: path, opening: .create)
        let file = CompanionFile.progress.path(of: path)
        try Data("garbage".utf8).write(to: URL(fileURLWithPath: file))
        try container.keepProgressNotesInFile()
        #expect(
            try Connection(path: file, mode: .readOnly).integer("SELECT count(*) FROM ETL_STORE")
                == 1)

        // There are no notes yet to copy.
        let copy = folder.file("copy.sqlite")
        try container.copyStore(to: copy)
        try NotesFile(nextToStoreAt: path).copyNotes(into: copy)
        #expect(try !ProgressNotes.exist(on: Connection(path: copy, mode: .readOnly)))
        // Reading notes folds in a log, which would make them outdated.
        let writer = try Connection(path: path, mode: .readWrite)
        try writer.execute("CREATE TABLE other (x)")
        #expect(StoreFiles.hasFilledLog(path))
        #expect(try container.progressNotes("run").isEmpty)
        #expect(!StoreFiles.hasFilledLog(path))

        // With the ending of the file of notes, the name would exceed 255 bytes.
        let long = folder.file(String(repeating: "x", count: 238) + ".sqlite")
        let other = try PersistentContainer(model: model(plain), at: long, opening: .create)
        try other.keepProgressNotesInFile()
        let context = other.newContext()
        try context.beginProgressNotes()
        try context.save()
        #expect(try ProgressNotes.exist(on: Connection(path: long, mode: .readOnly)))
        try NotesFile(nextToStoreAt: long).remove()
        #expect(FileManager.default.fileExists(atPath: long))
    }

    @Test func replacesAStoreWithAnother() throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
        let model = try model("A: { attributes: { x: String }, unique: [[x]] }")
        let plan = BulkPlan(entity: "A", key: ["x"], attributes: ["x"])
        for (path, text) in [(old, "old"), (new, "new")] {
            try PersistentContainer(model: model, at: path, opening: .create)
                .load(plan, [[.text(text)]])
        }
        try PersistentContainer.replace(at: old, with: new)
        let connection = try Connection(path: old, mode: .readOnly)
        #expect(try connection.text("SELECT ZX FROM ZA") == "new")
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(!FileManager.default.fileExists(atPath: new))
    }

    @Test func doesNotReplaceAStoreThatOthersHaveWrittenTo() throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
        for path in [old, new] {
            _ = try PersistentContainer(model: model(plain), at: path, opening: .create)
        }
        let missing = storeError {
            _ = try ForeignWriteDetector(at: folder.file("missing.sqlite"), waiting: nil)
        }
        #expect(missing != nil && missing?.code != .busy)
        do {
            // It locks the store until it is released.
            let witness = try ForeignWriteDetector(at: old, waiting: nil)
            try Connection(path: old, mode: .readWrite).execute("CREATE TABLE other (x)")
            let error = storeError {
                try PersistentContainer.replace(
                    at: old, with: new, waiting: nil, unlessSeenBy: witness)
            }
            #expect(error?.code == .busy)
            #expect(error?.message == StoreError(writtenMeanwhile: old).message)
        }
        #expect(FileManager.default.fileExists(atPath: new))
        let table = "SELECT count(*) FROM sqlite_master WHERE name = 'other'"
        #expect(try Connection(path: old, mode: .readOnly).integer(table) == 1)
    }

    @Test("a store whose log another process merges and removes counts as unchanged")
    func detectsNoWriteInTheRemovalOfTheLog() throws {
        let store = try TestStore(plain)
        let reader = try Connection(path: store.path, mode: .readOnly)
        _ = try reader.integer("SELECT count(*) FROM ZA")
        let context = store.container.newContext()
        _ = try context.insert("A")
        try context.save()
        #expect(StoreFiles.size(store.path + "-wal") > 0)
        let detector = try ForeignWriteDetector(at: store.path, mergingLog: true, waiting: nil)
        #expect(StoreFiles.size(store.path + "-wal") == 0)
        let state = StoreFiles.stamp(store.path)
        try Connection(path: store.path, mode: .readWrite).checkpoint()
        #expect(StoreFiles.stamp(store.path) == state)
        withExtendedLifetime((reader, detector)) {}
    }

    @Test func doesNotReplaceAStoreThatIsInUse() throws {
        let store = try TestStore(plain)
        let new = store.folder.file("new.sqlite")
        _ = try PersistentContainer(model: model(plain), at: new, opening: .create)
        let reader = try Connection(path: store.path, mode: .readOnly)
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM ZA")
        let error = storeError { try PersistentContainer.replace(at: store.path, with: new) }
        #expect(error?.code == .busy)
        #expect(FileManager.default.fileExists(atPath: new))
    }
}
