import GraphModel
import SQLite

/// What a transaction in progress knows of its changes beyond which objects they are of: the
/// properties that updates set, and the values of deleted objects that history keeps.
///
/// A session has one only where the store keeps a history, so that without one a change costs
/// nothing. Whatever is told of no properties is written as an update of unknown ones.
final class HistoryRecorder {
    private let schema: HistorySchema
    private let connection: Connection
    private(set) var masks: [ManagedObjectID: [UInt8]] = [:]
    private(set) var tombstones: [ManagedObjectID: [StoredValue]] = [:]

    init(_ schema: HistorySchema, _ connection: Connection) {
        self.schema = schema
        self.connection = connection
    }

    /// Notes which properties an update sets.
    func update(_ id: ManagedObjectID, properties: some Sequence<String>) {
        update(id, mask: schema.mask(properties, entity: id.entityNumber))
    }

    /// The bits of those properties, for `update(_:mask:)`; to be made once for many objects.
    func mask(_ properties: some Sequence<String>, entity number: Int64) -> [UInt8] {
        schema.mask(properties, entity: number)
    }

    /// Notes which properties an update sets, by their bits.
    func update(_ id: ManagedObjectID, mask: [UInt8]) {
        guard var known = masks[id] else {
            masks[id] = mask
            return
        }
        for (place, byte) in mask.enumerated() where place < known.count { known[place] |= byte }
        masks[id] = known
    }

    /// Keeps what the history of a deletion holds; before the row goes.
    func willDelete(_ id: ManagedObjectID) throws(SQLiteError) {
        guard let entity = schema.entities[id.entityNumber], !entity.preserved.isEmpty else {
            return
        }
        let columns = entity.preserved.map(\.column).joined(separator: ", ")
        let row = try connection.cached("SELECT \(columns) FROM \(entity.table) WHERE Z_PK = ?")
        row.bind(id.primaryKey, at: 1)
        guard try row.step() else { return }
        tombstones[id] = (0..<row.columnCount).map { StoredValue(row, $0) }
        row.reset()
    }

    /// The same for all rows whose keys a query gives, in one go.
    func willDelete(
        rowsOf table: String, keys: String
    ) throws(SQLiteError) {
        for (number, entity) in schema.entities
        where entity.table == table && !entity.preserved.isEmpty {
            let columns = entity.preserved.map(\.column).joined(separator: ", ")
            let rows = try connection.prepare(
                "SELECT Z_PK, \(columns) FROM \(table) WHERE Z_ENT = \(number) AND Z_PK IN (\(keys))"
            )
            while try rows.step() {
                let id = ManagedObjectID(entityNumber: number, primaryKey: rows.integer(0))
                tombstones[id] = (1..<rows.columnCount).map { StoredValue(rows, $0) }
            }
        }
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
