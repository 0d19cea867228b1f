import GraphModel

/// One end of a table of pairs: a to-many relationship, and where its pairs lead.
struct PairEnd {
    let entity: StoreLayout.Entity
    let name: String
    let side: StoreLayout.Join
    let destination: StoreLayout.Entity
    /// The columns with keys of the destination.
    let columns: [String]
}

extension StoreLayout {
    /// Both ends of a table of pairs, each once, or its only one.
    func ends(of join: JoinTable) -> [PairEnd] {
        var seen: Set<String> = []
        var ends: [PairEnd] = []
        for entity in heldEntities {
            for (name, place) in entity.toManys.sorted(by: { $0.key < $1.key }) {
                guard case .joinTable(let side) = place, side.table == join.name,
                    seen.insert(side.destinationColumn).inserted,
                    let destination = self.entity(
                        named: side.relationship.destinationEntityName)
                else { continue }
                ends.append(
                    PairEnd(
                        entity: entity, name: name, side: side, destination: destination,
                        columns: [side.destinationColumn]
                            + (side.isReflexive ? [side.ownerColumn] : [])))
            }
        }
        return ends
    }
}
