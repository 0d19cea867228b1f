import GraphModel
import SQLite

/// The rules of the model that the remaining objects must still meet after a deletion.
extension Deletion {
    /// Fails if the deletion would clear a required to-one relationship.
    func rejectBrokenRequirements(_ reachable: [Int64]) throws(StoreError) {
        for edge in edges
        where edge.rule == .nullify && edge.backIsRequired && reachable.contains(edge.sourceRoot) {
            guard let condition = pointingBack(edge, reachable) else { continue }
            try reject(
                SelectSQL("Z_PK", from: edge.destinationTable, where: [condition]),
                of: edge.destinationName, loss(of: edge.inverseName ?? ""))
        }
        for link in oneWayLinks
        where link.isRequired && reachable.contains(link.destinationRoot) {
            let condition = leadingNowhere(link, reachable)
            try reject(
                SelectSQL("Z_PK", from: link.table, where: [condition]), of: link.entityName,
                loss(of: link.name))
        }
    }

    /// Returns the description of a loss, and how the model can allow it.
    private func loss(of property: String) -> (Int) -> (loss: String, fix: String) {
        { count in
            (
                "lose \(count == 1 ? "its" : "their") required '\(property)'",
                "make '\(property)' optional"
            )
        }
    }

    /// Fails if a select returns rows, and names the first of them.
    private func reject(
        _ rows: SelectSQL, of entityName: String,
        _ problem: (Int) -> (loss: String, fix: String)
    ) throws(StoreError) {
        let count = try rows.counting.integer(on: connection)
        guard count > 0 else { return }
        var first = rows
        first.order = ["1"]
        first.take(StoreFinding.keysMax + 1, from: 0)
        let found = try first.prepare(on: connection)
        var keys: [Int64] = []
        while try found.step() { keys.append(found.integer(0)) }
        let (loss, fix) = problem(count)
        let finding = StoreFinding(
            .required, count: count, keys: keys,
            "\(count.counting("object", "objects")) of \(entityName) would \(loss)")
        throw StoreError(
            .deleteRule,
            "\(finding); delete \(count == 1 ? "it" : "them") too, or \(fix)")
    }
}
