import Dispatch
public import GraphModel
import SQLite
import Synchronization

/// A store with its model, from which contexts are made; may be used from any thread.
public final class PersistentContainer: Sendable {
    // Only the holder of the lease below touches the store's connection; what else it has is
    // immutable.
    private nonisolated(unsafe) let store: PersistentStore
    private let lease = DispatchSemaphore(value: 1)
    private let observers = Mutex(Observers())

    private struct Observers {
        var next = 0
        var bodies: [Int: @Sendable (StoreChange) -> Void] = [:]
        /// Changes still to be told, in the order of their saves.
        var queue: [StoreChange] = []
        /// Somebody is telling them.
        var isTelling = false
    }

    /// Where the store is.
    public let path: String
    /// The store's model.
    public let model: ManagedObjectModel
    /// The host of every object's URI in this store.
    public let storeUUID: String
    package let schema: StoreSchema

    /// Opens a store, or makes it.
    ///
    /// - Parameters:
    ///   - model: what the store must hold; nil takes the model that the store carries.
    ///   - path: the SQLite file.
    ///   - opening: whether a missing file is made.
    public init(
        model: ManagedObjectModel?, at path: String, opening: StoreOpening = .existing
    ) throws(StoreError) {
        store = try PersistentStore.open(at: path, model: model, opening: opening)
        self.path = path
        self.model = store.schema.model
        storeUUID = store.uuid
        schema = store.schema
    }

    /// The model that a store carries, without opening it for work.
    public static func model(ofStoreAt path: String) throws(StoreError) -> ManagedObjectModel? {
        try PersistentStore.model(at: path)
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
    func beginWriting() throws(StoreError) -> WriteSession {
        lease.wait()
        do {
            return try WriteSession(store)
        } catch {
            lease.signal()
            throw error
        }
    }

    /// Gives the turn to the next writer.
    func endWriting() {
        lease.signal()
    }

    /// A connection that sees what is committed.
    func newReader() throws(StoreError) -> Connection {
        try storing { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: .readOnly)
            try connection.execute("PRAGMA cache_size = -16000; PRAGMA temp_store = FILE")
            return connection
        }
    }

    /// Makes the indexes that a load had put off.
    public func buildPendingIndexes() throws(StoreError) {
        lease.wait()
        defer { lease.signal() }
        try PendingIndexes.build(on: store.connection)
    }

    /// Folds the write-ahead log into the file, as far as readers allow.
    public func checkpoint() throws(StoreError) {
        lease.wait()
        defer { lease.signal() }
        try storing { () throws(SQLiteError) in
            try store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}
