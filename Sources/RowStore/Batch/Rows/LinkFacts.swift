/// What resolving a link must know for each record, decided once.
///
/// It has no references, so that no record retains and releases any.
struct LinkFacts {
    /// The columns with the target's primary key, its entity, and the position in its order.
    let keyColumn: Int?
    let entityColumn: Int?
    let orderColumn: Int?
    /// The number of values that identify one object.
    let keyWidth: Int
    let missing: BulkPlan.MissingPolicy
    let many: BulkPlan.ManyPolicy
    let isNested: Bool
    /// Whether a later row of this load may be the target.
    ///
    /// By primary key, this is not possible, because no record knows the primary key of its own
    /// object.
    let mayComeLater: Bool
    /// Whether the link finds objects of this load by the load's own key.
    let isOwnKey: Bool
    /// Whether the link refers to objects of this load's table by primary key.
    ///
    /// A row that was written and rolled back may have had this key.
    let namesOwnByNumber: Bool
    /// Whether a relationship in the key leads to objects of this load's table.
    let leadsThroughOwn: Bool
    /// Whether a deletion after the load spares the targets, which could be objects of its entity.
    let sparesTargets: Bool

    /// Returns the facts of each link of a plan.
    ///
    /// - Parameters:
    ///   - destinations: The destination of each link.
    ///   - columns: The columns of the plan.
    ///   - isKeyUnique: Whether a uniqueness constraint covers the key of the load.
    static func all(
        of plan: BulkPlan, to destinations: [StoreLayout.Entity],
        in columns: [ColumnPlan.Column], of entity: StoreLayout.Entity, isKeyUnique: Bool,
        _ schema: StoreLayout
    ) -> [LinkFacts] {
        plan.links.indices.map { link in
            LinkFacts(
                plan.links[link], to: destinations[link], in: columns, link: link, of: entity,
                sparesTargets: plan.sparesTargets, loadKey: plan.key, isKeyUnique: isKeyUnique,
                schema)
        }
    }

    private init(
        _ description: BulkPlan.Link, to destination: StoreLayout.Entity,
        in columns: [ColumnPlan.Column], link: Int, of entity: StoreLayout.Entity,
        sparesTargets: Bool, loadKey: [String], isKeyUnique: Bool, _ schema: StoreLayout
    ) {
        func column(_ isIt: (ColumnPlan.Column.Source) -> Bool) -> Int? {
            columns.firstIndex { isIt($0.source) }
        }
        keyColumn = column { if case .linkKey(link) = $0 { true } else { false } }
        entityColumn = column { if case .linkEntity(link) = $0 { true } else { false } }
        orderColumn = column { if case .linkOrder(link) = $0 { true } else { false } }
        keyWidth = description.keyWidth
        missing = description.missing
        many = description.many
        isNested = description.nested != nil
        mayComeLater =
            !isNested && !description.isByNumber
            && destination.familyNumbers.contains(entity.number)
        isOwnKey =
            !isNested && destination.table == entity.table && loadKey == description.properties
            && !description.hasRelationshipInKey
            // Without a constraint, objects of other entities may have the key, too.
            && (isKeyUnique || destination.name == entity.name)
        namesOwnByNumber = description.isByNumber && destination.table == entity.table
        leadsThroughOwn = description.leadsThrough(entity.table, schema)
        self.sparesTargets =
            sparesTargets && description.missing == .create
            && destination.rootNumber == entity.rootNumber
    }
}

extension BulkPlan.Link {
    /// Returns whether a relationship in the key, at any depth, leads to objects in a table.
    func leadsThrough(_ table: String, _ schema: StoreLayout) -> Bool {
        func leads(_ part: BulkPlan.KeyPart) -> Bool {
            guard let name = part.entity else { return false }
            return schema.entity(named: name)?.table == table || part.key.contains(where: leads)
        }
        return key.contains(where: leads)
    }
}
