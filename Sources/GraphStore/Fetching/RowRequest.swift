package import GraphModel

/// Which rows, in which order, and which of their values: what an export asks for.
package struct RowRequest: Sendable {
    package var entityName: String
    package var predicate: GraphPredicate?
    package var variables: [String: GraphValue]
    /// Empty means the key.
    ///
    /// The order of `objectID` is that of the table, which costs no sorting.
    package var order: [GraphSortDescriptor]
    /// Key paths; a to-many among them gives a list.
    package var fields: [[String]]
    /// At most so many rows.
    package var limit: Int?
    /// So many rows are passed over first.
    package var offset = 0

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
    /// Its select: `Z_PK` first, then the columns.
    ///
    /// - Parameters:
    ///   - predicate: the request's, resolved.
    ///   - columns: the key paths to select.
    func select(
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

/// What a column of a cursor holds.
package struct RowColumn: Sendable {
    /// The type of a value, or of each item of a list.
    package enum Content: Sendable, Hashable {
        case attribute(AttributeType)
        /// `Z_PK`: `objectID`, or a link to an object that has no key.
        case objectNumber
    }

    package var content: Content
    package var isList: Bool
    /// Values begin with a mark that says where they are; see `ExternalData`.
    package var isExternal = false

    package init(content: Content, isList: Bool) {
        self.content = content
        self.isList = isList
    }

    /// The column of an attribute.
    package init(_ attribute: AttributeDescription) {
        self.init(content: .attribute(attribute.type), isList: false)
        isExternal = attribute.allowsExternalBinaryDataStorage
    }
}

extension StoreLayout {
    /// The attributes that tell objects of an entity apart, or none.
    package func key(of entity: String) -> [String] {
        model.uniquenessConstraints(of: entity).first ?? []
    }

    /// The attributes of an entity's key, by which links to its objects are written.
    package func linkKey(of entity: String) -> [String] {
        let attributes = self.entity(named: entity)?.attributes
        return key(of: entity).filter { attributes?[$0] != nil }
    }

    /// Fields in which links to objects whose key has several attributes are written by each of
    /// them: `peers` as `peers.a` and `peers.b`.
    ///
    /// The lists of a to-many have its objects in the same order.
    ///
    /// - Parameter withToManys: whether to-manys are written so, too.
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

    /// The attributes of the key of what a path of relationships leads to; nil of other paths.
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

    /// The members of objects that an export names none of: the fields of a table, but composites
    /// as wholes, and to-manys.
    package func defaultMembers(of entity: String) -> [[String]] {
        var seen: Set<[String]> = []
        return defaultFields(of: entity, withToManys: true).map { field in
            field.count == 1 ? [String(field[0].prefix { $0 != "." })] : field
        }.filter { seen.insert($0).inserted }
    }

    /// The fields of an export that names none: the key, the other attributes by name, elements of
    /// composites by theirs, to-ones by their destination's key, and to-manys if they are wanted.
    package func defaultFields(of entity: String, withToManys: Bool) -> [[String]] {
        guard let place = self.entity(named: entity) else { return [] }
        let key = key(of: entity)
        var fields = key.map { [$0] }
        fields += place.attributes.keys.filter { !key.contains($0) }.sorted().map { [$0] }
        let toMany = withToManys ? Array(place.toManys.keys) : []
        for name in (Array(place.toOnes.keys) + toMany).sorted() {
            let relationship = model.relationship(name, of: entity)
            let destination = self.key(of: relationship?.destinationEntityName ?? "")
            if place.toManys[name] != nil {
                fields.append([name])
            } else {
                fields += destination.isEmpty ? [[name]] : destination.map { [name, $0] }
            }
        }
        return fields
    }
}
