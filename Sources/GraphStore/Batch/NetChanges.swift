import SQLite

/// Remembers, for each row that a load changed, how far it is from what it was.
///
/// Every change adds (by exclusive or) a hash of what went and a hash of what came. When the sum
/// is zero again, the row is what it was before the load: later records with the same key undid
/// the earlier ones. So a record counts by its row's net change, whatever the batch size.
///
/// Rows that no longer fit its memory are kept in a table for temporary data, in the order of their
/// keys. What is known of a row is looked up there only where another change came before: records
/// in random order would else read a page for each of them.
struct NetChanges {
    /// How far a row is from what it was, and how often the load has written it.
    struct State {
        var distance: UInt64 = 0
        var writes: UInt32 = 0
    }

    /// With what the dictionary takes for itself, also while it grows.
    private static let rowBytes = 64

    private let table: LoadTable
    private let rowsMax: Int
    /// What is newer than the table.
    private var recent: [Int64: State] = [:]
    private var hasSpilled = false
    /// Rows may have been changed by others than their own records.
    private(set) var isShared = false

    init(on connection: Connection, memoryBytes: Int) {
        table = LoadTable(
            "NUMBER INTEGER PRIMARY KEY, DISTANCE INTEGER, WRITES INTEGER", on: connection)
        rowsMax = max(1, memoryBytes / Self.rowBytes)
    }

    /// Notes that rows are changed by others than their own records.
    mutating func share() { isShared = true }

    /// The distance after another change, and how often the row was written so far.
    mutating func change(
        _ primaryKey: Int64, by difference: UInt64, writes: UInt32 = 1
    ) throws(StoreError) -> State {
        var state = try state(primaryKey)
        state.distance ^= difference
        state.writes &+= writes
        try set(primaryKey, state)
        return state
    }

    /// The same for a row that nothing has changed before.
    mutating func begin(_ primaryKey: Int64, by difference: UInt64) throws(StoreError) -> State {
        let state = State(distance: difference, writes: 1)
        try set(primaryKey, state)
        return state
    }

    /// The row's distance from what it was, and how often it was written.
    func state(_ primaryKey: Int64) throws(StoreError) -> State {
        if let state = recent[primaryKey] { return state }
        guard hasSpilled else { return State() }
        let select = try table.connection.cached(
            "SELECT DISTANCE, WRITES FROM \(table.name) WHERE NUMBER = ?")
        select.bind(primaryKey, at: 1)
        defer { select.reset() }
        guard try select.step() else { return State() }
        return State(
            distance: UInt64(bitPattern: select.integer(0)),
            writes: UInt32(truncatingIfNeeded: select.integer(1)))
    }

    /// Takes over what is known of the row.
    mutating func set(_ primaryKey: Int64, _ state: State) throws(StoreError) {
        if recent.count >= rowsMax, recent[primaryKey] == nil { try spill() }
        recent[primaryKey] = state
    }

    /// Whether the row differs from what it was before the load.
    func isChanged(_ primaryKey: Int64) throws(StoreError) -> Bool {
        try state(primaryKey).distance != 0
    }

    /// Forgets the row, which is what it was.
    mutating func forget(_ primaryKey: Int64) throws(StoreError) {
        guard hasSpilled else {
            recent[primaryKey] = nil
            return
        }
        try set(primaryKey, State())
    }

    private mutating func spill() throws(StoreError) {
        try table.make()
        let insert = try table.connection.prepare(
            "INSERT OR REPLACE INTO \(table.name) VALUES (?, ?, ?)")
        for (number, state) in recent.sorted(by: { $0.key < $1.key }) {
            insert.bind(number, at: 1)
            insert.bind(Int64(bitPattern: state.distance), at: 2)
            insert.bind(Int64(state.writes), at: 3)
            try insert.run()
        }
        recent.removeAll(keepingCapacity: true)
        hasSpilled = true
    }
}
