import Files
import Foundation
import Synchronization
import Testing

@testable import GraphStore
@testable import Pipelines

/// Folders that cannot be read or synchronized, each with an error instead of a result that looks
/// complete.
@Suite("Folder failures") struct FolderFailureTests {
    /// Runs a test with a folder in which some calls fail.
    private func withFolder(
        _ fails: @escaping @Sendable (FileCall) -> Bool,
        _ use: (String, _ heal: () -> Void) throws -> Void
    ) throws {
        let temporary = FileManager.default.temporaryDirectory.path
        let resolved = try #require(FileSystem.resolved(temporary)).displayText
        let folder = resolved + "/folders-\(UUID().uuidString)"
        try FileSystem.makeFolder(folder)
        let hook = FileHooks.install(
            FileHook(folder: folder) { fails($0) ? .fail(EIO) : .proceed })
        defer {
            FileHooks.remove(hook)
            try? FileSystem.removeAll(folder)
        }
        try use(folder) { FileHooks.remove(hook) }
    }

    @Test("a folder of external values that cannot be read does not count as empty")
    func unreadable() throws {
        try withFolder {
            $0.kind == .list && $0.path.displayText.contains("/from")
        } _: { folder, _ in
            let value = "/_EXTERNAL_DATA/value"
            for name in ["/from", "/to"] {
                try FileSystem.makeFolders(folder + name + "/_EXTERNAL_DATA")
                try FileSystem.replace(folder + name + value, with: [1])
            }
            let (from, to) = (folder + "/from", folder + "/to")
            #expect(throws: StoreError.self) {
                try StoreFiles.copyFolder(from, to: folder + "/copy")
            }
            // Otherwise, all files of the store would count as missing in the other store, and be
            // deleted.
            #expect(throws: StoreError.self) {
                try ExternalFiles.removeAll(in: to, butThoseIn: from)
            }
            #expect(FileSystem.exists(to + value))
        }
    }

    @Test("a run fails if the names of its rejects cannot be synced to disk")
    func unsynchronized() throws {
        let seen = Atomic<Int>(0)
        try withFolder { call in
            guard call.kind == .synchronize,
                call.path.displayText.split(separator: "/").last?.hasPrefix("nightly-") == true
            else { return false }
            // The first call is for the note of the rejects, which has its own message.
            return seen.add(1, ordering: .relaxed).newValue > 1
        } _: { folder, heal in
            let place = WorkLocation(folder, smallInputBytes: 0)
            try place.write("model.yaml", Scenario.model)
            try place.write("logs.ndjson", Scenario.logs(30, "a"))
            try place.write("spec.yaml", Scenario.spec(Scenario.importLogs))
            let failed = place.run()
            #expect(failed.status == .cannotCreate)
            #expect(
                failed.text.contains("cannot be synced to disk: Input/output error [rejects.file]"))
            heal()
            #expect(place.run().status == .ok)
            #expect(try FolderDigest(folder).lines.count { $0.hasPrefix("reject ") } == 2)
        }
    }
}
