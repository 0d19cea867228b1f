import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// Pages whose header gives fewer rows than they have; reads silently skip the others.
@Suite("Rows that a damaged page hides") struct HiddenRowTests {
    /// Adds objects 3 to 3000 of an entity, with names that fill pages, and hides five of them.
    private func hide(_ entity: String, in store: BreakableStore) throws {
        try store.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO Z\(entity.uppercased()) (Z_PK, Z_ENT, Z_OPT, ZNAME)
                SELECT i, \(store.number(entity)), 1, printf('%0100d', i) FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3000 WHERE Z_NAME = '\(entity)';
            """)
        // A leaf of the table: a page of kind 13 that holds only the new objects' texts.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        let pages = stride(from: 4096, to: bytes.count, by: 4096).filter { start in
            let page = bytes[start..<(start + 4096)]
            return bytes[start] == 13 && page.range(of: Data(repeating: 0x30, count: 90)) != nil
                && page.range(of: Data("Ann".utf8)) == nil
                && page.range(of: Data("home".utf8)) == nil
        }
        let page = try #require(pages.dropFirst(pages.count / 2).first)
        // The low byte of the cell count.
        #expect(bytes[page + 4] > 10)
        bytes[page + 4] -= 5
        try bytes.write(to: URL(fileURLWithPath: store.path))
    }

    @Test("salvage reports the keys of hidden rows that an index still lists")
    func indexed() throws {
        let store = try BreakableStore()
        try hide("Person", in: store)
        #expect(try !PersistentContainer.verify(at: store.path, .full).isSound)
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        let saved = Set(
            try GraphStoreTests.lines(
                "SELECT Z_PK FROM ZPERSON", on: Connection(path: new, mode: .readOnly)))
        let hidden = (Int64(1)...3000).filter { !saved.contains("\($0)") }
        #expect(hidden.count == 5)
        #expect(
            salvage.losses == [
                StoreFinding(
                    .file, entity: "Person", count: 5, keys: hidden,
                    "Person: 5 objects are lost, which an index names still")
            ])
        #expect(salvage.remaining == [])
        #expect(salvage.objects["Person"] == 2994)
    }

    @Test("without an index, salvage reports that objects may be lost")
    func unindexed() throws {
        let store = try BreakableStore()
        try hide("Tag", in: store)
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(
            salvage.losses == [
                StoreFinding(
                    .file, entity: "Tag",
                    "Tag: some objects may be lost, since a page of the table, or of an index of it,"
                        + " is damaged")
            ])
        #expect(salvage.remaining == [])
        #expect(salvage.objects["Tag"] == 2995)
    }

    @Test("invalid UTF-8 text is reported, and salvage does not correct it")
    func otherText() throws {
        let store = try BreakableStore()
        try store.run(
            "UPDATE ZTASK SET ZTITLE = CAST(x'4142FF43' AS TEXT) WHERE Z_PK = 2;"
                + " UPDATE ZTASK SET ZTITLE = 'größer 😀' WHERE Z_PK = 3")
        let found = ["Task.title: 1 value is not valid UTF-8 text (object 2)"]
        #expect(try store.findings() == found)
        let salvage = try PersistentContainer.salvage(
            at: store.path, to: store.folder.file("new.sqlite"))
        #expect(salvage.losses == [])
        #expect(salvage.remaining.map(\.description) == found)
    }
}
