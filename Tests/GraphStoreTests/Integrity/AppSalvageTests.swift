import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Salvage of apps' stores") struct AppSalvageTests {
    private static let entities = """
        Task:
          attributes: { name: String, number: Integer 32 }
          relationships: { tags: { to: Tag, many: true, inverse: tasks } }
        Tag:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
          unique: [[name]]
        """

    /// An app's store with a task, its tag, and changes by SQL.
    private struct BrokenAppStore {
        let folder: TemporaryFolder
        let model: ManagedObjectModel
        var path: String { folder.file("store.sqlite") }
        var new: String { folder.file("new.sqlite") }

        init(_ sql: String) throws {
            folder = try TemporaryFolder()
            model = try GraphStoreTests.model(AppSalvageTests.entities)
            try fill()
            try AppStoreFixture.disown(path, model)
            try AppStoreFixture.execute("PRAGMA journal_mode = DELETE", at: path)
            if !sql.isEmpty { try AppStoreFixture.execute(sql, at: path) }
        }

        private func fill() throws {
            let container = try PersistentContainer(model: model, at: path, opening: .create)
            let context = container.newContext()
            let tag = try context.make("Tag", ["name": "x"])
            try context.make("Task", ["name": "a", "number": 7, "tags": .objects([tag])])
            try context.save()
        }

        /// Zeros a page.
        func zero(page: Int) throws {
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let size = bytes.number(at: 16, bytes: 2)
            for place in (page - 1) * size..<page * size { bytes[place] = 0 }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        func root(of name: String) throws -> Int {
            let root = try Connection(path: path, mode: .readOnly).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = '\(name)'")
            return Int(try #require(root))
        }

        func lines(_ sql: String) throws -> [String] {
            try GraphStoreTests.lines(sql, on: Connection(path: new, mode: .readOnly))
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sql: String
        var givesModel = false
        var losses: [String] = []
        var remaining: [String] = []
        /// A query of the new store, and its rows.
        var query = "SELECT ZNAME, ZNUMBER FROM ZTASK"
        var rows = ["a|7"]
    }

    private static let cases: [Case] = [
        Case(testDescription: "a valid store", sql: ""),
        Case(
            testDescription: "the app's numbers in the header",
            sql: "PRAGMA user_version = 7; PRAGMA application_id = 9",
            query: "SELECT * FROM pragma_user_version, pragma_application_id", rows: ["7|9"]),
        Case(
            testDescription: "a virtual table, with an index and a trigger of its own tables",
            sql: """
                CREATE VIRTUAL TABLE ZSEARCH USING RTREE (id, low, high);
                CREATE TRIGGER ZT_SEARCH AFTER INSERT ON ZSEARCH_node BEGIN DELETE FROM ZTAG; END;
                CREATE INDEX ZI_SEARCH ON ZSEARCH_node (nodeno);
                CREATE TABLE ZOTHER (X);
                INSERT INTO ZOTHER VALUES (5);
                """,
            losses: [
                "The virtual table ZSEARCH is not copied; only the app's framework creates it",
                "The trigger ZT_SEARCH is not copied: no such table: main.ZSEARCH_node",
            ], query: "SELECT * FROM ZOTHER", rows: ["5"]),
        Case(
            testDescription: "an unreadable model, with the app's model",
            sql: "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", givesModel: true,
            losses: [
                "The model in Z_MODELCACHE cannot be read, and is replaced by the given one"
            ]),
        Case(
            testDescription: "a damaged counter of the history",
            sql: "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, \(Int64.max))",
            losses: [
                "ACHANGE: the key counter in Z_PRIMARYKEY is damaged (\(Int64.max)), so new objects"
                    + " may get keys of deleted ones"
            ], remaining: ["The table ACHANGE of the history is missing"],
            query: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001", rows: ["0"]),
        Case(
            testDescription: "a missing table of objects", sql: "DROP TABLE ZTAG",
            losses: [
                "Tag: the table ZTAG cannot be read, with all its objects",
                "Task.tags: 1 link had no destination object, and was removed (object 1)",
            ], query: "SELECT count(*) FROM ZTAG", rows: ["0"]),
        Case(
            testDescription: "missing counters", sql: "DROP TABLE Z_PRIMARYKEY",
            losses: ["The table Z_PRIMARYKEY is missing, and is created again"],
            query: "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1", rows: ["Tag|1", "Task|1"]),
        Case(
            testDescription: "missing metadata", sql: "DELETE FROM Z_METADATA",
            losses: [
                "The metadata cannot be read, so programs that know the store treat it as another one"
            ]),
    ]

    @Test("salvage keeps the rows of an app's store, and reports other parts", arguments: cases)
    func salvages(_ test: Case) throws {
        let store = try BrokenAppStore(test.sql)
        let salvage = try PersistentContainer.salvage(
            at: store.path, to: store.new, model: test.givesModel ? store.model : nil)
        #expect(salvage.losses.map(\.description) == test.losses)
        #expect(salvage.remaining.map(\.description) == test.remaining)
        #expect(try store.lines(test.query) == test.rows)
        #expect(try store.lines("SELECT ZNAME, ZNUMBER FROM ZTASK") == ["a|7"])
    }

    @Test("salvage fails if the store's model is unreadable, and no model is given")
    func unreadableModel() throws {
        let store = try BrokenAppStore("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")
        let error = storeError {
            _ = try PersistentContainer.salvage(at: store.path, to: store.new)
        }
        #expect(error?.code == .noModel)
        #expect(
            error?.message == """
                \(store.path): the model that the store carries (Z_MODELCACHE) cannot be read: it \
                does not inflate; give the app's model instead, such as by `--model App.xcdatamodeld`
                """)
        #expect(try StoreFiles.names(in: store.folder.path) == ["store.sqlite"])
    }

    @Test("salvage fails if the given model is another version")
    func otherModel() throws {
        let store = try BrokenAppStore("")
        let other = try model(Self.entities.replacing("Integer 32", with: "Integer 64"))
        let error = storeError {
            _ = try PersistentContainer.salvage(at: store.path, to: store.new, model: other)
        }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message == "\(store.path) was created with another version of the model; these"
                + " entities differ: Task")
        #expect(try StoreFiles.names(in: store.folder.path) == ["store.sqlite"])
    }

    @Test("salvage copies a table without row IDs up to the first damaged page")
    func withoutRowIDs() throws {
        let store = try BrokenAppStore(
            """
            CREATE TABLE ZWORDS (K TEXT PRIMARY KEY, V) WITHOUT ROWID;
            WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
            INSERT INTO ZWORDS SELECT 'word ' || i || '                    ', i FROM n;
            """)
        let file = try #require(DamagedFile(path: store.path))
        let root = try #require(file.tree(try store.root(of: "ZWORDS")))
        try #require(root.children.count > 3)
        try store.zero(page: root.children[2])
        let salvage = try PersistentContainer.salvage(at: store.path, to: store.new)
        #expect(
            salvage.losses.map(\.description) == [
                "some objects may be lost, because pages of the file belong to no table",
                "ZWORDS: some rows may be lost, since a page of the table, or of an index of it, is"
                    + " damaged",
            ])
        let values = try store.lines("SELECT V FROM ZWORDS ORDER BY 1")
        #expect(values.count > 1 && values.count < 1000)
        #expect(values == (1000..<1000 + values.count).map(String.init))
    }

    @Test("salvage gives rows of a damaged file the default of a column that was added later")
    func addedColumn() throws {
        let store = try BrokenAppStore(
            """
            ALTER TABLE ZTAG ADD COLUMN ZEXTRA DEFAULT 'later';
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME, ZEXTRA)
                SELECT 2, Z_ENT, 1, 'y', NULL FROM ZTAG;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Tag';
            """)
        try store.zero(page: store.root(of: "Z_Tag_UNIQUE_name"))
        let salvage = try PersistentContainer.salvage(at: store.path, to: store.new)
        #expect(
            salvage.losses.map(\.description) == [
                "Tag: some objects may be lost, since a page of the table, or of an index of it, is"
                    + " damaged"
            ])
        #expect(
            try store.lines("SELECT Z_PK, ZNAME, ZEXTRA FROM ZTAG") == ["1|x|later", "2|y|-"])
    }
}
