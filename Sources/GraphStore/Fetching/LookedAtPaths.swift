import GraphModel

/// The key paths, from the object itself, that a predicate refers to, including paths through
/// collections and the variables of subqueries.
struct LookedAtPaths {
    private(set) var paths: Set<[String]> = []
    private var scope: [String: [String]] = [:]

    init(_ predicate: GraphPredicate?) {
        if let predicate { add(predicate) }
    }

    private mutating func add(_ predicate: GraphPredicate) {
        switch predicate {
        case .constant: break
        case .not(let part): add(part)
        case .and(let parts), .or(let parts): for part in parts { add(part) }
        case .comparison(let comparison):
            add(comparison.left)
            add(comparison.right)
        }
    }

    private mutating func add(_ expression: GraphExpression) {
        if let path = path(of: expression) { paths.insert(path) }
        switch expression {
        case .constant, .keyPath, .variable, .evaluatedObject: break
        case .negation(let part), .collection(let part, _, _), .member(let part, _):
            add(part)
        case .arithmetic(_, let left, let right):
            add(left)
            add(right)
        case .aggregate(let parts), .function(_, let parts): for part in parts { add(part) }
        case .index(let part, let index):
            add(part)
            if case .position(let position) = index { add(position) }
        case .subquery(let collection, let variable, let predicate):
            add(collection)
            let outer = scope
            scope[variable] = path(of: collection) ?? []
            add(predicate)
            scope = outer
        case .conditional(let predicate, let yes, let no):
            add(predicate)
            add(yes)
            add(no)
        }
    }

    /// Returns the key path of an expression; `nil` if it has none.
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
