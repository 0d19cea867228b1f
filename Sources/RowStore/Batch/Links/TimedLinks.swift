import GraphModel

/// The links and columns of a plan that several records may set, each with the numbers that
/// `LinkVersions.kind(_:)` has given to its columns or join table.
struct TimedLinks {
    /// A link of a one-to-one relationship.
    struct OneToOne {
        var writer: Int
        var link: Int
        var column: Int
        var own: Int64
        var inverse: Int64
    }

    /// A column of the row itself that other records may set, too.
    struct Own {
        var column: Int
        /// The link whose target the column refers to; `nil` for an attribute.
        var link: Int?
        var kind: Int64
        /// The numbers of two subjects at the inverse end of the link: the owner's set of objects,
        /// and one pair of owner and object.
        var members: Int64
        var pair: Int64
    }

    /// A to-many link.
    struct Many {
        var position: Int
        var policy: BulkPlan.ManyPolicy
        var place: Place
        /// The number of the subject "all objects of the owner", which a record sets with `many:
        /// replace`.
        var members: Int64
        /// The number of the subject "this object belongs to this owner".
        var pair: Int64
    }

    enum Place {
        /// The links are in a column of the objects' rows, which contains the owner's key.
        case foreignKey(column: Int64)
        /// The links are in a join table; at the inverse end, the objects are the owners.
        case join(otherMembers: Int64, ownerIsFirst: Bool, isReflexive: Bool)
    }

    private(set) var oneToOnes: [OneToOne] = []
    private(set) var columns: [Own] = []
    private(set) var manys: [Many] = []

    init(_ plan: ColumnPlan, _ times: LinkVersions) {
        let claims = times.claims
        let table = plan.entity.table
        for (number, oneToOne) in plan.oneToOnes.enumerated() {
            oneToOnes.append(
                OneToOne(
                    writer: number, link: oneToOne.link, column: oneToOne.keyColumn,
                    own: times.kind(oneToOne.place.key(of: table)),
                    inverse: times.kind(oneToOne.inverse.key(of: oneToOne.destinationTable))))
        }
        let known = Set(oneToOnes.map(\.column))
        for column in plan.comparedColumns where !known.contains(column) {
            let name = plan.columns[column].name
            guard claims.contain(column: name, of: table) else { continue }
            var own = Own(
                column: column, kind: times.kind("\(table).\(name)"),
                members: times.kind("\(table).\(name) *"), pair: times.kind("\(table).\(name) -"))
            switch plan.columns[column].source {
            case .attribute: break
            case .linkKey(let link): own.link = link
            // These columns are handled together with the key column.
            case .linkEntity, .linkOrder, .owner: continue
            }
            columns.append(own)
        }
        for (position, many) in plan.toManys.enumerated() {
            let policy = plan.plan.links[many.link].many
            switch many.place {
            case .foreignKey(let place):
                let name = "\(place.table).\(place.column)"
                manys.append(
                    Many(
                        position: position, policy: policy,
                        place: .foreignKey(column: times.kind(name)),
                        members: times.kind("\(name) *"), pair: times.kind("\(name) -")))
            case .joinTable(let join):
                guard claims.contain(join) else { continue }
                let other = times.kind("\(join.table).\(join.destinationColumn) *")
                let members = times.kind("\(join.table).\(join.ownerColumn) *")
                manys.append(
                    Many(
                        position: position, policy: policy,
                        place: .join(
                            otherMembers: join.isReflexive ? members : other,
                            ownerIsFirst: join.ownerColumn < join.destinationColumn,
                            isReflexive: join.isReflexive),
                        members: members, pair: times.kind("\(join.table) -")))
            }
        }
    }
}
