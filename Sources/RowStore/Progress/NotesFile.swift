import Diagnostics
import Files
package import SQLite

/// A file next to the store with the notes of a run, used until the run changes the store.
///
/// A run that changes nothing thus leaves the bytes of the store unchanged. The first save that
/// changes a row moves the notes into the store (see `ProgressNotes`) and removes the file. A store
/// that already has notes gets no file.
///
/// The file records the store's state, because a resumed run must not skip records if the user has
/// restored an older store. If the store's size or modification time differs, the file is ignored,
/// and the next run only reads the records again that changed nothing.
package struct NotesFile {
    /// The schema name under which the file is attached.
    static let schema = "etl_notes"

    private let storePath: String
    private var path: String { CompanionFile.progress.path(of: storePath) }

    /// Creates a reference to the file next to a store, which may not exist.
    package init(nextToStoreAt path: String) {
        storePath = StoreFiles.resolved(path)
    }

    static func isAttached(to connection: Connection) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT count(*) FROM pragma_database_list WHERE name = '\(schema)'") == 1
    }

    /// Attaches the file to the connection that writes to the store, and creates it if it is
    /// missing or outdated.
    ///
    /// Sets `synchronous` to `FULL`, so that the save that moves the notes into the store is on the
    /// disk before the file loses them.
    ///
    /// - Returns: `false` if the notes must be in the store, because it already has notes, because
    ///   other connections use it, or because the file cannot be created.
    func attach(to connection: Connection) throws(StoreError) -> Bool {
        guard hasPossibleName else { return false }
        let hasNotes = try ProgressNotes.exist(on: connection)
        if !hasNotes {
            // A later checkpoint of the WAL would change the store and make the notes outdated.
            try connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
        }
        guard !hasNotes, let state else {
            try remove()
            return false
        }
        if try savedState() != state { try remove() }
        if !FileSystem.exists(path) { try StoreFiles.create(path, withRightsOf: storePath) }
        do throws(StoreError) {
            try connection.attach(path, as: Self.schema)
            try connection.execute(
                """
                PRAGMA \(Self.schema).synchronous = FULL;
                PRAGMA main.synchronous = FULL;
                BEGIN;
                CREATE TABLE IF NOT EXISTS \(Self.schema).ETL_STORE (STATE TEXT);
                DELETE FROM \(Self.schema).ETL_STORE;
                INSERT INTO \(Self.schema).ETL_STORE VALUES ('\(state)');
                COMMIT
                """)
            return true
        } catch {
            // Report the original error, even if the rollback fails.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            guard error.isCannotOpen else { throw error }
            return false
        }
    }

    /// Opens a connection to the file; `nil` if the file is missing or does not fit the store.
    func connection() throws(StoreError) -> Connection? {
        guard let state, try savedState() == state else { return nil }
        return try Connection(path: path, mode: .readWrite)
    }

    /// Moves the notes into the store, in the open transaction.
    static func moveIntoStore(on connection: Connection) throws(StoreError) {
        // Cached statements refer to the table in the file.
        connection.clearStatementCache()
        try connection.execute(
            """
            \(ProgressNotes.creation(in: "main"));
            INSERT INTO main.\(ProgressNotes.table) SELECT * FROM \(schema).\(ProgressNotes.table);
            DELETE FROM \(schema).\(ProgressNotes.table)
            """)
    }

    /// Detaches and removes the file; call it outside a transaction.
    ///
    /// - Parameter synchronous: The `synchronous` setting of later saves to the store.
    func detach(
        from connection: Connection, _ synchronous: StoreOptions.Synchronous
    ) throws(StoreError) {
        connection.clearStatementCache()
        try connection.execute(
            "PRAGMA main.synchronous = \(synchronous.rawValue); DETACH \(Self.schema)")
        try remove()
    }

    /// Removes the file, if it exists.
    package func remove() throws(StoreError) {
        guard hasPossibleName else { return }
        try StoreFiles.removeStore(path)
    }

    /// Whether the file name is within the limit of the file system; a very long store name exceeds
    /// it.
    private var hasPossibleName: Bool {
        PathText.lastComponent(path).utf8.count + "-journal".utf8.count
            <= FileName.componentBytesMax
    }

    /// Whether there is a file, and the store has a log.
    package var isBehindLog: Bool { FileSystem.exists(path) && StoreFiles.hasFilledLog(storePath) }

    /// A string that changes if another process writes to the store; `nil` if the WAL is not empty.
    private var state: String? {
        guard !StoreFiles.hasFilledLog(storePath) else { return nil }
        // Excludes the inode number, so that a project copied with its times has the same state.
        return StoreFiles.stamp(storePath).dropFirst().map(String.init).joined(separator: " ")
    }

    /// Returns the store's state that the file records.
    private func savedState() throws(StoreError) -> String? {
        guard StoreFiles.size(path) > 0 else { return nil }
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            return try connection.text("SELECT STATE FROM ETL_STORE")
        } catch {
            // A killed process may have left a file without the table.
            switch error.code {
            case .busy, .inputOutput, .full, .permission, .resources: throw error
            default: return nil
            }
        }
    }
}

extension NotesFile {
    /// Moves the content of the store's WAL into the store.
    package static func foldLog(on connection: Connection) throws(StoreError) {
        try connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    }

    /// Copies the notes into a copy of the store.
    package func copyNotes(into copy: String) throws(StoreError) {
        guard let file = try connection() else { return }
        guard try ProgressNotes.exist(on: file) else { return }
        let target = try Connection(path: copy, mode: .readWrite)
        try target.execute("BEGIN; \(ProgressNotes.creation(in: "main"))")
        let rows = try file.prepare("SELECT KIND, NUMBER, VALUE FROM \(ProgressNotes.table)")
        while try rows.step() {
            try ProgressNotes.write(
                rows.string(0), rows.integer(1), Array(rows.bytes(2)), on: target)
        }
        try target.execute("COMMIT")
    }
}
