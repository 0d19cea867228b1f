import GraphModel

/// Properties of an object that is the result of an expression other than a key path, such as
/// `tasks[FIRST].owner.name`.
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
        guard let (position, place) = try scopes[scope].firstToMany(in: path) else {
            throw StoreError(
                .invalidRequest, "'\(path.joined(separator: "."))' is not a to-many key path")
        }
        let owner = try member(of: base, Array(path[..<position]))
        return try extend(
            try firstHop(place, of: owner.sql), by: Array(path[(position + 1)...]))
    }

    /// Adds a scope for the object that is the result of an expression, and returns its index.
    mutating func memberScope(of base: GraphExpression) throws(StoreError) -> Int {
        guard let entity = try entity(of: base) else {
            throw StoreError(.invalidRequest, "'\(base)' gives no object")
        }
        aliasCount += 1
        scopes.append(KeyPathSQL(schema, entity, alias: "m\(aliasCount)", style: .joins))
        return scopes.count - 1
    }

    /// Returns the entity of an expression's result; `nil` if the result is not an object.
    private mutating func entity(
        of expression: GraphExpression
    ) throws(StoreError) -> StoreLayout.Entity? {
        switch expression {
        case .evaluatedObject: return scopes[0].entity
        case .keyPath(let path): return scopes[0].entity(at: path)
        case .variable(let name, let path):
            return variables[name].flatMap { scopes[$0.scope].entity(at: $0.tail + path) }
        case .member(let base, let path):
            return try scopes[memberScope(of: base)].entity(at: path)
        case .index(.aggregate(let elements), _): return try entity(ofOneOf: elements)
        case .function(let name, let arguments)
        where PredicateFunction.named[name]?.result == .common:
            return try entity(ofOneOf: arguments)
        case .index(let base, _):
            return try knownEntity(of: expression) { compiler throws(StoreError) in
                let elements = try compiler.elements(base)
                return compiler.scopes[elements.scope].entity(at: elements.tail)
            }
        case .conditional(_, let yes, let no): return try entity(ofOneOf: [yes, no])
        case .constant(.object(let id)): return schema.entity(number: id.entityNumber)
        default: return nil
        }
    }

    private mutating func entity(
        ofOneOf expressions: [GraphExpression]
    ) throws(StoreError) -> StoreLayout.Entity? {
        for expression in expressions {
            if let entity = try entity(of: expression) { return entity }
        }
        return nil
    }
}
