extension PredicateParser {
    /// Replaces a placeholder with its argument.
    mutating func placeholder(_ name: String) throws(GraphPredicateError) -> Node {
        let place = offset
        let argument = try nextArgument(for: name, at: place)
        try advance()
        switch name {
        case "@":
            if let predicate = argument.graphPredicate {
                return try taken(.predicate(predicate), .init(predicate), at: place)
            }
            let expression = argument.graphExpression
            return try taken(.expression(expression), .init(expression), at: place)
        case "K":
            if let node = try keyPath(argument.graphExpression, at: place) { return node }
        default:
            let expression = argument.graphExpression
            switch expression {
            case .constant(.integer), .constant(.double), .constant(.boolean):
                return try finish(.expression(expression), at: place)
            default: break
            }
        }
        let wanted = name == "K" ? "a key path" : "a number"
        throw error("The argument for %\(name) must be \(wanted)", .argument, at: place)
    }

    private mutating func nextArgument(
        for name: String, at place: Int
    ) throws(GraphPredicateError) -> any GraphPredicateArgument {
        if let argument = arguments.popFirst() { return argument }
        throw error("There is no argument for %\(name)", .argument, at: place)
    }

    private mutating func taken(
        _ content: Node.Content, _ size: TreeSize, at place: Int
    ) throws(GraphPredicateError) -> Node {
        guard size.depth < TreeSize.depthMax else { throw tooDeep(at: place) }
        return try finish(content, at: place, depth: size.depth, nodes: size.nodes)
    }

    /// Returns a key path from an argument: an expression, or text such as `owner.name` or
    /// `tasks.@count`.
    private mutating func keyPath(
        _ argument: GraphExpression, at place: Int
    ) throws(GraphPredicateError) -> Node? {
        switch argument {
        case .keyPath, .evaluatedObject, .collection(.keyPath, _, _):
            return try taken(.expression(argument), TreeSize(argument), at: place)
        case .constant(.string(let text)):
            guard let expression = Self.keyPath(text) else { return nil }
            return try taken(.expression(expression), TreeSize(expression), at: place)
        default: return nil
        }
    }

    /// Reads a `%K` after a dot and returns its key path.
    ///
    /// - Returns: The keys; for a path such as `tasks.@sum.hours`, also the operator and the keys
    ///   after it.
    mutating func keyArgument(
        at place: Int
    ) throws(GraphPredicateError) -> (keys: [String], op: CollectionOperator?, rest: [String]) {
        let argument = try nextArgument(for: "K", at: place)
        let path: GraphExpression? =
            switch argument.graphExpression {
            case .constant(.string(let text)): Self.keyPath(text)
            case let expression: expression
            }
        try advance()
        switch path {
        case .keyPath(let keys)?: return (keys, nil, [])
        case .collection(.keyPath(let keys), let op, let rest)?: return (keys, op, rest)
        default:
            throw error("The argument for %K must be a key path", .argument, at: place)
        }
    }

    /// Parses a key path, in which keywords are keys; returns `nil` if the text is not a key path.
    static func keyPath(_ text: String) -> GraphExpression? {
        if text.utf8.count > bytesMax { return nil }
        var keys = text.keyPath
        if keys.contains("") { return nil }
        if let first = keys.first, PredicateKeywords.upper(first) == "SELF" {
            keys.removeFirst()
            if keys.isEmpty { return .evaluatedObject }
        }
        guard let place = keys.firstIndex(where: { $0.hasPrefix("@") && !mapKeys.contains($0) })
        else { return .keyPath(keys) }
        guard let op = CollectionOperator(rawValue: keys[place]), place > 0 else { return nil }
        let rest = Array(keys[(place + 1)...])
        if rest.contains(where: { $0.hasPrefix("@") }) || (op == .count && !rest.isEmpty) {
            return nil
        }
        return .collection(.keyPath(Array(keys[..<place])), op, rest)
    }
}
