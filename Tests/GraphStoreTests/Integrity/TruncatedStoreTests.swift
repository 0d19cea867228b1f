import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Truncated stores") struct TruncatedStoreTests {
    /// Returns a store with many tasks and its number of pages.
    private func large() throws -> (store: BreakableStore, pages: Int) {
        let store = try BreakableStore()
        try store.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
                SELECT i, \(store.number("Task")), 1, 'a task with some title ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3000 WHERE Z_NAME = 'Task';
            """)
        return (store, StoreFiles.size(store.path) / 4096)
    }

    @Test("a truncated file is reported as truncated and stays unchanged")
    func reportsTruncation() throws {
        let (store, pages) = try large()
        #expect(pages > 30)
        #expect(try store.findings() == [])
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.path))
        for left in 1..<pages {
            // Half of the files end between two pages, half within a page.
            let cut = whole.prefix(left * 4096 - (left % 2) * 100)
            try cut.write(to: URL(fileURLWithPath: store.path))
            let text = "is truncated: it has \(left) of the \(pages) pages that its header names"
            let found = try store.findings(.quick)
            #expect(found.first == "The file \(text)", "\(left): \(found)")
            let error = storeError {
                _ = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message == "\(store.path) \(text)")
            #expect(error?.isTruncated == true)
            #expect(try store.files() == ["store.sqlite": cut])
        }
    }

    @Test("salvage recovers the rest of a truncated store and counts the lost objects")
    func salvaged() throws {
        let (store, pages) = try large()
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.path))
        try whole.prefix((pages - 5) * 4096).write(to: URL(fileURLWithPath: store.path))
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        let saved = salvage.objects["Task"] ?? 0
        #expect(saved > 2000 && saved < 3000)
        #expect(salvage.losses.map(\.kind) == [.file])
        #expect(salvage.losses.map(\.count) == [3000 - saved])
        #expect(salvage.remaining == [])
        #expect(salvage.objects["Person"] == 1)
    }

    @Test("a page count of terabytes is reported as truncation, and salvage loses no row")
    func pageCountOfTerabytes() throws {
        let (store, pages) = try large()
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: store.path))
        try handle.seek(toOffset: 28)
        try handle.write(contentsOf: Data([0xFF, 0xFF, 0xFF, 0xFE]))
        try handle.close()
        #expect(
            try store.findings(.quick).first
                == "The file is truncated: it has \(pages) of the 4294967294 pages that its header names"
        )
        let new = store.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: store.path, to: new)
        #expect(salvage.objects["Task"] == 3000)
        #expect(salvage.remaining == [])
    }

    @Test("a file with a WAL, or without an SQLite header, is not reported as truncated")
    func others() throws {
        let store = try BreakableStore()
        #expect(try TruncatedFile(store.path) == nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try handle.truncate(atOffset: 4096)
        #expect(try TruncatedFile(store.path)?.pages == 1)
        try Data("log".utf8).write(to: URL(fileURLWithPath: store.path + "-wal"))
        #expect(try TruncatedFile(store.path) == nil)
        let text = store.folder.file("text")
        try Data(String(repeating: "my diary ", count: 50).utf8)
            .write(to: URL(fileURLWithPath: text))
        #expect(try TruncatedFile(text) == nil)
    }

    @Test("opening or verifying a folder fails and names it as a folder")
    func folder() throws {
        let folder = try TemporaryFolder()
        let text = "\(folder.path) is a folder; name the store's file, an SQLite file"
        let opened = storeError {
            _ = try PersistentContainer(model: nil, at: folder.path, opening: .existing)
        }
        #expect(opened?.code == .notAStore && opened?.message == text)
        let looked = storeError { _ = try PersistentContainer.verify(at: folder.path) }
        #expect(looked?.code == .notAStore && looked?.message == text)
    }
}
