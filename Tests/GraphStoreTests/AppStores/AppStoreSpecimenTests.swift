import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// The stores of real apps, compared with what plain SQL finds in them.
@Suite(
    "Specimens of apps' stores",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct AppStoreSpecimenTests {
    @Test(arguments: CoreDataSpecimens.stores)
    func everyOneIsReadAsAnIndependentReaderReadsIt(_ store: CoreDataSpecimens.Store) throws {
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
        // Every object is among them.
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

/// What `verify` says of the stores of real apps, whole and with a table less.
@Suite(
    "Verification of specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct SpecimenVerificationTests {
    @Test(arguments: CoreDataSpecimens.stores)
    func aStoreOfAnAppIsSound(_ store: CoreDataSpecimens.Store) throws {
        let found = try PersistentContainer.verify(at: store.path, .full)
        #expect(found.findings == [])
        #expect(
            found.remarks
                == (store.name == "SampleModel_V2.sqlite"
                    ? [
                        "The store still calls the entity 'LuxuryCar' by an older name,"
                            + " 'ExpensiveSportCar'"
                    ] : []))
    }

    /// The model's tables, those of pairs, and those of the format.
    @Test(arguments: CoreDataSpecimens.stores)
    func eachTableThatIsDroppedIsFound(_ store: CoreDataSpecimens.Store) throws {
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
                    // Either of two relationships may name their table of pairs.
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
    /// `Entity.property`, with the values by key.
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

private func texts(_ sql: String, in path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readWrite)
    let rows = try connection.prepare(sql)
    var found: [String] = []
    while try rows.step() { found.append(rows.string(0)) }
    return found
}
