import GraphModel
import SQLite

/// Writes a to-many relationship whose links are stored in the destination's rows.
final class ForeignKeyWriter {
    private let place: StoreLayout.ForeignKey
    /// The index of the relationship among those that the load writes.
    private let linkIndex: Int
    private let inverseChanges: InverseChanges
    /// The relationship itself, and its inverse.
    private let own: LinkEnd?
    private let inverse: LinkEnd?
    /// Whether the destinations are in the table that the load writes.
    private let isInLoad: Bool
    /// The columns of the link: the owner's primary key, its entity, and the order.
    private let columns: [String]
    private let hashes: [ColumnHash]
    private let select: Statement
    /// Selects `Z_ENT, columns…` of a destination.
    private let current: Statement
    private let set: Statement
    /// Selects the last position in an owner's order; `nil` if the relationship is not ordered.
    private let last: Statement?
    private let positions: OrderPositions?
    private var isOrdered: Bool { positions != nil }
    private let remembersOrders: Bool
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var lastOrders = LastOrders()

    /// Creates a writer of a relationship's links, and prepares its statements.
    ///
    /// - Parameter remembersOrders: Whether to cache the last positions: records add links to
    ///   owners, and nothing else in the load writes them.
    init(
        _ place: StoreLayout.ForeignKey, of entity: StoreLayout.Entity, _ schema: StoreLayout,
        _ inverseChanges: InverseChanges, linkIndex: Int, remembersOrders: Bool,
        on connection: Connection
    ) throws(StoreError) {
        self.place = place
        own = schema.linkEnd(place.relationship.name, of: entity.name)
        inverse = schema.inverseEnd(of: place.relationship)
        self.inverseChanges = inverseChanges
        self.linkIndex = linkIndex
        isInLoad = inverseChanges.covers(place.table)
        let order = place.orderColumn
        positions = OrderPositions(place, on: connection)
        self.remembersOrders = remembersOrders
        if let order {
            last = try connection.prepare(
                "SELECT max(\(order)) FROM \(place.table) WHERE \(place.column) = ?")
        } else {
            last = nil
        }
        columns = [place.column] + [place.entityColumn, order].compactMap { $0 }
        hashes = columns.map { ColumnHash($0) }
        select = try connection.prepare(
            "SELECT Z_PK, \(order ?? "0") FROM \(place.table) WHERE \(place.column) = ?"
                + " ORDER BY \(order ?? "Z_PK")")
        current = try connection.prepare(
            "SELECT Z_ENT, \(columns.joined(separator: ", ")) FROM \(place.table) WHERE Z_PK = ?")
        let assignments = columns.enumerated().map { "\($1) = ?\($0 + 1)" }
        set = try connection.prepare(
            "UPDATE \(place.table) SET \(assignments.joined(separator: ", "))"
                + " WHERE Z_PK = ?\(columns.count + 1)")
    }

    /// Changes an object's links according to the policy.
    ///
    /// - Parameter left: Objects that must be left unchanged.
    /// - Returns: A hash of the old and new links; `nil` if nothing changed.
    func change(
        _ owner: ManagedObjectID, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy,
        but left: Set<Int64>, in session: WriteSession
    ) throws(StoreError) -> UInt64? {
        switch policy {
        case .replace: try replace(owner, with: destinations, but: left, in: session)
        case .add: try add(owner, destinations, but: left, in: session)
        case .remove: try remove(owner, destinations, but: left, in: session)
        }
    }

    private func replace(
        _ owner: ManagedObjectID, with destinations: [Int64], but left: Set<Int64>,
        in session: WriteSession
    ) throws(StoreError) -> UInt64? {
        var existing: [Int64] = []
        var orders: [Int64: Int64] = [:]
        select.bind(owner.primaryKey, at: 1)
        while try select.step() {
            existing.append(select.integer(0))
            orders[select.integer(0)] = select.integer(1)
        }
        let named = Set(destinations)
        let going = existing.filter { !named.contains($0) && !left.contains($0) }
        // Later records may have moved objects away, named this owner, too, or added objects.
        // Objects that they added follow the list.
        let wanted =
            destinations.filter { !left.contains($0) || orders[$0] != nil }
            + existing.filter { left.contains($0) && !named.contains($0) }
        let coming = wanted.filter { orders[$0] == nil }
        let isSame =
            going.isEmpty && coming.isEmpty
            && (!isOrdered || existing == wanted && ascend(existing, orders))
        guard !isSame else { return nil }
        var difference: UInt64 = 0
        for destination in going {
            difference ^= try point(destination, to: nil, order: 0, in: session)
        }
        if isOrdered {
            for (position, destination) in wanted.enumerated() {
                let order = OrderPositions.position(at: position)
                if orders[destination] == order { continue }
                difference ^= try point(destination, to: owner, order: order, in: session)
            }
        } else {
            for destination in coming {
                difference ^= try point(destination, to: owner, order: 0, in: session)
            }
        }
        return left.isEmpty || difference != 0 ? difference : nil
    }

    /// Returns whether no two of the objects are in one place.
    private func ascend(_ objects: [Int64], _ orders: [Int64: Int64]) -> Bool {
        zip(objects, objects.dropFirst()).allSatisfy { (orders[$0] ?? 0) < (orders[$1] ?? 0) }
    }

    /// Adds links, and reads only the destinations: an owner may have many more, and get one with
    /// each record.
    private func add(
        _ owner: ManagedObjectID, _ destinations: [Int64], but left: Set<Int64>,
        in session: WriteSession
    ) throws(StoreError) -> UInt64? {
        var difference: UInt64?
        var order: Int64?
        for destination in destinations {
            guard let link = try link(of: destination), link.owner != owner.primaryKey else {
                continue
            }
            if let positions, let last {
                let last =
                    if let order { order } else { try lastOrder(of: owner.primaryKey, last) }
                // An object that a later record removed had a position, too.
                order = try positions.next(after: last, of: owner.primaryKey)
            }
            if left.contains(destination) { continue }
            let change = try point(destination, link, to: owner, order: order ?? 0, in: session)
            difference = (difference ?? 0) ^ change
            if remembersOrders, let order { lastOrders[owner.primaryKey] = order }
        }
        return difference
    }

    private func remove(
        _ owner: ManagedObjectID, _ destinations: [Int64], but left: Set<Int64>,
        in session: WriteSession
    ) throws(StoreError) -> UInt64? {
        var difference: UInt64?
        for destination in destinations where !left.contains(destination) {
            guard let link = try link(of: destination), link.owner == owner.primaryKey else {
                continue
            }
            let change = try point(destination, link, to: nil, order: 0, in: session)
            difference = (difference ?? 0) ^ change
        }
        return difference
    }

    /// Returns the last position in the owner's order; 0 if it has no objects.
    private func lastOrder(of owner: Int64, _ last: Statement) throws(StoreError) -> Int64 {
        if let known = lastOrders[owner] { return known }
        last.bind(owner, at: 1)
        let order = max(0, try last.onlyInteger())
        if remembersOrders { lastOrders[owner] = order }
        return order
    }

    /// Clears the cached positions, which another writer may have changed.
    func forgetOrders() { lastOrders.removeAll() }

    func destinations(of owner: Int64) throws(StoreError) -> [Int64] {
        select.bind(owner, at: 1)
        var found: [Int64] = []
        while try select.step() { found.append(select.integer(0)) }
        return found
    }

    /// Clears the owner of a destination, whatever it is.
    func free(_ destination: Int64, in session: WriteSession) throws(StoreError) {
        guard let link = try link(of: destination), let previous = link.owner else { return }
        let went = try point(destination, link, to: nil, order: 0, in: session)
        inverseChanges.note(previous, went.turned(linkIndex))
    }

    /// The current owner of a destination, from its row.
    private struct Link {
        var entity: Int64
        var owner: Int64?
        var order: Int64
        /// The hash of all columns of the link.
        var hash: UInt64
    }

    private func link(of destination: Int64) throws(StoreError) -> Link? {
        current.bind(destination, at: 1)
        guard try current.step() else { return nil }
        defer { current.reset() }
        var hash: UInt64 = 0
        for (position, column) in hashes.enumerated() {
            hash ^= column.of(BulkCell(column: Int32(position) + 1, of: current))
        }
        return Link(
            entity: current.integer(0), owner: current.isNull(1) ? nil : current.integer(1),
            order: isOrdered ? current.integer(Int32(columns.count)) : 0, hash: hash)
    }

    private func point(
        _ destination: Int64, to owner: ManagedObjectID?, order: Int64, in session: WriteSession
    ) throws(StoreError) -> UInt64 {
        guard let link = try link(of: destination) else { return 0 }
        return try point(destination, link, to: owner, order: order, in: session)
    }

    /// Sets or clears the owner of a destination.
    ///
    /// - Parameter link: The current owner, from the destination's row.
    /// - Returns: A hash of the owner's lost or new link.
    private func point(
        _ destination: Int64, _ link: Link, to owner: ManagedObjectID?, order: Int64,
        in session: WriteSession
    ) throws(StoreError) -> UInt64 {
        let entity = link.entity
        let values = values(owner, order: order)
        var rowDifference = link.hash
        for (position, hash) in hashes.enumerated() { rowDifference ^= hash.of(values[position]) }
        for (position, value) in values.enumerated() {
            value.bind(to: set, at: Int32(position) + 1)
        }
        set.bind(destination, at: Int32(columns.count) + 1)
        try set.run()
        if isInLoad { inverseChanges.note(destination, entity: entity, rowDifference) }
        // A position in an order is not a property of the destination.
        if owner?.primaryKey != link.owner {
            var hash: UInt64 = 0
            for case let end? in [link.owner, owner?.primaryKey] {
                hash ^= LinkEnds.hash(end)
                if let own { session.noteLink(own, end, LinkEnds.hash(destination)) }
            }
            if let inverse { session.noteLink(inverse, destination, hash) }
        }
        let came = owner == nil ? 0 : Self.hash(destination, order)
        guard let previous = link.owner else { return came }
        // The object may have been the last one.
        if remembersOrders { lastOrders[previous] = nil }
        let went = Self.hash(destination, link.order)
        if let owner, owner.primaryKey != previous {
            // The previous owner lost this object, although its own row is unchanged.
            inverseChanges.note(previous, went.turned(linkIndex))
            return came
        }
        return came ^ went
    }

    /// Returns the new values of the columns.
    private func values(_ owner: ManagedObjectID?, order: Int64) -> [BulkCell] {
        guard let owner else { return Array(repeating: .null, count: columns.count) }
        var values = [BulkCell.integer(owner.primaryKey)]
        if place.entityColumn != nil { values.append(.integer(owner.entityNumber)) }
        if isOrdered { values.append(.integer(order)) }
        return values
    }

    static func hash(_ destination: Int64, _ order: Int64) -> UInt64 {
        var hash = KeyHash()
        hash.combine(UInt64(bitPattern: destination))
        hash.combine(UInt64(bitPattern: order))
        return hash.value
    }
}
