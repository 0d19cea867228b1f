import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

/// Rows that are complete although something that describes them is damaged: the counter of keys,
/// the order of a page's cells, or the key of another row.
@Suite("Complete rows of damaged files") struct DamagedRowTests {
    private static let columns = "Z_PK, ZNUMBER, ZTITLE"

    /// The bytes of a store, which a test damages.
    private struct DamagedCopy {
        let folder: TemporaryFolder
        let model: ManagedObjectModel
        var bytes: [UInt8]
        var path: String { folder.file("store.sqlite") }
        var new: String { folder.file("new.sqlite") }

        init(_ sql: (StoreLayout.JoinTable) -> String = { _ in "" }) throws {
            folder = try TemporaryFolder()
            model = try LostPageTests.fill(folder.file("store.sqlite"))
            let connection = try Connection(path: folder.file("store.sqlite"), mode: .readWrite)
            try connection.execute(
                sql(StoreLayout(model).joinTables[0]) + "; PRAGMA wal_checkpoint(TRUNCATE)")
            bytes = [UInt8](
                try Data(contentsOf: URL(fileURLWithPath: folder.file("store.sqlite"))))
        }

        var join: StoreLayout.JoinTable { StoreLayout(model).joinTables[0] }

        /// Zeros the root pages of indexes of the first join table.
        mutating func zeroIndexes(where condition: String = "TRUE") throws {
            let roots = try GraphStoreTests.lines(
                "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name ="
                    + " '\(join.name)' AND \(condition)",
                on: Connection(path: path, mode: .readOnly))
            for root in roots.compactMap(Int.init) { zero(page: root) }
        }

        mutating func zero(page: Int) {
            for place in (page - 1) * 4096..<page * 4096 { bytes[place] = 0 }
        }

        /// Changes the cell pointers of a leaf.
        mutating func setPointers(of page: Int, _ change: (inout [Int]) -> Void) {
            let start = (page - 1) * 4096
            let count = bytes.number(at: start + 3, bytes: 2)
            var pointers = (0..<count).map { bytes.number(at: start + 8 + 2 * $0, bytes: 2) }
            change(&pointers)
            bytes.set(pointers.count, at: start + 3, bytes: 2)
            for (cell, pointer) in pointers.enumerated() {
                bytes.set(pointer, at: start + 8 + 2 * cell, bytes: 2)
            }
        }

        func write() throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        func salvage() throws -> StoreSalvage {
            try write()
            return try PersistentContainer.salvage(at: path, to: new, model: model)
        }

        func rows(_ columns: String, _ table: String) throws -> [Int64: String] {
            try LostPageTests.rows(columns, table, path)
        }

        func savedRows(_ columns: String, _ table: String) throws -> [Int64: String] {
            try LostPageTests.rows(columns, table, new)
        }
    }

    // MARK: Verification

    @Test("verification names a damaged index, and checks the rest of the store")
    func verification() throws {
        var store = try DamagedCopy { _ in
            "UPDATE ZTASK SET Z_ENT = 77 WHERE Z_PK = 8"
        }
        let root = try #require(
            try Connection(path: store.path, mode: .readOnly).integer(
                "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND"
                    + " tbl_name = '\(store.join.name)'"))
        store.zero(page: Int(root))
        try store.write()
        let found = try PersistentContainer.verify(at: store.path, .full)
        #expect(found.knowsModel)
        let messages = found.findings.map(\.description)
        #expect(
            messages.contains { $0.hasSuffix("age \(root): btreeInitPage() returns error code 11") }
        )
        #expect(
            messages.contains(
                "\(store.join.name) cannot be read completely: database disk image is malformed"))
        #expect(
            messages.contains("Task: 1 row has an entity of another table (object 8)"),
            "\(messages)")
    }

    @Test("salvage reads the pages of a store next to an empty journal that SQLite has kept")
    func keptJournal() throws {
        var store = try DamagedCopy()
        let objects = try store.rows(Self.columns, "ZTASK")
        let leaves = try LostPageTests.leaves(of: "ZTASK", store.path).sorted {
            ($0.value.first ?? 0) < ($1.value.first ?? 0)
        }
        let (page, keys) = try #require(leaves.dropFirst(2).first)
        store.setPointers(of: page) { $0[10] = 0xffff }
        try Data(count: 512).write(to: URL(fileURLWithPath: store.path + "-journal"))
        let salvage = try store.salvage()
        #expect(
            salvage.losses.first?.description
                == "Task: up to 1 object cannot be read (object \(keys[10]))")
        #expect(
            try store.savedRows(Self.columns, "ZTASK") == objects.filter { $0.key != keys[10] })
    }

    // MARK: The counter of keys

    @Test(
        "salvage saves all objects and links if the counter of keys is too small",
        arguments: [
            (-1, []), (0, []), (1, []), (160, []), (418, []),
            (
                419,
                [
                    "Task: 1 object is saved with a key that Z_PRIMARYKEY does not count, and that"
                        + " may be wrong (object 420)"
                ]
            ),
            (420, []), (9000, []),
        ])
    func smallCounter(counter: Int, losses: [String]) throws {
        var store = try DamagedCopy { _ in
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_NAME = 'Task'"
        }
        let objects = try store.rows(Self.columns, "ZTASK")
        let join = store.join
        let pairs = "\(join.firstColumn), \(join.secondColumn)"
        let links = try store.rows(pairs, join.name)
        try store.zeroIndexes(where: "sql IS NOT NULL")
        #expect(try store.salvage().losses.map(\.description) == losses)
        #expect(objects.count == 420)
        #expect(try store.savedRows(Self.columns, "ZTASK") == objects)
        #expect(try Set(store.savedRows(pairs, join.name).values) == Set(links.values))
        #expect(
            try GraphStoreTests.lines(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task'",
                on: Connection(path: store.new, mode: .readOnly)) == ["\(max(counter, 420))"])
    }

    @Test(
        "salvage keeps a counter of keys above the rows, but not one that no store reaches",
        arguments: [(1 << 53, true), ((1 << 53) + 1, false), (1 << 60, false), (Int.max, false)])
    func largeCounter(counter: Int, isKept: Bool) throws {
        var store = try DamagedCopy { _ in
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_NAME = 'Task'"
        }
        let objects = try store.rows(Self.columns, "ZTASK")
        #expect(
            try PersistentContainer.verify(at: store.path, .full).findings
                .filter { $0.kind == .counter }.map(\.description)
                == (isKept
                    ? []
                    : [
                        "Task: the key counter in Z_PRIMARYKEY is \(counter), which no store reaches"
                    ]))
        try store.zeroIndexes(where: "sql IS NOT NULL")
        let salvage = try store.salvage()
        #expect(
            salvage.losses.map(\.description)
                == (isKept
                    ? []
                    : [
                        "Task: the key counter in Z_PRIMARYKEY is damaged (\(counter)), so new objects"
                            + " may get keys of deleted ones"
                    ]))
        #expect(salvage.remaining.filter { $0.kind == .counter } == [])
        #expect(try store.savedRows(Self.columns, "ZTASK") == objects)
        #expect(
            try GraphStoreTests.lines(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task'",
                on: Connection(path: store.new, mode: .readOnly)) == ["\(isKept ? counter : 420)"])
    }

    @Test("salvage counts the lost objects that an index lists after the counter of keys")
    func lostAfterCounter() throws {
        var store = try DamagedCopy { _ in
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 100 WHERE Z_NAME = 'Task'"
        }
        let objects = try store.rows(Self.columns, "ZTASK")
        let leaves = try LostPageTests.leaves(of: "ZTASK", store.path)
        let last = try #require(leaves.first { $0.value.contains(420) })
        try #require(last.value.count > 1 && last.value.allSatisfy { $0 > 200 })
        store.zero(page: last.key)
        let salvage = try store.salvage()
        #expect(
            salvage.losses.filter { $0.kind == .file } == [
                StoreFinding(
                    .file, entity: "Task", count: last.value.count,
                    keys: last.value.sorted(),
                    "Task: \(last.value.count) objects are lost, which an index names still")
            ])
        #expect(
            try store.savedRows(Self.columns, "ZTASK")
                == objects.filter { !last.value.contains($0.key) })
    }

    // MARK: The order of cells

    enum Disorder: CaseIterable {
        case twoSwapped, threeRotated, reversed, shuffled
    }

    @Test(
        "salvage saves all rows of a leaf whose cell pointers are in another order",
        arguments: Disorder.allCases)
    func disorder(way: Disorder) throws {
        var store = try DamagedCopy()
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let join = store.join
        let pairs = "\(join.firstColumn), \(join.secondColumn)"
        let objects = try store.rows(Self.columns, "ZTASK")
        let links = try store.rows(pairs, join.name)
        for table in ["ZTASK", join.name] {
            for (page, keys) in try LostPageTests.leaves(of: table, store.path)
            where keys.count > 5 {
                store.setPointers(of: page) { pointers in
                    let cell = 1 + random.pick(pointers.count - 4)
                    switch way {
                    case .twoSwapped: pointers.swapAt(cell, cell + 2)
                    case .threeRotated:
                        pointers.swapAt(0, cell)
                        pointers.swapAt(cell, cell + 2)
                    case .reversed: pointers.reverse()
                    case .shuffled: pointers.shuffle(using: &random)
                    }
                }
            }
        }
        #expect(try store.salvage().losses == [], "seed \(TestSeed.ofThisRun)")
        #expect(try store.savedRows(Self.columns, "ZTASK") == objects)
        #expect(try Set(store.savedRows(pairs, join.name).values) == Set(links.values))
    }

    @Test("salvage saves all rows of a leaf in another order whose records continue on other pages")
    func overflowDisorder() throws {
        var store = try DamagedCopy { _ in
            "UPDATE ZTASK SET ZTITLE = hex(zeroblob(5000)) WHERE Z_PK IN (3, 50, 200, 202, 300)"
        }
        let objects = try store.rows(Self.columns, "ZTASK")
        for (page, keys) in try LostPageTests.leaves(of: "ZTASK", store.path)
        where keys.count > 5 {
            store.setPointers(of: page) { $0.swapAt(1, 3) }
        }
        #expect(try store.salvage().losses == [])
        #expect(try store.savedRows(Self.columns, "ZTASK") == objects)
    }

    @Test("a damaged list of free pages does not restore deleted rows")
    func freeList() throws {
        var store = try DamagedCopy { _ in "DELETE FROM ZTASK WHERE Z_PK BETWEEN 100 AND 300" }
        let objects = try store.rows(Self.columns, "ZTASK")
        let start = (store.bytes.number(at: 32, bytes: 4) - 1) * 4096
        try #require(start > 0 && store.bytes.number(at: start + 4, bytes: 4) > 0)
        store.bytes.set(0, at: start + 8, bytes: 4)
        let salvage = try store.salvage()
        #expect(salvage.objects["Task"] == 219)
        #expect(try store.savedRows(Self.columns, "ZTASK") == objects)
    }

    @Test("a pointer to the bytes of a deleted row does not restore the row")
    func staleCell() throws {
        var store = try DamagedCopy()
        let objects = try store.rows(Self.columns, "ZTASK")
        let leaves = try LostPageTests.leaves(of: "ZTASK", store.path)
        let leaf = try #require(leaves.max { $0.value.count < $1.value.count })
        let start = (leaf.key - 1) * 4096
        var lostKeys: [Int64] = []
        var content = 0
        // SQLite deletes the cell at the start of the content by raising this start.
        store.setPointers(of: leaf.key) { pointers in
            let deleted = pointers.indices.min { pointers[$0] < pointers[$1] } ?? 0
            let middle = pointers.count / 2
            lostKeys = [leaf.value[deleted], leaf.value[middle]]
            pointers[middle] = pointers[deleted]
            pointers.remove(at: deleted)
            content = (pointers.filter { $0 != pointers.min() }).min() ?? 0
        }
        try #require(abs(lostKeys[0] - lostKeys[1]) > 5, "the deleted key is out of order")
        store.bytes.set(content, at: start + 5, bytes: 2)
        _ = try store.salvage()
        #expect(
            try store.savedRows(Self.columns, "ZTASK")
                == objects.filter { !lostKeys.contains($0.key) })
    }

    // MARK: Wrong keys

    @Test(
        "a wrong key in a join table does not raise the number of lost pairs",
        arguments: [
            (false, ["1 pair is lost, which an index names still"]),
            (
                true,
                [
                    "up to 1 pair cannot be read",
                    "some pairs may be lost, since a page of the table, or of an index of it, is"
                        + " damaged",
                ]
            ),
        ])
    func largeKey(losesIndexes: Bool, losses: [String]) throws {
        var store = try DamagedCopy { join in
            "UPDATE \(join.name) SET rowid = 9223372036854775807"
                + " WHERE rowid = (SELECT max(rowid) FROM \(join.name))"
        }
        let name = store.join.name
        let leaves = try LostPageTests.leaves(of: name, store.path)
        let last = try #require(leaves.first { $0.value.contains(.max) })
        try #require(last.value.count > 5)
        store.setPointers(of: last.key) { $0[$0.count - 2] = 0 }
        if losesIndexes { try store.zeroIndexes() }
        #expect(
            try store.salvage().losses.map(\.description) == losses.map { "\(name): \($0)" })
    }

    @Test("salvage leaves out an object whose key no store assigns, and reports it")
    func impossibleKey() throws {
        var store = try DamagedCopy { _ in
            "UPDATE ZTASK SET Z_PK = 9000000000000000000 WHERE Z_PK = 420"
        }
        let objects = try store.rows(Self.columns, "ZTASK")
        try store.zeroIndexes(where: "sql IS NOT NULL")
        #expect(
            try store.salvage().losses.map(\.description) == [
                "Task: up to 1 object cannot be read (object 420)",
                "Task: 1 object has a key that no store assigns, and is left out"
                    + " (object 9000000000000000000)",
            ])
        #expect(try store.savedRows(Self.columns, "ZTASK") == objects.filter { $0.key <= 420 })
    }

    @Test("salvage of an app's store saves the rows of all its other tables")
    func otherKeys() throws {
        let store = try BreakableStore()
        try store.run(
            """
            DROP TABLE ETL_MODEL; DROP TABLE ETL_PENDING;
            CREATE TABLE XLOG (ID INTEGER PRIMARY KEY, T TEXT);
            INSERT INTO XLOG VALUES (-9223372036854775808, 'a'), (-5, 'b'), (0, 'c'), (1, 'd'),
                (9223372036854775807, 'e');
            CREATE TABLE "X'Y""Z" (T TEXT);
            INSERT INTO "X'Y""Z" VALUES ('f'), ('g');
            CREATE TABLE XKEYED (K TEXT PRIMARY KEY, V INTEGER) WITHOUT ROWID;
            INSERT INTO XKEYED VALUES ('h', 1), ('i', 2);
            """)
        let root = try #require(
            try Connection(path: store.path, mode: .readOnly).integer(
                "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
                    + " AND tbl_name = '\(store.pairs.table)'"))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        bytes.resetBytes(in: (Int(root) - 1) * 4096..<Int(root) * 4096)
        try bytes.write(to: URL(fileURLWithPath: store.path))
        let new = store.folder.file("new.sqlite")
        let losses = try PersistentContainer.salvage(at: store.path, to: new).losses
        // The other pages of the index belong to nothing that is still known.
        #expect(
            losses.map(\.description) == [
                "some objects may be lost, because pages of the file belong to no table"
            ])
        for (sql, rows) in [
            (
                "SELECT ID || T FROM XLOG ORDER BY ID",
                ["-9223372036854775808a", "-5b", "0c", "1d", "9223372036854775807e"]
            ),
            (#"SELECT T FROM "X'Y""Z" ORDER BY T"#, ["f", "g"]),
            ("SELECT K || V FROM XKEYED ORDER BY K", ["h1", "i2"]),
        ] {
            #expect(
                try GraphStoreTests.lines(sql, on: Connection(path: new, mode: .readOnly)) == rows)
        }
    }
}
