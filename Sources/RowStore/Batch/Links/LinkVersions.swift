import SQLite

/// The record that last set each link, tracked while records are deferred.
///
/// A deferred record is written late. The result must be as if all objects had existed and each
/// record had been written in its turn. If two records set the same subject, the later record wins.
/// A subject is the target of a one-to-one link, the owner of an object, or a join row that both
/// ends can set. It is therefore enough to store when each subject was last set: a record that is
/// written late leaves out what later records have set. The result does not depend on the order in
/// which records are written.
///
/// Times are tokens of records. If no record is deferred, nothing is stored.
final class LinkVersions {
    /// Something that several records can set, so that only the last of them counts: the target of
    /// a one-to-one link, the owner of an object, or one join row.
    struct Matter: Hashable {
        /// The number of the column or join table, from `kind(_:)`.
        var kind: Int64
        var object: Int64
        /// The primary key at the other end of a join row; 0 for other subjects.
        var other: Int64 = 0
    }

    private struct Entry {
        var matter: Matter
        var time: Int64
    }

    private struct Statements {
        let isLater: Statement
        let insert: Statement
    }

    /// The kind under which progress notes store these entries for a load that resumes this one.
    static let noteKind = "times"

    /// The links that several records may set; for other links, nothing is stored.
    let claims: LinkClaims
    private let table: LoadTable
    private let entriesMax: Int
    /// Whether entries must be written to progress notes before they may leave memory, because the
    /// load is resumable.
    private let isNoted: Bool
    private var names: [String] = []
    private var entries: [Entry] = []
    /// The number of entries, from the first one, that progress notes already contain.
    private var notedCount = 0
    /// The subjects that the current record sets; they become entries when the record is written.
    private var said: [Matter] = []
    private var time: Int64 = 0
    private var statements: Statements?
    /// Whether entries are stored, which begins with the first deferred record.
    private(set) var isKept = false
    /// Whether the deferred records are being resolved.
    var isResolving: Bool { statements != nil }

    init(_ claims: LinkClaims, isNoted: Bool, memoryBytes: Int, on connection: Connection) {
        self.claims = claims
        table = LoadTable(
            "KIND INTEGER, OBJECT INTEGER, OTHER INTEGER, TIME INTEGER", on: connection)
        self.isNoted = isNoted
        entriesMax = memoryBytes / MemoryLayout<Entry>.stride
    }

    /// Returns a number for the name of a column or join table, which is the same for all writers
    /// of a load.
    func kind(_ name: String) -> Int64 {
        if let place = names.firstIndex(of: name) { return Int64(place) }
        names.append(name)
        return Int64(names.count - 1)
    }

    /// Starts to store entries, because a record is deferred.
    func keep() { isKept = true }

    // MARK: The current record

    /// Makes the record with this token the current one.
    func begin(_ token: Int64) {
        time = token
        said.removeAll(keepingCapacity: true)
    }

    /// Notes that the current record sets a subject; `endRecord()` stores it.
    func say(_ matter: Matter) { said.append(matter) }

    /// Returns whether a record that follows the current one in the input has already set the
    /// subject.
    func isLater(_ matter: Matter) throws(StoreError) -> Bool {
        guard let select = statements?.isLater else { return false }
        select.bind(matter.kind, at: 1)
        select.bind(matter.object, at: 2)
        select.bind(matter.other, at: 3)
        select.bind(time, at: 4)
        defer { select.reset() }
        return try select.step()
    }

    /// Stores the subjects that the current record has set, after it was written.
    func endRecord() throws(StoreError) {
        defer { said.removeAll(keepingCapacity: true) }
        if let insert = statements?.insert {
            for matter in said { try write(Entry(matter: matter, time: time), insert) }
            return
        }
        for matter in said { entries.append(Entry(matter: matter, time: time)) }
        if !isNoted, entries.count > entriesMax { try spill() }
    }

    // MARK: Resolving

    /// Prepares `isLater(_:)` when no more records follow; entries are kept since a record was
    /// deferred.
    func beginSettling() throws(StoreError) {
        try spill()
        let (connection, name) = (table.connection, table.name)
        try connection.withSmallSorter { () throws(StoreError) in
            try connection.execute(
                "CREATE INDEX \(name)_MATTER ON \(name.dropFirst("temp.".count))"
                    + " (KIND, OBJECT, OTHER, TIME)")
        }
        statements = Statements(
            isLater: try connection.prepare(
                "SELECT 1 FROM \(name) WHERE KIND = ? AND OBJECT = ? AND OTHER = ? AND TIME > ?"),
            insert: try connection.prepare("INSERT INTO \(name) VALUES (?, ?, ?, ?)"))
    }

    /// Drops all entries, because no record is deferred any longer.
    func endSettling() throws(StoreError) {
        statements = nil
        isKept = false
        notedCount = 0
        table.connection.clearStatementCache()
        try table.connection.execute("DROP TABLE IF EXISTS \(table.name)")
    }

    /// Moves the entries from memory to the table.
    private func spill() throws(StoreError) {
        try table.make()
        let insert = try table.connection.cached("INSERT INTO \(table.name) VALUES (?, ?, ?, ?)")
        for entry in entries { try write(entry, insert) }
        entries.removeAll(keepingCapacity: true)
        notedCount = 0
    }

    private func write(_ entry: Entry, _ insert: Statement) throws(StoreError) {
        insert.bind(entry.matter.kind, at: 1)
        insert.bind(entry.matter.object, at: 2)
        insert.bind(entry.matter.other, at: 3)
        insert.bind(entry.time, at: 4)
        try insert.run()
    }

    // MARK: Notes

    /// Returns the entries since the last note; empty if there are none.
    func takeNote() throws(StoreError) -> [UInt8] {
        var note = NoteWriter()
        var last = Entry(matter: Matter(kind: 0, object: 0), time: 0)
        for entry in entries[notedCount...] {
            note.write(UInt64(bitPattern: entry.matter.kind))
            note.write(UInt64(bitPattern: entry.matter.object))
            note.write(UInt64(bitPattern: entry.matter.other))
            note.write(UInt64(bitPattern: entry.time &- last.time))
            last = entry
        }
        notedCount = entries.count
        if entries.count > entriesMax { try spill() }
        return note.bytes
    }

    /// Reads a note of an earlier load.
    func recall(_ note: [UInt8]) throws(StoreError) {
        var reader = NoteReader(note)
        var time: Int64 = 0
        while !reader.isAtEnd {
            let kind = Int64(bitPattern: try reader.number())
            let object = Int64(bitPattern: try reader.number())
            let other = Int64(bitPattern: try reader.number())
            time = time &+ Int64(bitPattern: try reader.number())
            entries.append(
                Entry(matter: Matter(kind: kind, object: object, other: other), time: time))
        }
        notedCount = entries.count
        if entries.count > entriesMax { try spill() }
    }
}
