import GraphModel
import SQLite

/// A writer of to-many changes: join rows, foreign keys of relationships without an inverse, and
/// the positions of ordered relationships.
struct ListWriter {
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
                    try place.write(
                        added: difference.added, removed: difference.removed, of: owner.objectID,
                        on: connection)
                }
            }
        }
        for (name, rows) in removed.sorted(by: { $0.key < $1.key }) {
            try joins[name]?.delete(rows, on: connection)
        }
        for (name, rows) in added.sorted(by: { $0.key < $1.key }) {
            try joins[name]?.insert(rows, on: connection)
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

    /// Assigns positions to the objects of an ordered to-many.
    ///
    /// If the list is a fault, added objects follow the stored ones.
    private func order(_ owner: ManagedObject, _ slot: Int) throws(StoreError) {
        let list = owner.lists[slot]
        let order: ListOrder
        if let current = list.current {
            order = .list(current.ids.map(\.primaryKey))
        } else {
            order = .changes(
                added: list.added.ids.map(\.primaryKey), removed: list.removed.map(\.primaryKey))
        }
        try order.write(
            of: owner.objectID.primaryKey, at: owner.layout.toManys[slot].place, on: connection)
    }
}
