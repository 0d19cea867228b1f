public import GraphModel

/// A to-many relationship in predicates: `\.tags.any.name == "home"`, `$0.tags.count > 2`.
@dynamicMemberLookup
public struct ToManyPath<Destination: ManagedObject>: Sendable {
    let path: Key<Destination>

    /// Creates a path from a relationship's name.
    public init(_ name: String) {
        path = Key(name)
    }

    init(_ path: Key<Destination>) {
        self.path = path
    }

    /// The path without the type.
    public var key: GraphKey { path.key }

    /// The path for a predicate that at least one object must match.
    public var any: ToManyPath { ToManyPath(path.any) }

    /// The path for a predicate that every object must match.
    public var all: ToManyPath { ToManyPath(path.all) }

    /// The path for a predicate that no object may match.
    public var none: ToManyPath { ToManyPath(path.none) }

    /// The number of destination objects.
    public var count: GraphComputed { path.count }

    /// A predicate that is true if there are no destination objects.
    public var isEmpty: GraphPredicate { path.count == 0 }

    /// Returns a predicate that is true if the object is a destination.
    public func contains(_ object: Destination) -> GraphPredicate {
        key.contains(object.objectID)
    }

    /// Returns a predicate that is true if the destination of a to-one is among the objects.
    public func contains(_ object: ToOnePath<Destination>) -> GraphPredicate {
        key.contains(object.key)
    }

    /// Returns an attribute of the destination objects.
    public subscript<Value>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> Key<Value> {
        path.appending(ObjectKeys()[keyPath: key])
    }

    /// Returns a to-one of the destination objects.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToOnePath<Next>>
    ) -> ToOnePath<Next> {
        ToOnePath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// Returns a to-many of the destination objects.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToManyPath<Next>>
    ) -> ToManyPath<Next> {
        ToManyPath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// Returns the sum of an attribute of the destination objects.
    public func sum<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.sum(ObjectKeys()[keyPath: attribute].name)
    }

    /// Returns the average of an attribute of the destination objects.
    public func average<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.average(ObjectKeys()[keyPath: attribute].name)
    }

    /// Returns the minimum of an attribute of the destination objects.
    public func minimum<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.minimum(ObjectKeys()[keyPath: attribute].name)
    }

    /// Returns the maximum of an attribute of the destination objects.
    public func maximum<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.maximum(ObjectKeys()[keyPath: attribute].name)
    }
}

extension Key {
    /// The keys of the path, outermost first.
    var names: [String] {
        guard case .keyPath(let names) = key.graphExpression else { return [] }
        return names
    }

    /// The path as a string.
    var name: String { names.joined(separator: ".") }
}
