import GraphModel

extension ColumnPlan {
    /// The two ends of a to-one relationship of the plan.
    struct ToOneEnds {
        var column: Int
        var entityColumn: Int?
        /// Whether the relationship is one-to-one.
        ///
        /// `OneToOneWriter` then records the changes of the inverse end, and `inverse` is `nil`.
        var isOneToOne: Bool
        var own: LinkEnd?
        var inverse: LinkEnd?
    }

    /// Returns both ends of each to-one relationship of the plan.
    func toOneEnds(_ schema: StoreLayout) -> [ToOneEnds] {
        columns.indices.compactMap { column in
            guard case .linkKey(let link) = columns[column].source,
                let place = entity.toOnes[plan.links[link].relationship]
            else { return nil }
            let isOneToOne = oneToOnes.contains { $0.link == link }
            let inverse = isOneToOne ? nil : schema.inverseEnd(of: place.relationship)
            guard isOneToOne || inverse != nil else { return nil }
            return ToOneEnds(
                column: column,
                entityColumn: columns.firstIndex {
                    if case .linkEntity(link) = $0.source { true } else { false }
                },
                isOneToOne: isOneToOne,
                own: schema.linkEnd(place.relationship.name, of: entity.name), inverse: inverse)
        }
    }
}
