public import GraphModel

/// A request is a value: each of these gives another one.
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

    /// Only objects that meet this condition, too.
    public func `where`(_ condition: GraphPredicate) -> Self {
        with { $0.predicate = $0.predicate.map { $0 && condition } ?? condition }
    }

    /// Only objects that meet this condition, too, in `NSPredicate`'s language.
    public func `where`(
        _ format: String, _ arguments: any GraphPredicateArgument...
    ) throws(GraphPredicateError) -> Self {
        `where`(try ParsedPredicate(format: format, arguments: arguments).predicate)
    }

    /// In this order, after what was said of it before.
    public func sort(by descriptors: GraphSortDescriptor...) -> Self {
        with { $0.sortDescriptors += descriptors }
    }

    /// By this property, or path to one, after what was said of the order before.
    public func sort(
        _ keyPath: String, ascending isAscending: Bool = true,
        textOrder: GraphSortDescriptor.TextOrder = .binary
    ) -> Self {
        let path = keyPath.keyPath
        return sort(
            by: GraphSortDescriptor(path, ascending: isAscending, textOrder: textOrder))
    }

    /// By this attribute, after what was said of the order before.
    public func sort<Value>(_ key: AttributeKey<Value>, ascending isAscending: Bool = true) -> Self
    {
        sort(by: GraphSortDescriptor([key.name], ascending: isAscending))
    }

    /// At most so many; 0 is no limit.
    public func limit(_ count: Int) -> Self { with { $0.fetchLimit = count } }

    /// So many are left out at the start.
    public func offset(_ count: Int) -> Self { with { $0.fetchOffset = count } }

    /// Rows are read so many at a time.
    public func batches(of count: Int) -> Self { with { $0.fetchBatchSize = count } }

    /// So much of the objects is read.
    public func materialise(_ materialise: Materialise) -> Self {
        with { $0.materialise = materialise }
    }

    /// Relationships are read along, such as `"tags.tasks"`.
    public func prefetch(_ keyPaths: String...) -> Self {
        with { $0.relationshipKeyPathsForPrefetching += keyPaths }
    }

    /// These columns, or properties, only.
    public func select(_ columns: ExpressionDescription...) -> Self {
        with { $0.propertiesToFetch += columns }
    }

    /// One row for all objects that have the same values here.
    public func group(by keyPaths: String...) -> Self {
        with { $0.propertiesToGroupBy += keyPaths }
    }

    /// Only groups whose columns meet this condition, too.
    public func having(_ condition: GraphPredicate) -> Self {
        with { $0.havingPredicate = $0.havingPredicate.map { $0 && condition } ?? condition }
    }

    /// Equal rows come once.
    public func distinct() -> Self { with { $0.returnsDistinctResults = true } }

    /// The value of `$name` in the predicate.
    public func bind(_ name: String, to value: GraphValue) -> Self {
        with { $0.variables[name] = value }
    }
}
