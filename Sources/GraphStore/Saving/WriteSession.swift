import SQLite

/// One transaction: its connection, the keys that it hands out and what it changed.
final class WriteSession {
    /// The keys that this transaction took from a hierarchy, by the root's number.
    private struct Taken {
        var first: Int64
        var last: Int64
        /// Nobody took one in between.
        var isDense = true
    }

    let connection: Connection
    let schema: StoreLayout
    // Whoever has the transaction is alone with it, and nothing reaches these from inside their own
    // use.
    @exclusivity(unchecked) var change = StoreChange()
    /// Objects whose links changed, until the commit adds them to `change`.
    @exclusivity(unchecked) var ends = LinkEnds()
    /// Files of large values that no row names any more, to be removed after the commit.
    var filesReleased: [String] = []
    private let keys: KeyAllocator
    @exclusivity(unchecked) private var taken: [Taken?]
    /// The keys of each hierarchy that others took since they were last known.
    private(set) var takenByOthers: [Int64: Range<Int64>] = [:]
    /// The largest key that was written to each hierarchy, handed out here or before.
    private var largest: [Int64: Int64] = [:]
    /// Hierarchies whose `Z_MAX` was read.
    @exclusivity(unchecked) private var read: [Bool]
    /// Takes the details that the store's history wants; nil where it keeps none.
    let history: HistoryRecorder?
    /// It makes what a load had put off, so that links stand where there were none.
    private(set) var hasCompletedLoad = false
    /// Who saves, for the history.
    var author: String?
    /// The saving context's name, for the history.
    var contextName: String?
    /// The transaction's number in the history, once it is committed.
    var historySequence: Int64?
    private let store: PersistentStore
    private let dataVersion: Int64
    /// The connection's count of changed data rows when it began, and that of notes.
    private let changesBefore: Int64
    private let notesBefore: Int64

    init(_ store: PersistentStore, _ keys: KeyAllocator) throws(StoreError) {
        connection = store.connection
        schema = store.schema
        self.keys = keys
        self.store = store
        // By number, for a load asks for a key with every row.
        let numbers = Int(schema.entities.lazy.map(\.number).max() ?? 0) + 1
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
            throw error.code == .busy ? StoreError(inUse: connection.path) : error
        }
    }

    /// Moves when another connection has written since the last transaction of this one.
    var foreignWrites: Int64 { dataVersion }

    /// Whether a row of the store was written in it; notes of a run are none.
    var hasWritten: Bool {
        connection.totalChanges - connection.changesApart != changesBefore
    }

    /// Whether rows were written and are what they were, and nothing else was done.
    ///
    /// Temporary tables would lose their rows by a rollback, too.
    var hasWrittenInVain: Bool {
        get throws(StoreError) {
            guard hasWritten, change.isEmpty, ends.isEmpty, !hasCompletedLoad,
                connection.changesApart == notesBefore, taken.allSatisfy({ $0 == nil })
            else { return false }
            return try connection.integer("SELECT count(*) FROM sqlite_temp_master") == 0
        }
    }

    /// The notes of a run are in a file next to the store.
    var notesAreBeside: Bool {
        get { store.notesAreBeside }
        set { store.notesAreBeside = newValue }
    }

    /// A connection that sees what was committed before it.
    func newReader() throws(StoreError) -> Connection { try store.newReader() }

    /// The next free key of a hierarchy.
    func nextKey(root: Int64) throws(StoreError) -> Int64 {
        if !read[Int(root)] { try readLargest(root: root) }
        guard let key = keys.next(root: root) else {
            throw StoreError.keysAtEnd(of: root, in: schema)
        }
        var run = taken[Int(root)] ?? Taken(first: key, last: key - 1)
        precondition(key > run.last, "A key is handed out twice")
        run.isDense = run.isDense && run.last == key - 1
        run.last = key
        taken[Int(root)] = run
        return key
    }

    /// The first key that this transaction took from a hierarchy; rows with larger ones are its own.
    func firstTaken(root: Int64) -> Int64? { taken[Int(root)]?.first }

    /// A key that no row has, below or equal to what `nextKey(root:)` will give.
    func peekKey(root: Int64) throws(StoreError) -> Int64 {
        if !read[Int(root)] { try readLargest(root: root) }
        return keys.peek(root: root)
    }

    /// Takes note of `Z_MAX`, which another process may have moved.
    ///
    /// - Returns: the keys that others took since it was last known.
    @discardableResult
    func readLargest(root: Int64) throws(StoreError) -> Range<Int64> {
        read[Int(root)] = true
        let statement = try connection.cached(
            "SELECT Z_MAX FROM \(schema.database(ofRoot: root)).Z_PRIMARYKEY WHERE Z_ENT = ?")
        statement.bind(root, at: 1)
        let found = try statement.step() ? statement.integer(0) : 0
        statement.reset()
        let known = keys.note(largest: found, root: root)
        // A damaged counter may be at its end, behind which there is no key.
        let taken = known < found ? known + 1..<(found < .max ? found + 1 : found) : 0..<0
        if !taken.isEmpty { takenByOthers[root] = taken }
        return taken
    }

    /// A row with that key was written.
    func noteWritten(key: Int64, root: Int64) {
        if largest[root, default: 0] < key { largest[root] = key }
    }

    /// Makes what an earlier load put off, before something is written beside it.
    ///
    /// - Throws: what tells that the store is busy, where the load is still at work.
    func completeLoad() throws(StoreError) {
        if try PendingIndexes.settle(on: connection) { hasCompletedLoad = true }
    }

    func commit() throws(StoreError) {
        // From here on it is too late to be stopped.
        connection.watch(nil)
        try settleLinkEnds()
        try store.derived?.update(self)
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
        let takesNotes = store.notesAreBeside && hasWritten
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
        store.notesAreBeside = false
        // Those in the store count from now on, whatever becomes of the file.
        try? NotesFile(besideStoreAt: store.description.path).detach(
            from: connection, store.options.synchronous)
    }

    /// Folds what was written of searchable texts, unless a load does so at its end.
    private func foldTexts() throws(StoreError) {
        guard !schema.foldTables.isEmpty else { return }
        if try PendingIndexes.isPending(on: connection) { return }
        for table in schema.foldTables.values { try table.fold(on: connection) }
    }

    func rollback() {
        connection.watch(nil)
        for case let (root, run?) in taken.enumerated() where run.isDense {
            keys.giveBack(root: Int64(root), run.first...run.last)
        }
        // SQLite may have rolled back by itself, after a full disk for one.
        guard connection.isInTransaction else { return }
        try? connection.execute("ROLLBACK")
    }
}
