public import GraphModel
import SQLite
import Synchronization

/// A store with its model, from which contexts are made; may be used from any thread.
public final class PersistentContainer: Sendable {
    // Only the holder of the lease below touches the store's connection; what else it has is
    // immutable.
    private nonisolated(unsafe) let store: PersistentStore
    private let lease = WriteLease()
    private let observers = Mutex(Observers())
    let remoteMonitor: RemoteChangeMonitor

    private struct Observers {
        var next = 0
        var bodies: [Int: @Sendable (StoreChange) -> Void] = [:]
        /// Changes still to be told, in the order of their saves.
        var queue: [StoreChange] = []
        /// Somebody is telling them.
        var isTelling = false
    }

    /// Which store it is, and how it was opened.
    public let storeDescription: StoreDescription
    /// The store's model.
    public let model: ManagedObjectModel
    package let schema: StoreLayout
    /// The stores behind the first.
    let parts: [StorePart]
    package let objects: ObjectSupport
    let externalFiles: ExternalFiles
    let viewContexts = ViewContextHolder()
    let metadataState: MetadataState
    /// Whether saves write what they changed into the store's history.
    public let keepsHistory: Bool
    /// Who made the store, and where its model is from.
    public let origin: StoreOrigin
    private let backup: AppStoreBackup?

    /// Where the copy is that was made of an app's store before the first save; nil where there was
    /// no save yet, or the store is ours.
    public var backupPath: String? { backup?.path }

    /// Where the old stores are that were migrated while these were opened, in the order of the
    /// stores; empty where none was.
    public let migrationBackupPaths: [String]

    /// Opens a store, or makes it.
    ///
    /// - Parameters:
    ///   - model: what the store must hold; nil takes the model that the store carries.
    ///   - path: the SQLite file.
    ///   - opening: whether a missing file is made.
    public convenience init(
        model: ManagedObjectModel?, at path: String, opening: StoreOpening = .existing
    ) throws(StoreError) {
        try self.init(model: model, .sqlite(at: path, opening: opening))
    }

    /// Opens a store of any kind, or makes it.
    ///
    /// - Parameters:
    ///   - model: what the store must hold; nil takes the model that the store carries.
    ///   - description: which store, of which kind, and how it is opened.
    public convenience init(
        model: ManagedObjectModel?, _ description: StoreDescription
    ) throws(StoreError) {
        try self.init(model: model, stores: [description])
    }

    /// Opens several stores as one container, or makes them: all of them, or none.
    ///
    /// Each entity lives in one of them: a store with a configuration holds the configuration's
    /// entities, with their sub-entities, and a store without one all others. A context has objects
    /// of all of them, and a save is one transaction over all of them; a loss of power may leave it
    /// done in some of the files only. Links between stores are refused. History, and what is asked
    /// of the container without naming a store, are the first one's.
    ///
    /// - Parameters:
    ///   - model: what the stores must hold; nil takes the model that the first one carries.
    ///   - stores: which stores; SQLite files or in memory, where there are several.
    public init(
        model: ManagedObjectModel?, stores: [StoreDescription]
    ) throws(StoreError) {
        let store = try PersistentStore.open(stores, model: model)
        self.store = store
        storeDescription = store.description
        self.model = store.schema.model
        schema = store.schema
        parts = store.parts
        metadataState = store.metadata
        remoteMonitor = store.remoteMonitor
        keepsHistory = store.history != nil
        origin = store.origin
        backup = store.backup
        migrationBackupPaths = store.migrationBackups
        externalFiles = ExternalFiles(
            storePath: store.address.isMemory ? "" : store.path,
            parts: store.schema.parts.mapValues(\.files))
        objects = ObjectSupport(store.schema, largestKeys: try store.largestKeys())
    }

    /// A new store in memory, of its own, for tests.
    public static func ephemeral(
        model: ManagedObjectModel, history: HistoryOptions? = nil
    ) throws(StoreError) -> PersistentContainer {
        var options = StoreOptions()
        options.history = history
        return try PersistentContainer(model: model, .inMemory(options: options))
    }

    /// Where the store is; of a store in memory, its name.
    public var path: String { storeDescription.path }

    /// The host of every object's URI in this store.
    public var storeUUID: String { metadataState.current.uuid }

    /// The model that a store carries, without opening it for work.
    public static func model(ofStoreAt path: String) throws(StoreError) -> ManagedObjectModel? {
        try PersistentStore.model(at: path)
    }

    /// The same, where whoever has the store locked may take as long as patience says.
    package static func model(
        ofStoreAt path: String, waiting patience: LockPatience
    ) throws(StoreError) -> ManagedObjectModel? {
        try PersistentStore.model(at: path, waiting: patience)
    }

    /// Whether a file is a store that an app made on Apple's systems, and not one of ours.
    public static func isAppStore(at path: String) -> Bool {
        AppStore.isOne(path)
    }

    /// The model by which a store is read, and where it is from, without opening it for work.
    package static func carriedModel(
        at path: String
    ) throws(StoreError) -> (model: ManagedObjectModel?, origin: StoreOrigin) {
        guard isAppStore(at: path) else { return (try PersistentStore.model(at: path), .ours) }
        let snapshot = try StoreSnapshot(ofApp: path)
        let app = try AppStoreModel(given: nil, on: snapshot.connection, path: path)
        return (app.model, app.origin)
    }

    /// Leaves out the account that SQLite keeps of the process's memory, which costs time.
    ///
    /// For a process that is ours alone, before it opens its first store.
    package static func skipMemoryStatistics() {
        SQLiteLibrary.skipMemoryStatistics()
    }

    /// Has large pieces of memory given back to the system when they are freed.
    package static func returnLargeMemory() {
        SQLiteLibrary.returnLargeMemory()
    }

    // MARK: Contexts

    /// A context to move whole into other code, such as an import.
    public func newContext() -> sending ManagedObjectContext {
        ManagedObjectContext(container: self)
    }

    /// A context on a queue of its own.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(container: self)
    }

    // MARK: Changes

    /// Every save's change set from now on, in the order of the saves.
    public var changes: AsyncStream<StoreChange> {
        AsyncStream { continuation in
            let token = observeChanges { continuation.yield($0) }
            continuation.onTermination = { [weak self] _ in self?.stopObserving(token) }
        }
    }

    /// Calls the body with every save's change set, in the order of the saves, until it is stopped.
    ///
    /// It is called on a thread that saves; while several do, one of them tells for all.
    ///
    /// - Returns: a token for `stopObserving(_:)`.
    @discardableResult
    public func observeChanges(_ body: @escaping @Sendable (StoreChange) -> Void) -> Int {
        observers.withLock { observers in
            observers.next += 1
            observers.bodies[observers.next] = body
            return observers.next
        }
    }

    /// Ends what `observeChanges(_:)` began.
    public func stopObserving(_ token: Int) {
        observers.withLock { _ = $0.bodies.removeValue(forKey: token) }
    }

    /// Notes a change to be told, while the turn to write is still had.
    func noteForBroadcast(_ change: StoreChange) {
        guard !change.isEmpty else { return }
        observers.withLock { $0.queue.append(change) }
    }

    /// Tells what was noted, unless somebody is at it.
    func broadcast() {
        while let (change, bodies) = nextToTell() {
            for body in bodies { body(change) }
            observers.withLock { $0.isTelling = false }
        }
    }

    private func nextToTell() -> (StoreChange, [@Sendable (StoreChange) -> Void])? {
        observers.withLock { observers in
            guard !observers.isTelling, !observers.queue.isEmpty else { return nil }
            observers.isTelling = true
            let bodies = observers.bodies.sorted { $0.key < $1.key }.map(\.value)
            return (observers.queue.removeFirst(), bodies)
        }
    }

    // MARK: Writing and reading

    /// Waits for the turn to write and opens a transaction.
    ///
    /// - Parameter name: who writes, for the errors of callers that wait in vain.
    /// - Throws: `.busy` with the name of the writer if its turn does not end within
    ///   `busyTimeoutMilliseconds`, and at once if it has its turn on this thread; `.cancelled`
    ///   if the task is cancelled while it waits.
    func beginWriting(as name: String = #function) throws(StoreError) -> WriteSession {
        try requireWriting()
        try take(as: name)
        do {
            try store.backup?.keep(store.newReader)
            return try WriteSession(store, objects.keys)
        } catch {
            lease.release()
            throw error
        }
    }

    /// Gives the turn to the next writer.
    func endWriting() {
        lease.release()
    }

    private func take(as name: String) throws(StoreError) {
        try lease.take(as: name, store.options, path: path)
    }

    private func requireWriting() throws(StoreError) {
        guard store.options.mayWrite else {
            throw StoreError(.permission, "\(path) is open for reading only")
        }
    }

    /// A connection that sees what is committed.
    func newReader() throws(StoreError) -> Connection {
        try store.newReader()
    }

    /// A counter that moves when others commit; nil while this container writes.
    func foreignDataVersion() throws(StoreError) -> Int64? {
        guard lease.takeToLookIfFree() else { return nil }
        defer { lease.release() }
        return try schema.dataVersion(on: store.connection)
    }

    /// Makes the indexes that a load had put off.
    public func buildPendingIndexes() throws(StoreError) {
        try buildPendingIndexes(linkBytes: PendingIndexes.linkBytes)
    }

    /// Makes the indexes that a load had put off.
    ///
    /// - Parameter linkBytes: what links may take while they are sorted; with less than all need
    ///   that takes several passes, and with very little SQLite sorts them by way of files.
    package func buildPendingIndexes(linkBytes: Int) throws(StoreError) {
        // With the turn to write given back: whoever is told may save.
        defer { broadcast() }
        try take(as: #function)
        defer { lease.release() }
        guard store.options.mayWrite else { return }
        let derived = try PendingIndexes.build(
            on: store.connection, schema, folding: schema.foldTables, linkBytes: linkBytes,
            session: { () throws(StoreError) in try WriteSession(self.store, self.objects.keys) }
        ) { () throws(StoreError) in store.derived }
        noteForBroadcast(derived)
        try store.image()?.commit()
    }

    /// Sets how much of the store's pages the connection that writes keeps in memory.
    package func setPageCache(kibibytes: Int) throws(StoreError) {
        try take(as: #function)
        defer { lease.release() }
        try store.connection.setPageCache(kibibytes: kibibytes)
    }

    /// Folds the write-ahead log into the file, as far as readers allow.
    public func checkpoint() throws(StoreError) {
        try take(as: #function)
        defer { lease.release() }
        guard store.options.mayWrite, store.address.hasLog else { return }
        try store.connection.foldLog(store.options)
    }
}
