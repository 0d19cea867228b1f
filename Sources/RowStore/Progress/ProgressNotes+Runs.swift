import GraphModel
package import SQLite

/// The notes of runs: their owners, and their beginning and end.
extension ProgressNotes {
    /// Returns the notes of a kind, by number; empty if the store has no notes.
    ///
    /// - Parameters:
    ///   - path: The path of the store; the notes may be in the file next to it.
    ///   - reader: A connection to the store.
    package static func read(
        _ kind: String, ofStoreAt path: String, on reader: Connection
    ) throws(StoreError) -> [(number: Int64, value: [UInt8])] {
        guard let connection = try connection(reader, path) else { return [] }
        return try read(kind, on: connection)
    }

    /// Returns the notes of several kinds that runs left in a store, by number.
    ///
    /// Suspended notes of the owner have the key `owner/kind`. The store is read from a snapshot,
    /// because a store with an unfinished load cannot be opened for reading.
    package static func read(
        ofStoreAt path: String, _ kinds: [String], owner: String
    ) throws(StoreError) -> [String: [(number: Int64, value: [UInt8])]] {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        guard let connection = try connection(snapshot.connection, path) else { return [:] }
        var notes: [String: [(number: Int64, value: [UInt8])]] = [:]
        for kind in kinds + kinds.map({ "\(owner)/\($0)" }) {
            notes[kind] = try read(kind, on: connection)
        }
        return notes
    }

    /// Returns the note of a kind that the run of the current owner left in a store, and the owners
    /// of suspended notes of this kind, by name.
    package static func owners(
        ofStoreAt path: String, _ kind: String
    ) throws(StoreError) -> (present: [UInt8]?, suspended: [String]) {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        guard let connection = try connection(snapshot.connection, path) else { return (nil, []) }
        let rows = try connection.prepare(
            """
            SELECT substr(KIND, 1, length(KIND) - length(?1) - 1) FROM \(table) \
            WHERE substr(KIND, -length(?1) - 1) = '/' || ?1 ORDER BY KIND
            """)
        rows.bind(kind, at: 1)
        var owners: [String] = []
        while try rows.step() { owners.append(rows.string(0)) }
        return (try value(kind, 0, on: connection), owners)
    }

    /// Creates the table of notes in a transaction, and keeps existing notes.
    ///
    /// - Parameter isInFile: Whether the notes are in the attached file next to the store.
    package static func begin(
        on connection: Connection, isInFile: Bool
    ) throws(StoreError) {
        try connection.execute(creation(in: isInFile ? NotesFile.schema : "main"))
    }

    /// Suspends the notes of an owner, so that another run can have its own.
    package static func suspend(
        of owner: String, on connection: Connection
    ) throws(StoreError) {
        try rename("KIND = ?1 || KIND", "instr(KIND, '/') = 0", [owner + "/"], connection)
    }

    /// Makes the suspended notes of an owner the notes of the current run.
    package static func resume(
        of owner: String, on connection: Connection
    ) throws(StoreError) {
        try rename(
            "KIND = substr(KIND, length(?1) + 1)", "substr(KIND, 1, length(?1)) = ?1",
            [owner + "/"], connection)
    }

    /// Renames the kind of all notes of a kind; the new kind must have no notes.
    package static func rename(
        _ kind: String, to other: String, on connection: Connection
    ) throws(StoreError) {
        try rename("KIND = ?1", "KIND = ?2", [other, kind], connection)
    }

    private static func rename(
        _ change: String, _ condition: String, _ values: [String], _ connection: Connection
    ) throws(StoreError) {
        let update = try connection.prepare("UPDATE \(table) SET \(change) WHERE \(condition)")
        for (place, value) in values.enumerated() { update.bind(value, at: Int32(place) + 1) }
        try Self.change(on: connection) { () throws(StoreError) in try update.run() }
    }

    /// Removes all notes of these kinds.
    package static func remove(
        _ kinds: [String], on connection: Connection
    ) throws(StoreError) {
        let delete = try connection.cached("DELETE FROM \(table) WHERE KIND = ?")
        for kind in kinds {
            delete.bind(kind, at: 1)
            try change(on: connection) { () throws(StoreError) in try delete.run() }
        }
    }

    /// Removes the notes of the current run, and keeps suspended notes.
    package static func end(on connection: Connection) throws(StoreError) {
        guard try exist(on: connection) else { return }
        try change(on: connection) { () throws(StoreError) in
            try connection.execute("DELETE FROM \(table) WHERE instr(KIND, '/') = 0")
        }
        guard try connection.integer("SELECT count(*) FROM \(table)") == 0 else { return }
        // Cached statements may use the table that is dropped.
        connection.clearStatementCache()
        try connection.execute("DROP TABLE \(table)")
    }
}
