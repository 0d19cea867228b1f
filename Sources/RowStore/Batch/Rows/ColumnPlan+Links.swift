import GraphModel

extension ColumnPlan {
    /// The links of a plan, with their destinations and columns.
    struct PlannedLinks {
        private(set) var destinations: [StoreLayout.Entity] = []
        private(set) var toManys: [ToMany] = []
        private(set) var oneToOnes: [OneToOne] = []
        /// The columns of the entity's table.
        private(set) var columns: [Column] = []
        /// The one-to-one links that are stored only in the destination's row.
        private(set) var columnsElsewhere: [Column] = []
        private(set) var hasOrderedInverse = false

        /// Finds the destinations and the columns of a plan's links.
        ///
        /// - Throws: `StoreError` if the store cannot find or create the destination of a link.
        init(
            _ plan: BulkPlan, of entity: StoreLayout.Entity, _ schema: StoreLayout
        ) throws(StoreError) {
            for (index, link) in plan.links.enumerated() {
                let destination = try Self.destination(of: link, schema)
                destinations.append(destination)
                try add(link, index, to: destination, plan, entity)
            }
        }

        private static func destination(
            of link: BulkPlan.Link, _ schema: StoreLayout
        ) throws(StoreError) -> StoreLayout.Entity {
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
            try rejectKey(link.key, of: destination, schema)
            return destination
        }

        private mutating func add(
            _ link: BulkPlan.Link, _ index: Int, to destination: StoreLayout.Entity,
            _ plan: BulkPlan, _ entity: StoreLayout.Entity
        ) throws(StoreError) {
            if let place = entity.toManys[link.relationship] {
                toManys.append(ToMany(link: index, place: place))
                return
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
                try Self.rejectKey(of: toOne, plan, destination)
                columnsElsewhere.append(
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
    }
}

extension ColumnPlan.PlannedLinks {
    /// Rejects a key with a relationship that is stored in other rows, because no index can find
    /// rows by it.
    private static func rejectKey(
        of toOne: StoreLayout.ToOnePlace, _ plan: BulkPlan, _ destination: StoreLayout.Entity
    ) throws(StoreError) {
        let relationship = toOne.relationship
        guard plan.key.contains(relationship.name) else { return }
        throw StoreError(
            .invalidRequest,
            "'\(plan.entity).\(relationship.name)' cannot be part of a key in this store, which"
                + " keeps the relationship as"
                + " '\(destination.name).\(relationship.inverseName ?? "")' only; use other"
                + " properties as the key, or import '\(destination.name)'")
    }

    /// Rejects a link's key that contains a relationship without a column.
    private static func rejectKey(
        _ key: [BulkPlan.KeyPart], of destination: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) {
        for part in key {
            guard let target = part.entity.flatMap({ schema.entity(named: $0) }) else {
                continue
            }
            if let place = destination.toOnes[part.property], place.columns == nil {
                throw StoreError(
                    .invalidRequest,
                    "'\(destination.name).\(part.property)' cannot be part of a key in this store,"
                        + " which keeps the relationship on its other side only; use other"
                        + " properties"
                )
            }
            try rejectKey(part.key, of: target, schema)
        }
    }

    private static func columns(
        of toOne: StoreLayout.ToOneColumns, link: Int
    ) -> [ColumnPlan.Column] {
        let name = toOne.relationship.name
        var columns = [
            ColumnPlan.Column(
                name: toOne.column, source: .linkKey(link: link), property: name,
                isRequired: !toOne.relationship.isOptional, defaultValue: .null)
        ]
        if let column = toOne.entityColumn {
            columns.append(
                ColumnPlan.Column(
                    name: column, source: .linkEntity(link: link), property: name,
                    isRequired: false, defaultValue: .null))
        }
        if let column = toOne.orderColumn {
            columns.append(
                ColumnPlan.Column(
                    name: column, source: .linkOrder(link: link), property: name,
                    isRequired: false, defaultValue: .null))
        }
        return columns
    }
}

extension StoreLayout {
    /// Returns whether an entity has the properties in the parts of a key.
    fileprivate func mayFind(_ entity: Entity, by key: [BulkPlan.KeyPart]) -> Bool {
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
}
