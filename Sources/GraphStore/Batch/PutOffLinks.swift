import SQLite

/// The links of a many-to-many relationship that a first load has put off: where they wait, and how
/// they come into their table.
///
/// The note of that in `ETL_PENDING` is plain SQL, so that nothing but SQLite is needed to complete
/// a store. Where there is memory for the links they are sorted in it, in half the time.
struct PutOffLinks {
    /// What a link takes while links are sorted: itself and room to move to.
    private static let bytesPerLink = 16
    /// What an owner takes whose links were replaced.
    private static let bytesPerRelinked = 32

    private let table: String
    private let first: String
    private let second: String
    private let ownerIsFirst: Bool

    /// The table that the links of a table of pairs wait in, which is the note's name, too.
    static func name(of table: String) -> String { "ETL_LINKS_\(table)" }

    /// For each owner whose links were replaced, the last row with one that counts no more.
    var relinkedName: String { "ETL_RELINKED_\(table)" }

    var name: String { Self.name(of: table) }

    init(_ table: StoreSchema.JoinTable, ownerColumn: String) {
        self.table = table.name
        first = table.firstColumn
        second = table.secondColumn
        ownerIsFirst = table.firstColumn == ownerColumn
    }

    private init(table: String, first: String, second: String, ownerIsFirst: Bool) {
        self.table = table
        self.first = first
        self.second = second
        self.ownerIsFirst = ownerIsFirst
    }

    /// What a note says; nil where it is of something else, or of another version of us.
    init?(name: String, note: String, on connection: Connection) throws(SQLiteError) {
        guard name.hasPrefix(Self.name(of: "")) else { return nil }
        let table = String(name.dropFirst(Self.name(of: "").count))
        let columns = try connection.prepare("SELECT name FROM pragma_table_info(?)")
        columns.bind(table, at: 1)
        var names: [String] = []
        while try columns.step() { names.append(columns.string(0)) }
        guard names.count == 2 else { return nil }
        let readings = [true, false].map {
            PutOffLinks(table: table, first: names[0], second: names[1], ownerIsFirst: $0)
        }
        guard let links = readings.first(where: { $0.note == note }) else { return nil }
        self = links
    }

    /// The tables for links that wait.
    var makingTables: String {
        """
        CREATE TABLE \(name) (OWNER INTEGER, DESTINATION INTEGER);
        CREATE TABLE \(relinkedName) (OWNER INTEGER PRIMARY KEY, UP_TO INTEGER);
        """
    }

    /// What brings the links into their table, and drops the tables in which they waited.
    var note: String {
        """
        INSERT OR IGNORE INTO \(table) (\(first), \(second)) \
        SELECT \(ownerIsFirst ? "l.OWNER, l.DESTINATION" : "l.DESTINATION, l.OWNER") \
        FROM \(name) l LEFT JOIN \(relinkedName) r ON r.OWNER = l.OWNER \
        WHERE r.UP_TO IS NULL OR l.rowid > r.UP_TO ORDER BY 1, 2; \(droppingTables)
        """
    }

    private var droppingTables: String { "DROP TABLE \(name); DROP TABLE \(relinkedName)" }

    /// Does what the note says, with the links sorted in memory.
    ///
    /// - Returns: false where the memory does not suffice, or a key is beyond 32 bits; nothing was
    ///   done then.
    func complete(
        on connection: Connection, memoryBytes: Int
    ) throws(SQLiteError) -> Bool {
        let count = Int(try connection.integer("SELECT max(rowid) FROM \(name)") ?? 0)
        let relinked = Int(try connection.integer("SELECT count(*) FROM \(relinkedName)") ?? 0)
        guard count * Self.bytesPerLink + relinked * Self.bytesPerRelinked <= memoryBytes else {
            return false
        }
        let pairs = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
        defer { pairs.deallocate() }
        guard let found = try read(into: pairs, on: connection) else { return false }
        let room = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: found)
        let different = PairSort.sortUnique(
            UnsafeMutableBufferPointer(rebasing: pairs[..<found]), using: room)
        room.deallocate()
        let sorted = UnsafeBufferPointer(rebasing: pairs[..<different])
        try connection.withPairs(sorted) { pairs throws(SQLiteError) in
            try connection.execute(
                "INSERT OR IGNORE INTO \(table) (\(first), \(second))"
                    + " SELECT FIRST, SECOND FROM \(pairs)")
        }
        try connection.execute(droppingTables)
        return true
    }

    /// Reads the links that count, each with what is to stand first in front.
    ///
    /// - Returns: how many there are; nil where a key is beyond 32 bits.
    private func read(
        into pairs: UnsafeMutableBufferPointer<UInt64>, on connection: Connection
    ) throws(SQLiteError) -> Int? {
        var relinked = try Relinked(relinkedName, on: connection)
        let links = try connection.prepare(
            "SELECT rowid, OWNER, DESTINATION FROM \(name) ORDER BY rowid")
        var count = 0
        // An owner's links mostly follow one another.
        var last: (owner: Int64, upTo: Int64) = (-1, 0)
        while try links.step() {
            let owner = links.integer(1)
            if owner != last.owner { last = (owner, relinked.lastRow(of: owner)) }
            guard links.integer(0) > last.upTo else { continue }
            guard let own = UInt32(exactly: owner),
                let other = UInt32(exactly: links.integer(2))
            else { return nil }
            pairs[count] =
                ownerIsFirst ? PairTable.packed(own, other) : PairTable.packed(other, own)
            count += 1
        }
        return count
    }
}

/// The last row with a link that counts no more, by owner: quick for owners that mostly rise.
private struct Relinked {
    private var owners: [Int64] = []
    private var lastRows: [Int64] = []
    /// The first owner that is not below the one asked for last.
    private var place = 0

    init(_ table: String, on connection: Connection) throws(SQLiteError) {
        let rows = try connection.prepare("SELECT OWNER, UP_TO FROM \(table) ORDER BY OWNER")
        while try rows.step() {
            owners.append(rows.integer(0))
            lastRows.append(rows.integer(1))
        }
    }

    /// - Returns: 0 where all of the owner's links count.
    mutating func lastRow(of owner: Int64) -> Int64 {
        if place > 0, owners[place - 1] >= owner { place = 0 }
        // In steps that double, then by halves.
        var step = 1
        while place + step <= owners.count, owners[place + step - 1] < owner {
            place += step
            step *= 2
        }
        while step > 0 {
            if place + step <= owners.count, owners[place + step - 1] < owner { place += step }
            step /= 2
        }
        return place < owners.count && owners[place] == owner ? lastRows[place] : 0
    }
}
