extension PredicateParser {
    /// Parses the keys, indexes, and collection operators after a value.
    mutating func suffixes(of base: Node) throws(GraphPredicateError) -> Node {
        var node = base
        while true {
            switch token {
            case .symbol("."): node = try dotted(node)
            case .symbol("["): node = try indexed(node)
            default: return node
            }
        }
    }

    /// Parses `.owner.name` or `.@count` after a value.
    private mutating func dotted(_ base: Node) throws(GraphPredicateError) -> Node {
        var keys: [String] = []
        while token == .symbol(".") {
            try advance()
            switch token {
            case .word(let key), .key(let key): keys.append(key)
            case .operation(let name) where Self.mapKeys.contains(name): keys.append(name)
            case .operation(let name):
                return try collection(try member(keys, of: base), name)
            case .placeholder("K"):
                let argument = try keyArgument(at: offset)
                keys += argument.keys
                guard let op = argument.op else { continue }
                return try finish(
                    .expression(
                        .collection(
                            try expression(try member(keys, of: base)), op, argument.rest)),
                    at: offset, depth: base.depth)
            case .variable, .placeholder:
                throw error(
                    "A dictionary is not a value here; after the dot, write a key or %K", at: offset
                )
            default: throw error("A key is missing after the dot", at: offset)
            }
            try advance()
        }
        return try member(keys, of: base)
    }

    /// The keys of maps in other object stores; here, they are keys that no entity has.
    static let mapKeys: Set<String> = ["@allKeys", "@allValues"]

    private mutating func member(
        _ keys: [String], of base: Node
    ) throws(GraphPredicateError) -> Node {
        if keys.isEmpty { return base }
        let expression = try self.expression(base)
        switch expression {
        case .constant, .aggregate:
            if let word = PredicateLexer.word(in: format, at: base.offset),
                PredicateKeywords.isReserved(word)
            {
                throw error(PredicateKeywords.isNoKey(word), at: base.offset)
            }
            throw error("A constant has no keys", at: base.offset)
        case .keyPath, .variable, .evaluatedObject, .member:
            // The expression replaces the same node.
            return try finish(
                .expression(expression.appending(keys)), at: base.offset,
                depth: base.depth - 1, nodes: 0)
        default:
            return try finish(
                .expression(expression.appending(keys)), at: base.offset, depth: base.depth)
        }
    }

    /// Parses a collection operator such as `@sum.estimate`, after the dot.
    private mutating func collection(
        _ base: Node, _ name: String
    ) throws(GraphPredicateError) -> Node {
        let place = offset
        let expression = try self.expression(base)
        guard let op = CollectionOperator(rawValue: name) else {
            let names = CollectionOperator.allCases.map(\.rawValue)
            throw error(
                "There is no collection operator '\(Self.shown(name))'"
                    + Self.suggestion(name, names), at: place)
        }
        if case .constant = expression {
            throw error("A constant has no collection operators", at: place)
        }
        try advance()
        var keys: [String] = []
        while token == .symbol(".") {
            try advance()
            switch token {
            case .word(let key), .key(let key): keys.append(key)
            case .operation:
                throw error("One collection operator cannot follow another", at: offset)
            case .placeholder("K"):
                let start = offset
                let argument = try keyArgument(at: start)
                guard argument.op == nil else {
                    throw error("One collection operator cannot follow another", at: start)
                }
                keys += argument.keys
                continue
            default: throw error("A key is missing after the dot", at: offset)
            }
            try advance()
        }
        if op == .count, !keys.isEmpty {
            throw error("@count counts objects; no key follows it", at: place)
        }
        return try finish(
            .expression(.collection(expression, op, keys)), at: place, depth: base.depth)
    }

    /// Parses `[FIRST]`, `[0]`, or `['key']` after a value.
    private mutating func indexed(_ base: Node) throws(GraphPredicateError) -> Node {
        let place = offset
        let expression = try self.expression(base)
        if case .constant = expression { throw error("A constant has no elements", at: place) }
        try advance()
        let word = if case .word(let word) = token { word } else { "" }
        let index = PredicateKeywords.index(keyword)
        if token == .symbol("]") {
            throw error("FIRST, LAST, SIZE, or a number is missing in the brackets", at: offset)
        }
        try enter(at: place)
        let position = try operand()
        leave()
        try expect("]", opening: place)
        if let index, position.0 == .keyPath([word]) {
            return try finish(
                .expression(.index(expression, index)), at: place, depth: base.depth,
                replacing: 1)
        }
        return try finish(
            .expression(.index(expression, .position(position.0))), at: place,
            depth: max(base.depth, position.depth))
    }
}
