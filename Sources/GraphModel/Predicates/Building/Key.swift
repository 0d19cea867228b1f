/// A property of a generated class, with the type of its values.
///
/// The code generator writes `static let title = Key<String?>("title")`. Then
/// `Task.Keys.title == "x"` is a predicate, and `Task.Keys.title == 5` does not compile. `key` has
/// all the operators that are missing here.
public struct Key<Value>: Sendable {
    /// The property without its type.
    public let key: GraphKey

    /// Creates a property, or a path to one.
    public init(_ keyPath: String) {
        key = GraphKey(keyPath)
    }

    private init(_ key: GraphKey) {
        self.key = key
    }

    /// Returns a property of the objects at the end of this relationship.
    ///
    /// The modifier of either key is kept; that of this key wins.
    public func appending<Next>(_ next: Key<Next>) -> Key<Next> {
        let object = key.graphExpression
        let expression: GraphExpression =
            switch next.key.graphExpression {
            case .keyPath(let keys): object.appending(keys)
            case .collection(.keyPath(let keys), let op, let rest):
                .collection(object.appending(keys), op, rest)
            // `SELF` of an object is the object.
            default: object
            }
        let modifier = key.comparisonModifier
        return Key<Next>(
            GraphKey(expression, modifier == .direct ? next.key.comparisonModifier : modifier))
    }

    /// The modifier for at least one element.
    public var any: Key { Key(key.any) }

    /// The modifier for every element.
    public var all: Key { Key(key.all) }

    /// The modifier for no element.
    public var none: Key { Key(key.none) }

    /// The number of objects.
    public var count: GraphComputed { key.count }

    /// The predicate that matches if there is no value.
    public var isNil: GraphPredicate { key.isNil }

    /// The predicate that matches any value except nil.
    public var isNotNil: GraphPredicate { key.isNotNil }
}

extension Key: GraphPredicateArgument {
    /// The property as an operand.
    public var graphExpression: GraphExpression { key.graphExpression }
}

extension Key where Value: GraphPredicateArgument {
    /// Matches equal values.
    public static func == (left: Key, right: Value) -> GraphPredicate { left.key == right }

    /// Matches different values.
    public static func != (left: Key, right: Value) -> GraphPredicate { left.key != right }

    /// Matches smaller values.
    public static func < (left: Key, right: Value) -> GraphPredicate { left.key < right }

    /// Matches smaller or equal values.
    public static func <= (left: Key, right: Value) -> GraphPredicate { left.key <= right }

    /// Matches greater values.
    public static func > (left: Key, right: Value) -> GraphPredicate { left.key > right }

    /// Matches greater or equal values.
    public static func >= (left: Key, right: Value) -> GraphPredicate { left.key >= right }

    /// Matches one of the values.
    public func `in`(_ values: [Value]) -> GraphPredicate { key.in(values) }

    /// Matches a value within the bounds, ends included.
    public func between(_ low: Value, _ high: Value) -> GraphPredicate { key.between(low, high) }
}

/// A string, or an optional string.
public protocol TextValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

extension Key where Value: TextValue {
    /// Matches strings that are equal under the options.
    public func equals(_ text: String, _ options: ComparisonOptions) -> GraphPredicate {
        key.equals(text, options)
    }

    /// Matches a string that contains the other.
    public func contains(_ part: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.contains(part, options)
    }

    /// Matches a string that begins with the other.
    public func beginsWith(_ start: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.beginsWith(start, options)
    }

    /// Matches a string that ends with the other.
    public func endsWith(_ end: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.endsWith(end, options)
    }

    /// Matches a string against a pattern in which `*` is any run and `?` is one character.
    public func like(_ shape: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.like(shape, options)
    }

    /// Matches a string that the regular expression matches completely.
    public func matches(_ pattern: String, _ options: ComparisonOptions = []) -> GraphPredicate {
        key.matches(pattern, options)
    }
}
