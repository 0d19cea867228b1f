package import GraphModel

/// The rows, order, and values that an export requests.
package struct RowRequest: Sendable {
    /// The name of the entity whose objects are the rows, including objects of sub-entities.
    package var entityName: String
    /// The condition that rows meet; `nil` includes all rows.
    package var predicate: GraphPredicate?
    /// The values of the predicate's variables, by name without the dollar sign.
    package var variables: [String: GraphValue]
    /// The sort order; the key follows it.
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
    /// Returns the sort keys, followed by the parts of the entity's key that they lack.
    ///
    /// So rows that are equal in the requested order have the same order in every store.
    private func completeOrder(
        of entity: StoreLayout.Entity, _ schema: StoreLayout
    ) -> [GraphSortDescriptor] {
        let order = order.map { $0.folded(for: entity.name, in: schema.model) }
        let isTableOrder = order.contains { descriptor in
            descriptor.keyPath.count == 1
                && schema.model.isObjectNumber(descriptor.keyPath[0], of: entity.name)
        }
        guard !isTableOrder else { return order }
        // A folded text can be equal for several keys, so it does not replace the key itself.
        let named = order.filter { $0.textOrder == .binary }
            .map(\.keyPath)
        return order
            + schema.linkKey(of: entity.name).filter { !named.contains($0) }
            .map { GraphSortDescriptor($0) }
    }

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
        try select.sort(by: completeOrder(of: entity, schema))
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
    /// Whether a transformer other than `json` writes the values.
    package var isArchive = false

    /// Creates a column whose values have no marker for their location.
    package init(content: Content, isList: Bool) {
        self.content = content
        self.isList = isList
    }

    /// Creates the column of an attribute.
    package init(_ attribute: AttributeDescription) {
        self.init(content: .attribute(attribute.type), isList: false)
        isExternal = attribute.allowsExternalBinaryDataStorage
        isArchive = attribute.isArchive
    }
}
