import GraphModel
import SQLite

/// A writer of to-many changes: join rows, foreign keys of relationships without an inverse, and
/// the positions of ordered relationships.
struct ListWriter {
    /// A join row, with its columns in the table's order.
    private struct JoinRow: Hashable {
        var first: Int64
        var second: Int64
    }

    private let objects: ObjectSupport
    private let connection: Connection
    private let pending: PendingObjects

    init(_ objects: ObjectSupport, _ session: WriteSession, _ pending: PendingObjects) {
        self.objects = objects
        connection = session.connection
        self.pending = pending
    }

    mutating func write() throws(StoreError) {
        var removed: [String: Set<JoinRow>] = [:]
        var added: [String: Set<JoinRow>] = [:]
        var joins: [String: StoreLayout.JoinTable] = [:]
        for owner in [pending.inserted, pending.updated].joined() {
            for slot in owner.lists.indices {
                let toMany = owner.layout.toManys[slot]
                guard owner.lists[slot].isChanged(isOrdered: toMany.isOrdered) else { continue }
                let difference = owner.lists[slot].difference
                switch toMany.place {
                case .joinTable(let join):
                    guard
                        let table = objects.schema.joinTables.first(where: {
                            $0.name == join.table
                        })
                    else { continue }
                    joins[join.table] = table
                    let isFirst = table.firstColumn == join.ownerColumn
                    let key = owner.objectID.primaryKey
                    for id in difference.removed {
                        removed[join.table, default: []].formUnion(
                            Self.pairs(key, id.primaryKey, isFirst, toMany))
                    }
                    for id in difference.added {
                        added[join.table, default: []].formUnion(
                            Self.pairs(key, id.primaryKey, isFirst, toMany))
                    }
                case .foreignKey(let place):
                    guard toMany.inverse == .none else { continue }
                    try write(difference, of: owner, at: place)
                }
            }
        }
        for (name, pairs) in removed.sorted(by: { $0.key < $1.key }) {
            guard let table = joins[name] else { continue }
            try run(
                "DELETE FROM \(name) WHERE \(table.firstColumn) = ? AND \(table.secondColumn) = ?",
                pairs)
        }
        for (name, pairs) in added.sorted(by: { $0.key < $1.key }) {
            guard let table = joins[name] else { continue }
            try run(
                "INSERT OR IGNORE INTO \(name) (\(table.firstColumn), \(table.secondColumn))"
                    + " VALUES (?, ?)", pairs)
        }
        for owner in [pending.inserted, pending.updated].joined() {
            for slot in owner.lists.indices where owner.layout.toManys[slot].isOrdered {
                if owner.lists[slot].isChanged(isOrdered: true) { try order(owner, slot) }
            }
        }
    }

    /// Returns the join rows of a link: two if the relationship is its own inverse, otherwise one.
    private static func pairs(
        _ owner: Int64, _ destination: Int64, _ ownerIsFirst: Bool, _ toMany: EntityLayout.ToMany
    ) -> [JoinRow] {
        let pair =
            ownerIsFirst
            ? JoinRow(first: owner, second: destination)
            : JoinRow(first: destination, second: owner)
        return ObjectReader.isOwnInverse(toMany)
            ? [pair, JoinRow(first: pair.second, second: pair.first)] : [pair]
    }

    private func run(_ sql: String, _ pairs: Set<JoinRow>) throws(StoreError) {
        let statement = try connection.cached(sql)
        for pair in pairs.sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) }) {
            statement.bind(pair.first, at: 1)
            statement.bind(pair.second, at: 2)
            try statement.run()
        }
    }

    /// Writes links that only the destination's rows store.
    private func write(
        _ difference: (added: [ManagedObjectID], removed: [ManagedObjectID]),
        of owner: ManagedObject, at place: StoreLayout.ForeignKey
    ) throws(StoreError) {
        var nulls = "\(place.column) = NULL"
        var sets = "\(place.column) = ?1"
        if let column = place.entityColumn {
            nulls += ", \(column) = NULL"
            sets += ", \(column) = ?3"
        }
        if let column = place.orderColumn {
            nulls += ", \(column) = NULL"
            sets += ", \(column) = NULL"
        }
        let clear = try connection.cached(
            "UPDATE \(place.table) SET \(nulls) WHERE Z_PK = ?2 AND \(place.column) = ?1")
        for id in difference.removed {
            clear.bind(owner.objectID.primaryKey, at: 1)
            clear.bind(id.primaryKey, at: 2)
            try clear.run()
        }
        let set = try connection.cached("UPDATE \(place.table) SET \(sets) WHERE Z_PK = ?2")
        for id in difference.added {
            set.bind(owner.objectID.primaryKey, at: 1)
            set.bind(id.primaryKey, at: 2)
            if place.entityColumn != nil { set.bind(owner.objectID.entityNumber, at: 3) }
            try set.run()
        }
    }

    // MARK: Order

    /// Assigns positions to the objects of an ordered to-many.
    ///
    /// If the list is a fault, added objects follow the stored ones.
    private func order(_ owner: ManagedObject, _ slot: Int) throws(StoreError) {
        let key = owner.objectID.primaryKey
        let select: String
        let update: String
        switch owner.layout.toManys[slot].place {
        case .joinTable(let join):
            guard let column = join.orderColumn else { return }
            select =
                "SELECT \(join.destinationColumn), \(column) FROM \(join.table)"
                + " WHERE \(join.ownerColumn) = ?"
            update =
                "UPDATE \(join.table) SET \(column) = ?1 WHERE \(join.destinationColumn) = ?2"
                + " AND \(join.ownerColumn) = ?3"
        case .foreignKey(let place):
            guard let column = place.orderColumn else { return }
            select = "SELECT Z_PK, \(column) FROM \(place.table) WHERE \(place.column) = ?"
            update =
                "UPDATE \(place.table) SET \(column) = ?1 WHERE Z_PK = ?2"
                + " AND \(place.column) = ?3"
        }
        let rows = try connection.cached(select)
        rows.bind(key, at: 1)
        var places: [Int64: Int64] = [:]
        while try rows.step() {
            if !rows.isNull(1) { places[rows.integer(0)] = rows.integer(1) }
        }
        var last = Int64(0)
        let wanted: [Int64]
        if let current = owner.lists[slot].current {
            wanted = current.ids.map(\.primaryKey)
        } else {
            last = places.values.max() ?? 0
            let moved = owner.lists[slot].removed
            for id in moved { places[id.primaryKey] = nil }
            wanted = owner.lists[slot].added.ids.map(\.primaryKey).filter { places[$0] == nil }
        }
        let statement = try connection.cached(update)
        for (destination, place) in Self.places(wanted, places, after: last)
            ?? Self.newPlaces(wanted, places)
        where places[destination] != place {
            statement.bind(place, at: 1)
            statement.bind(destination, at: 2)
            statement.bind(key, at: 3)
            try statement.run()
        }
    }

    /// Returns new positions for all objects: first those that are not in the list and keep their
    /// sequence, then those of the list.
    private static func newPlaces(
        _ wanted: [Int64], _ places: [Int64: Int64]
    ) -> [(Int64, Int64)] {
        let named = Set(wanted)
        let others = places.filter { !named.contains($0.key) }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        return (others + wanted).enumerated().map { ($1, OrderPositions.position(at: $0)) }
    }

    /// Returns ascending positions for the objects, and keeps existing positions where possible.
    ///
    /// - Returns: `nil` if no position is left.
    private static func places(
        _ wanted: [Int64], _ places: [Int64: Int64], after start: Int64
    ) -> [(Int64, Int64)]? {
        var result: [(Int64, Int64)] = []
        var last = start
        for (position, destination) in wanted.enumerated() {
            if let place = places[destination], place > last {
                last = place
            } else {
                // Leave the next object's position unchanged if there is a free one before it.
                let next = position + 1 < wanted.count ? places[wanted[position + 1]] : nil
                let (gap, isTooLarge) = (next ?? last).subtractingReportingOverflow(last)
                if !isTooLarge, gap > 1, gap <= OrderPositions.step {
                    last += gap / 2
                } else if let following = OrderPositions.next(after: last) {
                    last = following
                } else {
                    return nil
                }
            }
            precondition(
                last > result.last?.1 ?? start, "Two objects have one place in an order")
            result.append((destination, last))
        }
        return result
    }
}

/// The positions of objects in one ordered to-many relationship.
///
/// Positions ascend in steps, so that further positions fit between two of them. A store may
/// contain any position, even the largest integer, which no other can follow. The owner's objects
/// are then numbered again. A position is not a property, so their versions do not change.
struct OrderPositions {
    /// The distance between the positions of two objects that are added in sequence.
    static let step: Int64 = 1024

    private let connection: Connection
    private let select: String
    private let update: String

    /// Creates access to the positions that a table stores for one relationship.
    ///
    /// - Parameters:
    ///   - owner: The column with the key of the objects' owner.
    ///   - object: The column with the key of the objects.
    ///   - order: The column with the positions.
    init(
        in table: String, owner: String, object: String, order: String, on connection: Connection
    ) {
        self.connection = connection
        select =
            "SELECT \(object) FROM \(table) WHERE \(owner) = ? ORDER BY \(order), \(object)"
        update = "UPDATE \(table) SET \(order) = ? WHERE \(owner) = ? AND \(object) = ?"
    }

    /// Creates the positions of a relationship whose links are in the objects' rows.
    init?(_ place: StoreLayout.ForeignKey, on connection: Connection) {
        guard let order = place.orderColumn else { return nil }
        self.init(
            in: place.table, owner: place.column, object: "Z_PK", order: order, on: connection)
    }

    /// Returns the position of an object in a new order, counted from 0.
    static func position(at index: Int) -> Int64 { Int64(index + 1) * step }

    /// Returns the position that follows the last one; `nil` if none is left.
    static func next(after last: Int64) -> Int64? { position(after: last, count: 1) }

    /// Returns the position of the last of `count` objects that follow the last one; `nil` if there
    /// are fewer positions left.
    static func position(after last: Int64, count: Int64) -> Int64? {
        let (distance, isTooFar) = count.multipliedReportingOverflow(by: step)
        let (position, overflows) = last.addingReportingOverflow(distance)
        return isTooFar || overflows ? nil : position
    }

    /// Returns the position that follows the last one of an owner.
    ///
    /// If none is left, numbers the owner's objects again.
    func next(after last: Int64, of owner: Int64) throws(StoreError) -> Int64 {
        if let next = Self.next(after: last) { return next }
        return Self.position(at: try renumber(owner))
    }

    /// Numbers an owner's objects again, in their order.
    ///
    /// - Returns: The number of objects.
    func renumber(_ owner: Int64) throws(StoreError) -> Int {
        let rows = try connection.cached(select)
        rows.bind(owner, at: 1)
        var objects: [Int64] = []
        while try rows.step() { objects.append(rows.integer(0)) }
        let set = try connection.cached(update)
        for (index, object) in objects.enumerated() {
            set.bind(Self.position(at: index), at: 1)
            set.bind(owner, at: 2)
            set.bind(object, at: 3)
            try set.run()
        }
        return objects.count
    }
}
