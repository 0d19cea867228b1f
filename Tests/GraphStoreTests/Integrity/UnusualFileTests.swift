import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// Damaged files whose form differs from that of a new store.
@Suite("Salvage of unusual files") struct UnusualFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }
    private var new: String { folder.file("new.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func execute(_ sql: String) throws {
        try Connection(path: path, mode: .readWrite).execute("PRAGMA journal_mode = DELETE; \(sql)")
    }

    /// The damage of a file.
    enum Damage: Sendable {
        case header, rootOfTasks, kindOfFirstPage
    }

    @Test(
        "salvage recovers all rows of files with other pages than those of a new store",
        arguments: [
            ("PRAGMA page_size = 65536; VACUUM", Damage.header),
            ("PRAGMA auto_vacuum = 0; VACUUM", .rootOfTasks),
            ("PRAGMA auto_vacuum = 2; VACUUM", .kindOfFirstPage),
        ])
    func pages(sql: String, damage: Damage) throws {
        let model = try LostPageTests.fill(path)
        try execute(sql)
        let columns = "Z_PK, Z_ENT, ZNUMBER, ZTITLE"
        let rows = try LostPageTests.rows(columns, "ZTASK", path)
        let joins = try StoreLayout(model).joinTables.map { join in
            let columns = "\(join.firstColumn), \(join.secondColumn)"
            return try (join.name, columns, LostPageTests.rows(columns, join.name, path))
        }
        let root = try Connection(path: path, mode: .readOnly).integer(
            "SELECT rootpage FROM sqlite_master WHERE name = 'ZTASK'")
        var bytes = try bytes()
        switch damage {
        case .header: for place in 0..<16 { bytes[place] = 0 }
        case .rootOfTasks:
            let page = Int(try #require(root))
            for place in (page - 1) * 4096..<page * 4096 { bytes[place] = 0 }
        case .kindOfFirstPage: bytes[100] = DamagedPage.Kind.indexLeaf.rawValue
        }
        try write(bytes)
        let salvage = try PersistentContainer.salvage(at: path, to: new, model: model)
        #expect(salvage.objects["Task"] == 420)
        #expect(salvage.remaining == [])
        #expect(try LostPageTests.rows(columns, "ZTASK", new) == rows)
        for (name, columns, pairs) in joins {
            let found = try LostPageTests.rows(columns, name, new)
            #expect(Set(found.values) == Set(pairs.values), "\(name)")
        }
    }

    @Test(
        "salvage reads the order of columns from a damaged statement, or reports that it is unknown",
        arguments: [
            ("ZTEXTB VARCHAR, ZTEXTC VARCHAR ,", "ZTEXTX VARCHAR, ZTEXTY VARCHAR ,", []),
            (
                "ZTEXTB VARCHAR, ZTEXTC VARCHAR ,", "ZTEXTB VARCHAR, ZTE*()(),RCHAR ,",
                [
                    "ZTASK: the list of its columns is damaged, so that values may be in wrong"
                        + " columns"
                ]
            ),
        ])
    func columns(text: String, damaged: String, losses: [String]) throws {
        let model = try GraphStoreTests.model(
            "Task: { attributes: { texta: String, textb: String, textc: String } }")
        do {
            let container = try PersistentContainer(model: model, at: path, opening: .create)
            let context = container.newContext()
            try context.make("Task", ["texta": "a", "textb": "b", "textc": "c"])
            try context.save()
        }
        // The first column becomes the last one, as after a change by another program.
        try execute(
            """
            ALTER TABLE ZTASK DROP COLUMN ZTEXTA; ALTER TABLE ZTASK ADD COLUMN ZTEXTA VARCHAR;
            UPDATE ZTASK SET ZTEXTA = 'a';
            """)
        var bytes = try bytes()
        let range = try #require(bytes.firstRange(of: Array(text.utf8)))
        bytes.replaceSubrange(range, with: Array(damaged.utf8))
        try write(bytes)
        let salvage = try PersistentContainer.salvage(at: path, to: new)
        #expect(salvage.losses.map(\.description) == losses)
        let found = try lines(
            "SELECT ZTEXTA, ZTEXTB, ZTEXTC FROM ZTASK", on: Connection(path: new, mode: .readOnly))
        #expect(found == [losses.isEmpty ? "a|b|c" : "b|c|a"])
    }

    @Test("salvage reads the order of columns from a long statement that is like the expected one")
    func longStatement() throws {
        let names = "abcdefghijklmnop".map { "text\($0)" }
        let list = names.map { "\($0): String" }.joined(separator: ", ")
        let model = try GraphStoreTests.model("Task: { attributes: { \(list) } }")
        do {
            let container = try PersistentContainer(model: model, at: path, opening: .create)
            let context = container.newContext()
            let task = try context.insert("Task")
            for name in names { try task.setValue(.attribute(.text(name)), forKey: name) }
            try context.save()
        }
        try execute(
            """
            ALTER TABLE ZTASK DROP COLUMN ZTEXTO; ALTER TABLE ZTASK ADD COLUMN ZTEXTO VARCHAR;
            UPDATE ZTASK SET ZTEXTO = 'texto';
            """)
        var bytes = try bytes()
        let text = Array("ZTEXTB VARCHAR, ZTEXTC VARCHAR,".utf8)
        let range = try #require(bytes.firstRange(of: text))
        bytes[range.lowerBound + 5] = UInt8(ascii: "X")
        try write(bytes)
        let salvage = try PersistentContainer.salvage(at: path, to: new)
        #expect(salvage.isComplete)
        let columns = names.map { "Z\($0.uppercased())" }.joined(separator: ", ")
        let found = try lines(
            "SELECT \(columns) FROM ZTASK", on: Connection(path: new, mode: .readOnly))
        #expect(found == [names.joined(separator: "|")])
    }
}
