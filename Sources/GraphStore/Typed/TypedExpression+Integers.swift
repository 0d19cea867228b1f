public import GraphModel

/// A type for integer arithmetic: an integer or an optional integer.
public protocol IntegerProperty: NumericProperty {}
extension Int: IntegerProperty {}
extension Int16: IntegerProperty {}
extension Int32: IntegerProperty {}
extension Int64: IntegerProperty {}
extension Optional: IntegerProperty where Wrapped: IntegerProperty {}

// MARK: Power

/// Returns a property raised to the power of a value or an expression.
public func ** <Object, Value: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) ** right
}

/// Returns a property raised to the power of another property.
public func ** <Object, Left: IntegerProperty, Right: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) ** TypedExpression.key(right)
}

/// Returns an expression raised to the power of a property.
public func ** <Object, Value: IntegerProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left ** TypedExpression.key(right)
}

/// Returns an expression raised to the power of a value or another expression.
public func ** <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.power, left.graphExpression, right.graphExpression))
}

// MARK: Bits

/// Returns the bits that are set in both a property and a value or an expression.
public func & <Object, Value: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) & right
}

/// Returns the bits that are set in both a property and another property.
public func & <Object, Left: IntegerProperty, Right: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) & TypedExpression.key(right)
}

/// Returns the bits that are set in both an expression and a property.
public func & <Object, Value: IntegerProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left & TypedExpression.key(right)
}

/// Returns the bits that are set in both an expression and a value or another expression.
public func & <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.bitAnd, left.graphExpression, right.graphExpression))
}

/// Returns the bits that are set in a property, in a value or an expression, or in both.
public func | <Object, Value: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) | right
}

/// Returns the bits that are set in a property, in another property, or in both.
public func | <Object, Left: IntegerProperty, Right: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) | TypedExpression.key(right)
}

/// Returns the bits that are set in an expression, in a property, or in both.
public func | <Object, Value: IntegerProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left | TypedExpression.key(right)
}

/// Returns the bits that are set in an expression, in a value or another expression, or in both.
public func | <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.bitOr, left.graphExpression, right.graphExpression))
}

/// Returns the bits that are set either in a property or in a value or an expression.
public func ^ <Object, Value: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) ^ right
}

/// Returns the bits that are set either in a property or in another property.
public func ^ <Object, Left: IntegerProperty, Right: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) ^ TypedExpression.key(right)
}

/// Returns the bits that are set either in an expression or in a property.
public func ^ <Object, Value: IntegerProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left ^ TypedExpression.key(right)
}

/// Returns the bits that are set either in an expression or in a value or another expression.
public func ^ <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.bitXor, left.graphExpression, right.graphExpression))
}

/// Returns a property with its bits shifted to the left by a value or an expression.
public func << <Object, Value: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) << right
}

/// Returns a property with its bits shifted to the left by another property.
public func << <Object, Left: IntegerProperty, Right: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) << TypedExpression.key(right)
}

/// Returns an expression with its bits shifted to the left by a property.
public func << <Object, Value: IntegerProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left << TypedExpression.key(right)
}

/// Returns an expression with its bits shifted to the left by a value or another expression.
public func << <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.shiftLeft, left.graphExpression, right.graphExpression))
}

/// Returns a property with its bits shifted to the right by a value or an expression, with its
/// sign.
public func >> <Object, Value: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Value>>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    .key(left) >> right
}

/// Returns a property with its bits shifted to the right by another property, with its sign.
public func >> <Object, Left: IntegerProperty, Right: IntegerProperty>(
    left: KeyPath<ObjectKeys<Object>, Key<Left>>, right: KeyPath<ObjectKeys<Object>, Key<Right>>
) -> TypedExpression<Object> {
    .key(left) >> TypedExpression.key(right)
}

/// Returns an expression with its bits shifted to the right by a property, with its sign.
public func >> <Object, Value: IntegerProperty>(
    left: TypedExpression<Object>, right: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    left >> TypedExpression.key(right)
}

/// Returns an expression with its bits shifted to the right by a value or another expression, with
/// its sign.
public func >> <Object>(
    left: TypedExpression<Object>, right: some GraphPredicateArgument
) -> TypedExpression<Object> {
    TypedExpression(.arithmetic(.shiftRight, left.graphExpression, right.graphExpression))
}

/// Returns the complement of a property: every bit is inverted.
public prefix func ~ <Object, Value: IntegerProperty>(
    operand: KeyPath<ObjectKeys<Object>, Key<Value>>
) -> TypedExpression<Object> {
    ~TypedExpression.key(operand)
}

/// Returns the complement of an expression: every bit is inverted.
public prefix func ~ <Object>(operand: TypedExpression<Object>) -> TypedExpression<Object> {
    TypedExpression((~GraphComputed(operand.graphExpression)).graphExpression)
}
