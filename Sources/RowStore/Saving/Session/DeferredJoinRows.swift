package import SQLite

/// The deferred join rows of a many-to-many relationship after a first load or a large deletion:
/// their temporary storage, and how they are moved to their table.
///
/// The note in `ETL_PENDING` is plain SQL, so that SQLite alone can complete a store. This type
/// sorts the join rows in memory, in half the time. If they do not fit in memory, it sorts them in
/// several passes; each pass takes the smallest ones that are left.
struct DeferredJoinRows {
    /// The memory per owner whose links were replaced, in bytes.
    private static let bytesPerRelinked = 32
    /// The maximum number of passes for which sorting in memory is faster.
    private static let passesMax = 32

    private let table: String
    private let first: String
    private let second: String
    private let ownerIsFirst: Bool

    /// Returns the name of the table with the deferred join rows of a join table, which is also the
    /// name of the note.
    static func name(of table: String) -> String { "ETL_LINKS_\(table)" }

    /// The table with the number of the last superseded link of each owner whose links were
    /// replaced.
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

    /// Parses a note; returns `nil` if it is about something else, or from another version.
    init?(name: String, note: String, on connection: Connection) throws(StoreError) {
        guard name.hasPrefix(Self.name(of: "")) else { return nil }
        let table = String(name.dropFirst(Self.name(of: "").count))
        let columns = try connection.prepare("SELECT name FROM pragma_table_info(?)")
        columns.bind(table, at: 1)
        var names: [String] = []
        while try columns.step() { names.append(columns.string(0)) }
        guard names.count == 2 else { return nil }
        let readings = [true, false].map {
            DeferredJoinRows(table: table, first: names[0], second: names[1], ownerIsFirst: $0)
        }
        guard let links = readings.first(where: { $0.note == note }) else { return nil }
        self = links
    }

    /// SQL that creates the tables for deferred links.
    ///
    /// Links are numbered from 1; `PackedLinks` defines their number per row.
    var makingTables: String {
        """
        CREATE TABLE \(name) (FIRST INTEGER PRIMARY KEY, WIDTH INTEGER, LINKS BLOB);
        CREATE TABLE \(relinkedName) (OWNER INTEGER PRIMARY KEY, UP_TO INTEGER);
        """
    }

    /// A query for the number of the next link.
    var nextNumber: String {
        """
        SELECT coalesce((SELECT FIRST + length(LINKS) / (2 * WIDTH) FROM \(name) \
        ORDER BY FIRST DESC LIMIT 1), 1)
        """
    }

    /// Empties the join table, except that the rows of some owners become deferred rows.
    ///
    /// Writing them again is faster than deleting many rows from the table and its two indexes.
    ///
    /// - Parameter owners: A query for the owners whose rows are deleted.
    func takeRows(notOf owners: String, on connection: Connection) throws(StoreError) {
        let (owner, destination) = ownerIsFirst ? (first, second) : (second, first)
        try connection.execute(makingTables)
        try PendingIndexes.note(name: name, sql: note, on: connection)
        // A search in the table of the owners, for every row, would take most of the time.
        var gone = PrimaryKeySet()
        let keys = try connection.prepare(owners)
        while try keys.step() { _ = gone.insert(keys.integer(0)) }
        let rows = try connection.prepare("SELECT \(owner), \(destination) FROM \(table)")
        var packer = try LinkPacker(name, on: connection)
        var number: Int64 = 1
        var links: [(owner: Int64, destination: Int64)] = []
        while try rows.step() {
            let owner = rows.integer(0)
            if gone.contains(owner) { continue }
            links.append((owner, rows.integer(1)))
            guard links.count == PackedLinks.linksMax else { continue }
            try packer.insert(links, firstNumber: number)
            number += Int64(links.count)
            links.removeAll(keepingCapacity: true)
        }
        try packer.insert(links, firstNumber: number)
        try connection.execute("DELETE FROM \(table)")
    }

    /// A query for the rows after a first number, in order.
    var rowsBehind: String {
        "SELECT FIRST, WIDTH, LINKS FROM \(name) WHERE FIRST > ? ORDER BY FIRST"
    }

    /// SQL that moves the links to their table, and drops the temporary tables.
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

    /// Performs the same steps as the note, with the links sorted in memory.
    ///
    /// - Returns: False if there is too little memory, or a key exceeds 32 bits; then nothing was
    ///   changed.
    func complete(
        on connection: Connection, memoryBytes: Int
    ) throws(StoreError) -> Bool {
        let isDone = try forEachSorted(on: connection, memoryBytes: memoryBytes) {
            sorted throws(StoreError) in
            try connection.withPairs(sorted) { pairs throws(StoreError) in
                try connection.execute(
                    "INSERT OR IGNORE INTO \(table) (\(first), \(second))"
                        + " SELECT FIRST, SECOND FROM \(pairs)")
            }
            return true
        }
        if isDone { try dropTables(on: connection) }
        return isDone
    }

    /// Drops the temporary tables.
    func dropTables(on connection: Connection) throws(StoreError) {
        try connection.execute(droppingTables)
    }

    /// Calls a closure with all join rows, packed, in the order of the table's primary key.
    ///
    /// - Parameter body: Receives one part after another, and returns whether to continue.
    /// - Returns: False if there is too little memory, or a key exceeds 32 bits, before the first
    ///   call; or if the closure returned false.
    func forEachSorted(
        on connection: Connection, memoryBytes: Int,
        _ body: (UnsafeBufferPointer<UInt64>) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        let count = try connection.count(nextNumber) - 1
        let relinkedCount = try connection.count("SELECT count(*) FROM \(relinkedName)")
        let bytes = memoryBytes - relinkedCount * Self.bytesPerRelinked
        let capacity = min(count, bytes / SmallestNumbers.bytesPerNumber)
        guard capacity == count || capacity > max(1, count / Self.passesMax) else { return false }
        var relinked = try Relinked(relinkedName, on: connection)
        var pairs = SmallestNumbers(capacity: capacity)
        repeat {
            guard try read(into: &pairs, but: &relinked, on: connection) else { return false }
            var goesOn = false
            try pairs.withSorted { sorted throws(StoreError) in goesOn = try body(sorted) }
            guard goesOn else { return false }
        } while pairs.startNextPass()
        return true
    }

    /// Reads the links that are not superseded, packed with the first column in the high bits.
    ///
    /// - Returns: False if a key exceeds 32 bits, which the first pass detects.
    private func read(
        into pairs: inout SmallestNumbers, but relinked: inout Relinked,
        on connection: Connection
    ) throws(StoreError) -> Bool {
        let rows = try connection.prepare(rowsBehind)
        rows.bind(Int64(0), at: 1)
        // Links of one owner are mostly consecutive.
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

/// Inserts rows of packed links into a table of deferred join rows.
struct LinkPacker {
    private let insert: Statement
    private var packed: [UInt8] = []

    /// - Parameter name: The name of the table.
    init(_ name: String, on connection: Connection) throws(StoreError) {
        insert = try connection.prepare("INSERT INTO \(name) VALUES (?, ?, ?)")
    }

    /// Inserts a row of links, at most `PackedLinks.linksMax`; does nothing if there are none.
    ///
    /// - Parameter number: The number of the first link.
    mutating func insert(
        _ links: [(owner: Int64, destination: Int64)], firstNumber number: Int64
    ) throws(StoreError) {
        guard !links.isEmpty else { return }
        insert.bind(number, at: 1)
        insert.bind(PackedLinks.pack(links, into: &packed), at: 2)
        try packed.withUnsafeBufferPointer { bytes throws(StoreError) in
            insert.bind(blob: bytes, at: 3)
            try insert.step()
        }
    }
}

extension Connection {
    /// Returns the check that no rows of the join tables are deferred; `nil` without tables.
    ///
    /// Statements that read a join table need it, because a reader would otherwise find the objects
    /// of a running load without their links. The check throws `busy`, with the process of the load.
    package func linksAreWritten(to joinTables: Set<String>) throws(StoreError) -> Precondition? {
        if joinTables.isEmpty { return nil }
        let names = joinTables.sorted().map { "'\(DeferredJoinRows.name(of: $0))'" }
        let violation: Statement
        do throws(StoreError) {
            violation = try cached(
                "SELECT EXISTS (SELECT 1 FROM ETL_PENDING WHERE NAME IN"
                    + " (\(names.joined(separator: ", "))))")
        } catch {
            // Without the table, for example in a store of an app, no rows are deferred.
            let table = "SELECT 1 FROM sqlite_master WHERE name = 'ETL_PENDING'"
            guard try integer(table) == nil else { throw error }
            return nil
        }
        return Precondition(violation: violation) { () throws(StoreError) -> StoreError in
            try LoadOwner.active(in: self)?.refusal(self.path) ?? .unfinishedLoad(self.path)
        }
    }
}

/// The number of the last superseded link by owner.
///
/// Lookups are fast for mostly ascending owners.
private struct Relinked {
    private var owners: [Int64] = []
    private var lastNumbers: [Int64] = []
    /// The index of the first owner that is not less than the last looked-up owner.
    private var place = 0

    init(_ table: String, on connection: Connection) throws(StoreError) {
        let rows = try connection.prepare("SELECT OWNER, UP_TO FROM \(table) ORDER BY OWNER")
        while try rows.step() {
            owners.append(rows.integer(0))
            lastNumbers.append(rows.integer(1))
        }
    }

    /// Returns the number of the last superseded link of an owner; 0 if none of its links is
    /// superseded.
    mutating func lastNumber(of owner: Int64) -> Int64 {
        if place > 0, owners[place - 1] >= owner { place = 0 }
        // Exponential search, then binary search.
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
