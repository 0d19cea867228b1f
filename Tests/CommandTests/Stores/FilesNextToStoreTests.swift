import Foundation
import Testing

/// Files that a run must not open: files of other kinds than its own, and links to them.
@Suite("Files next to a store") struct FilesNextToStoreTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.writeSpec()
        try folder.writeTasks(3)
        try "victim\n".write(toFile: folder.path + "/victim", atomically: true, encoding: .utf8)
    }

    @Test(
        "a symbolic link at the path of a file of etl fails, and its target is unchanged",
        arguments: [
            "etl-lock", "etl-new", "etl-work", "etl-work-wal", "etl-old", "etl-next", "etl-done",
        ], ["create", "replace"])
    func linkInThePlaceOfOurFile(_ suffix: String, _ open: String) throws {
        try folder.writeSpec(open: open)
        _ = try folder.shell("ln -s victim store.sqlite.\(suffix)")
        let result = try folder.run()
        #expect(result.status == 78)
        #expect(
            result.errors == """
                error: store.sqlite.\(suffix) is a symbolic link, but etl needs this name for its \
                own file; remove or rename it [store.exists]

                """)
        #expect(try folder.shell("cat victim").output == "victim\n")
        #expect(!folder.names().contains("store.sqlite"))
    }

    @Test("a hard link is not accepted as the lock file")
    func hardLinkAsLock() throws {
        _ = try folder.shell("ln victim store.sqlite.etl-lock")
        let result = try folder.run()
        #expect(result.status == 78)
        #expect(result.errors.contains("store.sqlite.etl-lock is a file with several names, but"))
        #expect(try folder.shell("cat victim").output == "victim\n")
    }

    @Test(
        "every command fails at once if the store is not a regular file",
        arguments: [
            ("mkfifo store.sqlite", "a pipe"), ("mkdir store.sqlite", "a folder"),
            ("ln -s /dev/null store.sqlite", "a device"),
        ])
    func storeOfAnotherKind(_ make: String, _ kind: String) throws {
        _ = try folder.shell(make)
        let message =
            " is \(kind); name the store's file, an SQLite file [store.not-a-store]\n"
        for command in [
            "run spec.yaml", "run --dry-run spec.yaml", "plan spec.yaml", "fetch store.sqlite",
            "verify store.sqlite",
        ] {
            let result = try folder.shell("timeout -s KILL 60 \"$E\" \(command)")
            #expect(result.status == 78, "\(command): \(result.errors)")
            #expect(result.errors.hasSuffix(message), "\(command): \(result.errors)")
        }
    }

    @Test("the next run removes the old store that a killed swap left")
    func removesReplacedStore() throws {
        #expect(try folder.run().status == 0)
        _ = try folder.shell("cp store.sqlite store.sqlite.etl-old")
        #expect(try folder.run().status == 0)
        #expect(!folder.names().contains("store.sqlite.etl-old"))
    }
}
