import Foundation
import GraphModel
import SQLite
import Synchronization
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Migrating while opening") struct OpeningMigrationTests {
    private static let first = """
        Task: { attributes: { name: String, level: String } }
        """
    private static let second = """
        Task: { attributes: { name: String, level: String, rank: { type: Integer 16, default: 3 } } }
        """
    private static let third = """
        Task: { attributes: { name: String, level: Integer 16, rank: { type: Integer 16, default: 3 } } }
        """
    private static let fourth = """
        Task:
          attributes:
            title: { type: String, renamed-from: name }
            level: Integer 16
            rank: { type: Integer 16, default: 3 }
        """

    private func store(
        _ before: String = first, _ after: String = second
    ) throws -> MigratedStore {
        try MigratedStore(from: before, to: after) { context in
            try context.make("Task", ["name": "a", "level": "high"])
            try context.make("Task", ["name": "b", "level": "low"])
        }
    }

    private func options(
        _ migration: StoreOptions.Migration = .automatic, timeout: Int = 5_000
    ) -> StoreOptions {
        var options = StoreOptions()
        options.migration = migration
        options.busyTimeoutMilliseconds = timeout
        return options
    }

    private func open(
        _ store: MigratedStore, _ options: StoreOptions
    ) throws(StoreError) -> PersistentContainer {
        try PersistentContainer(model: store.new, .sqlite(at: store.path, options: options))
    }

    /// Returns the error of opening; the store and the files next to it must be unchanged.
    private func refusal(
        _ store: MigratedStore, _ options: StoreOptions,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoreError? {
        let before = try names(store)
        let error = storeError { _ = try open(store, options) }
        #expect(
            try PersistentContainer.model(ofStoreAt: store.path) == store.old,
            sourceLocation: sourceLocation)
        #expect(try names(store) == before, sourceLocation: sourceLocation)
        return error
    }

    /// Returns the files of the folder, without readers' WAL files and the lock file, which
    /// remains.
    private func names(_ store: MigratedStore) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix(".etl-lock") }
    }

    private static let ways =
        "; these entities differ: Task; migrate it by `MigrationManager` or `etl migrate`, or open it"
        + " for writing with `StoreOptions.migration = .automatic`"
    private static let inUse =
        " was created with another version of the model, and cannot be migrated while this or "
        + "another process uses it; try again later"

    // MARK: What is done

    @Test("by default, opening does not migrate, and the error names both ways to migrate")
    func offByDefault() throws {
        let store = try store()
        #expect(StoreOptions().migration == .off)
        let error = try refusal(store, StoreOptions())
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message == "\(store.path) was created with another version of the model"
                + Self.ways
        )
    }

    @Test("opening migrates a store, reports each phase, and keeps a backup")
    func lightweight() throws {
        let store = try store()
        let phases = Mutex<[MigrationProgress]>([])
        let container = try open(
            store,
            options(.automatic(report: { progress in phases.withLock { $0.append(progress) } })))
        #expect(container.migrationBackupPaths == [store.path + ".bak-v1"])
        #expect(container.model == store.new)
        let seen = phases.withLock { $0 }
        #expect(
            MigrationProgress.Phase.allCases.filter { phase in
                seen.contains { $0.phase == phase }
            } == MigrationProgress.Phase.allCases)
        #expect(seen.last == MigrationProgress(phase: .swapping, completed: 2, total: 2))
        #expect(seen.allSatisfy { (0...1).contains($0.fraction) } && seen.last?.fraction == 1)
        #expect(
            zip(seen, seen.dropFirst()).allSatisfy {
                $0.phase != $1.phase || $0.fraction <= $1.fraction
            })
        // The store can be written at once.
        let context = container.newContext()
        try context.make("Task", ["name": "c"])
        try context.save()
        #expect(
            try store.objects("Task", "name", "level", "rank") == [
                "name=a level=high rank=3", "name=b level=low rank=3", "name=c level=- rank=3",
            ])
        #expect(try names(store) == ["store.sqlite", "store.sqlite.bak-v1"])
        let old = try PersistentContainer(model: store.old, at: store.path + ".bak-v1")
        #expect(try old.newContext().count(for: FetchRequest(entityName: "Task")) == 2)
    }

    @Test("opening migrates neither a store with the current model nor a new store")
    func nothingToDo() throws {
        let store = try store()
        _ = try open(store, options())
        let again = try open(store, options())
        #expect(again.migrationBackupPaths == [])
        let new = try PersistentContainer(
            model: store.new,
            .sqlite(at: store.folder.file("new.sqlite"), opening: .create, options: options()))
        #expect(new.migrationBackupPaths == [])
        // Without a given model, the store's own model is used.
        let carried = try PersistentContainer(
            model: nil, .sqlite(at: store.path, options: options()))
        #expect(carried.model == store.new)
        #expect(try names(store) == ["new.sqlite", "store.sqlite", "store.sqlite.bak-v1"])
    }

    @Test("a chain with a mapping file migrates through all versions and calls the closures")
    func chain() throws {
        let store = try store(Self.first, Self.fourth)
        let (second, third) = (try model(Self.second), try model(Self.third))
        let file = store.folder.file("2-3.yaml")
        try """
        mapping: 1
        entities:
          Task: { set: { level: "ternary(level == 'high', 2, 0)" } }
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let stages = Mutex<[String]>([])
        let container = try open(
            store,
            options(
                .automatic(
                    through: ModelHistory([store.old, second, third]),
                    mappings: [
                        .init(from: 1, to: 2): try MappingModel(
                            yamlFile: file, from: second, to: third)
                    ],
                    willMigrate: { stage in
                        stages.withLock { $0.append("will \(stage.from)-\(stage.to)") }
                    },
                    didMigrate: { stage in
                        stages.withLock { $0.append("did \(stage.from)-\(stage.to)") }
                    })))
        #expect(
            stages.withLock { $0 } == [
                "will 0-1", "did 0-1", "will 1-2", "did 1-2", "will 2-3", "did 2-3",
            ])
        #expect(container.migrationBackupPaths == [store.path + ".bak-v1"])
        #expect(
            try store.objects("Task", "title", "level", "rank") == [
                "title=a level=2 rank=3", "title=b level=0 rank=3",
            ])
        #expect(try names(store) == ["2-3.yaml", "store.sqlite", "store.sqlite.bak-v1"])
    }

    @Test("a closure that throws stops a chain at its stage, and the next opening resumes there")
    func stoppedChain() throws {
        struct Stop: Error {}
        let store = try store(Self.first, Self.fourth)
        let (second, third) = (try model(Self.second), try model(Self.third))
        let mapping = MappingModel([
            EntityMapping(
                from: "Task", to: "Task", set: ["level": "ternary(level == 'high', 2, 0)"])
        ])
        func migration(stopsAt place: Int) -> StoreOptions.Migration {
            .automatic(
                through: ModelHistory([store.old, second, third, store.new]),
                mappings: [.init(from: 1, to: 2): mapping],
                willMigrate: { if $0.from == place { throw Stop() } })
        }
        let error = storeError { _ = try open(store, options(migration(stopsAt: 2))) }
        #expect(error?.code == .migrationRefused)
        #expect(error?.message == "\(store.path) cannot be migrated: Stop()")
        #expect(error?.cause is Stop)
        #expect(try PersistentContainer.model(ofStoreAt: store.path) == third)
        _ = try open(store, options(migration(stopsAt: -1)))
        #expect(
            try store.objects("Task", "title", "level") == ["title=a level=2", "title=b level=0"])
    }

    @Test("opening keeps as many backups as the options allow")
    func backupsKept() throws {
        let store = try store()
        var migration = StoreOptions.Migration.automatic
        migration.backupsKept = 2
        for model in [store.new, store.old, store.new, store.old] {
            _ = try PersistentContainer(
                model: model, .sqlite(at: store.path, options: options(migration)))
        }
        #expect(
            try names(store) == ["store.sqlite", "store.sqlite.bak-v3", "store.sqlite.bak-v4"])
    }

    @Test("each store of a container is migrated to its configuration of the new model")
    func configurations() throws {
        let folder = try TemporaryFolder()
        let (user, catalog) = (folder.file("user.sqlite"), folder.file("catalog.sqlite"))
        func versioned(
            _ entities: String, _ names: [String: [String]]
        ) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: model(entities).entities, configurations: names)
        }
        func stores(_ migration: StoreOptions.Migration) -> [StoreDescription] {
            [(user, "User"), (catalog, "Catalog")].map { path, name in
                .sqlite(
                    at: path, opening: .create, configuration: name, options: options(migration))
            }
        }
        let old = try versioned(
            """
            Mark: { attributes: { note: String } }
            Product: { attributes: { name: String } }
            """, ["User": ["Mark"], "Catalog": ["Product"]])
        let new = try versioned(
            """
            Mark: { attributes: { note: String, rank: { type: Integer 16, default: 1 } } }
            Product: { attributes: { title: { type: String, renamed-from: name } } }
            Shop: { attributes: { name: String } }
            """, ["User": ["Mark"], "Catalog": ["Product", "Shop"]])
        do {
            let context = try PersistentContainer(model: old, stores: stores(.off)).newContext()
            try context.make("Mark", ["note": "n"])
            try context.make("Product", ["name": "Cup"])
            try context.save()
        }
        let container = try PersistentContainer(model: new, stores: stores(.automatic))
        #expect(container.migrationBackupPaths == [user + ".bak-v1", catalog + ".bak-v1"])
        #expect(container.stores.map(\.entityNames) == [["Mark"], ["Product", "Shop"]])
        let context = container.newContext()
        try context.make("Shop", ["name": "s"])
        try context.save()
        #expect(
            try lines(
                "SELECT ZNOTE, ZRANK FROM ZMARK", on: Connection(path: user, mode: .readOnly))
                == ["n|1"])
        #expect(
            try lines(
                "SELECT ZTITLE, ZSHOP.ZNAME FROM ZPRODUCT, ZSHOP",
                on: Connection(path: catalog, mode: .readOnly)) == ["Cup|s"])
    }

    @Test("an app's store is migrated from its own model, if the options allow writing")
    func appStore() throws {
        let store = try AppStoreFile()
        let new = try LaterShelf.model(LaterShelf.second)
        func open(_ change: (inout StoreOptions) -> Void) throws -> PersistentContainer {
            var options = options()
            change(&options)
            return try PersistentContainer(model: new, .sqlite(at: store.path, options: options))
        }
        #expect(
            storeError { _ = try open { _ in } }?.message
                == "\(store.path) was created by an app, and is read-only unless "
                + "`StoreOptions.appStores` is `.writing`")
        #expect(
            storeError {
                _ = try open {
                    $0.appStores = .writing
                    $0.migration = .off
                }
            }?.message.hasSuffix(
                "; migrate it by `MigrationManager` or `etl migrate`, or open it for writing with"
                    + " `StoreOptions.migration = .automatic`") == true)
        let container = try open { $0.appStores = .writing }
        #expect(container.migrationBackupPaths == [store.path + ".bak-v1"])
        #expect(container.origin == StoreOrigin(model: .given))
        try store.expect(
            "SELECT ZTITLE FROM ZITEM WHERE Z_ENT = 5",
            store.rows("SELECT ZTITLE FROM ZITEM WHERE Z_ENT = 4", of: store.path + ".bak-v1"))
    }

    // MARK: What is not done

    @Test("a store that is opened read-only is not migrated, and the error states the reason")
    func readOnly() throws {
        let store = try store()
        var options = options()
        options.isReadOnly = true
        let error = try refusal(store, options)
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message
                == "\(store.path) was created with another version of the model; these entities differ:"
                + " Task; it is opened for reading only, so it is not migrated; open it for writing"
        )
    }

    @Test(
        "stores other than SQLite files are not migrated, and the error states the reason",
        arguments: [StoreDescription.Kind.inMemory, .binary, .json])
    func otherKinds(_ kind: StoreDescription.Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        func open(_ entities: String) throws -> PersistentContainer {
            try PersistentContainer(
                model: model(entities),
                StoreDescription(kind, at: path, opening: .create, options: options()))
        }
        var first: PersistentContainer? = try open(Self.first)
        if kind != .inMemory { first = nil }
        let error = storeError { _ = try open(Self.second) }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message
                == "\(path) was created with another version of the model; these entities differ: Task;"
                + " only SQLite files are migrated, and it is a store of the kind \(kind.rawValue)")
        withExtendedLifetime(first) {}
    }

    @Test("a change that needs a mapping is rejected with the reasons")
    func unclear() throws {
        let store = try store(Self.first, Self.third)
        let error = try refusal(store, options())
        #expect(error?.code == .needsMapping)
        #expect(
            error?.message
                == "\(store.path) cannot be migrated without a mapping: Task.level is Integer 16, was"
                + " String")
    }

    @Test("data that violates the new model is rejected with the reasons")
    func obstacle() throws {
        let store = try store(
            Self.first,
            "Task: { attributes: { name: String, level: String }, unique: [[rank]] }"
                .replacing("[[rank]]", with: "[[level]]"))
        try store.run("UPDATE ZTASK SET ZLEVEL = 'x'")
        let error = try refusal(store, options())
        #expect(error?.code == .migrationRefused)
        #expect(
            error?.message
                == "\(store.path) cannot be migrated: Task is unique by (level) now, and 1 key has"
                + " several objects, such as 'x'")
    }

    @Test("with a model history, a store of a version outside it is rejected")
    func laterVersion() throws {
        let store = try store(Self.second, Self.first)
        let error = try refusal(
            store, options(.automatic(through: ModelHistory([store.new]))))
        #expect(error?.code == .modelMismatch)
        #expect(error?.message == "\(store.path) was created with none of the 1 versions")
    }

    @Test("a canceled migration leaves the store unchanged")
    func cancelled() throws {
        let store = try store()
        let cancellation = MigrationCancellation()
        let error = try refusal(
            store,
            options(
                .automatic(
                    cancellation: cancellation,
                    report: { if $0.phase == .copying { cancellation.cancel() } })))
        #expect(error?.code == .cancelled)
        #expect(
            error?.message
                == "The migration of \(store.path) was canceled; the store is unchanged")
        _ = try open(store, options())
        #expect(try store.objects("Task", "name", "rank") == ["name=a rank=3", "name=b rank=3"])
    }

    // MARK: Others

    @Test("a store that another container has open is not migrated")
    func inUse() throws {
        let store = try store()
        var other: PersistentContainer? = try PersistentContainer(model: store.old, at: store.path)
        let error = try refusal(store, options(timeout: 50))
        #expect(error?.code == .busy)
        #expect(error?.message == store.path + Self.inUse)
        #expect(try other?.newContext().count(for: FetchRequest(entityName: "Task")) == 2)
        other = nil
        #expect(try open(store, options(timeout: 50)).model == store.new)
    }

    @Test("opening waits while another process has the lock, and fails as busy after the timeout")
    func turn() throws {
        let store = try store()
        let holder = try FileDescriptorOfLock(store.path)
        let error = try refusal(store, options(timeout: 50))
        #expect(error?.code == .busy)
        #expect(error?.message == store.path + Self.inUse)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
            holder.release()
        }
        #expect(try open(store, options()).migrationBackupPaths == [store.path + ".bak-v1"])
    }

    @Test("if several threads open a store at once, exactly one migrates it")
    func atOnce() throws {
        let store = try store()
        let (path, new, options) = (store.path, store.new, options(timeout: 60_000))
        let found = Mutex<[Result<[String], StoreError>]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let result = Result { () throws(StoreError) in
                try PersistentContainer(model: new, .sqlite(at: path, options: options))
                    .migrationBackupPaths
            }
            found.withLock { $0.append(result) }
        }
        let backups = try found.withLock { $0 }.map { try $0.get() }
        #expect(backups.filter { !$0.isEmpty } == [[path + ".bak-v1"]])
        #expect(backups.count == 4)
        #expect(try names(store) == ["store.sqlite", "store.sqlite.bak-v1"])
        try store.check()
    }

    @Test("files of killed migrations do not block the next migration")
    func afterAKill() throws {
        let store = try store()
        // Two kills: while the new store was built, and while the old one got its second name.
        try Connection(path: store.path + ".migrating", mode: .create).execute(
            "PRAGMA application_id = \(0x6574_6C4D); CREATE TABLE HALF (A)")
        _ = try Connection(path: store.path, mode: .readWrite).text("PRAGMA journal_mode = DELETE")
        try FileManager.default.linkItem(
            atPath: store.path, toPath: store.path + ".bak-v1")
        try "pid 1, pipeline etl migrate, since 2026-11-21T03:00:00Z".write(
            toFile: store.path + ".etl-lock", atomically: true, encoding: .utf8)
        let container = try open(store, options())
        #expect(container.migrationBackupPaths == [store.path + ".bak-v1"])
        #expect(try store.objects("Task", "name", "rank") == ["name=a rank=3", "name=b rank=3"])
        #expect(try names(store) == ["store.sqlite", "store.sqlite.bak-v1"])
        #expect(
            try PersistentContainer.model(ofStoreAt: store.path + ".bak-v1") == store.old)
    }

    // MARK: Values

    @Test func comparesMigrationOptions() {
        #expect(options(.automatic) == options(.automatic))
        #expect(options(.off) != options(.automatic))
        let told = StoreOptions.Migration.automatic(through: nil)
        #expect(told == told)
        #expect(told != .automatic)
        #expect(Set([told, .off, .automatic, told]).count == 3)
    }

    @Test("a mistake in a mapping file is reported with its line and column")
    func mistakenMapping() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("1-2.yaml")
        try """
        mapping: 1
        entities:
          Tasks: { set: { level: "1" } }
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: ModelFileError.self) {
            try MappingModel(yamlFile: file, from: model(Self.first), to: model(Self.third))
        }
        #expect(
            error?.localizedDescription == """
                \(file):3:3: error: The new model has no entity 'Tasks'. Did you mean 'Task'? \
                [mapping.entity]
                  in: entities.Tasks
                """)
    }
}

/// The lock file of a store, locked as by another process.
private final class FileDescriptorOfLock: Sendable {
    private let descriptor: Int32

    init(_ store: String) throws {
        descriptor = Foundation.open(store + ".etl-lock", O_RDWR | O_CREAT, 0o644)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    func release() { _ = flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
}
