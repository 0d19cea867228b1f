/// How many nodes a tree has, and how deep it is.
///
/// The count stops at the depth that the language allows, so that a tree of any depth, which only
/// code can build, is measured without running out of stack.
struct TreeSize {
    /// The depth that the language allows; bounds the recursion of everyone who walks a tree.
    static let depthMax = 400

    /// Predicates and expressions.
    private(set) var nodes = 0
    /// The length of the longest way down; the root alone has none.
    private(set) var depth = 0

    init(_ predicate: GraphPredicate) {
        visit(predicate, at: 0)
    }

    init(_ expression: GraphExpression) {
        visit(expression, at: 0)
    }

    /// Whether the tree is too deep to be walked by recursion; the count is then not the whole.
    var isTooDeep: Bool { depth >= Self.depthMax }

    private mutating func enter(at level: Int) -> Bool {
        nodes += 1
        depth = max(depth, level)
        return !isTooDeep
    }

    private mutating func visit(_ predicate: GraphPredicate, at level: Int) {
        guard enter(at: level) else { return }
        switch predicate {
        case .constant: break
        case .comparison(let comparison):
            visit(comparison.left, at: level + 1)
            visit(comparison.right, at: level + 1)
        case .not(let part): visit(part, at: level + 1)
        case .and(let parts), .or(let parts):
            for part in parts { visit(part, at: level + 1) }
        }
    }

    private mutating func visit(_ expression: GraphExpression, at level: Int) {
        guard enter(at: level) else { return }
        if let condition = expression.condition { visit(condition, at: level + 1) }
        for operand in expression.operands { visit(operand, at: level + 1) }
    }
}
