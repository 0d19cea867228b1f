public import GraphModel

/// Methods that build requests from a class's keys; each returns a new request.
///
/// ```swift
/// let urgent = Task.request.where(\.priority > 1).sort(\.dueOn).sort(\.category.name)
/// ```
extension FetchRequest {
    /// Adds a predicate: `Task.request.where(\.title == "x")`.
    public func `where`(_ predicate: TypedPredicate<Object>) -> Self {
        self.where(predicate.predicate)
    }

    /// Adds a predicate: `Task.request.where { $0.title.contains("x") }`.
    public func `where`(_ predicate: (ObjectKeys<Object>) -> GraphPredicate) -> Self {
        self.where(TypedPredicate(predicate))
    }

    /// Adds a sort by an attribute, after the existing sort descriptors.
    public func sort<Value>(
        _ attribute: KeyPath<ObjectKeys<Object>, Key<Value>>, ascending: Bool = true,
        textOrder: GraphSortDescriptor.TextOrder = .binary,
        nullOrder: GraphSortDescriptor.NullOrder? = nil
    ) -> Self {
        sort(
            by: GraphSortDescriptor(
                ObjectKeys()[keyPath: attribute].names, ascending: ascending,
                textOrder: textOrder, nullOrder: nullOrder))
    }

    /// Prefetches the objects of a to-one.
    public func prefetch<Destination>(
        _ relationship: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>
    ) -> Self {
        prefetch(ObjectKeys()[keyPath: relationship].path.name)
    }

    /// Prefetches the objects of a to-many.
    public func prefetch<Destination>(
        _ relationship: KeyPath<ObjectKeys<Object>, ToManyPath<Destination>>
    ) -> Self {
        prefetch(ObjectKeys()[keyPath: relationship].path.name)
    }
}
