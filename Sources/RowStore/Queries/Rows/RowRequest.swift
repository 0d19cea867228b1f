package import GraphModel

/// The rows, order, and values that an export requests.
package struct RowRequest: Sendable {
    /// The name of the entity whose objects are the rows, including objects of sub-entities.
    package var entityName: String
    /// The condition that rows meet; `nil` includes all rows.
    package var predicate: GraphPredicate?
    /// The values of the predicate's variables, by name without the dollar sign.
    package var variables: [String: GraphValue]
    /// The sort order; empty sorts by the key.
    ///
    /// Sorting by `objectID` uses the table's order, which is free.
    package var order: [GraphSortDescriptor]
    /// The key paths of the values; a path through a to-many yields a list.
    package var fields: [[String]]
    /// The maximum number of rows.
    package var limit: Int?
    /// The number of rows to skip.
    package var offset = 0

    /// Creates a request; by default, for all rows, sorted by key.
    package init(
        entityName: String, predicate: GraphPredicate? = nil,
        variables: [String: GraphValue] = [:],
        order: [GraphSortDescriptor] = [], fields: [[String]], limit: Int? = nil, offset: Int = 0
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.variables = variables
        self.order = order
        self.fields = fields
        self.limit = limit
        self.offset = offset
    }
}

extension RowRequest {
    /// Returns the SELECT: `Z_PK` first, then the columns.
    ///
    /// - Parameters:
    ///   - predicate: the request's predicate, resolved.
    ///   - columns: the key paths to select.
    package func select(
        of entity: StoreLayout.Entity, where predicate: GraphPredicate?, columns: [[String]],
        _ schema: StoreLayout
    ) throws(StoreError) -> EntitySelect {
        var select = EntitySelect(entity, in: schema)
        try select.sort(
            by: order.isEmpty
                ? schema.key(of: entity.name).map { GraphSortDescriptor([$0]) }
                : order.map { $0.folded(for: entity.name, in: schema.model) })
        select.clauses.columns = [SQLFragment("t.Z_PK")]
        for column in columns { try select.add(path: column) }
        try select.keep(predicate)
        select.clauses.take(limit, from: offset, isBound: true)
        return select
    }
}

/// The content of a cursor's column.
package struct RowColumn: Sendable {
    /// The type of a value, or of each item of a list.
    package enum Content: Sendable, Hashable {
        case attribute(AttributeType)
        /// `Z_PK`: `objectID`, or a link to an object without a key.
        case objectNumber
    }

    /// The type of the values.
    package var content: Content
    /// Whether cells are lists, because the field's path contains a to-many relationship.
    package var isList: Bool
    /// Whether values begin with a marker for their location; see `ExternalData`.
    package var isExternal = false

    /// Creates a column whose values have no marker for their location.
    package init(content: Content, isList: Bool) {
        self.content = content
        self.isList = isList
    }

    /// Creates the column of an attribute.
    package init(_ attribute: AttributeDescription) {
        self.init(content: .attribute(attribute.type), isList: false)
        isExternal = attribute.allowsExternalBinaryDataStorage
    }
}

extension StoreLayout {
    /// Returns the attributes of an entity's first uniqueness constraint; empty without one.
    package func key(of entity: String) -> [String] {
        model.uniquenessConstraints(of: entity).first ?? []
    }

    /// Returns the stored attributes of an entity's key, which identify its objects in links.
    package func linkKey(of entity: String) -> [String] {
        let attributes = self.entity(named: entity)?.attributes
        return key(of: entity).filter { attributes?[$0] != nil }
    }

    /// Returns the fields with each link to a composite key replaced by its attributes: `peers`
    /// becomes `peers.a` and `peers.b`.
    ///
    /// The lists of one to-many have the same order of objects.
    ///
    /// - Parameter withToManys: whether to replace to-manys, too.
    package func spelledOut(
        _ fields: [[String]], of entity: String, withToManys: Bool
    ) -> [[String]] {
        var seen: Set<[String]> = []
        return fields.flatMap { field in
            guard let key = keyOfLink(at: field, from: entity, withToManys: withToManys),
                key.count > 1
            else { return [field] }
            return key.map { field + [$0] }
        }.filter { seen.insert($0).inserted }
    }

    /// Returns the key of the entity at the end of a path of relationships; `nil` for other paths.
    private func keyOfLink(
        at field: [String], from entity: String, withToManys: Bool
    ) -> [String]? {
        var here = entity
        for name in field {
            guard let relationship = model.relationship(name, of: here),
                withToManys || !relationship.isToMany
            else { return nil }
            here = relationship.destinationEntityName
        }
        return linkKey(of: here)
    }

    /// Returns the members of exported objects if the export names no fields.
    ///
    /// They are the default fields, but with complete composites, and the to-manys.
    package func defaultMembers(of entity: String) -> [[String]] {
        var seen: Set<[String]> = []
        return defaultFields(of: entity, withToManys: true).map { field in
            field.count == 1 ? [String(field[0].prefix { $0 != "." })] : field
        }.filter { seen.insert($0).inserted }
    }

    /// Returns the fields of an export that names none.
    ///
    /// They are the key, the other attributes and composite elements by name, the keys of to-one
    /// destinations, and optionally the to-manys.
    package func defaultFields(of entity: String, withToManys: Bool) -> [[String]] {
        guard let place = self.entity(named: entity) else { return [] }
        let key = key(of: entity)
        var fields = key.map { [$0] }
        fields += place.attributes.keys.filter { !key.contains($0) }.sorted().map { [$0] }
        let toMany = withToManys ? Array(place.toManys.keys) : []
        for name in (Array(place.toOnes.keys) + toMany).sorted() {
            if let toOne = place.toOnes[name] {
                let destination = self.key(of: toOne.relationship.destinationEntityName)
                fields += destination.isEmpty ? [[name]] : destination.map { [name, $0] }
            } else {
                fields.append([name])
            }
        }
        return fields
    }
}
