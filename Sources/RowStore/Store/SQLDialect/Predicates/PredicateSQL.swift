import FoundationEssentials
import GraphModel

/// A compiler of resolved predicates and expressions to SQL.
///
/// SQL comparisons return NULL if a side is NULL, which WHERE treats as false. Under a NOT that
/// would be wrong, so negations are moved down to the comparisons, where only a definite true
/// counts: `NOT (x < 5)` becomes `NOT ifnull(x < 5, 0)`. Comparisons that are not negated are
/// unchanged, so that they can use indexes.
///
/// Operations that SQLite computes exactly by our rules become plain SQL: equality, order,
/// membership, prefixes, links, and counts. All other operations (folded text, functions,
/// arithmetic that may overflow) call the evaluator with the values that they need; see
/// `SQLProgram`.
struct PredicateSQL {
    /// The value of a subquery's variable: the objects of a scope, or the end of a path from them.
    struct Binding: Hashable {
        var scope: Int
        var tail: [String]
    }

    /// The scope of the object, followed by those of each collection's elements, outer ones first.
    var scopes: [KeyPathSQL]
    /// The variables of the enclosing subqueries.
    var variables: [String: Binding] = [:]
    /// The variables of subqueries over values, which the evaluator iterates.
    var valueVariables: Set<String> = []
    /// The scopes that were read since `inside` began.
    var touched: Set<Int> = []
    /// The number of comparisons in the statement so far, except those of the evaluator.
    private var termCount = 0
    /// The number of enclosing compounds, which are parentheses in SQL.
    private var level = 0
    /// The number of aliases so far.
    var aliasCount = 0
    /// The compiled values so far, so that nested ones are not compiled again at every level.
    private var operands: [ValueKey: (operand: SQLOperand, touched: Set<Int>)] = [:]
    private var entities: [ValueKey: StoreLayout.Entity] = [:]
    /// The key path to the objects of each scope, for explanations.
    private(set) var places: [Int: [String]] = [:]
    private var links: [String: SQLSource] = [:]
    let schema: StoreLayout
    /// The time of `now()`, in seconds since 2001-01-01 UTC.
    let now: Double

    init(_ paths: KeyPathSQL, now: Double = Date().timeIntervalSinceReferenceDate) {
        scopes = [paths]
        schema = paths.schema
        self.now = now
    }

    /// The joins that the compiled SQL needs.
    var joins: String { scopes[0].joins }

    /// The meaning of the aliases in the compiled SQL.
    var sources: [String: SQLSource] {
        var found = links
        for (number, scope) in scopes.enumerated() {
            for (alias, source) in scope.sources(at: places[number] ?? []) { found[alias] = source }
        }
        return found
    }

    /// Records the to-many that reached the last scope, and the alias of its links.
    mutating func note(_ path: [String], links alias: String?) {
        let scope = scopes.count - 1
        places[scope] = path
        if let alias {
            links[alias] = SQLSource(
                entity: scopes[scope].entity.name, path: path, isLink: true)
        }
    }

    /// Returns the column at the end of a path in a scope.
    mutating func column(_ path: [String], in scope: Int) throws(StoreError) -> String {
        touched.insert(scope)
        return try scopes[scope].column(path)
    }

    // MARK: Known values

    /// An expression with everything else on which its SQL depends.
    private struct ValueKey: Hashable {
        let expression: GraphExpression
        let bindings: [Binding?]
        let valueVariables: Set<String>
        let level: Int
    }

    private func key(of expression: GraphExpression) -> ValueKey {
        ValueKey(
            expression: expression, bindings: expression.variables.map { variables[$0] },
            valueVariables: valueVariables, level: level)
    }

    /// Returns a compiled value, which the body compiles if it is not known yet.
    mutating func known(
        _ expression: GraphExpression,
        _ compile: (inout PredicateSQL) throws(StoreError) -> SQLOperand
    ) throws(StoreError) -> SQLOperand {
        let key = key(of: expression)
        if let known = operands[key] {
            touched.formUnion(known.touched)
            return known.operand
        }
        let outer = touched
        touched = []
        defer { touched.formUnion(outer) }
        let operand = try compile(&self)
        operands[key] = (operand, touched)
        return operand
    }

    /// Returns the entity of an expression, which the body determines if it is not known yet.
    mutating func knownEntity(
        of expression: GraphExpression,
        _ find: (inout PredicateSQL) throws(StoreError) -> StoreLayout.Entity?
    ) throws(StoreError) -> StoreLayout.Entity? {
        let key = key(of: expression)
        if let known = entities[key] { return known }
        let entity = try find(&self)
        entities[key] = entity
        return entity
    }

    // MARK: Predicates

    mutating func condition(_ predicate: GraphPredicate) throws(StoreError) -> SQLFragment {
        try condition(predicate, negated: false)
    }

    private mutating func condition(
        _ predicate: GraphPredicate, negated: Bool
    ) throws(StoreError) -> SQLFragment {
        switch predicate {
        case .constant(let value):
            return SQLFragment(value != negated ? "1" : "0")
        case .not(let inner):
            return try condition(inner, negated: !negated)
        case .and(let parts):
            return try compound(parts, negated: negated, isAnd: !negated)
        case .or(let parts):
            return try compound(parts, negated: negated, isAnd: negated)
        case .comparison(let comparison):
            let sql = try leaf(comparison)
            return negated ? Self.not(sql) : sql
        }
    }

    /// Compiles a comparison to SQL, and counts it.
    mutating func leaf(_ comparison: GraphComparison) throws(StoreError) -> SQLFragment {
        termCount += 1
        return try self.comparison(comparison)
    }

    private mutating func compound(
        _ parts: [GraphPredicate], negated: Bool, isAnd: Bool
    ) throws(StoreError) -> SQLFragment {
        guard !parts.isEmpty else { return SQLFragment(isAnd ? "1" : "0") }
        let parts = Self.gathered(parts, isAnd: isAnd != negated)
        level += 1
        defer { level -= 1 }
        var fragments: [SQLFragment] = []
        for (index, part) in parts.enumerated() {
            if level > Self.levelsMax || termCount >= Self.termsMax {
                fragments += try evaluated(
                    Array(parts[index...]), negated: negated, isAnd: isAnd)
                break
            }
            fragments.append(try condition(part, negated: negated))
        }
        return Self.nested(fragments, isAnd ? "AND" : "OR")
    }

    /// Negates a condition; NULL counts as false.
    static func not(_ condition: SQLFragment) -> SQLFragment {
        "NOT ifnull(" + condition + ", 0)"
    }

    private mutating func comparison(
        _ comparison: GraphComparison
    ) throws(StoreError) -> SQLFragment {
        if comparison.left.isMadeCollection || comparison.right.isMadeCollection {
            return try madeCollection(comparison)
        }
        guard comparison.modifier == .direct else { return try quantified(comparison) }
        if let counted = try count(comparison) { return counted }
        if comparison.op == .contains, try isStoredCollection(comparison.left) {
            let member = try operand(comparison.right)
            return try any(
                comparison.left, .equal, equalTo: member, options: comparison.options)
        }
        let left = try operand(comparison.left)
        return try self.comparison(
            left, comparison.op, comparison.right, options: comparison.options)
    }

    /// Compiles a comparison of a value with an expression.
    mutating func comparison(
        _ left: SQLOperand, _ op: ComparisonOperator, _ right: GraphExpression,
        options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment {
        switch op {
        case .in:
            if try isStoredCollection(right) {
                return try any(right, .equal, equalTo: left, options: options)
            }
            guard case .aggregate(let elements) = right else {
                throw StoreError(.invalidRequest, "IN needs a list on its right: {1, 2}")
            }
            return try membership(left, elements, options)
        case .between:
            guard case .aggregate(let bounds) = right, bounds.count == 2 else {
                throw StoreError(.invalidRequest, "BETWEEN takes two values, as in {1, 5}")
            }
            let low = try operand(bounds[0])
            let high = try operand(bounds[1])
            return try range(left, low, high, options)
        default:
            return try compare(left, op, try operand(right), options)
        }
    }
}

extension GraphExpression {
    /// Whether the expression is a collection that a function creates and that no table contains.
    var isMadeCollection: Bool {
        switch self {
        case .function(let name, _): PredicateFunction.named[name]?.result == .texts
        case .collection(let base, .unionOfObjects, _),
            .collection(let base, .distinctUnionOfObjects, _):
            base.isMadeCollection
        case .subquery(let base, _, _): base.isMadeCollection || base.isList
        default: false
        }
    }
}
