import GraphModel
import SQLite

/// Finds, or makes, the objects that a link names by key.
final class LinkResolver {
    private let destination: StoreSchema.Entity
    private let select: Statement
    private let insert: Statement
    private var cache = LinkCache()
    private let mayRemember: Bool
    private let validator: AttributeValidator?

    /// - Parameter mayRemember: whether an object keeps its key for as long as the load lasts.
    init(
        _ destination: StoreSchema.Entity, attribute: String, mayRemember: Bool,
        on connection: Connection
    ) throws(SQLiteError) {
        self.destination = destination
        self.mayRemember = mayRemember
        validator = destination.attributes[attribute].map { AttributeValidator($0.attribute) }
        let column = destination.attributes[attribute]?.column ?? "Z_PK"
        let family = destination.familyCondition().map { " AND \($0)" } ?? ""
        select = try connection.prepare(
            "SELECT Z_PK, Z_ENT FROM \(destination.table) WHERE \(column) = ?\(family)")
        let defaults = destination.attributes.values.sorted { $0.column < $1.column }
            .compactMap { place -> (String, String)? in
                guard place.column != column, let value = place.attribute.defaultValue,
                    value != .null
                else { return nil }
                return (place.column, SQLLiteral.text(value))
            }
        insert = try connection.prepare(
            "INSERT INTO \(destination.table) (Z_PK, Z_ENT, Z_OPT, \(column)"
                + defaults.map { ", \($0.0)" }.joined() + ") VALUES (?, \(destination.number), 1, ?"
                + defaults.map { ", \($0.1)" }.joined() + ")")
    }

    /// The object with that key, if there is one.
    func find(_ key: BulkCell) throws(SQLiteError) -> ManagedObjectID? {
        let hash = KeyHash.of(key)
        if mayRemember, let known = cache.find(key, hash: hash) { return known }
        key.bind(to: select, at: 1)
        guard try select.step() else { return nil }
        let id = ManagedObjectID(
            entityNumber: select.integer(1), primaryKey: select.integer(0))
        select.reset()
        if mayRemember { cache.insert(key, hash: hash, id) }
        return id
    }

    /// Why no object may be made that has the key; nil where one may.
    func problem(with key: BulkCell) -> String? { validator?.problem(with: key) }

    /// Makes an object that has the key and otherwise defaults.
    func create(_ key: BulkCell, in session: WriteSession) throws(SQLiteError) -> ManagedObjectID {
        let id = ManagedObjectID(
            entityNumber: destination.number,
            primaryKey: try session.nextKey(root: destination.rootNumber))
        insert.bind(id.primaryKey, at: 1)
        key.bind(to: insert, at: 2)
        try insert.run()
        session.change.insert(id)
        if mayRemember { cache.insert(key, hash: KeyHash.of(key), id) }
        return id
    }

    /// Forgets what was looked up: somebody else has written.
    func forgetAll() {
        cache.removeAll()
    }
}
