import GraphModel
import SQLite

/// Upserts rows by key, in batches and without managed objects.
///
/// For each row, it finds the object with the row's key and the targets of its links. It then
/// inserts or updates the row, or skips it if nothing changes. Only mapped columns are written.
///
/// ```
/// let writer = try BulkWriter(plan, in: source, memory: memory, isResumable: true)
/// try writer.apply(batch, firstToken: 1)    // once per batch
/// try writer.flush()                        // before each commit
/// try writer.finish()                       // the deferred rows, before the last commit
/// ```
///
/// There are two ways to find the object with a key. The load keeps a map from keys to rows in
/// memory (`KeyIndex`) if the table is empty, or once the load turns out to be large. Otherwise,
/// and if the map would exceed its memory limit, it uses the unique index of the key. A load into
/// an empty table also defers its indexes to the end.
package final class BulkWriter {
    /// What happened to a row when the writer first tried to write it.
    enum Disposition {
        case written
        case rejected
        /// A link refers to an object that a later record may create, so the row waits for it.
        case deferred(link: Int, key: UInt64)
    }

    let source: any WriteSessionSource
    let plan: ColumnPlan
    let statements: RowStatements
    let rowUpdate: RowUpdate
    /// The cursor that finds rows without a lookup if records come in the order of their rows.
    ///
    /// It is `nil` if other writers also change the table.
    let walk: SequentialRowCursor?
    /// The primary key of the row that the current record probably updates; 0 if unknown.
    @exclusivity(unchecked) var likelyRow: Int64 = 0
    let resolvers: [LinkResolver]
    /// The keys of tables without a suitable index; shared with the nested writers.
    let keyTables: KeyTables
    /// The rows that got a new version since the last save; shared with the nested writers.
    let raisedRows: RaisedRows
    let toManyWriters: [ToManyWriter]
    let oneToOneWriters: [OneToOneWriter]
    /// The writer of each link's nested objects; empty if the plan has none.
    let nestedWriters: [BulkWriter?]
    /// Whether this writer writes nested objects of another writer's cells.
    let isNested: Bool
    /// The result of `takesAnyOrder(_:_:_:)` for the plan.
    let takesAnyOrder: Bool
    /// The cells of the current element, if this writer is nested.
    let element: RowBatch
    /// The last inserted object.
    var lastInserted: ManagedObjectID?
    // `@exclusivity(unchecked)`: only one thread uses these properties at a time, and no access is
    // nested in another. Checking this for every record took 5% of the time of an import.
    @exclusivity(unchecked) var session: WriteSession
    @exclusivity(unchecked) var keyFinder: KeyFinder
    @exclusivity(unchecked) var pending: PendingRows
    @exclusivity(unchecked) var row: ResolvedRow
    @exclusivity(unchecked) var seen = PrimaryKeySet()
    /// The earlier objects that links named whose targets a deletion after the load spares.
    @exclusivity(unchecked) var spared = PrimaryKeySet()
    /// Rows that a link created and that their own records have not changed so far.
    @exclusivity(unchecked) var unchangedTargets = PrimaryKeySet()
    @exclusivity(unchecked) var net: RowDiffs
    /// The rows that differ from their original state since the last save, with their entities.
    var changedSinceSave: [Int64: Int64] = [:]
    let inverseChanges: InverseChanges
    let toOneEnds: [ColumnPlan.ToOneEnds]
    /// The inverse links that the current record adds to or removes from other objects.
    @exclusivity(unchecked) var movedLinks: [(end: LinkEnd, primaryKey: Int64, hash: UInt64)] = []
    let columnHashes: [ColumnHash]
    /// The first primary key that this load used; later keys are also from this load, except
    /// `foreignKeys`.
    private(set) var firstOwnKey: Int64
    var foreignKeys: [Range<Int64>] = []
    /// The state that the next save notes for a load that resumes this one; `nil` if it is not
    /// resumable.
    @exclusivity(unchecked) var journal: LoadJournal?
    @exclusivity(unchecked) var deferredRows: DeferredRows
    let deferredRowSpill: DeferredRowSpill
    /// The link versions: which record last set each link that several records may set.
    ///
    /// It is `nil` if no record can be deferred, or if no link can be set by several records.
    let times: LinkVersions?
    let timed: TimedLinks?
    /// The links that the last written row left out to break a cycle.
    @exclusivity(unchecked) var omittedLinks: [Int] = []
    /// The last position in each owner's ordered relationship, by order column.
    @exclusivity(unchecked) var lastPlaces: [Int: LastOrders] = [:]
    /// Whether only an object's own record can move it to another owner, so that the last position
    /// in each owner's order can be cached.
    let remembersPlaces: Bool
    /// The objects that links of the current row have created.
    @exclusivity(unchecked) var newTargets: [(link: Int, id: ManagedObjectID, hash: UInt64)] = []
    /// The number of times an unchanged row got a new version.
    var moves: UInt64 = 0
    private var foreignWrites: Int64
    /// The next result of `takeCacheFraction()`.
    private var cacheFraction: Double?
    var appended: UInt64 = 0

    /// The results of the records so far.
    @exclusivity(unchecked) package internal(set) var tally = BulkTally()
    /// The number of records so far that did not write anything.
    @exclusivity(unchecked) package internal(set) var idleRecords = 0
    /// The number of times a record has inserted or changed its object's row.
    @exclusivity(unchecked) var writes = 0
    var rejects: [BulkReject] = []
    /// Whether a rejected row is checked for other faults.
    let findsOtherFaults: Bool
    /// The faults found so far while a rejected row is checked for other faults; `nil` at other
    /// times.
    @exclusivity(unchecked) var gathering: FaultGathering?
    var deferredTokens: [Int64] = []
    /// The missed links of written rows, and of the current row.
    var missedLinks: [MissedLink] = []
    @exclusivity(unchecked) var missedOfRow: [MissedLink] = []

    /// Starts a load in the transaction of a source.
    ///
    /// - Parameters:
    ///   - memory: the memory limits of the load for keys and rows.
    ///   - isResumable: whether to resume from the notes of an earlier load, and to write notes.
    package convenience init(
        _ plan: BulkPlan, in source: any WriteSessionSource, memory: BulkMemory, isResumable: Bool
    ) throws(StoreError) {
        try self.init(
            plan, in: source, memory: memory, isResumable: isResumable, isNested: false)
    }

    init(
        _ plan: BulkPlan, in source: any WriteSessionSource, memory: BulkMemory,
        isResumable: Bool, isNested: Bool, claims outerClaims: LinkClaims? = nil,
        times outerTimes: LinkVersions? = nil, keyTables outerKeyTables: KeyTables? = nil,
        raisedRows outerRaisedRows: RaisedRows? = nil
    ) throws(StoreError) {
        self.source = source
        let schema = source.schema
        // Before the transaction, so that an invalid plan does not block other writers.
        let columns = try ColumnPlan(plan, schema)
        for case let nested? in plan.links.map(\.nested) { _ = try ColumnPlan(nested, schema) }
        self.plan = columns
        try schema.requireWriting(columns.entity)
        let session = try source.session()
        self.session = session
        self.isNested = isNested
        findsOtherFaults = isResumable && !isNested
        element = RowBatch(width: plan.width, capacity: 1)
        let inverseChanges = InverseChanges(ownTable: columns.entity.table, session)
        self.inverseChanges = inverseChanges
        toOneEnds = columns.toOneEnds(schema)
        columnHashes = columns.columns.map { ColumnHash($0.name) }
        let claims = outerClaims ?? LinkClaims(plan, schema)
        remembersPlaces = !isNested && claims.isEmpty
        takesAnyOrder = !isNested && Self.takesAnyOrder(columns, claims, schema)
        let mayWait = !isNested && !claims.isEmpty && columns.mayWait
        let times =
            mayWait
            ? LinkVersions(
                claims, isNoted: isResumable, memoryBytes: memory.deferredRows / 8,
                on: session.connection)
            : outerTimes
        self.times = times
        timed = times.map { TimedLinks(columns, $0) }
        let keyTables = outerKeyTables ?? KeyTables(session.connection)
        self.keyTables = keyTables
        let raisedRows = outerRaisedRows ?? RaisedRows()
        raisedRows.begin(session)
        self.raisedRows = raisedRows
        // Created first, because nested writers must see the unchanged tables.
        nestedWriters = try Self.nestedWriters(
            of: plan, in: source, memory, claims, times, keyTables, raisedRows)
        let mayUseMap = columns.mayUseMap(schema)
        keyFinder = KeyFinder(columns, keyTables, memoryBytes: mayUseMap ? memory.keys : 0)
        try session.completeLoad()
        try keyFinder.begin(session, defers: !plan.expectsFewRows)
        if memory.lendsToPages {
            try keyFinder.lendToPages(session.connection)
        }
        // Statements are prepared after the finder has deferred indexes, which would invalidate
        // them.
        let connection = session.connection
        // Pages written before the load do not count.
        _ = try connection.takeCacheFractionWritten()
        statements = try RowStatements(columns, on: connection)
        rowUpdate = RowUpdate(columns, on: connection)
        let mayWalk = columns.mayWalk && !isNested
        // A sequential cursor finds only one of the objects that share a key.
        walk =
            mayWalk && columns.isKeyUnique && !keyFinder.isFirstLoad
            ? SequentialRowCursor(statements.selectFrom) : nil
        var resolvers: [LinkResolver] = []
        let lookups = LinkResolver.Lookups(
            schema: schema, keyTables: keyTables, connection: connection,
            memoryBytes: memory.links / max(1, plan.links.count)
        ) { columns.mayRemember($0.table, isNested: isNested) }
        for (position, link) in plan.links.enumerated() {
            resolvers.append(
                try LinkResolver(
                    columns.destinations[position], key: link.nested == nil ? link.key : [],
                    mayRemember: columns.mayRemember(
                        link: position, schema, isNested: isNested)
                        && !columns.links[position].namesOwnByNumber, lookups))
        }
        self.resolvers = resolvers
        var toManyWriters: [ToManyWriter] = []
        let defersLinks = keyFinder.isFirstLoad && !isNested && !plan.expectsFewRows
        for many in columns.toManys {
            toManyWriters.append(
                try ToManyWriter(
                    many, of: columns.entity, policy: plan.links[many.link].many, schema,
                    claims,
                    mayDefer: defersLinks, mayWalk: mayWalk, inverseChanges,
                    linkIndex: toManyWriters.count,
                    inverseIndex: columns.otherEnd(of: many),
                    mayReject: columns.hasOtherConstraints, on: connection))
        }
        self.toManyWriters = toManyWriters
        var oneToOneWriters: [OneToOneWriter] = []
        for oneToOne in columns.oneToOnes {
            oneToOneWriters.append(
                try OneToOneWriter(columns, oneToOne, inverseChanges, schema, on: connection))
        }
        self.oneToOneWriters = oneToOneWriters
        net = RowDiffs(on: connection, memoryBytes: memory.changes)
        firstOwnKey = try session.peekKey(root: columns.entity.rootNumber)
        pending = PendingRows(width: columns.columns.count)
        row = ResolvedRow(columns)
        deferredRows = DeferredRows(
            width: plan.width, names: RowNames(columns), memoryBytes: memory.deferredRows,
            on: session.connection)
        deferredRowSpill = DeferredRowSpill(session.connection, usesNotes: isResumable)
        foreignWrites = session.foreignWrites
        guard isResumable else { return }
        journal = LoadJournal()
        if let firstOwnKey = try recallState() { self.firstOwnKey = firstOwnKey }
    }

    /// Applies the batch's rows in order.
    ///
    /// - Parameters:
    ///   - firstToken: The token of the first row for rejects; later rows get consecutive tokens.
    ///   - likelyRows: For each row of the batch, the row ID returned by `knownRow`, or 0; empty if
    ///     unknown.
    package func apply(
        _ batch: RowBatch, firstToken: Int64, likelyRows: [Int64] = []
    ) throws(StoreError) {
        try beginSession()
        defer { closeWalks() }
        for place in 0..<batch.count {
            likelyRow = likelyRows.isEmpty ? 0 : likelyRows[place]
            try apply(batch, place, token: firstToken + Int64(place))
        }
        likelyRow = 0
        // The caller may free the batch's bytes after this call.
        try flushRows()
    }

    /// Runs a closure with the page cache reduced to 2 MiB, so that the caller can use the memory.
    package func withFewPages(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let connection = session.connection
        let lost = try connection.shrinkPageCache(toBytes: 2 << 20)
        let result = Result(catching: body)
        try connection.growPageCache(byBytes: lost)
        try result.get()
    }

    /// Writes the pending rows and links; the caller can then commit the transaction.
    package func flush() throws(StoreError) {
        try flushRows()
        try flushLinks()
    }

    func flushLinks() throws(StoreError) {
        for writer in toManyWriters { try writer.flush() }
        for case let writer? in nestedWriters { try writer.flushLinks() }
    }

    /// Resolves the deferred rows; the caller commits the transaction afterwards.
    package func finish() throws(StoreError) {
        try beginSession()
        defer { closeWalks() }
        try resolveDeferredRows()
        try flushRows()
        try flush()
    }

    /// Returns the rows rejected since the last call.
    package func takeRejects() -> [BulkReject] {
        defer { rejects.removeAll() }
        return rejects
    }

    /// Returns the missed links of rows written since the last call, if their plan notes them.
    package func takeMissedLinks() -> [MissedLink] {
        defer { missedLinks.removeAll() }
        return missedLinks
    }

    /// Returns the tokens of the rows deferred since the last call; `finish()` resolves them.
    package func takeDeferredTokens() -> [Int64] {
        defer { deferredTokens.removeAll() }
        return deferredTokens
    }

    /// Returns the number of pages that the last save wrote, including pages spilled before it, as
    /// a fraction of the page cache.
    ///
    /// Returns `nil` if this value was already returned, or if no batch has been applied since.
    package func takeCacheFraction() -> Double? {
        defer { cacheFraction = nil }
        return cacheFraction
    }

    /// The number of rows that its records have written, including nested objects.
    var writesWithNested: Int {
        var count = writes
        for case let writer? in nestedWriters { count += writer.writesWithNested }
        return count
    }

    /// Whether indexes are deferred to the end of the load; other processes must not write until
    /// then.
    package var hasDeferredIndexes: Bool { keyFinder.hasDeferredIndexes }

    /// Uses the open transaction, and checks whether another process has written since the last
    /// one.
    func beginSession() throws(StoreError) {
        for case let writer? in nestedWriters { try writer.beginSession() }
        let current = try source.session()
        guard current !== session else { return }
        session = current
        inverseChanges.session = current
        raisedRows.begin(current)
        changedSinceSave.removeAll(keepingCapacity: true)
        for writer in toManyWriters { writer.forgetOrders() }
        if !isNested {
            cacheFraction = try session.connection.takeCacheFractionWritten()
        }
        let isStale = session.foreignWrites != foreignWrites
        if !isNested {
            try keyTables.refresh(isStale: isStale)
        }
        guard isStale else { return }
        foreignWrites = session.foreignWrites
        let root = plan.entity.rootNumber
        _ = try session.peekKey(root: root)
        if let taken = session.takenByOthers[root] { foreignKeys.append(taken) }
        try forgetLookups()
    }

    /// Reads the cached data again after another process has changed the tables.
    func forgetLookups() throws(StoreError) {
        for resolver in resolvers { resolver.forgetAll() }
        for writer in toManyWriters { writer.forgetOrders() }
        lastPlaces.removeAll()
        for case let writer? in nestedWriters { try writer.forgetLookups() }
        try keyFinder.reload(session.connection)
    }
}
