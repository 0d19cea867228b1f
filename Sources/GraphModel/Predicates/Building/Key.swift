/// A property of a generated class, which knows the type of its values.
///
/// The code generator writes `static let title = Key<String?>("title")`; then
/// `Task.Keys.title == "x"` is a predicate and `Task.Keys.title == 5` does not compile. What is
/// not here is asked of `key`, which has every operator.
public struct Key<Value>: Sendable {
    /// The same without the type.
    public let key: GraphKey

    /// A property, or a path to one.
    public init(_ keyPath: String) {
        key = GraphKey(keyPath)
    }

    private init(_ key: GraphKey) {
        self.key = key
    }

    /// A property of the objects that this relationship leads to.
    public func appending<Next>(_ next: Key<Next>) -> Key<Next> {
        guard case .keyPath(let keys) = next.key.graphExpression else { return next }
        return Key<Next>(
            GraphKey(key.graphExpression.appending(keys), key.comparisonModifier))
    }

    /// One element at least.
    public var any: Key { Key(key.any) }

    /// Every element.
    public var all: Key { Key(key.all) }

    /// No element.
    public var none: Key { Key(key.none) }

    /// How many objects there are.
    public var count: GraphComputed { key.count }

    /// No value.
    public var isNil: GraphPredicate { key.isNil }

    /// Any value.
    public var isNotNil: GraphPredicate { key.isNotNil }

    /// The same value in both properties.
    public static func == (left: Key, right: Key) -> GraphPredicate { left.key == right.key }

    /// Not the same value in both properties.
    public static func != (left: Key, right: Key) -> GraphPredicate { left.key != right.key }

    /// Smaller than the other property.
    public static func < (left: Key, right: Key) -> GraphPredicate { left.key < right.key }

    /// Greater than the other property.
    public static func > (left: Key, right: Key) -> GraphPredicate { left.key > right.key }
}

extension Key where Value: GraphPredicateArgument {
    /// The same value.
    public static func == (left: Key, right: Value) -> GraphPredicate { left.key == right }

    /// Not the same value.
    public static func != (left: Key, right: Value) -> GraphPredicate { left.key != right }

    /// Smaller.
    public static func < (left: Key, right: Value) -> GraphPredicate { left.key < right }

    /// Smaller or equal.
    public static func <= (left: Key, right: Value) -> GraphPredicate { left.key <= right }

    /// Greater.
    public static func > (left: Key, right: Value) -> GraphPredicate { left.key > right }

    /// Greater or equal.
    public static func >= (left: Key, right: Value) -> GraphPredicate { left.key >= right }

    /// Among the values.
    public func `in`(_ values: [Value]) -> GraphPredicate { key.in(values) }

    /// Within the bounds, ends included.
    public func between(_ low: Value, _ high: Value) -> GraphPredicate { key.between(low, high) }
}

/// Text, or text that may be missing.
public protocol TextValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

extension Key where Value: TextValue {
    /// The same text, as the options see it.
    public func equals(_ text: String, _ options: ComparisonOptions) -> GraphPredicate {
        key.equals(text, options)
    }

    /// Text with the other somewhere in it.
    public func contains(_ part: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.contains(part, options)
    }

    /// Text that starts with the other.
    public func beginsWith(_ start: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.beginsWith(start, options)
    }

    /// Text that ends with the other.
    public func endsWith(_ end: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.endsWith(end, options)
    }

    /// Text of that shape: `*` is any run, `?` one character.
    public func like(_ shape: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.like(shape, options)
    }

    /// Text that the regular expression matches as a whole.
    public func matches(_ pattern: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.matches(pattern, options)
    }
}
