import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// A store of one model, filled by the test, that is migrated to another model.
struct MigratedStore {
    let folder: TemporaryFolder
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    var path: String { folder.file("store.sqlite") }
    var manager: MigrationManager { MigrationManager(storeAt: path, to: new) }

    /// Creates the old store.
    ///
    /// - Parameter fill: Inserts objects into the old store.
    init(
        from before: String, to after: String, history: Bool = false,
        _ fill: (ManagedObjectContext) throws -> Void
    ) throws {
        try self.init(from: model(before), to: model(after), history: history, fill)
    }

    init(
        from old: ManagedObjectModel, to new: ManagedObjectModel, history: Bool = false,
        _ fill: (ManagedObjectContext) throws -> Void
    ) throws {
        folder = try TemporaryFolder()
        self.old = old
        self.new = new
        var options = StoreOptions()
        if history { options.history = HistoryOptions(keeping: .untilPurged) }
        let container = try PersistentContainer(
            model: old, .sqlite(at: path, opening: .create, options: options))
        let context = container.newContext()
        try fill(context)
        try context.save()
    }

    /// Migrates, and expects a valid store with the layout of a new one.
    @discardableResult
    func migrate(sourceLocation: SourceLocation = #_sourceLocation) throws -> MigrationResult {
        let result = try manager.migrate()
        try check(sourceLocation: sourceLocation)
        return result
    }

    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try PersistentContainer.verify(at: path, .full, model: new)
        #expect(found.problems == [], sourceLocation: sourceLocation)
        let fresh = folder.file("fresh.sqlite")
        if !FileManager.default.fileExists(atPath: fresh) {
            _ = try PersistentContainer(model: new, at: fresh, opening: .create)
        }
        let layout =
            "SELECT type, name, sql FROM sqlite_master WHERE tbl_name NOT LIKE 'A%'"
            + " AND type <> 'view' ORDER BY type, name"
        let wanted = try GraphStoreTests.lines(layout, on: connection(fresh))
        #expect(
            try GraphStoreTests.lines(layout, on: connection(path)) == wanted,
            sourceLocation: sourceLocation)
        let entities = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"
        #expect(
            try GraphStoreTests.lines(entities, on: connection(path))
                == GraphStoreTests.lines(entities, on: connection(fresh)),
            sourceLocation: sourceLocation)
        let (metadata, other) = (
            try PersistentContainer.metadata(at: path).metadata,
            try PersistentContainer.metadata(at: fresh).metadata
        )
        for key in other.keys {
            #expect(metadata[key] == other[key], "\(key)", sourceLocation: sourceLocation)
        }
        #expect(
            try PersistentContainer.model(ofStoreAt: path) == new, sourceLocation: sourceLocation)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.filter { $0.contains(".migrating") } == [], sourceLocation: sourceLocation)
    }

    private func connection(_ path: String) throws -> Connection {
        try Connection(path: path, mode: .readOnly)
    }

    /// Returns the rows of a query.
    func lines(_ sql: String) throws -> [String] {
        try GraphStoreTests.lines(sql, on: connection(path))
    }

    func run(_ sql: String) throws {
        try Connection(path: path, mode: .readWrite).execute(sql)
    }

    /// Returns the rows of an entity in the current store as `name=value`, by key.
    func objects(_ entity: String, _ properties: String...) throws -> [String] {
        let container = try PersistentContainer(model: nil, at: path)
        let context = container.newContext()
        return try context.fetch(FetchRequest(entityName: entity))
            .sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
            .map { object in
                try properties.map { name in
                    "\(name)=\(try object.value(forKey: name).text)"
                }.joined(separator: " ")
            }
    }
}

extension ManagedObjectContext {
    /// Inserts an object and sets its properties.
    @discardableResult
    func make(_ entity: String, _ values: [String: PropertyValue] = [:]) throws -> ManagedObject {
        let object = try insert(entity)
        for (name, value) in values { try object.setValue(value, forKey: name) }
        return object
    }
}
