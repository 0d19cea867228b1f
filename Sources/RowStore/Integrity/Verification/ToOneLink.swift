/// A to-one relationship in SQL.
struct ToOneLink {
    let entity: StoreLayout.Entity
    let name: String
    let place: StoreLayout.ToOnePlace
    let destination: StoreLayout.Entity

    init(
        _ entity: StoreLayout.Entity, _ name: String, _ place: StoreLayout.ToOnePlace,
        _ destination: StoreLayout.Entity
    ) {
        self.entity = entity
        self.name = name
        self.place = place
        self.destination = destination
    }

    /// The destination's key, as SQL with the alias `t`.
    var key: String { place.key(of: "t") }

    /// The ` AND …` condition for rows of the entity.
    var family: String { entity.familyClause(alias: "t.") }

    /// The condition for rows whose link has no destination object.
    var isDangling: String {
        "\(key) IS NOT NULL\(family) AND NOT \(destination.hasObject(key))"
    }

    /// Selects the keys of objects whose link has no destination object.
    var dangling: SelectSQL {
        SelectSQL("t.Z_PK", from: "\(entity.table) t", where: [isDangling])
    }

    /// Returns the statement that removes the links of the rows that match a condition.
    func removal(_ columns: StoreLayout.ToOneColumns, where condition: String) -> String {
        let names = [columns.column, columns.entityColumn, columns.orderColumn]
        let sets = names.compactMap { $0.map { "\($0) = NULL" } }.joined(separator: ", ")
        return "UPDATE \(entity.table) AS t SET \(sets) WHERE \(condition)"
    }

    /// Selects the keys of objects whose companion column does not contain the destination's
    /// entity.
    func wrongEntity(_ column: String) -> SelectSQL { linked("t.\(column) IS NOT d.Z_ENT") }

    /// Selects the keys of objects that have a link but no position in the order.
    func unordered(_ column: String, _ order: String) -> SelectSQL {
        SelectSQL(
            "t.Z_PK", of: entity, alias: "t",
            where: ["t.\(column) IS NOT NULL", "t.\(order) IS NULL"])
    }

    /// Selects the first object of each position that several objects of an owner have.
    func sharing(_ column: String, _ order: String) -> SelectSQL {
        var shared = SelectSQL(
            "min(t.Z_PK)", of: entity, alias: "t",
            where: ["t.\(column) IS NOT NULL", "t.\(order) IS NOT NULL"])
        shared.groups = ["t.\(column)", "t.\(order)"]
        (shared.having, shared.order) = ("count(*) > 1", ["1"])
        return shared
    }

    /// The inverse of a one-to-one relationship.
    var back: StoreLayout.ToOnePlace? {
        place.relationship.inverseName.flatMap { destination.toOnes[$0] }
    }

    /// Selects the keys of objects whose destination does not refer back to them.
    func oneSided(_ back: StoreLayout.ToOnePlace) -> SelectSQL {
        linked("\(back.key(of: "d")) IS NOT t.Z_PK")
    }

    /// Selects the keys of objects that match a condition with their destination, alias `d`.
    private func linked(_ condition: String) -> SelectSQL {
        var select = SelectSQL("t.Z_PK", of: entity, alias: "t", where: [condition])
        select.joins = " JOIN \(destination.table) d ON d.Z_PK = \(key)"
        if let family = destination.familyCondition(alias: "d.") {
            select.conditions.append(SQLFragment(family))
        }
        return select
    }
}
