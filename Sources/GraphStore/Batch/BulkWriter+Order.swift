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
        _ plan: ColumnPlan, _ claims: LinkClaims
    ) -> Bool {
        // Who is refused may depend on who came first.
        guard plan.mayWalk, claims.isEmpty, !plan.hasOtherConstraints else { return false }
        let isInOrder = plan.toManys.contains { many in
            many.place.relationship.isOrdered
                || plan.destinations[many.link].toManys[
                    many.place.relationship.inverseName ?? ""]?.relationship.isOrdered == true
        }
        // What one link makes, another one may look for.
        func tables(creating: Bool) -> Set<String> {
            Set(
                plan.plan.links.indices.filter {
                    (plan.plan.links[$0].missing == .create) == creating
                }.map { plan.destinations[$0].table })
        }
        // So may another one that makes objects of that table, and knows them by something else.
        let makers = plan.plan.links.indices.filter { plan.plan.links[$0].missing == .create }
        let keys = Set(
            makers.map {
                [plan.destinations[$0].table] + plan.plan.links[$0].attributes
            })
        return !isInOrder && tables(creating: true).isDisjoint(with: tables(creating: false))
            && keys.count == tables(creating: true).count
            && !plan.plan.links.contains(where: \.makesStandIns)
    }

    /// Begins the map of keys, where that is not done.
    ///
    /// - Returns: whether there is one.
    package func beginMap() throws(StoreError) -> Bool {
        do {
            return try keyFinder.beginMap(session.connection)
        } catch {
            throw StoreError(error)
        }
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
