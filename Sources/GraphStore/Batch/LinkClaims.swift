import GraphModel

/// What several records of a load may speak of, so that the order in which they are written
/// matters, over the whole plan.
struct LinkClaims {
    /// `TABLE.COLUMN` of columns that more than the row's own records write.
    private var columns: Set<String> = []
    /// How many links of the plan write a column, from either end.
    private var writers: [String: Int] = [:]
    /// Tables with objects that stand inside records, which several may hold.
    private var elementTables: Set<String> = []
    /// Tables of pairs that are written from both ends, or by objects inside records.
    private var joinTables: Set<String> = []
    /// Tables of pairs that several links of the plan write.
    private var sharedJoinTables: Set<String> = []

    init(_ plan: BulkPlan, _ schema: StoreLayout) {
        var ends: Set<String> = []
        add(plan, schema, isNested: false, &ends)
    }

    private mutating func add(
        _ plan: BulkPlan, _ schema: StoreLayout, isNested: Bool, _ ends: inout Set<String>
    ) {
        guard let entity = schema.entity(named: plan.entity) else { return }
        if isNested { elementTables.insert(entity.table) }
        for link in plan.links {
            if let toOne = entity.toOnes[link.relationship] {
                addOneToOne(toOne, of: entity, to: link.destination, schema)
                writers[toOne.key(of: entity.table), default: 0] += 1
            }
            switch entity.toManys[link.relationship] {
            case .foreignKey(let place):
                columns.insert("\(place.table).\(place.column)")
                writers["\(place.table).\(place.column)", default: 0] += 1
            case .joinTable(let join):
                let isNew = ends.insert(join.table).inserted
                if isNested || join.isReflexive || !isNew { joinTables.insert(join.table) }
                if !isNew { sharedJoinTables.insert(join.table) }
            case nil: break
            }
            if let nested = link.nested { add(nested, schema, isNested: true, &ends) }
        }
    }

    private mutating func addOneToOne(
        _ toOne: StoreLayout.ToOnePlace, of entity: StoreLayout.Entity, to destination: String,
        _ schema: StoreLayout
    ) {
        guard let destination = schema.entity(named: destination),
            let inverse = toOne.relationship.inverseName.flatMap({ destination.toOnes[$0] })
        else { return }
        columns.insert(toOne.key(of: entity.table))
        columns.insert(inverse.key(of: destination.table))
    }

    var isEmpty: Bool { columns.isEmpty && elementTables.isEmpty && joinTables.isEmpty }

    func contain(column: String, of table: String) -> Bool {
        elementTables.contains(table) || columns.contains("\(table).\(column)")
    }

    func contain(_ join: StoreLayout.Join) -> Bool { joinTables.contains(join.table) }

    /// Whether another link of the plan writes the column, too.
    func share(_ key: StoreLayout.ForeignKey) -> Bool {
        writers["\(key.table).\(key.column)", default: 0] > 1
    }

    /// Whether another link of the plan writes the pairs, too.
    func share(_ join: StoreLayout.Join) -> Bool { sharedJoinTables.contains(join.table) }
}
