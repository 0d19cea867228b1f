import GraphModel

/// The links of a plan that several records of a load may set, so that the order of the records
/// matters.
struct LinkClaims {
    /// The link columns, as `TABLE.COLUMN`, that the records of other rows may also write.
    private var columns: Set<String> = []
    /// The columns that links of the plan write, from either end, and those that several write.
    private var written: Set<String> = []
    private var sharedColumns: Set<String> = []
    /// The tables of objects inside records; several records may contain the same object.
    private var elementTables: Set<String> = []
    /// The join tables that are written from both ends, or by nested objects.
    private var joinTables: Set<String> = []
    /// The join tables that several links of the plan write.
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
                noteWriter(of: toOne.key(of: entity.table))
            }
            switch entity.toManys[link.relationship] {
            case .foreignKey(let place):
                columns.insert("\(place.table).\(place.column)")
                noteWriter(of: "\(place.table).\(place.column)")
            case .joinTable(let join):
                let isNew = ends.insert(join.table).inserted
                if isNested || join.isReflexive || !isNew { joinTables.insert(join.table) }
                if !isNew { sharedJoinTables.insert(join.table) }
            case nil: break
            }
            if let nested = link.nested { add(nested, schema, isNested: true, &ends) }
        }
    }

    private mutating func noteWriter(of column: String) {
        if !written.insert(column).inserted { sharedColumns.insert(column) }
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

    /// Returns whether another link of the plan also writes the column.
    func isShared(_ key: StoreLayout.ForeignKey) -> Bool {
        sharedColumns.contains("\(key.table).\(key.column)")
    }

    /// Returns whether another link of the plan also writes the join table.
    func isShared(_ join: StoreLayout.Join) -> Bool { sharedJoinTables.contains(join.table) }
}
