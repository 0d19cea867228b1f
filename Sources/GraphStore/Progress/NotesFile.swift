import Diagnostics
import Files
import SQLite

/// The notes of a run in a file next to its store, as long as the run has changed nothing there.
///
/// So a run that changes nothing leaves the bytes of the store as they are. The first save that
/// changes something takes the notes into the store (see `ProgressNotes`), and the file goes. A
/// store that has notes already gets no such file.
///
/// Positions in it are of use only as long as nobody has written to the store: who restores an
/// older store must not have records skipped. If the store's size or time is another one, the file
/// is ignored; all that is lost then is the reading of records that changed nothing.
struct NotesFile {
    /// What SQL calls the file where it is attached.
    static let schema = "etl_notes"

    private let storePath: String
    private var path: String { CompanionFile.progress.path(of: storePath) }

    init(besideStoreAt path: String) {
        storePath = StoreFiles.resolved(path)
    }

    static func isAttached(to connection: Connection) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT count(*) FROM pragma_database_list WHERE name = '\(schema)'") == 1
    }

    /// Attaches the file to the connection that writes to the store, and makes it where it is
    /// missing or out of date.
    ///
    /// The save that takes the notes into the store is on the disk before they are gone here.
    ///
    /// - Returns: false where notes must stand in the store: because there are some, because others
    ///   are at work there, or because no file can be made.
    func attach(to connection: Connection) throws(StoreError) -> Bool {
        guard hasPossibleName else { return false }
        let hasNotes = try ProgressNotes.exist(on: connection)
        if !hasNotes {
            // Folded in later, the log would change the store behind the notes.
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
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            guard error.isCannotOpen else { throw error }
            return false
        }
    }

    /// A connection to the file; nil where there is none that fits the store.
    func connection() throws(StoreError) -> Connection? {
        guard let state, try savedState() == state else { return nil }
        return try Connection(path: path, mode: .readWrite)
    }

    /// Moves the notes into the store, in the open transaction.
    static func moveIntoStore(on connection: Connection) throws(StoreError) {
        // Statements that are kept know the table in the file.
        connection.clearStatementCache()
        try connection.execute(
            """
            \(ProgressNotes.creation(in: "main"));
            INSERT INTO main.\(ProgressNotes.table) SELECT * FROM \(schema).\(ProgressNotes.table);
            DELETE FROM \(schema).\(ProgressNotes.table)
            """)
    }

    /// Lets go of the file, outside a transaction, and removes it.
    ///
    /// - Parameter synchronous: what saves to the store wait for from now on.
    func detach(
        from connection: Connection, _ synchronous: StoreOptions.Synchronous
    ) throws(StoreError) {
        connection.clearStatementCache()
        try connection.execute(
            "PRAGMA main.synchronous = \(synchronous.rawValue); DETACH \(Self.schema)")
        try remove()
    }

    /// Removes the file; nothing happens where there is none.
    func remove() throws(StoreError) {
        guard hasPossibleName else { return }
        for suffix in ["", "-journal"] { try StoreFiles.remove(path + suffix) }
    }

    /// Whether the name is not too long for a file; next to a store with a very long name it is.
    private var hasPossibleName: Bool {
        PathText.lastComponent(path).utf8.count + "-journal".utf8.count
            <= FileName.componentBytesMax
    }

    /// Whether there is a file, and the store has a log.
    var isBehindLog: Bool { FileSystem.exists(path) && StoreFiles.size(storePath + "-wal") > 0 }

    /// Differs when somebody has written to the store; nil where its log holds something.
    private var state: String? {
        guard StoreFiles.size(storePath + "-wal") == 0 else { return nil }
        // Without the file's number: a project that is copied with its times stays as it is.
        return StoreFiles.stamp(storePath).dropFirst().map(String.init).joined(separator: " ")
    }

    /// What the file says of the store.
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

extension PersistentContainer {
    /// Lets the notes of a run stand next to the store until the run changes something there.
    package func keepProgressNotesBeside() throws(StoreError) {
        guard storeDescription.kind == .sqlite, schema.isOurs, parts.isEmpty,
            !storeDescription.options.isReadOnly
        else { return }
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        guard !session.notesAreBeside else { return }
        session.notesAreBeside = try NotesFile(besideStoreAt: path).attach(to: session.connection)
    }

    /// Folds in what a save that failed has left of the log, behind which notes next to the store would
    /// seem to be out of date.
    func foldLogBehindNotes() throws(StoreError) {
        guard !storeDescription.options.isReadOnly, schema.isOurs,
            NotesFile(besideStoreAt: path).isBehindLog
        else { return }
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        try session.connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    }

    /// Makes the notes of a run that begins durable: after a loss of power, whoever completes the run
    /// must find its rejects.
    package func makeProgressNotesDurable() throws(StoreError) {
        let session = try beginWriting()
        session.rollback()
        let isDurable = session.notesAreBeside
        endWriting()
        if !isDurable { try checkpoint() }
    }

    /// Removes the file next to the store if the notes in it have been removed.
    package func removeEmptyProgressFile() throws(StoreError) {
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        guard session.notesAreBeside else { return }
        guard try !ProgressNotes.exist(on: session.connection) else { return }
        try NotesFile(besideStoreAt: path).detach(
            from: session.connection, storeDescription.options.synchronous)
        session.notesAreBeside = false
    }

    /// Removes the notes next to a store whose place another has taken.
    package static func removeProgressFile(besideStoreAt path: String) throws(StoreError) {
        try NotesFile(besideStoreAt: path).remove()
    }

    /// Puts the notes next to a store into a copy of it.
    package static func copyProgressNotes(
        besideStoreAt path: String, into copy: String
    ) throws(StoreError) {
        guard let file = try NotesFile(besideStoreAt: path).connection() else { return }
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
