import GraphModel
import SQLite

/// The rules of the model that the remaining objects must still meet after a deletion.
extension Deletion {
    /// Fails if the deletion would clear a required relationship to one object, or leave a
    /// relationship to many with fewer objects than its minimum.
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
        guard !edges.isEmpty else { return }
        for entity in session.schema.entities {
            for list in CountedList.all(of: entity, in: session.schema) {
                try rejectFewObjects(in: list, reachable)
            }
        }
    }

    private func rejectFewObjects(
        in list: CountedList, _ reachable: [Int64]
    ) throws(StoreError) {
        // With the rule No Action, the owner does not change.
        guard reachable.contains(list.destinationRoot), list.inverseRule != .noAction,
            let least = list.relationship.limit(.tooFew)
        else { return }
        let gone = "SELECT pk FROM \(doomed(list.destinationRoot))"
        guard let hasTooFew = list.hasProblem(.tooFew, without: gone) else { return }
        let owners =
            "t.Z_PK IN (\(list.owners(of: gone)))"
            + staying(list.entity.rootNumber, reachable, key: "t.Z_PK")
        try reject(
            SelectSQL("t.Z_PK", from: "\(list.entity.table) t", where: [owners, hasTooFew]),
            of: list.entity.name,
            least == 1
                ? loss(of: list.name)
                : { _ in
                    (
                        "have fewer than \(least) objects in '\(list.name)'",
                        "lower the minimum count"
                    )
                })
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
