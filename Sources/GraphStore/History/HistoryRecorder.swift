import GraphModel
import SQLite

/// The details of a running transaction's changes: the properties that updates set, and the
/// preserved values of deleted objects.
///
/// A session has a recorder only if the store keeps a history; otherwise a change costs nothing. An
/// update without recorded properties is written as an update of unknown properties.
final class HistoryRecorder {
    private let schema: HistorySchema
    private var masks: [ManagedObjectID: [UInt8]] = [:]
    /// A set of properties that were set in many objects.
    private struct Group {
        let properties: [String]
        var ids = ManagedObjectIDSet()
        /// The bits of the properties, by entity number.
        var masks: [Int64: [UInt8]] = [:]
    }

    private var groups: [Group] = []
    /// `nil` if no attribute is preserved on deletion.
    private let tombstones: Tombstones?

    /// Creates a recorder for a new transaction, before its first savepoint.
    init(_ schema: HistorySchema, _ connection: Connection) throws(StoreError) {
        self.schema = schema
        tombstones =
            schema.tombstoneCount > 0
            ? try Tombstones(columnCount: schema.tombstoneCount, on: connection) : nil
    }

    /// Records the properties that an update sets.
    func update(_ id: ManagedObjectID, properties: some Sequence<String>) {
        update(id, mask: schema.mask(properties, entity: id.entityNumber))
    }

    /// Records the properties that an update sets in many objects.
    func update(_ ids: ManagedObjectIDSet, properties: [String]) {
        let place = groups.firstIndex { $0.properties == properties } ?? groups.endIndex
        if place == groups.endIndex { groups.append(Group(properties: properties)) }
        groups[place].ids.formUnion(ids)
        for entity in ids.entityNumbers where groups[place].masks[entity] == nil {
            groups[place].masks[entity] = schema.mask(properties, entity: entity)
        }
    }

    /// Returns the bits of the properties that updates set in an object; `nil` if they are unknown.
    func mask(of id: ManagedObjectID) -> [UInt8]? {
        var mask = masks[id]
        for group in groups where group.ids.contains(id) {
            guard let other = group.masks[id.entityNumber] else { continue }
            mask = mask.map { Self.union($0, other) } ?? other
        }
        return mask
    }

    private func update(_ id: ManagedObjectID, mask: [UInt8]) {
        masks[id] = masks[id].map { Self.union($0, mask) } ?? mask
    }

    private static func union(_ mask: [UInt8], _ other: [UInt8]) -> [UInt8] {
        zip(mask, other).map { $0 | $1 }
    }

    /// Saves the preserved values of all rows whose keys a query returns.
    ///
    /// Call it before the rows are deleted.
    func willDelete(
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
        self =
            switch row.storage(column) {
            case .null: .null
            case .integer: .integer(row.integer(column))
            case .real: .real(row.double(column))
            case .text: .text(row.string(column))
            case .blob: .blob(Array(row.bytes(column)))
            }
    }
}
