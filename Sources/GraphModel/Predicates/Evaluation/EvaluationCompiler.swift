internal import Diagnostics

/// Turns a tree into a program.
///
/// Nodes are visited in the parser's post-order, so that an error can name its place.
struct EvaluationCompiler {
    /// What a program needs besides the tree.
    struct Setting {
        var slotOf: ([String]) -> Int?
        var variables: [String: GraphValue]
        /// Seconds since 2001-01-01 UTC.
        var now: Double
        var source: PredicateSource?
    }

    let setting: Setting
    let program = EvaluationProgram()
    private var visited = 0

    init(_ setting: Setting) {
        self.setting = setting
    }

    private func error(
        _ code: GraphPredicateError.Code, _ message: String
    ) -> GraphPredicateError {
        GraphPredicateError(
            code, message, at: setting.source?.offset(ofNode: visited),
            in: setting.source?.format)
    }

    private mutating func add(_ node: EvaluationProgram.Node) -> Int {
        visited += 1
        program.nodes.append(node)
        return program.nodes.count - 1
    }

    // MARK: Predicates

    /// Adds a predicate and returns its node.
    mutating func compile(_ predicate: GraphPredicate) throws(GraphPredicateError) -> Int {
        switch predicate {
        case .constant(let value): return add(.truth(value))
        case .not(let part):
            let part = try compile(part)
            return add(.not(part))
        case .and(let parts):
            let nodes = try compile(parts)
            return add(.and(nodes))
        case .or(let parts):
            let nodes = try compile(parts)
            return add(.or(nodes))
        case .comparison(let comparison): return try compile(comparison)
        }
    }

    private mutating func compile(
        _ parts: [GraphPredicate]
    ) throws(GraphPredicateError) -> [Int] {
        var nodes: [Int] = []
        for part in parts { nodes.append(try compile(part)) }
        return nodes
    }

    private mutating func compile(
        _ comparison: GraphComparison
    ) throws(GraphPredicateError) -> Int {
        let left = try compile(comparison.left)
        let right = try compile(comparison.right)
        guard comparison.modifier == .direct else {
            throw error(
                .unsupported, "\(comparison.modifier.rawValue) is not supported here yet")
        }
        let takesList = comparison.op == .in || comparison.op == .between
        try refuseLists(takesList ? [comparison.left] : [comparison.left, comparison.right])
        switch comparison.op {
        case .in:
            guard case .aggregate = comparison.right else {
                throw error(.type, "IN needs a list on its right: {1, 2}")
            }
        case .between:
            guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
                throw error(.type, "BETWEEN needs a list of two bounds: {1, 5}")
            }
        case .matches: return try match(comparison, left)
        default: break
        }
        return add(.comparison(comparison.op, comparison.options, left, right))
    }

    private mutating func match(
        _ comparison: GraphComparison, _ left: Int
    ) throws(GraphPredicateError) -> Int {
        guard case .constant(.string(let text)) = comparison.right else {
            throw error(.unsupported, "MATCHES needs its pattern as text in quotes")
        }
        guard !comparison.options.contains(.diacriticInsensitive) else {
            throw error(.unsupported, "MATCHES cannot leave out diacritics")
        }
        do {
            program.patterns.append(
                try CompiledPattern(
                    text, ignoresCase: comparison.options.contains(.caseInsensitive)))
        } catch {
            throw self.error(.type, error.description)
        }
        return add(.matches(left, pattern: program.patterns.count - 1))
    }

    // MARK: Expressions

    /// Adds an expression and returns its node.
    mutating func compile(_ expression: GraphExpression) throws(GraphPredicateError) -> Int {
        switch expression {
        case .constant(let value): return add(.constant(constant(value)))
        case .keyPath(let keys):
            guard let slot = setting.slotOf(keys) else {
                throw error(.unknownKey, "There is no field '\(keys.joined(separator: "."))'")
            }
            return add(.slot(slot))
        case .variable(let name, let keys):
            guard keys.isEmpty, let value = setting.variables[name] else {
                let phrase = Suggestion.phrase(for: name, among: setting.variables.keys)
                throw error(.variable, "The variable '$\(name)' has no value" + phrase)
            }
            return add(.constant(constant(value)))
        case .negation(let operand):
            let node = try compile(operand)
            try refuseLists([operand])
            return add(.negation(node))
        case .arithmetic(let op, let left, let right):
            let nodes = try compile([left, right])
            try refuseLists([left, right])
            return add(.arithmetic(op, nodes[0], nodes[1]))
        case .aggregate(let elements):
            let nodes = try compile(elements)
            try refuseLists(elements)
            return add(.list(nodes))
        case .function(let name, let arguments):
            let nodes = try compile(arguments)
            try refuseLists(arguments)
            return try function(name, nodes)
        case .conditional(let predicate, let yes, let no):
            let predicate = try compile(predicate)
            let nodes = try compile([yes, no])
            try refuseLists([yes, no])
            return add(.conditional(predicate, nodes[0], nodes[1]))
        case .evaluatedObject, .collection, .subquery:
            throw error(.unsupported, "'\(expression)' is not supported here yet")
        }
    }

    private mutating func compile(
        _ expressions: [GraphExpression]
    ) throws(GraphPredicateError) -> [Int] {
        var nodes: [Int] = []
        for expression in expressions { nodes.append(try compile(expression)) }
        return nodes
    }

    /// A list stands on the right of IN and BETWEEN and nowhere else.
    private func refuseLists(
        _ expressions: [GraphExpression]
    ) throws(GraphPredicateError) {
        for case .aggregate in expressions {
            throw error(.type, "A list has its place after IN and BETWEEN only")
        }
    }

    private mutating func function(
        _ name: String, _ arguments: [Int]
    ) throws(GraphPredicateError) -> Int {
        if name == "now" { return add(.constant(.date(setting.now))) }
        if name == "today" {
            let day = (setting.now / 86_400).rounded(.down) * 86_400
            return add(.constant(.date(day)))
        }
        guard let function = EvaluationFunction(rawValue: name), !arguments.isEmpty else {
            throw error(.unsupported, "The function '\(name)' is not supported here yet")
        }
        return add(.function(function, arguments))
    }

    private func constant(_ value: GraphValue) -> EvaluatedValue {
        switch value {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .string(let text): .text(program.constants.store(Array(text.utf8)))
        case .date(let seconds): .date(seconds)
        case .uuid(let bytes): .uuid(program.constants.store(bytes))
        case .binary(let bytes): .binary(program.constants.store(bytes))
        }
    }
}
