import GraphModel
import SQLite

/// The objects that have a key.
enum KeyMatch {
    case none
    case one(ManagedObjectID)
    /// The first primary keys of those that share it, in rising order.
    case several([Int64])
    /// Objects that a relationship of the key may lead to share their own key; what a reject says
    /// of it.
    case severalInside(String)

    /// What a reject says of objects that share a key.
    ///
    /// - Parameters:
    ///   - primaryKeys: the first of them.
    ///   - key: what they share, such as `name 'Ada'`.
    static func message(
        _ primaryKeys: [Int64], of entity: StoreLayout.Entity, key: String
    ) -> String {
        let shown = primaryKeys.prefix(2).map(String.init).joined(separator: " and ")
        let more = primaryKeys.count > 2 ? " and others" : ""
        return "Several '\(entity.name)' objects have \(key): primary keys \(shown)\(more)"
    }
}

/// Finds objects by a key that no constraint makes unique.
///
/// It asks an index of the store if one begins with the key's columns, and else a `KeyTable`.
/// Whoever has put the index off, or may do so, must not use this before it is made again.
final class KeyLookup {
    /// So many tell that there are more than two.
    private static let shownMax = 3

    private let select: Statement

    init(
        _ entity: StoreLayout.Entity, columns: [String], _ tables: KeyTables,
        on connection: Connection
    ) throws(StoreError) {
        if try Self.hasIndex(on: columns, of: entity.table, connection) {
            let family = entity.familyCondition().map { ["+\($0)"] } ?? []
            select = try SelectSQL(
                "Z_PK, Z_ENT", from: entity.table, where: columns.map { "\($0) = ?" } + family,
                order: ["Z_PK"]
            ).prepare(on: connection)
        } else {
            let table = try tables.table(of: entity, columns: columns)
            select = try connection.prepare(table.selectText)
        }
    }

    /// Finds the objects whose key is bound.
    ///
    /// - Parameter bind: binds the key's values from the first parameter on.
    func find(_ bind: (Statement) -> Void) throws(StoreError) -> KeyMatch {
        bind(select)
        guard try select.step() else { return .none }
        defer { select.reset() }
        let id = ManagedObjectID(
            entityNumber: select.integer(1), primaryKey: select.integer(0))
        var keys = [id.primaryKey]
        while keys.count < Self.shownMax, try select.step() { keys.append(select.integer(0)) }
        return keys.count == 1 ? .one(id) : .several(keys)
    }

    /// Whether an index of the table begins with these columns, in any order.
    static func hasIndex(
        on columns: [String], of table: String, _ connection: Connection
    ) throws(StoreError) -> Bool {
        let indexed = try connection.prepare(
            "SELECT l.name, c.name FROM pragma_index_list(?) l, pragma_index_xinfo(l.name) c"
                + " WHERE NOT l.partial AND c.coll = 'BINARY' AND c.seqno < ?"
                + " ORDER BY l.name, c.seqno")
        indexed.bind(table, at: 1)
        indexed.bind(Int64(columns.count), at: 2)
        var found: [String: Set<String>] = [:]
        while try indexed.step() {
            found[indexed.string(0), default: []].insert(indexed.string(1))
        }
        return found.values.contains(Set(columns))
    }
}
