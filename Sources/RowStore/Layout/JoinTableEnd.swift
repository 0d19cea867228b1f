import GraphModel

/// One end of a join table: a to-many relationship and its destination.
struct JoinTableEnd {
    let entity: StoreLayout.Entity
    let name: String
    let side: StoreLayout.Join
    let destination: StoreLayout.Entity
    /// The columns with the destination's keys.
    let columns: [String]

    /// Returns the condition for join rows whose column names no object.
    func lacksObject(_ column: String, in rows: String) -> String {
        "NOT \(destination.hasObject("\(rows).\(column)"))"
    }
}

extension StoreLayout {
    /// Returns both ends of a join table, without duplicates, or its only one.
    func ends(of join: JoinTable) -> [JoinTableEnd] {
        var seen: Set<String> = []
        var ends: [JoinTableEnd] = []
        for entity in heldEntities {
            for (name, place) in entity.toManys.sorted(by: { $0.key < $1.key }) {
                guard case .joinTable(let side) = place, side.table == join.name,
                    seen.insert(side.destinationColumn).inserted,
                    let destination = self.entity(
                        named: side.relationship.destinationEntityName)
                else { continue }
                ends.append(
                    JoinTableEnd(
                        entity: entity, name: name, side: side, destination: destination,
                        columns: [side.destinationColumn]
                            + (side.isReflexive ? [side.ownerColumn] : [])))
            }
        }
        return ends
    }
}
