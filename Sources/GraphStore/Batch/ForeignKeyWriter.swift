import GraphModel
import SQLite

/// Writes a to-many relationship whose links are in the destination's rows.
final class ForeignKeyWriter {
    private let place: StoreSchema.ForeignKey
    /// The relationship's place among those that the load writes.
    private let turn: Int
    private let far: FarChanges
    private let table: Int?
    /// The columns that hold the link: the owner's key, its entity, the order.
    private let columns: [String]
    private let hashes: [ColumnHash]
    private let select: Statement
    /// `Z_ENT, columns…` of a destination.
    private let current: Statement
    private let set: Statement
    private let isOrdered: Bool

    init(
        _ place: StoreSchema.ForeignKey, _ far: FarChanges, turn: Int, on connection: Connection
    ) throws(SQLiteError) {
        self.place = place
        self.far = far
        self.turn = turn
        table = far.number(of: place.table)
        let order = place.orderColumn
        isOrdered = order != nil
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
                + ", Z_OPT = Z_OPT + 1 WHERE Z_PK = ?\(columns.count + 1)")
    }

    /// Brings an object's links to what the policy makes of the destinations.
    ///
    /// - Parameter left: objects that stay as they are.
    /// - Returns: a hash of what went and what came; nil where nothing changed.
    func change(
        _ owner: ManagedObjectID, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy,
        but left: Set<Int64>, in session: WriteSession
    ) throws(SQLiteError) -> UInt64? {
        var existing: [Int64] = []
        var orders: [Int64: Int64] = [:]
        var lastOrder: Int64 = 0
        select.bind(owner.primaryKey, at: 1)
        while try select.step() {
            existing.append(select.integer(0))
            lastOrder = max(lastOrder, select.integer(1))
            orders[select.integer(0)] = select.integer(1)
        }
        let named = Set(destinations)
        let going =
            switch policy {
            case .replace: existing.filter { !named.contains($0) && !left.contains($0) }
            case .add: [Int64]()
            case .remove: existing.filter { named.contains($0) && !left.contains($0) }
            }
        let coming = policy == .remove ? [] : destinations.filter { orders[$0] == nil }
        let isSame =
            going.isEmpty && coming.isEmpty
            && (!isOrdered || policy != .replace || existing == destinations)
        guard !isSame else { return nil }
        var difference: UInt64 = 0
        for destination in going {
            difference ^= try point(destination, to: nil, order: 0, in: session)
        }
        if policy == .replace, isOrdered {
            for (position, destination) in destinations.enumerated() {
                let order = Int64(position + 1) * 1024
                if orders[destination] == order || left.contains(destination) { continue }
                difference ^= try point(destination, to: owner, order: order, in: session)
            }
        } else {
            for destination in coming {
                // Who was taken away later had a place.
                lastOrder += 1024
                if left.contains(destination) { continue }
                difference ^= try point(destination, to: owner, order: lastOrder, in: session)
            }
        }
        return left.isEmpty || difference != 0 ? difference : nil
    }

    func destinations(of owner: Int64) throws(SQLiteError) -> [Int64] {
        select.bind(owner, at: 1)
        var found: [Int64] = []
        while try select.step() { found.append(select.integer(0)) }
        return found
    }

    /// Makes a destination point to none, whoever has it.
    func free(_ destination: Int64, in session: WriteSession) throws(SQLiteError) {
        current.bind(destination, at: 1)
        let previous: Int64? =
            try current.step() && !current.isNull(1) ? current.integer(1) : nil
        current.reset()
        guard let previous else { return }
        let went = try point(destination, to: nil, order: 0, in: session)
        far.note(previous, in: nil, went.turned(turn), isWritten: false)
    }

    /// Makes a destination point to the owner, or to none.
    ///
    /// - Returns: a hash of what went from the owner, or came to it.
    private func point(
        _ destination: Int64, to owner: ManagedObjectID?, order: Int64, in session: WriteSession
    ) throws(SQLiteError) -> UInt64 {
        let order = isOrdered ? order : 0
        current.bind(destination, at: 1)
        guard try current.step() else { return 0 }
        let entity = current.integer(0)
        let values = values(owner, order: order)
        var rowDifference: UInt64 = 0
        for (position, hash) in hashes.enumerated() {
            rowDifference ^= hash.change(
                from: BulkCell(column: Int32(position) + 1, of: current), to: values[position])
        }
        let previous: Int64? = current.isNull(1) ? nil : current.integer(1)
        let previousOrder = isOrdered ? current.integer(Int32(columns.count)) : 0
        current.reset()
        for (position, value) in values.enumerated() {
            value.bind(to: set, at: Int32(position) + 1)
        }
        set.bind(destination, at: Int32(columns.count) + 1)
        try set.run()
        far.note(destination, entity: entity, in: table, rowDifference)
        session.change.update(ManagedObjectID(entityNumber: entity, primaryKey: destination))
        if let name = place.relationship.inverseName {
            session.history?.update(
                ManagedObjectID(entityNumber: entity, primaryKey: destination), properties: [name])
        }
        let came = owner == nil ? 0 : Self.hash(destination, order)
        guard let previous else { return came }
        let went = Self.hash(destination, previousOrder)
        if let owner, owner.primaryKey != previous {
            // Whoever had it lost it, though nothing in that row changed.
            far.note(previous, in: nil, went.turned(turn), isWritten: false)
            return came
        }
        return came ^ went
    }

    /// What the columns are to hold.
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
