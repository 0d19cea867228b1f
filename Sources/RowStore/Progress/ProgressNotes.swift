package import SQLite

/// The private notes of a run in its store: its progress, committed with the rows that it wrote.
///
/// They are in the table `ETL_PROGRESS`, which a run creates at its start and drops at its end.
/// Until the run has changed something, the table is in a file next to the store (see `NotesFile`).
/// A note has a kind, a number, and bytes; writing the same kind and number again replaces it.
///
/// The notes of a failed run remain until a run of the same owner has completed it. While a run of
/// another owner uses the store, they are suspended: their kind is `owner/kind`.
package enum ProgressNotes {
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
    package static func exist(on connection: Connection) throws(StoreError) -> Bool {
        if try connection.hasTable(table) { return true }
        guard try NotesFile.isAttached(to: connection) else { return false }
        return try connection.hasTable(table, in: NotesFile.schema)
    }

    /// Writes a note, or replaces it.
    package static func write(
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

    /// Returns the note with a kind and a number.
    package static func value(
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
    static func connection(
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
