import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// A folder that is deleted with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("store-tests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }
}

/// Returns a model from the entities of a model file.
func model(_ entities: String) throws -> ManagedObjectModel {
    let text =
        "model: 1\nentities:\n"
        + entities.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "  " + $0 }.joined(separator: "\n")
    let (model, diagnostics) = ModelFile.read(text: text)
    return try #require(model, "\(diagnostics)")
}

/// A new store in its own folder, with direct access to its tables.
struct TestStore {
    let folder: TemporaryFolder
    let container: PersistentContainer
    var path: String { container.path }

    init(_ model: ManagedObjectModel, history: HistoryOptions? = nil) throws {
        folder = try TemporaryFolder()
        var options = StoreOptions()
        options.history = history
        container = try PersistentContainer(
            model: model,
            .sqlite(at: folder.file("store.sqlite"), opening: .create, options: options))
    }

    init(_ entities: String) throws {
        try self.init(model(entities))
    }

    /// Creates an app's store whose one-to-one relationships lack some of their columns.
    ///
    /// - Parameter columns: The missing columns, such as `ZPERSON.ZPASSPORT`.
    init(_ model: ManagedObjectModel, without columns: [String]) throws {
        folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        _ = try PersistentContainer(model: model, .sqlite(at: path, opening: .create))
        try AppStoreFixture.disown(path, model)
        for column in columns { try AppStoreFixture.drop(column, at: path) }
        var options = StoreOptions()
        options.appStores = .writing
        container = try PersistentContainer(model: model, .sqlite(at: path, options: options))
    }

    /// Returns another program's connection.
    func foreign() throws -> Connection {
        try Connection(path: path, mode: .readWrite)
    }

    /// Returns the rows of a query, their values joined by `|`; NULL is `-`.
    func lines(_ sql: String) throws -> [String] {
        try GraphStoreTests.lines(sql, on: Connection(path: path, mode: .readOnly))
    }

    /// Checks the rows of a query.
    func expect(
        _ sql: String, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try lines(sql)
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    /// Returns the first value of a query.
    func integer(_ sql: String) throws -> Int64? {
        try Connection(path: path, mode: .readOnly).integer(sql)
    }

    /// Checks the store at the end of a test.
    func checkIntegrity(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let connection = try Connection(path: path, mode: .readOnly)
        #expect(
            try connection.text("PRAGMA integrity_check") == "ok", sourceLocation: sourceLocation)
        // The allocated keys include the keys of all rows, and every row has a known entity.
        for entity in container.schema.entities where entity.superNumber == 0 {
            let largest = try connection.integer("SELECT max(Z_PK) FROM \(entity.table)") ?? 0
            let allocated =
                try connection.integer(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.number)") ?? 0
            #expect(allocated >= largest, sourceLocation: sourceLocation)
            let numbers = entity.familyNumbers.map(String.init).joined(separator: ",")
            #expect(
                try connection.integer(
                    "SELECT count(*) FROM \(entity.table) WHERE Z_ENT NOT IN (\(numbers))"
                        + " OR Z_ENT IS NULL OR Z_OPT < 1 OR Z_OPT IS NULL") == 0,
                sourceLocation: sourceLocation)
        }
    }
}

/// Runs a test on a new store and verifies the file afterward.
func withStore(
    _ entities: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestStore) throws -> Void
) throws {
    try withStore(model(entities), sourceLocation: sourceLocation, body)
}

func withStore(
    _ model: ManagedObjectModel, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestStore) throws -> Void
) throws {
    let store = try TestStore(model)
    try body(store)
    try store.checkIntegrity(sourceLocation: sourceLocation)
}

func lines(_ sql: String, on connection: Connection) throws -> [String] {
    let rows = try connection.prepare(sql)
    var lines: [String] = []
    while try rows.step() {
        let values = (0..<rows.columnCount).map { column -> String in
            switch rows.storage(column) {
            case .null: "-"
            case .integer: "\(rows.integer(column))"
            case .real: "\(rows.double(column))"
            case .text: rows.string(column)
            case .blob:
                "x" + rows.bytes(column).map { String(format: "%02x", $0) }.joined()
            }
        }
        lines.append(values.joined(separator: "|"))
    }
    return lines
}

extension RowCursor {
    /// Calls the body with each remaining row and its batch.
    func forEachRow(_ body: (RowBatch, Int) throws -> Void) throws {
        let batch = makeBatch()
        while try next(batch) {
            for row in 0..<batch.count { try body(batch, row) }
        }
    }

    /// Returns the integers in the first column.
    func integers() throws -> [Int64] {
        var found: [Int64] = []
        try forEachRow { batch, row in found.append(batch[row, 0].integerValue) }
        return found
    }
}

extension RowBatch {
    /// Returns the cells of a list.
    func items(of list: BulkCell) -> [BulkCell] {
        (0..<list.listCount).map { item(list.listStart + $0) }
    }
}

/// Returns the error that the body throws if it is a `StoreError`.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
