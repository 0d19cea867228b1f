import GraphModel
import SQLite

/// Finds, or makes, the objects that a link names by key.
final class LinkResolver {
    private let destination: StoreLayout.Entity
    /// Whether objects are named by their numbers.
    private let isByNumber: Bool
    private let select: Statement
    /// Finds objects by a key that several may share; nil if a constraint makes the key unique.
    private let lookup: KeyLookup?
    private let insert: Statement
    // As in `BulkWriter`.
    @exclusivity(unchecked) private var cache: LinkCache
    private let mayRemember: Bool
    private let validators: [AttributeValidator]

    /// - Parameters:
    ///   - mayRemember: whether an object keeps its key for as long as the load lasts.
    ///   - memoryBytes: what the keys that were looked up may take.
    ///   - isUnique: whether a constraint keeps objects from sharing a key.
    init(
        _ destination: StoreLayout.Entity, attributes: [String], mayRemember: Bool,
        memoryBytes: Int, isUnique: Bool, _ keyTables: KeyTables, on connection: Connection
    ) throws(SQLiteError) {
        self.destination = destination
        cache = LinkCache(bytesMax: memoryBytes)
        self.mayRemember = mayRemember
        isByNumber = attributes == [ObjectNumber.explicitKey]
        let places = attributes.compactMap { destination.attributes[$0] }
        validators = places.map { AttributeValidator($0.attribute) }
        let columns = places.map(\.column)
        // Objects that stand in the record are not looked up here.
        let keyColumns = isByNumber ? ["Z_PK"] : columns
        let condition =
            keyColumns.isEmpty ? "0" : keyColumns.map { "\($0) = ?" }.joined(separator: " AND ")
        lookup =
            isUnique
            ? nil : try KeyLookup(destination, columns: columns, keyTables, on: connection)
        let family = destination.familyCondition().map { " AND \($0)" } ?? ""
        select = try connection.prepare(
            "SELECT Z_PK, Z_ENT FROM \(destination.table) WHERE \(condition)\(family)")
        let defaults = destination.attributes.values.sorted { $0.column < $1.column }
            .compactMap { place -> (String, String)? in
                guard !columns.contains(place.column), let value = place.attribute.defaultValue,
                    value != .null
                else { return nil }
                return (place.column, SQLLiteral.text(value))
            }
        insert = try connection.prepare(
            "INSERT INTO \(destination.table) (Z_PK, Z_ENT, Z_OPT"
                + (columns + defaults.map(\.0)).map { ", \($0)" }.joined()
                + ") VALUES (?, \(destination.number), 1"
                + String(repeating: ", ?", count: columns.count)
                + defaults.map { ", \($0.1)" }.joined() + ")")
    }

    /// The object with that key, if there is one.
    func find(_ key: LinkKey) throws(SQLiteError) -> KeyMatch {
        let hash = key.hash
        if mayRemember, let known = remembered(key, hash) { return .one(known) }
        if let lookup {
            let match = try lookup.find { key.bind(to: $0, from: 1) }
            if mayRemember, case .one(let id) = match { remember(key, hash, id) }
            return match
        }
        key.bind(to: select, from: 1)
        guard try select.step() else { return .none }
        let id = ManagedObjectID(
            entityNumber: select.integer(1), primaryKey: select.integer(0))
        select.reset()
        if mayRemember { remember(key, hash, id) }
        return .one(id)
    }

    private func remembered(_ key: LinkKey, _ hash: UInt64) -> ManagedObjectID? {
        guard !key.others.isEmpty else { return cache.find(key.first, hash: hash) }
        return key.encoded.withUnsafeBufferPointer { cache.find(.blob($0), hash: hash) }
    }

    private func remember(_ key: LinkKey, _ hash: UInt64, _ id: ManagedObjectID) {
        guard !key.others.isEmpty else { return cache.insert(key.first, hash: hash, id) }
        key.encoded.withUnsafeBufferPointer { cache.insert(.blob($0), hash: hash, id) }
    }

    /// Why no object may be made that has the key; nil where one may.
    func problem(with key: LinkKey) -> String? {
        for (validator, cell) in zip(validators, [key.first] + key.others) {
            if let problem = validator.problem(with: cell) { return problem }
        }
        return nil
    }

    /// Makes an object that has the key and otherwise defaults.
    ///
    /// One that is named by its number gets another one: it is the stand-in of a preview.
    func create(_ key: LinkKey, in session: WriteSession) throws(SQLiteError) -> ManagedObjectID {
        let id = ManagedObjectID(
            entityNumber: destination.number,
            primaryKey: try session.nextKey(root: destination.rootNumber))
        insert.bind(id.primaryKey, at: 1)
        if !isByNumber { key.bind(to: insert, from: 2) }
        try insert.run()
        session.change.insert(id)
        if mayRemember { remember(key, key.hash, id) }
        return id
    }

    /// Forgets what was looked up: somebody else has written.
    func forgetAll() {
        cache.removeAll()
    }
}
