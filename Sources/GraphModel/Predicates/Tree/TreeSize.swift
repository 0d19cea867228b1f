/// The number of nodes and the depth of a tree.
///
/// The count stops at the maximum depth of the language. So even a deeper tree, which only code can
/// build, is measured without a stack overflow.
struct TreeSize {
    /// The maximum depth of the language, which bounds the recursion of every traversal.
    static let depthMax = 400

    /// The number of predicates and expressions.
    private(set) var nodes = 0
    /// The length of the longest path from the root; 0 for the root alone.
    private(set) var depth = 0

    init(_ predicate: GraphPredicate) {
        visit(predicate, at: 0)
    }

    init(_ expression: GraphExpression) {
        visit(expression, at: 0)
    }

    /// Whether the tree is too deep for a recursive traversal; the count is then incomplete.
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
