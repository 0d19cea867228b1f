import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import SQLite

/// The handling of a missing store file.
public enum StoreOpening: String, Sendable, Hashable {
    /// The file must exist.
    case existing
    /// A missing file is created.
    case create
}

/// An open store: its file, its model, and its layout.
///
/// The owner of the write lease is the only user of its single writing connection.
final class PersistentStore {
    let description: StoreDescription
    let address: StoreAddress
    let schema: StoreLayout
    let metadata: MetadataState
    let connection: Connection
    /// Whether the notes of a run are in a file next to the store, attached to `connection`.
    var notesAreBeside = false
    /// The other stores of the container, attached to every connection.
    let parts: [StorePart]
    /// The other stores in memory, kept alive.
    private let kept: [PersistentStore]
    /// The recorder of each save's changes; `nil` if the store keeps no history.
    let history: HistoryWriter?
    let remoteMonitor = RemoteChangeMonitor()
    /// The derived attributes; `nil` if the store is read-only.
    let derived: DerivedAttributes?
    /// The creator of the store, and the source of its model.
    let origin: StoreOrigin
    /// The copy that is read instead of the file, kept alive.
    private let snapshot: StoreSnapshot?
    /// The backup of an app's store, taken before the first save; `nil` if no backup is needed.
    let backup: AppStoreBackup?
    /// The paths of the old stores that were migrated before this one was opened.
    var migrationBackups: [String] = []

    init(
        _ description: StoreDescription, _ address: StoreAddress, _ model: ManagedObjectModel,
        _ metadata: StoreMetadata, _ connection: Connection
    ) throws(StoreError) {
        self.description = description
        self.address = address
        self.connection = connection
        parts = []
        kept = []
        origin = .ours
        snapshot = nil
        backup = nil
        let found = try FoundTables(on: connection)
        var schema = StoreLayout(
            model, holding: metadata.entities(heldOf: model), pairs: found)
        schema.foldTables = try FoldTable.find(schema, on: connection)
        self.schema = schema
        self.metadata = MetadataState(metadata)
        derived = description.options.mayWrite ? try DerivedAttributes(schema) : nil
        history = try HistoryWriter(schema, description.options, on: connection)
    }

    /// Creates a store from an app's file, with the layout of its tables.
    init(
        _ description: StoreDescription, _ app: AppStoreModel, _ schema: StoreLayout,
        _ address: StoreAddress, _ connection: Connection, _ snapshot: StoreSnapshot? = nil,
        backup: AppStoreBackup? = nil
    ) throws(StoreError) {
        self.description = description
        self.address = address
        self.connection = connection
        self.schema = schema
        self.snapshot = snapshot
        self.backup = backup
        parts = []
        kept = []
        origin = app.origin
        metadata = MetadataState(app.metadata)
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
        var schema = StoreLayout(
            first.schema.model,
            holding: others.reduce(first.schema.heldNames) { $0.union($1.schema.heldNames) },
            pairs: others.reduce(first.schema.foundPairs) { found, store in
                store.schema.foundPairs.map { found?.joined(with: $0) ?? $0 } ?? found
            })
        schema.foldTables = others.reduce(first.schema.foldTables) { folds, store in
            folds.merging(store.schema.foldTables) { first, _ in first }
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
            try connection.execute(part.writerPragmas)
        }
    }

    var path: String { description.path }
    var options: StoreOptions { description.options }

    /// Opens or creates one store, and migrates it first if its options allow.
    ///
    /// - Parameters:
    ///   - model: The model of the store; `nil` uses the model in the store.
    ///   - held: The entities that the store contains; `nil` means all.
    static func open(
        _ description: StoreDescription, model: ManagedObjectModel?, holding held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        do throws(StoreError) {
            return try openAsItIs(description, model, held)
        } catch {
            guard error.isOtherVersion,
                let migration = OpeningMigration(description, to: model, holding: held)
            else { throw error }
            return try migration.open { () throws(StoreError) in
                try openAsItIs(description, model, held)
            }
        }
    }

    private static func openAsItIs(
        _ description: StoreDescription, _ model: ManagedObjectModel?, _ held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        let address = try StoreAddress(description)
        switch description.kind {
        case .sqlite: return try openFile(description, address, model, held)
        case .inMemory:
            let connection = try connect(description, address, mode: .create)
            return try adopt(description, address, connection, model, held)
        case .binary, .json:
            return try openImage(description, address, model, held)
        }
    }

    private static func openFile(
        _ description: StoreDescription, _ address: StoreAddress, _ model: ManagedObjectModel?,
        _ held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        let (path, options) = (description.path, description.options)
        if !FileSystem.exists(path) {
            guard description.opening == .create, options.mayWrite else {
                throw StoreError(
                    .missing, "\(path) does not exist; `open: create` makes it when it is missing")
            }
            guard let model else {
                throw StoreError(.noModel, "\(path) does not exist, and creating it needs a model")
            }
            let new = try NewStore(description, model, held)
            if let permissions = options.filePermissions {
                try StoreFiles.create(path, permissions: permissions)
            }
            let connection = try connect(description, address, mode: .create)
            return try fill(new, description, address, connection)
        }
        guard options.mayWrite else {
            if AppStore.isOne(path) { return try AppStore.read(description, model, held) }
            let mode = readingMode(path, options)
            let connection = try connect(description, address, mode: mode)
            if mode != .readOnly {
                try connection.execute("PRAGMA query_only = 1")
            }
            return try adopt(description, address, connection, model, held)
        }
        // Check before SQLite creates files next to the store, which would be read-only as well.
        try StoreFiles.checkIsWritable(path)
        if options.appStores.keepsBackup, AppStore.isOne(path) {
            // A process that has the store open would not see the changes of the copy.
            _ = try PersistentContainer.exclusive(path)
        }
        let connection = try connect(description, address, mode: .readWrite)
        return try adopt(description, address, connection, model, held)
    }

    /// Returns the mode for opening a store that is only read.
    ///
    /// A read-only connection leaves empty WAL files next to the store. If no WAL exists yet, a
    /// connection that may write but is set to `query_only` lets SQLite remove them when it closes,
    /// and roll back the journal of a killed process. If a WAL with content existed, that connection
    /// would checkpoint it.
    private static func readingMode(_ path: String, _ options: StoreOptions) -> Connection.Mode {
        let path = StoreFiles.resolved(path)
        let isQuiet = !FileSystem.exists(path + "-wal")
        let mayCleanUp =
            FileSystem.allows(path, .write) && FileSystem.allows(PathText.folder(of: path), .write)
        return isQuiet && mayCleanUp && !options.isImmutable ? .readWrite : .readOnly
    }

    /// Opens the database as a store, or fills it if it is empty and may be created.
    static func adopt(
        _ description: StoreDescription, _ address: StoreAddress, _ connection: Connection,
        _ model: ManagedObjectModel?, _ held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        let path = description.path
        if try isEmpty(connection, path), description.opening == .create,
            description.options.mayWrite
        {
            guard let model else {
                throw StoreError(.noModel, "\(path) does not exist, and creating it needs a model")
            }
            return try fill(NewStore(description, model, held), description, address, connection)
        }
        let metadata = try StoreMetadata(ofStoreAt: path, on: connection)
        guard let stored = try storedModel(connection) else {
            return try AppStore.write(description, address, model, held, connection)
        }
        if let model {
            // A store of a configuration that is opened alone still contains only its own entities.
            let isPart = stored.versionHashes == model.versionHashes
            let wanted = held ?? (isPart ? metadata.entities(heldOf: model) : nil)
            let differing = metadata.entitiesThatDiffer(from: model, holding: wanted)
            guard differing.isEmpty else {
                throw StoreError(
                    otherVersion:
                        "\(path) was created with another version of the model; these entities "
                        + "differ: " + differing.joined(separator: ", "), description)
            }
        }
        if let wanted = description.options.keepsExactDecimals,
            wanted != metadata.keepsExactDecimals
        {
            throw StoreError(
                .invalidRequest,
                "\(path) keeps decimals as \(wanted ? "doubles" : "exact texts"); this is chosen "
                    + "when the store is created")
        }
        let own = try fitted(model ?? stored, keepsExactDecimals: metadata.keepsExactDecimals)
        if description.options.mayWrite {
            try setJournal(description, connection)
            let found = try FoundTables(on: connection)
            let schema = StoreLayout(
                own, holding: metadata.entities(heldOf: own), pairs: found)
            try foldTexts(schema, on: connection)
            let folds = try FoldTable.find(schema, on: connection)
            try PendingIndexes.build(
                on: connection, schema, folding: folds
            ) { () throws(StoreError) in try DerivedAttributes(schema) }
            if model?.versionHashes == stored.versionHashes {
                let before = StoreLayout(
                    stored, holding: metadata.entities(heldOf: stored), pairs: found)
                try followIndexes(schema, of: own, from: before, on: connection)
            }
        } else if !description.options.readsUnfinishedLoad {
            try refuseUnfinished(connection, path)
        }
        return try PersistentStore(
            description, address, own, metadata, connection)
    }

    /// Returns the model in a store, without opening the store for use.
    static func model(
        at path: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) -> ManagedObjectModel? {
        guard !AppStore.isOne(path) else {
            let snapshot = try StoreSnapshot(ofApp: path)
            return try AppStoreModel(given: nil, on: snapshot.connection, path: path).model
        }
        return try storedModel(readerOfStore(at: path, waiting: patience))
    }

    /// Opens a connection for inspecting an existing store file.
    ///
    /// If the folder is writable, the connection may write too, so that SQLite can clean up. A
    /// read-only connection would create the WAL files and leave them.
    static func readerOfStore(
        at path: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) -> Connection {
        guard FileSystem.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
        var options = StoreOptions()
        options.isReadOnly = true
        options.pragmas = ["query_only": "1"]
        options.lockPatience = patience
        // This also limits the memory of a sort before it spills to a file, whatever the size of
        // the store.
        options.cacheKibibytes = 16_000
        let description = StoreDescription.sqlite(at: path, options: options)
        let mayCleanUp =
            FileSystem.allows(path, .write) && FileSystem.allows(PathText.folder(of: path), .write)
        let connection = try connect(
            description, try StoreAddress(description), mode: mayCleanUp ? .readWrite : .readOnly)
        _ = try isEmpty(connection, path)
        return connection
    }

    /// Returns `Z_MAX` of each hierarchy, by the number of its root entity.
    func largestKeys() throws(StoreError) -> [Int64: Int64] {
        var keys: [Int64: Int64] = [:]
        for database in schema.databases {
            let rows = try connection.prepare(
                "SELECT Z_ENT, Z_MAX FROM \(database).Z_PRIMARYKEY")
            while try rows.step() { keys[rows.integer(0)] = rows.integer(1) }
        }
        return keys
    }
}
