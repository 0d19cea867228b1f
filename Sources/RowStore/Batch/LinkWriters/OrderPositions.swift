import GraphModel
import SQLite

/// The positions of objects in one ordered to-many relationship.
///
/// Positions ascend in steps, so that further positions fit between two of them. A store may
/// contain any position, even the largest integer, which no other can follow. The owner's objects
/// are then numbered again. A position is not a property, so their versions do not change.
package struct OrderPositions {
    /// The distance between the positions of two objects that are added in sequence.
    package static let step: Int64 = 1024

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
    package static func position(at index: Int) -> Int64 { Int64(index + 1) * step }

    /// Returns the position that follows the last one; `nil` if none is left.
    package static func next(after last: Int64) -> Int64? { position(after: last, count: 1) }

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
