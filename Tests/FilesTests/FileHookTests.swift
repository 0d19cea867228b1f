import Files
import Foundation
import Synchronization
import Testing

@Suite("File hook") struct FileHookTests {
    /// A folder of a test, and what its hook has seen.
    private final class Watched: Sendable {
        let folder: String
        let seen = Mutex<[String]>([])
        private let number = Mutex(0)

        init(_ answer: @escaping @Sendable (FileCall) -> FileHook.Answer) throws {
            let root = FileManager.default.temporaryDirectory.path
            let resolved = try #require(FileSystem.resolved(root))
            folder = resolved.displayText + "/hook-\(UUID().uuidString)"
            try FileSystem.makeFolder(folder)
            let hook = FileHook(folder: folder) { [weak self] call in
                guard let self else { return .proceed }
                let name = call.path.displayText.dropFirst(self.folder.count)
                self.seen.withLock { $0.append("\(name) \(Self.text(call.kind))") }
                return answer(call)
            }
            number.withLock { $0 = FileHooks.install(hook) }
        }

        private static func text(_ kind: FileCall.Kind) -> String {
            if case .rename(let target) = kind { return "rename(to: \(target.displayText))" }
            return "\(kind)"
        }

        func end() throws {
            number.withLock { FileHooks.remove($0) }
            try FileSystem.removeAll(folder)
        }
    }

    @Test func seesOnlyTheCallsInItsFolder() throws {
        let watched = try Watched { _ in .proceed }
        defer { try? watched.end() }
        let path = watched.folder + "/a"
        let descriptor = try FileSystem.open(path, [.writing, .new])
        try FileSystem.write(Array("abc".utf8), to: descriptor)
        try FileSystem.synchronize(descriptor)
        try FileSystem.closeWritten(descriptor)
        try FileSystem.rename(path, to: watched.folder + "/b")
        // Its name begins alike.
        #expect(!FileSystem.exists(watched.folder + "-other"))
        #expect(try FileSystem.contents(watched.folder + "/b") == Array("abc".utf8))
        #expect(
            watched.seen.withLock { $0 } == [
                "/a open(creates: true, empties: false)", "/a write(count: 3, at: nil)",
                "/a synchronize", "/a close", "/a rename(to: \(watched.folder)/b)",
                "/b open(creates: false, empties: false)", "/b read(count: 16384)",
                "/b read(count: 16384)", "/b close",
            ])
    }

    @Test func replacesTheAnswersOfTheSystem() throws {
        let watched = try Watched { call in
            switch call.kind {
            case .remove: .fail(EIO)
            case .write(let count, _) where count > 2: .short(2)
            default: .proceed
            }
        }
        defer { try? watched.end() }
        let path = watched.folder + "/a"
        try FileSystem.replace(path, with: Array("abcde".utf8))
        #expect(
            watched.seen.withLock { $0 }.filter { $0.contains("write(") }.map { $0.suffix(23) }
                == [
                    " write(count: 5, at: nil)", " write(count: 3, at: nil)",
                    " write(count: 1, at: nil)",
                ].map { $0.suffix(23) })
        #expect(throws: SystemFault(EIO)) { try FileSystem.remove(path) }
        #expect(try FileSystem.contents(path) == Array("abcde".utf8))
    }

    #if os(Linux)
        @Test func failsToCreateFoldersWhereTheSystemTakesNoNewNames() throws {
            // Linux reports ENOENT although the parent folder exists.
            for path in ["/proc/etl", "/proc/etl/a"] {
                #expect(throws: SystemFault(ENOENT)) { try FileSystem.makeFolders(path) }
            }
        }
    #endif

    @Test func createsParentFoldersAndRemovesFoldersWithContents() throws {
        let watched = try Watched { _ in .proceed }
        defer { try? watched.end() }
        let deep = watched.folder + "/a/b/c/"
        try FileSystem.makeFolders(deep)
        try FileSystem.makeFolders(deep)
        try FileSystem.replace(watched.folder + "/a/file", with: [])
        #expect(throws: SystemFault(EEXIST)) {
            try FileSystem.makeFolders(watched.folder + "/a/file")
        }
        try FileSystem.removeAll(watched.folder + "/a")
        #expect(throws: SystemFault(ENOENT)) { try FileSystem.removeAll(watched.folder + "/a") }
    }
}
