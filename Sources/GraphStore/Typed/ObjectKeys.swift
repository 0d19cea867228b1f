public import GraphModel

/// The typed properties of a class, for predicates and sort descriptors.
///
/// The code generator writes an extension for each class, which subclasses inherit:
/// ```swift
/// extension ObjectKeys where KeyedObject: Task {
///     var title: Key<String> { Key("title") }
///     var category: ToOnePath<Category> { ToOnePath("category") }
/// }
/// ```
/// With these keys, `\.title == "x"` and `\.category.name == "home"` are predicates for a request
/// of tasks, and `\.title == 5` does not compile.
public struct ObjectKeys<KeyedObject: ManagedObject>: Sendable {
    /// Creates the keys.
    public init() {}
}

/// A to-one relationship, or a path of to-ones, whose members are the keys of its destination.
@dynamicMemberLookup
public struct ToOnePath<Destination: ManagedObject>: Sendable {
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

    /// Returns an attribute of the destination object.
    public subscript<Value>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> Key<Value> {
        path.appending(ObjectKeys()[keyPath: key])
    }

    /// Returns a to-one of the destination object.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToOnePath<Next>>
    ) -> ToOnePath<Next> {
        ToOnePath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// Returns a to-many of the destination object.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToManyPath<Next>>
    ) -> ToManyPath<Next> {
        ToManyPath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// A predicate that is true if there is no destination object.
    public var isNil: GraphPredicate { path.isNil }

    /// A predicate that is true if there is a destination object.
    public var isNotNil: GraphPredicate { path.isNotNil }

    /// Returns a predicate for a destination object, or for no destination if it is `nil`.
    public static func == (left: Self, right: Destination?) -> GraphPredicate {
        left.key == right?.objectID
    }

    /// Returns a predicate for any destination other than the given one.
    public static func != (left: Self, right: Destination?) -> GraphPredicate {
        left.key != right?.objectID
    }

    /// Returns a predicate that is true if both paths have the same destination.
    public static func == (left: Self, right: Self) -> GraphPredicate { left.key == right.key }

    /// Returns a predicate that is true if the paths have different destinations.
    public static func != (left: Self, right: Self) -> GraphPredicate { left.key != right.key }

    /// Returns a predicate that is true if the destination is among those of a to-many.
    public func `in`(_ objects: ToManyPath<Destination>) -> GraphPredicate {
        key.in(objects.key)
    }

    /// Returns a predicate that is true if the destination is one of the objects.
    public func `in`(_ objects: [Destination]) -> GraphPredicate {
        key.in(objects.map(\.objectID))
    }

    /// Returns a predicate that is true if the destination is one of the referenced objects.
    public func `in`(_ references: [Ref<Destination>]) -> GraphPredicate {
        key.in(references.map(\.id))
    }
}
