package import SQLite

/// The new order of one owner's objects in an ordered to-many relationship.
package enum ListOrder {
    /// All objects of the list, by primary key.
    case list([Int64])
    /// Objects that follow the stored ones, and objects that leave the list, by primary key.
    case changes(added: [Int64], removed: [Int64])

    /// Writes the positions of the objects; the links are already written.
    package func write(
        of owner: Int64, at place: StoreLayout.ToManyPlace, on connection: Connection
    ) throws(StoreError) {
        let select: String
        let update: String
        switch place {
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
        rows.bind(owner, at: 1)
        var places: [Int64: Int64] = [:]
        while try rows.step() {
            if !rows.isNull(1) { places[rows.integer(0)] = rows.integer(1) }
        }
        var last = Int64(0)
        let wanted: [Int64]
        switch self {
        case .list(let keys): wanted = keys
        case .changes(let added, let removed):
            last = places.values.max() ?? 0
            for key in removed { places[key] = nil }
            wanted = added.filter { places[$0] == nil }
        }
        let statement = try connection.cached(update)
        for (destination, place) in Self.places(wanted, places, after: last)
            ?? Self.newPlaces(wanted, places)
        where places[destination] != place {
            statement.bind(place, at: 1)
            statement.bind(destination, at: 2)
            statement.bind(owner, at: 3)
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
