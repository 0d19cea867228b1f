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

    let rows: RowBatch
    var entries: [Entry] = []
    /// Who waits for whom, once the rows are being settled.
    var waiting = WaitingRows([])
    private var keys: Set<UInt64> = []

    init(width: Int) {
        rows = RowBatch(width: width, capacity: 16)
    }

    /// Whether an earlier row with that key waits, so that this one must wait behind it.
    func isWaiting(key: UInt64) -> Bool { keys.contains(key) }

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
