import Foundation
import Testing

@Suite("etl fetch only reads") struct FetchReadingTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.writeTasks(50)
        let run = try folder.run()
        #expect(run.status == 0, "\(run.errors)")
        try folder.shell("mkdir kept; mv store.sqlite kept; chmod -R a+rX .")
    }

    /// A script with every kind of query.
    private static let all = """
        "$E" fetch kept/store.sqlite > /dev/null &&
        "$E" fetch kept/store.sqlite Task --sort title --fields id,tags > /dev/null &&
        "$E" fetch kept/store.sqlite Task --where 'size > 5' --explain > /dev/null &&
        "$E" fetch kept/store.sqlite Task --where "ANY tags.name == 'a1'" --count
        """

    /// Returns the names, bytes, modes, and times of the files in the store's folder.
    private func digest() throws -> String {
        try folder.shell(
            "cd kept; stat -c '%n %s %a %y' . *; find . -type f | sort | xargs sha256sum"
        ).output
    }

    @Test func fetchWritesNoByteAndLeavesNoFile() throws {
        let before = try digest()
        let result = try folder.shell(Self.all)
        #expect(result.output == "10\n")
        #expect(result.errors == "")
        #expect(folder.names("kept") == ["store.sqlite"])
        // Temporary WAL files change only the folder's time.
        let after = try digest().split(separator: "\n").dropFirst()
        #expect(after == before.split(separator: "\n").dropFirst())
    }

    @Test(
        "fetch reads a store in a read-only folder and leaves the folder unchanged",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"))
    func closedFolder() throws {
        try folder.shell("chmod 444 kept/store.sqlite; chmod 555 kept")
        let before = try digest()
        let prefix = FailureFolder.underling ?? ""
        let result = try folder.shell(Self.all.replacing("\"$E\"", with: "\(prefix) \"$E\""))
        #expect(result.output == "10\n")
        #expect(result.errors == "")
        #expect(try digest() == before)
        try folder.shell("chmod 755 kept")
    }

    @Test(
        "77: the store is not readable",
        .enabled(if: FailureFolder.underling != nil, "one is root and cannot become another"))
    func closedStore() throws {
        try folder.shell("chmod 0 kept/store.sqlite")
        let prefix = FailureFolder.underling ?? ""
        let result = try folder.shell("exec \(prefix) \"$E\" fetch kept/store.sqlite")
        #expect(result.status == 77)
        #expect(
            result.errors == """
                error: kept/store.sqlite cannot be opened: unable to open database file \
                [store.permission]

                """)
    }

    @Test func readsAndKeepsTheWALOfAKilledWriter() throws {
        try folder.write(
            "leave.py",
            """
            import os, sqlite3
            store = sqlite3.connect("kept/store.sqlite", isolation_level=None)
            store.execute("UPDATE ZTASK SET ZSIZE = 7")
            os._exit(0)
            """)
        try folder.shell("python3 leave.py")
        #expect(
            folder.names("kept") == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
        let digest = "cd kept; sha256sum store.sqlite store.sqlite-wal"
        let before = try folder.shell(digest).output
        let result = try folder.shell(
            "exec \"$E\" fetch kept/store.sqlite Task --where 'size == 7' --count")
        #expect(result.output == "50\n")
        #expect(try folder.shell(digest).output == before)
    }

    @Test func reportsAnUnfinishedLoadAndKeepsItUnchanged() throws {
        let pending = "INSERT INTO ETL_PENDING VALUES ('x', 'CREATE INDEX x ON ZTASK (ZTITLE)')"
        try folder.shell("sqlite3 kept/store.sqlite \"\(pending)\"")
        let before = try digest().split(separator: "\n").dropFirst()
        let result = try folder.shell("exec \"$E\" fetch kept/store.sqlite Task")
        #expect(result.status == 75)
        #expect(result.output == "")
        #expect(
            result.errors == """
                error: kept/store.sqlite was left by a first load or a large deletion that did \
                not finish, so indexes and links are missing [store.busy]
                  fix: run the spec or repeat the import, which completes it; opening the store for writing also completes it

                """)
        #expect(try digest().split(separator: "\n").dropFirst() == before)
    }
}
