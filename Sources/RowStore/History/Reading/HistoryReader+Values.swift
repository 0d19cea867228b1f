package import GraphModel
import SQLite

extension HistoryReader {
    /// Returns an object's attributes as of the start of the read; `nil` if it was missing.
    ///
    /// - Parameters:
    ///   - entity: the object's own entity.
    ///   - attributes: attributes that the entity stores, in the order of the result.
    package func values(
        of attributes: [String], _ id: ManagedObjectID, _ entity: StoreLayout.Entity
    ) throws(HistoryError) -> [StoredValue]? {
        let columns = attributes.compactMap { entity.attributes[$0]?.column }
        return try Self.reading { () throws(StoreError) in
            let row = try connection.cached(
                "SELECT \(columns.joined(separator: ", ")) FROM \(entity.table)"
                    + " WHERE Z_PK = ? AND Z_ENT = ?")
            row.bind(id.primaryKey, at: 1)
            row.bind(id.entityNumber, at: 2)
            defer { row.reset() }
            guard try row.step() else { return nil }
            return (0..<row.columnCount).map { StoredValue(row, $0) }
        }
    }
}
