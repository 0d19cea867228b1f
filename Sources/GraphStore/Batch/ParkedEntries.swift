import SQLite

/// Of each row that waits, by its place among them: its token, its key, what it waits for.
///
/// They are in a table for temporary data, so that they take no memory however many they are.
final class ParkedEntries {
    struct Entry {
        var token: Int64
        /// The hash of the row's own key.
        var key: UInt64
        /// The hash of the key that it waits for.
        var awaited: UInt64
    }

    private struct Statements {
        let entry: Statement
        let wait: Statement
        let withKey: Statement
        let awaiting: Statement
    }

    private let table: LoadTable
    private var statements: Statements?
    /// How many there are; their places are below it.
    private(set) var count = 0

    init(_ connection: Connection) {
        table = LoadTable(
            "PLACE INTEGER PRIMARY KEY, TOKEN INTEGER, KEY INTEGER, AWAITED INTEGER",
            on: connection)
    }

    func append(_ entries: some Collection<Entry>) throws(SQLiteError) {
        guard !entries.isEmpty else { return }
        try table.make()
        let insert = try table.connection.cached("INSERT INTO \(table.name) VALUES (?, ?, ?, ?)")
        for entry in entries {
            insert.bind(Int64(count), at: 1)
            insert.bind(entry.token, at: 2)
            insert.bind(Int64(bitPattern: entry.key), at: 3)
            insert.bind(Int64(bitPattern: entry.awaited), at: 4)
            try insert.run()
            count += 1
        }
    }

    /// Makes what the questions below are answered with, when no more entries come.
    func makeIndexes() throws(SQLiteError) {
        let (connection, name) = (table.connection, table.name)
        let bare = name.dropFirst("temp.".count)
        try connection.withSmallSorter { () throws(SQLiteError) in
            for column in ["KEY", "AWAITED"] {
                try connection.execute("CREATE INDEX \(name)_\(column) ON \(bare) (\(column))")
            }
        }
        statements = Statements(
            entry: try connection.prepare(
                "SELECT TOKEN, KEY, AWAITED FROM \(name) WHERE PLACE = ?"),
            wait: try connection.prepare(
                "UPDATE \(name) SET AWAITED = ?1 WHERE PLACE = ?2 AND AWAITED <> ?1"),
            withKey: try connection.prepare(
                "SELECT PLACE FROM \(name) WHERE KEY = ? ORDER BY PLACE"),
            awaiting: try connection.prepare(
                "SELECT PLACE FROM \(name) WHERE AWAITED = ? ORDER BY PLACE"))
    }

    func removeAll() throws(SQLiteError) {
        guard count > 0 else { return }
        statements = nil
        count = 0
        table.connection.clearStatementCache()
        try table.connection.execute("DROP TABLE IF EXISTS \(table.name)")
    }

    // MARK: Questions

    subscript(place: Int) -> Entry {
        get throws(SQLiteError) {
            let select = try indexed.entry
            select.bind(Int64(place), at: 1)
            defer { select.reset() }
            guard try select.step() else { throw Self.lost }
            return Entry(
                token: select.integer(0), key: UInt64(bitPattern: select.integer(1)),
                awaited: UInt64(bitPattern: select.integer(2)))
        }
    }

    /// From now on the row waits for that key.
    func wait(_ place: Int, for key: UInt64) throws(SQLiteError) {
        let update = try indexed.wait
        update.bind(Int64(bitPattern: key), at: 1)
        update.bind(Int64(place), at: 2)
        try update.run()
    }

    /// The first place with that key for which something holds.
    func firstPlace(
        key: UInt64, where holds: (Int) -> Bool
    ) throws(SQLiteError) -> Int? {
        let select = try indexed.withKey
        select.bind(Int64(bitPattern: key), at: 1)
        defer { select.reset() }
        while try select.step() {
            let place = Int(select.integer(0))
            if holds(place) { return place }
        }
        return nil
    }

    /// The places with that key, in their order.
    func places(key: UInt64) throws(SQLiteError) -> [Int] {
        try places(indexed.withKey, key)
    }

    /// The places that wait for that key or did so last, in their order.
    func places(awaiting key: UInt64) throws(SQLiteError) -> [Int] {
        try places(indexed.awaiting, key)
    }

    private func places(_ select: Statement, _ key: UInt64) throws(SQLiteError) -> [Int] {
        select.bind(Int64(bitPattern: key), at: 1)
        defer { select.reset() }
        var places: [Int] = []
        while try select.step() { places.append(Int(select.integer(0))) }
        return places
    }

    private var indexed: Statements {
        get throws(SQLiteError) {
            guard let statements else { throw Self.lost }
            return statements
        }
    }

    /// It was written by this load, in this transaction or one before.
    static var lost: SQLiteError {
        SQLiteError(
            extendedCode: 11, message: "A row that waits is not where it was kept", sql: nil)
    }
}
