public import GraphModel

/// Methods that return a modified copy of a request.
///
/// ```swift
/// let urgent = try Todo.request.where("priority > %d", 3).sort("due").limit(50)
/// ```
extension FetchRequest {
    private func with(_ change: (inout Self) -> Void) -> Self {
        var request = self
        change(&request)
        return request
    }

    /// Also requires a condition.
    public func `where`(_ condition: GraphPredicate) -> Self {
        with { $0.predicate = $0.predicate.map { $0 && condition } ?? condition }
    }

    /// Also requires a condition, in the predicate format of `NSPredicate`.
    public func `where`(
        _ format: String, _ arguments: any GraphPredicateArgument...
    ) throws(GraphPredicateError) -> Self {
        `where`(try ParsedPredicate(format: format, arguments: arguments).predicate)
    }

    /// Appends sort descriptors.
    public func sort(by descriptors: GraphSortDescriptor...) -> Self {
        with { $0.sortDescriptors += descriptors }
    }

    /// Appends a property or key path to the sort order.
    public func sort(
        _ keyPath: String, ascending isAscending: Bool = true,
        textOrder: GraphSortDescriptor.TextOrder = .binary
    ) -> Self {
        let path = keyPath.keyPath
        return sort(
            by: GraphSortDescriptor(path, ascending: isAscending, textOrder: textOrder))
    }

    /// Appends an attribute to the sort order.
    public func sort<Value>(_ key: AttributeKey<Value>, ascending isAscending: Bool = true) -> Self
    {
        sort(by: GraphSortDescriptor([key.name], ascending: isAscending))
    }

    /// Sets the maximum number of objects; 0 means all.
    public func limit(_ count: Int) -> Self { with { $0.fetchLimit = count } }

    /// Sets the number of objects to skip.
    public func offset(_ count: Int) -> Self { with { $0.fetchOffset = count } }

    /// Sets the number of rows to read at a time.
    public func batches(of count: Int) -> Self { with { $0.fetchBatchSize = count } }

    /// Sets how much of the objects is read.
    public func materialize(_ materialize: Materialize) -> Self {
        with { $0.materialize = materialize }
    }

    /// Also reads relationships, such as `"tags.tasks"`.
    public func prefetch(_ keyPaths: String...) -> Self {
        with { $0.relationshipKeyPathsForPrefetching += keyPaths }
    }

    /// Appends columns to the result.
    public func select(_ columns: ExpressionDescription...) -> Self {
        with { $0.propertiesToFetch += columns }
    }

    /// Returns one row per group of objects with equal values at the key paths.
    public func group(by keyPaths: String...) -> Self {
        with { $0.propertiesToGroupBy += keyPaths }
    }

    /// Also requires a condition on the columns of each group.
    public func having(_ condition: GraphPredicate) -> Self {
        with { $0.havingPredicate = $0.havingPredicate.map { $0 && condition } ?? condition }
    }

    /// Returns equal rows once.
    public func distinct() -> Self { with { $0.returnsDistinctResults = true } }

    /// Sets the value of `$name` in the predicate.
    public func bind(_ name: String, to value: GraphValue) -> Self {
        with { $0.variables[name] = value }
    }
}
