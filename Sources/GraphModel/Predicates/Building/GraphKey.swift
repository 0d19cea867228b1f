/// A property, or a path to one, in a predicate written in Swift.
///
/// ```swift
/// let title = GraphKey("title"), priority = GraphKey("priority"), tags = GraphKey("tags")
/// title == "x" && priority > 3 || !tags.any.name.contains("x", [.c, .d])
/// tags.count > 2 && subquery("tags") { $0.name == "x" }.count > 0
/// ```
///
/// If a key has the name of a member of this type (`count`), write `key["count"]`.
@dynamicMemberLookup
public struct GraphKey: GraphTerm {
    /// The key path, the variable, or the collection.
    public let graphExpression: GraphExpression
    /// Whether a comparison must hold for any, all, or none of the elements of a to-many key path.
    public let comparisonModifier: ComparisonModifier

    /// Creates a key path such as `title`, `owner.name`, or `tasks.@count`.
    ///
    /// Text that is not a key path is one key, regardless of its characters.
    public init(_ keyPath: String) {
        self.init(PredicateParser.keyPath(keyPath) ?? .keyPath([keyPath]))
    }

    init(_ expression: GraphExpression, _ modifier: ComparisonModifier = .direct) {
        graphExpression = expression
        comparisonModifier = modifier
    }

    /// `SELF`.
    public static let object = GraphKey(.evaluatedObject)

    /// Returns the variable `$name`, which is bound later.
    public static func variable(_ name: String) -> GraphKey { GraphKey(.variable(name, [])) }

    /// Returns a property of the object at this key path.
    public subscript(dynamicMember key: String) -> GraphKey { self[key] }

    /// Returns a property of the object at this key path, with any name.
    public subscript(key: String) -> GraphKey {
        GraphKey(graphExpression.appending([key]), comparisonModifier)
    }

    /// Returns an element of an ordered to-many relationship: `tags[.first]`.
    public subscript(index: GraphIndex) -> GraphKey {
        GraphKey(.index(graphExpression, index), comparisonModifier)
    }

    /// Returns an element of an ordered to-many relationship, counted from 0.
    public subscript(index: Int) -> GraphKey {
        self[.position(.constant(.integer(Int64(index))))]
    }

    /// The modifier for at least one element: `tags.any.name == "x"`.
    public var any: GraphKey { GraphKey(graphExpression, .any) }

    /// The modifier for every element.
    public var all: GraphKey { GraphKey(graphExpression, .all) }

    /// The modifier for no element.
    public var none: GraphKey { GraphKey(graphExpression, .none) }

    /// The number of objects.
    public var count: GraphComputed { collected(.count, nil) }

    /// Returns the sum of a property of the elements.
    public func sum(_ key: String) -> GraphComputed { collected(.sum, key) }

    /// Returns the mean of a property of the elements.
    public func average(_ key: String) -> GraphComputed { collected(.average, key) }

    /// Returns the minimum of a property of the elements.
    public func minimum(_ key: String) -> GraphComputed { collected(.minimum, key) }

    /// Returns the maximum of a property of the elements.
    public func maximum(_ key: String) -> GraphComputed { collected(.maximum, key) }

    private func collected(_ op: CollectionOperator, _ key: String?) -> GraphComputed {
        var keys: [String] = []
        if let key {
            keys = [key]
            if case .keyPath(let path) = PredicateParser.keyPath(key) { keys = path }
        }
        return GraphComputed(.collection(graphExpression, op, keys))
    }
}

/// Returns `SUBQUERY(path, $x, predicate)`: the elements that match, where `$0` is the element.
///
/// The variable's name differs from all names in nested subqueries. A key outside `$0` is a key of
/// the tested object.
public func subquery(
    _ collection: GraphKey, _ predicate: (GraphKey) -> GraphPredicate
) -> GraphKey {
    var name = "x"
    var condition = predicate(.variable(name))
    var number = 1
    while condition.bindsVariable(name) {
        number += 1
        name = "x\(number)"
        condition = predicate(.variable(name))
    }
    return GraphKey(.subquery(collection.graphExpression, variable: name, condition))
}

/// Returns `SUBQUERY(path, $x, predicate)` of a to-many key path.
public func subquery(
    _ collection: String, _ predicate: (GraphKey) -> GraphPredicate
) -> GraphKey {
    subquery(GraphKey(collection), predicate)
}

extension GraphPredicate {
    /// Returns whether a nested subquery binds a variable of that name.
    fileprivate func bindsVariable(_ name: String) -> Bool {
        sides.contains { $0.bindsVariable(name) }
    }
}

extension GraphExpression {
    fileprivate func bindsVariable(_ name: String) -> Bool {
        if case .subquery(_, name, _) = self { return true }
        return condition?.bindsVariable(name) == true
            || operands.contains { $0.bindsVariable(name) }
    }
}
