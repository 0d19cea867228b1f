internal import Diagnostics

/// Compiles a tree into a program.
///
/// Nodes are visited in the parser's post-order, so that an error can report its position.
struct EvaluationCompiler<Scheme: EvaluationScheme> {
    typealias Node = EvaluationProgram.Node

    /// The input of a compilation in addition to the tree.
    struct Setting {
        var variables: [String: GraphValue]
        /// The lists of strings, each of which takes the type of the value that it is compared
        /// with.
        var lists: [String: [String]] = [:]
        /// The time in seconds since 2001-01-01 UTC.
        var now: Double
        var source: PredicateSource?
        /// The source of values for `random`, `pick`, and `lorem`; `nil` if they are not allowed.
        var drawing: Drawing?
    }

    /// A compiled expression: its node, and what is known about its value.
    struct Compiled {
        var node: Int
        var shape: EvaluationShape
        /// The kind of the objects that are its values, as in `EvaluationScheme`; `nil` for other
        /// values.
        var kind: Int?
        var isList = false
        /// Whether its values are numbers that can have fractions.
        var isFractional = false
    }

    /// The kind for elements of a collection that are values and not objects, so that no key
    /// follows.
    private static var valueKind: Int { -1 }

    /// The maximum depth of a tree; trees built in Swift can be deep enough to overflow the stack.
    private static var depthMax: Int { 1_000 }

    private(set) var scheme: Scheme
    let setting: Setting
    let program = EvaluationProgram()
    var nodes: [Node] = []
    private var depth = 0
    /// The number of nodes that the compiler has added and that have no position in the source
    /// text.
    var hiddenNodes = 0
    var drawCount = 0
    /// Whether constants with many digits are rounded to the nearest doubles.
    var roundsConstants = false
    /// The variables of the enclosing subqueries, innermost last.
    private var elements: [(name: String, kind: Int)] = []

    init(_ scheme: Scheme, _ setting: Setting) {
        self.scheme = scheme
        self.setting = setting
        program.rootNumbers = scheme.rootNumbers
    }

    func error(
        _ code: GraphPredicateError.Code, _ message: String
    ) -> GraphPredicateError {
        GraphPredicateError(
            code, message, at: setting.source?.offset(ofNode: nodes.count - hiddenNodes),
            in: setting.source?.format)
    }

    mutating func add(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    mutating func add(
        _ node: Node, _ shape: EvaluationShape = .single, kind: Int? = nil
    ) -> Compiled {
        Compiled(node: add(node), shape: shape, kind: kind)
    }

    private mutating func enter() throws(GraphPredicateError) {
        depth += 1
        if depth > Self.depthMax { throw error(.tooDeep, "The predicate is nested too deeply") }
    }

    // MARK: Predicates

    /// Adds the nodes of a predicate, and returns the number of the root node.
    mutating func compile(_ predicate: GraphPredicate) throws(GraphPredicateError) -> Int {
        try enter()
        defer { depth -= 1 }
        switch predicate {
        case .constant(let value): return add(.truth(value))
        case .not(let part):
            let part = try compile(part)
            return add(.not(part))
        case .and(let parts):
            let parts = program.list(try compile(parts))
            return add(.and(parts))
        case .or(let parts):
            let parts = program.list(try compile(parts))
            return add(.or(parts))
        case .comparison(let comparison): return try compile(comparison)
        }
    }

    private mutating func compile(
        _ parts: [GraphPredicate]
    ) throws(GraphPredicateError) -> [Int] {
        try parts.map { part throws(GraphPredicateError) in try compile(part) }
    }

    // MARK: Expressions

    /// Adds the nodes of an expression, and returns the root node with the facts about its value.
    mutating func compile(
        _ expression: GraphExpression
    ) throws(GraphPredicateError) -> Compiled {
        try enter()
        defer { depth -= 1 }
        switch expression {
        case .constant(let value): return add(.constant(constant(value)))
        case .keyPath(let keys): return try path(keys, depth: 0, kind: 0)
        case .variable(let name, let keys): return try variable(name, keys)
        case .evaluatedObject:
            guard scheme.hasIdentity else {
                throw error(.unsupported, "A record is not an object, so there is no SELF")
            }
            return add(.identity(depth: 0), kind: 0)
        case .negation(let operand):
            let node = try single(operand)
            return add(.negation(node))
        case .arithmetic(let op, let left, let right):
            let nodes = try singles([left, right])
            return add(.arithmetic(op, nodes[0], nodes[1]))
        case .aggregate(let elements):
            let nodes = program.list(try singles(elements))
            var list = add(.list(nodes), .several)
            list.isList = true
            return list
        case .function(let name, let arguments): return try function(name, arguments)
        case .conditional(let predicate, let yes, let no):
            let predicate = try compile(predicate)
            let nodes = try singles([yes, no])
            return add(.conditional(predicate, nodes[0], nodes[1]))
        case .collection(let base, let op, let keys): return try collection(base, op, keys)
        case .index(let base, let index): return try self.index(base, index)
        case .member(let base, let keys): return try member(base, keys)
        case .subquery(let base, let variable, let predicate):
            let collection = try compile(base)
            guard collection.shape != .single else {
                throw error(.toMany, "SUBQUERY needs a collection or a list before the variable")
            }
            elements.append((variable, collection.kind ?? Self.valueKind))
            let condition = try compile(predicate)
            elements.removeLast()
            return add(.subquery(collection.node, condition), .several, kind: collection.kind)
        }
    }

    /// Adds several expressions, and returns the numbers of their root nodes.
    ///
    /// Throws if one of the expressions has more than one value.
    mutating func singles(
        _ expressions: [GraphExpression]
    ) throws(GraphPredicateError) -> [Int] {
        let compiled = try expressions.map { part throws(GraphPredicateError) in
            try compile(part)
        }
        for part in compiled { try rejectSeveral(part) }
        return compiled.map(\.node)
    }

    private mutating func single(
        _ expression: GraphExpression
    ) throws(GraphPredicateError) -> Int {
        let compiled = try compile(expression)
        try rejectSeveral(compiled)
        return compiled.node
    }

    func rejectSeveral(_ part: Compiled) throws(GraphPredicateError) {
        guard part.shape == .several else { return }
        if part.isList {
            throw error(.type, "A list has its place after IN and BETWEEN only")
        }
        throw error(
            .toMany,
            "A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count")
    }

    private mutating func path(
        _ keys: [String], depth: Int, kind: Int
    ) throws(GraphPredicateError) -> Compiled {
        let whole = scheme.path(of: keys, from: kind)
        if keys.count > 1, keys.last == "length", !scheme.hasIdentity,
            let text = scheme.path(of: Array(keys.dropLast()), from: kind)
        {
            // Only the record shows whether the field is a string or an object with a field
            // `length`.
            let other = add(whole.map { .slot($0.handles[0]) } ?? .constant(.null))
            hiddenNodes += 1
            return add(.textLength(text.handles[0], other: other), .single)
        }
        guard let path = whole else {
            throw error(.unknownKey, "There is no field '\(keys.joined(separator: "."))'")
        }
        if depth == 0, path.handles.count == 1, path.shape != .several {
            return add(.slot(path.handles[0]), path.shape, kind: path.kind)
        }
        var result = add(
            .path(
                depth: depth, handles: program.list(path.handles), toManyCount: path.toManyCount,
                path.shape),
            path.shape, kind: path.kind)
        result.isFractional = path.isFractional
        return result
    }

    private mutating func variable(
        _ name: String, _ keys: [String]
    ) throws(GraphPredicateError) -> Compiled {
        if let index = elements.lastIndex(where: { $0.name == name }) {
            let kind = elements[index].kind
            if kind == Self.valueKind {
                guard keys.isEmpty else {
                    throw error(.variable, "'$\(name)' is a value and has no keys")
                }
                return add(.identity(depth: index + 1), .single)
            }
            if keys.isEmpty { return add(.identity(depth: index + 1), kind: kind) }
            return try path(keys, depth: index + 1, kind: kind)
        }
        if keys.isEmpty, let texts = setting.lists[name] {
            let nodes = texts.map {
                add(.constant(.untypedText(program.constants.store($0.utf8))))
            }
            hiddenNodes += nodes.count
            var list = add(.list(program.list(nodes)), .several)
            list.isList = true
            return list
        }
        guard keys.isEmpty, let value = setting.variables[name] else {
            let names =
                Array(setting.variables.keys) + setting.lists.keys + elements.map(\.name)
            let phrase = Suggestion.phrase(for: name, among: names)
            throw error(.variable, "The variable '$\(name)' has no value" + phrase)
        }
        return add(.constant(constant(value)))
    }

    private mutating func collection(
        _ base: GraphExpression, _ op: CollectionOperator, _ keys: [String]
    ) throws(GraphPredicateError) -> Compiled {
        let base = try compile(base)
        guard base.shape != .single else {
            throw error(.toMany, "\(op.rawValue) needs a to-many key path before it")
        }
        var handles: [Int] = []
        var kind = base.kind
        var isFractional = base.isFractional
        if !keys.isEmpty {
            guard let start = base.kind, let path = scheme.path(of: keys, from: start) else {
                throw error(.unknownKey, "There is no field '\(keys.joined(separator: "."))'")
            }
            handles = path.handles
            kind = path.kind
            isFractional = path.isFractional
        }
        let isUnion = op == .unionOfObjects || op == .distinctUnionOfObjects
        var result = add(
            .collection(base.node, op, handles: program.list(handles)),
            isUnion ? .several : .single, kind: isUnion ? kind : nil)
        if isUnion {
            result.isFractional = isFractional
        } else if op == .sum, isFractional {
            // The sum of no elements must be a double, too.
            let zero = add(.constant(.double(0)))
            result.node = add(.arithmetic(.add, result.node, zero))
        }
        return result
    }

    private mutating func index(
        _ base: GraphExpression, _ index: GraphIndex
    ) throws(GraphPredicateError) -> Compiled {
        let base = try compile(base)
        guard base.shape != .single else {
            throw error(.toMany, "An index needs an ordered collection or a list before it")
        }
        switch index {
        case .first: return add(.index(base.node, .first, position: 0), kind: base.kind)
        case .last: return add(.index(base.node, .last, position: 0), kind: base.kind)
        case .size: return add(.index(base.node, .size, position: 0))
        case .position(let expression):
            let position = try single(expression)
            return add(.index(base.node, .position, position: position), kind: base.kind)
        }
    }

    private mutating func member(
        _ base: GraphExpression, _ keys: [String]
    ) throws(GraphPredicateError) -> Compiled {
        let base = try compile(base)
        guard let kind = base.kind, let path = scheme.path(of: keys, from: kind) else {
            throw error(.unknownKey, "There is no field '\(keys.joined(separator: "."))'")
        }
        try rejectSeveral(base)
        var result = add(
            .member(
                base.node, handles: program.list(path.handles), toManyCount: path.toManyCount),
            path.shape, kind: path.kind)
        result.isFractional = path.isFractional
        return result
    }

    private func constant(_ value: GraphValue) -> EvaluatedValue {
        EvaluatedValue(
            roundsConstants ? GraphExpression.rounded(value) : value, in: program.constants)
    }
}
