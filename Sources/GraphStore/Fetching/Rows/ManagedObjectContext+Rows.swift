public import GraphModel
import SQLite

/// Fetching values instead of objects.
extension ManagedObjectContext {
    /// Returns the rows of a request's columns, one for each object or group.
    ///
    /// The rows contain saved values, without pending changes of this context. A to-one
    /// relationship yields the ID of its object; a to-many is an error. If `propertiesToFetch` is
    /// empty, the columns are the grouping properties, or else all stored attributes and to-ones.
    /// Groups can be sorted only by columns of the result.
    public func rows<Object>(_ request: FetchRequest<Object>) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        try forEachRow(request) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// Returns the rows as values of a type whose property names match the columns.
    public func rows<Object, Value: Decodable>(
        _ request: FetchRequest<Object>, as type: Value.Type
    ) throws -> [Value] {
        try rows(request).map { try $0.decode(type) }
    }

    /// Calls the body with each row in constant memory, until it returns `false`.
    ///
    /// The body must not save in this context.
    public func forEachRow<Object>(
        _ request: FetchRequest<Object>, _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let select = try ResultSQL(ResultSQL.Request(request), container.schema)
        let reader = try objectReader()
        let header = Row.Header(select.columns.map(\.name))
        statistics.fetches += 1
        let statement = try select.fragment.prepare(on: reader.connection)
        while try statement.step() {
            let values = try select.columns.map { column throws(StoreError) in
                try column.value(in: statement, container.externalFiles, self.rows.unwritten)
            }
            statistics.rowsRead += 1
            guard try body(Row(header: header, values: values)) else { return }
        }
    }

    /// Returns a sum, mean, minimum, maximum, or count over the objects of a request.
    ///
    /// Like `rows`, it uses saved values. The request's limit, order, and columns are ignored.
    public func aggregate<Object, Value>(
        _ request: FetchRequest<Object>, _ aggregate: AggregateExpression<Value>
    ) throws(StoreError) -> Value? {
        let whole = request.forAggregates([aggregate.column])
        return AggregateResults(try rows(whole).first).next(aggregate)
    }

    /// Returns several sums, means, minimums, maximums, or counts at once.
    ///
    /// ```swift
    /// let (total, count) = try context.aggregate(
    ///     Todo.request.where("isDone == NO"), .sum(Todo.Keys.number), .count())
    /// ```
    /// Like `rows`, it uses saved values. The request's limit, order, and columns are ignored.
    public func aggregate<Object, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ aggregates: repeat AggregateExpression<each Value>
    ) throws(StoreError) -> (repeat (each Value)?) {
        var columns: [ExpressionDescription] = []
        for aggregate in repeat each aggregates { columns.append(aggregate.column) }
        let results = AggregateResults(try rows(request.forAggregates(columns)).first)
        return (repeat results.next(each aggregates))
    }
}

/// A function over the values of all objects of a request, with its Swift type.
public struct AggregateExpression<Value: AttributeValue>: Sendable {
    let column: ExpressionDescription

    private init(_ function: ExpressionDescription.Function, _ expression: GraphExpression) {
        column = ExpressionDescription(name: function.rawValue, function, of: expression)
    }

    /// Returns the sum of an attribute; 0 without objects.
    public static func sum(_ key: AttributeKey<Value>) -> Self {
        Self(.sum, .keyPath([key.name]))
    }

    /// Returns the sum of an expression over all objects.
    public static func sum(of expression: any GraphPredicateArgument) -> Self {
        Self(.sum, expression.graphExpression)
    }

    /// Returns the smallest value of an attribute; `nil` without values.
    public static func minimum(_ key: AttributeKey<Value>) -> Self {
        Self(.minimum, .keyPath([key.name]))
    }

    /// Returns the smallest value of an expression over all objects.
    public static func minimum(of expression: any GraphPredicateArgument) -> Self {
        Self(.minimum, expression.graphExpression)
    }

    /// Returns the largest value of an attribute; `nil` without values.
    public static func maximum(_ key: AttributeKey<Value>) -> Self {
        Self(.maximum, .keyPath([key.name]))
    }

    /// Returns the largest value of an expression over all objects.
    public static func maximum(of expression: any GraphPredicateArgument) -> Self {
        Self(.maximum, expression.graphExpression)
    }
}

extension AggregateExpression where Value == Double {
    /// Returns the mean of an attribute; `nil` without values.
    public static func average<Number>(_ key: AttributeKey<Number>) -> Self {
        Self(.average, .keyPath([key.name]))
    }

    /// Returns the mean of an expression over all objects.
    public static func average(of expression: any GraphPredicateArgument) -> Self {
        Self(.average, expression.graphExpression)
    }
}

extension AggregateExpression where Value == Int {
    /// Counts the objects.
    public static func count() -> Self { Self(.count, .evaluatedObject) }

    /// Counts the objects that have a value.
    public static func count<Other>(_ key: AttributeKey<Other>) -> Self {
        Self(.count, .keyPath([key.name]))
    }
}

/// An iterator over a row's values.
private final class AggregateResults {
    private let row: Row?
    private var position = 0

    init(_ row: Row?) {
        self.row = row
    }

    func next<Value: AttributeValue>(_ aggregate: AggregateExpression<Value>) -> Value? {
        defer { position += 1 }
        return row.flatMap { Value(storedValue: $0[position].stored) }
    }
}

extension FetchRequest {
    /// Returns a request for one row that aggregates all objects.
    fileprivate func forAggregates(_ columns: [ExpressionDescription]) -> Self {
        var request = FetchRequest(
            entityName: entityName, predicate: predicate, variables: variables)
        request.includesSubentities = includesSubentities
        request.propertiesToFetch = columns
        for position in columns.indices { request.propertiesToFetch[position].name = "\(position)" }
        return request
    }
}

extension ResultSQL.Request {
    init<Object>(_ request: FetchRequest<Object>) {
        self.init(
            entityName: request.entityName, predicate: request.predicate,
            variables: request.variables, order: request.sortDescriptors,
            limit: request.fetchLimit, offset: request.fetchOffset,
            includesSubentities: request.includesSubentities,
            columns: request.propertiesToFetch, groups: request.propertiesToGroupBy,
            having: request.havingPredicate, isDistinct: request.returnsDistinctResults)
    }
}

extension ResultSQL.Column {
    /// Returns the column's value in a statement's current row.
    fileprivate func value(
        in statement: Statement, _ files: ExternalFiles, _ unwritten: UnwrittenKeys
    ) throws(StoreError) -> GraphValue {
        if case .object = type {
            guard let id = statement.link(place, entityPlace, entityNumber) else { return .null }
            unwritten.meet(id)
            return .object(id)
        }
        let stored = statement.value(place)
        return GraphValue(
            attribute?.allowsExternalBinaryDataStorage == true
                ? try files.value(of: stored) : stored,
            type)
    }
}

extension GraphValue {
    /// Creates the value of a column of the given type.
    init(_ stored: StoredValue, _ type: SQLType) {
        switch stored {
        case .null: self = .null
        case .integer(let number):
            switch type {
            case .boolean: self = .boolean(number != 0)
            case .date: self = .date(secondsSinceReference: Double(number))
            case .double: self = .double(Double(number))
            default: self = .integer(number)
            }
        case .real(let number):
            self = type == .date ? .date(secondsSinceReference: number) : .double(number)
        case .text(let text): self = .string(text)
        case .blob(let bytes): self = type == .uuid ? .uuid(bytes) : .binary(bytes)
        }
    }
}
