import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// The stores of real apps, compared with the results of plain SQL.
@Suite(
    "Reading of specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct AppStoreSpecimenTests {
    @Test(arguments: CoreDataSpecimens.stores)
    func readsTheSameObjectsAsAnIndependentReader(_ store: CoreDataSpecimens.Store) throws {
        let folder = (store.path as NSString).deletingLastPathComponent
        let before = try folderDigest(folder)
        var options = StoreOptions()
        options.isReadOnly = true
        let container = try PersistentContainer(
            model: nil, .sqlite(at: store.path, options: options))
        #expect(container.origin.model == .cached)
        #expect(container.origin.differingEntities == [])
        let expected = try #require(
            try independentLines(of: store.path), "python3 is missing")
        expectEqualGraphs(try objectLines(of: container), expected)
        // The lines contain every object.
        var keys: [String: Set<Substring>] = [:]
        for line in expected {
            let parts = line.split(separator: "|", maxSplits: 2)
            keys[String(parts[0]), default: []].insert(parts[1])
        }
        let context = container.newContext()
        for entity in container.model.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            let count = try context.count(for: request)
            #expect(count == keys[entity.name]?.count ?? 0, "\(entity.name)")
        }
        #expect(try folderDigest(folder) == before)
    }
}

/// The findings of `verify` for the stores of real apps, complete and with one table dropped.
@Suite(
    "Verification of specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct SpecimenVerificationTests {
    @Test(arguments: CoreDataSpecimens.stores)
    func findsNoFaultsInAppStores(_ store: CoreDataSpecimens.Store) throws {
        let found = try PersistentContainer.verify(at: store.path, .full)
        #expect(found.findings == [])
        #expect(found.remarks == Self.remarks[store.name] ?? [])
    }

    /// Remarks that apply to a store and are not faults.
    private static let remarks = [
        "SampleModel_V2.sqlite": [
            "The store still calls the entity 'LuxuryCar' by an older name, 'ExpensiveSportCar'"
        ],
        "SampleModel2_V1.sqlite": [
            "The default value of Book.cover is left out: it is an object of the app's class"
                + " 'CoreDataPlus_Tests.Cover'"
        ],
        "SampleModel2_V2.sqlite": [
            "The default value of Book.frontCover is left out: it is an object of the app's class"
                + " 'CoreDataPlus_Tests.Cover'"
        ],
    ]

    /// Drops the model's tables, the join tables, and the tables of the format.
    @Test(arguments: CoreDataSpecimens.stores)
    func reportsEachMissingTable(_ store: CoreDataSpecimens.Store) throws {
        let folder = try TemporaryFolder()
        let original = try store.copy(to: folder.path)
        let tables = try texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", in: original)
        #expect(tables.contains("Z_METADATA"))
        for table in tables {
            let other = try TemporaryFolder()
            let copy = try store.copy(to: other.path)
            try Connection(path: copy, mode: .readWrite).execute("DROP TABLE \(table)")
            let found = try PersistentContainer.verify(at: copy, .full)
            guard table != "Z_MODELCACHE" else {
                #expect(found.findings == [], "\(table)")
                #expect(
                    found.remarks.contains(
                        "Z_MODELCACHE holds no model, so the store does not describe itself"))
                continue
            }
            #expect(
                found.problems.contains {
                    // Either of two relationships may name their join table.
                    ($0.hasPrefix("The table \(table)") || $0.contains("BookmarkEntity.favorites"))
                        && $0.hasSuffix(" is missing")
                }, "\(table): \(found.problems)")
        }
    }
}

/// Compares the lines of two graphs by entity and property.
func expectEqualGraphs(
    _ lines: [String], _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
) {
    /// Groups the values by `Entity.property`, then by key.
    func columns(_ lines: [String]) -> [String: [String: String]] {
        var columns: [String: [String: String]] = [:]
        for line in lines {
            let parts = line.split(separator: "|", maxSplits: 3).map(String.init)
            columns["\(parts[0]).\(parts[2])", default: [:]][parts[1]] = parts[3]
        }
        return columns
    }
    let (found, wanted) = (columns(lines), columns(expected))
    #expect(lines.count == expected.count, sourceLocation: sourceLocation)
    #expect(found.keys.sorted() == wanted.keys.sorted(), sourceLocation: sourceLocation)
    for (name, values) in wanted.sorted(by: { $0.key < $1.key }) where found[name] != values {
        let differing = Set(values.keys).union(found[name]?.keys.map(\.self) ?? []).filter {
            found[name]?[$0] != values[$0]
        }.sorted()
        let first = differing.first ?? ""
        Issue.record(
            """
            \(name): \(differing.count) of \(values.count) values differ; key \(first) is \
            \(found[name]?[first] ?? "missing") and should be \(values[first] ?? "missing")
            """, sourceLocation: sourceLocation)
    }
}

/// The results of `verify --repair` for the stores of real apps.
@Suite(
    "Repair of specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct SpecimenRepairTests {
    /// Returns names and statements of everything in a file except SQLite's own tables.
    private func parts(of path: String) throws -> [String] {
        try texts(
            "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master"
                + " WHERE name NOT LIKE 'sqlite_%' ORDER BY 1", in: path)
    }

    /// Returns all rows of a table as text.
    private func rows(of table: String, in path: String) throws -> [String] {
        let columns = try texts("SELECT name FROM pragma_table_info('\(table)')", in: path)
        let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || '|' || ")
        return try texts("SELECT \(list) FROM \"\(table)\" ORDER BY 1", in: path)
    }

    @Test(arguments: CoreDataSpecimens.stores)
    func repairingAValidStoreLosesNothing(_ store: CoreDataSpecimens.Store) throws {
        let folder = try TemporaryFolder()
        let original = try store.copy(to: folder.path)
        let repaired = folder.file("repaired.sqlite")
        let salvage = try PersistentContainer.salvage(at: original, to: repaired)
        #expect(salvage.losses == [])
        #expect(salvage.remaining == [])
        let lines = try #require(try independentLines(of: repaired), "python3 is missing")
        expectEqualGraphs(lines, try #require(try independentLines(of: store.path)))
        #expect(try parts(of: repaired) == parts(of: original))
        for table in try texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            in: original)
        {
            #expect(try rows(of: table, in: repaired) == rows(of: table, in: original), "\(table)")
        }
        // The app's own model opens it.
        var options = StoreOptions()
        options.isReadOnly = true
        let model = try PersistentContainer(
            model: nil, .sqlite(at: original, options: options)
        ).model
        let container = try PersistentContainer(
            model: model, .sqlite(at: repaired, options: options))
        #expect(container.origin.differingEntities == [])
        #expect(try objectLines(of: container) == lines)
    }

    /// Overwrites pages of the largest table.
    @Test func repairedStoreKeepsTheAppsSchemaAndUUID() throws {
        let store = try #require(
            CoreDataSpecimens.stores.first { $0.name == "SampleModel2_V1.sqlite" })
        let folder = try TemporaryFolder()
        let original = try store.copy(to: folder.path)
        let before = try parts(of: original)
        let root = try #require(
            Int(texts("SELECT rootpage FROM sqlite_master WHERE name = 'ZPAGE'", in: original)[0]))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original))
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        // An interior page: pointers to cells, each with the number of a page of rows.
        let start = (root - 1) * 4096
        #expect(bytes[start] == 5)
        let pages = [3, 4].map { number(start + number(start + 12 + 2 * $0, 2), 4) }
        let handle = try #require(FileHandle(forUpdatingAtPath: original))
        for page in pages {
            try handle.seek(toOffset: UInt64((page - 1) * 4096))
            try handle.write(contentsOf: Data(repeating: 0xAB, count: 4096))
        }
        try handle.close()
        let repaired = folder.file("repaired.sqlite")
        let intact = try TemporaryFolder()
        let salvage = try PersistentContainer.salvage(at: original, to: repaired)
        #expect(!salvage.losses.isEmpty)
        #expect(salvage.losses.allSatisfy { $0.kind == .file && $0.entity == "Page" })
        let saved = salvage.objects["Page"] ?? 0
        #expect(saved > 4_000 && saved < 4_970)
        #expect(try parts(of: repaired) == before)
        #expect(
            try texts("SELECT Z_UUID FROM Z_METADATA", in: repaired)
                == texts("SELECT Z_UUID FROM Z_METADATA", in: store.copy(to: intact.path)))
        #expect(try PersistentContainer.verify(at: repaired, .full).findings == salvage.remaining)
        var options = StoreOptions()
        options.isReadOnly = true
        let model = try PersistentContainer(
            model: nil, .sqlite(at: repaired, options: options)
        ).model
        #expect(model.entity(named: "Book") != nil)
    }

    @Test(
        "a repair recreates a missing history table",
        arguments: CoreDataSpecimens.stores.filter { $0.name.hasPrefix("SampleModel2") },
        ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"])
    func historyTable(_ store: CoreDataSpecimens.Store, _ table: String) throws {
        let folder = try TemporaryFolder()
        let original = try store.copy(to: folder.path)
        let before = try parts(of: original)
        try Connection(path: original, mode: .readWrite).execute("DROP TABLE \(table)")
        let repaired = folder.file("repaired.sqlite")
        let salvage = try PersistentContainer.salvage(at: original, to: repaired)
        #expect(
            salvage.losses.first?.description
                == "The table \(table) is missing, and is created again")
        #expect(salvage.remaining == [])
        // The repaired table of changes has different tombstone columns.
        #expect(
            try parts(of: repaired).filter { !$0.contains("TABLE ACHANGE ") }
                == before.filter { !$0.contains("TABLE ACHANGE ") })
    }

    /// The missing table is recreated empty, and links to its objects are removed.
    @Test func recreatesAMissingJoinTable() throws {
        let store = try #require(
            CoreDataSpecimens.stores.first { $0.name == "Bookmarks_V5.sqlite" })
        let folder = try TemporaryFolder()
        let original = try store.copy(to: folder.path)
        try Connection(path: original, mode: .readWrite).execute("DROP TABLE Z_1FAVORITES")
        let repaired = folder.file("repaired.sqlite")
        let salvage = try PersistentContainer.salvage(at: original, to: repaired)
        #expect(salvage.losses.map(\.kind) == [.structure])
        #expect(salvage.objects == ["BookmarkEntity": 10])
        #expect(try PersistentContainer.verify(at: repaired, .full).findings == [])
    }
}

private func texts(_ sql: String, in path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readWrite)
    let rows = try connection.prepare(sql)
    var found: [String] = []
    while try rows.step() { found.append(rows.string(0)) }
    return found
}
