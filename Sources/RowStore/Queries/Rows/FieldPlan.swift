import GraphModel

/// The resolution of a request's field to columns and relationships.
struct FieldPlan {
    var path: [String]
    var toMany: StoreLayout.ToManyPlace?
    /// The path from an object of a to-many to its item; empty for the primary key.
    var item: [String] = []
    /// The paths by which the objects of a to-many are sorted; the primary key follows them.
    var itemOrder: [[String]] = []
    var column: RowColumn
    /// The table and column of an attribute at the end of a path of to-ones.
    var distant: (table: String, column: String)?

    init(
        _ field: [String], of entity: StoreLayout.Entity, in schema: StoreLayout
    ) throws(StoreError) {
        let field = schema.model.folded(field, from: entity.name)
        column = RowColumn(content: .objectNumber, isList: false)
        guard let first = field.first, let place = entity.toManys[first] else {
            path = try Self.path(of: field, from: entity, schema)
            (column, distant) = try Self.column(at: path, from: entity, schema)
            return
        }
        path = field
        toMany = place
        let relationship = place.relationship
        let destination = try schema.requiredEntity(named: relationship.destinationEntityName)
        itemOrder = schema.linkKey(of: relationship)
        item =
            field.count == 1
            ? itemOrder.first ?? []
            : try Self.path(of: Array(field.dropFirst()), from: destination, schema)
        (column, _) = try Self.column(at: item, from: destination, schema)
        column.isList = true
        if column.content == .objectNumber, item.count == 1, destination.toOnes[item[0]] == nil {
            item = []
        }
    }

    /// Adds the items of all fields of a to-many to the order of each of them.
    ///
    /// So equal keys, or objects without a key, have the same order in all lists.
    static func align(_ plans: inout [FieldPlan]) {
        var items: [String: [[String]]] = [:]
        for plan in plans where plan.toMany != nil && !plan.item.isEmpty {
            items[plan.path[0], default: []].append(plan.item)
        }
        for place in plans.indices where plans[place].toMany != nil {
            for item in items[plans[place].path[0]] ?? []
            where !plans[place].itemOrder.contains(item) {
                plans[place].itemOrder.append(item)
            }
        }
    }

    /// Returns a path of to-ones, continued to the only attribute of the destination's key if it
    /// ends in a to-one.
    private static func path(
        of field: [String], from entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) -> [String] {
        var here = entity
        for name in field {
            guard let toOne = here.toOnes[name] else { return field }
            here = try schema.requiredEntity(named: toOne.relationship.destinationEntityName)
        }
        let key = schema.linkKey(of: here.name)
        return key.count == 1 ? field + key[0] : field
    }

    /// Returns the column at the end of a path of to-ones, and the table and the column of an
    /// attribute that is not the entity's own.
    private static func column(
        at path: [String], from entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) -> (RowColumn, distant: (table: String, column: String)?) {
        let number = RowColumn(content: .objectNumber, isList: false)
        var here = entity
        for (position, name) in path.enumerated() {
            let isLast = position == path.count - 1
            if let attribute = here.attributes[name], isLast {
                return (
                    RowColumn(attribute.attribute),
                    position > 0 ? (here.table, attribute.column) : nil
                )
            }
            if isLast, schema.model.isObjectNumber(name, of: here.name) { return (number, nil) }
            guard let toOne = here.toOnes[name],
                let next = schema.entity(named: toOne.relationship.destinationEntityName)
            else {
                throw StoreError(
                    .invalidRequest,
                    "'\(here.name)' has no stored property '\(name)' that a field can show")
            }
            here = next
        }
        return (number, nil)
    }
}
