import SQLite

/// The token, the key, the awaited key, and the names (`RowNames`) of each deferred row, by its
/// index.
///
/// They are stored in temporary tables, so that their number is not limited by memory.
final class DeferredRowIndex {
    struct Entry {
        var token: Int64
        /// The hash of the row's own key.
        var key: UInt64
        /// The hash of the key or name that the row waits for.
        var awaited: UInt64
    }

    private struct Statements {
        let entry: Statement
        let wait: Statement
        let withKey: Statement
        let awaiting: Statement
        /// The name queries; `nil` if no row has a name.
        let withName: Statement?
        let hasName: Statement?
    }

    private let table: LoadTable
    private let nameTable: LoadTable
    private var hasNames = false
    private var statements: Statements?
    /// The number of entries, and the position that the next entry gets.
    private(set) var count = 0

    init(_ connection: Connection) {
        table = LoadTable(
            "PLACE INTEGER PRIMARY KEY, TOKEN INTEGER, KEY INTEGER, AWAITED INTEGER",
            on: connection)
        nameTable = LoadTable("NAME INTEGER, PLACE INTEGER", on: connection)
    }

    /// Adds entries.
    ///
    /// - Parameter names: Returns the names of an entry, by its position in `entries`.
    func append(_ entries: [Entry], names: (Int) -> [UInt64]) throws(StoreError) {
        guard !entries.isEmpty else { return }
        try table.make()
        var insertName: Statement?
        let insert = try table.connection.cached("INSERT INTO \(table.name) VALUES (?, ?, ?, ?)")
        for (position, entry) in entries.enumerated() {
            for name in names(position) {
                if insertName == nil { insertName = try prepareNames() }
                insertName?.bind(Int64(bitPattern: name), at: 1)
                insertName?.bind(Int64(count), at: 2)
                try insertName?.run()
            }
            insert.bind(Int64(count), at: 1)
            insert.bind(entry.token, at: 2)
            insert.bind(Int64(bitPattern: entry.key), at: 3)
            insert.bind(Int64(bitPattern: entry.awaited), at: 4)
            try insert.run()
            count += 1
        }
    }

    private func prepareNames() throws(StoreError) -> Statement {
        try nameTable.make()
        hasNames = true
        return try table.connection.cached("INSERT INTO \(nameTable.name) VALUES (?, ?)")
    }

    /// Creates the indexes and statements for the queries below, when no more entries follow.
    func makeIndexes() throws(StoreError) {
        let (connection, name, names) = (table.connection, table.name, nameTable.name)
        let bare = name.dropFirst("temp.".count)
        let isNamed = hasNames
        try connection.withSmallSorter { () throws(StoreError) in
            for column in ["KEY", "AWAITED"] {
                try connection.execute("CREATE INDEX \(name)_\(column) ON \(bare) (\(column))")
            }
            guard isNamed else { return }
            try connection.execute(
                "CREATE INDEX \(names)_NAME ON \(names.dropFirst("temp.".count)) (NAME, PLACE)")
        }
        statements = Statements(
            entry: try connection.prepare(
                "SELECT TOKEN, KEY, AWAITED FROM \(name) WHERE PLACE = ?"),
            wait: try connection.prepare(
                "UPDATE \(name) SET AWAITED = ?1 WHERE PLACE = ?2 AND AWAITED <> ?1"),
            withKey: try connection.prepare(
                "SELECT PLACE FROM \(name) WHERE KEY = ? ORDER BY PLACE"),
            awaiting: try connection.prepare(
                "SELECT PLACE FROM \(name) WHERE AWAITED = ? ORDER BY PLACE"),
            withName: hasNames
                ? try connection.prepare(
                    "SELECT PLACE FROM \(names) WHERE NAME = ? ORDER BY PLACE") : nil,
            hasName: hasNames
                ? try connection.prepare("SELECT 1 FROM \(names) WHERE NAME = ? AND PLACE = ?")
                : nil)
    }

    /// Removes all entries, of which there is at least one.
    func removeAll() throws(StoreError) {
        statements = nil
        count = 0
        table.connection.clearStatementCache()
        try table.connection.execute("DROP TABLE IF EXISTS \(table.name)")
        guard hasNames else { return }
        hasNames = false
        try table.connection.execute("DROP TABLE IF EXISTS \(nameTable.name)")
    }

    // MARK: Queries

    subscript(place: Int) -> Entry {
        get throws(StoreError) {
            let select = try indexed.entry
            select.bind(Int64(place), at: 1)
            defer { select.reset() }
            guard try select.step() else { throw Self.lost }
            return Entry(
                token: select.integer(0), key: UInt64(bitPattern: select.integer(1)),
                awaited: UInt64(bitPattern: select.integer(2)))
        }
    }

    /// Sets the key that a row waits for.
    func wait(_ place: Int, for key: UInt64) throws(StoreError) {
        let update = try indexed.wait
        update.bind(Int64(bitPattern: key), at: 1)
        update.bind(Int64(place), at: 2)
        try update.run()
    }

    /// Returns the first index with the key that matches a condition.
    func firstPlace(
        key: UInt64, where holds: (Int) -> Bool
    ) throws(StoreError) -> Int? {
        try firstPlace(indexed.withKey, key, where: holds)
    }

    /// Returns the first index with the name that matches a condition.
    func firstPlace(
        name: UInt64, where holds: (Int) -> Bool
    ) throws(StoreError) -> Int? {
        guard let select = try indexed.withName else { return nil }
        return try firstPlace(select, name, where: holds)
    }

    private func firstPlace(
        _ select: Statement, _ key: UInt64, where holds: (Int) -> Bool
    ) throws(StoreError) -> Int? {
        select.bind(Int64(bitPattern: key), at: 1)
        defer { select.reset() }
        while try select.step() {
            let place = Int(select.integer(0))
            if holds(place) { return place }
        }
        return nil
    }

    /// Returns the indexes with the key, in ascending order.
    func places(key: UInt64) throws(StoreError) -> [Int] {
        try places(indexed.withKey, key)
    }

    /// Returns whether a row has the key or name.
    func has(_ place: Int, _ key: UInt64) throws(StoreError) -> Bool {
        if try self[place].key == key { return true }
        guard let select = try indexed.hasName else { return false }
        select.bind(Int64(bitPattern: key), at: 1)
        select.bind(Int64(place), at: 2)
        defer { select.reset() }
        return try select.step()
    }

    /// Returns the indexes of the rows that wait, or last waited, for the key or name, in ascending
    /// order.
    func places(awaiting key: UInt64) throws(StoreError) -> [Int] {
        try places(indexed.awaiting, key)
    }

    private func places(_ select: Statement, _ key: UInt64) throws(StoreError) -> [Int] {
        select.bind(Int64(bitPattern: key), at: 1)
        defer { select.reset() }
        var places: [Int] = []
        while try select.step() { places.append(Int(select.integer(0))) }
        return places
    }

    private var indexed: Statements {
        get throws(StoreError) {
            guard let statements else { throw Self.lost }
            return statements
        }
    }

    /// The error if a row that this load wrote cannot be read back.
    static var lost: StoreError {
        StoreError(.corrupt, "A row that waits is not where it was kept")
    }
}
