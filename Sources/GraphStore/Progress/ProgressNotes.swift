import SQLite

/// The private notes of a run in its store: its progress, committed with the rows that it wrote.
///
/// They are in the table `ETL_PROGRESS`, which a run creates at its start and drops at its end.
/// Until the run has changed something, the table is in a file next to the store (see `NotesFile`).
/// A note has a kind, a number, and bytes; writing the same kind and number again replaces it.
///
/// The notes of a failed run remain until a run of the same owner has completed it. While a run of
/// another owner uses the store, they are suspended: their kind is `owner/kind`.
enum ProgressNotes {
    static let table = SchemaSQL.progressTable

    /// The largest count in an undamaged note; sums of counts cannot overflow.
    static let countMax: Int64 = 1 << 53

    /// The error of notes that another program has damaged.
    static var damaged: StoreError {
        StoreError(
            .corrupt, "The notes of an unfinished run in the store are damaged",
            cause: DamagedNotes())
    }

    static func creation(in schema: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(schema).\(table) \
        (KIND TEXT, NUMBER INTEGER, VALUE BLOB, PRIMARY KEY (KIND, NUMBER)) WITHOUT ROWID
        """
    }

    /// Returns whether a table of notes exists, in the store or in the attached file.
    static func exist(on connection: Connection) throws(StoreError) -> Bool {
        if try connection.hasTable(table) { return true }
        guard try NotesFile.isAttached(to: connection) else { return false }
        return try connection.hasTable(table, in: NotesFile.schema)
    }

    static func write(
        _ kind: String, _ number: Int64, _ value: [UInt8], on connection: Connection
    ) throws(StoreError) {
        try change(on: connection) { () throws(StoreError) in
            let write = try connection.cached("INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?)")
            write.bind(kind, at: 1)
            write.bind(number, at: 2)
            write.bind(value, at: 3)
            try write.run()
        }
    }

    /// Runs a change of progress notes, and does not count their rows as changed data of the store.
    static func change(
        on connection: Connection, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let before = connection.totalChanges
        defer { connection.changesApart += connection.totalChanges - before }
        try body()
    }

    /// Calls the body with each progress note of a kind, such as all notes about inputs, in
    /// ascending order of the notes' numbers.
    static func forEach(
        _ kind: String, on connection: Connection,
        _ body: (_ number: Int64, _ value: [UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let rows = try connection.prepare(
            "SELECT NUMBER, VALUE FROM \(table) WHERE KIND = ? ORDER BY NUMBER")
        rows.bind(kind, at: 1)
        while try rows.step() { try body(rows.integer(0), Array(rows.bytes(1))) }
    }

    static func value(
        _ kind: String, _ number: Int64, on connection: Connection
    ) throws(StoreError) -> [UInt8]? {
        let row = try connection.cached(
            "SELECT VALUE FROM \(table) WHERE KIND = ? AND NUMBER = ?")
        row.bind(kind, at: 1)
        row.bind(number, at: 2)
        defer { row.reset() }
        return try row.step() ? Array(row.bytes(0)) : nil
    }

    static func read(
        _ kind: String, on connection: Connection
    ) throws(StoreError) -> [(number: Int64, value: [UInt8])] {
        var found: [(Int64, [UInt8])] = []
        try forEach(kind, on: connection) { found.append(($0, $1)) }
        return found
    }
}

/// The cause of an error: the notes of an unfinished run are damaged.
private struct DamagedNotes: Error {}

extension StoreError {
    /// Whether the notes of an unfinished run are damaged, so that the run must start over.
    package var isOfDamagedNotes: Bool { cause is DamagedNotes }
}

extension ProgressNotes {
    /// Returns the connection for reading a store's notes; `nil` if the store has no notes.
    ///
    /// - Parameter reader: A connection to the store.
    fileprivate static func connection(
        _ reader: Connection, _ path: String
    ) throws(StoreError) -> Connection? {
        if try exist(on: reader) { return reader }
        guard let file = try NotesFile(nextToStoreAt: path).connection() else { return nil }
        return try exist(on: file) ? file : nil
    }

    /// Returns whether a store has notes, in its file or next to it.
    static func exist(_ reader: Connection, _ path: String) throws(StoreError) -> Bool {
        try connection(reader, path) != nil
    }
}

extension PersistentContainer {
    /// Returns the notes of a kind that a run left in the store, by number; empty if it left none.
    package func progressNotes(
        _ kind: String
    ) throws(StoreError) -> [(number: Int64, value: [UInt8])] {
        try foldLogBehindNotes()
        let reader = try newReader()
        guard let connection = try ProgressNotes.connection(reader, path) else { return [] }
        return try ProgressNotes.read(kind, on: connection)
    }

    /// Returns the notes of several kinds that runs left in a store, by number.
    ///
    /// Suspended notes of the owner have the key `owner/kind`. The store is read from a snapshot,
    /// because a store with an unfinished load cannot be opened for reading.
    package static func progressNotes(
        ofStoreAt path: String, _ kinds: [String], owner: String
    ) throws(StoreError) -> [String: [(number: Int64, value: [UInt8])]] {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        guard let connection = try ProgressNotes.connection(snapshot.connection, path) else {
            return [:]
        }
        var notes: [String: [(number: Int64, value: [UInt8])]] = [:]
        for kind in kinds + kinds.map({ "\(owner)/\($0)" }) {
            notes[kind] = try ProgressNotes.read(kind, on: connection)
        }
        return notes
    }

    /// Returns the note of a kind that the run of the current owner left in a store, and the owners
    /// of suspended notes of this kind, by name.
    package static func progressNoteOwners(
        ofStoreAt path: String, _ kind: String
    ) throws(StoreError) -> (present: [UInt8]?, suspended: [String]) {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        guard let connection = try ProgressNotes.connection(snapshot.connection, path) else {
            return (nil, [])
        }
        let rows = try connection.prepare(
            """
            SELECT substr(KIND, 1, length(KIND) - length(?1) - 1) FROM \(ProgressNotes.table) \
            WHERE substr(KIND, -length(?1) - 1) = '/' || ?1 ORDER BY KIND
            """)
        rows.bind(kind, at: 1)
        var owners: [String] = []
        while try rows.step() { owners.append(rows.string(0)) }
        return (try ProgressNotes.value(kind, 0, on: connection), owners)
    }
}

extension ManagedObjectContext {
    /// Creates the table of notes in the open transaction, and keeps existing notes.
    package func beginProgressNotes() throws(StoreError) {
        try requireSpaceForNotes()
        let schema = try session().notesAreInFile ? NotesFile.schema : "main"
        try onProgress { connection throws(StoreError) in
            try connection.execute(ProgressNotes.creation(in: schema))
        }
    }

    /// Writes a note in the open transaction.
    package func writeProgressNote(
        _ kind: String, _ number: Int64 = 0, _ value: [UInt8]
    ) throws(StoreError) {
        try onProgress { connection throws(StoreError) in
            try ProgressNotes.write(kind, number, value, on: connection)
        }
    }

    /// Returns the note with a kind and a number, as the open transaction sees it.
    package func progressNote(_ kind: String, _ number: Int64) throws(StoreError) -> [UInt8]? {
        try onProgress { connection throws(StoreError) in
            try ProgressNotes.value(kind, number, on: connection)
        }
    }

    /// Suspends the notes of an owner in the open transaction, so that another run can have its
    /// own.
    package func suspendProgressNotes(of owner: String) throws(StoreError) {
        try renameProgressNotes("KIND = ?1 || KIND", "instr(KIND, '/') = 0", owner + "/")
    }

    /// Makes the suspended notes of an owner the notes of the current run, in the open transaction.
    package func resumeProgressNotes(of owner: String) throws(StoreError) {
        try renameProgressNotes(
            "KIND = substr(KIND, length(?1) + 1)", "substr(KIND, 1, length(?1)) = ?1", owner + "/")
    }

    /// Renames the kind of all notes of a kind in the open transaction; the new kind must have no
    /// notes.
    package func renameProgressNotes(_ kind: String, to other: String) throws(StoreError) {
        try renameProgressNotes("KIND = ?1", "KIND = ?2", other, kind)
    }

    private func renameProgressNotes(
        _ change: String, _ condition: String, _ values: String...
    ) throws(StoreError) {
        try onProgress { connection throws(StoreError) in
            let update = try connection.prepare(
                "UPDATE \(ProgressNotes.table) SET \(change) WHERE \(condition)")
            for (place, value) in values.enumerated() { update.bind(value, at: Int32(place) + 1) }
            try ProgressNotes.change(on: connection) { () throws(StoreError) in try update.run() }
        }
    }

    /// Removes all notes of these kinds in the open transaction.
    package func removeProgressNotes(_ kinds: [String]) throws(StoreError) {
        try onProgress { connection throws(StoreError) in
            let delete = try connection.cached("DELETE FROM \(ProgressNotes.table) WHERE KIND = ?")
            for kind in kinds {
                delete.bind(kind, at: 1)
                try ProgressNotes.change(on: connection) { () throws(StoreError) in
                    try delete.run()
                }
            }
        }
    }

    /// Removes the notes of the current run in the open transaction, and keeps suspended notes.
    package func endProgressNotes() throws(StoreError) {
        try onProgress { connection throws(StoreError) in
            guard try ProgressNotes.exist(on: connection) else { return }
            try ProgressNotes.change(on: connection) { () throws(StoreError) in
                try connection.execute(
                    "DELETE FROM \(ProgressNotes.table) WHERE instr(KIND, '/') = 0")
            }
            guard try connection.integer("SELECT count(*) FROM \(ProgressNotes.table)") == 0 else {
                return
            }
            // Cached statements may use the table that is dropped.
            connection.clearStatementCache()
            try connection.execute("DROP TABLE \(ProgressNotes.table)")
        }
    }

    /// Throws if the store is an app's and not a working copy, from which etl's tables are dropped
    /// again.
    func requireSpaceForNotes() throws(StoreError) {
        guard container.schema.isOurs || container.storeDescription.options.appStores.isCopy else {
            throw StoreError(
                .invalidRequest,
                "\(container.path) was created by an app, so it cannot store the progress of a load"
            )
        }
    }

    private func onProgress<R>(
        _ body: (Connection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let connection = try session().connection
        return try body(connection)
    }
}
