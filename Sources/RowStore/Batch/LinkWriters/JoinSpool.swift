import GraphModel
import SQLite

/// Collects the join rows of a many-to-many relationship during the first load of its objects.
///
/// Join rows come in the order of one side, but the table's primary key may start with the other;
/// inserts would then spread over the complete B-tree. Therefore they are appended to a table
/// without indexes, `ETL_LINKS_<table>`, many per row, and saved with their batch. When the
/// deferred indexes are built, the join rows are sorted into the final table in one pass. Until
/// then, `ETL_PENDING` contains the statement for this, so that the next process that opens the
/// store completes an interrupted load.
///
/// If a record replaces the links of an earlier one, a row is added to `ETL_RELINKED_<table>`: join
/// rows of that owner up to that number are superseded. The same happens if a record leaves the
/// links unchanged but they are too far before other ones.
///
/// The primary keys of new owners ascend, which also orders their join rows. A mark every few
/// owners leads to the first join row of an owner.
final class JoinSpool {
    /// How many join rows of other owners a search for an owner's links may pass over before the
    /// links are spooled again instead.
    private static let passedMax = 4096

    @exclusivity(unchecked) private var packer: LinkPacker
    private let relink: Statement
    private let relinkedUpTo: Statement
    private let rowsBehind: Statement
    private let inverseChanges: InverseChanges
    private let inverse: LinkEnd?
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var marks = OwnerMarks()
    /// The number of the next join row; `nil` after a rollback, when it must be read from the
    /// table.
    @exclusivity(unchecked) private var next: Int64? = 1
    private let nextInTable: Statement
    @exclusivity(unchecked) private var pending: [(owner: Int64, destination: Int64)] = []

    /// Creates the spool and its tables.
    ///
    /// - Returns: `nil` if the relationship is ordered, is its own inverse, or already has links.
    ///   Also `nil` for stores of apps and for stores with several files.
    init?(
        _ join: StoreLayout.Join, _ schema: StoreLayout, _ inverseChanges: InverseChanges,
        on connection: Connection
    ) throws(StoreError) {
        guard schema.isOurs, join.orderColumn == nil, !join.isReflexive, schema.parts.isEmpty,
            let table = schema.joinTables.first(where: { $0.name == join.table }),
            table.orderColumns.isEmpty,
            try connection.integer("SELECT 1 FROM \(join.table) LIMIT 1") == nil
        else { return nil }
        let links = DeferredJoinRows(table, ownerColumn: join.ownerColumn)
        try connection.execute(links.makingTables)
        // Join rows are sorted in before the indexes are built, whose names begin with Z.
        try PendingIndexes.note(name: links.name, sql: links.note, on: connection)
        try PendingIndexes.deferIndexes([table.reverseIndex], on: connection)
        packer = try LinkPacker(links.name, on: connection)
        nextInTable = try connection.prepare(links.nextNumber)
        relink = try connection.prepare(
            "INSERT OR REPLACE INTO \(links.relinkedName) VALUES (?, ?)")
        relinkedUpTo = try connection.prepare(
            "SELECT UP_TO FROM \(links.relinkedName) WHERE OWNER = ?")
        rowsBehind = try connection.prepare(links.rowsBehind)
        self.inverseChanges = inverseChanges
        inverse = schema.inverseEnd(of: join.relationship)
    }

    /// Spools the links of a new object.
    func link(new owner: Int64, to destinations: [Int64]) throws(StoreError) {
        if !destinations.isEmpty { marks.add(owner, number: try nextNumber()) }
        try append(owner, destinations)
        note(destinations, owner)
    }

    /// Notes that the owner's links to these destinations were added or removed.
    private func note(_ destinations: [Int64], _ owner: Int64) {
        guard let inverse else { return }
        let hash = LinkEnds.hash(owner)
        inverseChanges.session.noteLinks(inverse, destinations.lazy.map { ($0, hash) })
    }

    /// Returns the number of the next join row.
    private func nextNumber() throws(StoreError) -> Int64 {
        if let next { return next }
        let number = try nextInTable.onlyInteger()
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

    /// Changes the links of an object that an earlier record of this load has created.
    ///
    /// - Returns: A number that identifies the change, for summing up changes; `nil` if nothing
    ///   changed. Added links always count as a change, because existing ones are not looked up.
    func change(
        _ owner: Int64, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy
    ) throws(StoreError) -> UInt64? {
        guard policy == .replace else {
            try append(owner, destinations)
            // Existing links may be added again, so the change cannot be undone.
            if let inverse {
                for destination in destinations {
                    inverseChanges.session.ends.note(inverse, destination)
                }
            }
            return destinations.isEmpty ? nil : 1
        }
        let (found, passed) = try current(owner)
        let isSame = found.sorted() == destinations.sorted()
        // To find unchanged links, more and more superseded ones must be read. The links are
        // therefore moved after those, as if they were replaced, too.
        guard !isSame || passed > Self.passedMax else { return nil }
        try forget(owner)
        try append(owner, isSame ? found : destinations)
        if !isSame { note(found + destinations, owner) }
        return isSame ? nil : 1
    }

    /// Returns the destinations of an owner whose links were only replaced so far, and the number
    /// of other owners' links read after its first one.
    private func current(
        _ owner: Int64
    ) throws(StoreError) -> (found: [Int64], passed: Int) {
        // Before the marks are used, because a rollback leaves invalid marks.
        let firstPending = try nextNumber() - Int64(pending.count)
        relinkedUpTo.bind(owner, at: 1)
        let isRelinked = try relinkedUpTo.step()
        let first = isRelinked ? relinkedUpTo.integer(0) + 1 : marks.number(before: owner)
        relinkedUpTo.reset()
        var found: [Int64] = []
        var passed = 0
        var last = Int64.min
        if first < firstPending {
            // The row with the first link does not begin before this number.
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

    /// Removes the links of a new object whose row was rejected.
    func takeBack(_ owner: Int64) throws(StoreError) {
        note(try current(owner).found, owner)
        try forget(owner)
    }

    /// Supersedes the links that the object got so far, including pending links, whose numbers are
    /// known.
    func forget(_ owner: Int64) throws(StoreError) {
        relink.bind(owner, at: 1)
        relink.bind(try nextNumber() - 1, at: 2)
        try relink.run()
    }

    /// Drops the pending links, and the next number, which is unknown after a rollback.
    func forgetAll() {
        next = nil
        pending.removeAll(keepingCapacity: true)
    }

    /// Writes the pending links.
    func flush() throws(StoreError) {
        guard !pending.isEmpty else { return }
        try packer.insert(pending, firstNumber: try nextNumber() - Int64(pending.count))
        pending.removeAll(keepingCapacity: true)
    }
}
