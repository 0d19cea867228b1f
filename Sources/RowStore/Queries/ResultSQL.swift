import GraphModel

/// The SELECT of a request for values of objects or of groups.
///
/// A subquery forms the groups. The outer query filters them, so `having` and the sort order can
/// refer to columns by name:
/// `SELECT r.c0, r.c1 FROM (SELECT min(t.Z_PK) AS Z_PK, … AS c0 … GROUP BY c0) r WHERE … ORDER BY …`.
package struct ResultSQL {
    /// A column of the result.
    package struct Column {
        /// The name of the column in the result.
        package var name: String
        /// The type of its values.
        package var type: SQLType
        /// The attribute whose values it has; `nil` for computed values and objects.
        package var attribute: AttributeDescription?
        /// The index of the column with the `Z_ENT` of objects, if they may have several entities.
        package var entityPlace: Int32?
        /// The `Z_ENT` of objects otherwise.
        package var entityNumber: Int64 = 0
        /// The index of the column in the rows of the SELECT.
        package var place: Int32 = 0
    }

    private let request: Request
    private let schema: StoreLayout
    private let entity: StoreLayout.Entity
    /// The columns of the result.
    package private(set) var columns: [Column] = []
    /// The SELECT.
    package private(set) var fragment = SQLFragment("")

    /// The parts of a fetch request that determine the SELECT.
    package struct Request {
        var entityName: String
        var predicate: GraphPredicate?
        var variables: [String: GraphValue]
        var order: [GraphSortDescriptor]
        var limit: Int
        var offset: Int
        var includesSubentities: Bool
        var columns: [ExpressionDescription]
        var groups: [String]
        var having: GraphPredicate?
        var isDistinct: Bool

        /// Creates a request.
        package init(
            entityName: String, predicate: GraphPredicate?, variables: [String: GraphValue],
            order: [GraphSortDescriptor], limit: Int, offset: Int, includesSubentities: Bool,
            columns: [ExpressionDescription], groups: [String], having: GraphPredicate?,
            isDistinct: Bool
        ) {
            self.entityName = entityName
            self.predicate = predicate
            self.variables = variables
            self.order = order
            self.limit = limit
            self.offset = offset
            self.includesSubentities = includesSubentities
            self.columns = columns
            self.groups = groups
            self.having = having
            self.isDistinct = isDistinct
        }
    }

    /// Builds the SELECT of a request.
    package init(_ request: Request, _ schema: StoreLayout) throws(StoreError) {
        let entity = try schema.requiredEntity(named: request.entityName)
        try schema.requireTable(entity)
        guard request.limit >= 0, request.offset >= 0 else {
            throw StoreError(.invalidRequest, "The limit and the offset must not be negative")
        }
        var request = request
        if request.columns.isEmpty {
            request.columns =
                request.groups.isEmpty
                ? (schema.model.attributes(of: entity.name).map(\.name)
                    + schema.model.relationships(of: entity.name).map(\.name))
                    .filter { entity.attributes[$0] != nil || entity.toOnes[$0] != nil }
                    .map { ExpressionDescription($0) }
                : request.groups.map { ExpressionDescription($0) }
        }
        self.request = request
        self.schema = schema
        self.entity = entity
        try check()
        var select = try isGrouped ? grouped() : plain()
        select.clauses.take(
            request.limit > 0 ? request.limit : nil, from: request.offset, isBound: true)
        fragment = select.statement.fragment
    }

    private var hasFunctions: Bool { request.columns.contains { $0.function != nil } }

    private var isGrouped: Bool {
        hasFunctions || !request.groups.isEmpty || request.isDistinct
    }

    private func check() throws(StoreError) {
        var seen: Set<String> = []
        for column in request.columns where !seen.insert(column.name).inserted {
            throw StoreError(.invalidRequest, "Two columns are named '\(column.name)'")
        }
        guard request.having == nil || !request.groups.isEmpty else {
            throw StoreError(
                .invalidRequest, "havingPredicate judges groups, so propertiesToGroupBy is needed")
        }
        guard hasFunctions || !request.groups.isEmpty else { return }
        let groups = Set(request.groups)
        for column in request.columns where column.function == nil {
            let isObject = column.expression == .evaluatedObject
            let looksAt =
                isObject ? [[ObjectNumber.key]] : column.expression.keyPaths
            guard looksAt.allSatisfy({ groups.contains($0.joined(separator: ".")) }) else {
                throw StoreError(
                    .invalidRequest,
                    "'\(column.name)' is neither a grouping property nor an aggregate")
            }
        }
    }

    // MARK: Columns

    /// Returns a column's SQL over the objects, and adds the column to `columns`.
    private mutating func operand(
        _ description: ExpressionDescription, _ compiler: inout PredicateSQL
    ) throws(StoreError) -> SQLOperand {
        let expression: GraphExpression
        do {
            expression = try description.expression.resolved(
                for: entity.name, in: schema.model, variables: request.variables)
        } catch {
            throw StoreError(.invalidRequest, error.rendered)
        }
        let operand = try compiler.operand(expression)
        guard let function = description.function else {
            var column = Column(name: description.name, type: operand.type)
            column.attribute = attribute(of: expression)
            columns.append(column)
            return operand
        }
        let made = try Self.aggregate(function, operand, expression, description)
        columns.append(Column(name: description.name, type: made.type))
        return made
    }

    /// Returns the attribute at the end of a key path.
    private func attribute(of expression: GraphExpression) -> AttributeDescription? {
        guard case .keyPath(let path) = expression else { return nil }
        var here: StoreLayout.Entity? = entity
        for name in path.dropLast() {
            let destination = here?.toOnes[name]?.relationship.destinationEntityName
            here = destination.flatMap { schema.entity(named: $0) }
        }
        return path.last.flatMap { here?.attributes[$0]?.attribute }
    }

    private static func aggregate(
        _ function: ExpressionDescription.Function, _ value: SQLOperand,
        _ expression: GraphExpression, _ description: ExpressionDescription
    ) throws(StoreError) -> SQLOperand {
        let each = description.isDistinct ? "DISTINCT " : ""
        let isWhole = value.type.bounds != nil
        switch function {
        case .count:
            let sql =
                expression == .evaluatedObject
                ? SQLFragment("count(*)") : "count(\(each)" + value.sql + ")"
            return SQLOperand(sql, .integer(0...Int64(UInt32.max)))
        case .sum, .average:
            guard value.type.isNumeric || value.type == .null else {
                throw StoreError(
                    .invalidRequest, "'\(description.name)': only numbers have a sum or a mean")
            }
            // Integral decimals are stored as integers.
            let number =
                isWhole || value.type == .decimal ? value.sql : "CAST(" + value.sql + " AS REAL)"
            let name = function == .sum ? NumberAggregates.sum : NumberAggregates.average
            return SQLOperand(
                "\(name)(\(each)" + number + ")",
                function == .sum && isWhole ? .anyInteger : .double)
        case .minimum, .maximum:
            guard value.type != .opaque, !value.type.isObject else {
                throw StoreError(
                    .invalidRequest, "'\(description.name)': these values have no order")
            }
            let name = function == .minimum ? "min" : "max"
            return SQLOperand("\(name)(" + value.collated.sql + ")", value.type)
        }
    }

    /// Returns SQL for the `Z_ENT` of a column's objects; `nil` if they have one entity.
    private mutating func entityColumn(
        _ value: SQLFragment, _ position: Int
    ) -> SQLFragment? {
        guard case .object(let root) = columns[position].type,
            let family = schema.entity(number: root)
        else { return nil }
        columns[position].entityNumber = root
        guard family.familyNumbers.count > 1 else { return nil }
        return "(SELECT e.Z_ENT FROM \(family.table) e WHERE e.Z_PK = " + value + ")"
    }

    // MARK: Selects

    private func resolved(_ predicate: GraphPredicate) throws(StoreError) -> GraphPredicate {
        do {
            return try predicate.resolved(
                for: entity.name, in: schema.model, variables: request.variables)
        } catch {
            throw StoreError(.invalidRequest, error.rendered)
        }
    }

    private func keepObjects(in select: inout EntitySelect) throws(StoreError) {
        let predicate = try request.predicate.map(resolved)
        if request.includesSubentities {
            try select.keep(predicate)
        } else {
            try select.keep(predicate, withSubentities: false)
        }
    }

    private mutating func plain() throws(StoreError) -> EntitySelect {
        var select = EntitySelect(entity, in: schema)
        try select.sort(by: request.order)
        var selected: [SQLFragment] = []
        for (position, description) in request.columns.enumerated() {
            let value = try operand(description, &select.compiler).sql
            columns[position].place = Int32(selected.count)
            selected.append(value)
            if let number = entityColumn(value, position) {
                columns[position].entityPlace = Int32(selected.count)
                selected.append(number)
            }
        }
        select.clauses.columns = selected
        try keepObjects(in: &select)
        return select
    }

    private mutating func grouped() throws(StoreError) -> EntitySelect {
        var select = EntitySelect(entity, in: schema)
        var inner = [SQLFragment("min(t.Z_PK) AS Z_PK")]
        var outer: [String] = []
        for (position, description) in request.columns.enumerated() {
            let value = try operand(description, &select.compiler).sql
            let alias = "c\(position)"
            inner.append(value + " AS \(alias)")
            if description.function == nil { select.clauses.groups.append(alias) }
            columns[position].place = Int32(outer.count)
            outer.append("r.\(alias)")
            if let number = entityColumn(SQLFragment("r.\(alias)"), position) {
                columns[position].entityPlace = Int32(outer.count)
                outer.append(number.sql)
            }
        }
        for (number, path) in request.groups.enumerated() {
            let shown = columns.count
            let value = try operand(ExpressionDescription(path), &select.compiler).sql
            columns.removeLast(columns.count - shown)
            inner.append(value + " AS g\(number)")
            select.clauses.groups.append("g\(number)")
        }
        select.clauses.columns = inner
        try keepObjects(in: &select)
        return try filtered(select.statement.fragment, outer)
    }

    /// Returns the SELECT of the groups that meet `having`, in order.
    private func filtered(
        _ groups: SQLFragment, _ selected: [String]
    ) throws(StoreError) -> EntitySelect {
        let judge = try HavingFilter(columns, schema)
        var select = EntitySelect(judge.entity, in: schema, rows: "(" + groups + ")", alias: "r")
        select.clauses.columns = selected.map { SQLFragment($0) }
        select.clauses.isDistinct = request.isDistinct && !request.groups.isEmpty
        try select.sort(by: judge.order(request.order))
        if let having = request.having {
            let having = try judge.resolved(having, request.variables)
            select.keep(try select.compiler.condition(having))
        }
        return select
    }
}
