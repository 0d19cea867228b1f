/// Rows that name an object which may still come in the same load.
///
/// They are kept whole, so that a row which is refused in the end has had no effect.
struct Parking {
    struct Entry {
        var token: Int64
        /// The hash of the row's own key.
        var key: UInt64
        /// The hash of the key that it waits for.
        var awaited: UInt64
    }

    /// The rows of the last entries; those of the others are kept elsewhere.
    let rows: RowBatch
    /// Rows that were read back.
    let recalled: RowBatch
    private(set) var recalledPlaces: [Int: Int] = [:]
    private(set) var entries: [Entry] = []
    /// How many of the first entries' rows are kept elsewhere.
    private(set) var spilled = 0
    /// Who waits for whom, once the rows are being settled.
    var waiting = WaitingRows([])
    private var keys: Set<UInt64> = []
    private let memoryBytes: Int

    init(width: Int, memoryBytes: Int) {
        rows = RowBatch(width: width, capacity: 16)
        recalled = RowBatch(width: width, capacity: 16)
        self.memoryBytes = memoryBytes
    }

    /// Whether an earlier row with that key waits, so that this one must wait behind it.
    func isWaiting(key: UInt64) -> Bool { keys.contains(key) }

    /// Whether rows are to be kept elsewhere.
    var isOverMemory: Bool { rows.byteCount > memoryBytes }

    mutating func add(
        _ batch: RowBatch, _ place: Int, token: Int64, key: UInt64, until awaited: UInt64
    ) {
        rows.addCopy(of: place, from: batch)
        note(entry: Entry(token: token, key: key, awaited: awaited))
    }

    /// Notes whose row was added last.
    mutating func note(entry: Entry) {
        entries.append(entry)
        keys.insert(entry.key)
    }

    /// Forgets the rows, which are all kept elsewhere.
    mutating func forgetRows() {
        rows.removeAll()
        spilled = entries.count
    }

    /// Takes the entries to be settled; rows that come later wait anew.
    mutating func takeEntries() -> [Entry] {
        defer {
            entries = []
            keys = []
        }
        return entries
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
    /// Leave the link empty for now where it names a row that waits, and else decide.
    ///
    /// - Parameter ownKey: the row's, which it may name itself.
    case breakCycle(ownKey: UInt64)
}
