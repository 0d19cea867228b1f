public import GraphModel

/// The properties of a class as predicates and orders name them, each with its type.
///
/// The code generator writes an extension for each class, which its subclasses share:
/// ```swift
/// extension ObjectKeys where KeyedObject: Task {
///     var title: Key<String> { Key("title") }
///     var category: ToOnePath<Category> { ToOnePath("category") }
/// }
/// ```
/// So `\.title == "x"` and `\.category.name == "home"` are predicates for a request of tasks, and
/// `\.title == 5` does not compile.
public struct ObjectKeys<KeyedObject: ManagedObject>: Sendable {
    /// Creates the keys, which hold nothing.
    public init() {}
}

/// A to-one relationship, or a path of them, in predicates and orders; gives the keys beyond it.
@dynamicMemberLookup
public struct ToOnePath<Destination: ManagedObject>: Sendable {
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

    /// An attribute of the object at the other end.
    public subscript<Value>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, Key<Value>>
    ) -> Key<Value> {
        path.appending(ObjectKeys()[keyPath: key])
    }

    /// A to-one of the object at the other end.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToOnePath<Next>>
    ) -> ToOnePath<Next> {
        ToOnePath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// A to-many of the object at the other end.
    public subscript<Next>(
        dynamicMember key: KeyPath<ObjectKeys<Destination>, ToManyPath<Next>>
    ) -> ToManyPath<Next> {
        ToManyPath<Next>(path.appending(ObjectKeys()[keyPath: key].path))
    }

    /// Leads nowhere.
    public var isNil: GraphPredicate { path.isNil }

    /// Leads somewhere.
    public var isNotNil: GraphPredicate { path.isNotNil }

    /// Leads to that object, or nowhere where it is nil.
    public static func == (left: Self, right: Destination?) -> GraphPredicate {
        left.key == right?.objectID
    }

    /// Leads elsewhere.
    public static func != (left: Self, right: Destination?) -> GraphPredicate {
        left.key != right?.objectID
    }

    /// Leads to one of the objects.
    public func `in`(_ objects: [Destination]) -> GraphPredicate {
        key.in(objects.map(\.objectID))
    }

    /// Leads to one of the objects that the references name.
    public func `in`(_ references: [Ref<Destination>]) -> GraphPredicate {
        key.in(references.map(\.id))
    }
}
