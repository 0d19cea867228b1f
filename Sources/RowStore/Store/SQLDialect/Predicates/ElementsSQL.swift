import GraphModel

/// The elements of a collection as rows: of a to-many key path, a SUBQUERY, or a union of values.
///
/// For a table `t`, `owner.tasks.tags.name` becomes the rows of
/// `ZTASK e1 JOIN Z_1TAGS e2 ON e2.Z_1TASKS = e1.Z_PK JOIN ZTAG e3 …` with
/// `e1.ZOWNER = t.ZOWNER`. There is one row for each path to an object that the last to-many hop
/// reaches. The to-ones and the attribute after this hop are the row's value, which may be `nil`.
struct ElementsSQL {
    /// The FROM clause up to the last to-many hop; the joins for the path after it are added later.
    var from: SQLFragment
    /// The column with the owner of each row.
    let owner: String
    /// The owner's key, as SQL of the enclosing query.
    let ownerKey: SQLFragment
    /// The scope of the elements in the compiler.
    var scope: Int
    /// The scope of the first hop's objects; earlier scopes belong to the enclosing query.
    let firstScope: Int
    /// The path from an element to its value; empty for the element itself.
    var tail: [String] = []
    /// Further conditions on the elements.
    var conditions: [SQLFragment] = []
    /// Whether each value counts once.
    var isDistinct = false
    /// The sort terms of the elements: the order of each hop, followed by its keys.
    var visits: [String]
    /// The order column, if the relationship is ordered.
    var order: String?
    /// Whether the conditions read objects of the enclosing query.
    var isCorrelated = false
    /// Whether the only condition tests a Boolean, which about half of the rows may satisfy.
    var isAboutFlag = false
}

extension PredicateSQL {
    /// Returns the elements of a collection in the compiler's current scope.
    ///
    /// - Throws: `invalidRequest` if the expression is not a collection that a store contains.
    mutating func elements(_ expression: GraphExpression) throws(StoreError) -> ElementsSQL {
        switch expression {
        case .keyPath(let path):
            return try elements(of: path, from: 0)
        case .variable(let name, let path):
            let binding = try binding(of: name)
            return try elements(of: binding.tail + path, from: binding.scope)
        case .member(let base, let path):
            return try memberElements(of: base, path)
        case .subquery(let collection, let variable, let predicate):
            var elements = try elements(collection)
            let outer = variables
            variables[variable] = Binding(scope: elements.scope, tail: elements.tail)
            defer { variables = outer }
            let condition = try self.inside(&elements) { compiler throws(StoreError) in
                try compiler.condition(predicate)
            }
            let isAboutFlag = try isAboutFlag(predicate, of: variable)
            elements.isAboutFlag = isAboutFlag && elements.conditions.isEmpty
            elements.conditions.append(condition)
            return elements
        case .collection(let base, .unionOfObjects, let path),
            .collection(let base, .distinctUnionOfObjects, let path):
            var elements = try extend(try elements(base), by: path)
            elements.conditions.append(try value(of: elements).sql + " IS NOT NULL")
            if case .collection(_, .distinctUnionOfObjects, _) = expression {
                elements.isDistinct = true
            }
            return elements
        default:
            throw StoreError(
                .invalidRequest, "'\(expression)' is not a collection that a store can search")
        }
    }

    /// Returns whether a predicate only compares a Boolean of a subquery's variable with a
    /// constant.
    private func isAboutFlag(
        _ predicate: GraphPredicate, of variable: String
    ) throws(StoreError) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct,
            comparison.op == .equal || comparison.op == .notEqual,
            case .variable(variable, let path) = comparison.left, case .constant = comparison.right,
            let binding = variables[variable]
        else { return false }
        return try scopes[binding.scope].type(of: binding.tail + path) == .boolean
    }

    /// Returns whether an expression is a collection in the store, and not a single value or a
    /// list.
    func isStoredCollection(_ expression: GraphExpression) throws(StoreError) -> Bool {
        switch expression {
        case .keyPath(let path):
            return try scopes[0].firstToMany(in: path) != nil
        case .variable(let name, let path):
            guard let binding = variables[name] else { return false }
            return try scopes[binding.scope].firstToMany(in: binding.tail + path) != nil
        case .member(let base, let path):
            var probe = self
            let scope = try probe.memberScope(of: base)
            return try probe.scopes[scope].firstToMany(in: path) != nil
        case .subquery(let base, _, _): return try isStoredCollection(base)
        case .collection(let base, .unionOfObjects, _),
            .collection(let base, .distinctUnionOfObjects, _):
            return try isStoredCollection(base)
        default: return false
        }
    }

    private mutating func elements(
        of path: [String], from scope: Int
    ) throws(StoreError) -> ElementsSQL {
        let (position, place) = try toMany(in: path, from: scope)
        let ownerKey = try column(Array(path[..<position]), in: scope)
        return try extend(
            try firstHop(place, of: SQLFragment(ownerKey)), by: Array(path[(position + 1)...]))
    }

    /// Returns the first to-many of a path in a scope, and its position.
    func toMany(
        in path: [String], from scope: Int
    ) throws(StoreError) -> (position: Int, place: StoreLayout.ToManyPlace) {
        guard let found = try scopes[scope].firstToMany(in: path) else {
            throw StoreError(
                .invalidRequest, "'\(path.joined(separator: "."))' is not a to-many key path")
        }
        return found
    }

    /// Returns the elements of one object's to-many.
    mutating func firstHop(
        _ place: StoreLayout.ToManyPlace, of ownerKey: SQLFragment
    ) throws(StoreError) -> ElementsSQL {
        let (from, owner, scope, order) = try hop(place)
        return ElementsSQL(
            from: from, owner: owner, ownerKey: ownerKey, scope: scope,
            firstScope: scope,
            visits: visits(scope, order), order: order)
    }

    /// Extends the elements by a path, which may contain further to-many hops.
    mutating func extend(
        _ elements: ElementsSQL, by path: [String]
    ) throws(StoreError) -> ElementsSQL {
        if path.isEmpty { return elements }
        guard !elements.isDistinct else {
            throw StoreError(
                .invalidRequest, "A key path cannot continue after @distinctUnionOfObjects here")
        }
        var elements = elements
        var rest = elements.tail + path
        while let (position, place) = try scopes[elements.scope].firstToMany(in: rest) {
            let previous = elements.scope
            let key = try scopes[previous].column(Array(rest[..<position]))
            let (from, owner, scope, order) = try hop(place)
            elements.from =
                elements.from + scopes[previous].joins + " JOIN " + from + " ON \(owner) = \(key)"
            // The paths of the elements may need as many joins again.
            let tables = 1 + elements.from.sql.ranges(of: " JOIN ").count
            guard tables <= KeyPathSQL.joinsMax - 1 else {
                throw StoreError(
                    .invalidRequest,
                    "A key path leads over \(tables) tables up to its last to-many relationship; the"
                        + " most is \(KeyPathSQL.joinsMax - 1)")
            }
            elements.scope = scope
            elements.visits += visits(scope, order)
            elements.order = order
            rest = Array(rest[(position + 1)...])
        }
        elements.tail = rest
        return elements
    }

    private func visits(_ scope: Int, _ order: String?) -> [String] {
        [order, scopes[scope].key].compactMap(\.self)
    }

    /// Returns the links of a to-many, and adds a scope for its destination objects.
    private mutating func hop(
        _ place: StoreLayout.ToManyPlace
    ) throws(StoreError) -> (from: SQLFragment, owner: String, scope: Int, order: String?) {
        let name = place.relationship.destinationEntityName
        let destination = try schema.requiredEntity(named: name)
        aliasCount += 1
        let alias = "e\(aliasCount)"
        switch place {
        case .foreignKey(let key):
            scopes.append(KeyPathSQL(schema, destination, alias: alias, style: .joins))
            note([key.relationship.name], links: nil)
            return (
                SQLFragment("\(key.table) \(alias)"), "\(alias).\(key.column)", scopes.count - 1,
                key.orderColumn.map { "\(alias).\($0)" }
            )
        case .joinTable(let join):
            scopes.append(
                KeyPathSQL(
                    schema, destination, alias: alias + "d",
                    keyColumn: "\(alias).\(join.destinationColumn)"))
            note([join.relationship.name], links: alias)
            let order = join.isReflexive ? nil : join.orderColumn
            var links = SQLFragment("\(join.pairs) \(alias)")
            links.joinTables = schema.deferrable(join)
            return (
                links, "\(alias).\(join.ownerColumn)", scopes.count - 1,
                order.map { "\(alias).\($0)" }
            )
        }
    }

    /// Compiles a condition or a value of the elements, and records whether it reads outer objects.
    mutating func inside<R>(
        _ elements: inout ElementsSQL,
        _ body: (inout PredicateSQL) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var outer = touched
        touched = []
        let result = try body(&self)
        // The scopes of the elements are internal, so the enclosing query does not need them.
        let around = touched.filter { $0 < elements.firstScope }
        if !around.isEmpty { elements.isCorrelated = true }
        outer.formUnion(around)
        touched = outer
        return result
    }

    /// Returns the value of the elements.
    mutating func value(of elements: ElementsSQL) throws(StoreError) -> SQLOperand {
        try value(of: elements.tail, in: elements.scope)
    }

    /// Returns `FROM … WHERE …` for the elements of one object of the enclosing query.
    ///
    /// Call it after compiling everything about the elements, because that adds joins.
    func rows(
        _ elements: ElementsSQL, and more: [SQLFragment] = []
    ) -> SQLFragment {
        let own = SQLFragment("\(elements.owner) = ") + elements.ownerKey
        // The links lead to few rows. Without statistics, SQLite may prefer another column's index
        // and read half of the table for each object. A unary plus hides that index.
        let others = (elements.conditions + more).map { "+(" + $0 + ")" }
        return "FROM " + elements.from + scopes[elements.scope].joins + " WHERE "
            + ([own] + others).joined(separator: " AND ")
    }

    /// Returns `FROM … WHERE …` for the elements of all objects.
    ///
    /// - Parameter isScan: Whether to prevent the use of indexes. Looking up half of a table's rows
    ///   in the order of an index takes twice as long as scanning all rows.
    func allRows(
        _ elements: ElementsSQL, and more: [SQLFragment] = [], isScan: Bool = false
    ) -> SQLFragment {
        let owned = SQLFragment("\(isScan ? "+" : "")\(elements.owner) IS NOT NULL")
        let others = elements.conditions + more
        return "FROM " + elements.from + scopes[elements.scope].joins + " WHERE "
            + ([owned] + (isScan ? others.map { "+(" + $0 + ")" } : others))
            .joined(separator: " AND ")
    }

    /// Returns whether the elements are rows of one table that also contains the key of their
    /// owner.
    func isTable(_ elements: ElementsSQL) -> Bool {
        elements.scope == elements.firstScope && scopes[elements.scope].joins.isEmpty
    }
}
