import Files
import Foundation
import SQLite
import Synchronization
import Testing

@testable import GraphStore
@testable import RowStore

/// Stores that another process changes while they are copied or verified.
@Suite("Stores that change while they are read") struct ChangingStoreTests {
    private let entities = "A: { attributes: { x: String } }"

    /// Runs the body, with a change right before file calls.
    ///
    /// - Parameters:
    ///   - times: The number of calls with a change.
    ///   - isMoment: Returns whether the change precedes a call.
    private func changing<R>(
        in folder: String, times: Int = 1, before isMoment: @escaping @Sendable (FileCall) -> Bool,
        _ change: @escaping @Sendable (Int) -> Void, _ body: () throws -> R
    ) rethrows -> R {
        let count = Mutex(0)
        let hook = FileHooks.install(
            FileHook(folder: folder) { call in
                guard isMoment(call) else { return .proceed }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number <= times { change(number) }
                return .proceed
            })
        defer { FileHooks.remove(hook) }
        return try body()
    }

    private static func opens(_ call: FileCall, _ ending: String) -> Bool {
        if case .open = call.kind { call.path.displayText.hasSuffix(ending) } else { false }
    }

    /// Creates a store whose process was killed, so that its last change is only in its log.
    private func leaveStore(_ path: String, log: String) throws {
        let store = try TestStore(entities)
        try store.container.checkpoint()
        let context = store.container.newContext()
        let object = try context.insert("A")
        object[.string("x")] = "new"
        try context.save()
        try FileManager.default.copyItem(atPath: store.path, toPath: path)
        try FileManager.default.copyItem(atPath: store.path + "-wal", toPath: log)
    }

    private func values(ofCopy path: String) throws -> [String] {
        try Connection(path: path, mode: .readWrite).texts("SELECT ZX FROM ZA")
    }

    @Test("a copy of a store whose log is merged meanwhile has all changes")
    func mergedLog() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("left.sqlite")
        try leaveStore(path, log: path + "-wal")
        let found = try changing(
            in: folder.path, before: { Self.opens($0, "left.sqlite-wal") },
            { _ in try? Connection(path: path, mode: .readWrite).checkpoint() },
            { try SnapshotFolder.copy(path) })
        let copy = try #require(found)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: copy.folder.path).sorted()
                == [SnapshotFolder.lockName, "left.sqlite"])
        #expect(try values(ofCopy: copy.path) == ["new"])
    }

    @Test("a copy of a store that gets a log meanwhile has all changes")
    func newLog() throws {
        let folder = try TemporaryFolder()
        let (path, log) = (folder.file("left.sqlite"), folder.file("log"))
        try leaveStore(path, log: log)
        let found = try changing(
            in: folder.path, before: { Self.opens($0, "left.sqlite") },
            { _ in try? FileManager.default.copyItem(atPath: log, toPath: path + "-wal") },
            { try SnapshotFolder.copy(path) })
        let copy = try #require(found)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: copy.folder.path).sorted()
                == [SnapshotFolder.lockName, "left.sqlite", "left.sqlite-wal"])
        #expect(try values(ofCopy: copy.path) == ["new"])
    }

    /// Creates a store, and an incomplete copy of it at the path.
    private func writeIncompleteStore(_ path: String, complete: String) throws {
        _ = try PersistentContainer(model: model(entities), at: complete, opening: .create)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: complete))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
    }

    /// Whether the call reads the copy of a store of this name that a verification has made.
    private static func readsCopy(_ call: FileCall, of name: String) -> Bool {
        guard case .read = call.kind else { return false }
        let path = call.path.displayText
        return path.contains("/etl-look-") && path.hasSuffix("/" + name)
    }

    @Test("a verification has no findings of a file that is replaced by a complete one meanwhile")
    func replacedFile() throws {
        let folder = try TemporaryFolder()
        let (path, complete) = (folder.file("replaced-a.sqlite"), folder.file("complete.sqlite"))
        try writeIncompleteStore(path, complete: complete)
        let before = try StoreVerification.verify(at: path, .full, model: nil)
        #expect(before.findings.first?.message.hasPrefix("The file is truncated: ") == true)
        let found = try changing(
            in: FileManager.default.temporaryDirectory.path,
            before: { Self.readsCopy($0, of: "replaced-a.sqlite") },
            { _ in try? StoreFiles.move(complete, to: path) },
            { try StoreVerification.verify(at: path, .full, model: nil) })
        #expect(found.findings == [])
    }

    @Test("a verification of a file that changes during every attempt is busy")
    func changingFile() throws {
        let folder = try TemporaryFolder()
        let (path, complete) = (folder.file("changing-b.sqlite"), folder.file("complete.sqlite"))
        try writeIncompleteStore(path, complete: complete)
        let error = changing(
            in: FileManager.default.temporaryDirectory.path, times: .max,
            before: { Self.readsCopy($0, of: "changing-b.sqlite") },
            { number in
                try? FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: Double(number))],
                    ofItemAtPath: path)
            }, { storeError { _ = try StoreVerification.verify(at: path, .full, model: nil) } })
        #expect(error?.code == .busy)
        #expect(
            error?.message
                == "\(path) was written by another process during each attempt to verify it")
    }
}
