public import GraphModel

/// A predicate over a class's own properties, written with key paths.
///
/// ```swift
/// Task.request.where(\.title == "milk" && \.priority > 1 || \.category.name == nil)
/// ```
/// What operators on key paths cannot say is said with the keys themselves:
/// `TypedPredicate { $0.title.contains("milk", [.c]) && $0.tags.count > 2 }`.
public struct TypedPredicate<Object: ManagedObject>: Sendable {
    /// The tree without the type.
    public let predicate: GraphPredicate

    /// Takes a predicate that was written without types.
    public init(_ predicate: GraphPredicate) {
        self.predicate = predicate
    }

    /// Makes a predicate from the class's keys.
    public init(_ body: (ObjectKeys<Object>) -> GraphPredicate) {
        predicate = body(ObjectKeys())
    }

    /// What meets both.
    public static func && (left: Self, right: Self) -> Self {
        Self(left.predicate && right.predicate)
    }

    /// What meets one of them at least.
    public static func || (left: Self, right: Self) -> Self {
        Self(left.predicate || right.predicate)
    }

    /// What does not meet it.
    public static prefix func ! (predicate: Self) -> Self {
        Self(!predicate.predicate)
    }
}

/// The same value.
public func == <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] == right)
}

/// Not the same value; true where the property is nil and the value is not.
public func != <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] != right)
}

/// Smaller.
public func < <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] < right)
}

/// Smaller or equal.
public func <= <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] <= right)
}

/// Greater.
public func > <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] > right)
}

/// Greater or equal.
public func >= <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] >= right)
}

// MARK: Two properties, one of which may be missing

/// The same value as another property.
public func == <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key == ObjectKeys()[keyPath: right].key)
}

/// The same value as another property.
public func == <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value?>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key == ObjectKeys()[keyPath: right].key)
}

/// The same value as another property.
public func == <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value?>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key == ObjectKeys()[keyPath: right].key)
}

/// Not the same value as another property.
public func != <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key != ObjectKeys()[keyPath: right].key)
}

/// Not the same value as another property.
public func != <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value?>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key != ObjectKeys()[keyPath: right].key)
}

/// Not the same value as another property.
public func != <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value?>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key != ObjectKeys()[keyPath: right].key)
}

/// Smaller than another property.
public func < <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key < ObjectKeys()[keyPath: right].key)
}

/// Smaller than another property.
public func < <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value?>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key < ObjectKeys()[keyPath: right].key)
}

/// Smaller than another property.
public func < <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value?>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key < ObjectKeys()[keyPath: right].key)
}

/// Smaller than another property, or equal.
public func <= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key <= ObjectKeys()[keyPath: right].key)
}

/// Smaller than another property, or equal.
public func <= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value?>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key <= ObjectKeys()[keyPath: right].key)
}

/// Smaller than another property, or equal.
public func <= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value?>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key <= ObjectKeys()[keyPath: right].key)
}

/// Greater than another property.
public func > <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key > ObjectKeys()[keyPath: right].key)
}

/// Greater than another property.
public func > <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value?>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key > ObjectKeys()[keyPath: right].key)
}

/// Greater than another property.
public func > <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value?>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key > ObjectKeys()[keyPath: right].key)
}

/// Greater than another property, or equal.
public func >= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key >= ObjectKeys()[keyPath: right].key)
}

/// Greater than another property, or equal.
public func >= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value?>>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key >= ObjectKeys()[keyPath: right].key)
}

/// Greater than another property, or equal.
public func >= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: KeyPath<ObjectKeys<Object>, Key<Value?>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left].key >= ObjectKeys()[keyPath: right].key)
}

/// Leads to that object, or nowhere where it is nil.
public func == <Object, Destination>(
    left: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>, right: Destination?
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] == right)
}

/// Leads elsewhere.
public func != <Object, Destination>(
    left: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>, right: Destination?
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] != right)
}
