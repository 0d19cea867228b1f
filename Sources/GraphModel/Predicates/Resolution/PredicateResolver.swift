internal import Diagnostics

/// Checks a tree against an entity, puts in variables and gives constants their columns' types.
///
/// Nodes are visited in the post-order in which the parser numbered them, so that an error can
/// name its place in the text.
struct PredicateResolver {
    /// An expression after the check, with what it is worth and its number.
    struct Resolved {
        var expression: GraphExpression
        var kind: ExpressionKind
        var node: Int
        /// Where it is a list: the same of its elements.
        var elements: [Resolved] = []
        /// Where it is a collection: whether its elements have an order.
        var isOrdered = false

        /// What it is, for messages.
        var describing: String {
            guard case .constant(let value) = expression, value != .null else {
                return kind.description
            }
            return "\(kind) (\(value))"
        }
    }

    let entityName: String
    let model: ManagedObjectModel
    let variables: [String: any GraphPredicateArgument]
    let source: PredicateSource?
    let allowsTransient: Bool
    private var node = 0
    /// The variables of the subqueries around, with their entities.
    var scope: [String: String] = [:]
    /// The variables of the whole tree that stand for no element of a subquery.
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
        guard model.entity(named: entityName) != nil else {
            let names = model.entities.map(\.name)
            throw GraphPredicateError(
                .unknownKey,
                "There is no entity '\(entityName)'"
                    + Suggestion.phrase(for: entityName, among: names))
        }
    }

    func error(
        _ code: GraphPredicateError.Code, _ message: String, node: Int
    ) -> GraphPredicateError {
        GraphPredicateError(
            code, message, at: source?.offset(ofNode: node), in: source?.format)
    }

    /// Checks a whole predicate.
    mutating func resolveWhole(
        _ predicate: GraphPredicate
    ) throws(GraphPredicateError) -> GraphPredicate {
        try checkDepth(TreeSize(predicate))
        free = predicate.variables
        return try resolve(predicate)
    }

    /// Checks a whole expression.
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

    /// Takes the number of a node whose operands are done.
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
        var results: [GraphPredicate] = []
        for part in parts { results.append(try resolve(part)) }
        return results
    }

    private mutating func resolve(
        _ comparison: GraphComparison
    ) throws(GraphPredicateError) -> GraphPredicate {
        let left = try resolve(comparison.left)
        let right = try resolve(comparison.right)
        let place = number()
        let sides = try ComparisonCheck(resolver: self, comparison: comparison, node: place)
            .check(left, right)
        return .comparison(
            GraphComparison(
                sides.left, comparison.op, sides.right, modifier: comparison.modifier,
                options: comparison.options))
    }

    // MARK: Expressions

    mutating func resolve(
        _ expression: GraphExpression
    ) throws(GraphPredicateError) -> Resolved {
        switch expression {
        case .constant(let value):
            return Resolved(expression: expression, kind: ExpressionKind(value), node: number())
        case .keyPath(let keys):
            return try path(expression, keys, from: entityName, node: number())
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
            var results: [Resolved] = []
            for element in elements { results.append(try resolve(element)) }
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
            return Resolved(
                expression: .conditional(predicate, yes.expression, no.expression),
                kind: try common(yes, no), node: place)
        }
    }

    private mutating func arithmetic(
        _ op: ArithmeticOperator, _ left: GraphExpression, _ right: GraphExpression
    ) throws(GraphPredicateError) -> Resolved {
        let left = try resolve(left)
        let right = try resolve(right)
        let kinds = [try numeric(left), try numeric(right)]
        let kind: ExpressionKind = kinds.contains(.double) ? .double : .integer
        return Resolved(
            expression: .arithmetic(op, left.expression, right.expression),
            kind: kinds.contains(.null) ? .null : kind, node: number())
    }

    func numeric(_ operand: Resolved) throws(GraphPredicateError) -> ExpressionKind {
        if operand.kind.isNumeric || operand.kind == .null { return operand.kind }
        if case .collection = operand.kind { throw toManyAlone(operand.node) }
        throw error(.type, "Arithmetic needs numbers, not \(operand.kind)", node: operand.node)
    }

    /// What either of two values is worth.
    func common(_ one: Resolved, _ other: Resolved) throws(GraphPredicateError) -> ExpressionKind {
        if one.kind == .null { return other.kind }
        if other.kind == .null || one.kind == other.kind { return one.kind }
        if one.kind.isNumeric, other.kind.isNumeric {
            return one.kind == .double || other.kind == .double ? .double : .integer
        }
        throw error(
            .type, "The alternatives are of different types, \(one.kind) and \(other.kind)",
            node: other.node)
    }

    private mutating func function(
        _ name: String, _ arguments: [GraphExpression]
    ) throws(GraphPredicateError) -> Resolved {
        var results: [Resolved] = []
        for argument in arguments { results.append(try resolve(argument)) }
        let place = number()
        let check = FunctionCheck(resolver: self, name: name, node: place)
        let kind = try check.kind(results)
        var arguments = results.map(\.expression)
        if name == "cast", let type = try check.castType(results) {
            arguments[1] = .constant(.string(type.rawValue))
        }
        return Resolved(
            expression: .function(name, arguments), kind: kind, node: place,
            isOrdered: name == "split")
    }
}
