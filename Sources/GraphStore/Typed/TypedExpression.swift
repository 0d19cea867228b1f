public import FoundationEssentials
public import GraphModel

/// A value to set or to compare with: a literal, another property, or arithmetic over them.
///
/// ```swift
/// BatchUpdateRequest(
///     Task.request.where(\.priority + \.bonus > 3),
///     set: [\.priority: \.priority + 1, \.dueOn: .value(tomorrow), \.isCompleted: false])
/// ```
public struct TypedExpression<Object: ManagedObject>: ObjectExpression {
    /// The untyped expression.
    public let graphExpression: GraphExpression

    /// Creates a typed expression from an untyped one.
    public init(_ expression: GraphExpression) {
        graphExpression = expression
    }

    /// Returns a value that is not a literal.
    public static func value(_ value: some GraphPredicateArgument) -> Self {
        Self(value.graphExpression)
    }

    /// Returns the value of another property.
    public static func key<Value>(_ key: KeyPath<ObjectKeys<Object>, Key<Value>>) -> Self {
        Self(ObjectKeys()[keyPath: key].key.graphExpression)
    }

    /// Returns an object, for a to-one relationship.
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
    /// Creates a null value.
    public init(nilLiteral: ()) { self.init(.constant(.null)) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self.init(.constant(.boolean(value))) }
    /// Creates an integer value.
    public init(integerLiteral value: Int64) { self.init(.constant(.integer(value))) }
    /// Creates a floating-point value.
    public init(floatLiteral value: Double) { self.init(.constant(.double(value))) }
    /// Creates a string value.
    public init(stringLiteral value: String) { self.init(.constant(.string(value))) }
}

/// An expression over a class's objects.
///
/// It cannot be a literal, so `nil` and strings on the right of an operator are unambiguous.
public protocol ObjectExpression<Object>: GraphPredicateArgument {
    /// The class of the objects.
    associatedtype Object: ManagedObject
}

/// A type for arithmetic: a number or an optional number.
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

/// Returns the sum of a property and a value or an expression.
public func + <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) + right
}

/// Returns the sum of two properties.
public func + <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) + TypedExpression.key(right)
}

/// Returns the sum of an expression and a property.
public func + <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left + TypedExpression.key(right)
}

/// Returns the sum of an expression and a value or another expression.
public func + <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.add, left.graphExpression, right.graphExpression))
}

/// Returns the difference of a property and a value or an expression.
public func - <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) - right
}

/// Returns the difference of two properties.
public func - <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) - TypedExpression.key(right)
}

/// Returns the difference of an expression and a property.
public func - <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left - TypedExpression.key(right)
}

/// Returns the difference of an expression and a value or another expression.
public func - <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.subtract, left.graphExpression, right.graphExpression))
}

/// Returns the product of a property and a value or an expression.
public func * <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) * right
}

/// Returns the product of two properties.
public func * <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) * TypedExpression.key(right)
}

/// Returns the product of an expression and a property.
public func * <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left * TypedExpression.key(right)
}

/// Returns the product of an expression and a value or another expression.
public func * <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.multiply, left.graphExpression, right.graphExpression))
}

/// Returns the quotient of a property and a value or an expression.
public func / <Object, Value: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) / right
}

/// Returns the quotient of two properties.
public func / <Object, Left: NumericProperty, Right: NumericProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) / TypedExpression.key(right)
}

/// Returns the quotient of an expression and a property.
public func / <Object, Value: NumericProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left / TypedExpression.key(right)
}

/// Returns the quotient of an expression and a value or another expression.
public func / <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.divide, left.graphExpression, right.graphExpression))
}

/// Returns the negated value of a property.
public prefix func - <Object, Value: NumericProperty>(
    operand: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    -TypedExpression.key(operand)
}

/// Returns the negated value of an expression.
public prefix func - <Object>(operand: TypedExpression<Object>) -> TypedExpression<Object> {
    TypedExpression(.negation(operand.graphExpression))
}

// MARK: Comparisons of expressions

/// Returns a predicate that is true if the values are equal.
public func == <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.equal, right.graphExpression)
}

/// Returns a predicate that is true if the values are equal.
public func == <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.equal, TypedExpression.key(right).graphExpression)
}

/// Returns a predicate that is true if the values are equal.
public func == <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.equal, right.graphExpression)
}

/// Returns a predicate that is true if the values differ.
public func != <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.notEqual, right.graphExpression)
}

/// Returns a predicate that is true if the values differ.
public func != <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.notEqual, TypedExpression.key(right).graphExpression)
}

/// Returns a predicate that is true if the values differ.
public func != <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.notEqual, right.graphExpression)
}

/// Returns a predicate that is true if the left value is smaller.
public func < <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.less, right.graphExpression)
}

/// Returns a predicate that is true if the left value is smaller.
public func < <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.less, TypedExpression.key(right).graphExpression)
}

/// Returns a predicate that is true if the left value is smaller.
public func < <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.less, right.graphExpression)
}

/// Returns a predicate that is true if the left value is smaller or equal.
public func <= <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.lessOrEqual, right.graphExpression)
}

/// Returns a predicate that is true if the left value is smaller or equal.
public func <= <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.lessOrEqual, TypedExpression.key(right).graphExpression)
}

/// Returns a predicate that is true if the left value is smaller or equal.
public func <= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.lessOrEqual, right.graphExpression)
}

/// Returns a predicate that is true if the left value is greater.
public func > <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.greater, right.graphExpression)
}

/// Returns a predicate that is true if the left value is greater.
public func > <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.greater, TypedExpression.key(right).graphExpression)
}

/// Returns a predicate that is true if the left value is greater.
public func > <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.greater, right.graphExpression)
}

/// Returns a predicate that is true if the left value is greater or equal.
public func >= <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedPredicate<Object> {
    left.compared(.greaterOrEqual, right.graphExpression)
}

/// Returns a predicate that is true if the left value is greater or equal.
public func >= <Object, Value>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedPredicate<Object> {
    left.compared(.greaterOrEqual, TypedExpression.key(right).graphExpression)
}

/// Returns a predicate that is true if the left value is greater or equal.
public func >= <Object, Value>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some ObjectExpression<Object>
) -> TypedPredicate<Object> {
    TypedExpression.key(left).compared(.greaterOrEqual, right.graphExpression)
}
