internal import Files
package import GraphModel
package import SQLitePages
internal import CSQLite

/// Finished pages in the file of an open connection.
///
/// An index on a filled table cannot be created empty. Its b-tree therefore begins as a table
/// without row IDs, which has the same pages, and becomes the index after it was filled:
/// ```
/// try connection.leaveLog()
/// try connection.writing { try connection.createTree("T", descending: [false]) }
/// let filled = try connection.fill(["T"], reading: ["TABLE"]) { file in … }.get()
/// try connection.writing { try connection.turn([("T", index)], filled: filled) }
/// ```
/// If the process is killed in between, the tables are left, which any other process may drop.
extension Connection {
    /// An index as SQLite stores it in its schema.
    package struct StoredIndex {
        let name: String
        let table: String
        let sql: String

        /// Creates the description of an index.
        ///
        /// - Parameter sql: the text from `CREATE` on, as SQLite stores it: without `IF NOT EXISTS`.
        package init(name: String, table: String, sql: String) {
            self.name = name
            self.table = table
            self.sql = sql
        }
    }

    /// The main database's file while no other connection can use it.
    package struct LockedFile {
        /// The pages of the file.
        package let storage: any PageStorage
        /// The writer of its new pages.
        package let pages: PageAppender
        /// The root pages of the tables and indexes, by name.
        fileprivate let roots: [String: UInt32]
        /// The number of pages before the first new one.
        package let pageCount: UInt32
        fileprivate let path: String

        /// Returns the root page of a table or an index that was named when the file was locked.
        package func root(_ name: String) throws(PageFault) -> UInt32 {
            guard let root = roots[name] else { throw .unsuitable("there is no \(name)") }
            return root
        }

        /// Opens the file once more, for another thread; `nil` if that is not possible.
        package func openForThread() -> ThreadStorage? { ThreadStorage(path) }
    }

    /// The pages of a file that another connection has locked, for one thread.
    ///
    /// It has a connection of its own, which never locks the file: SQLite reads some files by
    /// moving a position, which two threads must not do at the same time.
    package final class ThreadStorage: PageStorage, Sendable {
        // Only one thread uses it, until it releases it.
        private nonisolated(unsafe) let connection: Connection
        // Used like the connection.
        private nonisolated(unsafe) let file: OpenFile

        fileprivate init?(_ path: String) {
            guard let connection = try? Connection(path: path, mode: .readOnly),
                let file = connection.openFile()
            else { return nil }
            self.connection = connection
            self.file = file
        }

        /// Fills a buffer with the bytes at an offset.
        package func read(
            _ room: UnsafeMutableRawBufferPointer, at offset: Int64
        ) throws(PageFault) {
            try file.read(room, at: offset)
        }

        /// Writes bytes at an offset.
        package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(PageFault) {
            try file.write(bytes, at: offset)
        }

        /// Waits until the written bytes are on the disk.
        package func synchronize() throws(PageFault) { try file.synchronize() }
    }

    /// The journal mode of the main database, in lowercase.
    package func journalMode() throws(StoreError) -> String {
        try text("PRAGMA main.journal_mode") ?? ""
    }

    /// Moves the WAL into the file and leaves the WAL mode, without waiting for other connections.
    ///
    /// - Returns: whether the file has no WAL now; it keeps it if another connection is open.
    package func leaveLog() throws(StoreError) -> Bool {
        clearStatementCache()
        return try withoutWaiting { () throws(StoreError) in
            do throws(StoreError) {
                return try text("PRAGMA main.journal_mode = DELETE") == "delete"
            } catch {
                guard error.code == .busy else { throw error }
                return false
            }
        }
    }

    /// Returns whether the database is in WAL mode and no other connection has opened it, so that
    /// `leaveLog()` would succeed after the open transaction.
    package func isAloneInLog() throws(StoreError) -> Bool {
        try journalMode() == "wal" && etl_is_only_connection(handle) != 0
    }

    /// Returns to the WAL mode.
    package func enterLog() throws(StoreError) {
        try execute("PRAGMA main.journal_mode = WAL")
    }

    /// Whether a table has rows.
    package func hasRows(_ table: String) throws(StoreError) -> Bool {
        try integer("SELECT 1 FROM \(Self.quoted(table)) LIMIT 1") != nil
    }

    /// The size of the main database's file in pages, and of a page in bytes.
    package func pageCounts() throws(StoreError) -> (count: Int64, bytes: Int64) {
        (
            try integer("PRAGMA main.page_count") ?? 0,
            try integer("PRAGMA main.page_size") ?? 0
        )
    }

    /// Gives the free pages of the main database back to the system.
    ///
    /// - Parameter count: the maximum number of pages.
    package func shrinkFile(byPages count: Int64) throws(StoreError) {
        let statement = try prepare("PRAGMA main.incremental_vacuum(\(count))")
        while try statement.step() {}
    }

    /// Creates an empty tree for an index, inside the open transaction.
    ///
    /// - Parameter descending: for each column of the index, whether its order is descending.
    package func createTree(_ name: String, descending: [Bool]) throws(StoreError) {
        try dropTree(name)
        let columns = descending.indices.map { "C\($0)" }
        let keys = zip(columns, descending).map { $0 + ($1 ? " DESC" : "") } + ["R"]
        try execute(
            "CREATE TABLE \(Self.quoted(name)) (\(columns.joined(separator: ", ")), R, "
                + "PRIMARY KEY (\(keys.joined(separator: ", ")))) WITHOUT ROWID")
    }

    /// Drops a tree that has not become an index.
    package func dropTree(_ name: String) throws(StoreError) {
        try execute("DROP TABLE IF EXISTS main.\(Self.quoted(name))")
    }

    /// Turns filled trees into indexes, inside the open transaction.
    ///
    /// - Parameter filled: the file's change counter after the trees were filled.
    /// - Returns: false if a connection has written since; then the trees lack its rows.
    package func turn(
        _ trees: [(name: String, index: StoredIndex)], filled: UInt32
    ) throws(StoreError) -> Bool {
        guard try changeCounter() == filled else { return false }
        try withWritableSchema { () throws(StoreError) in
            let turn = try prepare(
                "UPDATE main.sqlite_master SET type = 'index', name = ?, tbl_name = ?, sql = ?"
                    + " WHERE type = 'table' AND name = ?")
            for (name, index) in trees {
                for (place, text) in [index.name, index.table, index.sql, name].enumerated() {
                    turn.bind(text, at: Int32(place + 1))
                }
                try turn.run()
            }
            // Other connections read the schema again if its version changes.
            let version = try integer("PRAGMA main.schema_version") ?? 0
            try execute("PRAGMA main.schema_version = \(version + 1)")
        }
        return true
    }

    /// Runs a body whose statements may change the table of the schema.
    package func withWritableSchema(
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let before = etl_set_defensive(handle, 0)
        defer { _ = etl_set_defensive(handle, before) }
        try execute("PRAGMA writable_schema = ON")
        // SQLite clears the flag before anything that can fail, except for a lack of memory.
        defer { try? execute("PRAGMA writable_schema = RESET") }
        try body()
    }

    /// Returns the number of commits that the file's header counts; a file in WAL mode does not
    /// count them.
    private func changeCounter() throws(StoreError) -> UInt32? {
        guard let file = openFile() else { return nil }
        var counter: UInt32 = 0
        let result = withUnsafeMutableBytes(of: &counter) { room in
            Result { () throws(PageFault) in
                try file.read(room, at: PageFormat.changeCounterOffset)
            }
        }
        guard case .success = result else { return nil }
        return UInt32(bigEndian: counter)
    }

    private func openFile() -> OpenFile? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file.map(OpenFile.init)
    }

    /// Locks out all other connections, and runs a body that fills empty trees.
    ///
    /// The file must have no WAL. If the body fails, or the process is killed, SQLite restores the
    /// file when it is used next.
    ///
    /// - Parameters:
    ///   - empty: the names of tables and indexes without rows.
    ///   - tables: the names of tables to read.
    /// - Returns: the file's change counter when the pages are on the disk; or the reason why
    ///   nothing was written.
    package func fill(
        _ empty: [String], reading tables: [String], _ body: (LockedFile) throws -> Void
    ) throws -> Result<UInt32, PageFault> {
        guard let path = fileName else { return .failure(.unsuitable("it is not a file")) }
        do throws(StoreError) {
            try execute("BEGIN EXCLUSIVE")
        } catch {
            guard error.code == .busy else { throw error }
            return .failure(.storage(SQLITE_BUSY))
        }
        // SQLite has written nothing, so both ways to end the transaction only unlock the file.
        defer { try? execute("ROLLBACK") }
        guard let storage = openFile() else { return .failure(.unsuitable("it is not a file")) }
        var roots: [String: UInt32] = [:]
        let find = try prepare("SELECT rootpage FROM main.sqlite_master WHERE name = ?")
        for name in empty + tables {
            find.bind(name, at: 1)
            guard try find.step() else {
                return .failure(.unsuitable("there is no \(name)"))
            }
            roots[name] = UInt32(clamping: find.integer(0))
            find.reset()
        }
        do {
            let pages = try PageAppender(
                storage, roots: empty.compactMap { roots[$0] }, journal: FileName(path))
            try body(
                LockedFile(
                    storage: storage, pages: pages, roots: roots, pageCount: pages.pageCount,
                    path: path))
            return .success(try pages.commit())
        } catch let fault as PageFault {
            return .failure(fault)
        }
    }
}

/// The file of an open connection, read and written by SQLite's own methods.
///
/// See <https://www.sqlite.org/c3ref/io_methods.html>.
private struct OpenFile: PageStorage {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    init(_ file: UnsafeMutablePointer<sqlite3_file>) {
        self.file = file
        methods = file.pointee.pMethods.pointee
    }

    func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(PageFault) {
        try check(methods.xRead(file, room.baseAddress, Int32(room.count), offset))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(PageFault) {
        try check(methods.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset))
    }

    func synchronize() throws(PageFault) {
        try check(methods.xSync(file, SQLITE_SYNC_NORMAL))
    }

    private func check(_ result: Int32) throws(PageFault) {
        guard result == SQLITE_OK else { throw .storage(result) }
    }
}
