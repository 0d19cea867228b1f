import SQLite

/// Which record was the last to speak of a link, kept while records wait.
///
/// A record that waits is written late, but its links are to come about as if all objects had been
/// there and each record had been written in its turn. What two records may both speak of (the
/// object at the end of a one-to-one, whom an object belongs to, a pair that both its ends can
/// name) is given to the later one. So it is enough to know of each such thing when it was last
/// spoken of: a record whose turn comes late leaves out what later ones have said, and the outcome
/// does not depend on the order in which records are written.
///
/// A time is a record's token. As long as nothing waits, nothing is noted.
final class LinkTimes {
    /// Something that records speak of.
    struct Matter: Hashable {
        /// The number of a name.
        var kind: Int64
        var object: Int64
        /// The other object of a pair.
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

    /// The kind of the notes.
    static let noteKind = "times"

    /// What times are kept of.
    let claims: LinkClaims
    private let table: LoadTable
    private let entriesMax: Int
    /// The entries go into notes, and only then out of memory.
    private let isNoted: Bool
    private var names: [String] = []
    private var entries: [Entry] = []
    /// How many of the entries are in notes.
    private var notedCount = 0
    /// What the record at hand says.
    private var said: [Matter] = []
    private var time: Int64 = 0
    private var statements: Statements?
    /// Some record waits.
    private(set) var isKept = false
    /// The records that wait are being written.
    var isSettling: Bool { statements != nil }

    init(_ claims: LinkClaims, isNoted: Bool, memoryBytes: Int, on connection: Connection) {
        self.claims = claims
        table = LoadTable(
            "KIND INTEGER, OBJECT INTEGER, OTHER INTEGER, TIME INTEGER", on: connection)
        self.isNoted = isNoted
        entriesMax = memoryBytes / MemoryLayout<Entry>.stride
    }

    /// The number of a name, the same for every writer of a load.
    func kind(_ name: String) -> Int64 {
        if let place = names.firstIndex(of: name) { return Int64(place) }
        names.append(name)
        return Int64(names.count - 1)
    }

    /// A record waits from now on.
    func keep() { isKept = true }

    // MARK: The record at hand

    /// Begins with a record.
    func begin(_ token: Int64) {
        time = token
        said.removeAll(keepingCapacity: true)
    }

    /// Notes that the record speaks of something; it counts once the record is written.
    func say(_ matter: Matter) { said.append(matter) }

    /// Whether a later record has spoken of it.
    func isLater(_ matter: Matter) throws(StoreError) -> Bool {
        guard let select = statements?.isLater else { return false }
        select.bind(matter.kind, at: 1)
        select.bind(matter.object, at: 2)
        select.bind(matter.other, at: 3)
        select.bind(time, at: 4)
        defer { select.reset() }
        return try select.step()
    }

    /// Notes that the record is written.
    func endRecord() throws(StoreError) {
        defer { said.removeAll(keepingCapacity: true) }
        if let insert = statements?.insert {
            for matter in said { try write(Entry(matter: matter, time: time), insert) }
            return
        }
        for matter in said { entries.append(Entry(matter: matter, time: time)) }
        if !isNoted, entries.count > entriesMax { try spill() }
    }

    // MARK: All of them

    /// Gets ready to be asked, when no more records come.
    func beginSettling() throws(StoreError) {
        guard isKept else { return }
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

    /// Forgets everything: no record waits.
    func endSettling() throws(StoreError) {
        guard isSettling else { return }
        statements = nil
        isKept = false
        notedCount = 0
        table.connection.clearStatementCache()
        try table.connection.execute("DROP TABLE IF EXISTS \(table.name)")
    }

    /// Moves the entries out of memory.
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

    /// What came since the last note; empty where nothing did.
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

    /// Takes over a note of an earlier load.
    func recall(_ note: [UInt8]) throws(StoreError) {
        var reader = NoteReader(note)
        var time: Int64 = 0
        while !reader.isAtEnd {
            let kind = Int64(bitPattern: reader.number())
            let object = Int64(bitPattern: reader.number())
            let other = Int64(bitPattern: reader.number())
            time = time &+ Int64(bitPattern: reader.number())
            entries.append(
                Entry(matter: Matter(kind: kind, object: object, other: other), time: time))
        }
        notedCount = entries.count
        if entries.count > entriesMax { try spill() }
    }
}
