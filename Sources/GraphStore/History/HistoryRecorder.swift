import GraphModel
import SQLite

/// What a transaction in progress knows of its changes beyond which objects they are of: the
/// properties that updates set, and the values of deleted objects that history keeps.
///
/// A session has one only where the store keeps a history, so that without one a change costs
/// nothing. Whatever is told of no properties is written as an update of unknown ones.
final class HistoryRecorder {
    private let schema: HistorySchema
    private var masks: [ManagedObjectID: [UInt8]] = [:]
    /// The same properties, set in many objects.
    private struct Group {
        let properties: [String]
        var ids = ManagedObjectIDSet()
        /// Their bits, by entity.
        var masks: [Int64: [UInt8]] = [:]
    }

    private var groups: [Group] = []
    /// Nil if no attribute is preserved on deletion.
    private let tombstones: Tombstones?

    /// Begins with a transaction, before its first savepoint.
    init(_ schema: HistorySchema, _ connection: Connection) throws(StoreError) {
        self.schema = schema
        tombstones =
            schema.tombstoneCount > 0
            ? try Tombstones(columnCount: schema.tombstoneCount, on: connection) : nil
    }

    /// Notes which properties an update sets.
    func update(_ id: ManagedObjectID, properties: some Sequence<String>) {
        update(id, mask: schema.mask(properties, entity: id.entityNumber))
    }

    /// Notes which properties are set in all of these objects, however many.
    func update(_ ids: ManagedObjectIDSet, properties: [String]) {
        let place = groups.firstIndex { $0.properties == properties } ?? groups.endIndex
        if place == groups.endIndex { groups.append(Group(properties: properties)) }
        groups[place].ids.formUnion(ids)
        for entity in ids.ranges.keys where groups[place].masks[entity] == nil {
            groups[place].masks[entity] = schema.mask(properties, entity: entity)
        }
    }

    /// The bits of the properties that updates set of an object; nil where they are not known.
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

    /// Keeps what the history of deletions holds, of all rows whose keys a query gives; before the
    /// rows go.
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

    /// What the history of a deletion holds, which is good until the next call; nil for nothing.
    func tombstone(of id: ManagedObjectID) throws(StoreError) -> Statement? {
        try tombstones?.row(of: id)
    }
}

/// The values of deleted objects that a history keeps, in a temporary table: they may be many.
private final class Tombstones {
    private static let table = "temp.ETL_TOMBSTONES"

    private let columnCount: Int
    private let connection: Connection

    /// Makes the table, empty.
    ///
    /// In a savepoint it would go again with what is undone.
    init(columnCount: Int, on connection: Connection) throws(StoreError) {
        self.columnCount = columnCount
        self.connection = connection
        let columns = (0..<columnCount).map { ", V\($0)" }.joined()
        // Of no type, so that every value stays as it is.
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

    /// The values of an object, first to last.
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
    /// What the statement's current row holds in a column.
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
