import GraphModel

/// The key paths, from the object itself, that a predicate refers to, including paths through
/// collections and the variables of subqueries.
struct ReferencedKeyPaths {
    private(set) var paths: Set<[String]> = []
    private var scope: [String: [String]] = [:]

    init(_ predicate: GraphPredicate?) {
        if let predicate { add(predicate) }
    }

    private mutating func add(_ predicate: GraphPredicate) {
        for side in predicate.sides { add(side) }
    }

    private mutating func add(_ expression: GraphExpression) {
        if let path = path(of: expression) { paths.insert(path) }
        if case .subquery(let collection, let variable, let predicate) = expression {
            add(collection)
            let outer = scope
            scope[variable] = path(of: collection) ?? []
            add(predicate)
            scope = outer
        } else {
            if let condition = expression.condition { add(condition) }
            for operand in expression.operands { add(operand) }
        }
    }

    /// Returns the key path that an expression selects; `nil` if it is not a key path.
    private func path(of expression: GraphExpression) -> [String]? {
        switch expression {
        case .keyPath(let path): path
        case .variable(let name, let keys): scope[name].map { $0 + keys }
        case .collection(let base, _, let keys), .member(let base, let keys):
            path(of: base).map { $0 + keys }
        case .index(let base, _), .subquery(let base, _, _): path(of: base)
        default: nil
        }
    }
}
