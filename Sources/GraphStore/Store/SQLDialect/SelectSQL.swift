import GraphModel

/// The SELECT of a request for rows: `Z_PK` first, then its columns.
struct SelectSQL {
    let fragment: SQLFragment
    /// The number of rows, whatever the limit.
    let counting: SQLFragment
    /// The terms of the ORDER BY.
    let order: [String]
    /// What the aliases stand for.
    let sources: [String: SQLSource]

    /// - Parameters:
    ///   - predicate: the request's, resolved.
    ///   - columns: the key paths to select.
    init(
        _ request: RowRequest, of entity: StoreLayout.Entity, where predicate: GraphPredicate?,
        columns: [[String]], _ schema: StoreLayout
    ) throws(StoreError) {
        var paths = KeyPathSQL(schema, entity, style: .joins)
        let wanted =
            request.order.isEmpty
            ? schema.key(of: entity.name).map { GraphSortDescriptor([$0]) }
            : request.order.map { $0.folded(for: entity.name, in: schema.model) }
        order = try OrderSQL(wanted, &paths).terms
        var selected = [paths.key]
        for column in columns { selected.append(try paths.shownColumn(column)) }
        var compiler = PredicateSQL(paths)
        var conditions: [SQLFragment] = []
        if let family = entity.familyFilter(alias: "t.") {
            conditions.append(SQLFragment(family))
        }
        if let predicate { conditions.append(try compiler.condition(predicate)) }
        let filter =
            conditions.isEmpty
            ? SQLFragment("") : " WHERE " + conditions.joined(separator: " AND ")
        let source = SQLFragment(" FROM \(entity.table) t\(compiler.joins)") + filter
        counting = "SELECT count(*)" + source
        var fragment =
            "SELECT \(selected.joined(separator: ", "))" + source
            + " ORDER BY \(order.joined(separator: ", "))"
        if request.limit != nil || request.offset > 0 {
            // https://www.sqlite.org/lang_select.html#limitoffset: below zero is no limit.
            let limit = Int64(request.limit ?? -1)
            fragment =
                fragment
                + SQLFragment(
                    " LIMIT ? OFFSET ?", [.integer(limit), .integer(Int64(request.offset))])
        }
        self.fragment = fragment
        sources = compiler.sources
    }

    /// Whether rows come in the order of their table.
    var isTableOrder: Bool { order == ["t.Z_PK"] }
}

/// What an alias in a statement stands for.
struct SQLSource: Hashable {
    /// The entity whose objects its rows are, or which its links lead to.
    var entity: String
    /// The key path by which the object asked for, or an element, leads to it; empty for itself.
    var path: [String]
    /// Whether its rows are links, in a table of pairs.
    var isLink = false
}
