import Foundation
import GraphModel
import Synchronization
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Opening a store that another process migrates") struct OpeningRaceTests {
    /// The lock file of a store, locked as by another process.
    private final class OtherLock: Sendable {
        private let descriptor: Int32

        init(_ store: String) throws {
            descriptor = Foundation.open(store + ".etl-lock", O_RDWR | O_CREAT, 0o644)
            try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        }

        func release() { _ = flock(descriptor, LOCK_UN) }

        deinit { close(descriptor) }
    }

    @Test("opening uses the store that another process has migrated during the wait for the lock")
    func migratedMeanwhile() throws {
        let store = try MigratedStore(
            from: "Task: { attributes: { name: String } }",
            to: "Task: { attributes: { name: String, level: Integer 16 } }"
        ) { try $0.make("Task", ["name": "a"]) }
        let (path, new) = (store.path, store.new)
        let other = try OtherLock(path)
        let isMigrated = Mutex(false)
        var options = StoreOptions()
        options.migration = .automatic
        options.lockPatience = LockPatience { _ in
            let isFirst = isMigrated.withLock { value in
                defer { value = true }
                return !value
            }
            guard isFirst else { return true }
            defer { other.release() }
            return (try? MigrationManager(storeAt: path, to: new).migrate()) != nil
        }
        let container = try PersistentContainer(model: new, .sqlite(at: path, options: options))
        #expect(isMigrated.withLock { $0 })
        #expect(container.migrationBackupPaths == [])
        let names = try container.newContext().fetch(FetchRequest(entityName: "Task"))
            .map { try $0.value(forKey: "name").text }
        #expect(names == ["a"])
        #expect(
            try PersistentContainer.model(ofStoreAt: path + ".bak-v1") == store.old)
    }
}
