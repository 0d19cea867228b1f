import SQLite

/// Private notes of a run inside its store: how far it came, committed with what it wrote.
///
/// They stand in one table of ours, `ETL_PROGRESS`, which a run makes at its beginning and drops
/// at its end. Until the run has changed something, the table is in a file next to the store (see
/// `NotesFile`). A note has a kind, a number and bytes; writing one again replaces it.
///
/// The notes of a run that has failed stay until a run of the same owner has completed it. As long
/// as somebody else's run works on the store, they are suspended: `owner/kind` is their kind.
enum ProgressNotes {
    static let table = "ETL_PROGRESS"

    static func creation(in schema: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(schema).\(table) \
        (KIND TEXT, NUMBER INTEGER, VALUE BLOB, PRIMARY KEY (KIND, NUMBER)) WITHOUT ROWID
        """
    }

    /// Whether there is a table of notes, in the store or in a file that is attached.
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

    /// Changes notes, which are no data of the store.
    static func change(
        on connection: Connection, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let before = connection.totalChanges
        defer { connection.changesApart += connection.totalChanges - before }
        try body()
    }

    /// Calls the body with each note of a kind, by number.
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

extension ProgressNotes {
    /// The connection on which a store's notes are read; nil where there are none.
    ///
    /// - Parameter reader: a connection to the store.
    fileprivate static func connection(
        _ reader: Connection, _ path: String
    ) throws(StoreError) -> Connection? {
        func haveNotes(_ connection: Connection) throws(StoreError) -> Bool {
            try exist(on: connection)
        }
        if try haveNotes(reader) { return reader }
        guard let file = try NotesFile(besideStoreAt: path).connection() else { return nil }
        return try haveNotes(file) ? file : nil
    }

    /// Whether a store has notes, in its file or next to it.
    static func exist(_ reader: Connection, _ path: String) throws(StoreError) -> Bool {
        try connection(reader, path) != nil
    }
}

extension PersistentContainer {
    /// The notes of a kind that a run left in the store, by number; none where it left none.
    package func progressNotes(
        _ kind: String
    ) throws(StoreError) -> [(number: Int64, value: [UInt8])] {
        try foldLogBehindNotes()
        let reader = try newReader()
        guard let connection = try ProgressNotes.connection(reader, path) else { return [] }
        return try ProgressNotes.read(kind, on: connection)
    }

    /// The notes of some kinds that runs left in a store, by number; also those that are suspended,
    /// as `owner/kind`.
    ///
    /// The store is not opened for more than that: one may wait for whoever completes the run, and
    /// is refused to readers until then.
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
}

extension ManagedObjectContext {
    /// Makes room for notes, in the open transaction; what is there already stays.
    package func beginProgressNotes() throws(StoreError) {
        try requireRoomForNotes()
        let schema = try session().notesAreBeside ? NotesFile.schema : "main"
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

    /// The note of a kind and number, as this transaction sees it.
    package func progressNote(_ kind: String, _ number: Int64) throws(StoreError) -> [UInt8]? {
        try onProgress { connection throws(StoreError) in
            try ProgressNotes.value(kind, number, on: connection)
        }
    }

    /// Suspends the notes of an owner in the open transaction, so that another run can have its own.
    package func suspendProgressNotes(of owner: String) throws(StoreError) {
        try renameProgressNotes("KIND = ?1 || KIND", "instr(KIND, '/') = 0", owner + "/")
    }

    /// Makes the suspended notes of an owner those of the present run, in the open transaction.
    package func resumeProgressNotes(of owner: String) throws(StoreError) {
        try renameProgressNotes(
            "KIND = substr(KIND, length(?1) + 1)", "substr(KIND, 1, length(?1)) = ?1", owner + "/")
    }

    /// Gives all notes of a kind another kind in the open transaction; there must be none of it.
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

    /// Removes the notes of the present run in the open transaction; those of others stay suspended.
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
            // Statements that are kept may use what is dropped.
            connection.clearStatementCache()
            try connection.execute("DROP TABLE \(ProgressNotes.table)")
        }
    }

    /// What the open transaction has changed so far.
    package func uncommittedChange() throws(StoreError) -> StoreChange { try session().change }

    /// An app's store gets no tables of ours, unless it is a copy from which they go again.
    func requireRoomForNotes() throws(StoreError) {
        guard container.schema.isOurs || container.storeDescription.options.appStores.isCopy else {
            throw StoreError(
                .invalidRequest,
                "\(container.path) was made by an app, and takes no notes of how far a load has come"
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
