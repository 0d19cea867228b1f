import CSQLite
import Files
import SQLitePages
import TestSeeds
import Testing

/// The file of an open connection, written by SQLite's own methods.
private final class OpenFile: PageStorage {
    private let file: UnsafeMutablePointer<sqlite3_file>
    /// The number of writes before they fail.
    private var writesLeft: Int

    init(_ database: Database, writesMax: Int = .max) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        self.file = try #require(file)
        writesLeft = writesMax
    }

    private var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

    func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(PageFault) {
        try check(methods.xRead(file, room.baseAddress, Int32(room.count), offset))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(PageFault) {
        writesLeft -= 1
        guard writesLeft >= 0 else { throw .storage(SQLITE_FULL) }
        try check(methods.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset))
    }

    func synchronize() throws(PageFault) {
        try check(methods.xSync(file, SQLITE_SYNC_NORMAL))
    }

    private func check(_ result: Int32) throws(PageFault) {
        guard result == SQLITE_OK else { throw .storage(result) }
    }
}

/// Builds the indexes of filled tables in the file of an open connection, as a load does.
@Suite("SQLite pages in the file of an open connection") struct OpenFileTests {
    private struct Build {
        var database: Database
        var path: String
        var table: RandomDatabase.Table

        private func placeholder(_ place: Int) -> String { "TREE_\(table.name)_\(place)" }

        func makePlaceholders() throws {
            for (place, index) in table.indexes.enumerated() {
                let names = index.columns.indices.map { "C\($0)" }
                let keys = zip(names, index.descending).map { $0 + ($1 ? " DESC" : "") } + ["R"]
                try database.execute(
                    "CREATE TABLE \(placeholder(place)) (\(names.joined(separator: ", ")), R,"
                        + " PRIMARY KEY (\(keys.joined(separator: ", ")))) WITHOUT ROWID")
            }
        }

        func fill(writesMax: Int) throws {
            try database.execute("BEGIN EXCLUSIVE")
            var roots: [UInt32] = []
            for place in table.indexes.indices {
                roots.append(try root(placeholder(place)))
            }
            let storage = try OpenFile(database, writesMax: writesMax)
            let file = try PageAppender(storage, roots: roots, journal: FileName(path))
            let spill = KeySpill(in: FileName(path).folder)
            var reader = TableReader(storage, pageCount: file.pageCount)
            let rootOfTable = try root(table.name)
            for (index, root) in zip(table.indexes, roots) {
                let sorter = KeySorter(
                    KeyOrder(descending: index.descending), isUnique: index.isUnique,
                    spill: spill, memoryBytes: 1 << 16)
                let maker = Maker(KeyMaker(columns: index.columns.map { $0 + 1 }))
                try reader.forEachRow(ofRoot: rootOfTable) { rowID, record throws(PageFault) in
                    try sorter.add(maker.maker.key(of: record, rowID: rowID))
                }
                let tree = IndexTree(root: root, in: file)
                try sorter.forEach { key throws(PageFault) in try tree.add(key) }
                try tree.finish()
            }
            try file.commit()
            try database.execute("COMMIT")
        }

        private func root(_ name: String) throws -> UInt32 {
            UInt32(
                try database.integer("SELECT rootpage FROM sqlite_master WHERE name = '\(name)'"))
        }

        func rename(_ statements: [String]) throws {
            try database.execute("BEGIN; PRAGMA writable_schema = ON")
            for (place, index) in table.indexes.enumerated() {
                try database.rows(
                    "UPDATE sqlite_master SET type = 'index', name = ?, tbl_name = ?, sql = ?"
                        + " WHERE name = ?",
                    [
                        [
                            .text(index.name), .text(table.name), .text(statements[place]),
                            .text(placeholder(place)),
                        ]
                    ])
            }
            let version = try database.integer("PRAGMA schema_version")
            try database.execute(
                "PRAGMA schema_version = \(version + 1); PRAGMA writable_schema = RESET; COMMIT")
        }

        private final class Maker {
            var maker: KeyMaker

            init(_ maker: consuming KeyMaker) {
                self.maker = maker
            }
        }
    }

    @Test(
        "the indexes are SQLite's, and a failed write rolls back by itself",
        arguments: [Int.max, 0, 1, 3])
    func buildsIndexes(writesMax: Int) throws {
        for round in 0..<12 {
            let seed = TestSeed.ofThisRun &+ 3_000 &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            var content = RandomDatabase(&random, rowsMax: 3_000)
            for place in content.tables.indices {
                content.tables[place].indexes.removeAll { $0.isConstraint }
            }
            let folder = try ScratchFolder()
            let path = folder.file("a.sqlite")
            let database = try content.create(at: path)
            try content.insert(into: database)
            let schema = try database.rows("SELECT * FROM sqlite_master ORDER BY name")
                .map { [$0[0], $0[1], $0[2], $0[4]] }
            try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE NOTES (A)")
            for table in content.tables {
                let build = Build(database: database, path: path, table: table)
                let statements = try table.indexes.map { index in
                    let rows = try database.rows(
                        "SELECT sql FROM sqlite_master WHERE name = '\(index.name)'")
                    guard case .text(let bytes)? = rows.first?.first else { return "" }
                    return String(decoding: bytes, as: UTF8.self)
                }
                for index in table.indexes { try database.execute("DROP INDEX \(index.name)") }
                try build.makePlaceholders()
                #expect(
                    try database.rows("PRAGMA journal_mode = DELETE") == [[.text("delete")]])
                do {
                    try build.fill(writesMax: writesMax)
                } catch PageFault.storage(SQLITE_FULL) {
                    try database.execute("COMMIT")
                    #expect(try database.integrity() == ["ok"], "seed \(seed), rolled back")
                    try build.fill(writesMax: .max)
                }
                try database.execute("DROP TABLE NOTES")
                try build.rename(statements)
                try database.execute("CREATE TABLE NOTES (A); PRAGMA journal_mode = WAL")
                #expect(try database.integrity() == ["ok"], "seed \(seed), \(table.name)")
            }
            try database.execute("DROP TABLE NOTES")
            let found = try database.rows("SELECT * FROM sqlite_master ORDER BY name")
                .map { [$0[0], $0[1], $0[2], $0[4]] }
            #expect(found == schema, "seed \(seed)")
            for table in content.tables {
                try database.execute(
                    "DELETE FROM \(table.name) WHERE Z_PK % 3 = 0;"
                        + "INSERT INTO \(table.name) DEFAULT VALUES")
            }
            _ = try database.rows("PRAGMA incremental_vacuum")
            #expect(try database.integrity() == ["ok"], "seed \(seed), after changes")
        }
    }
}
