import Files
import Foundation
import GraphModel
import Synchronization
import Testing

@testable import GraphStore

/// Processes that are killed while opening a store migrates it.
@Suite("Kills while opening migrates") struct OpeningKillTests {
    private static let first = "Task: { attributes: { name: String } }"
    private static let second =
        "Task: { attributes: { name: String, rank: { type: Integer 16, default: 3 } } }"

    private static let third = """
        Task:
          attributes:
            title: { type: String, renamed-from: name }
            rank: { type: Integer 16, default: 3 }
        """

    private static func store(to later: String = second) throws -> MigratedStore {
        try MigratedStore(from: first, to: later) { context in
            try context.make("Task", ["name": "a"])
            try context.make("Task", ["name": "b"])
        }
    }

    /// Opens the store with the new model, which migrates it.
    private static func open(
        _ path: String, _ report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var options = StoreOptions()
        options.migration = .automatic(report: report)
        return try PersistentContainer(
            model: model(second), .sqlite(at: path, options: options))
    }

    /// Opens the store, and kills this process when a phase begins.
    private static func open(_ path: String, killedIn phase: String) throws {
        _ = try open(path) { if $0.phase.rawValue == phase { kill(getpid(), SIGKILL) } }
    }

    /// Opens the store, and kills this process before a call of the swap that changes a name.
    ///
    /// - Returns: The number of these calls, if the process is not killed.
    @discardableResult
    private static func open(_ path: String, killedBefore call: Int) throws -> Int {
        // The number of calls since the swap began; `nil` before it.
        let calls = Mutex<Int?>(nil)
        let folder = (path as NSString).deletingLastPathComponent
        let hook = FileHook(folder: folder) { fileCall in
            switch fileCall.kind {
            case .rename, .link, .remove:
                calls.withLock { calls in
                    if calls == call { kill(getpid(), SIGKILL) }
                    calls = calls.map { $0 + 1 }
                }
            default: break
            }
            return .proceed
        }
        let number = FileHooks.install(hook)
        defer { FileHooks.remove(number) }
        _ = try open(path) { if $0.phase == .swapping { calls.withLock { $0 = 0 } } }
        return calls.withLock { $0 ?? 0 }
    }

    /// Opens the store with the third model, which migrates it in two stages.
    ///
    /// - Parameter killed: The stage before which to kill this process, from 0; `nil` for none.
    private static func open(_ path: String, killedBeforeStage killed: Int?) throws {
        var options = StoreOptions()
        options.migration = .automatic(
            through: ModelHistory([try model(first), try model(second), try model(third)]),
            stoppingAt: [1],
            willMigrate: { if $0.from == killed { kill(getpid(), SIGKILL) } })
        _ = try PersistentContainer(model: model(third), .sqlite(at: path, options: options))
    }

    /// The store's path without symbolic links, as file calls use it.
    private static func path(_ store: MigratedStore) throws -> String {
        try #require(FileSystem.resolved(store.path)).displayText
    }

    /// Opens the store as the next process does, and expects it to be migrated, with one backup.
    private func expectMigrated(_ store: MigratedStore, after kill: Comment) throws {
        do {
            let context = try Self.open(store.path).newContext()
            #expect(try context.count(for: FetchRequest(entityName: "Task")) == 2, kill)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix(".etl-lock") }
        #expect(names.sorted() == ["store.sqlite", "store.sqlite.bak-v1"], kill)
        #expect(
            try store.objects("Task", "name", "rank") == ["name=a rank=3", "name=b rank=3"], kill)
        let backup = try PersistentContainer(model: store.old, at: store.path + ".bak-v1")
        #expect(
            try backup.newContext().count(for: FetchRequest(entityName: "Task")) == 2, kill)
        #expect(try store.lines("PRAGMA journal_mode") == ["wal"], kill)
        try store.check()
    }

    @Test("a process that is killed in a phase leaves the old store, which the next one migrates")
    func phases() async throws {
        for phase in MigrationProgress.Phase.allCases {
            let store = try Self.store()
            let comment: Comment = "killed in \(phase.rawValue)"
            await #expect(processExitsWith: .signal(SIGKILL), comment) {
                [path = store.path as String, phase = phase.rawValue as String] in
                try OpeningKillTests.open(path, killedIn: phase)
            }
            #expect(try PersistentContainer.model(ofStoreAt: store.path) == store.old, comment)
            try expectMigrated(store, after: comment)
        }
    }

    @Test("a process that is killed during the swap leaves the complete old or new store")
    func swap() async throws {
        let whole = try Self.store()
        let count = try Self.open(Self.path(whole), killedBefore: -1)
        // At least the backup's link and the new store's name.
        #expect(count >= 2)
        for call in 0..<count {
            let store = try Self.store()
            let comment: Comment = "killed before call \(call) of \(count)"
            await #expect(processExitsWith: .signal(SIGKILL), comment) {
                [path = try Self.path(store) as String, call = call as Int] in
                try OpeningKillTests.open(path, killedBefore: call)
            }
            let left = try PersistentContainer.model(ofStoreAt: store.path)
            #expect(left == store.old || left == store.new, comment)
            try expectMigrated(store, after: comment)
        }
    }

    @Test("after a kill between two stages of a chain, the next opening resumes at the second one")
    func stages() async throws {
        let store = try Self.store(to: Self.third)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = store.path as String] in
            try OpeningKillTests.open(path, killedBeforeStage: 1)
        }
        #expect(try PersistentContainer.model(ofStoreAt: store.path) == model(Self.second))
        try Self.open(store.path, killedBeforeStage: nil)
        #expect(
            try store.objects("Task", "title", "rank") == ["title=a rank=3", "title=b rank=3"])
        #expect(try PersistentContainer.model(ofStoreAt: store.path + ".bak-v1") == store.old)
        try store.check()
    }
}
