package import GraphModel
internal import CSQLite
internal import Synchronization

/// A connection to an SQLite file, used by one thread at a time.
///
/// The file is closed when the connection and its last statement are released.
package final class Connection {
    /// The mode in which a file is opened.
    package enum Mode: Sendable {
        case readOnly
        case readWrite
        /// Creates the file if it is missing.
        case create
    }

    /// The numbers of this process's open connections.
    private struct Open {
        var last: UInt64 = 0
        var numbers: Set<UInt64> = []
    }

    private static let open = Mutex(Open())

    let handle: OpaquePointer
    /// A number that no other connection of this process has or had.
    package let number: UInt64
    /// The file's path as given, which may be a URI.
    package let path: String
    private var cache: [String: Statement] = [:]
    /// The names of the registered collations and functions.
    var registered: Set<String> = []
    /// The handle that interrupts running statements from any thread.
    package let interrupter: InterruptHandle
    let watched = WatchedFlag()
    /// The wait for locks, if no fixed timeout is set.
    var lockWait: LockWait?
    /// The fixed time to wait for a lock in milliseconds, if `lockWait` is `nil`.
    private(set) var busyTimeout: Int32 = 5_000
    /// The observer of each statement, if statements are traced.
    var tracer: Tracer?

    /// The number of rows inserted, updated, and deleted since the connection was opened.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The part of `totalChanges` that does not change data, as reported by the code that writes
    /// it.
    package var changesApart: Int64 = 0

    /// Opens a file.
    ///
    /// - Parameter isURI: whether the path is a URI with parameters
    ///   (https://www.sqlite.org/uri.html).
    package init(path: String, mode: Mode, isURI: Bool = false) throws(StoreError) {
        let access =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let naming = isURI ? SQLITE_OPEN_URI : 0
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(
            isURI ? path : Self.fileName(path), &opened,
            access | naming | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            let systemError = opened.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(opened)
            throw StoreError(resultCode: result, message: message, systemError: systemError)
        }
        handle = opened
        number = Self.open.withLock { open in
            open.last += 1
            open.numbers.insert(open.last)
            return open.last
        }
        interrupter = InterruptHandle(opened)
        self.path = path
        sqlite3_busy_timeout(handle, busyTimeout)
        let registered = BoundFunction.register(on: handle, watching: watched)
        guard registered == SQLITE_OK else { throw error(registered, sql: nil) }
    }

    /// Opens an in-memory database, which no other connection sees.
    package convenience init() throws(StoreError) {
        try self.init(path: "file::memory:", mode: .create, isURI: true)
    }

    /// Attaches the database of a file.
    ///
    /// - Parameter name: its schema name in statements.
    package func attach(_ path: String, as name: String) throws(StoreError) {
        let statement = try prepare("ATTACH ? AS \(name)")
        statement.bind(Self.fileName(path), at: 1)
        try statement.run()
    }

    /// Returns a path that SQLite treats as a file; `:memory:` and `file:…` have other meanings.
    private static func fileName(_ path: String) -> String {
        path.utf8.starts(with: ":".utf8) || path.utf8.starts(with: "file:".utf8)
            ? "./" + path : path
    }

    deinit {
        _ = Self.open.withLock { $0.numbers.remove(number) }
        cache.removeAll()
        interrupter.close()
        // Statements may outlive the connection, but the objects that its callbacks use do not.
        if lockWait != nil { sqlite3_busy_handler(handle, nil, nil) }
        if tracer != nil { sqlite3_trace_v2(handle, 0, nil, nil) }
        if watchedFlag != nil { sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_close_v2(handle)
    }

    /// The file's absolute path, however it was given; `nil` for an in-memory database.
    ///
    /// See <https://www.sqlite.org/c3ref/db_filename.html>.
    package var fileName: String? {
        guard let name = sqlite3_db_filename(handle, "main"),
            // A shared in-memory database has a name, too.
            sqlite3_uri_parameter(name, "vfs") == nil
        else { return nil }
        let text = String(cString: name)
        return text.isEmpty ? nil : text
    }

    /// Returns a name as a quoted SQL identifier.
    package static func quoted(_ name: String) -> String {
        enclosed(name, in: "\"")
    }

    /// A text as SQL takes it, whatever it holds.
    package static func literal(_ text: String) -> String {
        enclosed(text, in: "'")
    }

    private static func enclosed(_ text: String, in quote: Character) -> String {
        let parts = text.split(separator: quote, omittingEmptySubsequences: false)
        return "\(quote)\(parts.joined(separator: "\(quote)\(quote)"))\(quote)"
    }

    /// Returns whether a connection of this process is open under this number.
    package static func isOpen(_ number: UInt64) -> Bool {
        open.withLock { $0.numbers.contains(number) }
    }

    /// Runs one or more statements that return no rows.
    package func execute(_ sql: String) throws(StoreError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql: sql) }
    }

    /// Runs the body in a write transaction, and rolls it back if the body fails.
    package func writing(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try body()
            try execute("COMMIT")
        } catch {
            // Throw the original error, even if the rollback fails: SQLite may have rolled back
            // already.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Prepares a statement that this connection does not cache.
    package func prepare(_ sql: String) throws(StoreError) -> Statement {
        try Statement(sql, on: self)
    }

    /// Returns a cached statement, reset and ready to bind.
    ///
    /// Use it for statements that run repeatedly, but not while the same statement is still being
    /// stepped.
    package func cached(_ sql: String) throws(StoreError) -> Statement {
        if let statement = cache[sql] {
            statement.reset()
            return statement
        }
        let statement = try Statement(sql, on: self)
        cache[sql] = statement
        return statement
    }

    /// Releases the cached statements, so that tables can be dropped.
    package func clearStatementCache() {
        cache.removeAll()
    }

    /// Returns the first column of the first row; `nil` if there is no row or the value is NULL.
    package func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Returns the first column of the first row as text; `nil` if there is no row or it is NULL.
    package func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.string(0)
    }

    /// The first column of every row, as text.
    package func texts(_ sql: String) throws(StoreError) -> [String] {
        try Self.texts(of: prepare(sql))
    }

    private static func texts(of rows: Statement) throws(StoreError) -> [String] {
        var found: [String] = []
        while try rows.step() { found.append(rows.string(0)) }
        return found
    }

    /// Returns the columns of a table in their order; empty if the table does not exist.
    ///
    /// - Parameter database: the schema name of the file; `nil` uses the first file with the table.
    package func columnNames(
        of table: String, in database: String? = nil
    ) throws(StoreError) -> [String] {
        let rows = try prepare(
            "SELECT name FROM pragma_table_info(?1\(database == nil ? "" : ", ?2")) ORDER BY cid")
        rows.bind(table, at: 1)
        if let database { rows.bind(database, at: 2) }
        return try Self.texts(of: rows)
    }

    /// Returns whether a table of that name exists.
    ///
    /// - Parameter database: the schema name of the file.
    package func hasTable(
        _ name: String, in database: String = "main"
    ) throws(StoreError) -> Bool {
        let rows = try prepare(
            "SELECT 1 FROM \(database).sqlite_master WHERE type = 'table' AND name = ?")
        rows.bind(name, at: 1)
        return try rows.step()
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Sets the maximum time to wait for another connection's lock.
    package func setBusyTimeout(milliseconds: Int32) {
        busyTimeout = milliseconds
        sqlite3_busy_timeout(handle, milliseconds)
        lockWait = nil
    }

    /// Copies a complete database into another connection's file.
    ///
    /// Uses SQLite's online backup, so other connections can write during the copy.
    ///
    /// - Parameter database: the schema name of the database to copy.
    package func backup(
        to destination: Connection, of database: String = "main"
    ) throws(StoreError) {
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, database) else {
            throw destination.error(sqlite3_extended_errcode(destination.handle), sql: nil)
        }
        let step = sqlite3_backup_step(backup, -1)
        let finish = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, finish == SQLITE_OK else {
            throw destination.error(finish == SQLITE_OK ? step : finish, sql: nil)
        }
    }

    func error(_ code: Int32, sql: String?) -> StoreError {
        StoreError(code, on: handle, sql: sql)
    }
}

extension Connection {
    /// Begins a savepoint, to which a transaction can be rolled back.
    package func begin(savepoint name: String) throws(StoreError) {
        try execute("SAVEPOINT \(name)")
    }

    /// Ends a savepoint and keeps its changes.
    package func release(savepoint name: String) throws(StoreError) {
        try execute("RELEASE \(name)")
    }

    /// Undoes the changes since a savepoint.
    ///
    /// - Parameter ending: whether the savepoint ends, too.
    package func rollBack(toSavepoint name: String, ending: Bool = true) throws(StoreError) {
        try execute("ROLLBACK TO \(name)")
        if ending { try release(savepoint: name) }
    }
}
