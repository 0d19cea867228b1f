import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

/// Each page of a store is lost in turn, including leaves and the roots of tables and indexes.
@Suite("Lost pages") struct LostPageTests {
    enum Way: CaseIterable {
        case zeros, noise, otherKind, twoPages
    }

    private static let model = """
        Task:
          attributes: { number: Integer 32, title: String }
          relationships:
            tags: { to: Tag, many: true, inverse: tasks }
            watchers: { to: Person, many: true, inverse: watched }
            steps: { to: Tag, many: true, ordered: true, inverse: stepOf }
          unique: [[number]]
        Tag:
          attributes: { name: String }
          relationships:
            tasks: { to: Task, many: true, inverse: tags }
            stepOf: { to: Task, many: true, inverse: steps }
          unique: [[name]]
        Person:
          attributes: { name: String }
          relationships: { watched: { to: Task, many: true, inverse: watchers } }
          unique: [[name]]
        """

    static func fill(_ path: String) throws -> ManagedObjectModel {
        let model = try GraphStoreTests.model(Self.model)
        let container = try PersistentContainer(model: model, .sqlite(at: path, opening: .create))
        let plan = BulkPlan(
            entity: "Task", key: ["number"], attributes: ["number", "title"],
            links: [
                .init(
                    relationship: "tags", destination: "Tag", attribute: "name", missing: .create),
                .init(
                    relationship: "watchers", destination: "Person", attribute: "name",
                    missing: .create),
                .init(
                    relationship: "steps", destination: "Tag", attribute: "name", missing: .create),
            ])
        try container.load(
            plan,
            (1...420).map { number in
                [
                    .integer(Int64(number)), .text(String(repeating: "\(number) ", count: 15)),
                    .list((0..<number % 4).map { .text("tag \((number + $0) % 90)") }),
                    .list((0..<number % 3).map { .text("person \((number * 7 + $0) % 60)") }),
                    .list((0..<number % 2).map { .text("tag \((number * 3 + $0) % 90)") }),
                ]
            })
        try container.checkpoint()
        return model
    }

    /// Returns the keys of the rows on each leaf of a table, in a valid file.
    static func leaves(of table: String, _ path: String) throws -> [Int: [Int64]] {
        let connection = try Connection(path: path, mode: .readOnly)
        let root = try #require(
            try connection.integer(
                "SELECT rootpage FROM sqlite_master WHERE name = '\(table)'"))
        let file = try #require(DamagedFile(path: path))
        var leaves: [Int: [Int64]] = [:]
        var waiting = [Int(root)]
        while let number = waiting.popLast() {
            let page = try #require(file.tree(number))
            waiting += page.children
            guard page.kind == .tableLeaf else { continue }
            leaves[number] = (0..<page.cellCount).compactMap { page.payload(ofCell: $0)?.rowID }
        }
        return leaves
    }

    /// Returns each row of a table as text, by its key.
    static func rows(_ columns: String, _ table: String, _ path: String) throws
        -> [Int64: String]
    {
        let rows = try Connection(path: path, mode: .readOnly).prepare(
            "SELECT rowid, \(columns.replacing(", ", with: " || '|' || ")) FROM \(table)")
        var found: [Int64: String] = [:]
        while try rows.step() { found[rows.integer(0)] = rows.string(1) }
        return found
    }

    @Test("salvage recovers all rows on undamaged pages, and no others", arguments: Way.allCases)
    func eachPage(way: Way) throws {
        let folder = try TemporaryFolder()
        let original = folder.file("original.sqlite")
        let model = try Self.fill(original)
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original))
        let objects = try ["ZTASK", "ZTAG", "ZPERSON"].map { table in
            let columns = table == "ZTASK" ? "Z_PK, Z_ENT, ZNUMBER, ZTITLE" : "Z_PK, Z_ENT, ZNAME"
            return try (
                table, columns, leaves: Self.leaves(of: table, original),
                rows: Self.rows(columns, table, original)
            )
        }
        let pairs = try StoreLayout(model).joinTables.map { join in
            let columns = "\(join.firstColumn), \(join.secondColumn)"
            return try (
                table: join.name, columns, leaves: Self.leaves(of: join.name, original),
                rows: Self.rows(columns, join.name, original)
            )
        }
        #expect(pairs.count == 3)
        #expect(objects[0].leaves.count > 1 && pairs.allSatisfy { !$0.leaves.isEmpty })
        for first in 2...(bytes.count / 4096) {
            var lost: Set = [first]
            if way == .twoPages { lost.insert(2 + random.pick(bytes.count / 4096 - 1)) }
            var damaged = bytes
            for page in lost {
                let start = (page - 1) * 4096
                switch way {
                case .zeros, .twoPages: damaged.resetBytes(in: start..<start + 4096)
                case .noise:
                    for place in start..<start + 4096 { damaged[place] = UInt8(random.pick(256)) }
                case .otherKind: damaged[start] = 0x77
                }
            }
            let path = folder.file("damaged.sqlite")
            try damaged.write(to: URL(fileURLWithPath: path))
            let new = folder.file("new-\(first).sqlite")
            let place = "page \(lost.sorted()), \(way), seed \(TestSeed.ofThisRun)"
            _ = try PersistentContainer.salvage(at: path, to: new, model: model)
            for (table, columns, leaves, rows) in objects {
                let saved = try Self.rows(columns, table, new)
                let whole = leaves.filter { !lost.contains($0.key) }.flatMap(\.value)
                #expect(Set(whole).subtracting(saved.keys) == [], "\(table), \(place)")
                #expect(saved.filter { rows[$0.key] != $0.value } == [:], "\(table), \(place)")
            }
            let isAnyObjectLost = objects.contains { !lost.isDisjoint(with: $0.leaves.keys) }
            for (table, columns, leaves, rows) in pairs {
                let saved = Set(try Self.rows(columns, table, new).values)
                let whole = leaves.filter { !lost.contains($0.key) }.flatMap(\.value)
                #expect(saved.subtracting(rows.values) == [], "\(table), \(place)")
                guard !isAnyObjectLost else { continue }
                #expect(
                    Set(whole.compactMap { rows[$0] }).subtracting(saved) == [],
                    "\(table), \(place)")
            }
        }
    }

    @Test("salvage restores no deleted objects if the header has lost its list of free pages")
    func deletedObjects() throws {
        let folder = try TemporaryFolder()
        let original = folder.file("original.sqlite")
        let model = try Self.fill(original)
        try Self.deleteTasks(after: 60, model, original)
        let live = try Self.rows("Z_PK, ZNUMBER", "ZTASK", original)
        #expect(live.count == 60)
        let root = try #require(
            try Connection(path: original, mode: .readOnly).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'ZTASK'"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original))
        #expect(bytes[36..<40].contains { $0 > 0 }, "there are free pages")
        for lost in [nil, Int(root)] {
            var damaged = bytes
            damaged.resetBytes(in: 32..<40)
            if let lost { damaged.resetBytes(in: (lost - 1) * 4096..<lost * 4096) }
            let path = folder.file("damaged.sqlite")
            try damaged.write(to: URL(fileURLWithPath: path))
            let new = folder.file("new-\(lost ?? 0).sqlite")
            _ = try PersistentContainer.salvage(at: path, to: new, model: model)
            let saved = try Self.rows("Z_PK, ZNUMBER", "ZTASK", new)
            #expect(saved.filter { live[$0.key] != $0.value } == [:], "page \(lost ?? 0) is lost")
        }
    }

    enum ListDamage: CaseIterable {
        case countTooLarge, countTooSmall, firstPageOutsideTheFile
    }

    @Test(
        "salvage finds the rows below a lost root although the list of free pages is damaged",
        arguments: ListDamage.allCases)
    func damagedFreeList(damage: ListDamage) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let model = try Self.fill(path)
        try Self.deleteTasks(after: 300, model, path)
        let live = try Self.rows("Z_PK, ZNUMBER", "ZTASK", path)
        #expect(live.count == 300)
        let root = try #require(
            try Connection(path: path, mode: .readOnly).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'ZTASK'"))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let count = bytes.number(at: 36, bytes: 4)
        try #require(count > 0)
        switch damage {
        case .countTooLarge: bytes.set(count + 1, at: 36, bytes: 4)
        case .countTooSmall: bytes.set(count - 1, at: 36, bytes: 4)
        case .firstPageOutsideTheFile: bytes.set(0x7FFF_FFFF, at: 32, bytes: 4)
        }
        for place in (Int(root) - 1) * 4096..<Int(root) * 4096 { bytes[place] = 0 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let new = folder.file("new.sqlite")
        _ = try PersistentContainer.salvage(at: path, to: new, model: model)
        #expect(try Self.rows("Z_PK, ZNUMBER", "ZTASK", new) == live)
    }

    private static func deleteTasks(
        after number: Int, _ model: ManagedObjectModel, _ path: String
    ) throws {
        let container = try PersistentContainer(model: model, .sqlite(at: path))
        let context = container.newContext()
        _ = try context.execute(
            BatchDeleteRequest(
                entityName: "Task", predicate: GraphPredicate(format: "number > \(number)")))
        try context.save()
        try container.checkpoint()
    }
}
