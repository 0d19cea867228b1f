import GraphModel
import SQLite

/// Writes the join rows of a many-to-many relationship from the side that a load sets.
///
/// Join rows of new objects are collected and written in the order of the table's primary key, so
/// that few pages of its B-tree change. Join rows of existing objects are written immediately.
///
/// If the relationship is its own inverse, a link has a join row in each direction, as for managed
/// objects. Both are added and removed together.
final class JoinWriter {
    private let pairs: JoinRowStatements
    private let reader: JoinRowCursor
    /// Whether consecutive owners are read with one sequential cursor.
    private let mayWalk: Bool
    private let select: Statement
    /// The positions in the owners' orders; `nil` if the relationship is not ordered.
    private let positions: OrderPositions?
    private let isOrdered: Bool
    /// The positions in the destinations' orders; `nil` if the inverse end is not ordered.
    private let backPositions: OrderPositions?
    private let remembersOrders: Bool
    private let isReflexive: Bool
    /// The index of the inverse among the load's to-many links; both then use one table.
    private let inverseIndex: Int?
    /// Whether another writer of the load also reads and writes the table.
    private let isShared: Bool
    /// Whether the new owner's row must be written before its links, because other writers are
    /// notified of them or read them.
    let needsOwnersRow: Bool
    private let inverseChanges: InverseChanges
    /// The relationship itself, and its inverse.
    private let own: LinkEnd?
    private let inverse: LinkEnd?
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var lastOrders = LastOrders()
    /// The last positions in the orders of destinations.
    @exclusivity(unchecked) private var lastBackOrders = LastOrders()
    @exclusivity(unchecked) private var pending: [JoinRowStatements.JoinRow] = []
    @exclusivity(unchecked) private var firstPendingOwner = Int64.max
    @exclusivity(unchecked) private var existing: [Int64] = []
    @exclusivity(unchecked) private var sorted: [Int64] = []

    /// Creates a writer of a relationship's join rows, and prepares its statements.
    ///
    /// - Parameters:
    ///   - mayWalk: Whether no other writer writes to the table.
    ///   - inverseIndex: The index of the inverse among the relationships that the load writes.
    ///   - isShared: Whether another writer of the load also writes the table.
    ///   - remembersOrders: Whether to cache the last positions: records add links to owners, and
    ///     nothing else in the load writes them.
    ///   - mayReject: Whether a new owner may be rejected when its row is written.
    init(
        _ join: StoreLayout.Join, of entity: StoreLayout.Entity, _ schema: StoreLayout,
        mayWalk: Bool, inverseIndex: Int?, isShared: Bool, remembersOrders: Bool, mayReject: Bool,
        _ inverseChanges: InverseChanges, on connection: Connection
    ) throws(StoreError) {
        pairs = try JoinRowStatements(join, schema, on: connection)
        isOrdered = join.orderColumn != nil
        positions = join.orderColumn.map {
            OrderPositions(
                in: join.table, owner: join.ownerColumn, object: join.destinationColumn, order: $0,
                on: connection)
        }
        backPositions = join.backOrderColumn.map {
            OrderPositions(
                in: join.table, owner: join.destinationColumn, object: join.ownerColumn, order: $0,
                on: connection)
        }
        self.remembersOrders = remembersOrders
        isReflexive = join.isReflexive
        self.inverseIndex = inverseIndex
        self.isShared = isShared
        needsOwnersRow = isShared || inverseIndex != nil && mayReject
        self.inverseChanges = inverseChanges
        own = schema.linkEnd(join.relationship.name, of: entity.name)
        inverse = schema.inverseEnd(of: join.relationship)
        let order = join.orderColumn ?? join.destinationColumn
        // Not from `join.pairs`, which SQLite would read completely for each owner.
        select = try connection.prepare(
            "SELECT \(join.destinationColumn) FROM \(join.table) WHERE \(join.ownerColumn) = ?1"
                + (join.isReflexive
                    ? " UNION SELECT \(join.ownerColumn) FROM \(join.table)"
                        + " WHERE \(join.destinationColumn) = ?1 ORDER BY 1"
                    : " ORDER BY \(order)"))
        self.mayWalk = mayWalk && !isOrdered && !join.isReflexive
        reader = JoinRowCursor(
            try connection.prepare(
                "SELECT \(join.ownerColumn), \(join.destinationColumn) FROM \(join.table)"
                    + " WHERE \(join.ownerColumn) >= ?"
                    + " ORDER BY \(join.ownerColumn), \(join.destinationColumn)"),
            ofOne: select)
    }

    /// Links a new object, whose row may not be written yet.
    ///
    /// - Parameter left: Objects that must be left unchanged.
    func link(
        new owner: Int64, to destinations: [Int64], but left: Set<Int64>
    ) throws(StoreError) {
        guard !destinations.isEmpty else { return }
        firstPendingOwner = min(firstPendingOwner, owner)
        for (position, destination) in destinations.enumerated()
        where !left.contains(destination) {
            noteInverse(destination, owner)
            pending.append(
                pairs.pair(owner, destination, order: OrderPositions.position(at: position)))
            guard isReflexive, destination != owner else { continue }
            firstPendingOwner = min(firstPendingOwner, destination)
            pending.append(pairs.pair(destination, owner, order: nil))
        }
        if isShared { try flush() }
    }

    /// Notes that the destination's links have changed.
    private func note(_ destination: Int64, _ owner: Int64) {
        noteEnd(destination, owner)
        noteInverse(destination, owner)
    }

    /// Notes the change for the tally; a new owner's join rows are written later.
    private func noteInverse(_ destination: Int64, _ owner: Int64) {
        guard let inverseIndex, !isReflexive || destination != owner else { return }
        inverseChanges.note(destination, Self.hash(owner).turned(inverseIndex))
    }

    private func noteEnd(_ destination: Int64, _ owner: Int64) {
        if let inverse {
            inverseChanges.session.noteLink(inverse, destination, LinkEnds.hash(owner))
        }
        if let own { inverseChanges.session.noteLink(own, owner, LinkEnds.hash(destination)) }
    }

    /// Drops the join rows of a new object whose row was rejected.
    func forget(new owner: Int64) {
        pending.removeAll {
            isReflexive
                ? $0.first == owner || $0.second == owner
                : pairs.owner(of: $0) == owner
        }
    }

    /// Drops all pending join rows, and the cached positions, which a rollback has changed.
    func forgetAll() {
        forgetPending()
        forgetOrders()
    }

    /// Clears the cached positions, which another writer may have changed.
    func forgetOrders() {
        lastOrders.removeAll()
        lastBackOrders.removeAll()
    }

    private func forgetPending() {
        pending.removeAll(keepingCapacity: true)
        firstPendingOwner = .max
    }

    /// Changes an object's links according to the policy.
    ///
    /// - Parameter left: Objects that must be left unchanged.
    /// - Returns: A hash of the old and new links; `nil` if nothing changed.
    func change(
        _ owner: Int64, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy,
        but left: Set<Int64>
    ) throws(StoreError) -> UInt64? {
        // The inverse end is ordered by the sequence of the records.
        if owner >= firstPendingOwner || pairs.hasBackOrder { try flush() }
        switch policy {
        case .replace: return try replace(owner, with: destinations, but: left)
        case .add: return try add(owner, destinations, but: left)
        case .remove: return try remove(owner, destinations, but: left)
        }
    }

    /// Returns the destinations of an object's links.
    func destinations(of owner: Int64) throws(StoreError) -> [Int64] {
        if owner >= firstPendingOwner { try flush() }
        try readExisting(of: owner)
        return existing
    }

    private func replace(
        _ owner: Int64, with wanted: [Int64], but left: Set<Int64>
    ) throws(StoreError) -> UInt64? {
        try readExisting(of: owner)
        let hasOrder = isOrdered && !isReflexive
        if left.isEmpty, hasOrder ? existing == wanted : isExisting(wanted) { return nil }
        let before = existing
        let old = Set(existing)
        let new = Set(wanted)
        // Later records decide whether there are links to the objects in `left`. Objects that they
        // added follow the list.
        let list =
            wanted.filter { !left.contains($0) || old.contains($0) }
            + before.filter { left.contains($0) && !new.contains($0) }
        if hasOrder, before == list { return nil }
        var difference: UInt64 = 0
        for destination in before
        where !new.contains(destination) && !left.contains(destination) {
            difference ^= try unlink(owner, destination)
        }
        for (position, destination) in list.enumerated() {
            let order = OrderPositions.position(at: position)
            if !old.contains(destination) {
                difference ^= try link(owner, destination, order: order)
            } else if hasOrder {
                try pairs.setOrder(order, owner, destination)
            }
        }
        if hasOrder {
            difference ^= Self.sequenceHash(before) ^ Self.sequenceHash(list)
        }
        return left.isEmpty || difference != 0 ? difference : nil
    }

    private func readExisting(of owner: Int64) throws(StoreError) {
        existing.removeAll(keepingCapacity: true)
        if mayWalk { return try reader.read(owner, into: &existing) }
        select.bind(owner, at: 1)
        while try select.step() { existing.append(select.integer(0)) }
    }

    /// Returns whether these are the links that were read, in any order.
    ///
    /// It allocates no memory, because it is called for every record with unchanged links.
    private func isExisting(_ wanted: [Int64]) -> Bool {
        guard existing.count == wanted.count else { return false }
        if existing == wanted { return true }
        sorted.removeAll(keepingCapacity: true)
        sorted.append(contentsOf: wanted)
        sorted.sort()
        return existing == sorted
    }

    /// Closes the cursor, so that the table can be written.
    func closeWalk() { reader.close() }

    private func add(
        _ owner: Int64, _ destinations: [Int64], but left: Set<Int64>
    ) throws(StoreError) -> UInt64? {
        var order: Int64 = 0
        if isOrdered { order = try lastOrder(of: owner) }
        var difference: UInt64?
        for destination in destinations where !left.contains(destination) {
            closeWalk()
            let next = try positions?.next(after: order, of: owner) ?? 0
            let change = try link(owner, destination, order: next)
            guard change != 0 else { continue }
            order = next
            difference = (difference ?? 0) ^ change
        }
        return difference
    }

    /// Returns the last position of an owner.
    ///
    /// It is cached, because a query reads all of the owner's links.
    private func lastOrder(of owner: Int64) throws(StoreError) -> Int64 {
        if let known = lastOrders[owner] { return known }
        let order = try pairs.lastOrder(of: owner)
        if remembersOrders { lastOrders[owner] = order }
        return order
    }

    private func remove(
        _ owner: Int64, _ destinations: [Int64], but left: Set<Int64>
    ) throws(StoreError) -> UInt64? {
        var difference: UInt64?
        for destination in destinations where !left.contains(destination) {
            let change = try unlink(owner, destination)
            if change != 0 { difference = (difference ?? 0) ^ change }
        }
        return difference
    }

    private func link(
        _ owner: Int64, _ destination: Int64, order: Int64
    ) throws(StoreError) -> UInt64 {
        closeWalk()
        var isNew = try insert(pairs.pair(owner, destination, order: order))
        if isNew, remembersOrders { lastOrders[owner] = order }
        if isReflexive, destination != owner {
            // The link existed if the inverse join row existed.
            isNew = try pairs.insert(pairs.pair(destination, owner, order: nil)) && isNew
        }
        guard isNew else { return 0 }
        note(destination, owner)
        return Self.hash(destination)
    }

    private func unlink(_ owner: Int64, _ destination: Int64) throws(StoreError) -> UInt64 {
        closeWalk()
        var hasNoRow = try pairs.delete(owner, destination)
        if isReflexive, destination != owner {
            hasNoRow = try pairs.delete(destination, owner) || hasNoRow
        }
        guard hasNoRow else { return 0 }
        note(destination, owner)
        return Self.hash(destination)
    }

    private static func hash(_ destination: Int64) -> UInt64 {
        var hash = KeyHash()
        hash.combine(UInt64(bitPattern: destination))
        return hash.value
    }

    private static func sequenceHash(_ destinations: [Int64]) -> UInt64 {
        var hash = KeyHash()
        for destination in destinations { hash.combine(UInt64(bitPattern: destination)) }
        return hash.value
    }

    /// Writes the collected join rows.
    func flush() throws(StoreError) {
        guard !pending.isEmpty else { return }
        closeWalk()
        if pairs.hasBackOrder {
            // Keep the sequence of the records, which determines the order of the inverse end.
            for pair in pending where try insert(pair) { noteJoinRow(pair) }
            return forgetPending()
        }
        for pair in pending { noteJoinRow(pair) }
        if !pairs.ownerIsFirst || isReflexive {
            pending.sort { ($0.first, $0.second) < ($1.first, $1.second) }
        }
        try pairs.insert(pending)
        forgetPending()
    }

    private func noteJoinRow(_ pair: JoinRowStatements.JoinRow) {
        let (destination, owner) = (pairs.destination(of: pair), pairs.owner(of: pair))
        guard isReflexive else { return noteEnd(destination, owner) }
        // In a relationship that is its own inverse, the other end has a separate join row.
        if let inverse {
            inverseChanges.session.noteLink(inverse, destination, LinkEnds.hash(owner))
        }
    }

    /// Inserts a join row.
    ///
    /// If the inverse end is ordered, appends to its order, as a save does.
    ///
    /// - Returns: Whether the join row is new.
    private func insert(_ pair: JoinRowStatements.JoinRow) throws(StoreError) -> Bool {
        guard let backPositions else { return try pairs.insert(pair) }
        let destination = pairs.destination(of: pair)
        // Another writer of the table may append to the order.
        let order: Int64
        if !isShared, let known = lastBackOrders[destination] {
            order = known
        } else {
            order = try pairs.lastBackOrder(of: destination)
        }
        var pair = pair
        let next = try backPositions.next(after: order, of: destination)
        pair.backOrder = next
        let isNew = try pairs.insert(pair)
        if !isShared {
            lastBackOrders[destination] = isNew ? next : next - OrderPositions.step
        }
        return isNew
    }
}
