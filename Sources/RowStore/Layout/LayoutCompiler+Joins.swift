import GraphModel

/// Names of the tables and columns that relationships need in addition to their key columns.
extension LayoutCompiler {
    /// Returns the column for the destination's entity, `Z<number>_<REL>`.
    ///
    /// The result is `nil` if the existing table has no such column.
    func companion(of column: String, _ number: Int64, in table: String) -> String? {
        let tail = "_\(column.dropFirst())"
        guard let found, found.has(table) else { return "Z\(number)\(tail)" }
        return found.column("Z\(number)\(tail)", orNumbered: tail, in: table)
    }

    /// Returns the column for the position in the order, `Z_FOK_<REL>`.
    ///
    /// The result is `nil` if the existing table has no such column.
    func orderColumn(of column: String, in table: String) -> String? {
        let name = "Z_FOK_\(column.dropFirst())"
        guard let found, found.has(table) else { return name }
        return found.column(
            name, orNumbered: "_FOK_\(column.drop { "Z0123456789".contains($0) })", in: table)
    }

    /// Returns one side of a many-to-many relationship, and adds its join table to `joins`.
    ///
    /// Both sides are given with the entities that declare them.
    func join(
        _ side: (declaring: String, relationship: RelationshipDescription),
        with back: (declaring: String, relationship: RelationshipDescription),
        _ joins: inout [String: StoreLayout.JoinTable]
    ) -> StoreLayout.Join {
        let (declaring, relationship) = side
        let (other, inverse) = back
        let isReflexive = inverse.name == relationship.name && other == declaring
        let here = (number(declaring), relationship.name)
        let there = (number(other), inverse.name)
        let isNaming: Bool
        switch (
            naming.contains("\(declaring).\(here.1)"), naming.contains("\(other).\(there.1)")
        ) {
        case (true, false): isNaming = true
        case (false, true): isNaming = false
        default:
            isNaming =
                here.0 == there.0
                ? here.1.uppercased() >= there.1.uppercased() : here.0 < there.0
        }
        let (owner, named) = isNaming ? (here, relationship) : (there, inverse)
        let back = isNaming ? inverse : relationship
        let (namingEntity, backEntity) = isNaming ? (declaring, other) : (other, declaring)
        var pair = JoinTableNames(table: "Z_\(owner.0)\(owner.1.uppercased())")
        // A column is named after the relationship to the objects whose keys it holds.
        pair.first = joinColumn(of: back, in: backEntity)
        pair.second = isReflexive ? "REFLEXIVE" : joinColumn(of: named, in: namingEntity)
        if pair.second == pair.first { pair.second += "1" }
        if let foundTables {
            pair.fit(
                foundTables, foundJoins["\(namingEntity).\(named.name)"],
                named.name.uppercased(), back.name.uppercased())
        }
        let forwardOrder = named.isOrdered ? pair.order(of: pair.second, foundTables) : nil
        let backwardOrder =
            back.isOrdered && !isReflexive ? pair.order(of: pair.first, foundTables) : nil
        joins[pair.table] = StoreLayout.JoinTable(
            name: pair.table, firstColumn: pair.first, secondColumn: pair.second,
            orderColumns: [forwardOrder, backwardOrder].compactMap(\.self),
            reverseIndex: StoreLayout.Index(
                name: "\(pair.table)_\(pair.second)_INDEX", isUnique: false, table: pair.table,
                columns: [pair.second, pair.first]))
        return StoreLayout.Join(
            table: pair.table, ownerColumn: isNaming ? pair.first : pair.second,
            destinationColumn: isNaming ? pair.second : pair.first,
            orderColumn: isNaming ? forwardOrder : backwardOrder,
            backOrderColumn: isReflexive ? nil : isNaming ? backwardOrder : forwardOrder,
            relationship: relationship,
            isReflexive: isReflexive)
    }

    private func joinColumn(of relationship: RelationshipDescription, in entity: String) -> String {
        joinColumns["\(entity).\(relationship.name)"] ?? ""
    }
}

extension LayoutCompiler {
    /// Returns the existing join table of each many-to-many relationship.
    ///
    /// Each table is listed under both sides, as `Entity.relationship`.
    static func joinTables(
        of model: ManagedObjectModel, _ numbers: [String: Int64], in found: FoundTables
    ) -> [String: String] {
        var pairs: [[FoundTables.JoinTableSide]] = []
        var keys: [[String]] = []
        var seen: Set<String> = []
        for entity in model.entities {
            for relationship in model.ownRelationships(of: entity) where relationship.isToMany {
                guard let inverse = model.inverse(of: relationship), inverse.relationship.isToMany
                else { continue }
                let names = [
                    "\(entity.name).\(relationship.name)",
                    "\(inverse.owner).\(inverse.relationship.name)",
                ]
                guard seen.isDisjoint(with: names) else { continue }
                seen.formUnion(names)
                keys.append(names)
                pairs.append(
                    [(entity.name, relationship), (inverse.owner, inverse.relationship)].map {
                        FoundTables.JoinTableSide(
                            number: number(of: $0.0, in: numbers), name: $0.1.name.uppercased(),
                            destination: number(
                                of: $0.1.destinationEntityName, in: numbers))
                    })
            }
        }
        var tables: [String: String] = [:]
        for (names, table) in zip(keys, found.joinTables(of: pairs)) {
            for name in names { tables[name] = table }
        }
        return tables
    }

    /// Returns the join table column of each many-to-many side, by `Entity.relationship`.
    static func joinColumns(
        _ model: ManagedObjectModel, _ numbers: [String: Int64]
    ) -> [String: String] {
        struct Side {
            var key: String
            var column: String
            var inverse: String
        }
        var sides: [Side] = []
        for entity in model.entities {
            for relationship in model.ownRelationships(of: entity) where relationship.isToMany {
                guard let inverse = model.inverse(of: relationship), inverse.relationship.isToMany
                else { continue }
                let number = number(of: relationship.destinationEntityName, in: numbers)
                sides.append(
                    Side(
                        key: "\(entity.name).\(relationship.name)",
                        column: "Z_\(number)\(relationship.name.uppercased())",
                        inverse: inverse.relationship.name.uppercased()))
            }
        }
        var columns: [String: String] = [:]
        for (column, clashing) in Dictionary(grouping: sides, by: \.column) {
            let ordered = clashing.sorted { ($0.inverse, $0.key) < ($1.inverse, $1.key) }
            for (position, side) in ordered.enumerated() {
                columns[side.key] = position == 0 ? column : "\(column)\(position)"
            }
        }
        return columns
    }
}

/// The names of a join table and its columns.
private struct JoinTableNames {
    var table: String
    /// The column with keys of the side whose relationship names the table.
    var first = ""
    /// The column with keys of that relationship's destinations.
    var second = ""

    init(table: String) {
        self.table = table
    }

    /// Takes the names of the existing table, whichever side named it.
    ///
    /// - Parameters:
    ///   - there: The existing table; `nil` if the relationship has no table.
    ///   - named: The relationship that names the table by our rule, in capitals.
    ///   - back: Its inverse, in capitals.
    mutating func fit(
        _ found: FoundTables, _ there: String?, _ named: String, _ back: String
    ) {
        guard let there else { return }
        table = there
        let keys = found.keyColumns(of: there)
        guard keys.count == 2, !(keys.contains(first) && keys.contains(second)) else { return }
        let isOf = FoundTables.isKeyColumn
        // Match exact names first: `TAGS1` may be a relationship's own name.
        let exact =
            keys.first { $0 == second } ?? keys.first { isOf($0, named) && $0 != first }
        if let exact, let other = keys.first(where: { $0 != exact }) {
            (first, second) = (other, exact)
        } else if let known = keys.first(where: { isOf($0, back) }),
            let other = keys.first(where: { $0 != known })
        {
            (first, second) = (known, other)
        }
    }

    /// Returns the column with the order of the objects whose keys the given column holds.
    ///
    /// The result is `nil` if the existing table has no such column.
    func order(of column: String, _ found: FoundTables?) -> String? {
        let name = "Z_FOK_\(column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)"
        guard let found, found.has(table) else { return name }
        return found.has(name, in: table) ? name : nil
    }
}
