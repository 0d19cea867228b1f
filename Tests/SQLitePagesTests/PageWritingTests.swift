import Files
import SQLitePages
import TestSeeds
import Testing

@Suite("SQLite pages") struct PageWritingTests {
    /// Writes a random database by pages and by SQL, and compares the files.
    private func check(seed: UInt64, rowsMax: Int) throws {
        var random = SeededGenerator(seed: seed)
        let content = RandomDatabase(&random, rowsMax: rowsMax)
        let folder = try ScratchFolder()
        let expected = try content.create(at: folder.file("sql.sqlite"))
        try content.insert(into: expected)
        try expected.execute("VACUUM")
        let path = folder.file("pages.sqlite")
        let roots = try content.roots(of: content.create(at: path))
        let half = random.pick(content.tables.count + 1)
        let memory = random.pick([1 << 12, 1 << 15, 1 << 24])
        // A later load fills the tables that are still empty.
        for tables in [content.tables[..<half], content.tables[half...]] {
            let trees = tables.flatMap { [$0.name] + $0.indexes.map(\.name) }
            let file = try PageAppender(
                FileStorage(FileName(path)), roots: trees.compactMap { roots[$0] },
                journal: random.chance(50) ? FileName(path) : nil)
            try content.write(
                Array(tables), to: file, roots: roots, spill: KeySpill(in: FileName(folder.path)),
                memoryBytes: memory)
            try file.commit()
        }
        let found = try Database(path)
        try compare(found, expected, content, "seed \(seed)")
        try change(found, content, &random, "seed \(seed)")
    }

    private func compare(
        _ found: Database, _ expected: Database, _ content: RandomDatabase, _ seed: String
    ) throws {
        try expectIntact(found, seed)
        for table in content.tables {
            let all = "SELECT * FROM \(table.name) NOT INDEXED ORDER BY Z_PK"
            #expect(try found.rows(all) == expected.rows(all), "\(seed), \(table.name)")
            for index in table.indexes {
                let names = index.columns.map { table.columns[$0].name }
                let covered =
                    "SELECT Z_PK, \(names.joined(separator: ", ")) FROM \(table.name)"
                    + " INDEXED BY \(index.name)"
                    + " ORDER BY "
                    + zip(names, index.descending).map { $0 + ($1 ? " DESC" : " ASC") }
                    .joined(separator: ", ")
                #expect(try found.rows(covered) == expected.rows(covered), "\(seed), \(index.name)")
            }
        }
        // The trees take no more pages than trees after VACUUM.
        let sizes =
            "SELECT name, sum(payload), sum(mx_payload IS NULL), count(*) FROM dbstat"
            + " WHERE name <> 'sqlite_schema' GROUP BY name"
        let (own, theirs) = (try found.rows(sizes), try expected.rows(sizes))
        for (own, theirs) in zip(own, theirs) {
            #expect(own[0] == theirs[0], "\(seed)")
            guard case .integer(let pages) = own[3], case .integer(let most) = theirs[3] else {
                continue
            }
            #expect(pages <= most, "\(seed), \(own[0])")
        }
    }

    private func expectIntact(_ database: Database, _ reason: String) throws {
        let findings = try database.integrity()
        #expect(findings == ["ok"], "\(reason)")
    }

    /// Uses the file as SQLite uses its own.
    private func change(
        _ database: Database, _ content: RandomDatabase, _ random: inout SeededGenerator,
        _ seed: String
    ) throws {
        for table in content.tables {
            let part = 2 + random.pick(5)
            try database.execute("DELETE FROM \(table.name) WHERE Z_PK % \(part) = 0")
            if let column = table.columns.first?.name {
                try database.execute(
                    "UPDATE OR REPLACE \(table.name) SET \(column) = zeroblob(3000)"
                        + " WHERE Z_PK % \(part) = 1 AND Z_PK IN"
                        + " (SELECT Z_PK FROM \(table.name) LIMIT 200)")
            }
            try database.execute("INSERT INTO \(table.name) DEFAULT VALUES")
        }
        try expectIntact(database, "\(seed), after changes")
        _ = try database.rows("PRAGMA incremental_vacuum(\(1 + random.pick(2_000)))")
        try expectIntact(database, "\(seed), after incremental_vacuum")
        if let table = content.tables.last { try database.execute("DROP TABLE \(table.name)") }
        try expectIntact(database, "\(seed), after DROP TABLE")
        try database.execute("VACUUM")
        try expectIntact(database, "\(seed), after VACUUM")
    }

    @Test("keys of rows that SQLite wrote equal the keys of their values")
    func makesKeysFromRows() throws {
        for round in 0..<20 {
            let seed = TestSeed.ofThisRun &+ 2_000 &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            let content = RandomDatabase(&random, rowsMax: 2_000)
            let folder = try ScratchFolder()
            let path = folder.file("sql.sqlite")
            let database = try content.create(at: path)
            try content.insert(into: database)
            let roots = try content.roots(of: database)
            let pages = UInt32(try database.integer("PRAGMA page_count"))
            for table in content.tables {
                let found = try keys(
                    of: table, TableReader(FileStorage(FileName(path)), pageCount: pages),
                    root: roots[table.name] ?? 0)
                #expect(found == content.keys(of: table), "seed \(seed), \(table.name)")
            }
        }
    }

    /// Returns the keys of all indexes, in the order of the rows.
    private func keys(
        of table: RandomDatabase.Table, _ reader: consuming TableReader, root: UInt32
    ) throws -> [[UInt8]] {
        let indexes = table.indexes.map { index in
            Maker(KeyMaker(columns: index.columns.map { $0 + 1 } + [nil]))
        }
        var keys: [[UInt8]] = []
        try reader.forEachRow(ofRoot: root) { rowID, record throws(PageFault) in
            for index in indexes {
                keys.append(Array(try index.maker.key(of: record, rowID: rowID)))
            }
        }
        return keys
    }

    private final class Maker {
        var maker: KeyMaker

        init(_ maker: consuming KeyMaker) {
            self.maker = maker
        }
    }

    @Test("random tables and indexes have the rows, order, and size that SQLite gives them")
    func writesRandomDatabases() throws {
        for round in 0..<60 {
            try check(seed: TestSeed.ofThisRun &+ UInt64(round), rowsMax: 400)
        }
    }

    @Test("trees of several levels have the rows, order, and size that SQLite gives them")
    func writesDeepTrees() throws {
        for round in 0..<4 {
            try check(seed: TestSeed.ofThisRun &+ 1_000 &+ UInt64(round), rowsMax: 8_000)
        }
    }
}
