public import GraphModel

/// A to-many relationship in predicates: `\.tags.any.name == "home"`, `$0.tags.count > 2`.
@dynamicMemberLookup
public struct ToManyPath<Destination: ManagedObject>: Sendable {
    let path: Key<Destination>

    /// A relationship by its name.
    public init(_ name: String) {
        path = Key(name)
    }

    init(_ path: Key<Destination>) {
        self.path = path
    }

    /// The same without the type.
    public var key: GraphKey { path.key }

    /// For one object at least.
    public var any: ToManyPath { ToManyPath(path.any) }

    /// For every object.
    public var all: ToManyPath { ToManyPath(path.all) }

    /// For no object.
    public var none: ToManyPath { ToManyPath(path.none) }

    /// How many objects there are.
    public var count: GraphComputed { path.count }

    /// There is no object.
    public var isEmpty: GraphPredicate { path.count == 0 }

    /// The object is among those at the other end.
    public func contains(_ object: Destination) -> GraphPredicate {
        key.contains(object.objectID)
    }

    /// An attribute of the objects at the other end.
    public subscript<Value>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> Key<Value> {
        path.appending(ObjectKeys()[keyPath: key])
    }

    /// A to-one of the objects at the other end.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToOnePath<Next>>
    ) -> ToOnePath<Next> {
        ToOnePath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// A to-many of the objects at the other end.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToManyPath<Next>>
    ) -> ToManyPath<Next> {
        ToManyPath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// The sum of an attribute of the objects.
    public func sum<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.sum(ObjectKeys()[keyPath: attribute].name)
    }

    /// The mean of an attribute of the objects.
    public func average<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.average(ObjectKeys()[keyPath: attribute].name)
    }

    /// The smallest of an attribute of the objects.
    public func minimum<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.minimum(ObjectKeys()[keyPath: attribute].name)
    }

    /// The largest of an attribute of the objects.
    public func maximum<Value>(
        _ attribute: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> GraphComputed {
        key.maximum(ObjectKeys()[keyPath: attribute].name)
    }
}

extension Key {
    /// The keys on the way, outermost first.
    var names: [String] {
        guard case .keyPath(let names) = key.graphExpression else { return [] }
        return names
    }

    /// The keys as text.
    var name: String { names.joined(separator: ".") }
}
