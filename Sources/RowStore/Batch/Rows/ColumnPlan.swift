import GraphModel

/// The columns of the entity's table for a bulk plan's cells, resolved once.
struct ColumnPlan {
    /// One column that the load writes.
    struct Column {
        enum Source {
            /// A cell of the row.
            case attribute(cell: Int)
            /// The primary key of a link's target.
            case linkKey(link: Int)
            /// The entity number of a link's target.
            case linkEntity(link: Int)
            /// The position in the owner's ordered relationship, for a link.
            case linkOrder(link: Int)
            /// The primary key of the owning object, which the owner's link sets.
            case owner
        }

        /// The name of the column, or an expression that reads the value from another table.
        var name: String
        var source: Source
        /// The attribute or relationship that the column stores.
        var property: String
        /// Whether it must not be null in a new row.
        var isRequired: Bool
        /// The value in a new row if the record does not set it.
        var defaultValue: StoredValue
        /// Whether its old value may be in an external file.
        var isExternal = false

        /// Whether it is the position in an ordered relationship.
        var isOrder: Bool { if case .linkOrder = source { true } else { false } }
    }

    /// A to-many link of the plan.
    struct ToMany {
        var link: Int
        var place: StoreLayout.ToManyPlace
        /// Whether the model sets no minimum and no maximum for the number of targets.
        let isUnlimited: Bool

        init(link: Int, place: StoreLayout.ToManyPlace) {
            self.link = link
            self.place = place
            let relationship = place.relationship
            isUnlimited =
                relationship.isOptional && relationship.minimumCount <= 1
                && relationship.maximumCount <= 0
        }
    }

    /// A one-to-one link of the plan.
    struct OneToOne {
        var link: Int
        var place: StoreLayout.ToOnePlace
        var inverse: StoreLayout.ToOnePlace
        var destinationTable: String
        /// The index of its key in the plan's columns.
        var keyColumn = 0

        /// Returns the link with the index of its key in these columns.
        fileprivate func placed(in columns: [Column]) -> OneToOne {
            var placed = self
            for (position, column) in columns.enumerated() {
                if case .linkKey(link) = column.source { placed.keyColumn = position }
            }
            return placed
        }
    }

    /// A to-one relationship of the plan whose inverse is a to-many relationship of the plan.
    struct BothEnds {
        /// The index of the inverse in `toManys`.
        var linkIndex: Int
        var key: Int
        /// The index of the column with the object's position among those of its owner; `nil` if
        /// the inverse is not ordered.
        var order: Int?
    }

    let entity: StoreLayout.Entity
    let plan: BulkPlan
    let destinations: [StoreLayout.Entity]
    let columns: [Column]
    /// The range of the columns that are in the table.
    ///
    /// After them come one-to-one links that are stored only in the destination's row.
    /// `OneToOneWriter` writes those.
    let storedColumns: Range<Int>
    /// The columns in which a found row may differ: all except key columns and order columns.
    let comparedColumns: [Int]
    /// The indexes of the columns with a position in an owner's ordered relationship.
    let orderColumns: [Int]
    /// The names of the columns that form the key, and the indexes of the row's cells with their
    /// values.
    let keyColumns: [String]
    let keyCells: [Int]
    /// For each part of the key, the index of its column in `columns`.
    ///
    /// The value of a relationship is known only after its link is resolved.
    let keyPlaces: [Int]
    /// Whether the key contains a relationship.
    let hasRelationshipInKey: Bool
    /// The key column that refers to the owning object, for nested objects.
    let ownerColumn: Int?
    /// Whether a uniqueness constraint prevents objects from sharing a key.
    let isKeyUnique: Bool
    let toManys: [ToMany]
    /// For each link of the plan, its index in `toManys`; `nil` for a to-one.
    let manyOfLink: [Int?]
    /// What resolving a link must know for each record.
    let links: [LinkFacts]
    /// The columns that must not be null, and those of them that each new row must set.
    let requiredColumns: [Int]
    let columnsToSet: [Int]
    /// The one-to-one links.
    ///
    /// Their rows must be written immediately instead of in groups, because they change other rows.
    let oneToOnes: [OneToOne]
    /// Whether the destination of a one-to-one link has no column for it.
    let hasOneSidedLinks: Bool
    let hasOrderedInverse: Bool
    /// The to-one relationships whose inverse the plan also sets.
    let bothEnds: [BothEnds]
    /// The model's validation rules that compare several properties of an object.
    let rules: RowRules
    /// Whether the table has unique indexes other than the key's.
    let hasOtherConstraints: Bool
    /// For each unique index without a condition, the indexes of its columns in `columns`.
    let uniquePlaces: [[Int]]
    /// A required attribute that has no default and is not mapped, so that no new row can be valid.
    let unfilledRequirement: String?
    /// Columns that no cell maps, with the defaults that a new row gets.
    let constants: [(column: String, literal: String)]

    init(_ plan: BulkPlan, _ schema: StoreLayout) throws(StoreError) {
        let entity = try schema.requiredEntity(named: plan.entity)
        guard !entity.isAbstract else {
            throw StoreError(
                .invalidRequest, "'\(plan.entity)' is abstract; name one of its sub-entities")
        }
        self.plan = plan
        self.entity = entity
        var columns = try Self.attributeColumns(plan, entity, schema)
        let links = try PlannedLinks(plan, of: entity, schema)
        columns += links.columns
        if let name = plan.owner, let owner = entity.toOnes[name] {
            guard let stored = owner.columns else {
                throw StoreError(
                    .invalidRequest,
                    "'\(plan.entity).\(name)' has no column in this store, so it cannot be part of"
                        + " a key; use other properties")
            }
            ownerColumn = columns.count
            columns.append(
                Column(
                    name: stored.column, source: .owner, property: name, isRequired: false,
                    defaultValue: .null))
        } else {
            ownerColumn = nil
        }
        storedColumns = columns.indices
        columns += links.columnsElsewhere
        self.columns = columns
        rules = try RowRules(entity, columns, schema.model)
        destinations = links.destinations
        let toManys = links.toManys
        self.toManys = toManys
        manyOfLink = plan.links.indices.map { link in toManys.firstIndex { $0.link == link } }
        oneToOnes = links.oneToOnes.map { $0.placed(in: columns) }
        hasOneSidedLinks = links.oneToOnes.contains { $0.inverse.columns == nil }
        hasOrderedInverse = links.hasOrderedInverse
        bothEnds = Self.bothEnds(columns, toManys, entity)
        keyCells = plan.key.compactMap { plan.cell(of: $0) }
        keyColumns = plan.key.compactMap {
            entity.attributes[$0]?.column ?? entity.toOnes[$0]?.column
        }
        let keyPlaces = keyColumns.compactMap { name in columns.firstIndex { $0.name == name } }
        self.keyPlaces = keyPlaces
        hasRelationshipInKey = plan.key.contains { entity.attributes[$0] == nil }
        isKeyUnique = plan.key.isEmpty || schema.isUnique(plan.key, of: entity)
        orderColumns = columns.indices.filter { columns[$0].isOrder }
        let leftOut = Set(keyPlaces + orderColumns)
        comparedColumns = columns.indices.filter { !leftOut.contains($0) }
        guard keyPlaces.count == plan.key.count,
            keyCells.count == plan.key.count - (ownerColumn == nil ? 0 : 1),
            plan.key.isEmpty == (plan.found == .append)
        else {
            throw StoreError(.invalidRequest, "The key of '\(plan.entity)' is not mapped")
        }
        let indexes = schema.indexes(ofTable: entity.table)
        let keyIndex = keyColumns.map { "\($0) COLLATE BINARY ASC" }
        hasOtherConstraints = indexes.contains { $0.isUnique && $0.columns != keyIndex }
        uniquePlaces = Self.uniquePlaces(of: indexes, columns)
        let mapped = Set(plan.attributes)
        unfilledRequirement = Self.unfilledRequirement(of: entity, without: mapped)
        constants = Self.constants(of: entity, without: mapped)
        requiredColumns = columns.indices.filter { columns[$0].isRequired }
        columnsToSet = requiredColumns.filter { columns[$0].defaultValue == .null }
        self.links = LinkFacts.all(
            of: plan, to: links.destinations, in: columns, of: entity, isKeyUnique: isKeyUnique,
            schema)
    }

    private static func attributeColumns(
        _ plan: BulkPlan, _ entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) -> [Column] {
        var columns: [Column] = []
        for (cell, name) in plan.attributes.enumerated() {
            guard let place = entity.attributes[name] else {
                throw StoreError(
                    .invalidRequest, "'\(plan.entity)' has no stored attribute '\(name)'")
            }
            guard place.attribute.takesValues else {
                throw StoreError(
                    .invalidRequest,
                    "'\(plan.entity).\(name)' is derived, so no record can set it")
            }
            try schema.requireEncoding(of: place.attribute, in: plan.entity)
            columns.append(
                Column(
                    name: place.column, source: .attribute(cell: cell), property: name,
                    isRequired: !place.attribute.isOptional,
                    defaultValue: place.attribute.defaultValue ?? .null,
                    isExternal: place.attribute.allowsExternalBinaryDataStorage))
        }
        return columns
    }

    private static func uniquePlaces(
        of indexes: [StoreLayout.Index], _ columns: [Column]
    ) -> [[Int]] {
        indexes.filter { $0.isUnique && $0.condition == nil }.compactMap { index in
            let places = index.columns.compactMap { column in
                columns.firstIndex { column.hasPrefix("\($0.name) ") }
            }
            return places.count == index.columns.count ? places.sorted() : nil
        }
    }

    private static func unfilledRequirement(
        of entity: StoreLayout.Entity, without mapped: Set<String>
    ) -> String? {
        entity.attributes.values.map(\.attribute)
            .filter { $0.needsValue && !mapped.contains($0.name) }.map(\.name).min()
    }

    private static func constants(
        of entity: StoreLayout.Entity, without mapped: Set<String>
    ) -> [(column: String, literal: String)] {
        entity.attributes.values.sorted { $0.column < $1.column }.compactMap { place in
            guard !mapped.contains(place.attribute.name),
                let value = place.attribute.defaultValue, value != .null
            else { return nil }
            return (place.column, SQLLiteral.text(value))
        }
    }

    private static func bothEnds(
        _ columns: [Column], _ toManys: [ToMany], _ entity: StoreLayout.Entity
    ) -> [BothEnds] {
        toManys.enumerated().compactMap { linkIndex, many in
            guard case .foreignKey(let place) = many.place, place.table == entity.table,
                let key = columns.firstIndex(where: { $0.name == place.column })
            else { return nil }
            return BothEnds(
                linkIndex: linkIndex, key: key,
                order: place.orderColumn.flatMap { name in
                    columns.firstIndex { $0.name == name }
                })
        }
    }

    /// Whether rows can be written in groups, because they do not depend on each other.
    var writesRowsInGroups: Bool {
        oneToOnes.isEmpty && !hasOrderedInverse && bothEnds.isEmpty
    }

    /// Returns the to-many link for the inverse of a relationship, if the plan sets both.
    func otherEnd(of many: ToMany) -> Int? {
        guard case .joinTable(let join) = many.place else { return nil }
        return toManys.firstIndex { other in
            guard join.isReflexive || other.link != many.link,
                case .joinTable(let place) = other.place
            else { return false }
            return place.table == join.table
        }
    }

    /// Returns whether the link finds objects of this load by an attribute outside the key, which a
    /// record may change.
    func namesByOtherAttribute(link: Int) -> Bool {
        links[link].mayComeLater && !links[link].isOwnKey
    }

    /// Returns whether a constraint prevents objects from sharing the link's key.
    func isUnique(link: Int, _ schema: StoreLayout) -> Bool {
        plan.links[link].nested != nil || plan.links[link].isByNumber
            || schema.isUnique(plan.links[link].properties, of: destinations[link])
    }

    /// Returns whether the target of a link can be cached: it keeps its key during the load, and no
    /// other object gets this key.
    func mayRemember(link: Int, _ schema: StoreLayout, isNested: Bool) -> Bool {
        // Other links may change the relationships of the object.
        guard !namesByOtherAttribute(link: link), !plan.links[link].hasRelationshipInKey else {
            return false
        }
        guard !isUnique(link: link, schema) else { return true }
        return mayRemember(destinations[link].table, isNested: isNested, besides: link)
    }

    /// Returns whether the objects in a table keep their attributes during the load, and no other
    /// object gets the same values.
    ///
    /// - Parameter link: A link that may create objects of the table.
    func mayRemember(_ table: String, isNested: Bool, besides link: Int? = nil) -> Bool {
        !isNested && table != entity.table
            && plan.links.indices.allSatisfy { other in
                plan.links[other].nested == nil
                    && (other == link || plan.links[other].missing != .create
                        || destinations[other].table != table)
            }
    }

    /// Returns whether the load can use a key map.
    ///
    /// No row may be written without the map, and no link may rely on an index that is deferred
    /// because of it.
    func mayUseMap(_ schema: StoreLayout) -> Bool {
        guard !plan.writesInside(table: entity.table, schema),
            !plan.linksPastMap(of: entity, ownKey: plan.key, schema)
        else { return false }
        // If the map is discarded, a table of keys replaces it, which must not be rolled back
        // together with a record's objects. Links of other rows may change the keys of rows.
        return isKeyUnique
            || plan.links.allSatisfy { $0.nested == nil }
                && !(hasRelationshipInKey
                    && (!oneToOnes.isEmpty || !bothEnds.isEmpty
                        || toManys.contains { many in
                            if case .foreignKey(let place) = many.place {
                                place.table == entity.table
                            } else {
                                false
                            }
                        }))
    }

    /// Whether a sequential cursor over the table can follow the records: each record writes only
    /// its own object to the table.
    var mayWalk: Bool {
        !keyCells.isEmpty && oneToOnes.isEmpty && !hasOrderedInverse
            && plan.links.allSatisfy { $0.nested == nil }
            && destinations.allSatisfy { $0.table != entity.table }
            && toManys.allSatisfy { many in
                if case .joinTable = many.place { true } else { false }
            }
    }

    /// Whether rows of this load may have to wait for later rows.
    var mayWait: Bool { links.contains { $0.mayComeLater } }
}

extension StoreLayout {
    /// Returns an entity and its sub-entities.
    func family(of entity: Entity) -> [Entity] {
        entity.familyNumbers.compactMap { self.entity(number: $0) }
    }

    /// Returns the indexes of a hierarchy's table.
    func indexes(ofTable name: String) -> [Index] {
        tables.filter { $0.name == name }.flatMap(\.indexes)
    }

    /// Returns whether a uniqueness constraint of the model covers exactly these attributes.
    func isUnique(_ attributes: [String], of entity: Entity) -> Bool {
        attributes.allSatisfy { entity.attributes[$0] != nil }
            && model.uniquenessConstraints(of: entity.name).contains {
                $0.count == attributes.count && Set($0) == Set(attributes)
            }
    }
}
