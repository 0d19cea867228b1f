import GraphModel
import SQLite

/// Writes a to-many relationship whose links are in the destination's rows.
final class ForeignKeyWriter {
    private let place: StoreSchema.ForeignKey
    private let select: Statement
    private let entityOf: Statement
    private let set: Statement
    private let clear: Statement
    private let isOrdered: Bool

    init(_ place: StoreSchema.ForeignKey, on connection: Connection) throws(SQLiteError) {
        self.place = place
        let order = place.orderColumn
        isOrdered = order != nil
        select = try connection.prepare(
            "SELECT Z_PK, \(order ?? "0") FROM \(place.table) WHERE \(place.column) = ?"
                + " ORDER BY \(order ?? "Z_PK")")
        entityOf = try connection.prepare(
            "SELECT Z_ENT, \(place.column) FROM \(place.table) WHERE Z_PK = ?")
        var assignments = ["\(place.column) = ?1", "Z_OPT = Z_OPT + 1"]
        var nulls = ["\(place.column) = NULL", "Z_OPT = Z_OPT + 1"]
        if let column = place.entityColumn {
            assignments.append("\(column) = ?2")
            nulls.append("\(column) = NULL")
        }
        if let order {
            assignments.append("\(order) = ?3")
            nulls.append("\(order) = NULL")
        }
        set = try connection.prepare(
            "UPDATE \(place.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?4")
        clear = try connection.prepare(
            "UPDATE \(place.table) SET \(nulls.joined(separator: ", ")) WHERE Z_PK = ?1")
    }

    /// Brings an object's links to what the policy makes of the destinations.
    ///
    /// - Returns: a hash of what went and what came; nil where nothing changed.
    func change(
        _ owner: ManagedObjectID, to destinations: [Int64], _ policy: BulkPlan.ManyPolicy,
        in session: WriteSession
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
            case .replace: existing.filter { !named.contains($0) }
            case .add: [Int64]()
            case .remove: existing.filter { named.contains($0) }
            }
        let coming = policy == .remove ? [] : destinations.filter { orders[$0] == nil }
        let wanted =
            switch policy {
            case .replace: destinations
            case .add: existing + coming
            case .remove: existing.filter { !named.contains($0) }
            }
        let isSame = going.isEmpty && coming.isEmpty && (!isOrdered || existing == wanted)
        guard !isSame else { return nil }
        for destination in going { try unlink(destination, in: session) }
        if policy == .replace, isOrdered {
            for (position, destination) in wanted.enumerated() {
                let order = Int64(position + 1) * 1024
                if orders[destination] == order { continue }
                try link(owner, destination, order: order, in: session)
            }
        } else {
            for destination in coming {
                lastOrder += 1024
                try link(owner, destination, order: lastOrder, in: session)
            }
        }
        return Self.hash(existing, isOrdered) ^ Self.hash(wanted, isOrdered)
    }

    private func link(
        _ owner: ManagedObjectID, _ destination: Int64, order: Int64, in session: WriteSession
    ) throws(SQLiteError) {
        set.bind(owner.primaryKey, at: 1)
        if place.entityColumn != nil { set.bind(owner.entityNumber, at: 2) }
        if isOrdered { set.bind(order, at: 3) }
        set.bind(destination, at: 4)
        try set.run()
        try note(destination, in: session)
    }

    private func unlink(_ destination: Int64, in session: WriteSession) throws(SQLiteError) {
        clear.bind(destination, at: 1)
        try clear.run()
        try note(destination, in: session)
    }

    private func note(_ destination: Int64, in session: WriteSession) throws(SQLiteError) {
        entityOf.bind(destination, at: 1)
        if try entityOf.step() {
            let id = ManagedObjectID(
                entityNumber: entityOf.integer(0), primaryKey: destination)
            session.change.update(id)
            if let name = place.relationship.inverseName {
                session.history?.update(id, properties: [name])
            }
        }
        entityOf.reset()
    }

    private static func hash(_ keys: [Int64], _ isOrdered: Bool) -> UInt64 {
        var sequence = KeyHash()
        var set: UInt64 = 0
        for key in keys {
            sequence.combine(UInt64(bitPattern: key))
            var one = KeyHash()
            one.combine(UInt64(bitPattern: key))
            set ^= one.value
        }
        return isOrdered ? sequence.value : set
    }
}
