import GraphModel

/// Where a bulk plan's cells go in the entity's table, worked out once.
struct ColumnPlan {
    /// One column that the load writes.
    struct Column {
        enum Source {
            /// A row's cell.
            case attribute(cell: Int)
            /// The destination's key, of a link.
            case linkKey(link: Int)
            /// The destination's entity number, of a link.
            case linkEntity(link: Int)
            /// The place among the owner's ordered objects, of a link.
            case linkOrder(link: Int)
            /// The key of the object around the row's own, which the other's link sets.
            case owner
        }

        /// An expression that reads it if it is not in the table.
        var name: String
        var source: Source
        /// The attribute or relationship.
        var property: String
        /// May not be null in a new row.
        var isRequired: Bool
        /// What a new row gets where the record says nothing.
        var defaultValue: StoredValue
        /// Its old value may be in an external file.
        var isExternal = false
    }

    /// A to-many link of the plan.
    struct ToMany {
        var link: Int
        var place: StoreLayout.ToManyPlace
        /// Any number of destinations will do.
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
    }

    /// A to-one of the plan whose inverse is a to-many of the plan.
    struct BothEnds {
        /// Which of the to-manys it is.
        var turn: Int
        var key: Int
        /// The column of the place in an order.
        var order: Int?
    }

    let entity: StoreLayout.Entity
    let plan: BulkPlan
    let destinations: [StoreLayout.Entity]
    let columns: [Column]
    /// Those of them that are in the table.
    ///
    /// After them come one-to-one links that only the destination's row has. `OneToOneWriter`
    /// writes those.
    let storedColumns: Range<Int>
    /// Columns in which a found row may differ: all but its key's, and places in an order.
    let comparedColumns: [Int]
    /// The columns of places in an order.
    let orderColumns: [Int]
    /// The key's columns, and the cells that hold the key.
    let keyColumns: [String]
    let keyCells: [Int]
    /// For each part of the key, where its value is among the columns: that of a relationship is
    /// known only when its link is resolved.
    let keyPlaces: [Int]
    /// Whether a relationship is part of the key.
    let hasRelationshipInKey: Bool
    /// For objects inside another row, which column of the key leads to that row's object.
    let ownerColumn: Int?
    /// Whether a constraint of the model keeps objects from sharing a key.
    let isKeyUnique: Bool
    let toManys: [ToMany]
    /// For each link, which of the to-manys it is.
    let manyOfLink: [Int?]
    /// For each link, whether a relationship of its key leads to objects of this load's table.
    let leadsThroughOwn: [Bool]
    /// Links whose rows must be written at once, not in groups: they touch other rows.
    let oneToOnes: [OneToOne]
    /// The destination has no column for one of them.
    let hasOneSidedLinks: Bool
    let hasOrderedInverse: Bool
    /// To-ones whose inverse the plan sets, too.
    let bothEnds: [BothEnds]
    /// Rules over the whole row.
    let rules: RowRules
    /// Something besides the key must be unique in the table.
    let hasOtherConstraints: Bool
    /// The places of the columns of each unique index that has no condition.
    let uniquePlaces: [[Int]]
    /// A required attribute without a default that no cell maps, so that no new row can be valid.
    let unfilledRequirement: String?
    /// Columns that no cell maps but that a new row fills: defaults of other attributes.
    let constants: [(column: String, literal: String)]

    init(_ plan: BulkPlan, _ schema: StoreLayout) throws(StoreError) {
        guard let entity = schema.entity(named: plan.entity) else {
            throw StoreError(.invalidRequest, "There is no entity '\(plan.entity)'")
        }
        guard !entity.isAbstract else {
            throw StoreError(
                .invalidRequest, "'\(plan.entity)' is abstract; name one of its sub-entities")
        }
        self.plan = plan
        self.entity = entity
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
        var destinations: [StoreLayout.Entity] = []
        var toManys: [ToMany] = []
        var oneToOnes: [OneToOne] = []
        var linksElsewhere: [Column] = []
        var hasOrderedInverse = false
        for (index, link) in plan.links.enumerated() {
            guard let destination = schema.entity(named: link.destination),
                link.nested != nil || schema.mayFind(destination, by: link.key)
            else {
                throw StoreError(
                    .invalidRequest,
                    "There is no '\(link.destination)' with "
                        + link.properties.joined(separator: ", "))
            }
            guard link.missing != .create || !destination.isAbstract else {
                throw StoreError(
                    .invalidRequest,
                    "'\(link.destination)' is abstract, so `missing: create` cannot make one")
            }
            guard !link.isByNumber || link.missing != .create || link.makesStandIns else {
                throw StoreError(
                    .invalidRequest,
                    "`missing: create` cannot make a '\(link.destination)' of a given number")
            }
            try Self.refuseKey(link.key, of: destination, schema)
            destinations.append(destination)
            if let place = entity.toManys[link.relationship] {
                toManys.append(ToMany(link: index, place: place))
                continue
            }
            guard let toOne = entity.toOnes[link.relationship] else {
                throw StoreError(
                    .invalidRequest, "'\(plan.entity)' has no relationship '\(link.relationship)'")
            }
            switch toOne {
            case .own(let stored):
                columns += Self.columns(of: stored, link: index)
                hasOrderedInverse = hasOrderedInverse || stored.orderColumn != nil
            case .inverse:
                try Self.refuseKey(of: toOne, plan, destination)
                linksElsewhere.append(
                    Column(
                        name: toOne.key(of: entity.table), source: .linkKey(link: index),
                        property: link.relationship,
                        isRequired: !toOne.relationship.isOptional, defaultValue: .null))
            }
            if let name = toOne.relationship.inverseName, let inverse = destination.toOnes[name] {
                oneToOnes.append(
                    OneToOne(
                        link: index, place: toOne, inverse: inverse,
                        destinationTable: destination.table))
            }
        }
        if let name = plan.owner, let owner = entity.toOnes[name] {
            guard let stored = owner.columns else {
                throw StoreError(
                    .invalidRequest,
                    "'\(plan.entity).\(name)' has no column in this store, so it cannot be part of a"
                        + " key; use other properties")
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
        columns += linksElsewhere
        self.columns = columns
        rules = try RowRules(entity, columns, schema.model)
        self.destinations = destinations
        self.toManys = toManys
        leadsThroughOwn = plan.links.map { $0.leadsThrough(entity.table, schema) }
        manyOfLink = plan.links.indices.map { link in toManys.firstIndex { $0.link == link } }
        self.oneToOnes = oneToOnes
        hasOneSidedLinks = oneToOnes.contains { $0.inverse.columns == nil }
        self.hasOrderedInverse = hasOrderedInverse
        bothEnds = Self.bothEnds(columns, toManys, entity)
        keyCells = plan.key.compactMap { plan.cell(of: $0) }
        keyColumns = plan.key.compactMap {
            entity.attributes[$0]?.column ?? entity.toOnes[$0]?.column
        }
        let keyPlaces = keyColumns.compactMap { name in columns.firstIndex { $0.name == name } }
        self.keyPlaces = keyPlaces
        hasRelationshipInKey = plan.key.contains { entity.attributes[$0] == nil }
        isKeyUnique = plan.key.isEmpty || schema.isUnique(plan.key, of: entity)
        orderColumns = columns.indices.filter {
            if case .linkOrder = columns[$0].source { true } else { false }
        }
        let leftOut = Set(keyPlaces + orderColumns)
        comparedColumns = columns.indices.filter { !leftOut.contains($0) }
        guard keyPlaces.count == plan.key.count,
            keyCells.count == plan.key.count - (ownerColumn == nil ? 0 : 1),
            plan.key.isEmpty == (plan.found == .append)
        else {
            throw StoreError(.invalidRequest, "The key of '\(plan.entity)' is not mapped")
        }
        let keyIndex = keyColumns.map { "\($0) COLLATE BINARY ASC" }
        hasOtherConstraints =
            schema.table(named: entity.table)?.indexes.contains {
                $0.isUnique && $0.columns != keyIndex
            } ?? false
        uniquePlaces =
            schema.table(named: entity.table).map { table in
                table.indexes.filter { $0.isUnique && $0.condition == nil }.compactMap { index in
                    let places = index.columns.compactMap { column in
                        columns.firstIndex { column.hasPrefix("\($0.name) ") }
                    }
                    return places.count == index.columns.count ? places.sorted() : nil
                }
            } ?? []
        let mapped = Set(plan.attributes)
        unfilledRequirement =
            entity.attributes.values.map(\.attribute)
            .filter { $0.needsValue && !mapped.contains($0.name) }.map(\.name).min()
        constants = entity.attributes.values.sorted { $0.column < $1.column }.compactMap { place in
            guard !mapped.contains(place.attribute.name),
                let value = place.attribute.defaultValue, value != .null
            else { return nil }
            return (place.column, SQLLiteral.text(value))
        }
    }

    private static func bothEnds(
        _ columns: [Column], _ toManys: [ToMany], _ entity: StoreLayout.Entity
    ) -> [BothEnds] {
        toManys.enumerated().compactMap { turn, many in
            guard case .foreignKey(let place) = many.place, place.table == entity.table,
                let key = columns.firstIndex(where: { $0.name == place.column })
            else { return nil }
            return BothEnds(
                turn: turn, key: key,
                order: place.orderColumn.flatMap { name in
                    columns.firstIndex { $0.name == name }
                })
        }
    }

    /// No index can find rows by a link that is in other rows.
    private static func refuseKey(
        of toOne: StoreLayout.ToOnePlace, _ plan: BulkPlan, _ destination: StoreLayout.Entity
    ) throws(StoreError) {
        let relationship = toOne.relationship
        guard plan.key.contains(relationship.name) else { return }
        throw StoreError(
            .invalidRequest,
            "'\(plan.entity).\(relationship.name)' cannot be part of a key in this store, which keeps"
                + " the relationship as '\(destination.name).\(relationship.inverseName ?? "")' only;"
                + " use other properties as the key, or import '\(destination.name)'")
    }

    /// Refuses the key of a link that holds a relationship without a column.
    private static func refuseKey(
        _ key: [BulkPlan.KeyPart], of destination: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) {
        for part in key {
            guard let target = part.entity.flatMap({ schema.entity(named: $0) }) else { continue }
            if let place = destination.toOnes[part.property], place.columns == nil {
                throw StoreError(
                    .invalidRequest,
                    "'\(destination.name).\(part.property)' cannot be part of a key in this store,"
                        + " which keeps the relationship on its other side only; use other properties"
                )
            }
            try refuseKey(part.key, of: target, schema)
        }
    }

    private static func columns(of toOne: StoreLayout.ToOneColumns, link: Int) -> [Column] {
        let name = toOne.relationship.name
        var columns = [
            Column(
                name: toOne.column, source: .linkKey(link: link), property: name,
                isRequired: !toOne.relationship.isOptional, defaultValue: .null)
        ]
        if let column = toOne.entityColumn {
            columns.append(
                Column(
                    name: column, source: .linkEntity(link: link), property: name,
                    isRequired: false, defaultValue: .null))
        }
        if let column = toOne.orderColumn {
            columns.append(
                Column(
                    name: column, source: .linkOrder(link: link), property: name,
                    isRequired: false, defaultValue: .null))
        }
        return columns
    }

    /// Rows are written in groups where each stands for itself.
    var writesRowsInGroups: Bool {
        oneToOnes.isEmpty && !hasOrderedInverse && bothEnds.isEmpty
    }

    /// The column that holds a link's key.
    func keyColumn(ofLink link: Int) -> Int? {
        columns.firstIndex {
            if case .linkKey(link) = $0.source { true } else { false }
        }
    }

    /// Which of the to-manys is the relationship seen from its other end, where the plan sets both.
    func otherEnd(of many: ToMany) -> Int? {
        guard case .joinTable(let join) = many.place else { return nil }
        return toManys.firstIndex { other in
            guard join.isReflexive || other.link != many.link,
                case .joinTable(let place) = other.place
            else { return false }
            return place.table == join.table
        }
    }

    /// Whether the link leads to objects that this load writes, found by the load's own key.
    func isOwnKey(link: Int) -> Bool {
        plan.links[link].nested == nil && destinations[link].table == entity.table
            && plan.key == plan.links[link].properties && !plan.links[link].hasRelationshipInKey
            // Without a constraint, objects of other entities may have the key, too.
            && (isKeyUnique || destinations[link].name == entity.name)
    }

    /// Whether the link names objects that this load writes by an attribute that is not its key,
    /// which a record may change.
    func namesByOtherAttribute(link: Int) -> Bool {
        mayComeLater(link: link) && !isOwnKey(link: link)
    }

    /// Whether a constraint keeps objects from sharing what the link names them by.
    func isUnique(link: Int, _ schema: StoreLayout) -> Bool {
        plan.links[link].nested != nil || plan.links[link].isByNumber
            || schema.isUnique(plan.links[link].properties, of: destinations[link])
    }

    /// Whether an object that the link names keeps its key for as long as the load lasts, and no
    /// other object gets it.
    func mayRemember(link: Int, _ schema: StoreLayout, isNested: Bool) -> Bool {
        // Other links may change the relationships of the object.
        guard !namesByOtherAttribute(link: link), !plan.links[link].hasRelationshipInKey else {
            return false
        }
        guard !isUnique(link: link, schema) else { return true }
        return mayRemember(destinations[link].table, isNested: isNested, besides: link)
    }

    /// Whether the objects in a table keep their attributes for as long as the load lasts, and no
    /// other object gets them.
    ///
    /// - Parameter link: one that may make such objects.
    func mayRemember(_ table: String, isNested: Bool, besides link: Int? = nil) -> Bool {
        !isNested && table != entity.table
            && plan.links.indices.allSatisfy { other in
                plan.links[other].nested == nil
                    && (other == link || plan.links[other].missing != .create
                        || destinations[other].table != table)
            }
    }

    /// Whether the load may have a map of its keys: nothing writes rows past it, or relies on
    /// indexes that are put off for it.
    func mayUseMap(_ schema: StoreLayout) -> Bool {
        guard !plan.writesInside(table: entity.table, schema),
            !plan.linksPastMap(of: entity, ownKey: plan.key, schema)
        else { return false }
        // A map that is given up leaves a table of keys behind, which must not be undone together
        // with a record's objects. Other rows' links may move rows from one key to another.
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

    /// Whether the link names objects of this load's table by their numbers, which rows that are
    /// written and taken back may have had.
    func namesOwnByNumber(link: Int) -> Bool {
        plan.links[link].isByNumber && destinations[link].table == entity.table
    }

    /// Whether a walk over the table may go along with the records: nothing but what a record says
    /// of its own object is written to the table.
    var mayWalk: Bool {
        !keyCells.isEmpty && oneToOnes.isEmpty && !hasOrderedInverse
            && plan.links.allSatisfy { $0.nested == nil }
            && destinations.allSatisfy { $0.table != entity.table }
            && toManys.allSatisfy { many in
                if case .joinTable = many.place { true } else { false }
            }
    }

    /// Whether rows of this load may wait for later ones.
    var mayWait: Bool { plan.links.indices.contains { mayComeLater(link: $0) } }

    /// Whether a later row of this load may be what the link names.
    ///
    /// No record knows the number that its own object gets.
    func mayComeLater(link: Int) -> Bool {
        plan.links[link].nested == nil && !plan.links[link].isByNumber
            && destinations[link].familyNumbers.contains(entity.number)
    }
}

extension StoreLayout {
    /// Whether an entity has what the parts of a key say.
    func mayFind(_ entity: Entity, by key: [BulkPlan.KeyPart]) -> Bool {
        key.allSatisfy { part in
            guard let name = part.entity else {
                return part.property == ObjectNumber.explicitKey
                    ? key.count == 1 : entity.attributes[part.property] != nil
            }
            guard entity.toOnes[part.property] != nil, let target = self.entity(named: name) else {
                return false
            }
            return !part.key.isEmpty && mayFind(target, by: part.key)
        }
    }

    /// Whether a constraint of the model keeps objects from having the same values of attributes.
    func isUnique(_ attributes: [String], of entity: Entity) -> Bool {
        attributes.allSatisfy { entity.attributes[$0] != nil }
            && model.uniquenessConstraints(of: entity.name).contains {
                $0.count == attributes.count && Set($0) == Set(attributes)
            }
    }
}

extension BulkPlan.Link {
    /// Whether a relationship of the key, at any depth, leads to objects in a table.
    func leadsThrough(_ table: String, _ schema: StoreLayout) -> Bool {
        func leads(_ part: BulkPlan.KeyPart) -> Bool {
            guard let name = part.entity else { return false }
            return schema.entity(named: name)?.table == table || part.key.contains(where: leads)
        }
        return key.contains(where: leads)
    }
}

/// A value as SQL text, for what is fixed when a statement is made.
enum SQLLiteral {
    static func text(_ value: StoredValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        case .text(let value): "'" + value.replacing("'", with: "''") + "'"
        case .blob(let bytes):
            "x'" + bytes.hexText + "'"
        }
    }
}
