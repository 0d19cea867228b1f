import GraphModel
import SQLite

/// A scratch pad over a store: objects are read and changed here, and saved together.
///
/// Belongs to one thread at a time, which the compiler checks: it is not `Sendable`, so neither it
/// nor what comes from it can leave its region.
///
/// Changed objects are pending in memory until `save()` writes them in one transaction, or
/// `rollback()` drops them. A batch request writes to the store and is committed before `execute`
/// returns; the context's objects are refreshed. Inside a unit of work, batch requests are committed
/// by the unit's end, and until then only this context sees them.
public final class ManagedObjectContext {
    /// What happens where an object's row turns out to be gone.
    public enum FaultPolicy: String, Sendable, Hashable {
        /// The access throws; an accessor that cannot gives nil and the next save throws.
        case throwing
        /// The object counts as deleted and its values are nil.
        case treatAsDeleted
    }

    /// The container that made it.
    public let container: PersistentContainer
    /// The context whose changes this one sees and saves into; nil where that is the store.
    public let parent: ManagedObjectContext?
    /// A name for messages and history.
    public var name: String?
    /// Who saves, for the history.
    public var transactionAuthor: String?
    /// What a save does where the store has changed meanwhile.
    public var mergePolicy = MergePolicy.error
    /// What happens where an object's row is gone.
    public var faultPolicy = FaultPolicy.throwing
    /// A fetch that meets objects in memory reads them anew, under their changes.
    public var shouldRefreshRefetchedObjects = false
    /// Objects stay in memory although nobody holds them, until the context is reset.
    public var retainsRegisteredObjects = false
    /// Which objects' hooks a deletion calls.
    public var deletionHooks = DeletionHooks.all
    /// Whether a save checks that clean objects, which it was told of, are still as they were.
    var watched: [ManagedObject] = []

    /// How often this context asked the store for what.
    public internal(set) var statistics = ContextStatistics()

    /// Who is told what changes; nil while nobody is.
    var eventObservers: EventObservers?
    /// Set while work runs that its task may cancel.
    var interruptFlag: InterruptFlag?
    var openSession: WriteSession?
    /// Reads inside the open transaction, if a unit of work has run a batch request in it.
    var transactionReader: ObjectReader?
    /// Units of work that are open, one in the other.
    var savepointDepth = 0
    /// Objects whose deletion by a batch request is not committed yet.
    var goneInTransaction: [ManagedObject] = []
    /// The transaction that was given up last inside a unit of work.
    var dropped: DroppedTransaction?
    /// Why the open units of work have lost what they had written.
    var lostUnit: (any Error)?
    let registry = ObjectRegistry()
    /// The objects that changed since the last save, in the order in which they first did.
    private(set) var listed: [ManagedObject] = []
    /// Finds them by what fetches compare.
    var pendingIndex = PendingIndex()
    var unprocessedDeletes: [ManagedObject] = []
    /// New objects that were deleted but not yet removed, or that a Deny rule keeps; with the latter,
    /// saves fail.
    var deletedNew: [ManagedObject] = []
    /// Objects whose lists an undo of deletions must know, until those are processed.
    var readsForUndo: [ManagedObject] = []
    /// Something was deleted since the last save; it may have been undone.
    var hasPendingDeletes = false
    /// Objects kept by `retainsRegisteredObjects`.
    var retained: [ManagedObject] = []
    /// IDs that new objects had before they were united with others; no row had them then.
    ///
    /// For IDs that callers pass. What is in memory never holds one of these.
    var aliases: [ManagedObjectID: ManagedObjectID] = [:]
    /// What objects were renamed to, since other processes took their keys.
    var renames: [[ManagedObjectID: ManagedObjectID]] = []
    /// The contexts that this one is the parent of.
    private(set) var children: [Child] = []
    /// What went wrong in accessors that cannot throw.
    var notedErrors: [StoreError] = []
    /// What objects are read by, also when the context is gone; a child's is its parent's.
    let rows: RowSource
    /// The connection that this context reads on itself; nil before the first read.
    var reader: ObjectReader? { parent == nil ? rows.reader : nil }
    var undoLog: UndoLog?
    var inbox: ChangeInbox?
    private var storedLink: ContextLink?
    lazy var classes = container.objects.classesByNumber()
    /// What a fetch has read and not yet handed out.
    var fetched: [ManagedObject] = []
    /// Who is told what happens to its objects.
    var observers = ContextObservers()
    /// What the last prefetch has read.
    var prefetched: [ManagedObject] = []
    /// Compiled rules of entities, made when first needed.
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
        storedLink?.cut()
        giveUpSession()
        if parent == nil { rows.contextIsGone() }
        if let inbox { container.stopObserving(inbox.token) }
    }

    /// What its objects know it by; another one after a reset.
    var link: ContextLink {
        if let storedLink { return storedLink }
        let link = ContextLink(self)
        storedLink = link
        return link
    }

    /// Leaves the objects behind that there are: none of them gives a value any more.
    func invalidateLink() {
        let check = storedLink?.check
        storedLink?.invalidate()
        storedLink = ContextLink(self)
        storedLink?.check = check
    }

    /// Whether there is something to save.
    public var hasChanges: Bool {
        openSession != nil || listed.contains { $0.pending != .none }
    }

    /// The objects that the next save will insert.
    public var insertedObjects: [ManagedObject] { listed.filter { $0.pending == .inserted } }
    /// The objects that were changed since the last save.
    public var updatedObjects: [ManagedObject] { listed.filter { $0.pending == .updated } }
    /// The objects that the next save will delete.
    public var deletedObjects: [ManagedObject] { listed.filter { $0.pending == .deleted } }
    /// The objects in memory, faults too.
    public var registeredObjects: [ManagedObject] { registry.objects }

    /// Holds an object until the next save, since it has changed.
    func list(_ object: ManagedObject) {
        guard !object.isListed else { return }
        if !object.isStored { rows.unwritten.add(object.objectID) }
        object.isListed = true
        listed.append(object)
    }

    /// Begins again with the objects that have changed, or with none.
    func replaceListed(with objects: [ManagedObject] = []) {
        for object in listed { object.isListed = false }
        listed = objects
        for object in objects { object.isListed = true }
        pendingIndex.removeAll()
    }

    /// No new object waits to be written any more, unless a child has some.
    func forgetUnwrittenKeys() {
        children.removeAll { $0.context == nil }
        if children.isEmpty { rows.unwritten.reset(to: aliases.keys) }
    }

    /// Keeps what an accessor could not throw.
    func note(_ error: StoreError) {
        if notedErrors.count < 100 { notedErrors.append(error) }
    }

    /// What went wrong in accessors since the last call; without it the next save throws the first.
    public func takeNotedErrors() -> [StoreError] {
        defer { notedErrors.removeAll() }
        return notedErrors
    }

    // MARK: The open transaction

    /// What a transaction that was given up would have changed.
    struct DroppedTransaction {
        var change: StoreChange
        /// Objects may show what its batch requests wrote.
        var hadRequests: Bool
    }

    /// Gives the open transaction up, if there is one.
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

    /// Takes back rows that a load has written, if all of them are again what they were, so that
    /// the store keeps its bytes; the transaction begins anew.
    ///
    /// Called after the load's `flush()`, and before anything is noted of it.
    package func takeBackUnchangedRows(_ writer: BulkWriter) throws(StoreError) {
        guard let session = openSession else { return }
        guard try session.hasWrittenInVain else { return }
        writer.closeWalks()
        giveUpSession()
        _ = try self.session()
    }

    /// Runs one request whole or not at all.
    ///
    /// Where it fails, what came before it in this context stays, and a transaction that it began
    /// is given up, so that others may write.
    func whole<R>(_ body: (WriteSession) throws -> R) throws -> R {
        if savepointDepth > 0, let lostUnit { throw lostUnit }
        let isFirst = openSession == nil
        let session = try session()
        let (change, ends) = (session.change, session.ends)
        let files = session.filesReleased
        do {
            try session.completeLoad()
            // The first change of a transaction needs no savepoint, which would copy each page.
            if !isFirst { try session.connection.execute("SAVEPOINT ETL_REQUEST") }
            let result = try body(session)
            if isFirst { return result }
            try session.connection.execute("RELEASE ETL_REQUEST")
            return result
        } catch {
            if isFirst {
                giveUpSession()
            } else {
                // SQLite may have given up the whole transaction, after a full disk for one.
                guard session.connection.isInTransaction else {
                    giveUpSession()
                    // Whoever catches this still has lost what came before it in the unit.
                    if savepointDepth > 0 { lostUnit = error }
                    throw error
                }
                (session.change, session.ends) = (change, ends)
                session.filesReleased = files
                try session.connection.execute(
                    "ROLLBACK TO ETL_REQUEST; RELEASE ETL_REQUEST")
            }
            throw error
        }
    }

    /// Runs the body; what the store does for it fails with `cancelled` once the closure is true.
    ///
    /// - Parameter isRequested: asked often, on this thread.
    package func stoppable<R>(
        when isRequested: @escaping @Sendable () -> Bool, _ body: () throws -> R
    ) rethrows -> R {
        interruptFlag = InterruptFlag(orWhen: isRequested)
        defer { stopWatching() }
        return try body()
    }

    /// Ends what an interrupt flag began.
    func stopWatching() {
        interruptFlag = nil
        reader?.connection.watch(nil)
        openSession?.connection.watch(nil)
    }

    /// Work whose task was cancelled asks the store for nothing more.
    func checkInterrupt() throws(StoreError) {
        guard interruptFlag?.isRaised == true else { return }
        throw StoreError(.cancelled, "The task was cancelled")
    }

    /// What errors call this context while it writes.
    private var writerName: String {
        if let name { return "the context '\(name)'" }
        return transactionAuthor.map { "a context of '\($0)'" } ?? "a context without a name"
    }

    /// The open transaction, begun with the first change.
    func session() throws(StoreError) -> WriteSession {
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

extension ManagedObjectContext {
    /// Starts a bulk upsert in this context.
    ///
    /// - Parameters:
    ///   - memory: what the load may hold of keys and rows before it keeps them elsewhere.
    ///   - isResumable: goes on from what an earlier load noted with `noteState()`, if one did, and
    ///   keeps such notes itself; there must be room for them.
    package func bulkWriter(
        for plan: BulkPlan, memory: BulkMemory = BulkMemory(), isResumable: Bool = false
    ) throws(StoreError) -> BulkWriter {
        try BulkWriter(plan, in: self, memory: memory, isResumable: isResumable)
    }
}

/// How often a context asked the store for what.
public struct ContextStatistics: Sendable, Hashable {
    /// Rows fired one by one.
    public internal(set) var faultsFired = 0
    /// Rows read by batch, prefetch or fetch.
    public internal(set) var rowsRead = 0
    /// To-manys read one by one.
    public internal(set) var listsFired = 0
    /// Fetches run.
    public internal(set) var fetches = 0
    /// Saves that wrote something.
    public internal(set) var saves = 0
    /// Pending objects that fetches have read: each object when the index of pending objects enters
    /// it, and those that may meet a fetch's predicate.
    public internal(set) var pendingObjectsRead = 0
    /// Entities of which so many faults were fired one after the other, and how many: what one
    /// `fault(_:)` or a prefetched key path would have read with a few statements.
    public internal(set) var singleFaultRuns: [String: Int] = [:]
    /// From so many single faults in a row on, they are counted as a run.
    public static let runMinimum = 100

    private var run: (entity: String, count: Int) = ("", 0)

    mutating func noteSingleFault(_ entity: String) {
        faultsFired += 1
        run = run.entity == entity ? (entity, run.count + 1) : (entity, 1)
        if run.count == Self.runMinimum {
            singleFaultRuns[entity, default: 0] += run.count
        } else if run.count > Self.runMinimum {
            singleFaultRuns[entity, default: 0] += 1
        }
    }

    /// The same counts.
    public static func == (left: Self, right: Self) -> Bool {
        left.faultsFired == right.faultsFired && left.rowsRead == right.rowsRead
            && left.listsFired == right.listsFired && left.fetches == right.fetches
            && left.saves == right.saves && left.singleFaultRuns == right.singleFaultRuns
            && left.pendingObjectsRead == right.pendingObjectsRead
    }

    /// By all counts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(faultsFired)
        hasher.combine(rowsRead)
        hasher.combine(listsFired)
        hasher.combine(fetches)
        hasher.combine(saves)
        hasher.combine(singleFaultRuns)
        hasher.combine(pendingObjectsRead)
    }
}
