import Foundation
import Testing

/// Small file systems in memory.
private enum MemoryDisk {
    /// Whether this process can mount one.
    static let canMount: Bool = {
        let mount = "mkdir disk && mount -t tmpfs -o size=4k tmpfs disk && umount disk"
        return (try? FailureFolder().shell(mount))?.status == 0
    }()
}

/// Disks that are full or read-only, on a small in-memory file system, which only root can mount.
@Suite(
    "Failures: disks", .serialized,
    .enabled(if: MemoryDisk.canMount, "a file system in memory cannot be mounted here"))
struct FailureDiskTests {
    /// Mounts a file system at `disk` for the body.
    static func withDisk(
        _ options: String, _ body: (FailureFolder) throws -> Void
    ) throws {
        let folder = try FailureFolder()
        let mount = try folder.shell("mkdir disk && mount -t tmpfs -o \(options) tmpfs disk")
        try #require(mount.status == 0, "\(mount)")
        defer { _ = try? folder.shell("umount disk") }
        try body(folder)
    }

    @Test("74: the disk of the store is full; after space is freed, the next run completes")
    func store() throws {
        try Self.withDisk("size=1M") { folder in
            try folder.writeTasks(30_000)
            let result = try folder.run("--set store=disk/store.sqlite")
            #expect(result.status == 74)
            #expect(result.output == "")
            #expect(result.errors.contains("[store.full]"), "\(result.errors)")
            #expect(
                result.errors.contains("fix: free disk space and run again"), "\(result.errors)")
            #expect(!folder.names().contains("out.csv"))
            try folder.shell("mount -o remount,size=100M disk")
            _ = try folder.query("SELECT count(*) FROM ZTASK", store: "disk/store.sqlite")
            #expect(try folder.run("--set store=disk/store.sqlite").status == 0)
            #expect(folder.text("out.csv") == (try folder.undisturbed().graph))
        }
    }

    @Test(
        "74: the disk is full during an update, delete, or clone; the store is unchanged",
        arguments: [
            """
            - update: all
              entity: Task
              where: ALL
              set: { title: "replace(title, 'task', 'a task with a longer title')" }
            """,
            "- { delete: Task, where: ALL }",
            """
            - update: clone
              entity: Task
              where: "id == 1"
              set: { size: 5 }
            """,
        ])
    func change(_ stage: String) throws {
        try Self.withDisk("size=100M") { folder in
            try folder.writeTasks(20_000)
            #expect(try folder.run("--set store=disk/store.sqlite").status == 0)
            let content = "SELECT count(*), sum(ZSIZE), max(ZTITLE), max(Z_OPT) FROM ZTASK"
            let before = try folder.query(content, store: "disk/store.sqlite")
            try folder.writeSpec("change.yaml", stage)
            if stage.contains("clone") {
                let spec = folder.text("change.yaml")
                try folder.write(
                    "change.yaml",
                    spec.replacing("open: create", with: "open: create, commit: run"))
            }
            // Enough space for the store itself, and little more.
            try folder.shell(
                "mount -o remount,size=$(($(stat -c %s disk/store.sqlite) + 100000)) disk")
            let command = "--set store=disk/store.sqlite"
            let result = try folder.run(command, spec: "change.yaml")
            #expect(result.status == 74, "\(result.errors)")
            #expect(result.errors.contains("[store.full]"), "\(result.errors)")
            #expect(
                result.errors.contains("fix: free disk space and run again"), "\(result.errors)")
            #expect(try folder.query(content, store: "disk/store.sqlite") == before)
            try folder.shell("mount -o remount,size=100M disk")
            #expect(try folder.run(command, spec: "change.yaml").status == 0)
            #expect(try folder.query(content, store: "disk/store.sqlite") != before)
        }
    }

    @Test("74: the disk of the reports is full; imported records stay")
    func reports() throws {
        try Self.withDisk("size=4k") { folder in
            try folder.writeTasks(100)
            try folder.writeSpec(top: "report: { to: disk }")
            try folder.shell("head -c 4096 /dev/zero > disk/full 2> /dev/null")
            let result = try folder.run()
            #expect(result.status == 74)
            #expect(
                result.errors.contains("cannot be written: No space left on device [report.file]"),
                "\(result.errors)")
            #expect(try folder.query("SELECT count(*) FROM ZTASK") == "100\n")
        }
    }

    @Test("74: the disk of an export is full; the old file stays")
    func export() throws {
        try Self.withDisk("size=200k") { folder in
            try folder.writeTasks(30_000)
            try folder.write("disk/out.csv", "old")
            let result = try folder.run("--set out=disk/out.csv")
            #expect(result.status == 74)
            #expect(
                result.errors == """
                    disk/out.csv: error: The file cannot be written: No space left on device \
                    [output.not-written]
                      stage: spec.yaml:16:3 export export-task
                      fix: check the free space; the existing file is unchanged

                    """)
            #expect(folder.names("disk") == ["out.csv"])
            #expect(folder.text("disk/out.csv") == "old")
            #expect(try folder.run().status == 0)
        }
    }

    @Test("74: the disk of the rejects is full; no row of the batch is saved")
    func rejects() throws {
        try Self.withDisk("size=8k") { folder in
            try folder.write(
                "tasks.ndjson",
                String(
                    repeating: "{\"id\":null,\"title\":\"\(String(repeating: "x", count: 90))\"}\n",
                    count: 400) + "{\"id\":1}\n")
            try folder.writeSpec(top: "rejects: { allow: 100%, dir: disk/rejects }")
            let result = try folder.run()
            #expect(result.status == 74)
            #expect(
                result.errors.contains("cannot be written: No space left on device [rejects.file]"),
                "\(result.errors)")
            #expect(result.errors.contains("fix: free disk space, or set `rejects.dir`"))
            #expect(try folder.query("SELECT count(*) FROM ZTASK") == "0\n")
        }
    }

    @Test("73: the folder of an export is read-only; 77: the folder of the store is")
    func readOnly() throws {
        try Self.withDisk("size=10M") { folder in
            try folder.writeTasks(10)
            #expect(try folder.run("--set store=disk/store.sqlite").status == 0)
            try folder.shell("mount -o remount,ro disk")
            let output = try folder.run("--set out=disk/out.csv")
            #expect(output.status == 73)
            #expect(output.errors.contains("Read-only file system"), "\(output.errors)")
            let store = try folder.run("--set store=disk/store.sqlite")
            #expect(store.status == 77)
            #expect(store.errors.contains("Read-only file system"), "\(store.errors)")
        }
    }
}
