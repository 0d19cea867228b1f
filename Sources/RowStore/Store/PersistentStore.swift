import Diagnostics
import Files
import GraphModel
package import SQLite

/// An open store: its file, its model, and its layout.
///
/// The owner of the write lease is the only user of its single writing connection.
package final class PersistentStore {
    /// The description with which the store was opened.
    package let description: StoreDescription
    /// The address of the database, which is the file or a database in memory.
    package let address: StoreAddress
    /// The tables, columns, and entity numbers of the model in the store.
    package let schema: StoreLayout
    /// The metadata of the store.
    package let metadata: MetadataState
    /// The connection that writes; only the owner of the write lease uses it.
    package let connection: Connection
    /// Whether the notes of a run are in a file next to the store, attached to `connection`.
    var notesAreInFile = false
    /// The other stores of the container, attached to every connection.
    package let parts: [StorePart]
    /// The other in-memory stores of the container, referenced so that they continue to exist.
    private let kept: [PersistentStore]
    /// The recorder of each save's changes; `nil` if the store keeps no history.
    package let history: HistoryWriter?
    /// The state for detecting saves by other processes.
    package let remoteMonitor = RemoteChangeMonitor()
    /// The derived attributes; `nil` if the store is read-only.
    package let derived: DerivedAttributes?
    /// The creator of the store, and the source of its model.
    package let origin: StoreOrigin
    /// The copy of the file that is read instead of the file, referenced so that it continues to
    /// exist.
    private let snapshot: StoreSnapshot?
    /// The backup of an app's store, taken before the first save; `nil` if no backup is needed.
    package let backup: AppStoreBackup?
    /// The entry in the process-wide list of open files.
    private let openFile: OpenFile?
    /// The paths of the old stores that were migrated before this one was opened.
    package var migrationBackups: [String] = []

    convenience init(
        _ description: StoreDescription, _ address: StoreAddress, _ model: ManagedObjectModel,
        _ metadata: StoreMetadata, _ connection: Connection
    ) throws(StoreError) {
        let found = try FoundTables(on: connection)
        var schema = StoreLayout(
            model, holding: metadata.entities(heldOf: model), pairs: found)
        schema.foldTables = try FoldTable.find(schema, on: connection)
        try self.init(description, .ours, metadata, schema, address, connection)
    }

    /// Creates a store from a file, with the layout of its tables.
    init(
        _ description: StoreDescription, _ origin: StoreOrigin, _ metadata: StoreMetadata,
        _ schema: StoreLayout, _ address: StoreAddress, _ connection: Connection,
        _ snapshot: StoreSnapshot? = nil,
        backup: AppStoreBackup? = nil
    ) throws(StoreError) {
        self.description = description
        self.address = address
        self.connection = connection
        openFile = OpenFile(of: connection)
        self.schema = schema
        self.snapshot = snapshot
        self.backup = backup
        parts = []
        kept = []
        self.origin = origin
        self.metadata = MetadataState(metadata)
        derived = description.options.mayWrite ? try DerivedAttributes(schema) : nil
        history = try HistoryWriter(schema, description.options, on: connection)
    }

    /// Creates a store from the first store, with the others attached.
    ///
    /// The connections of the other stores are then no longer needed, unless they are in memory.
    init(_ first: PersistentStore, with others: [PersistentStore]) throws(StoreError) {
        description = first.description
        address = first.address
        metadata = first.metadata
        connection = try Self.connect(
            first.description, first.address,
            mode: first.options.mayWrite ? .readWrite : .readOnly, attachesOthers: true)
        openFile = OpenFile(of: connection)
        parts = others.enumerated().map { place, store in
            StorePart(
                database: "store\(place + 1)", description: store.description,
                address: store.address, metadata: store.metadata,
                files: ExternalFiles(
                    storePath: store.address.isMemory ? "" : store.description.path),
                entityNames: store.schema.heldNames)
        }
        kept = others.filter(\.address.isMemory) + (first.address.isMemory ? [first] : [])
        origin = first.origin
        snapshot = nil
        backup = nil
        migrationBackups = first.migrationBackups + others.flatMap(\.migrationBackups)
        let found = ([first] + others).compactMap(\.schema.foundTables)
        var schema = StoreLayout(
            first.schema.model,
            holding: others.reduce(first.schema.heldNames) { $0.union($1.schema.heldNames) },
            pairs: found.dropFirst().reduce(found.first) { $0?.joined(with: $1) })
        schema.foldTables = others.reduce(into: first.schema.foldTables) { folds, store in
            for (table, fold) in store.schema.foldTables { folds[table] = folds[table] ?? fold }
        }
        schema.parts = Dictionary(
            parts.flatMap { part in
                schema.entities.filter { part.entityNames.contains($0.name) }
                    .map { ($0.rootNumber, part) }
            }, uniquingKeysWith: { first, _ in first })
        self.schema = schema
        derived = first.options.mayWrite ? try DerivedAttributes(schema) : nil
        history = try HistoryWriter(first.schema, first.options, on: connection)
        try attachParts(to: connection)
        for part in parts where part.description.options.mayWrite {
            try connection.execute(part.description.options.pragmas(of: part.database))
        }
    }

    /// The path of the store, or the name of a store in memory.
    package var path: String { description.path }
    /// The options with which the store was opened.
    package var options: StoreOptions { description.options }

    /// Opens a connection for inspecting an existing store file.
    ///
    /// If the folder is writable, the connection may write too, so that SQLite can clean up. A
    /// read-only connection would create the WAL files and leave them.
    package static func readerOfStore(
        at path: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) -> Connection {
        try StoreFiles.checkExists(path)
        var options = StoreOptions()
        options.isReadOnly = true
        options.pragmas = ["query_only": "1"]
        options.lockPatience = patience
        // This also limits the memory of a sort before it spills to a file, whatever the size of
        // the store.
        options.cacheKibibytes = 16_000
        let description = StoreDescription.sqlite(at: path, options: options)
        // Cleaning up would delete a damaged log.
        let mayCleanUp =
            FileSystem.allows(path, .write) && FileSystem.allows(PathText.folder(of: path), .write)
            && DamagedLog(ofStoreAt: path) == nil
        let connection = try connect(
            description, try StoreAddress(description), mode: mayCleanUp ? .readWrite : .readOnly)
        _ = try isEmpty(connection, path)
        return connection
    }

    /// Returns `Z_MAX` of each hierarchy, by the number of its root entity.
    package func largestKeys() throws(StoreError) -> [Int64: Int64] {
        var keys: [Int64: Int64] = [:]
        for database in schema.databases {
            let rows = try connection.prepare(
                "SELECT Z_ENT, Z_MAX FROM \(database).Z_PRIMARYKEY")
            while try rows.step() { keys[rows.integer(0)] = rows.integer(1) }
        }
        return keys
    }

    /// Attaches the other stores to a connection, so that its statements can name all tables.
    func attachParts(to connection: Connection) throws(StoreError) {
        for part in parts {
            do {
                try part.attach(to: connection)
            } catch {
                throw StoreError(
                    error.isCannotOpen && error.code != .resources
                        ? .permission : error.code,
                    "\(part.description.path) cannot be opened: \(error.message)")
            }
        }
    }
}
