import Foundation
import SQLite
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
        var reader: Connection?
        if content.isEmpty {
            // An open reader keeps the files; otherwise, the run would remove them.
            reader = try Connection(path: "\(folder.path)/store.sqlite", mode: .readOnly)
            _ = try reader?.integer("SELECT count(*) FROM sqlite_master")
        } else {
            try folder.write("store.sqlite" + suffix, content)
        }
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
        reader = nil
        #expect(folder.names().contains("store.sqlite\(suffix)"))
        let second = try folder.shell("exec \(prefix) \"$E\" run spec.yaml")
        #expect(second.status == 0, "\(second.errors)")
        #expect(folder.names().filter { $0.hasPrefix("store.sqlite-") } == [])
    }

    @Test(
        "verify leaves no WAL files if its user may write the folder, but not the store",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"))
    func verifyLeavesNoFiles() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(10)
        #expect(try folder.run().status == 0)
        try folder.shell("chmod 777 .; chmod 644 store.sqlite")
        let before = folder.names()
        let result = try folder.shell(
            "exec \(FailureFolder.underling ?? "") \"$E\" verify store.sqlite")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names() == before)
        #expect(before.filter { $0.hasPrefix("store.sqlite-") } == [])
    }
}
