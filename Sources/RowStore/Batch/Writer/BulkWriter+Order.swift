import GraphModel
import SQLite

/// Applies records in the order of their objects' rows instead of the input order.
///
/// A page of the table is then read and written once for all its records, not once for each.
extension BulkWriter {
    /// Returns whether records can be reordered, and their rows be found without reading the table.
    ///
    /// Records with the same key must keep their order.
    ///
    /// - Parameter count: The approximate number of records to come.
    package func mayReorder(records count: Int) -> Bool {
        takesAnyOrder && keyFinder.mayUseMap(lookups: Int64(clamping: count))
    }

    /// Whether the input is already in the order of the rows.
    package var isInRowOrder: Bool { walk?.leads ?? true }

    /// Returns whether the order of a plan's records does not matter, except among records with the
    /// same key.
    ///
    /// No record may read what another one writes.
    static func takesAnyOrder(
        _ plan: ColumnPlan, _ claims: LinkClaims, _ schema: StoreLayout
    ) -> Bool {
        // A uniqueness conflict rejects whichever record comes second.
        guard plan.mayWalk, plan.isKeyUnique, claims.isEmpty, !plan.hasOtherConstraints
        else { return false }
        let isInOrder = plan.toManys.contains { many in
            many.place.relationship.isOrdered
                || many.place.relationship.inverseName.flatMap {
                    plan.destinations[many.link].toManys[$0]
                }?.relationship.isOrdered == true
        }
        let links = plan.plan.links
        guard !isInOrder, !links.contains(where: \.makesStandIns) else { return false }
        let makers = links.indices.filter { links[$0].missing == .create }
        let tables = Set(makers.map { plan.destinations[$0].table })
        // One link may look for an object that another link creates.
        let isSought = links.indices.contains { link in
            links[link].missing != .create && tables.contains(plan.destinations[link].table)
                || tables.contains { links[link].leadsThrough($0, schema) }
        }
        // A second link that creates objects of the same table, but of another entity or with
        // another key, may do the same.
        let kinds = Set(makers.map { [plan.destinations[$0].name] + links[$0].properties })
        // If two objects conflict in something other than their key, only the first one can be
        // created.
        let hasOtherConstraints = tables.contains { name in
            schema.indexes(ofTable: name).count(where: \.isUnique) > 1
        }
        return !isSought && kinds.count == tables.count && !hasOtherConstraints
    }

    /// Builds the key map, if it does not exist.
    ///
    /// - Returns: Whether the map exists.
    package func beginMap() throws(StoreError) -> Bool {
        try keyFinder.beginMap(session.connection)
    }

    /// The largest primary key of a row that is known to this load.
    package var largestKey: Int64 { keyFinder.largestKey }

    /// Returns the probable row of a record; `nil` if there is none.
    ///
    /// It is the row of the record's object, or of another object with the same hash in the map. It
    /// is the same for all records with one key, unless another process changes the table. It needs
    /// no transaction.
    ///
    /// - Parameter largest: Rows with larger primary keys count as new, as the rows that the
    ///   records insert.
    package func knownRow(of batch: RowBatch, _ place: Int, upTo largest: Int64) -> Int64? {
        guard let hash = keyHash(batch, place) else { return nil }
        var probe = keyFinder.map.probe(hash)
        var first: Int64?
        while let key = keyFinder.map.next(&probe) {
            if key <= largest, key < first ?? .max { first = key }
        }
        return first
    }
}
