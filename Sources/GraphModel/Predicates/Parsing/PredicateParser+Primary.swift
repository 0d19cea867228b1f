extension PredicateParser {
    /// Parses a value with its keys, indexes, and collection operators.
    mutating func primary() throws(GraphPredicateError) -> Node {
        try suffixes(of: try base())
    }

    /// Parses a constant, a key, a variable, a function, a list, or a part in parentheses.
    private mutating func base() throws(GraphPredicateError) -> Node {
        let place = offset
        switch token {
        case .integer(let value): return try constant(.integer(value))
        case .integerMinimum: return try constant(.double(9_223_372_036_854_775_808))
        case .double(let value): return try constant(.double(value))
        case .decimal(let text): return try constant(.decimal(text))
        case .text(let text): return try constant(.string(text))
        case .word(let word): return try self.word(word)
        case .key(let key):
            try advance()
            return try finish(.expression(.keyPath([key])), at: place)
        case .variable(let name):
            try advance()
            return try finish(.expression(.variable(name, [])), at: place)
        case .placeholder(let name): return try placeholder(name)
        case .symbol("("): return try bracketed()
        case .symbol("{"): return try list()
        case .operation(let name):
            throw error("'\(name)' needs a key path before it: tasks.\(name)", at: place)
        case .symbol(let symbol): throw error("A value is missing before '\(symbol)'", at: place)
        case .end: throw error("A value is missing at the end", at: place)
        }
    }

    private mutating func constant(_ value: GraphValue) throws(GraphPredicateError) -> Node {
        let place = offset
        try advance()
        return try finish(.expression(.constant(value)), at: place)
    }

    private mutating func word(_ word: String) throws(GraphPredicateError) -> Node {
        let place = offset
        let upper = keyword
        if let value = PredicateKeywords.constant(upper) { return try constant(value) }
        if upper == "TRUEPREDICATE" || upper == "FALSEPREDICATE" {
            try advance()
            return try finish(.predicate(.constant(upper == "TRUEPREDICATE")), at: place)
        }
        if let upper, upper != "SELF", PredicateKeywords.isReserved(upper: upper) {
            throw error(PredicateKeywords.isNoKey(word), at: place)
        }
        try advance()
        if upper == "SELF" { return try finish(.expression(.evaluatedObject), at: place) }
        if token == .symbol(":") {
            try advance()
            guard token == .symbol("(") else { throw error("'(' is expected here", at: offset) }
        }
        if token == .symbol("(") { return try call(word, at: place) }
        return try finish(.expression(.keyPath([word])), at: place)
    }

    private mutating func list() throws(GraphPredicateError) -> Node {
        let place = offset
        try advance()
        try enter(at: place)
        let elements = try self.elements(until: "}", opening: place)
        leave()
        return try finish(
            .expression(.aggregate(elements.values)), at: place, depth: elements.depth)
    }

    private mutating func elements(
        until closing: String, opening: Int
    ) throws(GraphPredicateError) -> (values: [GraphExpression], depth: Int) {
        var values: [GraphExpression] = []
        var depth = 0
        if token != .symbol(closing) {
            while true {
                let element = try operand()
                values.append(element.0)
                depth = max(depth, element.depth)
                guard token == .symbol(",") else { break }
                try advance()
            }
        }
        try expect(closing, opening: opening)
        return (values, depth)
    }

    // MARK: Functions

    private mutating func call(
        _ word: String, at place: Int
    ) throws(GraphPredicateError) -> Node {
        let name = word.lowercased()
        let opening = offset
        try advance()
        try enter(at: place)
        defer { leave() }
        switch PredicateForm(rawValue: name) {
        case .subquery: return try subquery(at: place, opening: opening)
        case .ternary: return try conditional(at: place, opening: opening)
        case nil: break
        }
        if name == "function" {
            throw error(
                "FUNCTION(…) calls methods by name, which is not allowed", .function, at: place)
        }
        if let op = PredicateKeywords.collectionFunctions[name] {
            return try collectionCall(op, at: place, opening: opening)
        }
        guard let function = PredicateFunction.named[name] else {
            let names =
                PredicateFunction.named.keys.sorted() + PredicateForm.allCases.map(\.rawValue)
            try report(
                error(
                    "There is no function '\(Self.shown(word))'" + Self.suggestion(name, names),
                    .function, at: place))
            let arguments = try elements(until: ")", opening: opening)
            return try finish(
                .expression(.function(name, arguments.values)), at: place, depth: arguments.depth)
        }
        let arguments = try elements(until: ")", opening: opening)
        let hasAll = function.counts.contains(arguments.values.count)
        if !hasAll {
            try report(
                error(
                    Self.wrongCount(name, function.counts, arguments.values.count), .function,
                    at: place, fix: "write \(function.usage)"))
        }
        if function.result == .cast, hasAll,
            let value = try castConstant(arguments.values, at: place)
        {
            return try finish(.expression(.constant(value)), at: place, replacing: 2)
        }
        return try finish(
            .expression(.function(name, arguments.values)), at: place, depth: arguments.depth)
    }

    /// Parses `count:(pages)` as `pages.@count`, or `sum:(pages.size)` as `pages.@sum.size`.
    private mutating func collectionCall(
        _ op: CollectionOperator, at place: Int, opening: Int
    ) throws(GraphPredicateError) -> Node {
        let start = offset
        let argument = try operand()
        guard case .keyPath(let keys) = argument.0, op == .count || keys.count > 1 else {
            let example = op == .count ? "tasks.@count" : "tasks.\(op.rawValue).hours"
            throw error("A key path is expected here; write \(example)", at: start)
        }
        try expect(")", opening: opening)
        let isCount = op == .count
        let expression = GraphExpression.collection(
            .keyPath(isCount ? keys : keys.dropLast()), op, isCount ? [] : keys.suffix(1))
        return try finish(.expression(expression), at: place, depth: argument.depth)
    }

    static func wrongCount(_ name: String, _ counts: ClosedRange<Int>, _ found: Int) -> String {
        let wanted =
            counts.count == 1
            ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        return "'\(name)' takes \(wanted) argument\(wanted == "1" ? "" : "s"), not \(found)"
    }

    /// Returns the constant of `CAST('2024-02-29', 'NSDate')`, as printed by `NSPredicate`, or
    /// `nil`.
    private func castConstant(
        _ arguments: [GraphExpression], at place: Int
    ) throws(GraphPredicateError) -> GraphValue? {
        guard case .constant(.string(let type)) = arguments[1], type.hasPrefix("NS"),
            case .constant(let value) = arguments[0]
        else { return nil }
        guard let converted = PredicateCast.constant(value, type: type) else {
            throw error("The value is not of type \(type)", .type, at: place)
        }
        return converted
    }

    private mutating func subquery(
        at place: Int, opening: Int
    ) throws(GraphPredicateError) -> Node {
        let collection = try operand()
        try expect(",", opening: opening)
        guard case .variable(let name) = token else {
            throw error("A variable such as $x is expected here", at: offset)
        }
        try advance()
        try expect(",", opening: opening)
        let condition = try self.condition()
        try expect(")", opening: opening)
        let base = GraphExpression.subquery(collection.0, variable: name, condition.0)
        return try finish(
            .expression(base), at: place, depth: max(collection.depth, condition.depth))
    }

    private mutating func conditional(
        at place: Int, opening: Int
    ) throws(GraphPredicateError) -> Node {
        let condition = try self.condition()
        try expect(",", opening: opening)
        let yes = try operand()
        try expect(",", opening: opening)
        let no = try operand()
        try expect(")", opening: opening)
        return try finish(
            .expression(.conditional(condition.0, yes.0, no.0)), at: place,
            depth: max(condition.depth, yes.depth, no.depth))
    }
}
