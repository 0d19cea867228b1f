public import GraphModel

/// Requests put together with a class's keys; each call gives a new request.
///
/// ```swift
/// let urgent = Task.request.where(\.priority > 1).sort(\.dueOn).sort(\.category.name)
/// ```
extension FetchRequest {
    /// Only what also meets the predicate: `Task.request.where(\.title == "x")`.
    public func `where`(_ predicate: TypedPredicate<Object>) -> Self {
        var request = self
        request.predicate = self.predicate.map { $0 && predicate.predicate } ?? predicate.predicate
        return request
    }

    /// Only what also meets the predicate: `Task.request.where { $0.title.contains("x") }`.
    public func `where`(_ predicate: (ObjectKeys<Object>) -> GraphPredicate) -> Self {
        self.where(TypedPredicate(predicate))
    }

    /// Ordered by an attribute, after the orders that were given before.
    public func sort<Value>(
        _ attribute: KeyPath<ObjectKeys<Object>, Key<Value>>, ascending: Bool = true,
        textOrder: GraphSortDescriptor.TextOrder = .binary,
        nullOrder: GraphSortDescriptor.NullOrder? = nil
    ) -> Self {
        var request = self
        request.sortDescriptors.append(
            GraphSortDescriptor(
                ObjectKeys()[keyPath: attribute].names, ascending: ascending,
                textOrder: textOrder, nullOrder: nullOrder))
        return request
    }

    /// With the objects of a to-one read along.
    public func prefetch<Destination>(
        _ relationship: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>
    ) -> Self {
        prefetching(ObjectKeys()[keyPath: relationship].path.name)
    }

    /// With the objects of a to-many read along.
    public func prefetch<Destination>(
        _ relationship: KeyPath<ObjectKeys<Object>, ToManyPath<Destination>>
    ) -> Self {
        prefetching(ObjectKeys()[keyPath: relationship].path.name)
    }

    private func prefetching(_ keyPath: String) -> Self {
        var request = self
        request.relationshipKeyPathsForPrefetching.append(keyPath)
        return request
    }
}
