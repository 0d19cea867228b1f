import Foundation
import Testing

/// A WAL that another user's program has left next to a store, and that this user may not write.
@Suite("Failures: WAL files of other users", .serialized)
struct ForeignLogTests {
    @Test(
        "77: names the WAL or SHM file that is not writable, and the fix",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"),
        arguments: [
            ("-shm", "", "create"), ("-wal", "", "create"), ("-wal", "changes", "create"),
            ("-shm", "", "create, commit: run"), ("-shm", "", "replace"),
        ])
    func isNamed(_ suffix: String, _ content: String, _ open: String) throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        try folder.writeSpec(open: open)
        #expect(try folder.run().status == 0)
        try folder.write("store.sqlite" + suffix, content)
        try folder.shell("chmod -R a+rwX .; chmod 444 store.sqlite\(suffix)")
        let prefix = FailureFolder.underling ?? ""
        let result = try folder.shell("exec \(prefix) \"$E\" run spec.yaml")
        #expect(result.status == 77, "\(result.errors)")
        #expect(
            result.errors.contains(
                "store.sqlite\(suffix) may not be written, and SQLite writes it with the store "
                    + "[store.permission]"), "\(result.errors)")
        #expect(result.errors.contains("another user's program left this file"))
        // The fix must not delete changes that are not in the store yet.
        #expect(result.errors.contains("remove it") == content.isEmpty, "\(result.errors)")
        #expect(!result.errors.contains("store.unfinished"))
        guard content.isEmpty else { return }
        try FileManager.default.removeItem(atPath: "\(folder.path)/store.sqlite\(suffix)")
        #expect(try folder.shell("exec \(prefix) \"$E\" run spec.yaml").status == 0)
    }
}
