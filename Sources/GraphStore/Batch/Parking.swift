import SQLite

/// Rows that name an object which may still come in the same load.
///
/// They are kept whole, so that a row which is refused in the end has had no effect.
struct Parking {
    /// The rows of the last entries; those of the others are kept elsewhere.
    let rows: RowBatch
    /// Rows that were read back.
    let recalled: RowBatch
    private(set) var recalledPlaces: [Int: Int] = [:]
    /// The entries of these rows, which go to the others when the rows are settled or spilled.
    private(set) var lastEntries: [ParkedEntries.Entry] = []
    let entries: ParkedEntries
    /// How many of the first entries' rows are kept elsewhere.
    private(set) var spilled = 0
    /// By what links name rows, besides the key.
    let names: RowNames
    /// Who waits for whom, once the rows are being settled.
    var waiting: WaitingRows
    /// Whether the rows are being settled; this may take several turns.
    private(set) var isSettling = false
    /// How many of the first rows had a try, when they are settled.
    private var triedCount = 0
    /// Rows that wait no longer and come next, the last one first.
    var woken: [Int] = []
    /// So many rejects end the turn.
    var pauseAt = Int.max
    /// How many rejects, and links that are left out for now, are in memory at a time.
    let rejectsMax: Int
    /// What the links name that were left out to break circles, and the keys of their rows.
    var cutKeys: [UInt64] = []
    private var keys: KeyFilter
    private let memoryBytes: Int

    init(width: Int, names: RowNames, memoryBytes: Int, on connection: Connection) {
        self.names = names
        // With its message a reject takes a few hundred bytes.
        rejectsMax = max(1, memoryBytes / 512)
        rows = RowBatch(width: width, capacity: 16)
        recalled = RowBatch(width: width, capacity: 16)
        entries = ParkedEntries(connection)
        waiting = WaitingRows(entries)
        keys = KeyFilter(memoryBytes: memoryBytes / 4)
        self.memoryBytes = memoryBytes
    }

    /// How many rows wait.
    var count: Int { isSettling ? entries.count : spilled + lastEntries.count }

    /// Whether an earlier row with that key may wait, so that this one must wait behind it.
    ///
    /// One that waits without need is written when all are settled.
    func mayWait(key: UInt64) -> Bool { keys.mayContain(key) }

    /// Whether rows are to be kept elsewhere.
    var isOverMemory: Bool {
        rows.byteCount + lastEntries.count * MemoryLayout<ParkedEntries.Entry>.stride
            > memoryBytes / 2
    }

    mutating func add(
        _ batch: RowBatch, _ place: Int, token: Int64, key: UInt64, until awaited: UInt64
    ) {
        rows.addCopy(of: place, from: batch)
        note(entry: ParkedEntries.Entry(token: token, key: key, awaited: awaited))
    }

    /// Notes whose row was added last.
    mutating func note(entry: ParkedEntries.Entry) {
        lastEntries.append(entry)
        keys.insert(entry.key)
    }

    /// The entry of a row that is not kept elsewhere.
    func lastEntry(_ place: Int) -> ParkedEntries.Entry { lastEntries[place - spilled] }

    /// Forgets the rows, which are all kept elsewhere.
    mutating func forgetRows() throws(StoreError) {
        try appendLastEntries()
        rows.removeAll()
        lastEntries.removeAll(keepingCapacity: true)
        spilled = entries.count
    }

    private func appendLastEntries() throws(StoreError) {
        try entries.append(lastEntries) { names.hashes(rows, $0) }
    }

    /// Gets ready to settle the rows that wait.
    mutating func beginSettling() throws(StoreError) {
        try appendLastEntries()
        lastEntries = []
        try entries.makeIndexes()
        waiting = WaitingRows(entries)
        keys.removeAll()
        triedCount = 0
        isSettling = true
    }

    /// The next row to be tried, each once.
    mutating func takeUntried() -> Int? {
        guard triedCount < entries.count else { return nil }
        defer { triedCount += 1 }
        return triedCount
    }

    /// Whether a link that was left out names a row that still waits, or a later row of its own
    /// row's key does.
    mutating func waitsForCut() throws(StoreError) -> Bool {
        // Who has been settled does not wait again.
        while let key = cutKeys.last {
            if try waiting.isWaiting(key: key) { return true }
            cutKeys.removeLast()
        }
        return false
    }

    /// Forgets the rows, which are settled; those that come later wait anew.
    mutating func endSettling() throws(StoreError) {
        rows.removeAll()
        forgetRecalled()
        try entries.removeAll()
        spilled = 0
        cutKeys = []
        isSettling = false
    }

    /// Notes where a row is that was read back.
    mutating func note(recalled row: Int, of place: Int) { recalledPlaces[place] = row }

    /// Whether as many rows were read back as may be in memory.
    var isRecallFull: Bool { recalled.byteCount > memoryBytes / 4 && recalled.count > 0 }

    /// Forgets the rows that were read back.
    mutating func forgetRecalled() {
        recalled.removeAll()
        recalledPlaces.removeAll(keepingCapacity: true)
    }
}

/// What to do with a link's key that no object has.
enum UnresolvedPolicy {
    /// Let the row wait, where the object may still come.
    case wait
    /// Nothing more comes: do as the link's `missing` says.
    case decide
    /// The same, unless a row that waits has the key.
    ///
    /// - Parameter place: the row's, which it may name itself.
    case decideUnlessWaiting(place: Int)
    /// Leave the link empty for now where it names a row that waits, and else decide.
    ///
    /// - Parameter place: the row's, which it may name itself.
    case breakCycle(place: Int)
}
