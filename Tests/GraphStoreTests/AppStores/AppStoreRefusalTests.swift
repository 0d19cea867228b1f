import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Apps' stores that are not writable") struct AppStoreRefusalTests {
    private let store: AppStoreFile

    init() throws {
        store = try AppStoreFile()
    }

    @Test func batchUpdateOfAppArchivesFails() throws {
        let context = try store.openForWriting().newContext()
        let error = storeError {
            _ = try context.execute(
                BatchUpdateRequest(
                    entityName: "Book", propertiesToUpdate: ["settings": .constant(.null)]))
        }
        #expect(
            error?.message
                == "'Book.settings' holds archives of the app's own objects, which only the app can"
                + " write; leave it out")
    }

    private func refusal(
        _ model: ManagedObjectModel? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
    ) -> String? {
        var options = StoreOptions()
        options.appStores = .writing
        change(&options)
        let error = storeError {
            _ = try PersistentContainer(model: model, .sqlite(at: store.path, options: options))
        }
        return error.map { "\($0.code.rawValue): \($0.message)" }
    }

    @Test func doesNotOpenUnsupportedStoresForWriting() throws {
        #expect(
            refusal { $0.appStores = .reading }
                == "permission: \(store.path) was created by an app, and is read-only unless "
                + "`StoreOptions.appStores` is `.writing`")
        #expect(
            refusal { $0.history = HistoryOptions() }
                == "invalid-request: \(store.path) was created by an app, which decides about the "
                + "history and keeps decimals as doubles; remove the options that change this")
        try store.run("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
        #expect(
            refusal()
                == "invalid-request: \(store.path) is mirrored to CloudKit by its app; changes "
                + "made here may not be synced or may be undone, so writing is not allowed "
                + "without `--allow-cloudkit` or `AppStoreAccess.allowsCloudKit`")
        #expect(refusal { $0.appStores.allowsCloudKit = true } == nil)
        try store.run(
            "CREATE TRIGGER T AFTER UPDATE OF ZNAME ON ZTAG BEGIN SELECT ZTCount(1); END")
        #expect(
            refusal { $0.appStores.allowsCloudKit = true }
                == "invalid-request: \(store.path) has triggers or indexes on ZTAG that only its app"
                + " can run (no such function: ZTCount); it can be read, but not written")
        try store.run("DROP TRIGGER T; DROP TABLE ANSCKEVENT; DROP TABLE Z_MODELCACHE")
        #expect(
            refusal()
                == "no-model: \(store.path) contains no readable model, so it is read-only; pass"
                + " its model")
        #expect(refusal(store.model) == nil)
    }

    @Test func doesNotWriteAStoreOfAnotherModel() throws {
        let later = AppStoreFixture.modelText.replacing(
            "hash-modifier: v2", with: "hash-modifier: v3")
        #expect(
            refusal(try wholeModel(later))?.hasPrefix(
                "model-mismatch: \(store.path) was created with another version of the model; these"
                    + " entities differ: Tag; ") == true)
        try store.run("ALTER TABLE ZAUTHOR DROP COLUMN ZHOMEPAGE")
        #expect(
            refusal()
                == "model-mismatch: \(store.path) lacks columns of the model that it carries, so it"
                + " is only read: Author.homepage is left out: the store has no ZAUTHOR.ZHOMEPAGE")
    }

    @Test func openingAStoreInUseForWritingFails() throws {
        let app = try Connection(path: store.path, mode: .readWrite)
        try app.execute("BEGIN; SELECT count(*) FROM ZTAG")
        #expect(
            refusal() == "busy: \(store.path) is in use by another process; try again later")
        let turn = storeError {
            _ = try AppStoreLock(at: store.path, workPath: store.path + ".etl-work")
        }
        #expect(turn?.code == .busy)
        try app.execute("COMMIT")
    }

    @Test func doesNotReplaceAStoreThatItsAppHasOpened() throws {
        let lock = try AppStoreLock(at: store.path, workPath: store.path + ".etl-work")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: store.path)
        let error = storeError { _ = try lock.complete(nil) }
        #expect(error?.code == .busy)
        #expect(
            error?.message == "\(store.path) was opened by another process in the meantime, and"
                + " keeps the changes of that process")
    }

    @Test func takesBackAReplacementThatIsNoStore() throws {
        let work = store.path + ".etl-work"
        let before = try store.rows("SELECT Z_PK, ZNAME FROM ZTAG")
        try FileManager.default.copyItem(atPath: store.path, toPath: work)
        try Connection(path: work, mode: .readWrite).execute("DROP TABLE Z_METADATA")
        let lock = try AppStoreLock(at: store.path, workPath: work)
        #expect(storeError { _ = try lock.complete(nil) } != nil)
        try store.expect("SELECT Z_PK, ZNAME FROM ZTAG", before)
        #expect(try store.open().storeUUID == AppStoreFixture.storeUUID)
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
        #expect(names.filter { $0.contains(".bak-v") && !$0.hasSuffix("_SUPPORT") } == [])
    }

    @Test func doesNotAddGraphStoreTables() throws {
        let container = try store.openForWriting()
        let notes = storeError {
            let context = container.newContext()
            try context.beginProgressNotes()
            try context.save()
        }
        #expect(notes?.code == .invalidRequest)
        #expect(storeError { try container.renewViews() }?.code == .invalidRequest)
        #expect(storeError { try container.truncateAll() }?.code == .invalidRequest)
        let tables = try lines(
            "SELECT name FROM sqlite_master WHERE name LIKE 'ETL%'",
            on: Connection(path: store.path, mode: .readOnly))
        #expect(tables == [])
    }
}
