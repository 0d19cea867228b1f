internal import Diagnostics

/// Checks a tree against an entity, replaces variables, and types constants by their columns.
///
/// Nodes are visited in the post-order in which the parser numbered them, so that an error can
/// report its position in the text.
struct PredicateResolver {
    /// A checked expression, with its type and its node number.
    struct Resolved {
        var expression: GraphExpression
        var kind: ExpressionKind
        var node: Int
        /// The checked elements of a list.
        var elements: [Resolved] = []
        /// Whether the elements of a collection have an order.
        var isOrdered = false
        /// The variable that was replaced with this sample value; a run binds another value to it.
        var variable: String?

        /// The type, the variable, and the value of the expression, for messages.
        var describing: String {
            if let variable { return "\(kind) ($\(variable))" }
            guard case .constant(let value) = expression, value != .null else {
                return kind.description
            }
            return "\(kind) (\(value))"
        }

        /// Returns the expression as an operand whose result has the given type.
        ///
        /// If the result is not a decimal, it is computed in doubles, so a constant is a double.
        func operand(of kind: ExpressionKind) -> GraphExpression {
            kind == .decimal || kind == .unknown ? expression : expression.rounded
        }
    }

    /// The name of an unknown entity, whose keys can be anything.
    static let unknownEntity = "?"

    let entityName: String
    /// The model; `nil` if no entity is known.
    let model: ManagedObjectModel?
    let variables: [String: any GraphPredicateArgument]
    let source: PredicateSource?
    let allowsTransient: Bool
    /// Whether an error is added to `found`, so that the check continues with the rest of the tree.
    let collects: Bool
    /// The errors so far, in post-order.
    private(set) var found: [GraphPredicateError] = []
    private var node = 0
    /// The keys that are compared with text; an unknown one may be text without quotes.
    private(set) var wordsCompared: Set<String> = []
    /// The variables of the enclosing subqueries, with their entities.
    var scope: [String: String] = [:]
    /// The variables of the enclosing subqueries that are values, with their types.
    var values: [String: ExpressionKind] = [:]
    /// The variables of the tree that are not elements of a subquery.
    private(set) var free: [String] = []

    init(
        entityName: String, model: ManagedObjectModel,
        variables: [String: any GraphPredicateArgument], source: PredicateSource?,
        allowsTransient: Bool
    ) throws(GraphPredicateError) {
        self.entityName = entityName
        self.model = model
        self.variables = variables
        self.source = source
        self.allowsTransient = allowsTransient
        collects = false
        guard model.entity(named: entityName) != nil else {
            let names = model.entities.map(\.name)
            throw GraphPredicateError(
                .unknownKey,
                "There is no entity '\(entityName)'"
                    + Suggestion.phrase(for: entityName, among: names))
        }
    }

    /// Creates a resolver that collects all errors.
    ///
    /// - Parameter entityName: The entity; `nil` if the objects are unknown.
    init(
        collectingFor entityName: String?, model: ManagedObjectModel?,
        variables: [String: any GraphPredicateArgument], source: PredicateSource,
        allowsTransient: Bool
    ) {
        self.entityName =
            entityName.flatMap { model?.entity(named: $0)?.name } ?? Self.unknownEntity
        self.model = model
        self.variables = variables
        self.source = source
        self.allowsTransient = allowsTransient
        collects = true
    }

    /// The number of errors after which the check ends.
    static let errorsMax = 1_000

    /// Adds an error to `found`, or throws it if only the first one is needed or there are too
    /// many.
    mutating func report(_ error: GraphPredicateError) throws(GraphPredicateError) {
        guard collects, found.count < Self.errorsMax else { throw error }
        found.append(error)
    }

    func error(
        _ code: GraphPredicateError.Code, _ message: String, node: Int, fix: String? = nil,
        isOfAnyKeys: Bool = false
    ) -> GraphPredicateError {
        GraphPredicateError(
            code, message, at: source?.offset(ofNode: node), in: source?.format, fix: fix,
            isOfAnyKeys: isOfAnyKeys)
    }

    /// Checks a complete predicate.
    mutating func resolveWhole(
        _ predicate: GraphPredicate
    ) throws(GraphPredicateError) -> GraphPredicate {
        try checkDepth(TreeSize(predicate))
        free = predicate.variables
        return try resolve(predicate)
    }

    /// Checks a complete expression.
    mutating func resolveWhole(
        _ expression: GraphExpression
    ) throws(GraphPredicateError) -> Resolved {
        try checkDepth(TreeSize(expression))
        free = expression.variables
        return try resolve(expression)
    }

    private func checkDepth(_ size: TreeSize) throws(GraphPredicateError) {
        guard size.isTooDeep else { return }
        throw GraphPredicateError(.tooDeep, "The predicate is nested too deeply")
    }

    /// Returns the next node number; the operands of the node must already have theirs.
    mutating func number() -> Int {
        defer { node += 1 }
        return node
    }

    // MARK: Predicates

    mutating func resolve(
        _ predicate: GraphPredicate
    ) throws(GraphPredicateError) -> GraphPredicate {
        let result: GraphPredicate
        switch predicate {
        case .constant: result = predicate
        case .comparison(let comparison): return try resolve(comparison)
        case .not(let part): result = .not(try resolve(part))
        case .and(let parts): result = .and(try resolve(parts))
        case .or(let parts): result = .or(try resolve(parts))
        }
        _ = number()
        return result
    }

    private mutating func resolve(
        _ parts: [GraphPredicate]
    ) throws(GraphPredicateError) -> [GraphPredicate] {
        try parts.map { part throws(GraphPredicateError) in try resolve(part) }
    }

    private mutating func resolve(
        _ comparison: GraphComparison
    ) throws(GraphPredicateError) -> GraphPredicate {
        if let predicate = wholeComposite(comparison) {
            for _ in 0..<3 { _ = number() }
            return predicate
        }
        var comparison = comparison
        var left = try resolve(comparison.left)
        wordsCompared = left.kind == .text ? comparison.right.words : []
        var right = try resolve(comparison.right)
        wordsCompared = []
        if comparison.op == .in, comparison.modifier == .direct, right.kind == .text {
            // `IN` between two strings means that the right one contains the left one.
            comparison = GraphComparison(
                comparison.right, .contains, comparison.left, options: comparison.options)
            swap(&left, &right)
        }
        var check = ComparisonCheck(resolver: self, comparison: comparison)
        // The comparison counts as a node, by whose numbers mistakes are found in the text.
        _ = number()
        // `nil < 2.5` is false for every record, so a field named `nil` is not meant.
        let isOrderedNil =
            entityName == Self.unknownEntity && left.kind == .null
            && [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison.op)
        if !isOrderedNil, let misread = misreadKey(left, right) {
            try report(misread)
            return .comparison(comparison)
        }
        do throws(GraphPredicateError) {
            let sides = try check.check(left, right)
            for mistake in check.mistakes { try report(mistake) }
            return .comparison(
                GraphComparison(
                    sides.left, comparison.op, sides.right, modifier: comparison.modifier,
                    options: comparison.options))
        } catch {
            try report(error)
            return .comparison(comparison)
        }
    }

    // MARK: Expressions

    mutating func resolve(
        _ expression: GraphExpression
    ) throws(GraphPredicateError) -> Resolved {
        let first = node
        do throws(GraphPredicateError) {
            return try resolveNode(expression)
        } catch {
            try report(error)
            // The check may have stopped anywhere in the expression; skip the numbers of all its
            // nodes.
            node = first + TreeSize(expression).nodes
            return Resolved(expression: expression, kind: .unknown, node: node - 1)
        }
    }

    private mutating func resolveNode(
        _ expression: GraphExpression
    ) throws(GraphPredicateError) -> Resolved {
        switch expression {
        case .constant(let value):
            return Resolved(expression: expression, kind: ExpressionKind(value), node: number())
        case .keyPath(let keys):
            return try path(.keyPath([]), keys, from: entityName, node: number())
        case .variable(let name, let keys):
            return try variable(name, keys, node: number())
        case .evaluatedObject:
            return Resolved(expression: expression, kind: .object(entityName), node: number())
        case .negation(let operand):
            let operand = try resolve(operand)
            let kind = try numeric(operand)
            return Resolved(
                expression: .negation(operand.expression), kind: kind == .boolean ? .integer : kind,
                node: number())
        case .arithmetic(let op, let left, let right):
            return try arithmetic(op, left, right)
        case .aggregate(let elements):
            let results = try elements.map { part throws(GraphPredicateError) in
                try resolve(part)
            }
            return Resolved(
                expression: .aggregate(results.map(\.expression)), kind: .list, node: number(),
                elements: results)
        case .function(let name, let arguments):
            return try function(name, arguments)
        case .collection(let base, let op, let keys):
            return try collection(base, op, keys)
        case .index(let base, let index):
            return try self.index(base, index)
        case .member(let base, let keys):
            return try member(base, keys)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate)
        case .conditional(let predicate, let yes, let no):
            let predicate = try resolve(predicate)
            let yes = try resolve(yes)
            let no = try resolve(no)
            let place = number()
            let kind = try common(yes, no)
            return Resolved(
                expression: .conditional(predicate, yes.operand(of: kind), no.operand(of: kind)),
                kind: kind, node: place)
        }
    }
}
