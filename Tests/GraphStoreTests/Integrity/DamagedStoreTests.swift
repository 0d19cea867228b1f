import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore

/// Stores whose bytes are damaged at seeded offsets.
///
/// Each is recovered twice, and compared with the result of SQLite's shell.
@Suite("Salvage of damaged pages") struct DamagedStoreTests {
    private enum Damage: CaseIterable {
        case flippedBytes, zeroedPages, swappedPages, truncated, noise
    }

    /// A shell that supports `.recover`; Debian's does not, because its library lacks
    /// `sqlite_dbpage`.
    private static let shell: String? = {
        ["/usr/local/bin/sqlite3", "/usr/bin/sqlite3"].first { shell in
            guard let folder = try? TemporaryFolder(),
                let sound = try? Connection(path: folder.file("a"), mode: .create)
            else { return false }
            try? sound.execute("CREATE TABLE T (N); INSERT INTO T VALUES (7)")
            try? recover(folder.file("a"), to: folder.file("b"), shell)
            let found = try? Connection(path: folder.file("b"), mode: .readOnly)
            return (try? found?.integer("SELECT N FROM T")) == 7
        }
    }()

    // MARK: Stores of ours

    @Test("salvage is repeatable")
    func ours() throws { try Self.damageOurs(comparingWith: nil) }

    @Test(
        "salvage recovers no fewer rows than `.recover`",
        .enabled(if: shell != nil, "no sqlite3 here supports .recover"))
    func oursLikeShell() throws { try Self.damageOurs(comparingWith: Self.shell) }

    private static func damageOurs(comparingWith shell: String?) throws {
        let folder = try TemporaryFolder()
        let original = folder.file("original.sqlite")
        let model = try fill(original)
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        for round in 0..<25 {
            let damage = Damage.allCases[round % Damage.allCases.count]
            try check(original, model, damage, &random, shell, "round \(round), \(damage)")
        }
    }

    /// Creates 3,000 tasks with texts of up to two pages, deletes some of them, and links them.
    private static func fill(_ path: String) throws -> ManagedObjectModel {
        let model = try GraphStoreTests.model(
            """
            Task:
              attributes: { number: Integer 32, title: String, weight: Double }
              relationships:
                list: { to: List, inverse: tasks }
                tags: { to: Tag, many: true, inverse: tasks }
              unique: [[number]]
            List:
              attributes: { name: String }
              relationships: { tasks: { to: Task, many: true, inverse: list } }
              unique: [[name]]
            Tag:
              attributes: { name: String }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
              unique: [[name]]
            """)
        let container = try PersistentContainer(
            model: model, .sqlite(at: path, opening: .create))
        let plan = BulkPlan(
            entity: "Task", key: ["number"], attributes: ["number", "title", "weight"],
            links: [
                .init(
                    relationship: "list", destination: "List", attribute: "name", missing: .create
                ),
                .init(
                    relationship: "tags", destination: "Tag", attribute: "name", missing: .create),
            ])
        try container.load(
            plan,
            (1...3000).map { number in
                let text = String(repeating: "\(number) ", count: number % 50 == 0 ? 1500 : 12)
                return [
                    .integer(Int64(number)), .text(text), .real(Double(number) / 4),
                    .text("list \(number % 40)"),
                    .list((0..<number % 4).map { .text("tag \((number + $0) % 300)") }),
                ]
            })
        let context = container.newContext()
        _ = try context.execute(
            BatchDeleteRequest(
                entityName: "Task",
                predicate: GraphPredicate(format: "number > 1400 AND number < 1500")
            ))
        try context.save()
        return model
    }

    // MARK: Apps' stores

    @Test(
        "salvage of damaged stores of apps is repeatable",
        .enabled(if: CoreDataSpecimens.arePresent, "\(CoreDataSpecimens.absence)"))
    func specimens() throws { try Self.damageSpecimens(comparingWith: nil) }

    @Test(
        "salvage of damaged stores of apps recovers no fewer rows than `.recover`",
        .enabled(if: CoreDataSpecimens.arePresent, "\(CoreDataSpecimens.absence)"),
        .enabled(if: shell != nil, "no sqlite3 here supports .recover"))
    func specimensLikeShell() throws {
        try Self.damageSpecimens(comparingWith: Self.shell)
    }

    private static func damageSpecimens(comparingWith shell: String?) throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        for store in CoreDataSpecimens.stores {
            let size = try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int
            guard (size ?? 0) < 1 << 20 else { continue }
            let path = try store.copy(to: folder.path)
            try Connection(path: path, mode: .readWrite).execute("PRAGMA journal_mode = DELETE")
            let damage = random.pick(Damage.allCases)
            try check(path, nil, damage, &random, shell, "\(store.name), \(damage)")
        }
    }

    // MARK: Damage

    private static func check(
        _ original: String, _ model: ManagedObjectModel?, _ damage: Damage,
        _ random: inout SeededGenerator, _ shell: String?, _ note: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("damaged.sqlite")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: original)))
        apply(damage, to: &bytes, &random)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let results = ["1", "2"].map { name -> Result<StoreSalvage, StoreError> in
            Result { () throws(StoreError) in
                try PersistentContainer.salvage(
                    at: path, to: folder.file("new\(name).sqlite"), model: model)
            }
        }
        switch (results[0], results[1]) {
        case (.success(let first), .success(let second)):
            #expect(first == second, "\(note)")
        case (.failure(let first), .failure(let second)):
            #expect(first.code == second.code, "\(note)")
            #expect(first.code != .internalError, "\(note): \(first)")
        default: Issue.record("\(note): \(results)")
        }
        let tables = try entityTables(original)
        var saved: [String: Set<String>] = [:]
        for table in tables {
            let first = try? rows(of: table, folder.file("new1.sqlite"))
            #expect(first == (try? rows(of: table, folder.file("new2.sqlite"))), "\(note)")
            saved[table] = Set(first ?? [])
        }
        try expectSound(folder.file("new1.sqlite"), note)
        guard let shell else { return }
        let recovered = folder.file("recovered.sqlite")
        try recover(path, to: recovered, shell)
        for table in tables {
            let intact = Set(try rows(of: table, original))
            let theirs = Set((try? rows(of: table, recovered)) ?? []).intersection(intact)
            let missing = theirs.subtracting(saved[table] ?? [])
            #expect(missing.count == 0, "\(note): \(table) lacks \(missing.sorted().prefix(3))")
        }
    }

    private static func expectSound(_ path: String, _ note: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let connection = try Connection(path: path, mode: .readOnly)
        #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(note)")
    }

    private static func apply(
        _ damage: Damage, to bytes: inout [UInt8], _ random: inout SeededGenerator
    ) {
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        let pages = bytes.count / size
        // The first page holds the schema; without it, SQLite cannot open the file.
        func page() -> Range<Int> {
            let start = random.pick(pages - 1) * size + size
            return start..<start + size
        }
        switch damage {
        case .flippedBytes:
            for _ in 0..<(1 + random.pick(40)) {
                let page = page()
                // Half of the offsets are in the first 64 bytes of a page, which hold its header.
                let place = random.pick(random.chance(50) ? 64 : size)
                bytes[page.lowerBound + place] ^= UInt8(1 + random.pick(255))
            }
        case .zeroedPages:
            for _ in 0..<(1 + random.pick(4)) {
                let page = page()
                bytes.replaceSubrange(page, with: [UInt8](repeating: 0, count: size))
            }
        case .swappedPages:
            for _ in 0..<(1 + random.pick(3)) {
                let (one, other) = (page(), page())
                let kept = Array(bytes[one])
                bytes.replaceSubrange(one, with: Array(bytes[other]))
                bytes.replaceSubrange(other, with: kept)
            }
        case .truncated:
            bytes.removeLast(1 + random.pick(bytes.count / 2))
        case .noise:
            let page = page()
            for place in page { bytes[place] = UInt8(random.pick(256)) }
            // The worst case still looks like a table page.
            if random.chance(70) { bytes[page.lowerBound] = 13 }
        }
    }

    // MARK: Rows

    private static func entityTables(_ path: String) throws -> [String] {
        try lines(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
                + " ON c.name = 'Z_ENT' WHERE m.type = 'table' AND m.name LIKE 'Z%'"
                + " AND m.name NOT LIKE 'Z\\_%' ESCAPE '\\' ORDER BY 1",
            on: Connection(path: path, mode: .readOnly))
    }

    /// Returns key, entity, version, and the attributes of each row, except integers and BLOBs.
    ///
    /// Integer columns also hold links, which are cleared if their objects are lost.
    private static func rows(of table: String, _ path: String) throws -> [String] {
        let connection = try Connection(path: path, mode: .readOnly)
        let columns = try lines(
            "SELECT name FROM pragma_table_info('\(table)') WHERE name IN ('Z_PK', 'Z_ENT', 'Z_OPT')"
                + " OR type NOT IN ('INTEGER', 'BLOB')", on: connection)
        return try lines(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY Z_PK", on: connection)
    }

    private static func recover(_ path: String, to target: String, _ shell: String) throws {
        let sql = target + ".sql"
        for (arguments, input, output) in [
            ([path, ".recover"], nil, sql), ([target], sql, "/dev/null"),
        ] as [([String], String?, String)] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: shell)
            process.arguments = arguments
            if output == sql { try Data().write(to: URL(fileURLWithPath: output)) }
            process.standardOutput = try FileHandle(
                forWritingTo: URL(fileURLWithPath: output))
            process.standardError = FileHandle.nullDevice
            process.standardInput =
                try input.map {
                    try FileHandle(forReadingFrom: URL(fileURLWithPath: $0))
                } ?? FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
        }
    }

    // MARK: Indexes that name missing rows

    @Test("a read fails as corrupt if an index lists rows that the table lacks")
    func indexNamesMissingRows() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let model = try Self.fill(path)
        let connection = try Connection(path: path, mode: .readWrite)
        let roots = try lines(
            "SELECT rootpage FROM sqlite_master WHERE name IN ('ZTAG', 'ZLIST')", on: connection)
        // Gives ZTAG the root page of an empty table, so its indexes still list the old rows.
        try connection.execute(
            """
            PRAGMA writable_schema = ON;
            CREATE TABLE X (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'X')
                WHERE name = 'ZTAG';
            DELETE FROM sqlite_master WHERE name = 'X';
            PRAGMA writable_schema = OFF;
            """)
        #expect(roots.count == 2)
        for field in [["tags"], ["tags", "name"], ["list"], ["title"]] {
            var codes: Set<String> = []
            do {
                let container = try PersistentContainer(model: model, .sqlite(at: path))
                let cursor = try container.newContext().cursor(
                    RowRequest(entityName: "Task", fields: [field]))
                try cursor.forEachRow { _, _ in }
            } catch {
                codes.insert((error as? StoreError)?.code.rawValue ?? "\(error)")
            }
            #expect(codes.subtracting(["corrupt"]) == [], "\(field)")
            if field == ["tags"] { #expect(codes == ["corrupt"]) }
        }
    }
}
