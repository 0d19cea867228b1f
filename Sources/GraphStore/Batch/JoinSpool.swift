import GraphModel
import SQLite

/// Collects the pairs of a many-to-many relationship while its objects are first loaded.
///
/// Pairs come in the order of one side, and the table's primary key may lead with the other; its
/// tree would grow at every place at once. So they are appended to a table without indexes,
/// `ETL_LINKS_<table>`, many to a row and saved with their batch like everything else. When the
/// pending indexes are built they are sorted into the real table in one go; until then the
/// statement for that stands in `ETL_PENDING`, so that a load which was killed is completed by the
/// next opening.
///
/// A record that replaces the links of one before it adds a line to `ETL_RELINKED_<table>`:
/// pairs of that owner up to that number count no more. So does one after which the links are as
/// they were, where they stand too far in front of others.
///
/// New owners come with rising keys, so their pairs stand in that order, too; a mark every few
/// owners leads to where those of one begin.
final class JoinSpool {
    /// How many links of others are read at most, time and again, to find an owner's own.
    private static let passedMax = 4096

    private let insert: Statement
    private let relink: Statement
    private let relinkedUpTo: Statement
    private let rowsBehind: Statement
    private let far: FarChanges
    private let inverse: LinkEnd?
    // As in `BulkWriter`.
    @exclusivity(unchecked) private var marks = OwnerMarks()
    /// The number of the next pair; nil where a rollback has to be looked after.
    @exclusivity(unchecked) private var next: Int64? = 1
    private let nextInTable: Statement
    @exclusivity(unchecked) private var pending: [(owner: Int64, destination: Int64)] = []
    @exclusivity(unchecked) private var packed: [UInt8] = []

    /// Nil where the relationship is ordered, is its own inverse or has links already, and in
    /// apps' stores.
    init?(
        _ join: StoreLayout.Join, _ schema: StoreLayout, _ far: FarChanges,
        on connection: Connection
    ) throws(StoreError) {
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
        insert = try connection.prepare("INSERT INTO \(links.name) VALUES (?, ?, ?)")
        nextInTable = try connection.prepare(links.nextNumber)
        relink = try connection.prepare(
            "INSERT OR REPLACE INTO \(links.relinkedName) VALUES (?, ?)")
        relinkedUpTo = try connection.prepare(
            "SELECT UP_TO FROM \(links.relinkedName) WHERE OWNER = ?")
        rowsBehind = try connection.prepare(links.rowsBehind)
        self.far = far
        inverse = schema.inverseEnd(of: join.relationship)
    }

    /// Links an object that is new.
    func link(new owner: Int64, to destinations: [Int64]) throws(StoreError) {
        if !destinations.isEmpty { marks.add(owner, number: try nextNumber()) }
        try append(owner, destinations)
        note(destinations, owner)
    }

    /// Notes that the owner's link to each of them was made or taken back.
    private func note(_ destinations: [Int64], _ owner: Int64) {
        guard let inverse else { return }
        let hash = LinkEnds.hash(owner)
        for destination in destinations { far.session.noteLink(inverse, destination, hash) }
    }

    /// The number of the next pair.
    private func nextNumber() throws(StoreError) -> Int64 {
        if let next { return next }
        defer { nextInTable.reset() }
        let number = try nextInTable.step() ? nextInTable.integer(0) : 1
        next = number
        marks.removeAll(from: number)
        return number
    }

    private func append(_ owner: Int64, _ destinations: [Int64]) throws(StoreError) {
        var number = try nextNumber()
        for destination in destinations {
            pending.append((owner, destination))
            number += 1
            next = number
            if pending.count == PackedLinks.linksMax { try flush() }
        }
    }

    /// Links an object of this load as a later record says.
    ///
    /// - Returns: a mark of a change, or nil where there is none. Whether an added pair is new is
    ///   not looked up, and taken for a change.
    func change(
        _ owner: Int64, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy
    ) throws(StoreError) -> UInt64? {
        guard policy == .replace else {
            try append(owner, destinations)
            // Some of them may be added again, so nothing takes this back.
            if let inverse {
                for destination in destinations { far.session.ends.note(inverse, destination) }
            }
            return destinations.isEmpty ? nil : 1
        }
        let (found, passed) = try current(owner)
        let isSame = found.sorted() == destinations.sorted()
        // Whose links stay is looked for past more and more that are replaced; so they are moved
        // behind those, as if they were replaced, too.
        guard !isSame || passed > Self.passedMax else { return nil }
        try forget(owner)
        try append(owner, isSame ? found : destinations)
        if !isSame { note(found + destinations, owner) }
        return isSame ? nil : 1
    }

    /// The destinations of an owner whose links were only ever replaced, and how many links of
    /// others were read behind the place of its own.
    private func current(
        _ owner: Int64
    ) throws(StoreError) -> (found: [Int64], passed: Int) {
        // Before the marks are asked, of which a rollback leaves some that lead nowhere.
        let firstPending = try nextNumber() - Int64(pending.count)
        relinkedUpTo.bind(owner, at: 1)
        let isRelinked = try relinkedUpTo.step()
        let first = isRelinked ? relinkedUpTo.integer(0) + 1 : marks.number(before: owner)
        relinkedUpTo.reset()
        var found: [Int64] = []
        var passed = 0
        var last = Int64.min
        if first < firstPending {
            // The row in which the first stands begins no earlier.
            rowsBehind.bind(first - Int64(PackedLinks.linksMax), at: 1)
            defer { rowsBehind.reset() }
            while try rowsBehind.step() {
                let links = PackedLinks(rowsBehind.bytes(2), width: rowsBehind.integer(1))
                let start = max(0, Int(first - rowsBehind.integer(0)))
                for place in min(start, links.count)..<links.count {
                    let other = links.owner(place)
                    if other == owner {
                        found.append(links.destination(place))
                    } else if isRelinked || other > owner {
                        return (found, passed)
                    } else if !found.isEmpty || other < last {
                        passed += 1
                    }
                    last = other
                }
            }
        }
        for pair in pending.dropFirst(max(0, Int(first - firstPending)))
        where pair.owner == owner {
            found.append(pair.destination)
        }
        return (found, passed)
    }

    /// Forgets a new object whose row was refused.
    func takeBack(_ owner: Int64) throws(StoreError) {
        note(try current(owner).found, owner)
        try forget(owner)
    }

    /// Forgets the links that the object got so far, those that wait among them: their numbers
    /// are known.
    func forget(_ owner: Int64) throws(StoreError) {
        relink.bind(owner, at: 1)
        relink.bind(try nextNumber() - 1, at: 2)
        try relink.run()
    }

    /// Forgets the pairs that wait to be written, and, after a rollback, where the others are.
    func forgetAll() {
        next = nil
        pending.removeAll(keepingCapacity: true)
    }

    /// Writes the pairs that wait.
    func flush() throws(StoreError) {
        guard !pending.isEmpty else { return }
        insert.bind(try nextNumber() - Int64(pending.count), at: 1)
        insert.bind(PackedLinks.pack(pending, into: &packed), at: 2)
        try packed.withUnsafeBufferPointer { bytes throws(StoreError) in
            insert.bind(blob: bytes, at: 3)
            try insert.step()
        }
        pending.removeAll(keepingCapacity: true)
    }
}
