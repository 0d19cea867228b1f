import GraphModel
import SQLite

/// A context in which objects are read, changed, and saved together.
///
/// A context belongs to one thread at a time, which the compiler checks: it is not `Sendable`, so
/// neither the context nor its objects can leave its region.
///
/// Changed objects are pending in memory until `save()` writes them in one transaction, or
/// `rollback()` discards them. A batch request writes to the store and is committed before
/// `execute` returns; then the context's objects are refreshed. Inside a unit of work, batch
/// requests are committed at the end of the unit, and until then only this context sees them.
public final class ManagedObjectContext {
    /// What to do if an object's row no longer exists.
    public enum FaultPolicy: String, Sendable, Hashable {
        /// The access throws, or returns `nil` if it cannot throw; then the next save throws.
        case throwing
        /// The object is treated as deleted, and its values are `nil`.
        case treatAsDeleted
    }

    /// The container that created the context.
    public let container: PersistentContainer
    /// The context whose changes this one sees and saves into; `nil` if that is the store.
    public let parent: ManagedObjectContext?
    /// A name for messages and the history.
    public var name: String?
    /// The author of saves, for the history.
    public var transactionAuthor: String?
    /// What a save does if the store has changed since objects were read.
    public var mergePolicy = MergePolicy.error
    /// What to do if an object's row no longer exists.
    public var faultPolicy = FaultPolicy.throwing
    /// Whether fetches refresh objects that are in memory, keeping their changes.
    public var shouldRefreshRefetchedObjects = false
    /// Whether objects stay in memory without other references until the context is reset.
    public var retainsRegisteredObjects = false
    /// The objects whose hooks a deletion calls.
    public var deletionHooks = DeletionHooks.all
    /// Unchanged objects that a save checks for conflicts.
    var watched: [ManagedObject] = []

    /// Counts of this context's requests to the store.
    public internal(set) var statistics = ContextStatistics()

    /// The event observers; `nil` without observers.
    var eventObservers: EventObservers?
    /// Set while work runs that the task may cancel.
    var interruptFlag: InterruptFlag?
    var openSession: WriteSession?
    /// The reader inside the open transaction, if a unit of work has run a batch request in it.
    var transactionReader: ObjectReader?
    /// The number of open nested units of work.
    var savepointDepth = 0
    /// Objects deleted by a batch request that is not committed yet.
    var deletedInTransaction: [ManagedObject] = []
    /// The last transaction that was rolled back inside a unit of work.
    var dropped: DroppedTransaction?
    /// The error that made the open units of work lose their writes.
    var lostUnit: (any Error)?
    let registry = ObjectRegistry()
    /// The objects that changed since the last save, in the order of their first change.
    private(set) var listed: [ManagedObject] = []
    /// An index of the pending objects by the values that fetches compare.
    var pendingIndex = PendingIndex()
    var unprocessedDeletes: [ManagedObject] = []
    /// New objects that were deleted but not yet removed, or that a Deny rule keeps.
    ///
    /// Saves fail if a Deny rule keeps one.
    var deletedNew: [ManagedObject] = []
    /// Objects whose lists were read for an undo of deletions, until these are processed.
    var readsForUndo: [ManagedObject] = []
    /// Whether objects were deleted since the last save, even if undone since.
    var hasPendingDeletes = false
    /// Objects kept by `retainsRegisteredObjects`.
    var retained: [ManagedObject] = []
    /// The new IDs of objects whose old ID was replaced when they were merged with other objects.
    ///
    /// No row had an old ID at that time. The map is for IDs that callers pass; no object in memory
    /// has an old ID.
    var aliases: [ManagedObjectID: ManagedObjectID] = [:]
    /// New IDs of objects whose primary keys other processes took.
    var renames: [[ManagedObjectID: ManagedObjectID]] = []
    /// The child contexts.
    private(set) var children: [Child] = []
    /// Errors in accessors that cannot throw.
    var notedErrors: [StoreError] = []
    /// The source of rows, also after the context is deallocated; a child shares its parent's.
    let rows: RowSource
    /// The connection that this context itself reads on; `nil` before the first read.
    var reader: ObjectReader? { parent == nil ? rows.reader : nil }
    var undoLog: UndoLog?
    var inbox: ChangeInbox?
    private var storedLink: ContextLink?
    lazy var classes = container.objects.classesByNumber()
    /// Objects that the running fetch has read and not yet returned.
    var fetched: [ManagedObject] = []
    /// The observers of the context's objects.
    var observers = ContextObservers()
    /// The objects that the last prefetch has read.
    var prefetched: [ManagedObject] = []
    /// Compiled validation rules by entity, created on demand.
    var validators: [Int64: ObjectValidator] = [:]

    init(container: PersistentContainer, parent: ManagedObjectContext? = nil) {
        self.container = container
        self.parent = parent
        rows = parent?.rows ?? RowSource(container)
        storedLink = ContextLink(self)
        if let parent {
            parent.children.append(Child(context: self))
        } else {
            rows.unwritten.context = self
        }
    }

    deinit {
        storedLink?.disconnect()
        giveUpSession()
        if parent == nil { rows.contextWasFreed() }
        if let inbox { container.stopObserving(inbox.token) }
    }

    /// The link from the objects to the context; replaced by a reset.
    var link: ContextLink {
        if let storedLink { return storedLink }
        let link = ContextLink(self)
        storedLink = link
        return link
    }

    /// Invalidates all existing objects: accessing a value fails from now on.
    func invalidateLink() {
        let check = storedLink?.check
        storedLink?.invalidate()
        storedLink = ContextLink(self)
        storedLink?.check = check
    }

    /// Whether there are unsaved changes.
    public var hasChanges: Bool {
        openSession != nil || listed.contains { $0.pending != .none }
    }

    /// The objects that the next save will insert.
    public var insertedObjects: [ManagedObject] { listed.filter { $0.pending == .inserted } }
    /// The objects that were changed since the last save.
    public var updatedObjects: [ManagedObject] { listed.filter { $0.pending == .updated } }
    /// The objects that the next save will delete.
    public var deletedObjects: [ManagedObject] { listed.filter { $0.pending == .deleted } }
    /// All objects in memory, including faults.
    public var registeredObjects: [ManagedObject] { registry.objects }

    /// Keeps a changed object alive until the next save.
    func list(_ object: ManagedObject) {
        guard !object.isListed else { return }
        if !object.isStored { rows.unwritten.add(object.objectID) }
        object.isListed = true
        listed.append(object)
    }

    /// Replaces the list of changed objects.
    func replaceListed(with objects: [ManagedObject] = []) {
        for object in listed { object.isListed = false }
        listed = objects
        for object in objects { object.isListed = true }
        pendingIndex.removeAll()
    }

    /// Resets the unwritten keys after a save, unless there are child contexts.
    func forgetUnwrittenKeys() {
        children.removeAll { $0.context == nil }
        if children.isEmpty { rows.unwritten.reset(to: aliases.keys) }
    }

    /// Records an error that an accessor could not throw; the next save throws it.
    func note(_ error: StoreError) {
        if notedErrors.count < 100 { notedErrors.append(error) }
    }

    /// Records the error of work whose caller cannot throw.
    func noting(_ work: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try work()
        } catch {
            note(error)
        }
    }

    /// Returns and clears the errors of accessors; otherwise, the next save throws the first one.
    public func takeNotedErrors() -> [StoreError] {
        defer { notedErrors.removeAll() }
        return notedErrors
    }

    // MARK: The open transaction

    /// The changes of a transaction that was rolled back.
    struct DroppedTransaction {
        var change: StoreChange
        /// Whether objects may show values that its batch requests wrote.
        var hadRequests: Bool
    }

    /// Rolls back the open transaction, if any.
    func giveUpSession() {
        guard let session = openSession else { return }
        if savepointDepth > 0 || transactionReader != nil {
            dropped = DroppedTransaction(
                change: session.change, hadRequests: transactionReader != nil)
        }
        transactionReader = nil
        session.rollback()
        openSession = nil
        container.endWriting()
    }

    /// Runs one request atomically.
    ///
    /// If it fails, earlier changes in this context are kept. If it began the transaction, the
    /// transaction is rolled back to release the store.
    func whole<R>(_ body: (WriteSession) throws -> R) throws -> R {
        if savepointDepth > 0, let lostUnit { throw lostUnit }
        let isFirst = openSession == nil
        let session = try session()
        let state = session.state
        do {
            try session.completeLoad()
            // The first change of a transaction needs no savepoint, which would copy each page.
            if !isFirst { try session.connection.begin(savepoint: "ETL_REQUEST") }
            let result = try body(session)
            if isFirst { return result }
            try session.connection.release(savepoint: "ETL_REQUEST")
            return result
        } catch {
            if isFirst {
                giveUpSession()
            } else {
                // SQLite may have rolled back the complete transaction, such as for a full disk.
                guard session.connection.isInTransaction else {
                    giveUpSession()
                    // A caller that catches this error has still lost the unit's earlier changes.
                    if savepointDepth > 0 { lostUnit = error }
                    throw error
                }
                session.restore(state)
                try session.connection.rollBack(toSavepoint: "ETL_REQUEST")
            }
            throw error
        }
    }

    /// Runs the body; its requests to the store fail with `.cancelled` once the closure returns
    /// `true`.
    ///
    /// - Parameter isRequested: called often, on this thread.
    package func stoppable<R>(
        when isRequested: @escaping @Sendable () -> Bool, _ body: () throws -> R
    ) rethrows -> R {
        interruptFlag = InterruptFlag(orWhen: isRequested)
        defer { stopWatching() }
        return try body()
    }

    /// Stops watching the interrupt flag.
    func stopWatching() {
        interruptFlag = nil
        reader?.connection.watch(nil)
        openSession?.connection.watch(nil)
    }

    /// Throws `.cancelled` if the task of the running work was canceled.
    func checkInterrupt() throws(StoreError) {
        guard interruptFlag?.isRaised == true else { return }
        throw StoreError(.cancelled, "The task was canceled")
    }

    /// The name of this context in errors while it writes.
    private var writerName: String {
        if let name { return "the context '\(name)'" }
        return transactionAuthor.map { "a context of '\($0)'" } ?? "a context without a name"
    }

    /// Returns the open transaction, or begins one.
    package func session() throws(StoreError) -> WriteSession {
        try checkInterrupt()
        if let openSession {
            openSession.connection.watch(interruptFlag)
            return openSession
        }
        let session = try container.beginWriting(as: writerName)
        session.connection.watch(interruptFlag)
        session.author = transactionAuthor
        session.contextName = name
        openSession = session
        return session
    }
}

@available(*, unavailable, message: "A context stays in its region; send object IDs instead")
extension ManagedObjectContext: Sendable {}

/// Counts of a context's requests to the store.
public struct ContextStatistics: Sendable, Hashable {
    /// The number of rows that were fired one by one.
    public internal(set) var faultsFired = 0
    /// The number of rows that were read by batches, prefetches, and fetches.
    public internal(set) var rowsRead = 0
    /// The number of to-manys that were read one by one.
    public internal(set) var listsFired = 0
    /// The number of fetches.
    public internal(set) var fetches = 0
    /// The number of saves that wrote changes.
    public internal(set) var saves = 0
    /// The numbers of these saves by duration: below 1 ms, from 1 ms, from 2 ms, from 4 ms, and so
    /// on.
    public internal(set) var savesByDuration: [Int] = []
    /// The number of pending objects that fetches have read.
    ///
    /// An object counts when the index of pending objects adds it, and when a fetch evaluates it.
    public internal(set) var pendingObjectsRead = 0
    /// The number of faults, by entity, that were fired in runs of at least `runMinimum`.
    ///
    /// One `fault(_:)` or a prefetched key path would have read them with a few statements.
    public internal(set) var singleFaultRuns: [String: Int] = [:]
    /// The number of to-manys, by `Entity.relationship`, that were read in runs of at least
    /// `runMinimum`.
    ///
    /// A prefetched key path would have read them with a few statements.
    public internal(set) var singleListRuns: [String: Int] = [:]
    /// The minimum number of consecutive single reads that count as a run.
    public static let runMinimum = 100

    private var faultRun = Run()
    private var listRun = Run()

    mutating func noteSingleFault(_ entity: String) {
        faultsFired += 1
        faultRun.add(entity, to: &singleFaultRuns)
    }

    mutating func noteSingleList(_ relationship: String, of entity: String) {
        listsFired += 1
        listRun.add("\(entity).\(relationship)", to: &singleListRuns)
    }

    mutating func noteSave(_ duration: Duration) {
        saves += 1
        let milliseconds = max(0, Int64(duration / .milliseconds(1)))
        let place = Int64.bitWidth - milliseconds.leadingZeroBitCount
        let missing = place + 1 - savesByDuration.count
        if missing > 0 { savesByDuration += Array(repeating: 0, count: missing) }
        savesByDuration[place] += 1
    }

    /// Consecutive reads of one kind.
    private struct Run {
        private var name = ""
        private var count = 0

        mutating func add(_ name: String, to runs: inout [String: Int]) {
            count = name == self.name ? count + 1 : 1
            self.name = name
            if count == ContextStatistics.runMinimum {
                runs[name, default: 0] += count
            } else if count > ContextStatistics.runMinimum {
                runs[name, default: 0] += 1
            }
        }
    }

    /// Returns whether all counts are equal, regardless of durations.
    public static func == (left: Self, right: Self) -> Bool {
        left.faultsFired == right.faultsFired && left.rowsRead == right.rowsRead
            && left.listsFired == right.listsFired && left.fetches == right.fetches
            && left.saves == right.saves && left.singleFaultRuns == right.singleFaultRuns
            && left.singleListRuns == right.singleListRuns
            && left.pendingObjectsRead == right.pendingObjectsRead
    }

    /// Hashes all counts, but no durations.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(faultsFired)
        hasher.combine(rowsRead)
        hasher.combine(listsFired)
        hasher.combine(fetches)
        hasher.combine(saves)
        hasher.combine(singleFaultRuns)
        hasher.combine(singleListRuns)
        hasher.combine(pendingObjectsRead)
    }
}

extension ManagedObjectContext: WriteSessionSource {
    /// The tables, columns, and entity numbers of the model in the store.
    package var schema: StoreLayout { container.schema }
}
