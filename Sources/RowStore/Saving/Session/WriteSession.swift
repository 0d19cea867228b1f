package import SQLite

/// A transaction: its connection, the keys that it allocates, and its changes.
package final class WriteSession {
    /// The keys that this transaction took from a hierarchy.
    private struct Taken {
        var first: Int64
        var last: Int64
        /// Whether all keys from `first` to `last` belong to this transaction, so that no other
        /// session took one in between.
        var isDense = true
    }

    /// What tells a transaction from all others, without keeping it.
    ///
    /// A weak reference would do, too, but it makes each retain of the session slow.
    final class Identity {}

    let identity = Identity()
    /// The connection that writes to the store.
    package let connection: Connection
    let schema: StoreLayout
    // Exclusivity checks are off: only the owner of the transaction uses these properties, and no
    // access happens during another one.
    /// The changes of the transaction, or of its current part.
    @exclusivity(unchecked) package var change = StoreChange()
    /// The changes before each open part of the transaction, the first part first.
    @exclusivity(unchecked) var outerChanges: [StoreChange] = []
    /// The objects whose links changed, until the commit adds them to `change`.
    @exclusivity(unchecked) var ends = LinkEnds()
    /// The external files that no row names any longer, to be removed after the commit.
    package var filesReleased: [String] = []
    private let keys: KeyAllocator
    @exclusivity(unchecked) private var taken: [Taken?]
    /// The keys of each hierarchy that other writers took since `Z_MAX` was last read.
    private(set) var takenByOthers: [Int64: Range<Int64>] = [:]
    /// The largest key written to each hierarchy, whether this session or an earlier one allocated
    /// it.
    private var largest: [Int64: Int64] = [:]
    /// Whether the `Z_MAX` of a hierarchy was read, by the root entity's number.
    @exclusivity(unchecked) private var read: [Bool]
    /// The recorder of details for the store's history; `nil` if the store keeps no history.
    package let history: HistoryRecorder?
    /// Whether this session has completed a load that had deferred its indexes and links.
    private(set) var hasCompletedLoad = false
    /// The author of the save, for the history.
    package var author: String?
    /// The name of the saving context, for the history.
    package var contextName: String?
    /// The transaction's number in the history, set by the commit.
    package var historySequence: Int64?
    private let store: PersistentStore
    private let dataVersion: Int64
    /// The value of `writes` when `finishChanges()` last ran; `nil` before that.
    private var finishedWrites: Int64?
    /// The connection's counts of changed data rows and of changed progress notes at the start.
    private let changesBefore: Int64
    private let notesBefore: Int64

    /// Begins a transaction; the caller holds the write lease of the store.
    package init(_ store: PersistentStore, _ keys: KeyAllocator) throws(StoreError) {
        connection = store.connection
        schema = store.schema
        self.keys = keys
        self.store = store
        // Indexed by entity number, because a load requests a key for every row.
        let numbers = Int(schema.entities.reduce(0) { max($0, $1.number) }) + 1
        taken = Array(repeating: nil, count: numbers)
        read = Array(repeating: false, count: numbers)
        history = try store.history.map { history throws(StoreError) in
            try HistoryRecorder(history.schema, store.connection)
        }
        changesBefore = store.connection.totalChanges - store.connection.changesApart
        notesBefore = store.connection.changesApart
        do {
            try connection.execute("BEGIN IMMEDIATE")
            dataVersion = try schema.dataVersion(on: connection)
        } catch {
            throw error.code == .busy
                ? StoreError(inUse: connection.path, connection, own: 1) : error
        }
    }

    /// A value that changes if another connection has written since this connection's last
    /// transaction.
    var foreignWrites: Int64 { dataVersion }

    /// Whether the transaction has written a row of the store, not counting progress notes.
    var hasWritten: Bool { writes != changesBefore }

    /// The number of rows that the connection has written, not counting progress notes.
    private var writes: Int64 { connection.totalChanges - connection.changesApart }

    /// Whether the transaction wrote rows without changing them and did nothing else.
    ///
    /// It is false if temporary tables exist, because a rollback would also undo their rows.
    package var hasWrittenInVain: Bool {
        get throws(StoreError) {
            guard hasWritten, change.isEmpty, ends.isEmpty, !hasCompletedLoad,
                connection.changesApart == notesBefore, taken.allSatisfy({ $0 == nil })
            else { return false }
            return try connection.integer("SELECT count(*) FROM sqlite_temp_master") == 0
        }
    }

    /// Whether the progress notes of a run are in a file next to the store.
    package var notesAreInFile: Bool {
        get { store.notesAreInFile }
        set { store.notesAreInFile = newValue }
    }

    /// The path of the store.
    var storePath: String { store.path }

    /// The `synchronous` setting of the store.
    var synchronous: StoreOptions.Synchronous { store.options.synchronous }

    /// Returns a connection that sees all transactions committed before the call.
    func newReader() throws(StoreError) -> Connection { try store.newReader() }

    /// Returns the next free key of a hierarchy.
    func nextKey(root: Int64) throws(StoreError) -> Int64 {
        if !read[Int(root)] { try readLargest(root: root) }
        guard let key = keys.next(root: root) else {
            throw StoreError.keysAtEnd(of: root, in: schema)
        }
        var run = taken[Int(root)] ?? Taken(first: key, last: key - 1)
        precondition(key > run.last, "A key is assigned twice")
        run.isDense = run.isDense && run.last == key - 1
        run.last = key
        taken[Int(root)] = run
        return key
    }

    /// Returns the first key that this transaction took; rows with this or a larger key are its
    /// own.
    func firstTaken(root: Int64) -> Int64? { taken[Int(root)]?.first }

    /// Returns an unused key that is less than or equal to the next result of `nextKey(root:)`.
    func peekKey(root: Int64) throws(StoreError) -> Int64 {
        if !read[Int(root)] { try readLargest(root: root) }
        return keys.peek(root: root)
    }

    /// Reads `Z_MAX`, which another process may have changed.
    ///
    /// - Returns: The keys that other writers took since `Z_MAX` was last read.
    @discardableResult
    package func readLargest(root: Int64) throws(StoreError) -> Range<Int64> {
        read[Int(root)] = true
        let statement = try connection.cached(
            "SELECT Z_MAX FROM \(schema.database(ofRoot: root)).Z_PRIMARYKEY WHERE Z_ENT = ?")
        statement.bind(root, at: 1)
        let found = try statement.step() ? statement.integer(0) : 0
        statement.reset()
        let known = keys.note(largest: found, root: root)
        // A damaged counter may be `Int64.max`, and `found + 1` would overflow.
        let taken = known < found ? known + 1..<(found < .max ? found + 1 : found) : 0..<0
        if !taken.isEmpty { takenByOthers[root] = taken }
        return taken
    }

    /// Records that a row with this key was written.
    package func noteWritten(key: Int64, root: Int64) {
        if largest[root, default: 0] < key { largest[root] = key }
    }

    /// Completes a load that deferred its indexes and links, before rows are written.
    ///
    /// - Throws: `StoreError` with the code `busy` if the load is still running.
    package func completeLoad() throws(StoreError) {
        if try PendingIndexes.complete(on: connection) { hasCompletedLoad = true }
    }

    /// Returns whether indexes and join rows can be deferred until after the commit: in a large
    /// file of our own in which nothing is deferred so far, and that nobody else has open.
    ///
    /// Until they are built, others could neither save nor read links. Derived attributes may read
    /// other rows by links, and belong to the same commit.
    func mayDeferIndexes() throws(StoreError) -> Bool {
        guard store.derived?.isEmpty != false, schema.isOurs, schema.parts.isEmpty,
            connection.fileName != nil,
            try connection.pageCounts().count >= PageBuild.pagesMin,
            try connection.isAloneInLog()
        else { return false }
        return try !PendingIndexes.isPending(on: connection)
    }

    /// Adds the changes that follow from those of the transaction: of objects whose links changed,
    /// and of derived attributes.
    ///
    /// The commit does this, too, but not again if no objects were written since.
    package func finishChanges() throws(StoreError) {
        // If it were interrupted halfway, a repetition would raise versions twice.
        connection.watch(nil)
        guard finishedWrites != writes || !ends.isEmpty else { return }
        try finishLinkEnds()
        try store.derived?.update(self)
        finishedWrites = writes
    }

    /// Writes rows that are not objects, which do not count as changes since `finishChanges()`.
    package func besidesObjects<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let isSettled = finishedWrites == writes
        defer { if isSettled { finishedWrites = writes } }
        return try body()
    }

    /// Commits the transaction.
    ///
    /// If it throws, the caller rolls the transaction back.
    package func commit() throws(StoreError) {
        // The commit cannot be interrupted from here on.
        connection.watch(nil)
        try finishChanges()
        for case let (root, run?) in taken.enumerated() {
            noteWritten(key: run.last, root: Int64(root))
        }
        var written: [Int64: Int64] = [:]
        for (root, key) in largest {
            let write = try connection.cached(
                "UPDATE \(schema.database(ofRoot: root)).Z_PRIMARYKEY"
                    + " SET Z_MAX = max(Z_MAX, ?1) WHERE Z_ENT = ?2 RETURNING Z_MAX")
            write.bind(key, at: 1)
            write.bind(root, at: 2)
            if try write.step() { written[root] = write.integer(0) }
            write.reset()
        }
        try foldTexts()
        let prepared = try store.willCommit(self)
        let takesNotes = store.notesAreInFile && hasWritten
        do throws(StoreError) {
            try prepared.file?.place()
        } catch {
            store.didNotCommit(prepared)
            throw error
        }
        do {
            if takesNotes { try NotesFile.moveIntoStore(on: connection) }
            try connection.execute("COMMIT")
            for (root, key) in written { keys.note(largest: key, root: root) }
        } catch {
            store.didNotCommit(prepared)
            throw error
        }
        store.didCommit(prepared)
        guard takesNotes else { return }
        store.notesAreInFile = false
        // The notes in the store take precedence from now on, even if the file cannot be detached.
        try? NotesFile(nextToStoreAt: storePath).detach(
            from: connection, synchronous)
    }

    /// Updates the fold tables of searchable strings, unless a load does this at its end.
    private func foldTexts() throws(StoreError) {
        guard !schema.foldTables.isEmpty else { return }
        if try PendingIndexes.isPending(on: connection) { return }
        for table in schema.foldTables.values { try table.fold(on: connection) }
    }

    /// Rolls the transaction back, and returns its keys to the allocator.
    package func rollback() {
        connection.watch(nil)
        for case let (root, run?) in taken.enumerated() where run.isDense {
            keys.giveBack(root: Int64(root), run.first...run.last)
        }
        // SQLite may have rolled back already, for example because the disk is full.
        guard connection.isInTransaction else { return }
        try? connection.execute("ROLLBACK")
    }
}
