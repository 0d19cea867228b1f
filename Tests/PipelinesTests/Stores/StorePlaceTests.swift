import Diagnostics
import Foundation
import SQLite
import Testing

@testable import Pipelines

/// Files that replace others: their owners, permissions, and symbolic links.
@Suite("Paths and permissions of stores")
struct StorePlaceTests {
    static let settings = [
        "open: create, commit: run", "open: create, commit: stage", "open: replace",
    ]

    private static func run(
        _ folder: Workspace, _ id: Int, at path: String = "store.sqlite", _ settings: String,
        stages: String = StoreModeTests.stage
    ) throws -> Run {
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", "{\"id\":\"\(id)\"}")
        return try folder.run(
            """
            etl: 1
            store: { at: \(path), model: model.yaml, \(settings) }
            stages:
            \(stages)
            """)
    }

    // MARK: Rights

    @Test("a store that replaces another keeps its permissions and owner", arguments: settings)
    func rights(_ settings: String) throws {
        let folder = try Workspace()
        let path = folder.path("store.sqlite")
        #expect(try Self.run(folder, 1, "open: create").text == "")
        #expect(chmod(path, 0o660) == 0)
        // Only root can change the owner of a file, and the run keeps that owner.
        if getuid() == 0 { #expect(chown(path, 1001, 1002) == 0) }
        let rights = try #require(FilePermissions(of: path))
        #expect(try Self.run(folder, 2, settings).text == "")
        #expect(try folder.rows(StoreModeTests.rows).last == "2")
        #expect(FilePermissions(of: path) == rights)
    }

    @Test(
        "work next to a store has the store's permissions",
        arguments: [(settings[0], ".etl-work"), (settings[2], ".etl-new")])
    func permissionsNextToStore(_ settings: String, _ suffix: String) throws {
        let folder = try Workspace()
        let path = folder.path("store.sqlite")
        #expect(try Self.run(folder, 1, "open: create").text == "")
        #expect(chmod(path, 0o600) == 0)
        let rights = try #require(FilePermissions(of: path))
        var reader: Connection? = try Connection(path: path, mode: .readWrite)
        try reader?.execute("BEGIN")
        #expect(try reader?.text(StoreModeTests.rows) == "1")
        // The reader prevents the replacement of the store.
        #expect(try Self.run(folder, 2, settings).status == .temporaryFailure)
        #expect(FilePermissions(of: path + suffix) == rights)
        try reader?.execute("COMMIT")
        reader = nil
    }

    @Test("an export keeps the permissions of the file that it replaces")
    func permissionsOfExports() throws {
        let folder = try Workspace()
        try folder.write("out.csv", "old")
        #expect(chmod(folder.path("out.csv"), 0o640) == 0)
        let rights = try #require(FilePermissions(of: folder.path("out.csv")))
        let run = try Self.run(
            folder, 1, "open: create",
            stages: StoreModeTests.stage + "\n- { export: Task, to: out.csv }")
        #expect(run.text == "")
        #expect(try folder.text("out.csv").hasPrefix("id,"))
        #expect(FilePermissions(of: folder.path("out.csv")) == rights)
    }

    // MARK: Links

    @Test("a symbolic link to a store is kept, and its target is replaced", arguments: settings)
    func link(_ settings: String) throws {
        let folder = try Workspace()
        try folder.write("real/model.yaml", InputTests.model)
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.path("link.sqlite"), withDestinationPath: "real/store.sqlite")
        // At first, the target of the link does not exist.
        for id in 1...2 {
            let run = try Self.run(folder, id, at: "link.sqlite", settings)
            #expect(run.text == "")
            let rows = try folder.rows(StoreModeTests.rows, store: "real/store.sqlite")
            #expect(rows.last == "\(id)")
            #expect(
                try files.destinationOfSymbolicLink(atPath: folder.path("link.sqlite"))
                    == "real/store.sqlite")
        }
        #expect(folder.names().filter { $0.hasPrefix("link") } == ["link.sqlite"])
        #expect(
            folder.names("real").filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
                == ["model.yaml", "store.sqlite", "store.sqlite.etl-lock"])
    }

    @Test("the lock applies to all paths of a store, even before the store exists")
    func lockOfALink() throws {
        let folder = try Workspace()
        try folder.write("real/model.yaml", InputTests.model)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.sqlite"), withDestinationPath: "real/store.sqlite")
        let lock = try StoreLock.take(
            storePath: folder.path("real/store.sqlite"), pipeline: "other",
            started: "2026-03-04T05:06:07Z", .fail, Interruption())
        let run = try Self.run(folder, 1, at: "link.sqlite", Self.settings[0])
        #expect(run.status == .temporaryFailure)
        #expect(run.text.contains("[lock.held]"), "\(run.text)")
        withExtendedLifetime(lock) {}
    }

    // MARK: Paths

    @Test("the error for a path that is too long suggests a shorter one")
    func tooLong() throws {
        let folder = try Workspace()
        let name = String(repeating: "a", count: 4_000)
        let ofOneName = try Self.run(folder, 1, at: name, "open: create")
        #expect(ofOneName.status == .cannotCreate)
        #expect(ofOneName.text.contains("fix: name a shorter path"), "\(ofOneName.text)")
        let folders = String(repeating: String(repeating: "b", count: 99) + "/", count: 6)
        let ofSeveral = try Self.run(folder, 1, at: folders + "store.sqlite", "open: create")
        #expect(ofSeveral.status == .configuration)
        #expect(
            ofSeveral.text.hasPrefix("error: The path of the store is too long"),
            "\(ofSeveral.text)")
    }
}
