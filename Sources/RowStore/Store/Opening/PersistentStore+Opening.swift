import Diagnostics
import Files
import GraphModel
import SQLite

extension PersistentStore {
    /// Opens or creates one store, and migrates it first if its options allow.
    ///
    /// - Parameters:
    ///   - model: The model of the store; `nil` uses the model in the store.
    ///   - held: The entities that the store contains; `nil` means all.
    static func open(
        _ description: StoreDescription, model: ManagedObjectModel?, holding held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        try description.options.history?.check()
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
            do throws(StoreError) {
                return try adopt(description, address, connection, model, held)
            } catch {
                guard error.code == .notAStore, options.isImmutable,
                    StoreFiles.hasFilledLog(StoreFiles.resolved(path))
                else { throw error }
                throw StoreError(unreadLogOf: path)
            }
        }
        // Check before SQLite creates files next to the store, which would be read-only as well.
        try StoreFiles.checkIsWritable(path)
        if options.appStores.keepsBackup, AppStore.isOne(path) {
            // A process that has the store open would not see the changes of the copy.
            _ = try Connection.exclusive(path)
        }
        let connection = try connect(description, address, mode: .readWrite)
        return try adopt(description, address, connection, model, held)
    }

    /// Returns the mode for opening a store that is only read.
    ///
    /// A read-only connection leaves empty WAL files next to the store. A connection that may write
    /// but is set to `query_only` lets SQLite remove them when it closes. It also lets SQLite roll
    /// back the journal of a killed process. It is used only if no WAL exists yet: if a WAL with
    /// content existed, that connection would checkpoint it.
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
            ) { () throws(StoreError) in
                try DerivedAttributes(schema).renew(on: connection, schema)
            }
            if model?.versionHashes == stored.versionHashes {
                let before = StoreLayout(
                    stored, holding: metadata.entities(heldOf: stored), pairs: found)
                try followIndexes(schema, of: own, from: before, on: connection)
            }
        } else if !description.options.readsUnfinishedLoad {
            try awaitDeferredWork(on: connection, description.options)
            try rejectUnfinished(connection, path)
        }
        return try PersistentStore(
            description, address, own, metadata, connection)
    }

    /// Returns the model in a store, without opening the store for use.
    package static func model(
        at path: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) -> ManagedObjectModel? {
        guard !AppStore.isOne(path) else {
            let snapshot = try StoreSnapshot(ofApp: path)
            return try AppStoreModel(given: nil, on: snapshot.connection, path: path).model
        }
        return try storedModel(readerOfStore(at: path, waiting: patience))
    }

    /// Changes the journal mode of an existing store to the mode of the options, if they set one.
    ///
    /// A first load that was killed while it built pages has left the WAL mode.
    static func setJournal(
        _ description: StoreDescription, _ connection: Connection
    ) throws(StoreError) {
        guard description.kind == .sqlite else { return }
        let hasLeftLog = try PendingIndexes.hasLeftLog(on: connection)
        guard let mode = description.options.journalMode ?? (hasLeftLog ? .writeAheadLog : nil)
        else { return }
        let current = try connection.text("PRAGMA journal_mode")
        guard current?.uppercased() != mode.rawValue else { return }
        try connection.execute("PRAGMA journal_mode = \(mode.rawValue)")
    }

    /// Waits until another connection has done its deferred work, as long as for a lock.
    ///
    /// A large deletion defers work for a moment; a first load takes longer.
    private static func awaitDeferredWork(
        on connection: Connection, _ options: StoreOptions
    ) throws(StoreError) {
        let end = ContinuousClock.now + .milliseconds(options.busyTimeoutMilliseconds)
        while try LoadOwner.other(than: connection) != nil, ContinuousClock.now < end {
            Connection.sleep(milliseconds: 20)
        }
    }

    /// Throws if a load of the store is running or has not finished.
    static func rejectUnfinished(
        _ connection: Connection, _ path: String
    ) throws(StoreError) {
        let isPending = try PendingIndexes.isPending(on: connection)
        if let owner = try LoadOwner.other(than: connection) { throw owner.refusal(path) }
        guard !isPending else { throw .unfinishedLoad(path) }
    }
}
