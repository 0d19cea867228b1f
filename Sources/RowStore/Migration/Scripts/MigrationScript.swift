import GraphModel

/// All steps of a migration as SQL from the old store to the new one.
struct MigrationScript {
    let moves: ObjectMoves
    let pairing: ModelPairing
    private(set) var tables: [TableProjection] = []
    private(set) var pairs: [(table: String, insert: SQLFragment)] = []
    private(set) var lookups: [LookupProjection] = []
    private(set) var checks: [MigrationCheck] = []
    /// The reasons why the migration of some data is ambiguous.
    private(set) var unclear: [String] = []

    private let attributes: AttributeProjection

    var old: StoreLayout { moves.old }
    var new: StoreLayout { moves.new }

    init(
        _ moves: ObjectMoves, _ pairing: ModelPairing, _ files: ExternalFiles
    ) throws(StoreError) {
        self.moves = moves
        self.pairing = pairing
        attributes = AttributeProjection(externalFiles: files)
        for table in moves.new.tables { try addProjections(of: table) }
        let links = LinkProjection(moves: moves, pairing: pairing)
        var projection = JoinTableProjection(links)
        for table in moves.new.joinTables {
            if let end = moves.new.ends(of: table).first { checkInverses(of: end, links) }
            for insert in try projection.inserts(into: table) { pairs.append((table.name, insert)) }
        }
        for reason in projection.unclear { note(reason) }
        for entity in moves.new.heldEntities { try addUniqueness(of: entity) }
    }

    private mutating func note(_ reason: String) {
        if !unclear.contains(reason) { unclear.append(reason) }
    }

    // MARK: Rows

    /// Adds a table's projections: one query for each old hierarchy and offset, or for each policy.
    private mutating func addProjections(of table: StoreLayout.Table) throws(StoreError) {
        let moves = moves.all.filter { $0.new.table == table.name }
        var groups: [[ObjectMove]] = []
        for move in moves {
            let place = groups.firstIndex {
                $0[0].old.table == move.old.table && $0[0].offset == move.offset
                    && $0[0].mapping?.policy == nil && move.mapping?.policy == nil
            }
            if let place { groups[place].append(move) } else { groups.append([move]) }
        }
        // Rows of one old hierarchy have different keys, so they may share an offset.
        let places = Set(groups.map { [$0[0].old.rootNumber, $0[0].offset] })
        if Set(groups.map { $0[0].offset }).count < places.count {
            let names = Set(moves.map { old.model.rootName(of: $0.old.name) }).sorted()
            note(
                "\(table.rootEntity) would have the objects of \(names.joined(separator: " and ")),"
                    + " whose keys are not apart")
        }
        for group in groups {
            var values: [[String: SQLFragment]] = []
            for move in group { values.append(try self.values(of: move)) }
            tables.append(try TableProjection(table, group, values, old))
        }
    }

    /// Returns the value of each new column, computed from an old row.
    private mutating func values(of move: ObjectMove) throws(StoreError) -> [String: SQLFragment] {
        var values: [String: SQLFragment] = [:]
        if move.new.isAbstract {
            checks.append(.abstract(move, try move.condition(alias: "t", old)))
        }
        let told = try MappedValues(move, moves)
        for check in told.checks { checks.append(check) }
        for lookup in move.mapping?.lookups ?? [] {
            lookups.append(
                try LookupProjection(lookup, move, moves, number: lookups.count + 1))
        }
        let partners = pairing.attributes(of: move.new.name, from: move.old.name)
        for (name, place) in move.new.attributes.sorted(by: { $0.key < $1.key }) {
            if let value = told.attributes[name] {
                values[place.column] = value
                if !place.attribute.isOptional, move.mapping?.policy == nil {
                    try addRequired(name, value, move)
                }
                continue
            }
            let partner = partners[name].flatMap { move.old.attributes[$0.name] }
            guard let value = attributes.value(of: place, from: partner, alias: "t") else {
                // The policy sets the value.
                if move.mapping?.policy != nil { continue }
                note(
                    "\(move.new.name).\(name) is \(place.attribute.type.rawValue), was"
                        + " \(partner?.attribute.type.rawValue ?? "")")
                continue
            }
            values[place.column] = value
            let isDerived = place.attribute.derivationExpression != nil
            if !place.attribute.isOptional, !isDerived, partner?.attribute.isOptional != false,
                place.attribute.defaultValue == nil, move.mapping?.policy == nil
            {
                try addRequired(name, value, move)
            }
        }
        keepEmpty(&values, known: Set(partners.keys).union(told.attributes.keys), move)
        if move.mapping?.policy == nil {
            try addRequiredElements(values, partners, move)
            try addRequiredComposites(values, partners, move)
        }
        try addLinks(of: move, told, to: &values)
        return values
    }

    /// Adds the values of the columns that hold links.
    private mutating func addLinks(
        of move: ObjectMove, _ told: MappedValues, to values: inout [String: SQLFragment]
    ) throws(StoreError) {
        let links = LinkProjection(moves: moves, pairing: pairing)
        func set(_ found: [String: SQLFragment]) {
            for (column, value) in found { values[column] = value }
        }
        for link in new.linkColumns(of: move.new) {
            if let name = link.forward, told.looksUp(name) { continue }
            if let name = link.forward, let found = try told.sameObject(name, link, moves) {
                set(found)
                continue
            }
            if let name = link.forward, let found = try told.path(name, link, moves) {
                set(found)
                if link.isRequired, let key = found[link.column] {
                    try addRequired(name, key, move)
                }
                continue
            }
            switch links.source(of: link, for: move) {
            case .unclear(let reason): note(reason)
            case .none:
                if link.isRequired, let name = link.forward {
                    try addRequired(name, SQLFragment("NULL"), move)
                }
            case .stored(let source):
                guard let found = try links.values(of: link, from: source) else {
                    note(
                        "\(move.new.name).\(link.name) leads to \(link.target.name), was"
                            + " \(source.target.name)")
                    continue
                }
                set(found)
                if link.isRequired, let name = link.forward, let key = found[link.column] {
                    try addRequired(name, key, move)
                }
            }
        }
    }

    private mutating func addRequired(
        _ name: String, _ value: SQLFragment, _ move: ObjectMove
    ) throws(StoreError) {
        checks.append(.required(name, value, move, try move.condition(alias: "t", old)))
    }

    /// Keeps empty composites empty if their new elements have defaults.
    ///
    /// A default alone must not fill a composite whose required element has no value.
    private func keepEmpty(
        _ values: inout [String: SQLFragment], known: Set<String>, _ move: ObjectMove
    ) {
        let attributes = move.new.attributes.sorted { $0.key < $1.key }
        let wholes = Set(attributes.compactMap { $0.value.attribute.requiredBeside })
        guard !wholes.isEmpty else { return }
        for (name, place) in attributes
        where !known.contains(name) && place.attribute.defaultValue != nil {
            // An element of a nested composite is in both; use the innermost.
            let around = wholes.filter { name.isElement(of: $0) }.max { $0.count < $1.count }
            guard let around, let value = values[place.column] else { continue }
            let others = attributes.filter {
                $0.key.isElement(of: around) && known.contains($0.key)
            }.compactMap { values[$0.value.column] }
            values[place.column] =
                others.isEmpty
                ? SQLFragment("NULL")
                : "CASE WHEN " + Self.isAny(of: others) + " THEN " + value + " END"
        }
    }

    /// Returns a condition that at least one of the values is not null.
    private static func isAny(of values: [SQLFragment]) -> SQLFragment {
        values.map { "(" + $0 + ") NOT NULL" }.joined(separator: " OR ")
    }

    /// Adds checks for elements that are required only if other elements of the composite have
    /// values.
    private mutating func addRequiredElements(
        _ values: [String: SQLFragment], _ partners: [String: AttributeDescription],
        _ move: ObjectMove
    ) throws(StoreError) {
        for (name, place) in move.new.attributes.sorted(by: { $0.key < $1.key }) {
            guard let whole = place.attribute.requiredBeside, let value = values[place.column],
                partners[name].map({ $0.isOptional && $0.requiredBeside == nil }) ?? true
            else { continue }
            let others = move.new.attributes.filter {
                $0.key.isElement(of: whole) && $0.key != name
            }.sorted { $0.key < $1.key }.compactMap { values[$0.value.column] }
            guard !others.isEmpty else { continue }
            let condition =
                try move.condition(alias: "t", old) + " AND (" + Self.isAny(of: others) + ")"
            checks.append(.required(name, value, move, condition))
        }
    }

    /// Adds checks for composites that need a value in some element and did not need one before.
    private mutating func addRequiredComposites(
        _ values: [String: SQLFragment], _ partners: [String: AttributeDescription],
        _ move: ObjectMove
    ) throws(StoreError) {
        func columns(_ names: [String]) -> [SQLFragment] {
            names.compactMap { move.new.attributes[$0].flatMap { values[$0.column] } }
        }
        let required = new.model.requiredComposites(of: move.new.name)
        guard !required.isEmpty else { return }
        let before = old.model.requiredComposites(of: move.old.name)
        for composite in required {
            let kept = composite.elements.compactMap { partners[$0]?.name }
            let wasRequired = before.contains {
                $0.dependent == nil && Set($0.elements).isSubset(of: kept)
            }
            if wasRequired { continue }
            var condition = try move.condition(alias: "t", old)
            if composite.dependent != nil {
                let others = columns(composite.others)
                guard !others.isEmpty else { continue }
                condition = condition + " AND (" + Self.isAny(of: others) + ")"
            }
            let elements = columns(composite.elements)
            let value =
                elements.isEmpty
                ? SQLFragment("NULL") : "CASE WHEN " + Self.isAny(of: elements) + " THEN 1 END"
            checks.append(.required(composite.path, value, move, condition))
        }
    }

    // MARK: Links

    /// Notes two relationships that become inverses although neither is new and they were none
    /// before.
    private mutating func checkInverses(of end: JoinTableEnd, _ links: LinkProjection) {
        guard let name = end.side.relationship.inverseName,
            let here = links.backPartner(end.name, of: end.entity),
            let there = links.backPartner(name, of: end.destination),
            here.relationship.inverseName != there.relationship.name
        else { return }
        note(
            "\(end.entity.name).\(end.name) and \(end.destination.name).\(name) were not inverses"
                + " of each other")
    }

    // MARK: Uniqueness

    private mutating func addUniqueness(of entity: StoreLayout.Entity) throws(StoreError) {
        let constraints = new.model.entity(named: entity.name)?.uniquenessConstraints ?? []
        for constraint in constraints where !wasUnique(constraint, in: entity) {
            let columns = constraint.compactMap {
                entity.attributes[$0]?.column ?? entity.toOnes[$0]?.column
            }
            guard columns.count == constraint.count else { continue }
            let rows = tables.filter { $0.table == entity.table }
            checks.append(
                .unique(constraint, columns, entity, rows.map { $0.select(columns) }))
        }
    }

    /// Returns whether the same objects met the same constraint before.
    private func wasUnique(_ constraint: [String], in entity: StoreLayout.Entity) -> Bool {
        let sources = moves.all.filter { entity.familyNumbers.contains($0.new.number) }
        guard !sources.contains(where: { $0.predicate != nil || $0.offset != 0 }) else {
            return false
        }
        var declaring: Set<String> = []
        for move in sources {
            let attributes = pairing.attributes(of: move.new.name, from: move.old.name)
            let links = pairing.relationships(of: move.new.name, from: move.old.name)
            let names = constraint.compactMap { attributes[$0]?.name ?? links[$0]?.name }
            guard
                let owner = old.model.lineage(of: move.old.name).first(where: { ancestor in
                    ancestor.uniquenessConstraints.contains { Set($0) == Set(names) }
                })
            else { return false }
            // A changed type may make different values equal.
            guard
                constraint.allSatisfy({ name in
                    attributes[name].map { $0.type == move.new.attributes[name]?.attribute.type }
                        ?? true
                })
            else { return false }
            declaring.insert(owner.name)
        }
        return declaring.count <= 1
    }
}
