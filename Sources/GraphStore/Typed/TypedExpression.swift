public import FoundationEssentials
public import GraphModel

/// A value that a request gives a property, or compares one with: a literal, another property, or
/// arithmetic over them.
///
/// ```swift
/// BatchUpdateRequest(
///     Task.request.where(\.priority + \.bonus > 3),
///     set: [\.priority: \.priority + 1, \.dueOn: .value(tomorrow), \.isCompleted: false])
/// ```
public struct TypedExpression<Object: ManagedObject>: ObjectExpression {
    /// The tree without the type.
    public let graphExpression: GraphExpression

    /// Takes an expression that was written without types.
    public init(_ expression: GraphExpression) {
        graphExpression = expression
    }

    /// A value that is not a literal.
    public static func value(_ value: some GraphPredicateArgument) -> Self {
        Self(value.graphExpression)
    }

    /// The value of another property.
    public static func key<Value>(_ key: KeyPath<ObjectKeys<Object>, Key<Value>>) -> Self {
        Self(ObjectKeys()[keyPath: key].key.graphExpression)
    }

    /// An object, for a to-one relationship.
    public static func object(_ object: ManagedObject) -> Self {
        Self(object.objectID.graphExpression)
    }

    fileprivate func compared(
        _ op: ComparisonOperator, _ right: GraphExpression
    ) -> TypedPredicate<Object> {
        TypedPredicate(.comparison(GraphComparison(graphExpression, op, right)))
    }
}

extension TypedExpression: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    /// No value.
    public init(nilLiteral: ()) { self.init(.constant(.null)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self.init(.constant(.boolean(value))) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self.init(.constant(.integer(value))) }
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self.init(.constant(.double(value))) }
    /// Text.
    public init(stringLiteral value: String) { self.init(.constant(.string(value))) }
}

/// An expression over a class's objects.
///
/// On the right of an operator it is no literal, so that `nil`
/// and texts there keep their one meaning.
public protocol ObjectExpression<Object>: GraphPredicateArgument {
    /// The class.
    associatedtype Object: ManagedObject
}

/// Numbers, and numbers that may be missing: what arithmetic takes.
public protocol NumericProperty {}
extension Int: NumericProperty {}
extension Int16: NumericProperty {}
extension Int32: NumericProperty {}
extension Int64: NumericProperty {}
extension Float: NumericProperty {}
extension Double: NumericProperty {}
extension Decimal: NumericProperty {}
extension Optional: NumericProperty where Wrapped: NumericProperty {}

// MARK: Arithmetic

/// Sum with a value or an expression.
public func + <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) + right
}

/// Sum of two properties.
public func + <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) + TypedExpression.key(right)
}

/// Sum with a property.
public func + <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left + TypedExpression.key(right)
}

/// Sum of an expression and a value or another one.
public func + <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.add, left.graphExpression, right.graphExpression))
}

/// Difference with a value or an expression.
public func - <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) - right
}

/// Difference of two properties.
public func - <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) - TypedExpression.key(right)
}

/// Difference with a property.
public func - <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left - TypedExpression.key(right)
}

/// Difference of an expression and a value or another one.
public func - <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.subtract, left.graphExpression, right.graphExpression))
}

/// Product with a value or an expression.
public func * <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) * right
}

/// Product of two properties.
public func * <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) * TypedExpression.key(right)
}

/// Product with a property.
public func * <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left * TypedExpression.key(right)
}

/// Product of an expression and a value or another one.
public func * <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.multiply, left.graphExpression, right.graphExpression))
}

/// Quotient with a value or an expression.
public func / <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) / right
}

/// Quotient of two properties.
public func / <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) / TypedExpression.key(right)
}

/// Quotient with a property.
public func / <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left / TypedExpression.key(right)
}

/// Quotient of an expression and a value or another one.
public func / <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.divide, left.graphExpression, right.graphExpression))
}

// MARK: Comparisons of expressions

/// The same value.
public func == <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.equal, right.graphExpression)
}

/// The same value.
public func == <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.equal, TypedExpression.key(right).graphExpression)
}

/// The same value.
public func == <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.equal, right.graphExpression)
}

/// Not the same value.
public func != <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.notEqual, right.graphExpression)
}

/// Not the same value.
public func != <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.notEqual, TypedExpression.key(right).graphExpression)
}

/// Not the same value.
public func != <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.notEqual, right.graphExpression)
}

/// Smaller.
public func < <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.less, right.graphExpression)
}

/// Smaller.
public func < <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.less, TypedExpression.key(right).graphExpression)
}

/// Smaller.
public func < <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.less, right.graphExpression)
}

/// Smaller or equal.
public func <= <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.lessOrEqual, right.graphExpression)
}

/// Smaller or equal.
public func <= <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.lessOrEqual, TypedExpression.key(right).graphExpression)
}

/// Smaller or equal.
public func <= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.lessOrEqual, right.graphExpression)
}

/// Greater.
public func > <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.greater, right.graphExpression)
}

/// Greater.
public func > <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.greater, TypedExpression.key(right).graphExpression)
}

/// Greater.
public func > <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.greater, right.graphExpression)
}

/// Greater or equal.
public func >= <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.greaterOrEqual, right.graphExpression)
}

/// Greater or equal.
public func >= <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.greaterOrEqual, TypedExpression.key(right).graphExpression)
}

/// Greater or equal.
public func >= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.greaterOrEqual, right.graphExpression)
}
