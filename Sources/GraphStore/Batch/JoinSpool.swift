import SQLite

/// Collects the pairs of a many-to-many relationship while its objects are first loaded.
///
/// Pairs come in the order of one side, and the table's primary key may lead with the other; its
/// tree would grow at every place at once. So they are appended to a table without indexes,
/// `ETL_LINKS_<table>`, saved with their batch like everything else. When the pending indexes are
/// built they are sorted into the real table in one go; until then the statement for that stands in
/// `ETL_PENDING`, so that a load which was killed is completed by the next opening.
///
/// A record that replaces the links of one before it adds a line to `ETL_RELINKED_<table>`:
/// pairs of that owner up to that row count no more.
///
/// New owners come with rising keys, so their pairs stand in that order, too; a mark every few
/// owners leads to where those of one begin.
final class JoinSpool {
    private let insertOne: Statement
    private let insertGroup: Statement
    private let relink: Statement
    private let relinkedUpTo: Statement
    private let pairsFrom: Statement
    // As in `BulkWriter`.
    @exclusivity(unchecked) private var marks = OwnerMarks()
    /// The row of the next pair; nil where a rollback has to be looked after.
    @exclusivity(unchecked) private var nextRow: Int64? = 1
    private let lastRow: Statement
    @exclusivity(unchecked) private var pending: [(owner: Int64, destination: Int64)] = []

    /// Nil where the relationship is ordered, is its own inverse or has links already, and in
    /// apps' stores.
    init?(
        _ join: StoreSchema.Join, _ schema: StoreSchema, on connection: Connection
    ) throws(SQLiteError) {
        guard schema.isOurs, join.orderColumn == nil, !join.isReflexive, schema.parts.isEmpty,
            let table = schema.joinTables.first(where: { $0.name == join.table }),
            table.orderColumns.isEmpty,
            try connection.integer("SELECT 1 FROM \(join.table) LIMIT 1") == nil
        else { return nil }
        let links = PutOffLinks(table, ownerColumn: join.ownerColumn)
        try connection.execute(links.makingTables)
        // Links are sorted in before the indexes are made, whose names begin with Z.
        try PendingIndexes.note(name: links.name, sql: links.note, on: connection)
        try PendingIndexes.putOff([table.reverseIndex], on: connection)
        let insert = "INSERT INTO \(links.name) VALUES "
        insertOne = try connection.prepare(insert + "(?, ?)")
        insertGroup = try connection.prepare(
            insert
                + Array(repeating: "(?, ?)", count: RowStatements.groupSize)
                .joined(separator: ", "))
        lastRow = try connection.prepare("SELECT coalesce(max(rowid), 0) FROM \(links.name)")
        relink = try connection.prepare(
            "INSERT OR REPLACE INTO \(links.relinkedName) VALUES (?, ?)")
        relinkedUpTo = try connection.prepare(
            "SELECT UP_TO FROM \(links.relinkedName) WHERE OWNER = ?")
        pairsFrom = try connection.prepare(
            "SELECT OWNER, DESTINATION FROM \(links.name) WHERE rowid >= ? ORDER BY rowid")
    }

    /// Links an object that is new.
    func link(new owner: Int64, to destinations: [Int64]) throws(SQLiteError) {
        if !destinations.isEmpty { marks.add(owner, row: try row()) }
        try append(owner, destinations)
    }

    /// The row of the next pair.
    private func row() throws(SQLiteError) -> Int64 {
        if let nextRow { return nextRow }
        defer { lastRow.reset() }
        let row = try lastRow.step() ? lastRow.integer(0) + 1 : 1
        nextRow = row
        marks.removeAll(from: row)
        return row
    }

    private func append(_ owner: Int64, _ destinations: [Int64]) throws(SQLiteError) {
        var row = try row()
        for destination in destinations {
            pending.append((owner, destination))
            row += 1
            nextRow = row
            if pending.count == RowStatements.groupSize { try flush() }
        }
    }

    /// Links an object of this load as a later record says.
    ///
    /// - Returns: a mark of a change, or nil where there is none. Whether an added pair is new is
    ///   not looked up, and taken for a change.
    func change(
        _ owner: Int64, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy
    ) throws(SQLiteError) -> UInt64? {
        guard policy == .replace else {
            try append(owner, destinations)
            return destinations.isEmpty ? nil : 1
        }
        guard try current(owner).sorted() != destinations.sorted() else { return nil }
        try forget(owner)
        try append(owner, destinations)
        return 1
    }

    /// The destinations of an owner whose links were only ever replaced.
    private func current(_ owner: Int64) throws(SQLiteError) -> [Int64] {
        // Before the marks are asked, of which a rollback leaves some that lead nowhere.
        let firstPending = try row() - Int64(pending.count)
        relinkedUpTo.bind(owner, at: 1)
        let isRelinked = try relinkedUpTo.step()
        let first = isRelinked ? relinkedUpTo.integer(0) + 1 : marks.row(before: owner)
        relinkedUpTo.reset()
        var found: [Int64] = []
        if first < firstPending {
            pairsFrom.bind(first, at: 1)
            defer { pairsFrom.reset() }
            while try pairsFrom.step() {
                let other = pairsFrom.integer(0)
                if other == owner {
                    found.append(pairsFrom.integer(1))
                } else if isRelinked || other > owner {
                    return found
                }
            }
        }
        for pair in pending.dropFirst(max(0, Int(first - firstPending)))
        where pair.owner == owner {
            found.append(pair.destination)
        }
        return found
    }

    /// Forgets the links that the object got so far, those that wait among them: their rows are
    /// known.
    func forget(_ owner: Int64) throws(SQLiteError) {
        relink.bind(owner, at: 1)
        relink.bind(try row() - 1, at: 2)
        try relink.run()
    }

    /// Forgets the pairs that wait to be written, and, after a rollback, where the others are.
    func forgetAll() {
        nextRow = nil
        pending.removeAll(keepingCapacity: true)
    }

    /// Writes the pairs that wait.
    func flush() throws(SQLiteError) {
        if pending.count == RowStatements.groupSize {
            for (position, pair) in pending.enumerated() {
                insertGroup.bind(pair.owner, at: Int32(position) * 2 + 1)
                insertGroup.bind(pair.destination, at: Int32(position) * 2 + 2)
            }
            try insertGroup.step()
        } else {
            for pair in pending {
                insertOne.bind(pair.owner, at: 1)
                insertOne.bind(pair.destination, at: 2)
                try insertOne.step()
            }
        }
        pending.removeAll(keepingCapacity: true)
    }
}
