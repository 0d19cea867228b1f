import GraphModel
import SQLite

/// Upserts rows by key, set by set, without objects.
///
/// For each row: find the object with its key, find the objects its links name, then insert,
/// update, or leave alone what is already so. Only mapped columns are touched.
///
/// ```
/// let writer = try context.bulkWriter(for: plan)
/// try writer.apply(batch, firstToken: 1)      // as often as there are batches
/// try writer.flush(); try context.save()      // every N records
/// try writer.finish(); try context.save()     // what was parked; then the indexes
/// ```
///
/// The object with a key is found in one of two ways. In an empty table, and in a full one once
/// the load turns out to be large, a map from keys to rows is kept in memory (`KeyIndex`);
/// otherwise, and where the map would outgrow its memory, the key's unique index is asked. A load
/// into an empty table also puts off its indexes to the end.
package final class BulkWriter {
    /// What became of a row for now.
    enum Disposition {
        case written
        case rejected
        /// It names an object that may still come; it waits.
        case waiting(link: Int, key: UInt64)
    }

    let context: ManagedObjectContext
    let plan: ColumnPlan
    let statements: RowStatements
    let rowUpdate: RowUpdate
    /// Goes along with the records; nil where others write to the table, too.
    let walk: RowWalk?
    /// The row that the record at hand is likely to belong to; 0 where nobody knows.
    @exclusivity(unchecked) var likelyRow: Int64 = 0
    let resolvers: [LinkResolver]
    /// Keys of tables whose rows no index finds; shared with the nested writers.
    let keyTables: KeyTables
    let toManyWriters: [ToManyWriter]
    let oneToOneWriters: [OneToOneWriter]
    /// For each link, what writes the objects that stand in its cells; empty where none has such.
    let nestedWriters: [BulkWriter?]
    /// Whether this writes objects that stand in another's cells.
    let isNested: Bool
    /// As `takesAnyOrder(_:_:_:)` says of the plan.
    let takesAnyOrder: Bool
    /// The cells of the element at hand, where this writes elements of another's cells.
    let element: RowBatch
    /// The object that was inserted last.
    var lastInserted: ManagedObjectID?
    // `@exclusivity(unchecked)`: one thread has it at a time, and none is reached from inside its
    // own use; to check that for every record took a twentieth of an import.
    @exclusivity(unchecked) var session: WriteSession
    @exclusivity(unchecked) var keyFinder: KeyFinder
    @exclusivity(unchecked) var pending: PendingRows
    @exclusivity(unchecked) var row: ResolvedRow
    @exclusivity(unchecked) var seen = PrimaryKeySet()
    /// Rows that a link made, and whose records have changed nothing so far.
    @exclusivity(unchecked) var unchangedTargets = PrimaryKeySet()
    @exclusivity(unchecked) var net: NetChanges
    /// Rows that became other than they were since the last save, with their entities.
    var changedSinceSave: [Int64: Int64] = [:]
    let far: FarChanges
    let toOneEnds: [ColumnPlan.ToOneEnds]
    /// The links that the record at hand takes from objects or gives to them.
    @exclusivity(unchecked) var movedLinks: [(end: LinkEnd, primaryKey: Int64, hash: UInt64)] = []
    /// For each of the other tables that links write, how far its rows are from what they were.
    var farNets: [NetChanges]
    let columnHashes: [ColumnHash]
    /// Keys from here on are of this load's own rows, but for those that others took meanwhile.
    private(set) var firstOwnKey: Int64
    var foreignKeys: [Range<Int64>] = []
    /// What the next save notes for a load that goes on after this one; nil where none will.
    @exclusivity(unchecked) var journal: LoadJournal?
    @exclusivity(unchecked) var parking: Parking
    let parkedSpill: ParkedSpill
    /// When what several records may speak of was last spoken of; nil where no record can wait, or
    /// nothing is such.
    let times: LinkTimes?
    let timed: TimedLinks?
    /// Links that the last written row left out to break a circle.
    @exclusivity(unchecked) var cutLinks: [Int] = []
    /// By columns of places, the last ones that ordered objects of an owner have.
    @exclusivity(unchecked) var lastPlaces: [Int: LastOrders] = [:]
    /// Nothing but a row's own record moves it from one owner to another.
    let remembersPlaces: Bool
    /// Objects that links of the row at hand have made.
    @exclusivity(unchecked) var newTargets: [(link: Int, id: ManagedObjectID, hash: UInt64)] = []
    /// How often an unchanged row got a new version.
    var moves: UInt64 = 0
    private var foreignWrites: Int64
    /// What `takeCacheShare()` gives next.
    private var cacheShare: Double?
    var appended: UInt64 = 0

    /// How the records fared so far.
    @exclusivity(unchecked) package internal(set) var tally = BulkTally()
    /// Records so far that found nothing to write: the store is as they say, or need not be.
    @exclusivity(unchecked) package internal(set) var idleRecords = 0
    /// How often a record has inserted or changed the row of its object.
    @exclusivity(unchecked) var writes = 0
    var rejects: [BulkReject] = []
    /// Whether a refused row is looked at for its other faults.
    let findsOtherFaults: Bool
    /// The row whose other faults are looked for.
    @exclusivity(unchecked) var gathering: FaultGathering?
    var parkedTokens: [Int64] = []
    /// Links of written rows that were left out, and those of the row at hand.
    var missedLinks: [MissedLink] = []
    @exclusivity(unchecked) var missedOfRow: [MissedLink] = []

    init(
        _ plan: BulkPlan, in context: ManagedObjectContext, memory: BulkMemory,
        isResumable: Bool, isNested: Bool = false, claims outerClaims: LinkClaims? = nil,
        times outerTimes: LinkTimes? = nil, keyTables outerKeyTables: KeyTables? = nil
    ) throws(StoreError) {
        self.context = context
        let schema = context.container.schema
        // Before the transaction: a plan that does not fit must not keep others waiting.
        let columns = try ColumnPlan(plan, schema)
        self.plan = columns
        try schema.requireWriting(columns.entity)
        let session = try context.session()
        self.session = session
        self.isNested = isNested
        findsOtherFaults = isResumable && !isNested
        element = RowBatch(width: plan.width, capacity: 1)
        let far = FarChanges(ownTable: columns.entity.table, session)
        self.far = far
        toOneEnds = columns.toOneEnds(schema)
        columnHashes = columns.columns.map { ColumnHash($0.name) }
        let claims = outerClaims ?? LinkClaims(plan, schema)
        remembersPlaces = !isNested && claims.isEmpty
        takesAnyOrder = !isNested && Self.takesAnyOrder(columns, claims, schema)
        let mayWait = !isNested && !claims.isEmpty && columns.mayWait
        let times =
            mayWait
            ? LinkTimes(
                claims, isNoted: isResumable, memoryBytes: memory.waiting / 8,
                on: session.connection)
            : outerTimes
        self.times = times
        timed = times.map { TimedLinks(columns, $0) }
        let keyTables = outerKeyTables ?? KeyTables(session.connection)
        self.keyTables = keyTables
        // First, for they must find the tables as they were.
        nestedWriters = try Self.nestedWriters(
            of: plan, in: context, memory, claims, times, keyTables)
        let mayUseMap = columns.mayUseMap(schema)
        keyFinder = KeyFinder(columns, keyTables, memoryBytes: mayUseMap ? memory.keys : 0)
        try session.completeLoad()
        try keyFinder.begin(session, putsOff: !plan.expectsFewRows)
        if memory.lendsToPages {
            try keyFinder.lendToPages(session.connection)
        }
        // Prepared after the finder has put indexes off, which would unprepare them.
        let connection = session.connection
        // What was written before the load is not counted.
        _ = try connection.takeCacheShareWritten()
        statements = try RowStatements(columns, on: connection)
        rowUpdate = RowUpdate(columns, on: connection)
        let mayWalk = columns.mayWalk && !isNested
        // A walk sees only one of the objects that share a key.
        walk =
            mayWalk && columns.isKeyUnique && !keyFinder.isFirstLoad
            ? RowWalk(statements.selectFrom) : nil
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
                        && !columns.namesOwnByNumber(link: position), lookups))
        }
        self.resolvers = resolvers
        var toManyWriters: [ToManyWriter] = []
        let putsOffLinks = keyFinder.isFirstLoad && !isNested && !plan.expectsFewRows
        for many in columns.toManys {
            toManyWriters.append(
                try ToManyWriter(
                    many, of: columns.entity, policy: plan.links[many.link].many, schema,
                    claims,
                    mayPutOff: putsOffLinks, mayWalk: mayWalk, far, turn: toManyWriters.count,
                    otherTurn: columns.otherEnd(of: many),
                    mayRefuse: columns.hasOtherConstraints, on: connection))
        }
        self.toManyWriters = toManyWriters
        var oneToOneWriters: [OneToOneWriter] = []
        for oneToOne in columns.oneToOnes {
            oneToOneWriters.append(
                try OneToOneWriter(columns, oneToOne, far, schema, on: connection))
        }
        self.oneToOneWriters = oneToOneWriters
        let share = memory.changes / (far.tables.count + 1)
        net = NetChanges(on: connection, memoryBytes: share)
        farNets = far.tables.map { _ in
            NetChanges(on: connection, memoryBytes: share)
        }
        firstOwnKey = try session.peekKey(root: columns.entity.rootNumber)
        pending = PendingRows(width: columns.columns.count)
        row = ResolvedRow(columns)
        parking = Parking(
            width: plan.width, names: RowNames(columns), memoryBytes: memory.waiting,
            on: session.connection)
        parkedSpill = ParkedSpill(session.connection, usesNotes: isResumable)
        foreignWrites = session.foreignWrites
        guard isResumable else { return }
        journal = LoadJournal()
        if let firstOwnKey = try recallState() { self.firstOwnKey = firstOwnKey }
    }

    /// Applies the batch's rows in order.
    ///
    /// - Parameters:
    ///   - firstToken: the first row's number for rejects; the others follow.
    ///   - likelyRows: for each row of the batch, the one of the table that `knownRow` has named, or 0;
    ///     nothing where nobody knows.
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
        // The batch's bytes are not ours after this.
        try flushRows()
    }

    /// Does something while few pages of the store are in memory, which has to do for what the caller
    /// holds.
    package func withFewPages(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let connection = session.connection
        let lost = try connection.shrinkPageCache(toBytes: 2 << 20)
        let result = Result(catching: body)
        try connection.growPageCache(byBytes: lost)
        try result.get()
    }

    /// Writes what is collected, so that the context can be saved.
    package func flush() throws(StoreError) {
        try flushRows()
        try flushLinks()
    }

    func flushLinks() throws(StoreError) {
        for writer in toManyWriters { try writer.flush() }
        for case let writer? in nestedWriters { try writer.flushLinks() }
    }

    /// Settles the rows that wait for others; the context is saved afterwards.
    package func finish() throws(StoreError) {
        try beginSession()
        defer { closeWalks() }
        try settleParked()
        try flushRows()
        try flush()
    }

    /// The rows refused since the last call.
    package func takeRejects() -> [BulkReject] {
        defer { rejects.removeAll() }
        return rejects
    }

    /// The links that rows written since the last call went without, as their plan notes them.
    package func takeMissedLinks() -> [MissedLink] {
        defer { missedLinks.removeAll() }
        return missedLinks
    }

    /// The rows that began to wait since the last call; each is settled by `finish()`.
    package func takeParkedTokens() -> [Int64] {
        defer { parkedTokens.removeAll() }
        return parkedTokens
    }

    /// How many pages the last save wrote, and what was written before it for want of room, as a
    /// share of those that the page cache holds; nil where that was told already, or no batch came
    /// since.
    package func takeCacheShare() -> Double? {
        defer { cacheShare = nil }
        return cacheShare
    }

    /// The rows that its records have written, those of the objects in their cells among them.
    var writesWithNested: Int {
        var count = writes
        for case let writer? in nestedWriters { count += writer.writesWithNested }
        return count
    }

    /// Whether indexes are put off to the end of the load, without which others are not to write.
    package var hasPutOff: Bool { keyFinder.hasPutOff }

    /// Takes the transaction that is open now, and looks whether others wrote meanwhile.
    func beginSession() throws(StoreError) {
        for case let writer? in nestedWriters { try writer.beginSession() }
        let current = try context.session()
        guard current !== session else { return }
        session = current
        far.session = current
        changedSinceSave.removeAll(keepingCapacity: true)
        for writer in toManyWriters { writer.forgetOrders() }
        if !isNested {
            cacheShare = try session.connection.takeCacheShareWritten()
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

    /// Reads anew what was remembered of the tables, which have changed otherwise.
    func forgetLookups() throws(StoreError) {
        for resolver in resolvers { resolver.forgetAll() }
        for writer in toManyWriters { writer.forgetOrders() }
        lastPlaces.removeAll()
        for case let writer? in nestedWriters { try writer.forgetLookups() }
        try keyFinder.reload(session.connection)
    }
}
