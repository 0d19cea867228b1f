import SQLite

/// The difference of each changed row from its original state before the load.
///
/// Every change adds a hash of the old value and a hash of the new value by exclusive or. If the
/// sum is zero again, the row is in its original state: later records with the same key have undone
/// the earlier ones. A record is therefore counted by its row's net change, regardless of the batch
/// size.
///
/// Rows beyond the memory limit are stored in a temporary table, in the order of their keys. The
/// table is read only for rows that were changed before; otherwise records in random order would
/// read a page each.
struct RowDiffs {
    /// The difference of a row from its original state, and whether the load has raised the row's
    /// version since then.
    struct State {
        var distance: UInt64 = 0
        var isRaised = false
    }

    /// The memory per row, including the overhead of the dictionary while it grows.
    private static let rowBytes = 64

    private let table: LoadTable
    private let rowsMax: Int
    /// The states, by row, that are not yet in the temporary table or are newer than those in it.
    private var recent: [Int64: State] = [:]
    private var hasSpilled = false
    /// Whether rows may be changed by other records than their own.
    private(set) var isShared = false

    init(on connection: Connection, memoryBytes: Int) {
        table = LoadTable(
            "NUMBER INTEGER PRIMARY KEY, DISTANCE INTEGER, RAISED INTEGER", on: connection)
        rowsMax = max(1, memoryBytes / Self.rowBytes)
    }

    /// Notes that rows are changed by other records than their own.
    mutating func noteSharing() { isShared = true }

    /// Adds a change, and returns the new state.
    mutating func change(
        _ primaryKey: Int64, by difference: UInt64, raises: Bool
    ) throws(StoreError) -> State {
        var state = try state(primaryKey)
        state.distance ^= difference
        state.isRaised = state.isRaised || raises
        try set(primaryKey, state)
        return state
    }

    /// Adds the first change of a row, and returns its state.
    mutating func begin(
        _ primaryKey: Int64, by difference: UInt64, raises: Bool
    ) throws(StoreError) -> State {
        let state = State(distance: difference, isRaised: raises)
        try set(primaryKey, state)
        return state
    }

    /// Returns the state of a row.
    func state(_ primaryKey: Int64) throws(StoreError) -> State {
        if let state = recent[primaryKey] { return state }
        guard hasSpilled else { return State() }
        let select = try table.connection.cached(
            "SELECT DISTANCE, RAISED FROM \(table.name) WHERE NUMBER = ?")
        select.bind(primaryKey, at: 1)
        defer { select.reset() }
        guard try select.step() else { return State() }
        return State(
            distance: UInt64(bitPattern: select.integer(0)),
            isRaised: select.integer(1) != 0)
    }

    /// Sets the state of a row.
    mutating func set(_ primaryKey: Int64, _ state: State) throws(StoreError) {
        if recent.count >= rowsMax, recent[primaryKey] == nil { try spill() }
        recent[primaryKey] = state
    }

    /// Returns whether the row differs from its original state.
    func isChanged(_ primaryKey: Int64) throws(StoreError) -> Bool {
        try state(primaryKey).distance != 0
    }

    /// Removes a row that is back in its original state.
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
            insert.bind(Int64(state.isRaised ? 1 : 0), at: 3)
            try insert.run()
        }
        recent.removeAll(keepingCapacity: true)
        hasSpilled = true
    }
}
