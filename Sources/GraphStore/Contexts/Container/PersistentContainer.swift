public import GraphModel
import SQLite
import Synchronization

/// A store with its model, which creates contexts; may be used from any thread.
public final class PersistentContainer: Sendable {
    // Only the holder of the lease below uses the store's connection; its other properties are
    // immutable.
    private nonisolated(unsafe) let store: PersistentStore
    private let lease = WriteLease()
    private let observers = Mutex(Observers())
    let remoteMonitor: RemoteChangeMonitor

    private struct Observers {
        var next = 0
        var bodies: [Int: @Sendable (StoreChange) -> Void] = [:]
        /// Changes to report, in the order of their saves.
        var queue: [StoreChange] = []
        /// Whether a thread is reporting changes.
        var isNotifying = false
    }

    /// The description with which the store was opened.
    public let storeDescription: StoreDescription
    /// The model of the store.
    public let model: ManagedObjectModel
    /// The tables, columns, and entity numbers of the model in the store.
    package let schema: StoreLayout
    /// The stores after the first.
    let parts: [StorePart]
    /// The layouts, classes, and primary keys that all contexts of the container share.
    package let objects: ObjectSupport
    let externalFiles: ExternalFiles
    let viewContexts = ViewContextHolder()
    let pins = PinnedGenerations()
    let metadataState: MetadataState
    /// Whether saves are recorded in the store's history.
    public let keepsHistory: Bool
    /// The creator of the store and the source of its model.
    public let origin: StoreOrigin
    private let backup: AppStoreBackup?

    /// The path of the backup of an app's store that the first save created.
    ///
    /// It is `nil` before the first save and for stores that GraphStore created.
    public var backupPath: String? { backup?.path }

    /// The paths of the old stores that were migrated on opening, in store order; empty if none.
    public let migrationBackupPaths: [String]

    /// Opens a store, or creates it.
    ///
    /// - Parameters:
    ///   - model: the model of the store; `nil` uses the model that the store carries.
    ///   - path: the path of the SQLite file.
    ///   - opening: whether to create a missing file.
    public convenience init(
        model: ManagedObjectModel?, at path: String, opening: StoreOpening = .existing
    ) throws(StoreError) {
        try self.init(model: model, .sqlite(at: path, opening: opening))
    }

    /// Opens a store of any kind, or creates it.
    ///
    /// - Parameters:
    ///   - model: the model of the store; `nil` uses the model that the store carries.
    ///   - description: the path and kind of the store, and how to open it.
    public convenience init(
        model: ManagedObjectModel?, _ description: StoreDescription
    ) throws(StoreError) {
        try self.init(model: model, stores: [description])
    }

    /// Opens or creates several stores as one container, either all or none.
    ///
    /// Each entity belongs to one store: a store with a configuration holds the configuration's
    /// entities and their sub-entities, and a store without one holds all others. A context has
    /// objects of all stores, and a save is one transaction over all of them. After a power
    /// failure, the save may be present in only some of the files. Links between stores are not
    /// allowed. The history, and requests to the container that do not name a store, use the first
    /// store.
    ///
    /// - Parameters:
    ///   - model: the model of the stores; `nil` uses the model that the first one carries.
    ///   - stores: the stores; if there are several, they must be SQLite files or in memory.
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

    /// Creates a new, separate store in memory, for tests.
    public static func ephemeral(
        model: ManagedObjectModel, history: HistoryOptions? = nil
    ) throws(StoreError) -> PersistentContainer {
        var options = StoreOptions()
        options.history = history
        return try PersistentContainer(model: model, .inMemory(options: options))
    }

    /// The path of the store, or the name of a store in memory.
    public var path: String { storeDescription.path }

    /// The largest key that each hierarchy has allocated, by the number of its root entity, as last
    /// read from or written to the store.
    package var largestKeys: [Int64: Int64] {
        let roots = Set(schema.entities.map(\.rootNumber))
        return Dictionary(
            uniqueKeysWithValues: roots.map { ($0, objects.keys.known(root: $0)) })
    }

    /// The UUID of the store, which is the host of its objects' URIs.
    public var storeUUID: String { metadataState.current.uuid }

    /// Returns the model that a store carries, without opening the store for work.
    public static func model(ofStoreAt path: String) throws(StoreError) -> ManagedObjectModel? {
        try PersistentStore.model(at: path)
    }

    /// Returns the model that a store carries, waiting if the store is locked.
    package static func model(
        ofStoreAt path: String, waiting patience: LockPatience
    ) throws(StoreError) -> ManagedObjectModel? {
        try PersistentStore.model(at: path, waiting: patience)
    }

    /// Returns whether a file is a store that an app created on Apple's systems.
    public static func isAppStore(at path: String) -> Bool {
        AppStore.isOne(path)
    }

    /// Returns the model for reading a store and its origin, without opening the store for work.
    package static func carriedModel(
        at path: String
    ) throws(StoreError) -> (model: ManagedObjectModel?, origin: StoreOrigin) {
        guard isAppStore(at: path) else { return (try PersistentStore.model(at: path), .ours) }
        let snapshot = try StoreSnapshot(ofApp: path)
        let app = try AppStoreModel(given: nil, on: snapshot.connection, path: path)
        return (app.model, app.origin)
    }

    /// Turns off SQLite's memory statistics, which cost time, and makes SQLite return large blocks
    /// of memory to the system when they are freed.
    ///
    /// Call it only in a process that no other code shares, before it opens its first store.
    package static func setUpProcess() {
        SQLiteLibrary.skipMemoryStatistics()
        SQLiteLibrary.returnLargeMemory()
    }

    // MARK: Contexts

    /// Returns a new context to transfer to other code, such as an import.
    public func newContext() -> sending ManagedObjectContext {
        ManagedObjectContext(container: self)
    }

    /// Returns a new context on its own queue.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(container: self)
    }

    // MARK: Changes

    /// A stream of every save's changes from now on, in the order of the saves.
    public var changes: AsyncStream<StoreChange> {
        AsyncStream { continuation in
            let token = observeChanges { continuation.yield($0) }
            continuation.onTermination = { [weak self] _ in self?.stopObserving(token) }
        }
    }

    /// Calls the body with every save's changes, in the order of the saves, until stopped.
    ///
    /// The body runs on a saving thread. If several threads save, one of them reports for all.
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

    /// Stops the observation that `observeChanges(_:)` started.
    public func stopObserving(_ token: Int) {
        observers.withLock { _ = $0.bodies.removeValue(forKey: token) }
    }

    /// Queues a change to report, while the write lease is still held.
    func noteForBroadcast(_ change: StoreChange) {
        guard !change.isEmpty else { return }
        observers.withLock { $0.queue.append(change) }
    }

    /// Reports the queued changes, unless another thread already does.
    func broadcast() {
        while let (change, bodies) = nextNotification() {
            for body in bodies { body(change) }
            observers.withLock { $0.isNotifying = false }
        }
    }

    private func nextNotification() -> (StoreChange, [@Sendable (StoreChange) -> Void])? {
        observers.withLock { observers in
            guard !observers.isNotifying, !observers.queue.isEmpty else { return nil }
            observers.isNotifying = true
            let bodies = observers.bodies.sorted { $0.key < $1.key }.map(\.value)
            return (observers.queue.removeFirst(), bodies)
        }
    }

    // MARK: Writing and reading

    /// Waits for the write lease and begins a transaction.
    ///
    /// - Parameter name: the name of the writer, for the errors of waiting callers.
    /// - Throws: `.busy` with the name of the current writer, if it does not finish within
    ///   `busyTimeoutMilliseconds`. If the writer has the lease on this thread, the call fails
    ///   immediately. `.cancelled` if the task is canceled during the wait.
    func beginWriting(as name: String = #function) throws(StoreError) -> WriteSession {
        try requireWriting()
        try take(as: name)
        do {
            try store.backup?.keep { name throws(StoreError) in
                try Self.copy(store.newReader(), of: store.path, to: name)
            }
            return try WriteSession(store, objects.keys)
        } catch {
            lease.release()
            throw error
        }
    }

    /// Passes the write lease to the next writer.
    func endWriting() {
        lease.release()
    }

    /// Runs the body with the write lease, but without a transaction.
    ///
    /// - Parameter name: the name of the writer, for the errors of waiting callers.
    func withoutTransaction<R>(
        as name: String = #function, _ body: (WriteSession) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let session = try beginWriting(as: name)
        defer { endWriting() }
        session.rollback()
        return try body(session)
    }

    private func take(as name: String) throws(StoreError) {
        try lease.take(as: name, store.options, path: path)
    }

    private func requireWriting() throws(StoreError) {
        guard store.options.mayWrite else {
            throw StoreError(.permission, "\(path) is open for reading only")
        }
    }

    /// Returns a connection that sees committed data.
    func newReader() throws(StoreError) -> Connection {
        try store.newReader()
    }

    /// Returns a counter that changes when others commit; `nil` while this container writes.
    func foreignDataVersion() throws(StoreError) -> Int64? {
        guard lease.takeToCheckIfFree() else { return nil }
        defer { lease.release() }
        return try schema.dataVersion(on: store.connection)
    }

    /// Builds the indexes that a load has deferred.
    public func buildPendingIndexes() throws(StoreError) {
        try buildPendingIndexes(linkBytes: PendingIndexes.linkBytes)
    }

    /// Builds the indexes that a load has deferred.
    ///
    /// - Parameter linkBytes: the memory for sorting links. If it is too small for all links,
    ///   sorting takes several passes; if it is very small, SQLite sorts them with temporary files.
    package func buildPendingIndexes(linkBytes: Int) throws(StoreError) {
        // Runs after the lease is released: observers may save.
        defer { broadcast() }
        try take(as: #function)
        defer { lease.release() }
        guard store.options.mayWrite else { return }
        let derived = try PendingIndexes.build(
            on: store.connection, schema, folding: schema.foldTables, linkBytes: linkBytes,
            session: { () throws(StoreError) in try WriteSession(self.store, self.objects.keys) }
        ) { () throws(StoreError) in try store.derived?.renew(on: store.connection, schema) }
        noteForBroadcast(derived)
        try store.image()?.commit()
    }

    /// Sets the page cache size of the writing connection.
    package func setPageCache(kibibytes: Int) throws(StoreError) {
        try take(as: #function)
        defer { lease.release() }
        try store.connection.setPageCache(kibibytes: kibibytes)
    }

    /// Checkpoints the write-ahead log, up to the point that readers allow.
    public func checkpoint() throws(StoreError) {
        try take(as: #function)
        defer { lease.release() }
        guard store.options.mayWrite, store.address.hasLog else { return }
        try store.connection.foldLog(store.options)
    }
}
