import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Salvage of a damaged schema table") struct DamagedSchemaTests {
    /// A closed store, its bytes, and the rows of its tables.
    private struct Sample {
        let store: BreakableStore
        let bytes: [UInt8]
        let rows: [String]

        init() throws {
            store = try BreakableStore()
            try store.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
                    SELECT i, \(store.number("Task")), 1, 'a task with some title ' || i FROM n;
                UPDATE Z_PRIMARYKEY SET Z_MAX = 500 WHERE Z_NAME = 'Task';
                """)
            bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.path)))
            rows = try Self.rows(store, store.path)
        }

        static func rows(_ store: BreakableStore, _ path: String) throws -> [String] {
            let connection = try Connection(path: path, mode: .readOnly)
            return try ["ZPERSON", "ZPASSPORT", "ZTASK", "ZTAG", store.pairs.table].flatMap {
                try lines("SELECT * FROM \($0) ORDER BY 1, 2", on: connection)
            }
        }

        /// Returns the rows that are recovered from damaged bytes; the file itself must not change.
        func saved(
            _ damaged: [UInt8], model: ManagedObjectModel? = nil, _ note: String
        ) throws -> (rows: [String], losses: [String], error: StoreError?) {
            try Data(damaged).write(to: URL(fileURLWithPath: store.path))
            defer {
                for name in ["new.sqlite", "new.sqlite-wal", "new.sqlite-shm"] {
                    try? FileManager.default.removeItem(atPath: store.folder.file(name))
                }
            }
            let new = store.folder.file("new.sqlite")
            do throws(StoreError) {
                let salvage = try PersistentContainer.salvage(
                    at: store.path, to: new, model: model)
                let after = [UInt8](
                    FileManager.default.contents(atPath: store.path) ?? Data())
                #expect(after == damaged, "\(note)")
                let found = (try? Self.rows(store, new)) ?? []
                return (found, (salvage.losses + salvage.remaining).map(\.message), nil)
            } catch {
                return ([], [], error)
            }
        }

        func place(of text: String) throws -> Int {
            try #require(bytes.firstRange(of: Array(text.utf8))).lowerBound
        }

        /// The header of the file, the header of its first page, the array of the cells' offsets,
        /// and each cell.
        var regions: [Range<Int>] {
            let count = bytes.number(at: 103, bytes: 2)
            let offsets = (0..<count).map { bytes.number(at: 108 + 2 * $0, bytes: 2) }.sorted()
            let cells = zip(offsets, offsets.dropFirst() + [4096]).map { $0..<$1 }
            return [0..<100, 100..<108, 108..<108 + 2 * count] + cells
        }

        /// Returns the offset of the byte that holds a table's root page.
        func rootPlace(of table: String) throws -> Int {
            try place(of: "CREATE TABLE \(table) (") - 1
        }
    }

    private func expectAll(
        _ sample: Sample, _ damaged: [UInt8], losses: [String] = [], _ note: String
    ) throws {
        let saved = try sample.saved(damaged, note)
        #expect(saved.error == nil, "\(note): \(String(describing: saved.error))")
        #expect(saved.rows == sample.rows, "\(note): \(saved.losses)")
        #expect(saved.losses == losses, "\(note)")
    }

    @Test("one wrong letter in the SQL of a table or an index loses no row")
    func texts() throws {
        let sample = try Sample()
        let texts = try lines(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name",
            on: Connection(path: sample.store.path, mode: .readOnly))
        #expect(texts.count > 10)
        for text in texts {
            let start = try sample.place(of: text)
            let name = try #require(text.firstRange(of: " Z") ?? text.firstRange(of: " ETL_"))
            let places = [
                5, 9, text.utf8.distance(from: text.startIndex, to: name.lowerBound) + 3,
                text.utf8.count / 2, text.utf8.count - 1,
            ]
            for place in places {
                var damaged = sample.bytes
                damaged[start + place] = UInt8(ascii: "X")
                try expectAll(sample, damaged, "\(text), byte \(place)")
            }
        }
    }

    @Test("a wrong byte in the file header or in the first page's cell pointers loses no row")
    func header() throws {
        let sample = try Sample()
        for place in 0..<100 {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] where sample.bytes[place] != value {
                var damaged = sample.bytes
                damaged[place] = value
                let saved = try sample.saved(damaged, "byte \(place) is \(value)")
                #expect(
                    saved.rows == sample.rows,
                    "byte \(place) is \(value): \(saved.losses) \(String(describing: saved.error))")
            }
        }
        for place in stride(from: 100, to: 150, by: 1) {
            var damaged = sample.bytes
            damaged[place] ^= 0x15
            let saved = try sample.saved(damaged, "byte \(place)")
            #expect(
                saved.rows == sample.rows,
                "byte \(place): \(saved.losses) \(String(describing: saved.error))")
        }
    }

    @Test(
        "two wrong bytes in the first page lose no row, and salvage is repeatable",
        arguments: 0..<6)
    func anyBytes(part: Int) throws {
        let sample = try Sample()
        let regions = sample.regions
        #expect(regions.count > 20)
        for seed in stride(from: part, to: 300, by: 6) {
            var random = SeededGenerator(seed: UInt64(seed))
            var damaged = sample.bytes
            // Each region is damaged in turn, together with a random one.
            let places = [regions[seed % regions.count], regions[random.pick(regions.count)]].map {
                $0.lowerBound + random.pick($0.count)
            }
            for place in places { damaged[place] ^= UInt8(1 + random.pick(255)) }
            let note = "seed \(seed), bytes \(places)"
            let saved = try sample.saved(damaged, note)
            #expect(
                saved.rows == sample.rows,
                "\(note): \(saved.losses) \(String(describing: saved.error))")
            guard seed % 10 == 0 else { continue }
            let again = try sample.saved(damaged, note)
            #expect(saved.rows == again.rows && saved.losses == again.losses, "\(note)")
        }
    }

    @Test("a wrong root page in the schema table loses no row", arguments: [0, 1, 2])
    func otherRoots(way: Int) throws {
        let sample = try Sample()
        let roots = try lines(
            "SELECT rootpage FROM sqlite_master WHERE rootpage > 1 ORDER BY 1",
            on: Connection(path: sample.store.path, mode: .readOnly)
        ).compactMap(Int.init)
        let pages = sample.bytes.count / 4096
        let others =
            switch way {
            case 0: roots
            // Leaves, index pages, and pages of no tree.
            case 1: Array(2...pages).filter { !roots.contains($0) }
            default: [0, 1, pages + 1, 127]
            }
        for table in ["ZPERSON", "ZPASSPORT", "ZTASK", "ZTAG", sample.store.pairs.table] {
            let place = try sample.rootPlace(of: table)
            for other in others where other != Int(sample.bytes[place]) {
                var damaged = sample.bytes
                damaged[place] = UInt8(other)
                let saved = try sample.saved(damaged, table)
                #expect(
                    saved.rows == sample.rows,
                    "\(table) on page \(other): \(saved.losses) \(String(describing: saved.error))")
            }
        }
    }

    @Test(
        "salvage does not run a query in the schema table", .timeLimit(.minutes(3)),
        arguments: ["ZX", "\"ZX\"", "[Z X]", "ZX/**/"])
    func endlessQuery(name: String) throws {
        let sample = try Sample()
        do {
            let connection = try Connection(path: sample.store.path, mode: .readWrite)
            try connection.execute("PRAGMA writable_schema = ON; PRAGMA journal_mode = DELETE")
            let insert = try connection.prepare(
                "INSERT INTO sqlite_master VALUES ('table', 'ZX', 'ZX', 5, ?)")
            insert.bind(
                "CREATE TABLE \(name) AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1"
                    + " FROM r) SELECT x FROM r", at: 1)
            try insert.run()
        }
        let damaged = [UInt8](FileManager.default.contents(atPath: sample.store.path) ?? Data())
        let saved = try sample.saved(damaged, name)
        #expect(saved.error == nil)
        #expect(saved.rows == sample.rows)
    }

    @Test("salvage reads the model from Z_MODELCACHE if ETL_MODEL is damaged")
    func modelCache() throws {
        let sample = try Sample()
        let connection = try Connection(path: sample.store.path, mode: .readOnly)
        let root = try #require(
            try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ETL_MODEL'"))
        let start = (Int(root) - 1) * 4096
        let told = [
            "The model in ETL_MODEL cannot be read, and is replaced by the one in Z_MODELCACHE"
        ]
        var damaged = sample.bytes
        damaged.replaceSubrange(start..<start + 4096, with: [UInt8](repeating: 0, count: 4096))
        // The rest of the model is on pages that no page refers to.
        let stray = "some objects may be lost, because pages of the file belong to no table"
        try expectAll(sample, damaged, losses: told + [stray], "a zeroed page")
        damaged = sample.bytes
        let text = try sample.place(of: "{\"")
        damaged.replaceSubrange(text..<text + 8, with: Array("XXXXXXXX".utf8))
        try expectAll(sample, damaged, losses: told, "eight bytes")
        // Without Z_MODELCACHE as well, the model is lost.
        let cache = try #require(
            try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'Z_MODELCACHE'")
        )
        let page = (Int(cache) - 1) * 4096
        damaged.replaceSubrange(page..<page + 4096, with: [UInt8](repeating: 0, count: 4096))
        let saved = try sample.saved(damaged, "both")
        #expect(saved.error?.code == .noModel)
        #expect(
            saved.error?.message
                == "\(sample.store.path) contains no readable model; pass its model")
    }

    @Test("salvage of a valid file with pointer map pages loses nothing")
    func pointerMaps() throws {
        let names = (0..<40).map { "Entity\($0)" }
        let model = try ManagedObjectModel(
            yaml: "model: 1\nentities:\n"
                + names.map { "  \($0): { attributes: { text: String } }\n" }.joined())
        try withStore(model) { store in
            let context = store.container.newContext()
            for (place, name) in names.enumerated() {
                for number in 0..<(place % 8 == 0 ? 700 : 3) {
                    let object = try context.insert(name)
                    try object.setValue(
                        PropertyValue(String(repeating: "\(number) ", count: 400)), forKey: "text")
                }
            }
            try context.save()
            try store.container.checkpoint()
            // Past the second pointer map page.
            let pages = try Connection(path: store.path, mode: .readOnly).integer(
                "PRAGMA page_count")
            #expect(try #require(pages) > 1_700)
            let new = store.folder.file("new.sqlite")
            let salvage = try PersistentContainer.salvage(at: store.path, to: new)
            #expect((salvage.losses + salvage.remaining).map(\.message) == [])
            let file = try #require(DamagedFile(path: new))
            #expect(file.pageCount > 1_700)
            let old = try Connection(path: store.path, mode: .readOnly)
            let saved = try Connection(path: new, mode: .readOnly)
            for place in names.indices {
                let sql = "SELECT * FROM ZENTITY\(place) ORDER BY Z_PK"
                #expect(try lines(sql, on: saved) == lines(sql, on: old))
            }
        }
    }
}
