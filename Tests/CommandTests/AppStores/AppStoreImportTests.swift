import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// Imports into an app's store that replace values in external files, or lack required values.
@Suite("Imports into apps' stores") struct AppStoreImportTests {
    private let work: AppStoreFolder
    private var store: String { work.store }
    private var values: String { work.folder.path + "/.Shelf_SUPPORT/_EXTERNAL_DATA" }

    init() throws { work = try AppStoreFolder() }

    private func run(_ stages: String, _ flags: [String] = []) throws -> ToolResult {
        let spec = work.outside.path + "/shelf.yaml"
        try """
        etl: 1
        name: shelf
        store: { at: \(store) }
        stages:
        \(stages)
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        return try Tool.etl(["run", spec] + flags, in: work.outside.path)
    }

    private func files(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test(
        "replacing an external value deletes its file, and the backup keeps the old file",
        arguments: [3, 200_000])
    func replaces(bytes: Int) throws {
        try AppStoreFixture.make(at: store, work.model)
        #expect(files(values) == [AppStoreFixture.largeValueName])
        let cover = Data(repeating: 0xAB, count: bytes)
        try work.write(
            "covers.ndjson",
            [#"{"title":"Solaris","cover":"\#(cover.base64EncodedString())"}"#])
        let stage = """
              - import: covers
                read: { files: covers.ndjson }
                into: Book
                key: title
                set-only: true
                set: { title: title, cover: cover }
            """
        #expect(try run(stage) == .silentSuccess)
        try work.expect(
            store, "SELECT hex(substr(ZCOVER, 1, 2)), length(ZCOVER) FROM ZITEM WHERE Z_PK = 2",
            ["01AB|\(bytes + 1)"])
        #expect(files(values) == [])
        #expect(
            files(work.folder.path + "/.Shelf.sqlite.bak-v1_SUPPORT/_EXTERNAL_DATA")
                == [AppStoreFixture.largeValueName])
        let old = try Tool.etl(
            [
                "fetch", store + ".bak-v1", "Book", "--where", "title == 'Solaris'", "--fields",
                "cover",
            ])
        #expect(
            old.standardOutput.contains(Data(AppStoreFixture.largeValue).base64EncodedString()),
            "\(old)")
        #expect(try run(stage) == .silentSuccess)
        #expect(
            try Tool.etl(["report", work.outside.path + "/shelf.yaml"], in: work.outside.path)
                .standardOutput.contains("1 unchanged"))
    }

    /// Creates a store of cards with one card, whose style is an archive of the app.
    private func makeCards(style: String) throws {
        let (model, diagnostics) = ModelFile.read(
            text: """
                model: 1
                entities:
                  Card:
                    attributes:
                      name: { type: String, optional: false }
                      style: \(style)
                    unique: [[name]]
                """)
        let cards = try #require(model, "\(diagnostics)")
        try AppStoreFixture.make(
            at: store, cards,
            sql: AppStoreFixture.bookkeeping + """
                CREATE TABLE ZCARD ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZNAME VARCHAR, ZSTYLE BLOB );
                CREATE UNIQUE INDEX Z_Card_UNIQUE_name ON ZCARD (ZNAME COLLATE BINARY ASC);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Card', 0, 1);
                INSERT INTO ZCARD VALUES (1, 1, 1, 'a', x'0102');
                """)
    }

    @Test("rejects a record that lacks a required Transformable")
    func requiredArchive() throws {
        try makeCards(style: "{ type: Transformable, optional: false }")
        try work.write("cards.ndjson", [#"{"name":"a"}"#, #"{"name":"b"}"#])
        let result = try run(
            "  - { import: cards, read: { files: cards.ndjson }, into: Card }")
        #expect(result.status == 65)
        #expect(
            result.standardError.hasPrefix(
                "\(work.outside.path)/cards.ndjson:2:1: error: 'style' is required and the record"
                    + " lacks it [required]\n"), "\(result.standardError)")
        try work.expect(store, "SELECT ZNAME, hex(ZSTYLE) FROM ZCARD", ["a|0102"])
    }

    @Test("warns about values of a Transformable that only the app can write")
    func archives() throws {
        try makeCards(style: "Transformable")
        try work.write(
            "cards.ndjson", [#"{"name":"a","style":"AQID"}"#, #"{"name":"b","style":"AQID"}"#])
        let result = try run(
            "  - { import: cards, read: { files: cards.ndjson }, into: Card }")
        #expect(result.status == 0)
        #expect(
            result.standardError.contains(
                """
                warning: 2 records have 'style', which was not imported: 'Card.style' holds archives \
                of the app's own objects, which only the app can write [import.archive]
                """), "\(result.standardError)")
        try work.expect(
            store, "SELECT ZNAME, hex(ZSTYLE) FROM ZCARD ORDER BY ZNAME", ["a|0102", "b|"])
    }
}
