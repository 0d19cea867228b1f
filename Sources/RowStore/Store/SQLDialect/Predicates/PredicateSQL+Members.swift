import GraphModel

/// Properties of an element of an ordered relationship, such as `tasks[FIRST].owner.name`.
extension PredicateSQL {
    /// Returns the value at the end of a path from the object.
    mutating func member(
        of base: GraphExpression, _ path: [String]
    ) throws(StoreError) -> SQLOperand {
        let key = try operand(base)
        if path.isEmpty { return key }
        let scope = try memberScope(of: base)
        let type = try scopes[scope].type(of: path)
        let column = try column(path, in: scope)
        let row = scopes[scope]
        let select = "(SELECT \(column) FROM \(row.entity.table) \(row.alias)\(row.joins)"
        return SQLOperand(
            SQLFragment("\(select) WHERE \(row.key) = ") + key.sql + ")", type)
    }

    /// Returns the elements of a to-many of the object.
    mutating func memberElements(
        of base: GraphExpression, _ path: [String]
    ) throws(StoreError) -> ElementsSQL {
        let scope = try memberScope(of: base)
        let (position, place) = try toMany(in: path, from: scope)
        let owner = try member(of: base, Array(path[..<position]))
        return try extend(
            try firstHop(place, of: owner.sql), by: Array(path[(position + 1)...]))
    }

    /// Adds a scope for the object that an index gives, and returns its index.
    mutating func memberScope(of base: GraphExpression) throws(StoreError) -> Int {
        guard case .index(let collection, _) = base,
            let entity = try knownEntity(
                of: base,
                { compiler throws(StoreError) in
                    let elements = try compiler.elements(collection)
                    return compiler.scopes[elements.scope].entity(at: elements.tail)
                })
        else { throw StoreError(.invalidRequest, "'\(base)' gives no object") }
        aliasCount += 1
        scopes.append(KeyPathSQL(schema, entity, alias: "m\(aliasCount)", style: .joins))
        return scopes.count - 1
    }
}
