import Files
import Foundation
import GraphModel
import SQLite
import Synchronization
import Testing

@testable import GraphStore
@testable import RowStore

/// Stores whose file calls fail, other than those of SQLite.
@Suite("Failing file calls") struct FailingFileTests {
    private let entities = """
        A:
          attributes: { x: String, data: { type: Binary, external: true } }
        """
    private let large = [UInt8](repeating: 8, count: 200_000)

    /// Runs the body while file calls below a folder fail with the error numbers of the closure.
    private func failing<R>(
        in folder: TemporaryFolder, _ number: @escaping @Sendable (FileCall) -> Int32?,
        _ body: () throws -> R
    ) rethrows -> R {
        let hook = FileHooks.install(
            FileHook(folder: folder.path) { call in
                if let number = number(call) { .fail(number) } else { .proceed }
            })
        defer { FileHooks.remove(hook) }
        return try body()
    }

    private static func isLink(_ call: FileCall) -> Bool {
        if case .link = call.kind { true } else { false }
    }

    private static func isNamed(_ call: FileCall, _ part: String) -> Bool {
        call.path.displayText.contains(part)
    }

    private func insert(
        _ x: String, data: [UInt8]? = nil, in container: PersistentContainer
    ) throws {
        let context = container.newContext()
        let object = try context.insert("A")
        object[.string("x")] = x
        object[.binary("data")] = data
        try context.save()
    }

    private func values(of container: PersistentContainer) throws -> [String] {
        try lines("SELECT ZX FROM ZA ORDER BY Z_PK", on: container.newReader())
    }

    // MARK: Backups

    enum Step: CaseIterable {
        case open, write, synchronize

        var number: Int32 {
            switch self {
            case .open: EACCES
            case .write: ENOSPC
            case .synchronize: EIO
            }
        }

        var code: StoreError.Code {
            switch self {
            case .open: .permission
            case .write: .full
            case .synchronize: .inputOutput
            }
        }

        func isStep(_ call: FileCall) -> Bool {
            switch (self, call.kind) {
            case (.open, .open(creates: true, empties: _)), (.write, .write),
                (.synchronize, .synchronize):
                true
            default: false
            }
        }
    }

    @Test(
        "without hard links, a backup is a copy, and a copy that fails is removed",
        arguments: Step.allCases)
    func backups(step: Step) throws {
        let store = try MigratedStore(
            from: entities, to: entities.replacing("x: String", with: "x: String, n: Integer 16")
        ) { context in
            let object = try context.insert("A")
            object[.string("x")] = "a"
            object[.binary("data")] = large
        }
        let files = FileManager.default
        let error = failing(
            in: store.folder,
            { call in
                if Self.isLink(call) { return EPERM }
                return Self.isNamed(call, "/store.sqlite.bak-v1") && step.isStep(call)
                    ? step.number : nil
            }, { storeError { try store.manager.migrate() } })
        #expect(error?.code == step.code, "\(error as Any)")
        #expect(
            try files.contentsOfDirectory(atPath: store.folder.path)
                .filter { $0.hasPrefix("store.sqlite.bak-v1") } == [])
        #expect(try store.objects("A", "x") == ["x=a"])

        try failing(
            in: store.folder, { Self.isLink($0) ? EPERM : nil }, { _ = try store.migrate() })
        #expect(try store.objects("A", "x", "n") == ["x=a n=-"])
        let backup = store.path + ".bak-v1"
        #expect(
            try lines("SELECT ZX FROM ZA", on: Connection(path: backup, mode: .readOnly)) == ["a"])
        let kept = store.folder.file(".store.sqlite.bak-v1_SUPPORT/_EXTERNAL_DATA")
        let names = try files.contentsOfDirectory(atPath: kept)
        #expect(names.count == 1)
        #expect(names.map { files.contents(atPath: "\(kept)/\($0)") } == [Data(large)])
    }

    // MARK: Atomic stores

    @Test("an atomic store is saved without hard links, and stays as it is if its copy fails")
    func atomicWithoutLinks() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let container = try PersistentContainer(
            model: model("A: { attributes: { x: String } }"), .binary(at: path, opening: .create))
        let context = container.newContext()
        try context.insert("A")[.string("x")] = "a"
        try failing(in: folder, { Self.isLink($0) ? EPERM : nil }, { _ = try context.save() })
        try context.insert("A")[.string("x")] = "b"
        let error = failing(
            in: folder,
            { call in
                if case .write = call.kind, Self.isNamed(call, "/store.etl-old-") { return ENOSPC }
                return Self.isLink(call) ? EPERM : nil
            }, { storeError { try context.save() } })
        #expect(error?.code == .full, "\(error as Any)")
        let again = try PersistentContainer(model: nil, .binary(at: path))
        #expect(try values(of: again) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
    }

    @Test(
        "the failure to create a file has the code of its reason",
        arguments: [
            (ENOENT, StoreError.Code.missing), (EACCES, .permission), (ENOSPC, .full),
            (EMFILE, .resources), (ENAMETOOLONG, .invalidRequest), (EIO, .inputOutput),
        ])
    func codes(number: Int32, code: StoreError.Code) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let error = try failing(
            in: folder,
            { call in
                if case .open(creates: true, empties: _) = call.kind { number } else { nil }
            },
            {
                let model = try model("A: { attributes: { x: String } }")
                return storeError {
                    _ = try PersistentContainer(model: model, .json(at: path, opening: .create))
                }
            })
        #expect(error?.code == code, "\(error as Any)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("leftovers that cannot be listed or dated stay, and a store opens in spite of them")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        _ = try PersistentContainer(
            model: model("A: { attributes: { x: String } }"), .binary(at: path, opening: .create))
        // No process has this number.
        let left = folder.file("store.etl-new-2147483646")
        try Data().write(to: URL(fileURLWithPath: left))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: left)
        for kind in [FileCall.Kind.list, .status] {
            try failing(
                in: folder,
                { call in
                    let isLeft = kind == .list || Self.isNamed(call, "etl-new")
                    return call.kind == kind && isLeft ? EIO : nil
                },
                {
                    _ = try PersistentContainer(model: nil, .binary(at: path))
                    #expect(StoreBackups.seen(of: path).all.isEmpty)
                })
            #expect(FileManager.default.fileExists(atPath: left))
        }
        _ = try PersistentContainer(model: nil, .binary(at: path))
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    // MARK: Large values

    @Test("a folder for large values that cannot be made, listed, or removed is an error")
    func largeValues() throws {
        let store = try TestStore(entities)
        let made = failing(
            in: store.folder,
            { $0.kind == .makeFolder ? EACCES : nil },
            { storeError { try insert("a", data: large, in: store.container) } })
        #expect(made?.code == .permission)
        #expect(made?.message.contains("/.store_SUPPORT cannot be created: ") == true)
        try store.expect("SELECT count(*) FROM ZA", ["0"])

        try insert("a", data: large, in: store.container)
        let listed = failing(
            in: store.folder,
            { $0.kind == .list ? EIO : nil },
            { storeError { _ = try store.container.externalFiles.names() } })
        #expect(listed?.code == .inputOutput)
        #expect(listed?.message.contains("/_EXTERNAL_DATA cannot be read: ") == true)
        #expect(try store.container.externalFiles.names().count == 1)

        let copy = store.folder.file("copy.sqlite")
        try store.container.copyStore(to: copy)
        let removed = failing(
            in: store.folder,
            { $0.kind == .removeFolder ? EACCES : nil },
            { storeError { try PersistentContainer.destroy(at: copy) } })
        #expect(removed?.code == .permission)
        #expect(removed?.message.contains("cannot be removed: ") == true)
        try PersistentContainer.destroy(at: copy)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
                .filter { $0.contains("copy") } == [])
    }

    // MARK: Snapshots

    /// Runs the body while an app has the store open with changes in its log.
    private func whileInUse<R>(_ body: (AppStoreFile) throws -> R) throws -> R {
        let store = try AppStoreFile()
        let app = try Connection(path: store.path, mode: .readWrite)
        try app.execute("PRAGMA journal_mode = WAL; UPDATE ZSHELF SET ZLABEL = 'new'")
        defer { withExtendedLifetime(app) {} }
        return try body(store)
    }

    @Test("an app's store whose log cannot be copied is an error that names both")
    func unreadableLog() throws {
        try whileInUse { store in
            let error = failing(
                in: store.folder,
                { call in
                    if case .read = call.kind, Self.isNamed(call, "-wal") { EIO } else { nil }
                }, { storeError { _ = try StoreSnapshot(ofApp: store.path) } })
            #expect(error?.code == .inputOutput)
            #expect(
                error?.message.hasPrefix("\(store.path) and its log cannot be copied to ") == true)
            _ = try StoreSnapshot(ofApp: store.path)
        }
    }

    @Test("an app's store with a log that is not an SQLite file is an error that names the store")
    func garbage() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Shelf.sqlite")
        try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: path))
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        let error = storeError { _ = try StoreSnapshot(ofApp: path) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "\(path) is not an SQLite file, or is damaged")
    }

    @Test("an app's store that changes during every attempt to copy it is busy")
    func busyLog() throws {
        try whileInUse { store in
            let seconds = Mutex(0)
            let error = failing(
                in: store.folder,
                { call in
                    guard case .read = call.kind, Self.isNamed(call, "-wal") else { return nil }
                    let second = seconds.withLock { seconds in
                        seconds += 1
                        return seconds
                    }
                    try? FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSince1970: Double(second))],
                        ofItemAtPath: call.path.displayText)
                    return nil
                }, { storeError { _ = try StoreSnapshot(ofApp: store.path) } })
            #expect(error?.code == .busy)
            #expect(
                error?.message == "\(store.path) is being written by its app; close that first")
        }
    }
}
