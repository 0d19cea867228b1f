import SQLite

/// The links of a many-to-many relationship that a first load has put off: where they wait, and how
/// they come into their table.
///
/// The note of that in `ETL_PENDING` is plain SQL, so that nothing but SQLite is needed to complete
/// a store. Here they are sorted in memory, in half the time; where there is not enough of it for
/// all, in several passes, each of which takes the smallest that are left.
struct PutOffLinks {
    /// What an owner takes whose links were replaced.
    private static let bytesPerRelinked = 32
    /// In how many passes this is worth while.
    private static let passesMax = 32

    private let table: String
    private let first: String
    private let second: String
    private let ownerIsFirst: Bool

    /// The table that the links of a table of pairs wait in, which is the note's name, too.
    static func name(of table: String) -> String { "ETL_LINKS_\(table)" }

    /// For each owner whose links were replaced, the number of the last that counts no more.
    var relinkedName: String { "ETL_RELINKED_\(table)" }

    var name: String { Self.name(of: table) }

    init(_ table: StoreLayout.JoinTable, ownerColumn: String) {
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
    init?(name: String, note: String, on connection: Connection) throws(StoreError) {
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

    /// The tables for links that wait, which are numbered from 1 on; `PackedLinks` tells how many
    /// stand in a row.
    var makingTables: String {
        """
        CREATE TABLE \(name) (FIRST INTEGER PRIMARY KEY, WIDTH INTEGER, LINKS BLOB);
        CREATE TABLE \(relinkedName) (OWNER INTEGER PRIMARY KEY, UP_TO INTEGER);
        """
    }

    /// The number of the next link.
    var nextNumber: String {
        """
        SELECT coalesce((SELECT FIRST + length(LINKS) / (2 * WIDTH) FROM \(name) \
        ORDER BY FIRST DESC LIMIT 1), 1)
        """
    }

    /// The rows behind that of a first number, in order.
    var rowsBehind: String {
        "SELECT FIRST, WIDTH, LINKS FROM \(name) WHERE FIRST > ? ORDER BY FIRST"
    }

    /// What brings the links into their table, and drops the tables in which they waited.
    var note: String {
        """
        INSERT OR IGNORE INTO \(table) (\(first), \(second)) \
        SELECT \(ownerIsFirst ? "l.OWNER, l.DESTINATION" : "l.DESTINATION, l.OWNER") FROM (\
        WITH RECURSIVE p(PLACE) AS (\
        SELECT 0 UNION ALL SELECT PLACE + 1 FROM p WHERE PLACE < \(PackedLinks.linksMax - 1)) \
        SELECT FIRST + PLACE AS NUMBER, \
        CAST(substr(LINKS, 2 * PLACE * WIDTH + 1, WIDTH) AS INTEGER) AS OWNER, \
        CAST(substr(LINKS, (2 * PLACE + 1) * WIDTH + 1, WIDTH) AS INTEGER) AS DESTINATION \
        FROM \(name) CROSS JOIN p WHERE PLACE < length(LINKS) / (2 * WIDTH)) l \
        LEFT JOIN \(relinkedName) r ON r.OWNER = l.OWNER \
        WHERE r.UP_TO IS NULL OR l.NUMBER > r.UP_TO ORDER BY 1, 2; \(droppingTables)
        """
    }

    private var droppingTables: String { "DROP TABLE \(name); DROP TABLE \(relinkedName)" }

    /// Does what the note says, with the links sorted in memory.
    ///
    /// - Returns: false where there is too little memory, or a key is beyond 32 bits; nothing was
    ///   done then.
    func complete(
        on connection: Connection, memoryBytes: Int
    ) throws(StoreError) -> Bool {
        let count = Int(try connection.integer(nextNumber) ?? 1) - 1
        let relinkedCount = Int(try connection.integer("SELECT count(*) FROM \(relinkedName)") ?? 0)
        let bytes = memoryBytes - relinkedCount * Self.bytesPerRelinked
        let capacity = min(count, bytes / SmallestNumbers.bytesPerNumber)
        guard capacity == count || capacity > max(1, count / Self.passesMax) else { return false }
        var relinked = try Relinked(relinkedName, on: connection)
        var pairs = SmallestNumbers(capacity: capacity)
        repeat {
            guard try read(into: &pairs, but: &relinked, on: connection) else { return false }
            try pairs.withSorted { sorted throws(StoreError) in
                try connection.withPairs(sorted) { pairs throws(StoreError) in
                    try connection.execute(
                        "INSERT OR IGNORE INTO \(table) (\(first), \(second))"
                            + " SELECT FIRST, SECOND FROM \(pairs)")
                }
            }
        } while pairs.goOn()
        try connection.execute(droppingTables)
        return true
    }

    /// Reads the links that count, each with what is to stand first in front.
    ///
    /// - Returns: false where a key is beyond 32 bits, which the first pass finds out.
    private func read(
        into pairs: inout SmallestNumbers, but relinked: inout Relinked,
        on connection: Connection
    ) throws(StoreError) -> Bool {
        let rows = try connection.prepare(rowsBehind)
        rows.bind(Int64(0), at: 1)
        // An owner's links mostly follow one another.
        var last: (owner: Int64, upTo: Int64) = (-1, 0)
        while try rows.step() {
            let first = rows.integer(0)
            let links = PackedLinks(rows.bytes(2), width: rows.integer(1))
            for place in 0..<links.count {
                let owner = links.owner(place)
                if owner != last.owner { last = (owner, relinked.lastNumber(of: owner)) }
                guard first + Int64(place) > last.upTo else { continue }
                guard let own = UInt32(exactly: owner),
                    let other = UInt32(exactly: links.destination(place))
                else { return false }
                pairs.add(
                    ownerIsFirst ? PairTable.packed(own, other) : PairTable.packed(other, own))
            }
        }
        return true
    }
}

/// The number of the last link that counts no more, by owner: quick for owners that mostly rise.
private struct Relinked {
    private var owners: [Int64] = []
    private var lastNumbers: [Int64] = []
    /// The first owner that is not below the one asked for last.
    private var place = 0

    init(_ table: String, on connection: Connection) throws(StoreError) {
        let rows = try connection.prepare("SELECT OWNER, UP_TO FROM \(table) ORDER BY OWNER")
        while try rows.step() {
            owners.append(rows.integer(0))
            lastNumbers.append(rows.integer(1))
        }
    }

    /// - Returns: 0 where all of the owner's links count.
    mutating func lastNumber(of owner: Int64) -> Int64 {
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
        return place < owners.count && owners[place] == owner ? lastNumbers[place] : 0
    }
}
