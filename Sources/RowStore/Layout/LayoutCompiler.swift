import GraphModel

/// Derives tables, columns, and indexes from a model.
///
/// - Entities are numbered from 1, depth first, siblings by case-insensitive name.
/// - A column is `Z` and the property's name in capitals. If siblings clash, the second and later
///   columns get the suffixes 1, 2, … in the order of the declaring entities' numbers. A composite
///   has one column for each of its elements, such as `ZMAGNITUDE_RICHTER`; see `ColumnNames`.
/// - A to-one holds the destination's `Z_PK` in its column. If the destination has sub-entities,
///   `Z<number>_<REL>` holds its `Z_ENT`. If the inverse is ordered, `Z_FOK_<REL>` holds the
///   position. A one-to-one has a column on both sides; some apps' tables have only one of the two.
/// - A to-many without an inverse is a column `Z<number><REL>` in the destination's table.
/// - A many-to-many is a table `Z_<number><REL>`. The side with the lower number names it, or, if
///   both sides belong to one entity, the side whose name sorts last. Column `Z_<N><REL>` holds
///   keys of that relationship's destination, whose number is N. If several columns would have the
///   same name, the second and later get the suffixes 1, 2, … in the order of their inverses'
///   names.
struct LayoutCompiler {
    private typealias Column = StoreLayout.ColumnDefinition

    let model: ManagedObjectModel
    private let numbers: [String: Int64]
    /// The tables of an existing store; `nil` if the tables will be created.
    let found: FoundTables?
    /// The tables whose join tables are used unchanged.
    let foundTables: FoundTables?
    /// Relationships that name their join table regardless of the rule.
    let naming: Set<String>
    /// The column of each declared property, by `Entity.property`.
    private var columnNames: [String: String] = [:]
    /// One-to-one relationships without a column in the tables, by `Entity.relationship`.
    private var withoutColumn: Set<String> = []
    /// The column of each relationship in its join table, by `Entity.relationship`.
    private(set) var joinColumns: [String: String] = [:]
    /// The existing join table of each many-to-many relationship, by `Entity.relationship`.
    private(set) var foundJoins: [String: String] = [:]

    init(
        _ model: ManagedObjectModel, over found: FoundTables? = nil,
        pairs foundTables: FoundTables? = nil, naming: Set<String> = []
    ) {
        self.model = model
        self.found = found
        self.foundTables = foundTables ?? found
        self.naming = naming
        numbers =
            found?.numbers(of: model)
            ?? Dictionary(
                uniqueKeysWithValues: model.entities.enumerated().map { ($1.name, Int64($0 + 1)) })
        nameColumns()
        nameInverselessColumns()
        joinColumns = Self.joinColumns(model, numbers)
        if let foundTables = self.foundTables {
            foundJoins = Self.joinTables(of: model, numbers, in: foundTables)
        }
    }

    func compile() -> ([StoreLayout.Entity], [StoreLayout.Table], [StoreLayout.JoinTable]) {
        var joins: [String: StoreLayout.JoinTable] = [:]
        let entities = model.entities.map { entity(for: $0, joins: &joins) }
        let roots = model.entities.filter { $0.superentityName == nil }
        return (
            entities, roots.map { table(for: $0) },
            joins.values.sorted { $0.name < $1.name }
        )
    }

    func number(_ name: String) -> Int64 { Self.number(of: name, in: numbers) }

    static func number(of name: String, in numbers: [String: Int64]) -> Int64 {
        numbers[name] ?? 0
    }

    static func tableName(root: String) -> String { "Z" + root.uppercased() }

    // MARK: Columns

    private mutating func nameColumns() {
        var used: [String: Int] = [:]
        for entity in model.entities.sorted(by: { number($0.name) < number($1.name) }) {
            let root = model.rootName(of: entity.name)
            let oneToOnes = Set(
                model.ownRelationships(of: entity).filter(isOneToOne).map(\.name))
            let names =
                model.ownAttributes(of: entity).filter { !$0.isTransient }.map(\.name)
                + model.ownRelationships(of: entity).filter { !$0.isToMany }.map(\.name)
            for name in names {
                let base = ColumnNames.name(of: name)
                let count = used["\(root) \(base)", default: 0]
                used["\(root) \(base)"] = count + 1
                let wanted = count == 0 ? base : "\(base)\(count)"
                let table = Self.tableName(root: root)
                columnNames["\(entity.name).\(name)"] = wanted
                if let found, oneToOnes.contains(name), found.has(table),
                    !found.has(wanted, in: table)
                {
                    withoutColumn.insert("\(entity.name).\(name)")
                }
            }
        }
    }

    /// Finds the columns of to-many relationships without an inverse, which are in the tables of
    /// their destinations.
    private mutating func nameInverselessColumns() {
        var taken: [String: Set<String>] = [:]
        var missing: [(key: String, table: String, wanted: String, name: String)] = []
        for entity in model.entities {
            for relationship in model.ownRelationships(of: entity)
            where relationship.isToMany && inverse(of: relationship) == nil {
                let key = "\(entity.name).\(relationship.name)"
                let table = Self.tableName(
                    root: model.rootName(of: relationship.destinationEntityName))
                let name = relationship.name.uppercased()
                let wanted = "Z\(number(entity.name))\(name)"
                columnNames[key] = wanted
                if found?.has(wanted, in: table) ?? true {
                    taken[table, default: []].insert(wanted)
                } else {
                    missing.append((key, table, wanted, name))
                }
            }
        }
        for (key, table, wanted, name) in missing {
            guard
                let column = found?.column(
                    wanted, orNumbered: name, in: table, besides: taken[table] ?? [])
            else { continue }
            columnNames[key] = column
            taken[table, default: []].insert(column)
        }
    }

    func column(of property: String, in entity: String) -> String {
        let declaring = model.declarer(of: property, in: entity)
        return columnNames["\(declaring).\(property)"] ?? ColumnNames.name(of: property)
    }

    private func hasSubentities(_ name: String) -> Bool {
        model.entities.contains { $0.superentityName == name }
    }

    private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        model.inverse(of: relationship)?.relationship
    }

    private func isOneToOne(_ relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && inverse(of: relationship).map { !$0.isToMany } ?? false
    }

    /// Returns a to-one's location: its own columns, unless only its inverse has a column.
    private func toOnePlace(
        _ relationship: RelationshipDescription, in entity: String
    ) -> StoreLayout.ToOnePlace {
        let declaring = model.declarer(of: relationship.name, in: entity)
        guard withoutColumn.contains("\(declaring).\(relationship.name)"),
            let (owner, inverse) = model.inverse(of: relationship).map({
                ($0.owner, $0.relationship)
            }),
            !withoutColumn.contains("\(owner).\(inverse.name)")
        else { return .own(toOneColumns(relationship, in: entity)) }
        let columns = toOneColumns(inverse, in: owner)
        return .inverse(
            StoreLayout.InverseColumn(
                table: Self.tableName(root: model.rootName(of: owner)), column: columns.column,
                entityColumn: columns.entityColumn,
                hasSubentities: hasSubentities(relationship.destinationEntityName),
                relationship: relationship))
    }

    /// Returns whether a to-one relationship has a column in its own entity's table.
    func hasColumn(_ relationship: RelationshipDescription, in entity: String) -> Bool {
        toOnePlace(relationship, in: entity).columns != nil
    }

    private func toOneColumns(
        _ relationship: RelationshipDescription, in entity: String
    ) -> StoreLayout.ToOneColumns {
        let column = column(of: relationship.name, in: entity)
        let destination = relationship.destinationEntityName
        let isOrdered = inverse(of: relationship).map { $0.isToMany && $0.isOrdered } ?? false
        let table = Self.tableName(root: model.rootName(of: entity))
        return StoreLayout.ToOneColumns(
            column: column,
            entityColumn: hasSubentities(destination)
                ? companion(of: column, number(destination), in: table) : nil,
            orderColumn: isOrdered ? orderColumn(of: column, in: table) : nil,
            relationship: relationship)
    }

    // MARK: Entities

    private func entity(
        for description: EntityDescription, joins: inout [String: StoreLayout.JoinTable]
    ) -> StoreLayout.Entity {
        let name = description.name
        let root = model.rootName(of: name)
        var attributes: [String: StoreLayout.AttributeColumn] = [:]
        for attribute in model.attributes(of: name) where !attribute.isTransient {
            attributes[attribute.name] = StoreLayout.AttributeColumn(
                column: column(of: attribute.name, in: name), attribute: Self.stored(attribute),
                declaringEntity: model.declarer(of: attribute.name, in: name))
        }
        var toOnes: [String: StoreLayout.ToOnePlace] = [:]
        var toManys: [String: StoreLayout.ToManyPlace] = [:]
        for relationship in model.relationships(of: name) {
            if relationship.isToMany {
                toManys[relationship.name] = toManyPlace(relationship, in: name, joins: &joins)
            } else {
                toOnes[relationship.name] = toOnePlace(relationship, in: name)
            }
        }
        let family = model.family(of: name)
        return StoreLayout.Entity(
            name: name, number: number(name),
            superNumber: description.superentityName.map(number) ?? 0,
            isAbstract: description.isAbstract, table: Self.tableName(root: root),
            rootNumber: number(root), familyNumbers: family.map { number($0.name) },
            sharesTable: name != root, attributes: attributes, toOnes: toOnes, toManys: toManys)
    }

    /// Returns the attribute with its default encoded as its column stores it.
    private static func stored(_ attribute: AttributeDescription) -> AttributeDescription {
        guard attribute.allowsExternalBinaryDataStorage,
            case .blob(let bytes)? = attribute.defaultValue
        else { return attribute }
        var stored = attribute
        stored.defaultValue = .blob([ExternalData.inlineMark] + bytes)
        return stored
    }

    private func toManyPlace(
        _ relationship: RelationshipDescription, in entity: String,
        joins: inout [String: StoreLayout.JoinTable]
    ) -> StoreLayout.ToManyPlace {
        let declaring = model.declarer(of: relationship.name, in: entity)
        let destination = relationship.destinationEntityName
        let destinationTable = Self.tableName(root: model.rootName(of: destination))
        guard let (other, inverse) = model.inverse(of: relationship) else {
            let column = column(of: relationship.name, in: declaring)
            return .foreignKey(
                StoreLayout.ForeignKey(
                    table: destinationTable, column: column,
                    entityColumn: hasSubentities(declaring)
                        ? companion(of: column, number(declaring), in: destinationTable) : nil,
                    orderColumn: relationship.isOrdered
                        ? orderColumn(of: column, in: destinationTable) : nil,
                    relationship: relationship))
        }
        guard inverse.isToMany else {
            let columns = toOneColumns(inverse, in: destination)
            return .foreignKey(
                StoreLayout.ForeignKey(
                    table: destinationTable, column: columns.column,
                    entityColumn: columns.entityColumn, orderColumn: columns.orderColumn,
                    relationship: relationship))
        }
        return .joinTable(
            join((declaring, relationship), with: (other, inverse), &joins))
    }

    // MARK: Tables

    private func table(for root: EntityDescription) -> StoreLayout.Table {
        let family = model.family(of: root.name)
        let name = Self.tableName(root: root.name)
        return StoreLayout.Table(
            name: name, rootEntity: root.name, hasSubentities: family.count > 1,
            columns: columns(of: family), indexes: indexes(on: name, family: family))
    }

    /// Returns the columns of a hierarchy in Core Data's order of creation.
    ///
    /// They are grouped by storage, and within a group by entity. In the first group, each entity's
    /// integers come before its keys. A key is followed by its companion, and the positions in
    /// ordered relationships follow all keys of the entity.
    private func columns(of family: [EntityDescription]) -> [Column] {
        var groups: [Int: [Column]] = [:]
        func add(_ columns: [Column], to group: Int) {
            groups[group, default: []] += columns
        }
        func sorted(_ columns: [Column]) -> [Column] {
            columns.sorted { $0.name.lowercased() < $1.name.lowercased() }
        }
        for entity in family {
            var attributes: [Int: [Column]] = [:]
            for attribute in model.ownAttributes(of: entity) where !attribute.isTransient {
                let (group, type) = Self.storage(of: attribute)
                let name = column(of: attribute.name, in: entity.name)
                attributes[group, default: []].append(Column(name: name, type: type))
            }
            for (group, columns) in attributes { add(sorted(columns), to: group) }
            let toOnes = model.ownRelationships(of: entity).filter { !$0.isToMany }.compactMap {
                toOnePlace($0, in: entity.name).columns
            }
            let keys =
                toOnes.map {
                    (column: $0.column, companion: $0.entityColumn, order: $0.orderColumn)
                }
                + inverselessToManys(into: [entity]).map {
                    (column: $0.column, companion: $0.entityColumn, order: $0.orderColumn)
                }
            let ordered = keys.sorted { $0.column.lowercased() < $1.column.lowercased() }
            let names =
                ordered.flatMap { [$0.column, $0.companion] } + ordered.map(\.order)
            add(
                names.compactMap(\.self).map { Column(name: $0, type: "INTEGER") },
                to: Self.integers)
        }
        return groups.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    func inverselessToManys(
        into family: [EntityDescription]
    ) -> [StoreLayout.ForeignKey] {
        let names = Set(family.map(\.name))
        var places: [StoreLayout.ForeignKey] = []
        var joins: [String: StoreLayout.JoinTable] = [:]
        for entity in model.entities {
            for relationship in model.ownRelationships(of: entity)
            where relationship.isToMany && inverse(of: relationship) == nil
                && names.contains(relationship.destinationEntityName)
            {
                if case .foreignKey(let place) = toManyPlace(
                    relationship, in: entity.name, joins: &joins)
                {
                    places.append(place)
                }
            }
        }
        return places
    }

    /// The group of the columns of integers, Booleans, and keys, which are created first.
    private static let integers = 0

    /// Returns an attribute's group in the order of creation, and its column's declared type.
    static func storage(of attribute: AttributeDescription) -> (group: Int, type: String) {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean, .undefined: (integers, "INTEGER")
        case .date: (2, "TIMESTAMP")
        case .double, .float: (2, "FLOAT")
        // The type name contains TEXT, so SQLite does not convert values to numbers.
        case .decimal where attribute.isExactDecimal: (3, "DECIMAL_TEXT")
        case .decimal: (3, "DECIMAL")
        case .string: (4, "VARCHAR")
        case .uri: (5, "VARCHAR")
        case .uuid: (6, "BLOB")
        case .transformable: (7, "BLOB")
        // The elements of a composite are separate attributes, so it has no column itself.
        case .binary, .composite: (8, "BLOB")
        }
    }
}
