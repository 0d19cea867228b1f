import GraphModel
import SQLite

/// The objects that have a key.
enum KeyMatch {
    case none
    case one(ManagedObjectID)
    /// The first primary keys of the objects that share the key, in ascending order.
    case several([Int64])
    /// Possible targets of a relationship in the key share their own key; the value is the message
    /// of the reject.
    case severalInside(String)

    /// Returns the message of a reject for objects that share a key.
    ///
    /// - Parameters:
    ///   - primaryKeys: The first primary keys of the objects.
    ///   - key: The shared key, such as `name 'Ada'`.
    static func message(
        _ primaryKeys: [Int64], of entity: StoreLayout.Entity, key: String
    ) -> String {
        let shown = primaryKeys.prefix(2).map(String.init).joined(separator: " and ")
        let more = primaryKeys.count > 2 ? " and others" : ""
        return "Several '\(entity.name)' objects have \(key): primary keys \(shown)\(more)"
    }
}

/// Finds objects by a key without a uniqueness constraint.
///
/// It uses an index of the store if one begins with the key's columns, and otherwise a `KeyTable`.
/// It must not be used while this index is deferred.
final class KeyLookup {
    /// The number of keys to read, which is enough to detect more than two.
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

    /// Finds the objects with a key.
    ///
    /// - Parameter bind: Binds the key's values, starting with the first parameter.
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

    /// Returns whether an index of the table begins with these columns, in any order.
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
