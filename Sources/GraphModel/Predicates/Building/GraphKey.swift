/// A property, or a path to one, in a predicate that is written in Swift.
///
/// ```swift
/// let title = GraphKey("title"), priority = GraphKey("priority"), tags = GraphKey("tags")
/// title == "x" && priority > 3 || !tags.any.name.contains("x", [.c, .d])
/// tags.count > 2 && subquery("tags") { $0.name == "x" }.count > 0
/// ```
///
/// A key that has the name of a member here (`count`) is written `key["count"]`.
@dynamicMemberLookup
public struct GraphKey: GraphTerm {
    /// The key path, the variable or the collection.
    public let graphExpression: GraphExpression
    /// For which elements a comparison must hold.
    public let comparisonModifier: ComparisonModifier

    /// A key path such as `title`, `owner.name` or `tasks.@count`.
    ///
    /// Text that is no key path is one key, whatever it has in it.
    public init(_ keyPath: String) {
        self.init(PredicateParser.keyPath(keyPath) ?? .keyPath([keyPath]))
    }

    init(_ expression: GraphExpression, _ modifier: ComparisonModifier = .direct) {
        graphExpression = expression
        comparisonModifier = modifier
    }

    /// `SELF`.
    public static let object = GraphKey(.evaluatedObject)

    /// `$name`, which is bound later.
    public static func variable(_ name: String) -> GraphKey { GraphKey(.variable(name, [])) }

    /// A property of what this leads to.
    public subscript(dynamicMember key: String) -> GraphKey { self[key] }

    /// A property of what this leads to, whatever its name.
    public subscript(key: String) -> GraphKey {
        GraphKey(graphExpression.appending([key]), comparisonModifier)
    }

    /// An element of an ordered to-many: `tags[.first]`.
    public subscript(index: GraphIndex) -> GraphKey {
        GraphKey(.index(graphExpression, index), comparisonModifier)
    }

    /// An element of an ordered to-many, from 0.
    public subscript(index: Int) -> GraphKey {
        self[.position(.constant(.integer(Int64(index))))]
    }

    /// One element at least: `tags.any.name == "x"`.
    public var any: GraphKey { GraphKey(graphExpression, .any) }

    /// Every element.
    public var all: GraphKey { GraphKey(graphExpression, .all) }

    /// No element.
    public var none: GraphKey { GraphKey(graphExpression, .none) }

    /// How many objects there are.
    public var count: GraphComputed { collected(.count, nil) }

    /// The sum of a property of the elements.
    public func sum(_ key: String) -> GraphComputed { collected(.sum, key) }

    /// The mean of a property of the elements.
    public func average(_ key: String) -> GraphComputed { collected(.average, key) }

    /// The smallest of a property of the elements.
    public func minimum(_ key: String) -> GraphComputed { collected(.minimum, key) }

    /// The largest of a property of the elements.
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

/// `SUBQUERY(path, $x, predicate)`: the elements that meet it, where `$0` is the element.
///
/// The variable gets a name that no subquery inside has; a key outside `$0` is of the object
/// that is looked for.
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

/// `SUBQUERY(path, $x, predicate)` of a to-many key path.
public func subquery(
    _ collection: String, _ predicate: (GraphKey) -> GraphPredicate
) -> GraphKey {
    subquery(GraphKey(collection), predicate)
}

extension GraphPredicate {
    /// Whether a subquery inside gives that name to its elements.
    fileprivate func bindsVariable(_ name: String) -> Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.left.bindsVariable(name) || comparison.right.bindsVariable(name)
        case .not(let part): part.bindsVariable(name)
        case .and(let parts), .or(let parts): parts.contains { $0.bindsVariable(name) }
        }
    }
}

extension GraphExpression {
    fileprivate func bindsVariable(_ name: String) -> Bool {
        if case .subquery(_, name, _) = self { return true }
        return condition?.bindsVariable(name) == true
            || operands.contains { $0.bindsVariable(name) }
    }
}
