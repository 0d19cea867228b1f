public import GraphModel

/// A predicate over a class's own properties, written with key paths.
///
/// ```swift
/// Task.request.where(\.title == "milk" && \.priority > 1 || \.category.name == nil)
/// ```
/// For conditions that key paths and operators cannot express, use the keys themselves:
/// `TypedPredicate { $0.title.contains("milk", [.c]) && $0.tags.count > 2 }`.
public struct TypedPredicate<Object: ManagedObject>: Sendable {
    /// The untyped predicate.
    public let predicate: GraphPredicate

    /// Creates a typed predicate from an untyped one.
    public init(_ predicate: GraphPredicate) {
        self.predicate = predicate
    }

    /// Creates a predicate from the class's keys.
    public init(_ body: (ObjectKeys<Object>) -> GraphPredicate) {
        predicate = body(ObjectKeys())
    }

    /// Returns a predicate that is true if both predicates are true.
    public static func && (left: Self, right: Self) -> Self {
        Self(left.predicate && right.predicate)
    }

    /// Returns a predicate that is true if at least one predicate is true.
    public static func || (left: Self, right: Self) -> Self {
        Self(left.predicate || right.predicate)
    }

    /// Returns a predicate that is true if the given predicate is false.
    public static prefix func ! (predicate: Self) -> Self {
        Self(!predicate.predicate)
    }
}

/// Returns a predicate that is true if the values are equal.
public func == <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] == right)
}

/// Returns a predicate that is true if the values differ, including if only the property is nil.
public func != <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] != right)
}

/// Returns a predicate that is true if the left value is smaller.
public func < <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] < right)
}

/// Returns a predicate that is true if the left value is smaller or equal.
public func <= <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] <= right)
}

/// Returns a predicate that is true if the left value is greater.
public func > <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] > right)
}

/// Returns a predicate that is true if the left value is greater or equal.
public func >= <Object, Value: GraphPredicateArgument>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: Value
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] >= right)
}

// MARK: Two properties

/// Returns a predicate that is true if the properties are equal.
public func == <Object, Left: ComparableValue, Right: ComparableValue>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedPredicate<Object> where Left.Comparand == Right.Comparand {
    TypedPredicate(ObjectKeys()[keyPath: left] == ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the properties differ.
public func != <Object, Left: ComparableValue, Right: ComparableValue>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedPredicate<Object> where Left.Comparand == Right.Comparand {
    TypedPredicate(ObjectKeys()[keyPath: left] != ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the left property is smaller.
public func < <Object, Left: ComparableValue, Right: ComparableValue>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedPredicate<Object> where Left.Comparand == Right.Comparand {
    TypedPredicate(ObjectKeys()[keyPath: left] < ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the left property is smaller or equal.
public func <= <Object, Left: ComparableValue, Right: ComparableValue>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedPredicate<Object> where Left.Comparand == Right.Comparand {
    TypedPredicate(ObjectKeys()[keyPath: left] <= ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the left property is greater.
public func > <Object, Left: ComparableValue, Right: ComparableValue>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedPredicate<Object> where Left.Comparand == Right.Comparand {
    TypedPredicate(ObjectKeys()[keyPath: left] > ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the left property is greater or equal.
public func >= <Object, Left: ComparableValue, Right: ComparableValue>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedPredicate<Object> where Left.Comparand == Right.Comparand {
    TypedPredicate(ObjectKeys()[keyPath: left] >= ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the destination objects are the same.
public func == <Object, Destination>(
    left: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>,
    right: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] == ObjectKeys()[keyPath: right])
}

/// Returns a predicate that is true if the destination objects differ.
public func != <Object, Destination>(
    left: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>,
    right: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] != ObjectKeys()[keyPath: right])
}

// MARK: Destination objects

/// Returns a predicate for a destination object, or for no destination if it is `nil`.
public func == <Object, Destination>(
    left: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>, right: Destination?
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] == right)
}

/// Returns a predicate for any destination other than the given one.
public func != <Object, Destination>(
    left: KeyPath<ObjectKeys<Object>, ToOnePath<Destination>>, right: Destination?
) -> TypedPredicate<Object> {
    TypedPredicate(ObjectKeys()[keyPath: left] != right)
}
