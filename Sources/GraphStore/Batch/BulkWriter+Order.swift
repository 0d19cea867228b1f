import GraphModel
import SQLite

/// Records that come in another order than that of the input: in the order of their objects' rows, a
/// page of the table is read and written once for all its records, not once for each.
extension BulkWriter {
    /// Whether records may come in any order, as long as those of one key keep theirs, and it can be
    /// known without a look at the table where a record's row is.
    ///
    /// - Parameter count: how many records are still to come, about.
    package func mayReorder(records count: Int) -> Bool {
        takesAnyOrder && keyFinder.mayUseMap(lookups: Int64(clamping: count))
    }

    /// Whether the records come in the order of their rows by themselves.
    package var isInRowOrder: Bool { walk?.leads ?? true }

    /// Whether a plan's records mean the same in any order, as long as those of one key keep theirs:
    /// nothing that one of them writes is looked at by another.
    static func takesAnyOrder(
        _ plan: ColumnPlan, _ claims: LinkClaims, _ schema: StoreLayout
    ) -> Bool {
        // Who is refused may depend on who came first.
        guard plan.mayWalk, plan.isKeyUnique, claims.isEmpty, !plan.hasOtherConstraints
        else { return false }
        let isInOrder = plan.toManys.contains { many in
            many.place.relationship.isOrdered
                || plan.destinations[many.link].toManys[
                    many.place.relationship.inverseName ?? ""]?.relationship.isOrdered == true
        }
        let links = plan.plan.links
        guard !isInOrder, !links.contains(where: \.makesStandIns) else { return false }
        let makers = links.indices.filter { links[$0].missing == .create }
        let tables = Set(makers.map { plan.destinations[$0].table })
        // What one link makes, another one may look for.
        let isSought = links.indices.contains { link in
            links[link].missing != .create && tables.contains(plan.destinations[link].table)
                || tables.contains { links[link].leadsThrough($0, schema) }
        }
        // So may another one that makes objects of that table, but of another entity, or knows them
        // by something else.
        let kinds = Set(makers.map { [plan.destinations[$0].name] + links[$0].properties })
        // Of two that are alike in something besides their key only the first can be made.
        let hasOtherConstraints = tables.contains { name in
            (schema.table(named: name)?.indexes.count(where: \.isUnique) ?? 0) > 1
        }
        return !isSought && kinds.count == tables.count && !hasOtherConstraints
    }

    /// Begins the map of keys, where that is not done.
    ///
    /// - Returns: whether there is one.
    package func beginMap() throws(StoreError) -> Bool {
        try keyFinder.beginMap(session.connection)
    }

    /// The largest key of a row, as far as this load knows.
    package var largestKey: Int64 { keyFinder.largestKey }

    /// The row that a record belongs to; nil where there is none.
    ///
    /// It is its object's, or that of another object which the map takes for it: the same for all
    /// records of a key, unless others change the table meanwhile. No transaction is needed.
    ///
    /// - Parameter largest: rows behind that one are taken for new, as those that the records make.
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
