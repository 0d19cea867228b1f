import Foundation
import SQLite
import Testing

@testable import GraphStore

@Suite("Replacing a store") struct StoreReplacementTests {
    @Test("if the backup cannot be created, the store and its journal mode stay unchanged")
    func failureToKeep() throws {
        let store = try MigratedStore(
            from: "Task: { attributes: { name: String } }",
            to: "Task: { attributes: { name: String, level: Integer 16 } }"
        ) { context in
            try context.make("Task", ["name": "a"])
        }
        let files = FileManager.default
        try files.createDirectory(
            atPath: store.folder.file(".store_SUPPORT/_EXTERNAL_DATA"),
            withIntermediateDirectories: true)
        // A file that blocks the folder for the backup's large values.
        let obstacle = store.folder.file(".store.sqlite.bak-v1_SUPPORT")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: obstacle))
        let error = storeError { try store.manager.migrate() }
        #expect(error?.code == .inputOutput)
        #expect(try store.lines("PRAGMA journal_mode") == ["wal"])
        #expect(try store.objects("Task", "name") == ["name=a"])
        let left = try files.contentsOfDirectory(atPath: store.folder.path).sorted()
        #expect(
            left.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
                == [".store.sqlite.bak-v1_SUPPORT", ".store_SUPPORT", "store.sqlite"])
        try files.removeItem(atPath: obstacle)
        try store.migrate()
        #expect(try store.objects("Task", "name", "level") == ["name=a level=-"])
        #expect(try store.lines("PRAGMA journal_mode") == ["wal"])
    }

    /// The file at the path of the new store.
    enum Obstacle: CaseIterable {
        case empty, text, otherStore, otherDatabase
    }

    @Test(
        "a migration removes an empty file at the path of the new store, and no other program's file",
        arguments: Obstacle.allCases)
    func obstacles(kind: Obstacle) throws {
        let store = try MigratedStore(
            from: "Task: { attributes: { name: String } }",
            to: "Task: { attributes: { name: String, level: Integer 16 } }"
        ) { try $0.make("Task", ["name": "a"]) }
        let file = store.path + ".migrating"
        var reason: String?
        switch kind {
        case .empty: try Data().write(to: URL(fileURLWithPath: file))
        case .text:
            try Data(repeating: UInt8(ascii: "x"), count: 100).write(
                to: URL(fileURLWithPath: file))
            reason = ""
        case .otherStore:
            let container = try PersistentContainer(model: store.old, at: file, opening: .create)
            reason = "its UUID is \(container.storeUUID)"
        case .otherDatabase:
            try Connection(path: file, mode: .create).execute("CREATE TABLE X (Y)")
            reason = ""
        }
        guard let reason else {
            try store.migrate()
            return
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let error = storeError { try store.manager.migrate() }
        #expect(error?.code == .exists)
        let start = "\(file), the path of the new store, is another file (\(reason)"
        #expect(error?.message.hasPrefix(start) == true, "\(String(describing: error))")
        #expect(error?.message.hasSuffix("); move it away") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        #expect(try store.objects("Task", "name") == ["name=a"])
    }
}
