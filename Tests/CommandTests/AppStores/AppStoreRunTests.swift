import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// Runs that write an app's store, or fill a copy of its empty one.
@Suite("Runs on apps' stores") struct AppStoreRunTests {
    private let work: AppStoreFolder
    private var outside: TemporaryFolder { work.outside }
    private var store: String { work.store }

    /// The faults of the store as its app left it.
    private static let faults = """
        Item: 1 row does not count its changes (object 9)
        Item.shelf: 1 link leads nowhere (object 9)
        Tag.items: 1 link leads nowhere (object 3)

        """

    init() throws {
        work = try AppStoreFolder()
        try AppStoreFixture.make(at: store, work.model)
    }

    private func run(
        _ stages: String, store keys: String = "", _ flags: [String] = [], name: String = "shelf"
    ) throws -> ToolResult {
        let spec = outside.path + "/\(name).yaml"
        try """
        etl: 1
        name: \(name)
        store: { at: \(store)\(keys) }
        stages:
        \(stages)
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        return try Tool.etl(["run", spec] + flags, in: outside.path)
    }

    /// Returns the digest of the folder without the lock file, which contains the time of the last
    /// run.
    ///
    /// The empty WAL that `sqlite3` leaves is also excluded.
    private func digest() throws -> [String] {
        try folderDigest(work.folder.path).filter { line in
            !["etl-lock ", "-wal 0 ", "-shm "].contains {
                line.contains("Shelf.sqlite.\($0)")
                    || line.contains("Shelf.sqlite\($0)")
            }
        }
    }

    // MARK: In place

    static let changes = """
          - update: relabel
            entity: Shelf
            where: "label == 'Upper'"
            set: { label: "'Top'" }
          - update: move
            entity: Book
            where: "title == 'Rocannon'"
            set: { pages: 201, note: "'read'" }
          - delete: space
            entity: Tag
            where: "name == 'space'"
          - delete: bob
            entity: Person
            where: "name == 'Bob'"
        """

    @Test func updatesAndDeletesKeepTheSchemaAndMetadata() throws {
        let before = try work.frame(of: store)
        let plan = try Tool.etl(["verify", store])
        #expect(plan.standardOutput == Self.faults)
        #expect(try run(Self.changes) == .silentSuccess)
        #expect(try work.frame(of: store) == before)
        try work.expect(
            store, "SELECT Z_PK, Z_OPT, ZLABEL FROM ZSHELF",
            [
                "1|5|Top", "2|1|Lower",
            ])
        try work.expect(
            store, "SELECT Z_OPT, ZPAGES, ZNOTE FROM ZITEM WHERE Z_PK = 3", ["2|201|read"])
        try work.expect(store, "SELECT Z_PK FROM ZTAG", ["1", "3"])
        try work.expect(store, "SELECT * FROM Z_8ITEMS", ["1|1", "1|2", "3|4", "3|55"])
        try work.expect(store, "SELECT Z_PK, ZPASSPORT FROM ZPERSON", ["1|", "3|", "4|"])
        try work.expect(store, "SELECT count(*) FROM ZPASSPORT", ["0"])
        #expect(try Tool.etl(["verify", store]).standardOutput == Self.faults)
        #expect(
            try work.names() == [
                ".Shelf.sqlite.bak-v1_SUPPORT", ".Shelf_SUPPORT", "Shelf.sqlite",
                "Shelf.sqlite.bak-v1", "Shelf.sqlite.etl-lock",
            ])
        try work.expect(store + ".bak-v1", "SELECT ZLABEL FROM ZSHELF", ["Upper", "Lower"])
        #expect(try work.frame(of: store + ".bak-v1") == before)
        let report = try latestReport()
        #expect(report.contains("a backup of the old store is \(store).bak-v1"))
        // Values that are already set are not written again, and the file is unchanged.
        let after = try digest()
        #expect(try run(Self.changes) == .silentSuccess)
        #expect(try digest() == after)
    }

    @Test("a run keeps the newest backups, and status shows their number and size")
    func backups() throws {
        func change(_ label: String, _ keys: String) throws {
            let stages = """
                  - update: relabel
                    entity: Shelf
                    where: "label == 'Upper' OR label BEGINSWITH 'New'"
                    set: { label: "'\(label)'" }
                """
            #expect(try run(stages, store: keys) == .silentSuccess)
        }
        func backups() throws -> [String] {
            try work.names().filter { $0.contains(".bak-v") }
        }
        for number in 1...4 { try change("New \(number)", "") }
        #expect(
            try backups() == [2, 3, 4].map { ".Shelf.sqlite.bak-v\($0)_SUPPORT" }
                + [2, 3, 4].map { "Shelf.sqlite.bak-v\($0)" })
        try work.expect(store + ".bak-v4", "SELECT ZLABEL FROM ZSHELF", ["New 3", "Lower"])
        try change("New 5", ", backups: { keep: 1 }")
        #expect(
            try backups() == [".Shelf.sqlite.bak-v5_SUPPORT", "Shelf.sqlite.bak-v5"])
        let status = try Tool.etl(["status", outside.path + "/shelf.yaml"], in: outside.path)
        #expect(status.standardOutput.contains("\nbackups       1 file, "))
    }

    private func latestReport() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: outside.path + "/runs")
        let name = try #require(names.filter { $0.hasSuffix(".json") }.max())
        return try Tool.contents(outside.path + "/runs/" + name).replacing("\\/", with: "/")
    }

    @Test func historyListsTheChangesOfTheRun() throws {
        #expect(try run(Self.changes) == .silentSuccess)
        let result = try Tool.etl(["history", store, "--author", "shelf"])
        let lines = result.standardOutput.split(separator: "\n").map { line in
            let object =
                (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
            let properties = (object?["properties"] as? [String]) ?? []
            return [object?["change"], object?["entity"], object?["object"]]
                .compactMap { $0.map { "\($0)" } }.joined(separator: " ")
                + (properties.isEmpty ? "" : " " + properties.joined(separator: ","))
        }
        #expect(
            lines == [
                "update Shelf 1 label", "update Book 3 note,pages",
                "update Book 1 tags", "update Book 2 tags", "delete Tag 2",
                "update Person 1 follows,friends", "update Person 3 followers",
                "delete Passport 1", "delete Person 2",
            ])
    }

    static let imports = """
          - import: authors
            read: { files: authors.ndjson }
            into: Author
          - import: tags
            read: { files: tags.csv }
            into: Tag
            set: { isHidden: hidden }
        """

    @Test func upsertsUpdateAndInsertObjects() throws {
        let before = try work.frame(of: store)
        try work.write(
            "authors.ndjson",
            [
                #"{"name":"Ursula","rating":5}"#,
                #"{"name":"Lem","rating":4.25,"homepage":"https://example.org/l"}"#,
            ])
        try work.write("tags.csv", ["name,hidden", "zone,yes", "new,no", "space,yes"])
        #expect(try run(Self.imports) == .silentSuccess)
        #expect(try work.frame(of: store) == before)
        #expect(
            try Tool.sqlite(
                store, "SELECT Z_PK, Z_ENT, Z_OPT, ZBOOKCOUNT, ZRATING, ZNAME FROM ZAUTHOR") == [
                    "1|1|4|2|5|Ursula", "2|1|1|1|3.3333333333|Stanisław",
                    "3|1|1|0||Nobody", "4|1|1|0|4.25|Lem",
                ])
        #expect(
            try Tool.sqlite(store, "SELECT Z_PK, Z_OPT, ZISHIDDEN, Z7PINNED, ZNAME FROM ZTAG") == [
                "1|1|0|2|classic", "2|1|1||space", "3|2|1|2|zone", "4|1|0||new",
            ])
        try work.expect(
            store, "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Author', 'Tag')",
            ["Author|4", "Tag|4"])
        let after = try digest()
        #expect(try run(Self.imports) == .silentSuccess)
        #expect(try digest() == after)
    }

    /// New rows have every column of the app's table, and the app's triggers count them.
    @Test func linksNewObjectsToExistingObjects() throws {
        try work.write(
            "books.ndjson",
            [
                #"{"title":"Eden","pages":200,"author":"Stanisław","tags":["space","zone"],"#
                    + #""settings":{"size":1}}"#,
                #"{"title":"Fiasco","author":null}"#,
            ])
        let result = try run(
            """
              - import: books
                read: { files: books.ndjson }
                into: Book
                when-found: append
                link:
                  author: { by: { name: author } }
                  tags: { by: { name: "tags[*]" } }
            """)
        #expect(result.status == 0)
        // Only the app can write the archive.
        #expect(
            result.standardError.hasPrefix(
                "warning: 1 record has 'settings', which was not imported"), "\(result)")
        #expect(
            try Tool.sqlite(
                store,
                "SELECT Z_PK, Z_ENT, Z_OPT, ZPAGES, ZAUTHOR, ZTITLE, ZSETTINGS, ZLEFTBEHIND"
                    + " FROM ZITEM WHERE Z_PK > 9") == [
                    "10|3|1|200|2|Eden||", "11|3|1|1||Fiasco||",
                ]
        )
        try work.expect(store, "SELECT ZBOOKCOUNT FROM ZAUTHOR", ["2", "2", "0"])
        try work.expect(
            store, "SELECT * FROM Z_8ITEMS WHERE Z_2ITEMS IN (10, 11)", ["2|10", "3|10"])
        #expect(try Tool.etl(["verify", store]).standardOutput == Self.faults)
    }

    @Test func planAndDryRunKeepTheFolderUnchanged() throws {
        let before = try folderDigest(work.folder.path)
        let spec = outside.path + "/shelf.yaml"
        _ = try run(Self.changes, ["--dry-run"])
        let plan = try Tool.etl(["plan", spec], in: outside.path)
        #expect(plan.status == 0)
        #expect(plan.standardOutput.contains("Tag"), "\(plan)")
        #expect(try folderDigest(work.folder.path) == before)
    }

    // MARK: Refusals

    @Test func writesMirroredStoresOnlyWithAllowCloudKit() throws {
        _ = try Tool.run(
            "sqlite3", [store, "CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)"])
        let before = try digest()
        let refused = try run(Self.changes)
        #expect(refused.status == 78)
        #expect(refused.standardError.contains("is mirrored to CloudKit by its app"))
        #expect(refused.standardError.contains("`--allow-cloudkit`"))
        #expect(!refused.standardError.contains("allowsCloudKit"), "\(refused.standardError)")
        #expect(try digest() == before)
        #expect(try run(Self.changes, ["--allow-cloudkit"]) == .silentSuccess)
        try work.expect(store, "SELECT ZLABEL FROM ZSHELF", ["Top", "Lower"])
    }

    @Test(
        "settings that would leave etl's tables in an app's store fail with 78",
        arguments: [
            (", history: { keep: 7d }", "store.history"), (", views: true", "store.views"),
            (", exact-decimals: true", "store.exact-decimals"),
        ])
    func settings(_ keys: String, _ name: String) throws {
        let before = try digest()
        let refused = try run(Self.changes, store: keys)
        #expect(refused.status == 78)
        #expect(
            refused.standardError.contains(
                "The store is an app's, in which `\(name)` would leave what the app does not know"))
        #expect(try digest() == before)
    }

    @Test func failedRunKeepsTheStoreUnchanged() throws {
        let before = try digest()
        let failed = try run(
            Self.changes + "\n  - verify: never\n    expect: { Tag: \"== 0\" }")
        #expect(failed.status == 65)
        #expect(try digest() == before)
    }
}
