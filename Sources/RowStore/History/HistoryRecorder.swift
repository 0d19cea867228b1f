import GraphModel
import SQLite

/// The details of a running transaction's changes: the properties that updates set, and the
/// preserved values of deleted objects.
///
/// A session has a recorder only if the store keeps a history; otherwise a change costs nothing. An
/// update without recorded properties is written as an update of unknown properties.
package final class HistoryRecorder {
    private let schema: HistorySchema
    /// The details of the open parts of the transaction; a rollback restores or drops them.
    var parts = [HistoryDetails()]
    /// The writer of preserved attributes; `nil` if no attribute is preserved on deletion.
    private let tombstones: Tombstones?

    /// Creates a recorder for a new transaction, before its first savepoint.
    init(_ schema: HistorySchema, _ connection: Connection) throws(StoreError) {
        self.schema = schema
        tombstones =
            schema.tombstoneCount > 0
            ? try Tombstones(columnCount: schema.tombstoneCount, on: connection) : nil
    }

    /// Records the properties that an update sets.
    package func update(_ id: ManagedObjectID, properties: some Sequence<String>) {
        parts[parts.count - 1].update(id, mask: schema.mask(properties, entity: id.entityNumber))
    }

    /// Records the properties that an update sets in many objects.
    func update(_ ids: ManagedObjectIDSet, properties: [String]) {
        parts[parts.count - 1].update(ids, properties: properties) { entity in
            schema.mask(properties, entity: entity)
        }
    }

    /// Returns the bits of the properties that updates set in an object; `nil` if they are unknown.
    func mask(of id: ManagedObjectID) -> [UInt8]? {
        var mask: [UInt8]?
        for part in parts { part.add(to: &mask, of: id) }
        return mask
    }

    /// Removes the properties that updates of the object's own row set, because the row is
    /// unchanged again.
    func forget(_ id: ManagedObjectID) {
        for place in parts.indices { parts[place].forget(id) }
    }

    /// Starts a part of the transaction that may be rolled back.
    func beginPart() { parts.append(HistoryDetails()) }

    /// Ends a part, and adds its details to the earlier ones.
    func endPart() {
        if parts.count > 1 {
            let last = parts.removeLast()
            parts[parts.count - 1].add(last)
        }
    }

    /// Ends a part that was rolled back.
    func dropPart() {
        if parts.count > 1 { parts.removeLast() }
    }

    /// Saves the preserved values of all rows whose keys a query returns.
    ///
    /// Call it before the rows are deleted.
    package func willDelete(
        rowsOf table: String, keys: String
    ) throws(StoreError) {
        for (number, entity) in schema.entities
        where entity.table == table && !entity.preserved.isEmpty {
            try tombstones?.add(
                entity.preserved.map(\.column), of: table, entity: number,
                where: "Z_ENT = \(number) AND Z_PK IN (\(keys))")
        }
    }

    /// Returns the preserved values of a deleted object; `nil` without any.
    ///
    /// The statement is valid until the next call.
    func tombstone(of id: ManagedObjectID) throws(StoreError) -> Statement? {
        try tombstones?.row(of: id)
    }
}

/// The properties that the updates of a transaction, or of a part of it, set in each object.
struct HistoryDetails {
    /// A set of properties that were set in many objects.
    private struct Group {
        let properties: [String]
        var ids = ManagedObjectIDSet()
        /// The bits of the properties, by entity number.
        var masks: [Int64: [UInt8]] = [:]
    }

    private var masks: [ManagedObjectID: [UInt8]] = [:]
    private var groups: [Group] = []

    fileprivate mutating func update(_ id: ManagedObjectID, mask: [UInt8]) {
        Self.unite(&masks[id], mask)
    }

    fileprivate mutating func update(
        _ ids: ManagedObjectIDSet, properties: [String], mask: (Int64) -> [UInt8]
    ) {
        let place = groups.firstIndex { $0.properties == properties } ?? groups.endIndex
        if place == groups.endIndex { groups.append(Group(properties: properties)) }
        groups[place].ids.formUnion(ids)
        for entity in ids.entityNumbers where groups[place].masks[entity] == nil {
            groups[place].masks[entity] = mask(entity)
        }
    }

    fileprivate mutating func add(_ later: HistoryDetails) {
        for (id, mask) in later.masks { update(id, mask: mask) }
        for group in later.groups {
            update(group.ids, properties: group.properties) { group.masks[$0] ?? [] }
        }
    }

    fileprivate mutating func forget(_ id: ManagedObjectID) { masks[id] = nil }

    /// Adds the bits of the properties that were set in an object.
    fileprivate func add(to mask: inout [UInt8]?, of id: ManagedObjectID) {
        if let own = masks[id] { Self.unite(&mask, own) }
        for group in groups where group.ids.contains(id) {
            if let other = group.masks[id.entityNumber] { Self.unite(&mask, other) }
        }
    }

    private static func unite(_ mask: inout [UInt8]?, _ other: [UInt8]) {
        guard let known = mask else {
            mask = other
            return
        }
        mask = zip(known, other).map { $0 | $1 }
    }
}

/// The preserved values of deleted objects, in a temporary table because they may be many.
private final class Tombstones {
    private static let table = "temp.ETL_TOMBSTONES"

    private let columnCount: Int
    private let connection: Connection

    /// Creates the empty table.
    ///
    /// If a savepoint created it, rolling back would drop it.
    init(columnCount: Int, on connection: Connection) throws(StoreError) {
        self.columnCount = columnCount
        self.connection = connection
        let columns = (0..<columnCount).map { ", V\($0)" }.joined()
        // Columns have no type, so values are stored without conversion.
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table)
            (ENT INTEGER, PK INTEGER\(columns), PRIMARY KEY (ENT, PK)) WITHOUT ROWID;
            DELETE FROM \(Self.table)
            """)
    }

    /// Copies columns of the rows that meet a condition.
    func add(
        _ columns: [String], of table: String, entity: Int64, where condition: String
    ) throws(StoreError) {
        let names = columns.indices.map { ", V\($0)" }.joined()
        try connection.execute(
            "INSERT OR REPLACE INTO \(Self.table) (ENT, PK\(names))"
                + " SELECT \(entity), Z_PK, \(columns.joined(separator: ", ")) FROM \(table)"
                + " WHERE \(condition)")
    }

    /// Returns the values of an object, in column order.
    func row(of id: ManagedObjectID) throws(StoreError) -> Statement? {
        let names = (0..<columnCount).map { "V\($0)" }.joined(separator: ", ")
        let row = try connection.cached(
            "SELECT \(names) FROM \(Self.table) WHERE ENT = ? AND PK = ?")
        row.reset()
        row.bind(id.entityNumber, at: 1)
        row.bind(id.primaryKey, at: 2)
        return try row.step() ? row : nil
    }
}

extension StoredValue {
    /// Creates a value from a column of the statement's current row.
    init(_ row: Statement, _ column: Int32) {
        self = row.value(column)
    }
}
