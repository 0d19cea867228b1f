import GraphModel
import SQLite

/// Finds, or creates, the objects that a link identifies by key.
///
/// A relationship in the key has a separate resolver, which finds its target:
/// ```
/// by: { number: n, album: { by: { title: album } } }
///   SELECT Z_PK, Z_ENT FROM ZALBUM WHERE ZTITLE = ?
///   SELECT Z_PK, Z_ENT FROM ZTRACK WHERE ZNUMBER = ? AND ZALBUM = ?
/// ```
final class LinkResolver {
    /// The resources for looking up objects.
    struct Lookups {
        let schema: StoreLayout
        let keyTables: KeyTables
        let connection: Connection
        /// The memory limit of the cached keys in bytes.
        let memoryBytes: Int
        /// Returns whether the objects of an entity keep their attributes during the load.
        let mayRemember: (StoreLayout.Entity) -> Bool
    }

    /// One attribute or relationship of the key that identifies an object.
    private struct Part {
        let name: String
        let column: String
        /// The number of values in the part.
        let width: Int
        let validator: AttributeValidator?
        let type: AttributeType?
        /// The resolver of a relationship's target, and the column of the target's entity.
        let target: LinkResolver?
        let entityColumn: String?
    }

    private let destination: StoreLayout.Entity
    /// Whether links contain the primary keys of objects instead of values of attributes.
    private let isByNumber: Bool
    private let parts: [Part]
    private let hasRelationship: Bool
    private let select: Statement
    /// Finds objects by a key that several may share; `nil` if a constraint makes the key unique.
    private let lookup: KeyLookup?
    private let insert: Statement
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var cache: LinkCache
    private let mayRemember: Bool

    /// Creates a resolver that finds objects of an entity by a key, and prepares its statements.
    ///
    /// - Parameters:
    ///   - key: Empty if the objects are nested in the record and therefore not looked up.
    ///   - mayRemember: Whether an object keeps its key during the load.
    init(
        _ destination: StoreLayout.Entity, key: [BulkPlan.KeyPart], mayRemember: Bool,
        _ lookups: Lookups
    ) throws(StoreError) {
        self.destination = destination
        let targetCount = key.count { $0.entity != nil }
        hasRelationship = targetCount > 0
        cache = LinkCache(bytesMax: lookups.memoryBytes / (targetCount + 1))
        self.mayRemember = mayRemember
        isByNumber = key.first?.property == ObjectNumber.explicitKey
        var parts: [Part] = []
        for part in key {
            try Self.part(part, of: destination, lookups, targetCount).map { parts.append($0) }
        }
        self.parts = parts
        let columns = parts.map(\.column)
        let isUnique =
            key.isEmpty || isByNumber
            || lookups.schema.isUnique(key.map(\.property), of: destination)
        lookup =
            isUnique
            ? nil
            : try KeyLookup(
                destination, columns: columns, lookups.keyTables, on: lookups.connection)
        select = try SelectSQL(
            "Z_PK, Z_ENT", of: destination,
            where: columns.isEmpty ? ["0"] : columns.map { "\($0) = ?" }
        ).prepare(on: lookups.connection)
        insert = try lookups.connection.prepare(Self.insertText(destination, parts, isByNumber))
    }

    private static func part(
        _ part: BulkPlan.KeyPart, of destination: StoreLayout.Entity, _ lookups: Lookups,
        _ targetCount: Int
    ) throws(StoreError) -> Part? {
        if part.property == ObjectNumber.explicitKey {
            return Part(
                name: ObjectNumber.key, column: "Z_PK", width: 1, validator: nil, type: nil,
                target: nil, entityColumn: nil)
        }
        if let place = destination.attributes[part.property] {
            return Part(
                name: part.property, column: place.column, width: 1,
                validator: AttributeValidator(place.attribute), type: place.attribute.type,
                target: nil, entityColumn: nil)
        }
        // `ColumnPlan` rejects keys with a relationship that has no column.
        guard let place = destination.toOnes[part.property]?.columns,
            let entity = part.entity.flatMap({ lookups.schema.entity(named: $0) })
        else { return nil }
        let target = try LinkResolver(
            entity, key: part.key,
            mayRemember: lookups.mayRemember(entity) && !part.key.contains { $0.entity != nil },
            Lookups(
                schema: lookups.schema, keyTables: lookups.keyTables,
                connection: lookups.connection,
                memoryBytes: lookups.memoryBytes / (targetCount + 1),
                mayRemember: lookups.mayRemember))
        return Part(
            name: part.property, column: place.column, width: part.width, validator: nil,
            type: nil, target: target, entityColumn: place.entityColumn)
    }

    private static func insertText(
        _ destination: StoreLayout.Entity, _ parts: [Part], _ isByNumber: Bool
    ) -> String {
        let columns = isByNumber ? [] : parts.map(\.column) + parts.compactMap(\.entityColumn)
        let defaults = destination.attributes.values.sorted { $0.column < $1.column }
            .compactMap { place -> (String, String)? in
                guard !columns.contains(place.column), let value = place.attribute.defaultValue,
                    value != .null
                else { return nil }
                return (place.column, SQLLiteral.text(value))
            }
        return "INSERT INTO \(destination.table) (Z_PK, Z_ENT, Z_OPT"
            + (columns + defaults.map(\.0)).map { ", \($0)" }.joined()
            + ") VALUES (?, \(destination.number), 1"
            + String(repeating: ", ?", count: columns.count)
            + defaults.map { ", \($0.1)" }.joined() + ")"
    }

    // MARK: Finding

    /// Returns the object with the key, if any.
    func find(_ key: LinkKey) throws(StoreError) -> KeyMatch {
        guard hasRelationship else { return try findStored(key) }
        var cells: [BulkCell] = []
        for (part, values) in values(of: key) {
            guard let target = part.target, let key = LinkKey(values) else {
                cells += values
                continue
            }
            switch try target.find(key) {
            case .one(let id): cells.append(.integer(id.primaryKey))
            case .several(let keys): return .severalInside(target.sharedMessage(key, keys))
            case .none, .severalInside: return .none
            }
        }
        guard let stored = LinkKey(cells) else { return .none }
        return try findStored(stored)
    }

    /// Finds the stored object whose columns have the key's values.
    ///
    /// - Parameter key: The values of the columns; a relationship in the key is already resolved to
    ///   the primary key of its target.
    private func findStored(_ key: LinkKey) throws(StoreError) -> KeyMatch {
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

    /// Returns the parts of the key with their values.
    private func values(of key: LinkKey) -> [(part: Part, values: [BulkCell])] {
        var rest = ArraySlice(key.cells)
        return parts.map { part in
            defer { rest = rest.dropFirst(part.width) }
            return (part, Array(rest.prefix(part.width)))
        }
    }

    private func remembered(_ key: LinkKey, _ hash: UInt64) -> ManagedObjectID? {
        guard !key.others.isEmpty else { return cache.find(key.first, hash: hash) }
        return key.encoded.withUnsafeBufferPointer { cache.find(.blob($0), hash: hash) }
    }

    private func remember(_ key: LinkKey, _ hash: UInt64, _ id: ManagedObjectID) {
        guard !key.others.isEmpty else { return cache.insert(key.first, hash: hash, id) }
        key.encoded.withUnsafeBufferPointer { cache.insert(.blob($0), hash: hash, id) }
    }

    // MARK: Messages

    /// Returns the key with the names of its attributes: `first 'Ada' and last 'Byron'`.
    func text(_ key: LinkKey) -> String {
        zip(names(), key.cells).map { name, cell in
            "\(name.text) \(cell.quotedText(name.type))"
        }.joined(separator: " and ")
    }

    /// Returns the value, or the values separated by commas.
    func plainText(_ key: LinkKey) -> String {
        zip(names(), key.cells).map { name, cell in cell.text(name.type) ?? "null" }
            .joined(separator: ", ")
    }

    /// Returns the message of a reject for objects that share the key.
    func sharedMessage(_ key: LinkKey, _ primaryKeys: [Int64]) -> String {
        KeyMatch.message(primaryKeys, of: destination, key: text(key))
    }

    /// Returns the path and the type of each value of a key.
    private func names() -> [(text: String, type: AttributeType?)] {
        parts.flatMap { part in
            part.target?.names().map { ("\(part.name).\($0.text)", $0.type) }
                ?? [(part.name, part.type)]
        }
    }

    // MARK: Creating

    /// Returns the reason why an object with the key cannot be created; `nil` if it can.
    func problem(with key: LinkKey) -> String? {
        for (part, values) in values(of: key) {
            if let target = part.target {
                if let problem = LinkKey(values).flatMap(target.problem) { return problem }
            } else if let problem = values.first.flatMap({ part.validator?.problem(with: $0) }) {
                return problem
            }
        }
        return nil
    }

    /// Creates an object with the key and with defaults for the other attributes.
    ///
    /// If the key is a primary key, the object gets a different one: it is a stand-in for a
    /// preview. Missing targets of relationships in the key are also created.
    func create(_ key: LinkKey, in session: WriteSession) throws(StoreError) -> ManagedObjectID {
        var cells: [BulkCell] = []
        var entities: [BulkCell] = []
        for (part, values) in values(of: key) {
            guard let target = part.target, let key = LinkKey(values) else {
                cells += values
                continue
            }
            let id: ManagedObjectID
            if case .one(let found) = try target.find(key) {
                id = found
            } else {
                id = try target.create(key, in: session)
            }
            cells.append(.integer(id.primaryKey))
            if part.entityColumn != nil { entities.append(.integer(id.entityNumber)) }
        }
        let id = ManagedObjectID(
            entityNumber: destination.number,
            primaryKey: try session.nextKey(root: destination.rootNumber))
        insert.bind(id.primaryKey, at: 1)
        if !isByNumber { LinkKey(cells + entities)?.bind(to: insert, from: 2) }
        try insert.run()
        session.change.insert(id)
        if mayRemember, let stored = LinkKey(cells) { remember(stored, stored.hash, id) }
        return id
    }

    /// Empties the cache, because another process has written.
    func forgetAll() {
        cache.removeAll()
        for part in parts { part.target?.forgetAll() }
    }
}
